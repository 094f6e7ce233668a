/* Heads that judge a state from hidden vectors of a model, trained here and by
 * themselves: the model stays as it is.
 *   plain   on the vector at the state's last token: norm, Linear(d, d), GELU,
 *           Linear(d, 2), as the decoder's verify head
 *   local   the published delta-local head: it reads what the last decision
 *           touched. With the vectors h_v of the touched items in the block and
 *           h_a at the end of the block that made the decision:
 *             x_v = W_n h_v + b_n, q = W_a h_a + b_a
 *             c   = attention of q over the x_v (four heads, with projections)
 *             p_v = softmax(W_2 gelu(W_1 (x_v + c) + b_1) + b_2)[1]
 *             p   = 1 - prod (1 - p_v); nothing touched: 0
 *           Loss: the log loss of p, and the mean over items of the focal loss
 *           a_t (1 - p_t)^g of "this item has no value left".
 * All in double precision, on one thread; a result is a function of states,
 * options and seed. */
#ifndef SW_PROBE_LOCAL_HEAD_H
#define SW_PROBE_LOCAL_HEAD_H
#include <stdint.h>
#include "base/err.h"

enum { SW_LOCAL_HEADS = 4, SW_LOCAL_TOUCHED = 80 };

/* One state; the vectors are floats of a model, `width` each. */
typedef struct sw_local_state {
  const float *last, *anchor, *item; /* item: [touched][width] */
  const uint8_t *failed;             /* [touched] */
  int32_t touched;
  uint8_t label; /* what the head as a whole should say */
} sw_local_state;

typedef enum { SW_HEAD_PLAIN, SW_HEAD_LOCAL } sw_head_kind;

typedef struct sw_local_options {
  double local_weight; /* of the items' losses; 0: none (plain: ignored) */
  double focus;        /* g of the focal loss; 0: plain log loss */
  double positive;     /* weight of states whose label is 1 */
  double rate;         /* of Adam */
  int32_t batch, epochs;
  uint64_t seed;
} sw_local_options;

typedef struct sw_local_head {
  sw_head_kind kind;
  int32_t width;
  int64_t count;
  double *weight; /* [count] */
} sw_local_head;

/* First values: uniform within 1/sqrt(inputs), the attention's projection
 * within sqrt(6 / (4 width)) and its biases 0. Width: a multiple of 4. */
int sw_local_new(sw_local_head *head, sw_head_kind kind, int32_t width,
                 uint64_t seed, sw_err *err);
void sw_local_free(sw_local_head *head);
/* How likely the label is 1. */
int sw_local_say(const sw_local_head *head, const sw_local_state *state,
                 double *p, sw_err *err);
/* Loss of one state; `gradient` (NULL: none) gets its slope added. */
int sw_local_loss(const sw_local_head *head, const sw_local_state *state,
                  const sw_local_options *options, double *loss,
                  double *gradient, sw_err *err);
int sw_local_train(sw_local_head *head, const sw_local_state *state,
                   int64_t states, const sw_local_options *options,
                   sw_err *err);
/* p and the two global logits of items' probabilities: ln(1 - p) and ln p, both
 * at least ln 1e-8. */
double sw_noisy_or(const double *p, int32_t count, double logit[2]);

#endif
