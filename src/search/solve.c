/* Guided complete search with a direct fallback (see solve.h). */
#include "search/solve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "search/guide_family.h"
#include "search/loop.h"

enum { SEED = 42 }; /* of random rules */

typedef struct guided {
  const sw_domain *domain;
  sw_guide *guide;
  const sw_solve_limits *limits;
  int (*stop)(void *);
  sw_game game;
  double deadline;
} guided;

static int search(guided *g, const sw_instance *instance, sw_err *err) {
  SW_TRY(sw_guide_reserve(g->guide, 1, err));
  SW_TRY(sw_game_start(&g->game, instance, 0, err));
  SW_TRY(sw_guide_start(g->guide, 0, &g->game, err));
  while (sw_game_advance(&g->game)) {
    if ((g->deadline > 0 && sw_now() > g->deadline) ||
        (g->stop && g->stop(NULL))) {
      sw_game_stop(&g->game, "timeout");
    } else if (g->limits->tokens > 0 &&
               sw_guide_tokens_shown(g->guide, 0) > g->limits->tokens) {
      sw_game_stop(&g->game, "budget");
    } else {
      SW_TRY(sw_guide_ask(g->guide, 0, &g->game, err));
      sw_game_take(&g->game);
    }
  }
  return sw_game_failure(&g->game, err);
}

static int conclude(guided *g, sw_solution *s, sw_err *err) {
  s->outcome = g->game.outcome;
  if (s->outcome.solved) {
    SW_TRY(g->domain->search->tell.answer(g->game.env, &s->answer, err));
    s->verdict = 10;
  } else if (!strcmp(s->outcome.reason, "exhausted") &&
             g->game.verifier->sound) {
    s->verdict = 20;
  } else {
    snprintf(s->note, sizeof s->note,
             "the guided search ended: %s after %lld decisions%s",
             s->outcome.reason, (long long)s->outcome.decisions,
             g->game.verifier->sound ? "" : " (this verifier proves nothing)");
  }
  return SW_OK;
}

/* The guided search in a layout where a wrong value is replaced by the legal
 * one: complete whatever the guide says. */
static int guided_search(guided *g, const sw_instance *instance,
                         const sw_domain_options *options, sw_solution *s,
                         sw_err *err) {
  sw_loop_options loop = {
      .protocol = SW_REBUILT,
      .verifier = g->limits->verifier ? g->limits->verifier : "exact",
      .on_error = SW_ON_ERROR_RESCUE,
      .max_decisions = g->limits->decisions};
  int code = sw_game_new(&g->game, g->domain, options, &loop, err);
  g->game.seed = SEED;
  if (!code)
    code = sw_verifier_unshown(g->game.verifier, options,
                               g->limits->verdict_shown, err);
  if (!code) code = search(g, instance, err);
  if (code == SW_LIMIT) { /* it does not fit: the direct solver may do it */
    snprintf(s->note, sizeof s->note, "%.250s",
             err ? err->text : "the file does not fit the guide");
    code = SW_OK;
  } else if (!code) {
    code = conclude(g, s, err);
  }
  sw_game_free(&g->game);
  return code;
}

int sw_solve(const sw_domain *domain, const sw_instance *instance,
             const sw_domain_options *options, sw_guide *guide,
             const sw_domain_options *guide_options,
             const sw_solve_limits *limits, int (*stop)(void *),
             sw_solution *solution, sw_err *err) {
  double begin = sw_now();
  memset(solution, 0, sizeof *solution);
  guided g = {.domain = domain,
              .guide = guide,
              .limits = limits,
              .stop = stop,
              .deadline = limits->seconds > 0 ? begin + limits->seconds : 0};
  sw_domain_options resolved = guide_options ? *guide_options : *options;
  SW_TRY(domain->resolve(&resolved, err));
  int use_guide = guide && domain->search && domain->search->tell.answer;
  if (use_guide && guide->hash[0] &&
      !domain->instance_fits(instance, &resolved, solution->note,
                             sizeof solution->note))
    use_guide = 0;
  if (use_guide) {
    snprintf(solution->guide, sizeof solution->guide, "%s", guide->label);
    SW_TRY(guided_search(&g, instance, &resolved, solution, err));
  }
  if (!solution->verdict && !limits->guided_only && domain->file.solve &&
      !(stop && stop(NULL))) {
    double left = 0;
    if (limits->seconds > 0) {
      left = g.deadline - sw_now();
      if (left < 0.05) left = 0.05;
    }
    char how[200];
    SW_TRY(domain->file.solve(instance, options, left, &solution->verdict,
                              &solution->answer, how, sizeof how, err));
    snprintf(solution->guide, sizeof solution->guide, "%.95s", how);
  }
  solution->seconds = sw_now() - begin;
  return SW_OK;
}
