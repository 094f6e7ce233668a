/* Which models stopped on a plateau: flat, but well above the lowest validation
 * loss that any of our models reached on the same traces and targets
 * (sw_ending_beside). Known are the losses in kept results and those of the
 * result at hand. Losses compare where the traces are the same (hash), and the
 * training options that say what is validated: what is read, view, history,
 * sample and the weight of verdicts. A leaking mask's loss is no reference. */
#ifndef SW_REPRO_PLATEAU_H
#define SW_REPRO_PLATEAU_H
#include "repro/answers.h"

typedef struct sw_known_loss {
  char weights[24], targets[400];
  double loss;
} sw_known_loss;

typedef struct sw_known_losses {
  sw_known_loss *item; /* zero to begin with */
  int32_t count, room;
} sw_known_losses;

/* Notes the losses of all kept models, or of a result. */
int sw_losses_of_answers(sw_known_losses *known, const sw_answers *answers,
                         sw_err *err);
int sw_losses_of_result(sw_known_losses *known, const sw_repro_result *result,
                        sw_err *err);
void sw_losses_free(sw_known_losses *known);

/* Fills in losses that were kept elsewhere of the same weights, and names how
 * each model ended beside the lowest loss that is known. */
int sw_plateaus_mark(sw_repro_result *result, const sw_known_losses *known,
                     sw_err *err);

#endif
