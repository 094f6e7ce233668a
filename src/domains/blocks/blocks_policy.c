/* Policies of Blocks World without a model: the depth-first expert (the first
 * move not in TRIED, going back when there is none), the goal-aware expert, the
 * reference policies, and the writer of expert traces; and, with the same
 * search, whether a state is lost. A policy chooses a whole move at the first
 * query of a block and then spells it. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/stop.h"
#include "domains/blocks/blocks_env.h"
#include "domains/resolve.h"

extern const sw_domain sw_domain_blocks; /* registry.c */

enum { SEARCH_STATES = 2000000 };

static const sw_blocks_move GO_BACK = {-1, -1, -1};

static sw_blocks_move untried_move(const sw_blocks_walk *w, int rank) {
  for (int i = 0; i < w->legal_count; i++)
    if (!w->tried[i] && rank-- == 0) return w->legal[i];
  return GO_BACK;
}

static int prepare_search(sw_env *e) {
  int32_t n = e->walk.now.n;
  if (!e->search && sw_blocks_search_new(&e->search, NULL)) return 0;
  if (n <= e->canon_room) return 1;
  free(e->canon_now);
  free(e->canon_goal);
  e->canon_now = calloc((size_t)n, sizeof *e->canon_now);
  e->canon_goal = calloc((size_t)n, sizeof *e->canon_goal);
  e->canon_room = e->canon_now && e->canon_goal ? n : 0;
  return e->canon_room > 0;
}

static int32_t place(const sw_blocks_state *state, int32_t b) {
  return state->under[b] < state->n ? state->under[b] : SW_PDDL_TABLE;
}

/* Records that a search gave no answer: what was written without it must not be
 * kept. */
static void interrupted(sw_env *e) {
  e->trouble = sw_time_to_stop() ? SW_STOPPED : SW_MEMORY;
}

int sw_blocks_trouble(const sw_env *e, sw_err *err) {
  return sw_trouble_told(e->trouble, err);
}

int sw_blocks_doomed(sw_env *e) {
  const sw_blocks_state *now = &e->walk.now;
  if (e->status != SW_ENV_QUERY || sw_blocks_in_conflict(e)) return 0;
  if (!prepare_search(e)) return e->trouble = SW_MEMORY, 0;
  for (int32_t b = 0; b < now->n; b++) {
    e->canon_now[b] = place(now, b);
    e->canon_goal[b] = place(&e->walk.goal, b);
  }
  int found = sw_blocks_reachable(e->search, now->n, now->stacks, e->canon_now,
                                  e->canon_goal, &e->walk.visited);
  if (found < 0) interrupted(e);
  return found == 0;
}

/* Moves that a shortest plan needs after `m` (NULL: from here). */
static int32_t distance(sw_env *e, const sw_blocks_move *m) {
  const sw_blocks_state *now = &e->walk.now;
  for (int32_t b = 0; b < now->n; b++) {
    e->canon_now[b] = place(now, b);
    e->canon_goal[b] = place(&e->walk.goal, b);
  }
  if (m)
    e->canon_now[m->block] =
        now->top[m->to] < 0 ? SW_PDDL_TABLE : now->top[m->to];
  int32_t moves =
      sw_blocks_shortest(e->search, now->n, now->stacks, e->canon_now,
                         e->canon_goal, NULL, SEARCH_STATES, NULL);
  if (moves == SW_BLOCKS_INTERRUPTED) interrupted(e);
  return moves < 0 ? INT_MAX / 2 : moves;
}

/* The first untried move on a shortest plan; else the untried move from which
 * the goal is nearest; going back when every move is tried. A function of what
 * the block and the prefix show. */
static sw_blocks_move goal_aware_move(sw_env *e) {
  sw_blocks_move best = GO_BACK;
  int32_t nearest = INT_MAX;
  if (e->walk.untried == 0) return GO_BACK;
  if (!prepare_search(e)) {
    e->trouble = SW_MEMORY;
    return untried_move(&e->walk, 0);
  }
  int32_t here = distance(e, NULL);
  for (int i = 0; i < e->walk.legal_count && nearest >= here; i++) {
    if (e->walk.tried[i]) continue;
    int32_t there = distance(e, &e->walk.legal[i]);
    if (there < nearest) {
      nearest = there;
      best = e->walk.legal[i];
    }
  }
  return best;
}

/* The token of the planned move that the current query asks for. */
static int32_t spell(const sw_env *e) {
  switch (e->stage) {
    case SW_BLOCKS_ASK_ACTION:
      return e->plan.block < 0 ? SW_BLOCKS_BACKTRACK : SW_BLOCKS_MOVE;
    case SW_BLOCKS_ASK_BLOCK:
      return sw_blocks_block_token(e->plan.block);
    case SW_BLOCKS_ASK_FROM:
      return SW_BLOCKS_FIRST_STACK + e->plan.from;
    default:
      return SW_BLOCKS_FIRST_STACK + e->plan.to;
  }
}

