/* Inside src/model/lstm only: the rows of a plan of lanes going through all
 * layers, forward and backward, by all members of a team. Training, scores of
 * items and sessions all come through here, so they have the same bits.
 *
 * Time-parallel parts (what the input gives to the gates, and its gradients)
 * are products over all rows. The recurrence takes lanes in lock-step: a step
 * of all lanes of a member is one product. Members share rows, lanes or weight
 * rows; nothing is added across them, and no element's chain depends on how
 * the rows or lanes are shared out. */
#ifndef SW_MODEL_LSTM_ROWS_H
#define SW_MODEL_LSTM_ROWS_H
#include "base/arena.h"
#include "model/lstm/lanes.h"
#include "model/lstm/lstm.h"

/* Rows of a member's products at a time, lanes of a member in lock-step, rows
 * of a piece of the weights' gradients, scored rows with logits at a time. */
enum {
  SW_LSTM_CHUNK = 192,
  SW_LSTM_LANES = 192,
  SW_LSTM_PIECE = 256,
  SW_LSTM_SCORED = 384
};

/* Dropout: the stream is layer << 16 | site << 8, a row its token's place in
 * the item. EMBED: the first layer's input; BETWEEN: what `layer` gives to the
 * next. */
enum { SW_LSTM_DROP_EMBED = 1, SW_LSTM_DROP_BETWEEN };

typedef struct sw_lstm_member {
  float *state;   /* [LANES][d] h, or backward its gradient */
  float *inner;   /* [LANES][d] gradient of c */
  float *wide;    /* [LANES][4 d] */
  float *input;   /* [PIECE][d] (a CHUNK is smaller) */
  float *before;  /* [PIECE][d] */
  float *product; /* of gemm_tn */
  float *sum;     /* [d] */
} sw_lstm_member;

/* What the rows of an item are for. */
typedef struct sw_lstm_item {
  const sw_example *example;
  nn_dropout drop; /* key, threshold, scale; threshold 0: none */
} sw_lstm_item;

typedef struct sw_lstm_rows {
  sw_lstm *net;
  sw_team *team;
  int members;
  sw_lanes lanes;
  sw_lstm_item *item; /* [lanes.items] */
  int32_t item_room;
  int drops;      /* some item has dropout */
  sw_arena arena; /* all that is below */
  int32_t room_rows, room_lanes;
  int room_training;
  float *x;                /* [rows][d] input of the first layer */
  float **gates, **h, **c; /* [layers] of [rows][4 d], [rows][d] */
  float *dh;               /* [rows][d] gradient of a layer's output */
  float *d_start;          /* [lanes][2][d] of what a lane starts from */
  float *zero;             /* [d] */
  float *layer_sum;        /* one item's gradient of a layer */
  sw_lstm_member *member;  /* [members] */
} sw_lstm_rows;

int sw_lstm_rows_init(sw_lstm_rows *r, sw_lstm *net, sw_team *team,
                      sw_err *err);
void sw_lstm_rows_free(sw_lstm_rows *r);
/* Forgets the lanes. Then, for each item, the item and its lanes are added;
 * then memory is reserved. */
void sw_lstm_rows_clear(sw_lstm_rows *r);
int sw_lstm_rows_item(sw_lstm_rows *r, const sw_lstm_item *item, sw_err *err);
int sw_lstm_rows_reserve(sw_lstm_rows *r, int training, sw_err *err);
/* Bytes a row needs. */
size_t sw_lstm_row_bytes(const sw_lstm_config *config, int training);

/* By every member. Forward ends with h and c of all layers. Backward begins
 * with dh of the last layer's rows and ends with that of the embeddings' sums;
 * sum(context, item) says where an item's gradient is added (a flat block). */
typedef float *(*sw_lstm_sum)(const void *context, int32_t item);
void sw_lstm_forward(sw_lstm_rows *r, int rank, int size);
void sw_lstm_backward(sw_lstm_rows *r, sw_lstm_sum sum, const void *context,
                      int rank, int size);

/* recurrence.c: the lanes of a level through a layer. */
void sw_lstm_recur(sw_lstm_rows *r, int layer, int level, int rank, int size);
void sw_lstm_recur_back(sw_lstm_rows *r, int layer, int level, int rank,
                        int size);

/* The half-open share of [begin, end) of a member. */
static inline void sw_lstm_share(int begin, int end, int grain, int rank,
                                 int size, int *from, int *to) {
  size_t a, b;
  sw_share((size_t)(end - begin), (size_t)grain, rank, size, &a, &b);
  *from = begin + (int)a;
  *to = begin + (int)b;
}

#endif
