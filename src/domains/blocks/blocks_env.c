/* The Blocks World dialogue (see env.h). One block is
 *   [TRIED (block from to)* END_TRIED] STATE stacks SEP action
 * and a move takes four queries: MOVE, block, from, to. In the release's layout
 * the policy is always offered MOVE, BACKTRACK and SOLVED and nothing it does
 * is refused; otherwise candidates say what is a repeat or a missed conflict,
 * and a move that is fed is executed whatever it was called. */
#include "domains/blocks/blocks_env.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

int32_t sw_blocks_block_token(int32_t block) {
  return block < SW_BLOCKS_VOCAB_BLOCKS
             ? SW_BLOCKS_FIRST_BLOCK + block
             : SW_BLOCKS_VOCAB + block - SW_BLOCKS_VOCAB_BLOCKS;
}

int sw_blocks_env_new(sw_env **env, const sw_domain_options *options,
                      const sw_rules *rules, sw_err *err) {
  sw_env *e = *env = calloc(1, sizeof *e);
  if (!e) return sw_no_memory(err);
  e->rules = *rules;
  e->goal_expert = options->expert && !strcmp(options->expert, "goal");
  const char *tried = sw_blocks_own(options)->tried;
  int executed = tried && !strcmp(tried, "executed");
  sw_blocks_walk_init(&e->walk, executed && !rules->writing_trace);
  return SW_OK;
}

int sw_blocks_env_reset(sw_env *e, const sw_instance *instance, sw_err *err) {
  if (!instance->has_states)
    return sw_fail(err, SW_LIMIT, "the problem does not fit: %s",
                   instance->why);
  e->instance = instance;
  e->reason = "";
  e->stage = SW_BLOCKS_ASK_ACTION;
  e->planned = e->unsupervised = 0;
  e->trouble = SW_OK;
  e->backs = 0;
  memset(&e->count, 0, sizeof e->count);
  e->status = SW_ENV_BLOCK_END;
  return sw_blocks_walk_start(&e->walk, &instance->start, &instance->goal, err);
}

void sw_blocks_env_free(sw_env *e) {
  if (!e) return;
  sw_blocks_walk_free(&e->walk);
  sw_blocks_search_free(e->search);
  sw_cands_free(&e->cands);
  free(e->canon_now);
  free(e->canon_goal);
  free(e);
}

static sw_env_status end(sw_env *e, sw_env_status status, const char *reason) {
  e->reason = reason;
  return e->status = status;
}

/* Room for `tokens` more in the release's budget? */
static int fits(const sw_env *e, const sw_trace *out, int64_t tokens) {
  return !e->rules.release_layout || e->rules.token_budget <= 0 ||
         out->length + tokens <= e->rules.token_budget;
}

static void put_stacks(const sw_blocks_state *state, uint16_t *scratch,
                       sw_trace *out) {
  for (int32_t s = 0; s < state->stacks; s++) {
    int32_t height = sw_blocks_stack(state, s, scratch);
    sw_trace_put(out, SW_BLOCKS_FIRST_STACK + s, 0);
    if (height == 0) sw_trace_put(out, SW_BLOCKS_EMPTY, 0);
    for (int32_t i = 0; i < height; i++)
      sw_trace_put(out, sw_blocks_block_token(scratch[i]), 0);
  }
}

void sw_blocks_write_prefix(sw_env *e, sw_trace *out) {
  sw_trace_begin_block(out);
  out->n = e->walk.now.n;
  sw_trace_put(out, SW_BLOCKS_BOS, 0);
  sw_trace_put(out, SW_BLOCKS_GOAL, 0);
  put_stacks(&e->walk.goal, e->walk.key, out);
  sw_trace_put(out, SW_BLOCKS_SEP, 0);
}

static int put_tried(sw_env *e, sw_trace *out) {
  const sw_blocks_walk *w = &e->walk;
  if (w->shown_count == 0) return 1;
  if (!fits(e, out, 2 + 3 * (int64_t)w->shown_count)) return 0;
  sw_trace_put(out, SW_BLOCKS_TRIED, 0);
  for (int32_t i = 0; i < w->shown_count; i++) {
    sw_trace_put(out, sw_blocks_block_token(w->shown[i].block), 0);
    sw_trace_put(out, SW_BLOCKS_FIRST_STACK + w->shown[i].from, 0);
    sw_trace_put(out, SW_BLOCKS_FIRST_STACK + w->shown[i].to, 0);
  }
  sw_trace_put(out, SW_BLOCKS_END_TRIED, 0);
  return 1;
}