int32_t sw_blocks_expert_choice(sw_env *e) {
  return sw_blocks_rule_choice(
      e,
      e->goal_expert ? SW_BLOCKS_RULE_GOAL_AWARE : SW_BLOCKS_RULE_FIRST_UNTRIED,
      NULL);
}

/* The loop may have replaced a choice, so the block being moved, or the
 * decision to move one, differs from the plan. Plan again with what is chosen:
 * the first untried move of that kind, else the first. */
static void plan_again(sw_env *e) {
  const sw_blocks_walk *w = &e->walk;
  int chosen = e->stage >= SW_BLOCKS_ASK_FROM;
  if (e->stage == SW_BLOCKS_ASK_ACTION || (!chosen && e->plan.block >= 0) ||
      (chosen && e->plan.block == e->pending.block))
    return;
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < w->legal_count; i++)
      if ((pass || !w->tried[i]) &&
          (!chosen || w->legal[i].block == e->pending.block)) {
        e->plan = w->legal[i];
        return;
      }
}

int32_t sw_blocks_rule_choice(sw_env *e, int rule, sw_mt *mt) {
  const sw_blocks_walk *w = &e->walk;
  if (e->planned) {
    plan_again(e);
    return spell(e);
  }
  switch (rule) {
    case SW_BLOCKS_RULE_FIRST_LEGAL:
      e->plan = w->legal[0];
      break;
    case SW_BLOCKS_RULE_RANDOM_LEGAL:
      e->plan = w->legal[sw_mt_below(mt, (uint32_t)w->legal_count)];
      break;
    case SW_BLOCKS_RULE_RANDOM_UNTRIED:
      e->plan = w->untried ? untried_move(
                                 w, (int)sw_mt_below(mt, (uint32_t)w->untried))
                           : GO_BACK;
      break;
    case SW_BLOCKS_RULE_GOAL_AWARE:
      e->plan = goal_aware_move(e);
      break;
    default:
      e->plan = untried_move(w, 0);
      break;
  }
  e->planned = 1;
  return spell(e);
}

/* With probability `error` a random legal move replaces the expert's; it is
 * executed but no target. */
static void inject(sw_env *e, double error, sw_mt *mt, sw_trace *trace) {
  if (error <= 0 || !mt || sw_mt_random(mt) >= error) return;
  e->plan = e->walk.legal[sw_mt_below(mt, (uint32_t)e->walk.legal_count)];
  e->unsupervised = 1;
  trace->forced_errors++;
}

int sw_blocks_expert_trace(sw_env *e, const sw_instance *instance,
                           const sw_domain_options *options, int64_t max_steps,
                           sw_mt *mt, sw_trace *trace, sw_err *err) {
  int cut = !strcmp(options->too_long, "cut"), drop = !cut;
  sw_trace_clear(trace);
  SW_TRY(sw_blocks_env_reset(e, instance, err));
  sw_blocks_write_prefix(e, trace);
  trace->terminal = SW_TRACE_LIMIT;
  for (int64_t step = 0; step < max_steps; step++) {
    sw_env_status status = sw_blocks_prompt(e, trace);
    if (status == SW_ENV_QUERY && e->walk.untried > 0) {
      sw_blocks_expert_choice(e);
      inject(e, sw_blocks_own(options)->error, mt, trace);
      while (status == SW_ENV_QUERY)
        status = sw_blocks_feed(e, spell(e), trace);
    } else if (status == SW_ENV_QUERY) {
      status = sw_blocks_go_back(e, trace);
    }
    SW_TRY(sw_blocks_trouble(e, err));
    if (status == SW_ENV_FAILED || trace->failed) return sw_no_memory(err);
    if (cut && sw_trace_too_long(options, trace)) {
      sw_trace_truncate_blocks(trace, trace->blocks - 1);
      trace->terminal = SW_TRACE_CUT;
      break;
    }
    trace->decisions = (int32_t)(e->count.chosen - e->backs);
    trace->conflicts = trace->backtracks = (int32_t)e->backs;
    if (status == SW_ENV_SOLVED) trace->terminal = SW_TRACE_SOLVED;
    if (status != SW_ENV_BLOCK_END) break;
    if (drop && sw_trace_too_long(options, trace))
      break; /* can only get longer */
  }
  if (trace->terminal == SW_TRACE_LIMIT) sw_trace_put(trace, SW_BLOCKS_EOS, 0);
  return SW_OK;
}
