/* Graph colouring as a sw_domain: options, limits, keys and the table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "domains/coloring/dsatur.h"
#include "domains/coloring/coloring_env.h"
#include "domains/resolve.h"

static const char *const formats[] = {
    "paper", "tried", "structural", "maskless", "enriched", "explicit", NULL};
static const char *const families[] = {"planted", "mixture", NULL};
static const char *const experts[] = {"dsatur", "first", NULL};
static const char *const losses[] = {"all", "trace", "action", NULL};
static const char *const too_long[] = {"cut", "drop", NULL};
static const char *const extra_names[] = {"revisited", "repeats",
                                          "exposed_conflicts", NULL};

static int32_t vocab_size(const sw_domain_options *options) {
  (void)options;
  return SW_COL_VOCAB;
}

static int in_range(const char *name, double value, double low, double high,
                    sw_err *err) {
  if (value >= low && value <= high) return SW_OK;
  sw_fail(err, SW_USAGE, "%s %g is outside %g..%g", name, value, low, high);
  return sw_hint(err, "colouring models take at most %d nodes and %d colours",
                 SW_COL_NODES_MAX, SW_COL_COLORS_MAX);
}

static int resolve(sw_domain_options *o, sw_err *err) {
  int release = o->preset == 1;
  sw_col_options *own = sw_col_own_edit(o);
  SW_TRY(sw_resolve_text(&o->format, "coloring", "format", formats,
                         release ? "tried" : "paper", err));
  SW_TRY(sw_resolve_text(&o->expert, "coloring", "expert", experts, "dsatur",
                         err));
  SW_TRY(sw_resolve_text(&own->family, "coloring", "family", families,
                         "planted", err));
  SW_TRY(sw_resolve_text(&o->too_long, "coloring", "too-long", too_long,
                         release ? "drop" : "cut", err));
  const sw_col_format *format = sw_col_format_find(o->format);
  SW_TRY(sw_resolve_text(&own->loss, "coloring", "loss", losses,
                         losses[format->loss], err));
  if (o->n < 0) o->n = 30;
  if (own->colors < 0) own->colors = 4;
  if (own->density < 0) own->density = 0.35;
  if (own->error < 0) own->error = 0.2;
  if (o->max_blocks < 0) o->max_blocks = release ? 0 : 96;
  if (o->max_tokens < 0) o->max_tokens = release ? format->max_tokens : 0;
  SW_TRY(in_range("n", o->n, 1, SW_COL_NODES_MAX, err));
  SW_TRY(in_range("density", own->density, 0, 1, err));
  return in_range("colors", own->colors, 1, 64, err);
}

static void budgets(const sw_domain_options *options, int64_t *decisions,
                    int64_t *tokens, int64_t *instances) {
  int release = options->preset == 1;
  *instances = 200;
  *decisions = !release ? 2000 : options->n > 30 ? 2000 : 500;
  *tokens = !release ? 0 : options->n > 30 ? 8192 : 2048;
}

static int32_t instance_size(const sw_instance *instance) {
  return instance->n;
}

static const char *instance_note(const sw_instance *instance) {
  return instance->note[0] ? instance->note : NULL;
}

static int instance_fits(const sw_instance *instance,
                         const sw_domain_options *options, char *why,
                         size_t room) {
  (void)options;
  if (instance->n > SW_COL_NODES_MAX)
    snprintf(why, room, "%d nodes, the vocabulary has %d", instance->n,
             SW_COL_NODES_MAX);
  else if (instance->colors > SW_COL_COLORS_MAX)
    snprintf(why, room, "%d colours, the vocabulary has %d", instance->colors,
             SW_COL_COLORS_MAX);
  else if (instance->colors < 1)
    snprintf(why, room, "the fewest colours are asked for, not a number");
  else return 1;
  return 0;
}

static int stream_new(sw_stream **stream, const sw_domain_options *options,
                      uint64_t seed, sw_split split, sw_err *err) {
  *stream = NULL;
  SW_TRY(in_range("colors", sw_col_own(options)->colors, 1, SW_COL_COLORS_MAX,
                  err));
  return sw_planted_new(stream, options, seed, split, err);
}

static int at_root(const sw_env *env) { return env->state.depth == 0; }
static int32_t depth(const sw_env *env) { return env->state.depth; }
static const char *reason(const sw_env *env) { return env->reason; }

static void counters(const sw_env *env, int64_t *explicit_back,
                     int64_t *silent_back) {
  *explicit_back = env->explicit_back;
  *silent_back = env->silent_back;
}

static void extra(const sw_env *env, int64_t *values) {
  values[0] = env->revisited;
  values[1] = env->repeats;
  values[2] = env->exposed;
}

static void colors_of(const sw_env *env, int32_t *color) {
  for (int32_t v = 0; v < env->state.n; v++) color[v] = env->state.color[v];
}

static int check_solution(const sw_env *env) {
  int32_t color[SW_COL_NODES_MAX];
  colors_of(env, color);
  return sw_graph_check(env->state.graph, color, env->state.colors);
}

/* What "same state" means (docs/probes.md): the colouring (domains follow from
 * it), the depth and the tried pairs as a sorted list; and the node, once it is
 * chosen. */
