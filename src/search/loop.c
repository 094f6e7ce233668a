/* The closed loop (see loop.h), whole in advance, choice and answer below.
 * sw_domain hides the domain, sw_guide the source of scores, and sw_verifier
 * the decision to go back. */
#include "search/loop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/grow.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/stop.h"
#include "search/foreign.h"
#include "search/pick.h"
#include "search/question.h"

enum { VERIFIER_STREAM = 21 }; /* sets its draws apart from others */

const char *sw_protocol_name(sw_protocol protocol) {
  static const char *const names[] = {
#define X(id, name) name,
      SW_PROTOCOLS(X)
#undef X
  };
  return names[protocol];
}

/* The context grows with the dialogue. */
static int grows(const sw_loop_options *options) {
  return options->protocol == SW_CUMULATIVE || options->protocol == SW_FOREIGN;
}

int sw_loop_verifier(const sw_loop_options *options, const char **text,
                     sw_err *err) {
  const char *loop = options->loop;
  *text = options->verifier ? options->verifier : "model";
  if (!loop) return SW_OK;
  const char *meant = sw_question_meaning(SW_ASKS_SEARCH, "loop", loop);
  if (!meant) {
    sw_fail(err, SW_USAGE, "--loop: `%s` is not one of masked, open", loop);
    return sw_hint(err, "other verifiers have names: --verifier NAME");
  }
  if (options->verifier && strcmp(options->verifier, meant)) {
    sw_fail(err, SW_USAGE, "--loop %s means --verifier %s, not %s", loop, meant,
            options->verifier);
    return sw_hint(err, "give one of the two");
  }
  *text = meant;
  return SW_OK;
}

/* The release's layouts are those of two evaluators, and no other. */
static int layout(const sw_loop_options *options, const char *verifier,
                  int *value, sw_err *err) {
  *value = SW_LAYOUT_TRAINING;
  if (!options->release_layout) return SW_OK;
  *value = !strcmp(verifier, "exact")   ? SW_LAYOUT_RELEASE
           : !strcmp(verifier, "model") ? SW_LAYOUT_RELEASE_OPEN
                                        : SW_LAYOUT_TRAINING;
  if (*value != SW_LAYOUT_TRAINING) return SW_OK;
  sw_fail(err, SW_USAGE, "--release-layout knows no verifier `%s`", verifier);
  return sw_hint(err, "it goes back as the release does: exact or model");
}

int sw_game_new(sw_game *game, const sw_domain *domain,
                const sw_domain_options *domain_options,
                const sw_loop_options *options, sw_err *err) {
  SW_ASSERT(game && domain && domain_options && options);
  memset(game, 0, sizeof *game);
  game->domain = domain;
  game->options = options;
  sw_trace_init(&game->trace);
  const char *verifier;
  sw_rules rules = {0};
  SW_TRY(sw_domain_searchable(domain, err));
  SW_TRY(sw_loop_verifier(options, &verifier, err));
  SW_TRY(layout(options, verifier, &rules.release_layout, err));
  if (options->release_layout && grows(options))
    rules.token_budget = options->max_tokens;
  SW_TRY(sw_verifier_open(&game->verifier, domain, verifier, err));
  return domain->search->env_new(&game->env, domain_options, &rules, err);
}

void sw_game_free(sw_game *game) {
  if (game->env) game->domain->search->env_free(game->env);
  sw_verifier_close(game->verifier);
  sw_trace_free(&game->trace);
  sw_cands_free(&game->kept);
  free(game->score);
  game->env = NULL;
  game->verifier = NULL;
  game->score = NULL;
}

