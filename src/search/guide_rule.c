/* Rules and the expert as guides: the chosen token scores 1, the others 0.
 * Where the verifier alone decides about going back, a rule that would go back
 * scores every candidate alike, so that the lowest token is taken. */
#include <stdio.h>
#include <stdlib.h>

#include "search/loop.h"

typedef struct rule_guide {
  sw_guide head;
  int rule; /* of the domain's list; -1: the expert */
} rule_guide;

static int ask(sw_guide *guide, sw_question *question, int32_t count,
               sw_err *err) {
  const rule_guide *g = (const rule_guide *)guide;
  const sw_domain *domain = guide->domain;
  for (int32_t i = 0; i < count; i++) {
    const sw_game *game = question[i].game;
    int32_t token = g->rule < 0 ? domain->search->expert_choice(game->env)
                                : domain->search->rule.choose(
                                      game->env, g->rule, game->draws);
    int chosen = sw_cands_find(game->candidate, game->candidates, token);
    if (token < 0) SW_TRY(sw_domain_trouble(domain, game->env, err));
    if (chosen < 0 && token != domain->back_token)
      return sw_fail(err, SW_INTERNAL,
                     "%s: a rule chose token %d, which is not a candidate",
                     domain->name, (int)token);
    for (int k = 0; k < game->candidates; k++)
      question[i].score[k] = k == chosen ? 1.0f : 0.0f;
  }
  return SW_OK;
}

static void close_rule(sw_guide *guide) { free(guide); }

static const sw_guide_ops rule_ops = {
    .name = "rule", .ask = ask, .close = close_rule, .draws = 1};
static const sw_guide_ops expert_ops = {
    .name = "expert", .ask = ask, .close = close_rule};

int sw_guide_rule(sw_guide **guide, const sw_domain *domain, int rule,
                  sw_err *err) {
  rule_guide *g = calloc(1, sizeof *g);
  *guide = NULL;
  if (!g) return sw_no_memory(err);
  g->rule = rule;
  g->head.ops = rule < 0 ? &expert_ops : &rule_ops;
  g->head.domain = domain;
  g->head.mask = g->head.positions = "";
  snprintf(g->head.label, sizeof g->head.label, "%s",
           rule < 0 ? "expert" : domain->search->rule.names[rule]);
  *guide = &g->head;
  return SW_OK;
}

int sw_guide_expert(sw_guide **guide, const sw_domain *domain, sw_err *err) {
  return sw_guide_rule(guide, domain, -1, err);
}
