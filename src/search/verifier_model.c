/* The verifier `model` (--loop open): the guide itself decides, because going
 * back is one of the candidates that it scores. */
#include "search/loop.h"
#include "search/pick.h"

static sw_verdict judge(sw_verifier *v, sw_game *game, const float *score,
                        int32_t *token) {
  (void)v, (void)token;
  if (!game->can_back) return SW_GO_ON;
  int best = sw_pick(game->candidate, game->candidates, score, SW_PICK_ANY);
  return best >= 0 && game->candidate[best].kind == SW_CAND_BACK ? SW_GO_BACK
                                                                 : SW_GO_ON;
}

const sw_verifier_kind sw_verifier_model = {
    .name = "model",
    .args = "",
    .help = "goes back when that is the guide's best candidate",
    .judge = judge,
    .needs_scores = 1,
    .of_policy = 1,
    .yields = 1};