int sw_game_start(sw_game *game, const sw_instance *instance, int64_t index,
                  sw_err *err) {
  SW_ASSERT(game->env && instance && index >= 0);
  uint64_t from[2] = {game->seed, (uint64_t)index};
  memset(&game->outcome, 0, sizeof game->outcome);
  game->outcome.instance = index;
  game->outcome.instance_hash = game->domain->instance_hash(instance);
  game->ended = game->counted = game->begun = game->erred = game->retried = 0;
  game->consulted = game->failure.code = 0;
  game->borrowed_blocks = game->borrowed_tokens = 0;
  sw_trace_clear(&game->trace);
  game->draws = game->shared_draws ? game->shared_draws : &game->own_draws;
  sw_mt_seed(&game->own_draws, game->seed + (uint64_t)index);
  sw_verifier_start(game->verifier,
                    sw_xxh64(from, sizeof from, VERIFIER_STREAM));
  SW_TRY(game->domain->search->env_reset(game->env, instance, err));
  game->domain->search->write_prefix(game->env, &game->trace);
  game->prefix_length = game->trace.length;
  game->status = SW_ENV_BLOCK_END;
  return SW_OK;
}

int sw_game_verifier(sw_game *game, const sw_guide *guide, const char *text,
                     sw_err *err) {
  uint64_t from[2] = {game->seed, (uint64_t)game->outcome.instance};
  sw_verifier *verifier;
  SW_TRY(sw_verifier_open(&verifier, game->domain, text, err));
  int code = sw_guide_suits(guide, verifier, err);
  if (code) {
    sw_verifier_close(verifier);
    return code;
  }
  sw_verifier_close(game->verifier);
  game->verifier = verifier;
  sw_verifier_start(verifier, sw_xxh64(from, sizeof from, VERIFIER_STREAM));
  return SW_OK;
}

static void count_pads(sw_game *game) {
  int64_t count[SW_PADS_COUNTS] = {0};
  sw_outcome *o = &game->outcome;
  if (!game->domain->search->pad.counts) return;
  game->domain->search->pad.counts(game->env, count);
  o->pads = count[SW_PADS_WRITTEN];
  o->right_pads = count[SW_PADS_RIGHT];
  o->malformed_pads = count[SW_PADS_MALFORMED];
  o->missed_pads = count[SW_PADS_MISSED];
}

/* The query asks for a token of the guide's own scratchpad: no verifier has a
 * say in it, and no state is counted yet. */
static int writes(const sw_game *game) {
  return game->domain->search->pad.writes &&
         game->domain->search->pad.writes(game->env);
}

void sw_game_stop(sw_game *game, const char *reason) {
  SW_ASSERT(game && reason);
  sw_outcome *o = &game->outcome;
  sw_verifier_cost cost = sw_verifier_spent(game->verifier);
  game->ended = 1;
  o->solved = !strcmp(reason, "solved");
  snprintf(o->reason, sizeof o->reason, "%s", reason);
  o->tokens = game->trace.length;
  o->blocks = game->trace.blocks > 0 ? game->trace.blocks - 1 : 0;
  o->solver_queries = cost.queries;
  o->solver_conflicts = cost.conflicts;
  game->domain->search->counters(game->env, &o->backs, &o->silent_backs);
  count_pads(game);
  SW_LOG("search", "instance %lld ends: %s after %lld decisions",
         (long long)o->instance, reason, (long long)o->decisions);
}

/* Tokens of the borrowed blocks that replace finished ones, added up as the
 * game goes on. */
static int64_t borrowed_tokens(sw_game *game) {
  for (; game->borrowed_blocks < game->trace.blocks - 2;
       game->borrowed_blocks++) {
    int32_t count;
    sw_foreign_block(game->foreign, game->outcome.instance,
                     game->borrowed_blocks, &count);
    game->borrowed_tokens += count;
  }
  return game->borrowed_tokens;
}

int64_t sw_game_context(sw_game *game) {
  const sw_trace *t = &game->trace;
  if (game->options->protocol == SW_CUMULATIVE || t->blocks < 2)
    return t->length;
  int64_t own = game->prefix_length + t->length - t->block_start[t->blocks - 1];
  return game->options->protocol == SW_FOREIGN ? own + borrowed_tokens(game)
                                               : own;
}

