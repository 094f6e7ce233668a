/* Model-guided complete search with a direct fallback (see solve.h). */
#include "search/solve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "search/shown.h"

typedef struct guided {
  const sw_domain *domain;
  const sw_loaded *loaded;
  const sw_solve_limits *limits;
  int (*stop)(void *);
  sw_session *session;
  sw_game game;
  double deadline;
  sw_shown shown;
  sw_mt mt;
} guided;

static int by_score(const sw_game *game, const float *logits, int only_legal) {
  int chosen = -1;
  for (int i = 0; i < game->candidates; i++) {
    const sw_cand *c = &game->candidate[i];
    if (c->kind == SW_CAND_BACK || c->kind == SW_CAND_MISSED) continue;
    if (only_legal && c->kind != SW_CAND_CONTINUE) continue;
    if (chosen < 0 || logits[c->token] > logits[game->candidate[chosen].token])
      chosen = i;
  }
  return chosen;
}

static int answer_query(guided *g, sw_err *err) {
  sw_game *game = &g->game;
  if (g->limits->rule >= 0) {
    int32_t token =
        g->domain->search->rule_choice(game->env, g->limits->rule, &g->mt);
    int chosen = -1, legal = -1;
    for (int i = 0; i < game->candidates; i++) {
      if (game->candidate[i].token == token) chosen = i;
      if (legal < 0 && game->candidate[i].kind == SW_CAND_CONTINUE) legal = i;
    }
    sw_game_answer(game, chosen >= 0 ? chosen : legal, legal);
    return SW_OK;
  }
  const float *logits;
  int32_t zero = 0;
  SW_TRY(sw_show(&g->shown, game, err));
  SW_TRY(sw_session_run(g->session, &zero, 1, &logits, err));
  int legal = by_score(game, logits, 1);
  sw_game_answer(game, legal >= 0 ? legal : by_score(game, logits, 0), legal);
  return SW_OK;
}

static int search(guided *g, const sw_instance *instance, sw_err *err) {
  SW_TRY(sw_game_start(&g->game, instance, 0, err));
  if (g->session) SW_TRY(sw_show(&g->shown, &g->game, err));
  while (sw_game_advance(&g->game)) {
    if ((g->deadline > 0 && sw_now() > g->deadline) ||
        (g->stop && g->stop(NULL)))
      sw_game_stop(&g->game, "timeout");
    else if (g->limits->tokens > 0 && g->shown.tokens > g->limits->tokens)
      sw_game_stop(&g->game, "budget");
    else SW_TRY(answer_query(g, err));
  }
  return SW_OK;
}

static int conclude(guided *g, sw_solution *s, sw_err *err) {
  s->outcome = g->game.outcome;
  if (s->outcome.solved) {
    SW_TRY(g->domain->search->answer(g->game.env, &s->answer, err));
    s->verdict = 10;
  } else if (!strcmp(s->outcome.reason, "exhausted")) {
    s->verdict = 20;
  } else {
    snprintf(s->note, sizeof s->note,
             "the guided search ended: %s after %lld"
             " decisions",
             s->outcome.reason, (long long)s->outcome.decisions);
  }
  return SW_OK;
}

/* The guided search in a layout where the infrastructure goes back and a wrong
 * value is replaced by the legal one: complete whatever the guide says. */
static int guided_search(guided *g, const sw_instance *instance,
                         const sw_domain_options *options, sw_team *team,
                         sw_solution *s, sw_err *err) {
  sw_loop_options loop = {.protocol = SW_REBUILT,
                          .loop = SW_LOOP_MASKED,
                          .on_error = SW_ON_ERROR_RESCUE,
                          .max_decisions = g->limits->decisions};
  SW_TRY(sw_game_new(&g->game, g->domain, options, &loop, err));
  int code = SW_OK;
  sw_mt_seed(&g->mt, 42);
  if (g->limits->rule < 0) {
    code = sw_loaded_session(g->loaded, team, &g->session, err);
    g->shown = (sw_shown){.session = g->session, .reading = g->loaded->reading};
  }
  if (!code) code = search(g, instance, err);
  if (code == SW_LIMIT) { /* it does not fit: the direct solver may do it */
    snprintf(s->note, sizeof s->note, "%.250s",
             err ? err->text : "the file does not fit the guide");
    code = SW_OK;
  } else if (!code) {
    code = conclude(g, s, err);
  }
  sw_session_free(g->session);
  sw_game_free(&g->game);
  return code;
}

int sw_solve(const sw_domain *domain, const sw_instance *instance,
             const sw_domain_options *options, const sw_loaded *loaded,
             const sw_solve_limits *limits, sw_team *team, int (*stop)(void *),
             sw_solution *solution, sw_err *err) {
  double begin = sw_now();
  memset(solution, 0, sizeof *solution);
  guided g = {.domain = domain,
              .loaded = loaded,
              .limits = limits,
              .stop = stop,
              .deadline = limits->seconds > 0 ? begin + limits->seconds : 0};
  sw_domain_options resolved = loaded ? loaded->options : *options;
  SW_TRY(domain->resolve(&resolved, err));
  int guide =
      domain->search && domain->search->answer && (limits->rule >= 0 || loaded);
  if (guide && limits->rule < 0 &&
      !domain->instance_fits(instance, &resolved, solution->note,
                             sizeof solution->note))
    guide = 0;
  if (guide) {
    snprintf(solution->guide, sizeof solution->guide, "%s",
             limits->rule >= 0 ? domain->search->rules[limits->rule]
                               : loaded->label);
    SW_TRY(guided_search(&g, instance, &resolved, team, solution, err));
  }
  if (!solution->verdict && !limits->guided_only && domain->solve_direct &&
      !(stop && stop(NULL))) {
    double left = 0;
    if (limits->seconds > 0) {
      left = g.deadline - sw_now();
      if (left < 0.05) left = 0.05;
    }
    char how[200];
    SW_TRY(domain->solve_direct(instance, options, left, &solution->verdict,
                                &solution->answer, how, sizeof how, err));
    snprintf(solution->guide, sizeof solution->guide, "%.95s", how);
  }
  solution->seconds = sw_now() - begin;
  return SW_OK;
}
