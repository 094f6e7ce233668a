/* The verifier `cdcl:C`: goes back when the domain's complete solver proves the
 * state dead within C conflicts; with C = 0 it only propagates. A state that it
 * cannot decide in time counts as viable, so it never prunes one that is. */
#include "search/loop.h"

typedef struct cdcl {
  sw_verifier head;
  int64_t conflicts;
} cdcl;

static int open_cdcl(sw_verifier *v, const char *args, sw_err *err) {
  cdcl *c = (cdcl *)v;
  SW_TRY(sw_verifier_number(v, "conflicts", &args, &c->conflicts, err));
  if (*args) return sw_verifier_misread(v, "cdcl:50", err);
  return sw_verifier_call(v, err, "cdcl:%lld", (long long)c->conflicts);
}

static sw_verdict judge(sw_verifier *v, sw_game *game, const float *score,
                        int32_t *token) {
  const sw_search_ops *search = game->domain->search;
  (void)score, (void)token;
  if (!game->can_back) return SW_GO_ON;
  if (search->in_conflict(game->env)) return SW_GO_BACK;
  v->cost.queries++;
  return search->truth.refute(game->env, -1, ((cdcl *)v)->conflicts,
                              &v->cost.conflicts)
             ? SW_GO_BACK
             : SW_GO_ON;
}

static int can(const sw_domain *domain) {
  return domain->search->truth.refute != NULL;
}

const sw_verifier_kind sw_verifier_cdcl = {
    .name = "cdcl",
    .args = "C",
    .help =
        "goes back when a complete solver proves the state dead within C "
        "conflicts (0: by propagation alone)",
    .bytes = sizeof(cdcl),
    .open = open_cdcl,
    .judge = judge,
    .can = can,
    .sound = 1,
    .certain = 1};
