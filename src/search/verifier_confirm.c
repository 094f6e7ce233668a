/* The verifier `confirm:C:INNER`: INNER proposes to go back, and it is done
 * only when the complete solver proves the state dead within C conflicts. So no
 * viable state is ever pruned, whatever INNER says; what INNER is worth shows
 * in the solver's conflicts and in the states left early. An exposed conflict
 * is its own proof and needs no proposal. What INNER forces is taken when every
 * other way on is proven dead; from an action that was begun it goes back when
 * each of its ways on is. */
#include "search/loop.h"

typedef struct confirm {
  sw_verifier head;
  int64_t conflicts;
} confirm;

static int open_confirm(sw_verifier *v, const char *args, sw_err *err) {
  confirm *c = (confirm *)v;
  SW_TRY(sw_verifier_number(v, "conflicts", &args, &c->conflicts, err));
  if (*args++ != ':') return sw_verifier_misread(v, "confirm:50:model", err);
  SW_TRY(sw_verifier_open(&v->inner[0], v->domain, args, err));
  v->needs_scores = v->inner[0]->needs_scores;
  v->midway = v->inner[0]->midway;
  return sw_verifier_call(v, err, "confirm:%lld:%s", (long long)c->conflicts,
                          v->inner[0]->text);
}

/* -1: the state as it stands. */
static int dead(sw_verifier *v, sw_game *game, int32_t token) {
  v->cost.queries++;
  return game->domain->search->truth.refute(
      game->env, token, ((confirm *)v)->conflicts, &v->cost.conflicts);
}

/* Every way on but `except` is proven dead. */
static int others_dead(sw_verifier *v, sw_game *game, int32_t except) {
  for (int i = 0; i < game->candidates; i++)
    if (game->candidate[i].kind == SW_CAND_CONTINUE &&
        game->candidate[i].token != except &&
        !dead(v, game, game->candidate[i].token))
      return 0;
  return 1;
}

static sw_verdict judge(sw_verifier *v, sw_game *game, const float *score,
                        int32_t *token) {
  if (game->domain->search->in_conflict(game->env)) return SW_GO_BACK;
  sw_verdict said = sw_verifier_judge(v->inner[0], game, score, token);
  int proven = said == SW_FORCE ? others_dead(v, game, *token)
               : said == SW_GO_BACK && game->can_back ? dead(v, game, -1)
               : said == SW_GO_BACK && game->added_back
                   ? others_dead(v, game, -1)
                   : 0;
  return proven ? said : SW_GO_ON;
}

static int can(const sw_domain *domain) {
  return domain->search->truth.refute != NULL;
}

const sw_verifier_kind sw_verifier_confirm = {
    .name = "confirm",
    .args = "C:INNER",
    .help =
        "goes back when INNER proposes it and a complete solver with C "
        "conflicts confirms it; at exposed conflicts always",
    .bytes = sizeof(confirm),
    .open = open_confirm,
    .judge = judge,
    .can = can,
    .sound = 1,
    .certain = 1};
