/* The dialogue with a plain domain's search (see plain.h). */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "domains/plain_inside.h"

enum { DECISIONS = 1000, INSTANCES = 200 };

static void budgets(const sw_domain_options *o, int64_t *decisions,
                    int64_t *tokens, int64_t *instances) {
  (void)o;
  *decisions = DECISIONS;
  *tokens = 0;
  *instances = INSTANCES;
}

int sw_plain_env_new(sw_env **env, const sw_domain_options *options,
                     const sw_rules *rules, sw_err *err) {
  *env = NULL;
  if (rules->release_layout)
    return sw_fail(err, SW_USAGE, "`%s` has no layout of a release",
                   options->domain->name);
  sw_env *e = calloc(1, sizeof *e);
  if (!e) return sw_no_memory(err);
  e->of = options->domain->self;
  *env = e;
  return SW_OK;
}

void sw_plain_env_free(sw_env *e) {
  if (!e) return;
  free(e->level);
  free(e->bytes);
  sw_cands_free(&e->cands);
  free(e);
}

static int room_for(sw_env *e, int32_t depth) {
  size_t bytes = e->of->plain->state_bytes;
  return sw_grow64(&e->level, &e->level_room, depth + 1, sizeof *e->level) &&
         sw_grow64(&e->bytes, &e->byte_room,
                   (int64_t)bytes * ((int64_t)depth + 1), 1);
}

static sw_env_status finish(sw_env *e, sw_env_status status,
                            const char *reason) {
  e->asking = 0;
  e->reason = reason;
  return e->status = status;
}

/* What can be done in the state that the last call led to. */
static sw_env_status look(sw_env *e) {
  const sw_plain *p = e->of->plain;
  const void *problem = e->instance->problem, *state = sw_plain_state(e);
  e->asking = 0;
  if (p->solved(problem, state)) return finish(e, SW_ENV_SOLVED, "solved");
  e->choices = p->choices(problem, state, e->choice);
  e->open = 0;
  for (int i = 0; i < e->choices; i++)
    e->open += !(e->level[e->depth].tried >> i & 1);
  /* Nothing is left to go back to, so the search is over. */
  if (!e->open && !e->depth) return finish(e, SW_ENV_EXHAUSTED, "exhausted");
  return e->status = SW_ENV_BLOCK_END;
}

int sw_plain_env_reset(sw_env *e, const sw_instance *instance, sw_err *err) {
  e->instance = instance;
  e->depth = e->executed = e->trouble = 0;
  e->explicit_back = 0;
  if (!room_for(e, 0)) return sw_no_memory(err);
  memset(e->level, 0, sizeof *e->level);
  memset(e->bytes, 0, e->of->plain->state_bytes);
  e->of->plain->start(instance->problem, e->bytes);
  look(e);
  return SW_OK;
}

static void write_prefix(sw_env *e, sw_trace *out) {
  sw_trace_begin_block(out);
  e->of->plain->show_problem(e->instance->problem, out);
  out->n = e->instance->tokens;
}

void sw_plain_show_state(const sw_env *e, sw_trace *out) {
  uint64_t tried = e->level[e->depth].tried;
  e->of->plain->show_state(e->instance->problem, sw_plain_state(e), out);
  if (tried) sw_trace_put(out, e->of->tried, 0);
  for (int i = 0; i < e->choices; i++)
    if (tried >> i & 1) sw_trace_put(out, e->choice[i], 0);
}

static sw_env_status prompt(sw_env *e, sw_trace *out) {
  if (e->status != SW_ENV_BLOCK_END) return e->status;
  sw_trace_begin_block(out);
  sw_plain_show_state(e, out);
  e->asking = 1;
  return e->status = SW_ENV_QUERY;
}

static const sw_cand *candidates(sw_env *e, int *count) {
  sw_cands_clear(&e->cands);
  if (e->asking) sw_cands_put(&e->cands, e->of->back, SW_CAND_BACK);
  for (int i = 0; e->asking && i < e->choices; i++) {
    int tried = (int)(e->level[e->depth].tried >> i & 1);
    sw_cands_put(&e->cands, e->choice[i],
                 !e->open ? SW_CAND_MISSED
                 : tried  ? SW_CAND_REPEAT
                          : SW_CAND_CONTINUE);
  }
  *count = e->cands.count; /* -1: out of memory */
  return e->cands.item;
}

