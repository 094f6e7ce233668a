/* What the families that read states have in common: tensors put one behind the
 * other into the flat block, packed copies of their matrices, inputs that are
 * standardised, and a workspace in which a member of the team computes whole
 * items with a pass of its own. Inside src/model only. */
#ifndef SW_MODEL_STATE_NET_H
#define SW_MODEL_STATE_NET_H
#include "model/item_team.h"

/* ---- tensors ---- */
/* Puts a tensor behind the others (columns 0: a vector) and returns where it
 * lies. Trained ones come first. Muon does not step it unless the caller says
 * so. */
int64_t sw_state_tensor(sw_net *net, const char *name, int rows, int columns,
                        sw_init init, double size, int trained);

/* A matrix of the flat block with its bias, and its packed copies: `forward`
 * for x W^T, `back` for dy W. */
typedef struct sw_state_matrix {
  int out, in, ld;      /* ld: floats of a row where it lies */
  int64_t weight, bias; /* offsets; bias -1: none */
  int first;            /* 1: it reads the input, and its dx is not needed */
  float *forward, *back;
} sw_state_matrix;

/* Packs all of them; `stale` says whether that is needed and is cleared. */
int sw_state_pack(const sw_net *net, sw_state_matrix *matrix, int count,
                  int *stale, sw_err *err);
void sw_state_unpack(sw_state_matrix *matrix, int count);
/* Floats that gemm_tn wants for the largest of them. */
size_t sw_state_scratch(const sw_net *net, const sw_state_matrix *matrix,
                        int count, int32_t rows);

/* sw_family.standardise where mean and 1/deviation lie at these offsets.
 * Columns that hardly vary stay as they are. */
void sw_state_standardise(sw_net *net, int64_t mean_at, int64_t scale_at,
                          int columns, const double *mean,
                          const double *deviation);

/* ---- a workspace ---- */
/* The passes of a family. `one` is called with the sw_state_work as its
 * context, for records that have a target for each of the three heads. */
typedef struct sw_state_kind {
  size_t pass_size;
  void (*pass_free)(void *pass);
  size_t (*pass_bytes)(const void *pass);
  int (*pack)(sw_net *net, sw_err *err);
  sw_item_fn one;
} sw_state_kind;

typedef struct sw_state_work {
  sw_work work;
  const sw_state_kind *kind;
  sw_item_team items;
  int members;
  void *pass; /* [members] of the kind's */
} sw_state_work;

int sw_state_work_new(sw_work **work, sw_net *net, sw_team *team,
                      const sw_state_kind *kind, sw_err *err);
static inline void *sw_state_pass(const sw_state_work *w, int member) {
  return (char *)w->pass + (size_t)member * w->kind->pass_size;
}
/* SW_USAGE: a row that the item does not have; `what` the rows are. */
int sw_state_row(const sw_item *item, int32_t row, const char *what,
                 sw_err *err);

/* These calls of sw_family are the same for all. */
void sw_state_work_free(sw_work *work);
int sw_state_batch(sw_work *work, sw_item *item, int32_t count, float *gradient,
                   sw_err *err);
int sw_state_parts(sw_work *work, sw_item *item, int32_t count,
                   float *const *part, sw_err *err);
size_t sw_state_bytes(const sw_work *work);

#endif
