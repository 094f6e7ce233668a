/* Inside src/model only: the workspace of one trace's forward and backward
 * pass, and the phases that the team's members run together. Every phase
 * function is called by all members (rank of size) and works on its own rows,
 * heads or weight rows; the barriers between phases are inside.
 *
 * Layout: arrays over all rows are indexed by absolute row (slots first). The
 * last layer's projection and FFN run on the live rows only, in compact
 * arrays (index = place in plan.live_row). */
#ifndef SW_MODEL_PASS_H
#define SW_MODEL_PASS_H
#include "base/arena.h"
#include "model/decoder/internal.h"
#include "model/decoder/live_rows.h"

/* Where dropout strikes; part of the stream number. */
typedef enum {
  SW_DROP_EMBED = 1,
  SW_DROP_ATTENTION,
  SW_DROP_PROJ,
  SW_DROP_GELU,
  SW_DROP_FFN,
  SW_DROP_VERIFY
} sw_drop_site;

/* Activations of one layer. Forward-only passes have one and reuse it. */
typedef struct sw_layer_act {
  float *x;   /* [rows][d] the layer's input */
  float *qkv; /* [rows][3d] */
  float *att; /* [rows][d] heads' outputs, before the projection */
  float *lse; /* [heads][rows] */
  float *mid; /* [rows][d] after attention; last layer: compact */
  float *z;   /* [rows][ffn] before GELU; last layer: compact. NULL when
                 nothing will read it again */
} sw_layer_act;

/* Rows a member pushes through a layer at a time: small enough that the FFN's
 * 4 d columns stay in the second-level cache. */
enum { SW_CHUNK = 192 };
/* Most rows between two barriers of the backward pass. The weight gradients go
 * on with their chains from piece to piece, so the size is no part of the bits
 * (sw_piece_rows). */
enum { SW_PIECE = 768 };
/* Supervised rows whose logits exist at the same time. */
enum { SW_HEAD_ROWS = 384 };

/* Gradients of one piece's rows, read by all members: double-buffered. */
typedef struct sw_piece {
  float *dffn;        /* [SW_PIECE][d] gradient of the FFN's output */
  float *dz;          /* [SW_PIECE][ffn] */
  float *h;           /* [SW_PIECE][ffn] GELU output, recomputed */
  float *norm;        /* [SW_PIECE][d] layer norm output, recomputed */
  float *dnorm;       /* [SW_PIECE][d] */
  float *dproj;       /* [SW_PIECE][d] gradient of the projection's output */
  float *mean, *rstd; /* [SW_PIECE] */
} sw_piece;

typedef struct sw_member {
  float *norm;      /* [SW_CHUNK][d] */
  float *hidden;    /* [SW_CHUNK][ffn] */
  float *z;         /* [SW_CHUNK][ffn], when the layer keeps none */
  float *attention; /* kernels' attention_scratch */
  float *product;   /* kernels' gemm_tn_scratch */
} sw_member;

/* The verify head of one trace (verify.h). All [count] but the last. */
typedef struct sw_verify {
  int32_t count;
  int32_t *row;    /* place in the live list */
  int32_t *target; /* 1: the state is dead */
  double *loss;
  float *in, *norm, *mean, *rstd; /* [d]: final states, normed */
  float *pre, *h, *z;             /* [d] before and after GELU; [2] classes */
  float *dh, *dnorm;              /* [d] */
  float *weights;                 /* [d d + 4 d] one tensor's gradient */
  double loss_sum;
  int64_t hits;
} sw_verify;

struct sw_pass {
  sw_model *model;
  sw_team *team;
  int members;
  sw_plan plan;
  sw_arena arena;
  /* sizes the arena holds */
  int32_t room_rows, room_live, room_head, room_logits;
  int room_training;
  size_t bytes;
  /* position ids by row, for models that rotate; -1: a slot */
  int32_t *row_id;  /* [rows] */
  int32_t *live_id; /* [live] */
  /* activations */
  sw_layer_act *layer; /* [layers] */
  float *x_live;       /* [live][d] last layer's input of live rows */
  float *att_live;     /* [live][d] */
  float *q_live;       /* [live][d] queries of the last layer */
  float *out;          /* [live][d] last layer's output */
  float *final;        /* [live][d] after the final norm */
  float *final_mean, *final_rstd;
  float *logits;     /* [head rows][vocab] */
  float *head_in;    /* [head rows][d] rows of final in the order asked */
  float *dhead;      /* [head rows][d] */
  int32_t *head_row; /* [wanted] place in the live list */
  int32_t *target;   /* [wanted] */
  double *loss;      /* [wanted] */
  int32_t *best;     /* [wanted] argmax */
  sw_verify verify;
  /* gradients */
  float *dx;         /* [rows][d] */
  float *dx_live;    /* [live][d] */
  float *dfinal;     /* [live][d] */
  float *datt;       /* [rows][d] */
  float *datt_live;  /* [live][d] */
  float *dq_live;    /* [live][d] */
  float *dqkv;       /* [rows][3d] */
  float *layer_grad; /* [layer_stride] this trace's gradient of a layer: the
                        room below or, in a pass of one member whose gradient
                        is this trace's alone, its place there */
  float *token_grad; /* [vocab][d], likewise */
  float *layer_room, *token_room;
  float *norm_grad; /* [2 d] final norm */
  int32_t *order;   /* [rows] tokens sorted by id, then by position */
  int32_t *order_start;
  uint64_t *kept;    /* attention's dropout decisions, from the forward pass for
                        the backward one: [layers][heads][rows][kept_words], of
                        the last layer the live rows; NULL: drawn again */
  int few_positions; /* sw_pass_loss_alone: rows of the position table from
                        sw_position_rows on are not assigned */
  uint64_t *kept_room;
  size_t kept_count; /* words of the room */
  int kept_words;
  sw_piece piece[2];
  sw_member *member;             /* [members] */
  struct sw_pass_memory *memory; /* NULL without slot memory */
  double flops;
  int32_t *wanted; /* rows that predict a supervised token, or say a fact */
  uint8_t *asked;  /* [wanted] which sw_loss_kind it is */
  int32_t room_wanted;
  sw_tally tally[SW_LOSS_KINDS]; /* of the last loss */
};

