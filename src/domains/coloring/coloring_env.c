/* The dialogue of the colouring environment (see env.h and domain.h). */
#include "domains/coloring/coloring_env.h"
#include <stdlib.h>
#include <string.h>

int sw_col_env_new(sw_env **env, const sw_domain_options *options,
                   const sw_rules *rules, sw_err *err) {
  *env = NULL;
  /* The release's evaluator knows one layout, whatever its model was trained
   * on; its blocks are those of `tried`. */
  const sw_col_format *format =
      sw_col_format_find(rules->release_layout ? "tried" : options->format);
  if (!format)
    return sw_fail(err, SW_USAGE, "unknown colouring format '%s'",
                   options->format ? options->format : "");
  sw_env *e = calloc(1, sizeof *e);
  if (!e) return sw_no_memory_for(err, "a colouring environment");
  int code = sw_tried_init(&e->tried, err);
  if (code) {
    free(e);
    return code;
  }
  static const char *const losses[] = {"all", "trace", "action"};
  e->format = format;
  e->rules = *rules;
  const char *loss = sw_col_own(options)->loss;
  e->loss = format->loss;
  for (int i = 0; i < 3; i++)
    if (loss && strcmp(loss, losses[i]) == 0) e->loss = (sw_col_loss)i;
  e->first_listed = options->expert && strcmp(options->expert, "first") == 0;
  e->budget = rules->release_layout ? rules->token_budget : 0;
  e->phase = SW_PHASE_ENDED;
  e->status = SW_ENV_FAILED;
  e->reason = "no instance";
  *env = e;
  return SW_OK;
}

void sw_col_env_free(sw_env *env) {
  if (!env) return;
  sw_tried_free(&env->tried);
  sw_cands_free(&env->cands);
  free(env);
}

int sw_col_env_reset(sw_env *env, const sw_instance *instance, sw_err *err) {
  if (instance->n > SW_COL_NODES_MAX || instance->colors < 1 ||
      instance->colors > SW_COL_COLORS_MAX)
    return sw_fail(err, SW_LIMIT,
                   "a graph of %d nodes and %d colours does not fit the "
                   "vocabulary (%d nodes, %d colours)",
                   instance->n, instance->colors, SW_COL_NODES_MAX,
                   SW_COL_COLORS_MAX);
  sw_col_reset(&env->state, instance);
  sw_tried_reset(&env->tried);
  env->shown = NULL;
  memset(env->tried_colors, 0, sizeof env->tried_colors);
  env->phase = SW_PHASE_BLOCK;
  env->status = SW_ENV_BLOCK_END;
  env->reason = "running";
  env->open_pending = env->has_witness = 0;
  env->trouble = SW_OK;
  env->block_length = 0;
  env->listed = 0;
  env->explicit_back = env->silent_back = env->conflicts = 0;
  env->decisions = env->revisited = env->repeats = env->exposed = 0;
  env->forced_errors = env->planned = 0;
  return SW_OK;
}

unsigned sw_col_takeable(const sw_env *env, int32_t v) {
  if (env->format->left == SW_LEFT_DEPTH)
    return sw_col_effective(&env->state, v);
  return env->state.domain[v] & ~(unsigned)env->tried_colors[v];
}

unsigned sw_col_choosable(const sw_env *env, int32_t v) {
  if (env->format->left == SW_LEFT_SHOWN) return env->state.domain[v];
  return sw_col_takeable(env, v);
}

static int some_node_lacks(const sw_env *env) {
  for (int32_t v = 0; v < env->state.n; v++)
    if (!env->state.color[v] && !sw_col_choosable(env, v)) return 1;
  return 0;
}

int sw_col_in_conflict(const sw_env *env) {
  if (env->phase == SW_PHASE_ENDED) return 0;
  if (env->format->left == SW_LEFT_DEPTH) return some_node_lacks(env);
  if (env->format->left == SW_LEFT_SHOWN && env->phase == SW_PHASE_COLOR)
    return sw_col_takeable(env, env->node) == 0;
  return env->state.wiped > 0;
}