static int put_state(sw_env *e, sw_trace *out) {
  const sw_blocks_state *now = &e->walk.now;
  int64_t length = now->n + now->stacks + 2;
  for (int32_t s = 0; s < now->stacks; s++) length += now->top[s] < 0;
  if (!fits(e, out, length)) return 0;
  sw_trace_put(out, SW_BLOCKS_STATE, 0);
  put_stacks(now, e->walk.key, out);
  sw_trace_put(out, SW_BLOCKS_SEP, 0);
  return 1;
}

/* The block that ends a training trace: no list, whatever was tried. */
static sw_env_status put_solved(sw_env *e, sw_trace *out) {
  sw_trace_begin_block(out);
  put_state(e, out);
  sw_trace_put(out, SW_BLOCKS_SOLVED, 1);
  sw_trace_put(out, SW_BLOCKS_EOS, 0);
  return end(e, SW_ENV_SOLVED, "solved");
}

sw_env_status sw_blocks_prompt(sw_env *e, sw_trace *out) {
  if (e->status != SW_ENV_BLOCK_END) return e->status;
  e->count.prompts += !sw_blocks_walk_at_goal(&e->walk);
  if (sw_blocks_walk_at_goal(&e->walk)) {
    if (e->rules.writing_trace) return put_solved(e, out);
    return end(e, SW_ENV_SOLVED, "solved");
  }
  e->count.revisits += sw_blocks_walk_look(&e->walk) > 0;
  if (e->walk.failed) return end(e, SW_ENV_FAILED, "memory");
  e->count.listed += e->walk.shown_count > 0;
  e->stage = SW_BLOCKS_ASK_ACTION;
  e->planned = 0;
  sw_trace_begin_block(out);
  int64_t first = out->length;
  if (!put_tried(e, out) || !put_state(e, out))
    return end(e, SW_ENV_FAILED, "budget");
  if (!out->failed) {
    size_t bytes = (size_t)(out->length - first) * sizeof *out->token;
    e->key[0] = sw_xxh64(out->token + first, bytes, 0);
    e->key[1] = sw_xxh64(out->token + first, bytes, 1);
  }
  return e->status = SW_ENV_QUERY;
}

int sw_blocks_in_conflict(const sw_env *e) {
  /* The release lets the policy go back even in its only, masked loop. */
  if (e->rules.release_layout == SW_LAYOUT_RELEASE) return 0;
  return e->status == SW_ENV_QUERY && e->walk.untried == 0;
}

int sw_blocks_at_root(const sw_env *e) {
  return e->walk.depth == 0 && !e->rules.release_layout;
}

/* Has some legal move that fits what is chosen so far not been tried? */
static int open_choice(const sw_env *e, int32_t block, int32_t to) {
  for (int i = 0; i < e->walk.legal_count; i++)
    if (!e->walk.tried[i] && e->walk.legal[i].block == block &&
        (to < 0 || e->walk.legal[i].to == to))
      return 1;
  return 0;
}

static void ask_action(sw_env *e) {
  int release = e->rules.release_layout, conflict = e->walk.untried == 0;
  sw_cands_put(&e->cands, SW_BLOCKS_MOVE,
               conflict && !release ? SW_CAND_MISSED : SW_CAND_CONTINUE);
  sw_cands_put(&e->cands, SW_BLOCKS_BACKTRACK, SW_CAND_BACK);
  if (release) sw_cands_put(&e->cands, SW_BLOCKS_SOLVED, SW_CAND_CONTINUE);
}

static void ask_target(sw_env *e) {
  for (int32_t s = 0; s < e->walk.now.stacks; s++) {
    if (s == e->pending.from) continue;
    int open = e->rules.release_layout || open_choice(e, e->pending.block, s);
    sw_cands_put(&e->cands, SW_BLOCKS_FIRST_STACK + s,
                 open ? SW_CAND_CONTINUE : SW_CAND_REPEAT);
  }
}

/* Blocks in ascending order of their ids, as published. */
static void ask_block(sw_env *e) {
  const sw_blocks_state *now = &e->walk.now;
  for (int32_t s = 0; s < now->stacks; s++) {
    if (now->top[s] < 0) continue;
    int open = e->rules.release_layout || open_choice(e, now->top[s], -1);
    sw_cands_put(&e->cands, sw_blocks_block_token(now->top[s]),
                 open ? SW_CAND_CONTINUE : SW_CAND_REPEAT);
  }
  sw_cand *cands = e->cands.item;
  for (int i = 1; i < e->cands.count; i++)
    for (int j = i; j > 0 && cands[j - 1].token > cands[j].token; j--) {
      sw_cand swap = cands[j];
      cands[j] = cands[j - 1];
      cands[j - 1] = swap;
    }
}