static int in_conflict(const sw_env *e) {
  return !e->open &&
         (e->status == SW_ENV_QUERY || e->status == SW_ENV_BLOCK_END);
}

static int32_t index_of(const sw_env *e, int32_t token) {
  for (int i = 0; i < e->choices; i++)
    if (e->choice[i] == token) return i;
  return -1;
}

static sw_env_status go_back(sw_env *e, sw_trace *out) {
  if (!e->asking || !e->depth) return e->status;
  sw_trace_put(out, e->of->back, 1);
  e->explicit_back++;
  sw_plain_level *l = &e->level[--e->depth];
  l->tried |= (uint64_t)1 << l->taken;
  return look(e);
}

static sw_env_status feed(sw_env *e, int32_t token, sw_trace *out) {
  size_t bytes = e->of->plain->state_bytes;
  if (!e->asking) return e->status;
  e->executed = 0;
  if (token == e->of->back) return go_back(e, out);
  int32_t i = index_of(e, token);
  if (i < 0) return finish(e, SW_ENV_FAILED, "invalid");
  if (!e->open) return finish(e, SW_ENV_FAILED, "missed_conflict");
  if (e->level[e->depth].tried >> i & 1)
    return finish(e, SW_ENV_FAILED, "repeat");
  if (!room_for(e, e->depth + 1)) {
    e->trouble = SW_MEMORY;
    return finish(e, SW_ENV_ERROR, "error");
  }
  sw_trace_put(out, token, 1);
  unsigned char *state = e->bytes + (size_t)e->depth * bytes;
  memcpy(state + bytes, state, bytes);
  e->level[e->depth].taken = i;
  e->level[++e->depth] = (sw_plain_level){0};
  e->of->plain->take(e->instance->problem, state + bytes, token);
  e->executed = 1;
  return look(e);
}

static int at_root(const sw_env *e) { return e->depth == 0; }
static int32_t depth(const sw_env *e) { return e->depth; }
static const char *reason(const sw_env *e) { return e->reason; }
static int executed(const sw_env *e) { return e->executed; }
static int is_retry(const sw_env *e) {
  return e->asking && e->open < e->choices;
}

static void counters(const sw_env *e, int64_t *explicit_back,
                     int64_t *silent_back) {
  *explicit_back = e->explicit_back;
  *silent_back = 0;
}

static void state_key(const sw_env *e, uint64_t key[2]) {
  for (uint64_t half = 0; half < 2; half++)
    key[half] =
        sw_xxh64(sw_plain_state(e), e->of->plain->state_bytes,
                 e->instance->hash + e->level[e->depth].tried * 31 + half);
}

static int trouble(const sw_env *e, sw_err *err) {
  return sw_trouble_told(e->trouble, err);
}

const sw_search_ops sw_plain_search = {
    .budgets = budgets,
    .env_new = sw_plain_env_new,
    .env_reset = sw_plain_env_reset,
    .env_free = sw_plain_env_free,
    .write_prefix = write_prefix,
    .prompt = prompt,
    .candidates = candidates,
    .in_conflict = in_conflict,
    .at_root = at_root,
    .feed = feed,
    .go_back = go_back,
    .is_retry = is_retry,
    .reason = reason,
    .executed = executed,
    .counters = counters,
    .check_solution = sw_plain_check,
    .state_key = state_key,
    .depth = depth,
    .expert_choice = sw_plain_expert,
    .trouble = trouble,
    .rule = {.names = sw_plain_rules,
             .choose = sw_plain_rule,
             .exact = "expert",
             .trivial = "first",
             .onward = "first",
             .best = "expert"},
    .truth = {.doomed = sw_plain_doomed},
    .tell = {.answer = sw_plain_answer, .state = sw_plain_state_words}};
