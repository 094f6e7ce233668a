/* The decoder's verify head: LN, Linear(d, d), GELU, dropout, Linear(d, 2) on
 * the final state of a token; class 1 says that the search state which ends
 * there is dead. Trained beside the policy on tokens that carry a verdict
 * (sw_example.verdict), asked at a state's last token. Models without a trained
 * head (config.verify 0) have its tensors all the same, as published files do.
 *
 * It is small beside the rest (two rows of d x d a block), so member 0 of a
 * team computes it alone: nothing about it depends on the number of threads. */
#ifndef SW_MODEL_VERIFY_H
#define SW_MODEL_VERIFY_H
#include "model/decoder/pass.h"

/* Probabilities that the states are dead: rows [count][d] are final states,
 * scratch has 2 count d floats. The packed weights must be fresh. */
void sw_verify_scores(const sw_model *model, const float *rows, int32_t count,
                      float *scratch, float *dead);

/* Room for `count` rows; called by sw_pass_reserve. */
typedef void *(*sw_verify_take)(void *context, size_t bytes);
void sw_verify_room(sw_verify *v, const sw_model *model, size_t count,
                    int training, sw_verify_take take, void *context);
/* Picks those of the job's wanted rows that carry a verdict. */
void sw_verify_plan(sw_job *job);
/* Losses, and when training the gradient of the head, and that of the final
 * states added to dfinal. By one member. */
void sw_verify_run(sw_job *job, float *product);

#endif