/* Orders the uncoloured nodes as the state part lists them. */
static void list_nodes(sw_env *env) {
  const sw_col_state *s = &env->state;
  int64_t rank[SW_COL_NODES_MAX];
  env->listed = 0;
  for (int32_t v = 0; v < s->n; v++) {
    if (s->color[v]) continue;
    int64_t size, second;
    if (env->format->list == SW_LIST_EXPLICIT) {
      size = sw_col_count(sw_col_takeable(env, v));
      second = sw_col_saturation(s, v);
    } else {
      size = sw_col_count(s->domain[v]);
      second = sw_graph_degree(s->graph, v);
    }
    int64_t mine = size * 1000 - second; /* node order breaks ties */
    int32_t at = env->listed++;
    for (; at > 0 && rank[at - 1] > mine; at--) {
      rank[at] = rank[at - 1];
      env->order[at] = env->order[at - 1];
    }
    rank[at] = mine;
    env->order[at] = v;
  }
}

/* Looks up what was tried at the current prefix. */
static void look_up(sw_env *env) {
  env->shown = sw_tried_at(&env->tried, env->state.key);
  memset(env->tried_colors, 0, sizeof env->tried_colors);
  const sw_tried_pair *pair = env->tried.pair;
  for (int32_t i = env->shown ? env->shown->first : -1; i >= 0;
       i = pair[i].next)
    env->tried_colors[pair[i].node] |= (uint8_t)sw_col_bit(pair[i].color);
}

/* Takes the last decision back and remembers it at the prefix below. */
static void pop_one(sw_env *env) {
  const sw_col_step *top = &env->state.stack[env->state.depth - 1];
  uint64_t parent[SW_COL_KEY_WORDS];
  sw_col_parent_key(&env->state, parent);
  sw_tried_add(&env->tried, parent, top->node, top->color, 1);
  sw_col_back(&env->state);
}

static sw_env_status exhausted(sw_env *env, sw_trace *out) {
  if (!env->rules.release_layout) {
    sw_col_put_end(env, out, SW_T_FAILED);
    sw_col_put_end(env, out, SW_T_EOS);
  }
  return sw_col_end(env, SW_ENV_EXHAUSTED, "exhausted");
}

/* Writes CF and takes one decision back. 0: the environment has ended. */
static int write_back(sw_env *env, sw_trace *out) {
  if (!sw_col_put(env, out, SW_T_CF, SW_PART_ACTION)) return 0;
  env->conflicts++;
  env->exposed += env->state.wiped > 0;
  if (env->state.depth == 0) {
    exhausted(env, out);
    return 0;
  }
  pop_one(env);
  env->explicit_back++;
  return 1;
}

/* Format `paper`: a prefix where some node has no colour left although no
 * contradiction is exposed is left silently; the model is not asked there. */
static int leave_silently(sw_env *env, sw_trace *out) {
  if (env->state.depth == 0) {
    exhausted(env, out);
    return 0;
  }
  pop_one(env);
  env->silent_back++;
  return 1;
}

/* The release's evaluator opens a block, shows the state and writes the
 * verdict itself. 0: the environment has ended. */
static int show_release(sw_env *env, sw_trace *out) {
  list_nodes(env);
  sw_col_open_block(env, out);
  if (!sw_col_put_tried(env, out)) return 0;
  if (env->shown && env->layout.tried_apart) sw_col_open_block(env, out);
  return sw_col_put_state(env, out);
}

/* After a move: backtracks while the policy has nothing to decide, up to the
 * next query. */
static sw_env_status settle(sw_env *env, sw_trace *out) {
  env->phase = SW_PHASE_BLOCK;
  env->open_pending = 0;
  for (;;) {
    if (env->tried.failed) return sw_col_end(env, SW_ENV_FAILED, "memory");
    look_up(env);
    int release = env->rules.release_layout;
    int silent = env->format->left == SW_LEFT_SILENT && env->state.wiped == 0;
    if (!(release || silent) || !some_node_lacks(env))
      return env->status = SW_ENV_BLOCK_END;
    if (release ? !(show_release(env, out) && write_back(env, out))
                : !leave_silently(env, out))
      return env->status;
  }
}

static sw_env_status give_up(sw_env *env, sw_trace *out) {
  return write_back(env, out) ? settle(env, out) : env->status;
}