const sw_cand *sw_blocks_candidates(sw_env *e, int *count) {
  sw_cands_clear(&e->cands);
  if (e->status == SW_ENV_QUERY) {
    if (e->stage == SW_BLOCKS_ASK_ACTION) ask_action(e);
    else if (e->stage == SW_BLOCKS_ASK_BLOCK) ask_block(e);
    else if (e->stage == SW_BLOCKS_ASK_TO) ask_target(e);
    else
      sw_cands_put(&e->cands, SW_BLOCKS_FIRST_STACK + e->pending.from,
                   SW_CAND_CONTINUE);
  }
  *count = e->cands.count; /* -1: out of memory */
  return e->cands.item;
}

/* The move is complete: execute it. */
static sw_env_status execute(sw_env *e) {
  for (int i = 0; i < e->walk.legal_count; i++)
    if (e->walk.legal[i].from == e->pending.from &&
        e->walk.legal[i].to == e->pending.to)
      e->count.repeat_moves += e->walk.tried[i];
  if (!sw_blocks_walk_move(&e->walk, e->pending.from, e->pending.to))
    return end(e, SW_ENV_FAILED, "memory");
  e->unsupervised = 0;
  e->stage = SW_BLOCKS_ASK_ACTION;
  /* The release tests the goal only before the next prompt, and a trace still
   * needs its SOLVED block. */
  if (!e->rules.release_layout && !e->rules.writing_trace &&
      sw_blocks_walk_at_goal(&e->walk))
    return end(e, SW_ENV_SOLVED, "solved");
  return e->status = SW_ENV_BLOCK_END;
}

static sw_env_status feed_action(sw_env *e, int32_t token, sw_trace *out) {
  if (token == SW_BLOCKS_BACKTRACK) return sw_blocks_go_back(e, out);
  e->count.chosen++;
  if (!fits(e, out, 1)) return end(e, SW_ENV_FAILED, "budget");
  sw_trace_put(out, token, !e->unsupervised);
  if (token == SW_BLOCKS_SOLVED) {
    e->count.premature++;
    return end(e, SW_ENV_FAILED, "premature_solved");
  }
  if (token != SW_BLOCKS_MOVE) return end(e, SW_ENV_FAILED, "illegal");
  e->stage = SW_BLOCKS_ASK_BLOCK;
  return SW_ENV_QUERY;
}

sw_env_status sw_blocks_feed(sw_env *e, int32_t token, sw_trace *out) {
  const sw_blocks_state *now = &e->walk.now;
  if (e->status != SW_ENV_QUERY) return e->status;
  if (e->stage == SW_BLOCKS_ASK_ACTION) return feed_action(e, token, out);
  if (!fits(e, out, 1)) return end(e, SW_ENV_FAILED, "budget");
  sw_trace_put(out, token, !e->unsupervised);
  int32_t stack = token - SW_BLOCKS_FIRST_STACK;
  if (e->stage == SW_BLOCKS_ASK_BLOCK) {
    for (int32_t s = 0; s < now->stacks; s++)
      if (now->top[s] >= 0 && sw_blocks_block_token(now->top[s]) == token) {
        e->pending = (sw_blocks_move){(int16_t)now->top[s], (int16_t)s, -1};
        e->stage = SW_BLOCKS_ASK_FROM;
        return SW_ENV_QUERY;
      }
  } else if (e->stage == SW_BLOCKS_ASK_FROM) {
    if (stack == e->pending.from) {
      e->stage = SW_BLOCKS_ASK_TO;
      return SW_ENV_QUERY;
    }
  } else if (stack >= 0 && stack < now->stacks && stack != e->pending.from) {
    e->pending.to = (int16_t)stack;
    return execute(e);
  }
  return end(e, SW_ENV_FAILED, "illegal");
}

sw_env_status sw_blocks_go_back(sw_env *e, sw_trace *out) {
  if (e->status != SW_ENV_QUERY || e->stage != SW_BLOCKS_ASK_ACTION)
    return e->status;
  if (sw_blocks_at_root(e) && e->walk.untried > 0) return SW_ENV_QUERY;
  e->count.chosen++;
  if (!fits(e, out, 1)) return end(e, SW_ENV_FAILED, "budget");
  sw_trace_put(out, SW_BLOCKS_BACKTRACK, 1);
  e->backs++;
  if (sw_blocks_walk_back(&e->walk)) return e->status = SW_ENV_BLOCK_END;
  if (e->rules.release_layout)
    return end(e, SW_ENV_FAILED, "backtrack_on_empty_stack");
  /* Few stacks are fewer than a PDDL table: not reaching the goal on them
   * proves nothing about the problem. */
  if (e->instance->problem) return end(e, SW_ENV_FAILED, "stacks_exhausted");
  return end(e, SW_ENV_EXHAUSTED, "exhausted");
}
