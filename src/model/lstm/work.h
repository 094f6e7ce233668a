/* Inside src/model/lstm only: a workspace for whole items, and the phases of a
 * call around the layers: the head on the rows that were asked for, and the
 * embedding tables' gradients. Phase functions are called by all members. */
#ifndef SW_MODEL_LSTM_WORK_H
#define SW_MODEL_LSTM_WORK_H
#include "model/lstm/rows.h"

/* Rows of all items that were asked for, one behind the other. */
typedef struct sw_lstm_scored {
  int32_t *first; /* [items + 1] of an item */
  int32_t *token; /* [count] token whose scores are asked for */
  int32_t *row;   /* [count] its row in the plan */
  int32_t *target, *best;
  double *loss;
  int32_t items, count, item_room, token_room, row_room;
} sw_lstm_scored;

typedef struct sw_lstm_work {
  sw_work head;
  /* Activations, and gradients of token tables, of the items that go through
   * the layers together. */
  size_t group_bytes, table_bytes;
  sw_lstm_rows rows;
  sw_lstm_scored scored;
  sw_arena arena; /* what is below */
  int32_t room_scored, room_logits, room_items, room_rows;
  int room_training;
  float *top, *final, *dtop; /* [scored][d] last h, after the norm, gradient */
  float *mean, *rstd;
  float *logits;    /* [at once][vocab] */
  float *token_sum; /* [items][vocab][d] an item's gradient of the table */
  float *norm_sum;  /* [2 d] */
  int32_t *key[2];  /* [rows] token and position of a row of the plan */
  int32_t **order, **order_start; /* [members] */
} sw_lstm_work;

/* One call. */
typedef struct sw_lstm_job {
  sw_lstm_work *work;
  enum { SW_LSTM_LOSS, SW_LSTM_LOGITS, SW_LSTM_HIDDEN, SW_LSTM_CUSTOM } kind;
  sw_item *item; /* of the first item of the plan; LOSS: their answers */
  int training;
  float *gradient;    /* of all items, or NULL */
  float *const *part; /* or one for each */
  float *out;         /* LOGITS, HIDDEN */
  sw_logit_gradient custom;
  void *context;
  int stale[2], code;
  sw_err *err;
} sw_lstm_job;

float *sw_lstm_sum_of(const void *job, int32_t item);
/* Scores, losses and, when training, dh of the last layer's rows. */
void sw_lstm_head(sw_lstm_job *job, int rank, int size);
/* Gradients of the two tables, behind all layers. */
void sw_lstm_tables_back(sw_lstm_job *job, int rank, int size);

#endif