/* A bare CF before the state part: in the preceding block, or in its own. */
static sw_env_status give_up_early(sw_env *env, sw_trace *out) {
  if (!env->format->cf_block) env->open_pending = 0;
  return give_up(env, out);
}

static sw_env_status ask(sw_env *env, sw_col_phase phase) {
  env->phase = phase;
  return env->status = SW_ENV_QUERY;
}

/* The state part, up to the question for a node. */
static sw_env_status write_state(sw_env *env, sw_trace *out) {
  const sw_col_format *f = env->format;
  if (!sw_col_put_state(env, out)) return env->status;
  if (f->legal_list && !sw_col_put_legal(env, out, sw_col_dsatur(env)))
    return env->status;
  if (f->ok_first && !sw_col_put(env, out, SW_T_OK, SW_PART_CLOSE))
    return env->status;
  return ask(env, SW_PHASE_NODE);
}

sw_env_status sw_col_prompt(sw_env *env, sw_trace *out) {
  if (env->phase != SW_PHASE_BLOCK) return env->status;
  if (env->state.depth == env->state.n)
    return sw_col_end(env, SW_ENV_SOLVED, "solved");
  look_up(env);
  list_nodes(env);
  if (env->rules.release_layout) {
    if (!show_release(env, out) ||
        !sw_col_put(env, out, SW_T_OK, SW_PART_CLOSE))
      return env->status;
    return ask(env, SW_PHASE_NODE);
  }
  if (env->format->left == SW_LEFT_SHOWN) sw_col_forget(&env->state);
  env->open_pending = 1;
  if (!sw_col_put_tried(env, out)) return env->status;
  if (env->format->list != SW_LIST_SIZES) { /* verdict before the state */
    int may_go_back = env->state.depth > 0 || env->shown != NULL;
    if ((may_go_back && !env->rules.writing_trace) || sw_col_in_conflict(env))
      return ask(env, SW_PHASE_VERDICT);
  }
  return write_state(env, out);
}

static int back_offered(const sw_env *env) {
  if (env->rules.release_layout) return 0;
  switch (env->phase) {
    case SW_PHASE_VERDICT:
      return 1;
    case SW_PHASE_NODE:
      return env->format->list == SW_LIST_SIZES;
    case SW_PHASE_COLOR:
      return env->format->left == SW_LEFT_SHOWN;
    default:
      return 0;
  }
}

/* A colour that cannot be taken is a repeat. Where no colour can be taken, the
 * error is to go on at all, whatever the colour. */
static void put_colors(sw_env *env) {
  unsigned takeable = sw_col_takeable(env, env->node);
  int wrong =
      !takeable && sw_col_in_conflict(env) ? SW_CAND_MISSED : SW_CAND_REPEAT;
  for (int32_t c = 1; c <= env->state.colors; c++) {
    int legal = (takeable & sw_col_bit(c)) != 0;
    if (env->rules.release_layout && !legal)
      continue; /* the release masks values, and executes what it offers */
    sw_cands_put(&env->cands, SW_T_COLOR + c, legal ? SW_CAND_CONTINUE : wrong);
  }
}

static void put_nodes(sw_env *env, int kind) {
  for (int32_t v = 0; v < env->state.n; v++)
    if (!env->state.color[v] && sw_col_choosable(env, v))
      sw_cands_put(&env->cands, SW_T_NODE + v, kind);
  if (env->cands.count == 0) /* a missed conflict led to where none is left */
    sw_cands_put(&env->cands, SW_T_CF, SW_CAND_BACK);
}

const sw_cand *sw_col_candidates(sw_env *env, int *count) {
  sw_cands_clear(&env->cands);
  if (env->status == SW_ENV_QUERY) {
    int kind = sw_col_in_conflict(env) ? SW_CAND_MISSED : SW_CAND_CONTINUE;
    if (back_offered(env)) sw_cands_put(&env->cands, SW_T_CF, SW_CAND_BACK);
    if (env->phase == SW_PHASE_COLOR) put_colors(env);
    else if (env->phase == SW_PHASE_VERDICT)
      sw_cands_put(&env->cands, SW_T_STATE, kind);
    else put_nodes(env, kind);
  }
  *count = env->cands.count; /* -1: out of memory */
  return env->cands.item;
}

