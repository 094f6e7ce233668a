/* The verifier `exact` (--loop masked): the infrastructure goes back when
 * propagation has exposed a conflict; the guide is never asked about it. */
#include "search/loop.h"

static sw_verdict judge(sw_verifier *v, sw_game *game, const float *score,
                        int32_t *token) {
  (void)v, (void)score, (void)token;
  return game->domain->search->in_conflict(game->env) ? SW_GO_BACK : SW_GO_ON;
}

const sw_verifier_kind sw_verifier_exact = {
    .name = "exact",
    .args = "",
    .help = "goes back when propagation has exposed a conflict",
    .judge = judge,
    .sound = 1,
    .certain = 1};
