/* The verifier `viability:FILE:TAU`: a model that reads states, not tokens,
 * says how likely the state is dead (viability.h); above TAU it goes back. An
 * exposed conflict needs no opinion. Each game opens the file for itself;
 * such models are small. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "search/loop.h"
#include "search/viability.h"

typedef struct viability {
  sw_verifier head;
  double tau;
  sw_viability_judge judge;
} viability;

static int open_viability(sw_verifier *v, const char *args, sw_err *err) {
  viability *y = (viability *)v;
  const char *last = strrchr(args, ':');
  char path[SW_VERIFIER_TEXT], tau[32];
  if (!last || last == args)
    return sw_verifier_misread(v, "viability:out/judge:0.5", err);
  snprintf(path, sizeof path, "%.*s", (int)(last - args), args);
  last++;
  SW_TRY(sw_verifier_rate(v, &last, &y->tau, err));
  if (*last) return sw_verifier_misread(v, "viability:out/judge:0.5", err);
  if (sw_viability_open(&y->judge, v->domain, path, err))
    return sw_context(err, "verifier `%s`", v->text);
  /* by its weights: another file of the same name is another verifier */
  sw_verifier_real(y->tau, tau);
  return sw_verifier_call(v, err, "viability:%016" PRIx64 ":%s",
                          sw_net_hash(y->judge.loaded.model), tau);
}

static void close_viability(sw_verifier *v) {
  sw_viability_close(&((viability *)v)->judge);
}

/* A state that cannot be judged ends the game and the evaluation. Counted as
 * viable, it would make this verifier `exact` under another name. */
static void give_up(const viability *y, sw_game *game, int code) {
  if (code == SW_LIMIT) game->failure.code = SW_USAGE; /* the wrong file */
  sw_context(&game->failure, "verifier `%s`", y->head.text);
}

static sw_verdict judge(sw_verifier *v, sw_game *game, const float *score,
                        int32_t *token) {
  viability *y = (viability *)v;
  (void)score, (void)token;
  if (!game->can_back) return SW_GO_ON;
  if (game->domain->search->in_conflict(game->env)) return SW_GO_BACK;
  double dead;
  int code = sw_viability_score(&y->judge, game->env, game->trace.blocks - 1,
                                &dead, &game->failure);
  if (code) give_up(y, game, code);
  return dead > y->tau ? SW_GO_BACK : SW_GO_ON;
}

static int can(const sw_domain *domain) { return domain->state != NULL; }

const sw_verifier_kind sw_verifier_viability = {
    .name = "viability",
    .args = "FILE:TAU",
    .help =
        "goes back when a model of state features gives the state more than "
        "TAU of being dead; at exposed conflicts always",
    .bytes = sizeof(viability),
    .open = open_viability,
    .close = close_viability,
    .judge = judge,
    .can = can,
    .certain = 1};