static void state_key(const sw_env *env, uint64_t key[2]) {
  struct {
    uint64_t graph, colors[SW_COL_KEY_WORDS];
    int32_t depth, node;
    uint16_t tried[SW_COL_NODES_MAX][SW_COL_COLORS_MAX + 1];
  } all;
  memset(&all, 0, sizeof all);
  const sw_col_state *s = &env->state;
  all.graph = sw_graph_hash(s->graph);
  memcpy(all.colors, s->key, sizeof all.colors);
  all.depth = s->depth;
  all.node = env->phase == SW_PHASE_COLOR ? env->node : -1;
  const sw_tried_entry *entry = sw_tried_at(&env->tried, s->key);
  for (int32_t i = entry ? entry->first : -1; i >= 0;
       i = env->tried.pair[i].next)
    all.tried[env->tried.pair[i].node][env->tried.pair[i].color]++;
  key[0] = sw_xxh64(&all, sizeof all, 1);
  key[1] = sw_xxh64(&all, sizeof all, 2);
}

static int answer(const sw_env *env, char **text, sw_err *err) {
  int32_t color[SW_COL_NODES_MAX];
  *text = NULL;
  colors_of(env, color);
  if (!sw_graph_check(env->state.graph, color, env->state.colors))
    return sw_fail(err, SW_INTERNAL, "the colouring found is not legal");
  return sw_color_text(env->state.graph, color, text, err);
}

static const sw_search_ops search = {
    .rule.names = sw_col_rules,
    .rule.exact = "exact",
    .rule.trivial = "random",
    .rule.onward = "first",
    .rule.best = "first",
    .budgets = budgets,
    .env_new = sw_col_env_new,
    .env_reset = sw_col_env_reset,
    .env_free = sw_col_env_free,
    .write_prefix = sw_col_write_prefix,
    .prompt = sw_col_prompt,
    .candidates = sw_col_candidates,
    .in_conflict = sw_col_in_conflict,
    .at_root = at_root,
    .feed = sw_col_feed,
    .go_back = sw_col_go_back,
    .is_retry = sw_col_is_retry,
    .executed = sw_col_executed,
    .reason = reason,
    .counters = counters,
    .check_solution = check_solution,
    .state_key = state_key,
    .depth = depth,
    .expert_choice = sw_col_expert_choice,
    .rule.choose = sw_col_rule_choice,
    .truth.doomed = sw_col_env_doomed,
    .truth.size_names = sw_col_size_names,
    .truth.size = sw_col_env_size,
    .trouble = sw_col_env_trouble,
    .asks_verdict = sw_col_asks_verdict,
    .tell.answer = answer,
    .tell.extra_names = extra_names,
    .tell.extra = extra,
};

static const sw_option option_table[] = {SW_TASK_ROWS("nodes")
                                             SW_TASK_BLOCK_ROWS
#define X(...) SW_OWN_ROW(sw_col_options, __VA_ARGS__)
                                                 SW_COL_OPTIONS(X)
#undef X
};

const sw_domain sw_domain_coloring = {
    .name = "coloring",
    .summary = "graph colouring with forward checking (n <= 75, 4 colours)",
    .formats = formats,
    .experts = experts,
    .options = option_table,
    .option_count = sizeof option_table / sizeof *option_table,
    .vocab_size = vocab_size,
    .resolve = resolve,
    .stream_new = stream_new,
    .stream_next = sw_planted_next,
    .stream_free = sw_planted_free,
    .file.recognises = sw_col_recognises,
    .file.parse = sw_col_parse,
    .instance_free = sw_graph_free,
    .instance_hash = sw_graph_hash,
    .instance_size = instance_size,
    .instance_fits = instance_fits,
    .file.note = instance_note,
    .write_trace = sw_col_write_trace,
    .lexicon = &sw_coloring_lexicon,
    .token_text = sw_col_token_text,
    .back_token = SW_T_CF,
    .file.solve = sw_color_solve,
    .file.verify = sw_col_verify,
    .search = &search,
    .state = &sw_coloring_state,
};
