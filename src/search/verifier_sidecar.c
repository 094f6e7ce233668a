/* The verifier `sidecar:C`: a bounded solver beside the guide. It goes back at
 * exposed conflicts, as `exact` does; and once the guide has begun an action
 * (SAT: named a variable), it probes every continuation with C conflicts. All
 * proven dead: it goes back. One left: that one is taken, whatever the guide
 * prefers; only where the guide prefers another does it count as forced. Where
 * a choice has failed before (a retry) nothing is probed: the guide answers. */
#include "search/loop.h"
#include "search/pick.h"

typedef struct sidecar {
  sw_verifier head;
  int64_t conflicts;
} sidecar;

static int open_sidecar(sw_verifier *v, const char *args, sw_err *err) {
  sidecar *s = (sidecar *)v;
  SW_TRY(sw_verifier_number(v, "conflicts", &args, &s->conflicts, err));
  if (*args) return sw_verifier_misread(v, "sidecar:50", err);
  return sw_verifier_call(v, err, "sidecar:%lld", (long long)s->conflicts);
}

static sw_verdict judge(sw_verifier *v, sw_game *game, const float *score,
                        int32_t *token) {
  const sw_search_ops *search = game->domain->search;
  int left = 0, best;
  if (search->in_conflict(game->env)) return SW_GO_BACK;
  if (!game->added_back || search->is_retry(game->env)) return SW_GO_ON;
  for (int i = 0; i < game->candidates; i++) {
    if (game->candidate[i].kind != SW_CAND_CONTINUE) continue;
    v->cost.queries++;
    if (search->truth.refute(game->env, game->candidate[i].token,
                             ((sidecar *)v)->conflicts, &v->cost.conflicts))
      continue;
    left++;
    *token = game->candidate[i].token;
  }
  if (left == 0) return SW_GO_BACK;
  best = sw_pick(game->candidate, game->candidates, score, SW_PICK_ONWARD);
  return left > 1 || (best >= 0 && game->candidate[best].token == *token)
             ? SW_GO_ON
             : SW_FORCE;
}

static int can(const sw_domain *domain) {
  return domain->search->truth.refute && domain->search->back_midway;
}

const sw_verifier_kind sw_verifier_sidecar = {
    .name = "sidecar",
    .args = "C",
    .help =
        "as exact; and a complete solver with C conflicts probes what the "
        "guide has begun: forces the only way left, goes back when there is "
        "none",
    .bytes = sizeof(sidecar),
    .open = open_sidecar,
    .judge = judge,
    .can = can,
    .needs_scores = 1,
    .midway = 1,
    .sound = 1,
    .certain = 1};
