/* The verifier `never`: goes on whatever is shown. It is the floor for all
 * others. */
#include "search/loop.h"

static sw_verdict judge(sw_verifier *v, sw_game *game, const float *score,
                        int32_t *token) {
  (void)v, (void)game, (void)score, (void)token;
  return SW_GO_ON;
}

const sw_verifier_kind sw_verifier_never = {
    .name = "never",
    .args = "",
    .help = "never goes back: the floor",
    .judge = judge,
    .sound = 1};
