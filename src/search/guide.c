/* Guides, whatever they are (see guide.h), and finding one by name. */
#include "search/guide.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/log.h"
#include "base/stop.h"
#include "search/guide_given.h"
#include "search/loop.h"

/* One row for each kind that needs no weights. */
static const sw_guide_kind kinds[] = {
    {"expert", "who writes the domain's traces", sw_guide_expert},
};
enum { KINDS = sizeof kinds / sizeof *kinds, ADDED = 16 };
static const sw_guide_kind *added[ADDED];
static int added_count;

int sw_guide_add_kind(const sw_guide_kind *kind, sw_err *err) {
  if (added_count == ADDED)
    return sw_fail(err, SW_LIMIT, "more than %d kinds of guide", ADDED);
  added[added_count++] = kind;
  return SW_OK;
}

int sw_rule_find(const sw_domain *domain, const char *name) {
  for (int i = 0; domain->search->rule.names && domain->search->rule.names[i];
       i++)
    if (!strcmp(domain->search->rule.names[i], name)) return i;
  return -1;
}

static int unknown(const sw_domain *domain, const char *name, sw_err *err) {
  int count = 0;
  while (domain->search->rule.names && domain->search->rule.names[count])
    count++;
  const char *near = sw_nearest(name, domain->search->rule.names, count);
  sw_fail(err, SW_USAGE, "`%s` has no policy named `%s`", domain->name, name);
  return sw_hint(err, "did you mean %s?", near ? near : "expert");
}

int sw_guide_named(sw_guide **guide, const sw_domain *domain, const char *name,
                   sw_err *err) {
  *guide = NULL;
  SW_TRY(sw_domain_searchable(domain, err));
  for (int i = 0; i < KINDS + added_count; i++) {
    const sw_guide_kind *kind = i < KINDS ? &kinds[i] : added[i - KINDS];
    if (!strcmp(kind->name, name)) return kind->open(guide, domain, err);
  }
  int rule = sw_rule_find(domain, name), given = sw_given_known(name);
  if (rule >= 0 && given)
    return sw_fail(err, SW_USAGE,
                   "`%s` is a rule of `%s` and a policy of yours", name,
                   domain->name);
  if (given) return sw_guide_given(guide, domain, name, err);
  if (rule < 0) return unknown(domain, name, err);
  return sw_guide_rule(guide, domain, rule, err);
}

void sw_guide_close(sw_guide *guide) {
  if (guide) guide->ops->close(guide);
}

int sw_guide_reserve(sw_guide *guide, int32_t seats, sw_err *err) {
  SW_ASSERT(guide && seats > 0);
  if (seats <= guide->seats) return SW_OK;
  if (guide->ops->reserve) SW_TRY(guide->ops->reserve(guide, seats, err));
  guide->seats = seats;
  return SW_OK;
}

int sw_guide_suits(const sw_guide *guide, const sw_verifier *verifier,
                   sw_err *err) {
  if (!verifier || !verifier->needs_verdicts || guide->verifies) return SW_OK;
  sw_fail(err, SW_USAGE, "verifier `%s`: %s has no verify head", verifier->text,
          guide->label);
  return sw_hint(err, "models get one from statewise train --verify 1");
}

int sw_guide_start(sw_guide *guide, int32_t seat, const sw_game *game,
                   sw_err *err) {
  SW_ASSERT(seat >= 0 && seat < guide->seats);
  SW_CHECK(sw_game_check(game));
  SW_TRY(sw_guide_suits(guide, game->verifier, err));
  return guide->ops->start ? guide->ops->start(guide, seat, game, err) : SW_OK;
}

/* What was asked and what the guide answers, for `STATEWISE_LOG=search`. */
static void log_question(const sw_guide *guide, const sw_question *q) {
  const sw_game *g = q->game;
  char text[40];
  SW_LOG("search", "instance %lld, block %lld: %s is asked, %d candidates%s",
         (long long)g->outcome.instance, (long long)g->trace.blocks - 1,
         guide->label, g->candidates, q->reason ? ", and has no answer" : "");
  for (int k = 0; k < g->candidates && !q->reason; k++) {
    g->domain->token_text(g->domain, g->candidate[k].token, text, sizeof text);
    SW_LOG("search", "  %-12s %9.4f%s", text, (double)q->score[k],
           g->candidate[k].kind == SW_CAND_BACK ? "  goes back" : "");
  }
}

static int check_scores(const sw_guide *guide, const sw_question *q,
                        sw_err *err) {
  if (q->reason) return SW_OK;
  for (int k = 0; k < q->game->candidates; k++)
    if (isnan(q->score[k])) {
      sw_fail(err, SW_DATA, "%s: its score of token %d is not a number",
              guide->label, (int)q->game->candidate[k].token);
      return sw_hint(err,
                     "a trained model's weights have grown too large: "
                     "train it again with a smaller --lr");
    }
  return SW_OK;
}

int sw_guide_ask_all(sw_guide *guide, sw_question *question, int32_t count,
                     sw_err *err) {
  SW_ASSERT(guide && count >= 0 && (question || !count));
  SW_TRY(guide->ops->ask(guide, question, count, err));
  for (int32_t i = 0; i < count; i++)
    SW_TRY(check_scores(guide, &question[i], err));
  for (int32_t i = 0; i < count && SW_LOGS("search"); i++)
    log_question(guide, &question[i]);
  return SW_OK;
}

int sw_guide_ask(sw_guide *guide, int32_t seat, sw_game *game, sw_err *err) {
  sw_question question = {seat, game, game->score, NULL, &game->dead};
  if (guide->ops->show) SW_TRY(guide->ops->show(guide, seat, game, err));
  SW_TRY(sw_guide_ask_all(guide, &question, 1, err));
  if (!question.reason) return SW_OK;
  return sw_fail(err, SW_LIMIT, "%s has no answer: %s", guide->label,
                 question.reason);
}

int sw_guide_next(sw_guide *guide, sw_game *game, int *asked, sw_err *err) {
  *asked = 0;
  while (sw_game_advance(game)) {
    if (sw_time_to_stop()) return sw_fail_stopped(err, "searching");
    int code = sw_guide_ask(guide, 0, game, err);
    if (code != SW_LIMIT) {
      *asked = !code;
      return code;
    }
    sw_game_stop(game, "budget");
  }
  return SW_OK;
}