/* Rows of a piece: few enough that their gradients are still in the
 * second-level cache when the weights' gradients read them, and a chunk for
 * every member. */
static inline int sw_piece_rows(const sw_pass *pass) {
  int rows = pass->members == 1 ? 256 : SW_CHUNK * pass->members;
  return rows < SW_PIECE ? rows : SW_PIECE;
}

/* One call's request, shared by the members. */
typedef struct sw_job {
  sw_pass *pass;
  const sw_example *example;
  const int32_t *wanted; /* token rows whose logits or states are needed */
  int32_t count;
  int training;    /* keep activations, compute gradients */
  float *gradient; /* the caller's sum, or NULL */
  int alone;       /* the gradient is assigned, not added to (a team of
                      one only) */
  nn_dropout drop; /* key, threshold and scale; stream set per site */
  float weight[SW_LOSS_KINDS];
  enum { SW_JOB_LOGITS, SW_JOB_LOSS, SW_JOB_CUSTOM, SW_JOB_HIDDEN } kind;
  float *rows_out; /* LOGITS: [count][vocab]; HIDDEN: [count][d] */
  sw_logit_gradient custom;
  void *context;
  sw_err *err;
  int code;     /* set by member 0 */
  int stale[2]; /* which packed weights to refresh */
} sw_job;

static inline nn_dropout sw_drop_at(const sw_job *job, int layer,
                                    sw_drop_site site, int head) {
  nn_dropout drop = job->drop;
  drop.stream = (uint32_t)layer << 16 | (uint32_t)site << 8 | (uint32_t)head;
  return drop;
}

/* forward.c, backward.c, head.c, embed.c */
void sw_embed_forward(sw_job *job, int rank, int size);
void sw_embed_backward(sw_job *job, int rank, int size);
void sw_layers_forward(sw_job *job, int rank, int size);
void sw_layers_backward(sw_job *job, int rank, int size);
/* Logits, losses and, when training, dx_live and token_grad. */
void sw_head(sw_job *job, int rank, int size);
nn_attention sw_attention_of(const sw_job *job, int layer, int head);
/* dense.c: the slow path for masks that are not segments. */
void sw_dense_forward(const nn_attention *a, const sw_plan *plan,
                      const uint8_t *dense, int only_live, float *scratch);
void sw_dense_backward(const nn_attention *a, const sw_plan *plan,
                       const uint8_t *dense, int only_live, float *scratch);
size_t sw_dense_scratch(int32_t rows);

/* Losses and counts of the last sw_pass_loss, by kind. */
void sw_pass_last_tally(const sw_pass *pass, sw_tally tally[SW_LOSS_KINDS]);

/* sw_pass_loss with a team of one and a gradient that need not be zero: its
 * trained part is assigned. The packed weights must be fresh, since several
 * such passes run at once (sw_packed_refresh). */
int sw_pass_loss_alone(sw_pass *pass, const sw_example *example,
                       const sw_pass_options *options, float *gradient,
                       double *loss_sum, int64_t *targets, int64_t *hits,
                       sw_err *err);
int sw_packed_refresh(sw_pass *pass, int training, sw_err *err);
/* Rows of the position table up to the last one that the example reads. */
int32_t sw_position_rows(const sw_model *model, const sw_example *example);

/* pass.c: useful FLOPs of `rows` rows of which `live` go through the whole last
 * layer and head_rows through the head, with the pairs of the layers below and
 * of the last. */
double sw_count_flops(const sw_model *model, double rows, double live,
                      double pairs, double last_pairs, double head_rows,
                      int backward);

/* workspace.c: makes room for the plan's rows and `wanted` head rows, of which
 * `at_once` have their logits in memory at the same time. */
int sw_pass_reserve(sw_pass *pass, int32_t wanted, int32_t at_once,
                    int training, sw_err *err);
/* Room for the plan's `kept`, or NULL there when it would be large. */
int sw_pass_reserve_kept(sw_pass *pass, sw_err *err);

#endif