static int over_budget(sw_game *game) {
  int64_t limit = game->options->max_tokens;
  return limit > 0 && !game->options->release_layout &&
         sw_game_context(game) > limit;
}

/* An action that was begun and given up costs its decision, whichever part went
 * back. */
static void go_back(sw_game *game, int begun) {
  game->status = game->domain->search->go_back(game->env, &game->trace);
  SW_LOG("search", "  goes back, to depth %d",
         (int)game->domain->search->depth(game->env));
  game->outcome.decisions += begun + game->domain->search->back_counts;
}

/* Counts the block's state once, as one at which a choice was asked for. */
static void count_state(sw_game *game, int conflict) {
  if (!game->counted) {
    if (conflict) game->outcome.conflict_queries++;
    else game->outcome.viable_queries++;
  }
  game->counted = 1;
}

/* Counts the block's choice once, however many tokens it takes; not behind a
 * missed conflict, where nothing is left to choose. */
static void count_retry(sw_game *game) {
  game->outcome.retry_queries += !game->retried && !game->erred;
  game->retried = 1;
}

int sw_game_lost(const sw_game *game) {
  const sw_search_ops *search = game->domain->search;
  sw_stop_scope limit;
  if (!search->truth.doomed) return -1;
  sw_stop_enter(&limit, game->truth_seconds, NULL, NULL);
  int lost = search->truth.doomed(game->env), open = sw_time_to_stop();
  sw_stop_leave(&limit);
  int trouble = search->trouble ? search->trouble(game->env, NULL) : SW_OK;
  open |= trouble && trouble != SW_STOPPED;
  return lost ? 1 : open ? -1 : 0;
}

/* Going back where no conflict shows: the ground truth tells what it was. */
static void count_prune(sw_game *game) {
  if (sw_game_lost(game) > 0) game->outcome.early_backs++;
  else game->outcome.false_prunes++;
}

/* Puts going back on the list, for a verifier that goes back midway. */
static void lend_back(sw_game *game) {
  game->added_back = !game->can_back && game->begun && game->verifier->midway &&
                     game->domain->search->back_midway;
  if (!game->added_back) return;
  sw_cands_clear(&game->kept);
  for (int i = 0; i < game->candidates; i++)
    sw_cands_put(&game->kept, game->candidate[i].token,
                 game->candidate[i].kind);
  sw_cands_put(&game->kept, game->domain->back_token, SW_CAND_BACK);
  game->candidate = game->kept.item;
  game->candidates = game->kept.count;
}

/* The candidates of the query, with room for their scores. */
static void list(sw_game *game) {
  game->candidate =
      game->domain->search->candidates(game->env, &game->candidates);
  game->can_back = 0;
  for (int i = 0; i < game->candidates; i++)
    game->can_back |= game->candidate[i].kind == SW_CAND_BACK;
  lend_back(game);
  if (game->candidates < 0 || !sw_grow(&game->score, &game->score_room,
                                       game->candidates, sizeof *game->score)) {
    game->candidates = 0;
    game->trace.failed = 1; /* the game ends for want of memory */
  }
}

/* Takes going back off the list, because the guide may not choose it. */
static void keep_onward(sw_game *game) {
  if (game->added_back) game->candidates--; /* it is the last */
  if (!game->can_back) return;
  sw_cands_clear(&game->kept);
  for (int i = 0; i < game->candidates; i++)
    if (game->candidate[i].kind != SW_CAND_BACK)
      sw_cands_put(&game->kept, game->candidate[i].token,
                   game->candidate[i].kind);
  game->candidate = game->kept.item;
  if (game->kept.count < 0) game->trace.failed = 1; /* out of memory */
  game->candidates = game->kept.count > 0 ? game->kept.count : 0;
}

/* The verifier goes back without having asked the guide. 0: it cannot, because
 * nothing is there to go back to. */
