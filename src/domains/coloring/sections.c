/* What an environment writes (see env.h). A section is appended whole or not
 * at all; one that exceeds the token budget ends the environment. */
#include "domains/coloring/coloring_env.h"

sw_env_status sw_col_end(sw_env *env, sw_env_status status,
                         const char *reason) {
  env->phase = SW_PHASE_ENDED;
  env->status = status;
  env->reason = reason;
  return status;
}

static int fits(sw_env *env, const sw_trace *out, int64_t tokens) {
  if (env->budget == 0 || out->length + tokens <= env->budget) return 1;
  sw_col_end(env, SW_ENV_FAILED, "budget");
  return 0;
}

static int supervised(const sw_env *env, sw_col_part part) {
  switch (env->loss) {
    case SW_LOSS_ALL:
      return 1;
    case SW_LOSS_TRACE:
      return part != SW_PART_PREFIX;
    default:
      return part == SW_PART_ACTION || part == SW_PART_SHADOW;
  }
}

void sw_col_open_block(sw_env *env, sw_trace *out) {
  sw_trace_begin_block(out);
  env->open_pending = 0;
  env->block_length = 0;
}

/* Appends one token whose room is already checked. */
static void append(sw_env *env, sw_trace *out, int32_t token,
                   sw_col_part part) {
  if (env->open_pending) sw_col_open_block(env, out);
  if (env->block_length < (int32_t)(sizeof env->block / sizeof *env->block))
    env->block[env->block_length++] = token;
  if (env->layout.token) token = env->layout.token(token);
  /* Nothing precedes the first token, so it is never a target. */
  sw_trace_put(out, token, out->length > 0 && supervised(env, part));
}

int sw_col_put(sw_env *env, sw_trace *out, int32_t token, sw_col_part part) {
  if (!fits(env, out, 1)) return 0;
  append(env, out, token, part);
  return 1;
}

void sw_col_put_end(sw_env *env, sw_trace *out, int32_t token) {
  env->open_pending = 0; /* the end belongs to the last block */
  if (env->budget == 0 || out->length < env->budget)
    append(env, out, token, SW_PART_CLOSE);
}

static int32_t mask_token(const sw_env *env, unsigned colors) {
  return env->layout.mask ? env->layout.mask(colors) : sw_mask_token(colors);
}

int sw_col_put_mask(sw_env *env, sw_trace *out, unsigned colors) {
  return sw_col_put(env, out, mask_token(env, colors), SW_PART_STATE);
}

int sw_col_put_shadow(sw_env *env, sw_trace *out, int32_t v, int32_t c) {
  if (!fits(env, out, 3)) return 0;
  append(env, out, SW_T_OK, SW_PART_SHADOW);
  append(env, out, SW_T_NODE + v, SW_PART_SHADOW);
  append(env, out, SW_T_COLOR + c, SW_PART_SHADOW);
  return 1;
}

void sw_col_write_prefix(sw_env *env, sw_trace *out) {
  const sw_instance *g = env->state.graph;
  out->n = g->n;
  sw_col_open_block(env, out);
  if (!fits(env, out, 3 + 3 * (int64_t)g->n + 2 * g->edges)) return;
  append(env, out, SW_T_BOS, SW_PART_PREFIX);
  append(env, out, SW_T_GRAPH, SW_PART_PREFIX);
  for (int32_t v = 0; v < g->n; v++) {
    append(env, out, SW_T_NODE + v, SW_PART_PREFIX);
    append(env, out, SW_T_COLON, SW_PART_PREFIX);
    for (int64_t i = g->start[v]; i < g->start[v + 1]; i++)
      append(env, out, SW_T_NODE + g->neighbor[i], SW_PART_PREFIX);
    append(env, out, SW_T_SEP, SW_PART_PREFIX);
  }
  append(env, out, SW_T_SEARCH, SW_PART_PREFIX);
}

int sw_col_put_tried(sw_env *env, sw_trace *out) {
  if (!env->shown) return 1;
  if (!fits(env, out, 2 + 2 * (int64_t)env->shown->count)) return 0;
  append(env, out, SW_T_TRIED, SW_PART_STATE);
  const sw_tried_pair *pair = env->tried.pair;
  for (int32_t i = env->shown->first; i >= 0; i = pair[i].next) {
    append(env, out, SW_T_NODE + pair[i].node, SW_PART_STATE);
    append(env, out, SW_T_COLOR + pair[i].color, SW_PART_STATE);
  }
  append(env, out, SW_T_END_TRIED, SW_PART_STATE);
  return 1;
}

/* `STATE ASSIGN pair* SEP DOMAIN (N M)* SEP`. */
static int put_explicit(sw_env *env, sw_trace *out) {
  const sw_col_state *s = &env->state;
  if (!fits(env, out, 5 + s->depth + 2 * (int64_t)env->listed)) return 0;
  append(env, out, SW_T_STATE, SW_PART_STATE);
  append(env, out, SW_T_ASSIGN, SW_PART_STATE);
  for (int32_t v = 0; v < s->n; v++)
    if (s->color[v])
      append(env, out, SW_T_PAIR + 4 * v + s->color[v] - 1, SW_PART_STATE);
  append(env, out, SW_T_SEP, SW_PART_STATE);
  append(env, out, SW_T_DOMAIN, SW_PART_STATE);
  for (int32_t i = 0; i < env->listed; i++) {
    int32_t v = env->order[i];
    append(env, out, SW_T_NODE + v, SW_PART_STATE);
    append(env, out, mask_token(env, sw_col_takeable(env, v)), SW_PART_STATE);
  }
  append(env, out, SW_T_SEP, SW_PART_STATE);
  return 1;
}

int sw_col_put_state(sw_env *env, sw_trace *out) {
  if (env->format->list == SW_LIST_EXPLICIT) return put_explicit(env, out);
  int sizes = env->format->list == SW_LIST_SIZES;
  if (!fits(env, out, 2 + (1 + sizes) * (int64_t)env->listed)) return 0;
  append(env, out, SW_T_STATE, SW_PART_STATE);
  for (int32_t i = 0; i < env->listed; i++) {
    int32_t v = env->order[i];
    if (sizes)
      append(env, out, SW_T_SIZE + sw_col_count(env->state.domain[v]),
             SW_PART_STATE);
    append(env, out, SW_T_NODE + v, SW_PART_STATE);
  }
  append(env, out, SW_T_SEP, SW_PART_STATE);
  return 1;
}

int sw_col_put_legal(sw_env *env, sw_trace *out, int32_t v) {
  /* A forward-checked domain is exactly the set unused by neighbours. */
  unsigned legal = v >= 0 ? env->state.domain[v] : 0;
  if (!fits(env, out, 2 + sw_col_count(legal))) return 0;
  append(env, out, SW_T_LOCAL_LEGAL, SW_PART_STATE);
  for (int32_t c = 1; c <= env->state.colors; c++)
    if (legal & sw_col_bit(c)) append(env, out, SW_T_COLOR + c, SW_PART_STATE);
  append(env, out, SW_T_SEP, SW_PART_STATE);
  return 1;
}
