/* The closed loop (see loop.h). The whole of it is advance and answer below;
 * everything domain-specific is behind sw_domain. */
#include "search/loop.h"

const sw_option sw_loop_table[] = {
#define X(...) SW_OPTION_ROW(sw_loop_options, __VA_ARGS__)
    SW_LOOP_OPTIONS(X)
#undef X
};
const int sw_loop_table_count = sizeof sw_loop_table / sizeof *sw_loop_table;

#include <stdio.h>
#include <string.h>

const char *sw_protocol_name(sw_protocol protocol) {
  return protocol == SW_CUMULATIVE ? "cumulative" : "rebuilt";
}

int sw_game_new(sw_game *game, const sw_domain *domain,
                const sw_domain_options *domain_options,
                const sw_loop_options *options, sw_err *err) {
  memset(game, 0, sizeof *game);
  game->domain = domain;
  game->options = options;
  sw_trace_init(&game->trace);
  sw_rules rules = {.release_layout = options->release_layout,
                    .open_loop = options->loop == SW_LOOP_OPEN};
  if (options->release_layout && options->protocol == SW_CUMULATIVE)
    rules.token_budget = options->max_tokens;
  return domain->search->env_new(&game->env, domain_options, &rules, err);
}

void sw_game_free(sw_game *game) {
  if (game->env) game->domain->search->env_free(game->env);
  sw_trace_free(&game->trace);
  game->env = NULL;
}

int sw_game_start(sw_game *game, const sw_instance *instance, int64_t index,
                  sw_err *err) {
  memset(&game->outcome, 0, sizeof game->outcome);
  game->outcome.instance = index;
  game->outcome.instance_hash = game->domain->instance_hash(instance);
  game->ended = game->asked = game->erred = 0;
  sw_trace_clear(&game->trace);
  SW_TRY(game->domain->search->env_reset(game->env, instance, err));
  game->domain->search->write_prefix(game->env, &game->trace);
  game->prefix_length = game->trace.length;
  game->status = SW_ENV_BLOCK_END;
  return SW_OK;
}

void sw_game_stop(sw_game *game, const char *reason) {
  sw_outcome *o = &game->outcome;
  game->ended = 1;
  o->solved = !strcmp(reason, "solved");
  snprintf(o->reason, sizeof o->reason, "%s", reason);
  o->tokens = game->trace.length;
  o->blocks = game->trace.blocks > 0 ? game->trace.blocks - 1 : 0;
  game->domain->search->counters(game->env, &o->backs, &o->silent_backs);
}

int64_t sw_game_context(const sw_game *game) {
  const sw_trace *t = &game->trace;
  if (game->options->protocol == SW_CUMULATIVE || t->blocks < 2)
    return t->length;
  return game->prefix_length + t->length - t->block_start[t->blocks - 1];
}

static int over_budget(const sw_game *game) {
  int64_t limit = game->options->max_tokens;
  return limit > 0 && !game->options->release_layout &&
         sw_game_context(game) > limit;
}

static void go_back(sw_game *game) {
  game->status = game->domain->search->go_back(game->env, &game->trace);
  game->outcome.decisions += game->domain->search->back_counts;
}

int sw_game_advance(sw_game *game) {
  const sw_domain *d = game->domain;
  while (!game->ended) {
    if (game->trace.failed) {
      sw_game_stop(game, "memory");
    } else if (over_budget(game)) {
      sw_game_stop(game, "budget");
    } else if (game->status == SW_ENV_SOLVED) {
      sw_game_stop(game,
                   d->search->check_solution(game->env) ? "solved" : "wrong");
    } else if (game->status == SW_ENV_EXHAUSTED) {
      sw_game_stop(game, "exhausted");
    } else if (game->status == SW_ENV_FAILED) {
      sw_game_stop(game, d->search->reason(game->env));
    } else if (game->status == SW_ENV_BLOCK_END) {
      game->asked = game->erred = 0;
      if (game->outcome.decisions >= game->options->max_decisions) {
        sw_game_stop(game, "max_decisions");
        continue;
      }
      game->status = d->search->prompt(game->env, &game->trace);
      if (game->status == SW_ENV_QUERY &&
          game->options->loop == SW_LOOP_MASKED &&
          d->search->in_conflict(game->env))
        go_back(game);
    } else {
      game->candidates = d->search->candidates(game->env, game->candidate);
      /* The release asks (and its rules draw) even when one token is left. */
      if (game->candidates > 1 || game->options->release_layout) return 1;
      sw_game_answer(game, 0, 0);
    }
  }
  return 0;
}

/* The action goes on with a legal token; it is complete when no further query
 * of the same block follows. A token budget that ends after the action was
 * executed does not take the decision back. */
static void go_on(sw_game *game, int chosen) {
  int32_t token = game->candidate[chosen].token;
  int64_t before = game->trace.length;
  game->status = game->domain->search->feed(game->env, token, &game->trace);
  int executed = game->status != SW_ENV_QUERY;
  if (game->status == SW_ENV_FAILED)
    executed = game->trace.length > before &&
               !strcmp(game->domain->search->reason(game->env), "budget");
  game->outcome.decisions += executed;
}

void sw_game_answer(sw_game *game, int chosen, int fallback) {
  const sw_domain *d = game->domain;
  sw_outcome *o = &game->outcome;
  int rescue = game->options->on_error == SW_ON_ERROR_RESCUE;
  int execute = game->options->on_error == SW_ON_ERROR_EXECUTE;
  int conflict = d->search->in_conflict(game->env);
  if (!game->asked && game->candidates > 1) {
    if (conflict) o->conflict_queries++;
    else o->viable_queries++;
  }
  game->asked = 1;
  o->retry_queries += d->search->is_retry(game->env) != 0;

  switch (game->candidate[chosen].kind) {
    case SW_CAND_CONTINUE:
      go_on(game, chosen);
      break;
    case SW_CAND_BACK:
      if (!conflict) {
        if (d->search->doomed && d->search->doomed(game->env)) o->early_backs++;
        else o->false_prunes++;
      }
      if (!conflict && d->search->at_root(game->env)) {
        if (fallback >= 0) go_on(game, fallback);
        else sw_game_stop(game, "pruned_root");
      } else {
        go_back(game);
      }
      break;
    case SW_CAND_MISSED:
      o->missed_conflicts++;
      game->erred = 1;
      if (execute) go_on(game, chosen);
      else if (rescue) go_back(game);
      else sw_game_stop(game, "missed_conflict");
      break;
    default:
      o->repeats += !execute || !game->erred;
      game->erred = 1;
      if (execute) go_on(game, chosen);
      else if (rescue && fallback >= 0) go_on(game, fallback);
      else sw_game_stop(game, "repeat");
      break;
  }
}
