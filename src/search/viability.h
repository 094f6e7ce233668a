/* A model that reads states, not tokens, says how likely a state is dead. It
 * has been trained on its own (`train --verify` with a family of states): on
 * states   its verdict head speaks of the state on choices  (features=choice)
 * it speaks of every choice that is open; the state is as dead as the best hope
 * of its worst variable: the largest, over variables, of the smaller of the two
 * values' probabilities. The literal transformer sees them all at once Used by
 * the verifier `viability:FILE:TAU` and by `probe verify --judge FILE`.
 */
#ifndef SW_SEARCH_VIABILITY_H
#define SW_SEARCH_VIABILITY_H
#include "search/ask.h"
#include "search/state_reader.h"

typedef struct sw_viability_judge {
  sw_loaded loaded;
  int open;
  sw_team *team;
  sw_asker *asker;
  sw_state_reader reader;
  float *feature; /* [2 n][features] of the open choices */
  int32_t *choice;
  float *score;
} sw_viability_judge;

/* `path`: a run directory, a weight file, or the name of a shipped model. The
 * judge is zeroed before, and closed after a failure too. */
int sw_viability_open(sw_viability_judge *judge, const sw_domain *domain,
                      const char *path, sw_err *err);
void sw_viability_close(sw_viability_judge *judge);
/* How likely the environment's state is dead. `step`: the block's place in its
 * search. SW_LIMIT: the instance is larger than the model's; SW_DATA: the
 * model's answer is no number. */
int sw_viability_score(sw_viability_judge *judge, const sw_env *env,
                       int64_t step, double *dead, sw_err *err);

#endif