static int back_by_verifier(sw_game *game) {
  const sw_search_ops *search = game->domain->search;
  if (!search->in_conflict(game->env)) {
    count_prune(game);
    if (search->at_root(game->env)) return 0;
  }
  go_back(game, game->begun);
  return 1;
}

static sw_verdict judge(sw_game *game, const float *score, int32_t *token) {
  double began = sw_now();
  sw_verdict said = sw_verifier_judge(game->verifier, game, score, token);
  game->outcome.verifier_seconds += sw_now() - began;
  game->outcome.verifier_calls++;
  return said;
}

/* Asks a verifier that needs no scores. 1: it has settled the query. */
static int judged(sw_game *game) {
  int32_t token = -1;
  int conflict = game->domain->search->in_conflict(game->env);
  if (game->can_back && (!conflict || !game->verifier->certain))
    count_state(game, conflict);
  switch (judge(game, NULL, &token)) {
    case SW_GO_BACK:
      if (game->can_back && back_by_verifier(game)) return 1;
      break;
    case SW_FORCE: {
      int forced = sw_cands_find(game->candidate, game->candidates, token);
      if (forced < 0) break;
      game->outcome.forced++;
      sw_game_answer(game, forced, -1);
      return 1;
    }
    default:
      break;
  }
  /* In the release's layout the environment has limited the list already. */
  if (!game->options->release_layout) keep_onward(game);
  return 0;
}

/* Lists the query's candidates and asks the verifier, once a query. 0: it has
 * settled the query. */
static int consult(sw_game *game) {
  if (game->consulted) return 1;
  list(game);
  game->consulted = 1;
  if (game->candidates > 0 && !game->verifier->needs_scores && !writes(game) &&
      judged(game)) {
    game->consulted = 0;
    return 0;
  }
  return 1;
}

/* The verifier would pass over a conflict where only going back is left. That
 * counts as a missed conflict, except under `execute`, which has nothing to
 * carry out here. */
static void miss_conflict(sw_game *game) {
  count_state(game, 1);
  game->consulted = 0;
  game->outcome.missed_conflicts += !game->erred;
  game->erred = 1;
  if (game->options->on_error == SW_ON_ERROR_RESCUE) go_back(game, game->begun);
  else sw_game_stop(game, "missed_conflict");
}

/* 1: a conflict leaves only going back, and a verifier that may overlook it has
 * not judged yet. */
static int cornered(const sw_game *game) {
  const sw_verifier *v = game->verifier;
  return game->candidate[0].kind == SW_CAND_BACK && !game->erred &&
         v->needs_scores && !v->certain && !v->yields &&
         game->domain->search->in_conflict(game->env);
}

/* 1: the guide must be asked. An only candidate is taken silently; the release
 * asks (and its rules draw) even then. */
static int meet_query(sw_game *game) {
  if (!consult(game)) return 0;
  if (game->candidates < 1) {
    if (game->can_back && !game->trace.failed &&
        game->domain->search->in_conflict(game->env))
      miss_conflict(game);
    else sw_game_stop(game, "no_candidates");
  } else if (game->candidates > 1 || game->options->release_layout) {
    return 1;
  } else if (cornered(game)) {
    count_state(game, 1);
    return 1;
  } else {
    int kind = game->candidate[0].kind;
    if (kind == SW_CAND_MISSED) count_state(game, 1);
    sw_game_answer(game, 0, kind == SW_CAND_CONTINUE ? 0 : -1);
  }
  return 0;
}

int sw_game_failure(const sw_game *game, sw_err *err) {
  if (game->failure.code) {
    if (err) *err = game->failure;
    return game->failure.code;
  }
  /* A stop ends only a search that it interrupted. */
  int trouble = sw_domain_trouble(game->domain, game->env, NULL);
  if (trouble && (trouble != SW_STOPPED || game->status == SW_ENV_ERROR))
    return sw_domain_trouble(game->domain, game->env, err);
  if (!game->trace.failed && strcmp(game->outcome.reason, "memory"))
    return SW_OK;
  return sw_no_memory_for(err, "instance %lld",
                          (long long)game->outcome.instance);
}