int sw_col_asks_verdict(const sw_env *env) {
  return env->status == SW_ENV_QUERY && env->phase == SW_PHASE_VERDICT;
}

static sw_env_status feed_node(sw_env *env, int32_t v, sw_trace *out) {
  const sw_col_format *f = env->format;
  unsigned takeable = sw_col_takeable(env, v);
  env->node = v;
  /* The expert's errors are drawn here, before the budget can end the trace: a
   * trace that is dropped for its length has used its draws. */
  if (f->list == SW_LIST_EXPLICIT && env->rules.writing_trace)
    env->planned = sw_col_expert_color(env, takeable);
  if (!sw_col_put(env, out, SW_T_NODE + v, SW_PART_ACTION)) return env->status;
  if (f->mark == SW_MARK_RAW &&
      !sw_col_put_mask(env, out, env->state.domain[v]))
    return env->status;
  if (!takeable && (env->rules.writing_trace || env->rules.release_layout)) {
    env->executed = 1; /* the action ends here, without effect */
    return give_up(env, out);
  }
  if (f->list != SW_LIST_EXPLICIT && env->rules.writing_trace)
    env->planned = sw_col_expert_color(env, takeable);
  if (f->mark == SW_MARK_LEFT && !sw_col_put_mask(env, out, takeable))
    return env->status;
  return ask(env, SW_PHASE_COLOR);
}

static sw_env_status feed_color(sw_env *env, int32_t c, sw_trace *out) {
  sw_col_state *s = &env->state;
  int32_t v = env->node;
  if (env->shown) {
    env->revisited++;
    env->repeats += (env->tried_colors[v] & sw_col_bit(c)) != 0;
  }
  if (!(sw_col_takeable(env, v) & sw_col_bit(c)))
    return sw_col_end(env, SW_ENV_FAILED, "repeat");
  if (env->rules.release_layout && !env->layout.only_failed_tried)
    sw_tried_add(&env->tried, s->key, v, c, 0);
  env->decisions++;
  if (!sw_col_put(env, out, SW_T_COLOR + c, SW_PART_ACTION)) return env->status;
  sw_col_assign(s, v, c);
  env->executed = 1;
  if (!(env->format->shadow ? sw_col_put_shadow(env, out, v, c)
                            : sw_col_put(env, out, SW_T_OK, SW_PART_CLOSE)))
    return env->status;
  if (s->depth == s->n && !env->rules.release_layout) {
    sw_col_put_end(env, out, SW_T_SOLVED);
    sw_col_put_end(env, out, SW_T_EOS);
    return sw_col_end(env, SW_ENV_SOLVED, "solved");
  }
  return settle(env, out);
}

sw_env_status sw_col_feed(sw_env *env, int32_t token, sw_trace *out) {
  if (env->status != SW_ENV_QUERY) return env->status;
  env->executed = 0;
  if (token == SW_T_CF && (back_offered(env) || !env->rules.release_layout))
    return sw_col_go_back(env, out);
  int32_t v = token - SW_T_NODE, c = token - SW_T_COLOR;
  if (env->phase == SW_PHASE_VERDICT && token == SW_T_STATE)
    return write_state(env, out);
  if (env->phase == SW_PHASE_NODE && v >= 0 && v < env->state.n &&
      !env->state.color[v] && sw_col_choosable(env, v))
    return feed_node(env, v, out);
  if (env->phase == SW_PHASE_COLOR && c >= 1 && c <= env->state.colors)
    return feed_color(env, c, out);
  return sw_col_end(env, SW_ENV_FAILED, "illegal token");
}

sw_env_status sw_col_go_back(sw_env *env, sw_trace *out) {
  if (env->status != SW_ENV_QUERY) return env->status;
  if (env->state.depth == 0 && !sw_col_in_conflict(env)) return SW_ENV_QUERY;
  if (env->phase == SW_PHASE_VERDICT) return give_up_early(env, out);
  return give_up(env, out);
}

int sw_col_is_retry(const sw_env *env) {
  if (env->phase != SW_PHASE_COLOR || !env->shown) return 0;
  return env->rules.release_layout || env->tried_colors[env->node] != 0;
}

int sw_col_executed(const sw_env *env) { return env->executed; }
