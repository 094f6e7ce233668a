/* The verifier `oracle`: goes back as soon as the state cannot be extended to a
 * solution, long before propagation shows it. It asks the domain's complete
 * solver, or the domain's own ground truth where there is no such solver. */
#include "search/loop.h"

static sw_verdict judge(sw_verifier *v, sw_game *game, const float *score,
                        int32_t *token) {
  const sw_search_ops *search = game->domain->search;
  (void)score, (void)token;
  if (!game->can_back) return SW_GO_ON;
  if (search->in_conflict(game->env)) return SW_GO_BACK;
  v->cost.queries++;
  int dead = search->truth.refute
                 ? search->truth.refute(game->env, -1, -1, &v->cost.conflicts)
                 : search->truth.doomed(game->env);
  return dead ? SW_GO_BACK : SW_GO_ON;
}

static int can(const sw_domain *domain) {
  return domain->search->truth.refute || domain->search->truth.doomed;
}

const sw_verifier_kind sw_verifier_oracle = {
    .name = "oracle",
    .args = "",
    .help = "goes back when the state cannot be extended to a solution",
    .judge = judge,
    .can = can,
    .sound = 1,
    .certain = 1};