int sw_game_trouble(const sw_game *game, sw_err *err) {
  SW_TRY(sw_domain_trouble(game->domain, game->env, err));
  return sw_game_failure(game, err);
}

int sw_game_advance(sw_game *game) {
  SW_CHECK(sw_game_check(game));
  const sw_domain *d = game->domain;
  while (!game->ended) {
    if (game->trace.failed) {
      sw_game_stop(game, "memory");
    } else if (game->failure.code) {
      sw_game_stop(game, "unjudged");
    } else if (over_budget(game)) {
      sw_game_stop(game, "budget");
    } else if (game->status == SW_ENV_ERROR) {
      sw_game_stop(game, "error"); /* sw_game_trouble has its text */
    } else if (game->status == SW_ENV_SOLVED) {
      sw_game_stop(game,
                   d->search->check_solution(game->env) ? "solved" : "wrong");
    } else if (game->status == SW_ENV_EXHAUSTED) {
      sw_game_stop(game, "exhausted");
    } else if (game->status == SW_ENV_FAILED) {
      sw_game_stop(game, d->search->reason(game->env));
    } else if (game->status == SW_ENV_BLOCK_END) {
      game->counted = game->begun = game->erred = game->retried = 0;
      if (game->outcome.decisions >= game->options->max_decisions) {
        sw_game_stop(game, "max_decisions");
        continue;
      }
      game->status = d->search->prompt(game->env, &game->trace);
      /* Checked before the budget: going back needs no guide. */
      if (game->status == SW_ENV_QUERY) consult(game);
    } else if (meet_query(game)) {
      return 1;
    }
  }
  return 0;
}

/* A uniform draw among the candidates of one kind. */
static int random_candidate(const sw_game *game, int kind) {
  int count = 0;
  for (int i = 0; i < game->candidates; i++)
    count += game->candidate[i].kind == kind;
  uint32_t skip = sw_mt_below(game->draws, (uint32_t)count);
  for (int i = 0; i < game->candidates; i++)
    if (game->candidate[i].kind == kind && skip-- == 0) return i;
  return -1;
}

/* Chooses the first token of an action. The guide's choice stands when it is to
 * go back; otherwise a candidate of the same kind replaces it. */
static int name_variable(const sw_game *game, int chosen) {
  const sw_search_ops *search = game->domain->search;
  int kind = game->candidate[chosen].kind, named = -1;
  if (game->begun || kind == SW_CAND_BACK ||
      (search->asks_verdict && search->asks_verdict(game->env)))
    return chosen;
  if (game->options->variables == SW_VARIABLES_RANDOM) {
    named = random_candidate(game, kind);
  } else if (game->options->variables == SW_VARIABLES_EXPERT) {
    named = sw_cands_find(game->candidate, game->candidates,
                          search->expert_choice(game->env));
    if (named >= 0 && game->candidate[named].kind != kind) named = -1;
  }
  return named >= 0 ? named : chosen;
}

/* The choice by verifier and scores. -1: the verifier goes on, but only going
 * back is left. */
static int choose(sw_game *game, int *fallback) {
  const sw_cand *c = game->candidate;
  unsigned kinds = SW_PICK_ANY;
  int32_t token = -1;
  int chosen = -1;
  *fallback = sw_pick(c, game->candidates, game->score, SW_PICK_LEGAL);
  if (writes(game)) return *fallback;
  if (game->verifier->needs_scores) {
    sw_verdict verdict = judge(game, game->score, &token);
    kinds = verdict == SW_GO_BACK && (game->can_back || game->added_back)
                ? SW_KIND(SW_CAND_BACK)
                : SW_PICK_ONWARD;
    if (verdict == SW_FORCE) chosen = sw_cands_find(c, game->candidates, token);
    if (chosen >= 0) {
      game->outcome.forced++;
      return chosen;
    }
  }
  chosen = sw_pick(c, game->candidates, game->score, kinds);
  return chosen < 0 ? chosen : name_variable(game, chosen);
}

