/* The traces of one optimizer step. Short traces are not worth splitting: the
 * members would meet at a barrier every few hundred microseconds. So where
 * memory allows it each member takes whole traces, every trace has a gradient
 * of its own, and the sum over traces runs in ascending order for every
 * parameter: the same bits as one trace after the other, with any number of
 * threads. Long traces and large models go through the shared pass one by one,
 * which splits each of them between the members. */
#ifndef SW_MODEL_BATCH_H
#define SW_MODEL_BATCH_H
#include "model/decoder/model.h"

typedef struct sw_batch sw_batch;
typedef sw_item sw_batch_item; /* flops: sw_pass_last_flops */

/* Uses the pass's model and team, and the pass itself for long traces. */
int sw_batch_new(sw_batch **batch, sw_pass *shared, sw_err *err);
void sw_batch_free(sw_batch *batch);
/* sw_pass_loss of every item; `gradient` (NULL: none) gets the traces'
 * gradients added in the order of the items. On failure the error is that of
 * the first item that failed, and the gradient is of no use. */
int sw_batch_loss(sw_batch *batch, sw_batch_item *item, int32_t count,
                  float *gradient, sw_err *err);
/* The same, but part[i] is overwritten with the gradient of item i. Adding the
 * parts in the order of the items, after those of earlier items, gives the bits
 * of sw_batch_loss, wherever each was computed. */
int sw_batch_parts(sw_batch *batch, sw_batch_item *item, int32_t count,
                   float *const *part, sw_err *err);

#endif