int sw_game_choice(sw_game *game, int *fallback) {
  int chosen = choose(game, fallback);
  return chosen < 0 ? sw_pick(game->candidate, game->candidates, game->score,
                              SW_PICK_ANY)
                    : chosen;
}

void sw_game_take(sw_game *game) {
  int fallback, chosen = choose(game, &fallback);
  if (chosen < 0) miss_conflict(game);
  else sw_game_answer(game, chosen, fallback);
}

/* The action goes on with a token; it is complete when no further query of the
 * same block follows. A failure afterwards (the sentence goes on, the token
 * budget ends) does not undo the decision; a refusal does. */
static void go_on(sw_game *game, int chosen) {
  const sw_search_ops *search = game->domain->search;
  int32_t token = game->candidate[chosen].token;
  game->status = search->feed(game->env, token, &game->trace);
  SW_LOG("search", "  takes candidate %d, token %d", chosen, (int)token);
  if (game->status == SW_ENV_FAILED)
    game->outcome.decisions +=
        search->executed && search->executed(game->env) != 0;
  else game->outcome.decisions += game->status != SW_ENV_QUERY;
}

void sw_game_answer(sw_game *game, int chosen, int fallback) {
  SW_ASSERT(chosen >= 0 && chosen < game->candidates);
  SW_ASSERT(fallback < game->candidates);
  const sw_search_ops *search = game->domain->search;
  sw_outcome *o = &game->outcome;
  int rescue = game->options->on_error == SW_ON_ERROR_RESCUE;
  int execute = game->options->on_error == SW_ON_ERROR_EXECUTE;
  int conflict = search->in_conflict(game->env), begun = game->begun;
  int kind = game->candidate[chosen].kind;
  game->consulted = 0;
  if (writes(game)) {
    game->status =
        search->feed(game->env, game->candidate[chosen].token, &game->trace);
    return;
  }
  if (game->candidates > 1) count_state(game, conflict);
  if (!search->asks_verdict || !search->asks_verdict(game->env))
    game->counted = game->begun = 1;
  int picks = kind == SW_CAND_CONTINUE || kind == SW_CAND_REPEAT;
  int retry = picks && search->is_retry(game->env);
  if (retry) count_retry(game);

  switch (kind) {
    case SW_CAND_CONTINUE:
      go_on(game, chosen);
      break;
    case SW_CAND_BACK:
      if (!conflict) count_prune(game);
      if (!conflict && search->at_root(game->env)) {
        if (fallback >= 0) go_on(game, fallback);
        else sw_game_stop(game, "pruned_root");
      } else {
        go_back(game, begun);
      }
      break;
    case SW_CAND_MISSED:
      o->missed_conflicts++;
      game->erred = 1;
      if (execute) go_on(game, chosen);
      else if (rescue) go_back(game, begun);
      else sw_game_stop(game, "missed_conflict");
      break;
    default:
      if (!game->erred && retry) o->repeats++;
      else if (!game->erred) o->illegal++;
      game->erred = 1;
      if (execute) go_on(game, chosen);
      else if (rescue && fallback >= 0) go_on(game, fallback);
      else sw_game_stop(game, "repeat");
      break;
  }
}

#ifdef SW_DEBUG
const char *sw_game_check(const sw_game *game) {
  if (!game || !game->domain || !game->env) return "no game";
  if (game->candidates < 0) return "less than 0 candidates";
  if (game->trace.failed) return NULL;
  if (game->prefix_length > game->trace.length)
    return "a prefix longer than all";
  const char *why = sw_trace_check(&game->trace);
  return why ? why : sw_outcome_check(&game->outcome);
}
#endif
