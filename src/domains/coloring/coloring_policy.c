/* Policies of the colouring environment: the expert (DSATUR-like, or the first
 * listed node) and those without a model (docs/coloring.md). At a conflict
 * every policy goes back; the random ones use Python's `choice`, so that
 * published rows can be redrawn. */
#include <string.h>
#include "domains/coloring/coloring_env.h"

#define COLORING_RULES(X)                                                \
  X(DSATUR, "dsatur")     /* the imitated expert, without errors */      \
  X(FIRST, "first")       /* first listed node, lowest colour */         \
  X(SMALLEST, "smallest") /* random node of those with fewest colours */ \
  X(RANDOM, "random")     /* random node, random colour */               \
  X(TIES, "random-ties")  /* DSATUR, equal nodes shuffled */             \
  X(EXACT, "exact")       /* reads nothing but the tokens of the block */
enum {
#define X(id, name) RULE_##id,
  COLORING_RULES(X)
#undef X
};
const char *const sw_col_rules[] = {
#define X(id, name) name,
    COLORING_RULES(X)
#undef X
        NULL};

/* Lower is better: fewest colours left, then most saturated. */
static int32_t dsatur_rank(const sw_env *env, int32_t v) {
  return 8 * sw_col_count(sw_col_choosable(env, v)) -
         sw_col_saturation(&env->state, v);
}

static int may_choose(const sw_env *env, int32_t v) {
  return !env->state.color[v] && sw_col_choosable(env, v);
}

int32_t sw_col_dsatur(const sw_env *env) {
  int32_t best = -1, best_rank = 0;
  for (int32_t v = 0; v < env->state.n; v++) {
    if (!may_choose(env, v)) continue;
    int32_t rank = dsatur_rank(env, v);
    if (best < 0 || rank < best_rank) {
      best = v;
      best_rank = rank;
    }
  }
  return best;
}

/* The colour of rank `index` in a set. */
static int32_t color_at(unsigned colors, uint32_t index) {
  while (index--) colors &= colors - 1;
  return sw_col_lowest(colors);
}

int32_t sw_col_expert_color(sw_env *env, unsigned colors) {
  if (!colors) return 0;
  unsigned others = colors & (colors - 1);
  if (!env->mt || !others || sw_mt_random(env->mt) >= env->error)
    return sw_col_lowest(colors);
  env->forced_errors++;
  return color_at(others, sw_mt_below(env->mt, (uint32_t)sw_col_count(others)));
}

static int32_t color_token(unsigned colors) {
  return colors ? SW_T_COLOR + sw_col_lowest(colors) : SW_T_CF;
}

/* The verdict of every policy: back at a conflict, else on; 0: no verdict is
 * asked for here. */
static int32_t verdict(const sw_env *env) {
  if (sw_col_in_conflict(env)) return SW_T_CF;
  return env->phase == SW_PHASE_VERDICT ? SW_T_STATE : 0;
}

static int32_t first_listed(const sw_env *env) {
  for (int32_t i = 0; i < env->listed; i++)
    if (may_choose(env, env->order[i])) return env->order[i];
  return -1;
}

int32_t sw_col_expert_choice(sw_env *env) {
  /* At a missed conflict the colour still has to be named. */
  if (env->phase == SW_PHASE_COLOR) {
    if (env->rules.writing_trace && env->planned)
      return SW_T_COLOR + env->planned;
    return color_token(sw_col_takeable(env, env->node));
  }
  int32_t token = verdict(env);
  if (token) return token;
  int32_t v = env->first_listed ? first_listed(env) : sw_col_dsatur(env);
  return v < 0 ? SW_T_CF : SW_T_NODE + v;
}

/* Nodes a random rule draws from, ascending. */
static int32_t eligible(const sw_env *env, int rule, int32_t *nodes) {
  int32_t count = 0, best = INT32_MAX;
  for (int32_t v = 0; v < env->state.n; v++) {
    if (!may_choose(env, v)) continue;
    int32_t rank = 0;
    if (rule == RULE_SMALLEST) rank = sw_col_count(sw_col_choosable(env, v));
    if (rule == RULE_TIES) rank = dsatur_rank(env, v);
    if (rank < best) {
      best = rank;
      count = 0;
    }
    if (rank == best) nodes[count++] = v;
  }
  return count;
}

static int32_t random_node(const sw_env *env, int rule, sw_mt *mt) {
  int32_t nodes[SW_COL_NODES_MAX];
  int32_t count = eligible(env, rule, nodes);
  if (count == 0) return -1;
  if (rule != RULE_TIES) return nodes[sw_mt_below(mt, (uint32_t)count)];
  sw_mt_shuffle_i32(mt, nodes, (size_t)count);
  return nodes[0];
}

/* The best rule for a `paper` block: back if and only if a DS0 is shown, else
 * the node with the fewest colours that are neither gone nor tried. */
static int32_t exact_choice(const sw_env *env) {
  const int32_t *t = env->block;
  unsigned tried[SW_COL_NODES_MAX] = {0};
  int32_t i = 0, best = -1, best_left = 0;
  if (env->block_length && t[0] == SW_T_TRIED)
    for (i = 1; t[i] != SW_T_END_TRIED; i += 2)
      tried[t[i] - SW_T_NODE] |= sw_col_bit(t[i + 1] - SW_T_COLOR);
  while (t[i] != SW_T_STATE) i++;
  for (i++; t[i] != SW_T_SEP; i += 2) {
    int32_t size = t[i] - SW_T_SIZE, v = t[i + 1] - SW_T_NODE;
    int32_t left = size - sw_col_count(tried[v]);
    if (size == 0) return SW_T_CF;
    if (best < 0 || left < best_left || (left == best_left && v < best)) {
      best = v;
      best_left = left;
    }
  }
  if (i + 1 == env->block_length) return SW_T_NODE + best;
  unsigned shown = (unsigned)(t[i + 2] - SW_T_MASK);
  for (int32_t c = 1; c <= SW_COL_COLORS_MAX; c++)
    if ((shown >> (SW_COL_COLORS_MAX - c) & 1) &&
        !(tried[t[i + 1] - SW_T_NODE] & sw_col_bit(c)))
      return SW_T_COLOR + c;
  return SW_T_CF;
}

static int32_t random_color(unsigned colors, sw_mt *mt) {
  return color_at(colors, sw_mt_below(mt, (uint32_t)sw_col_count(colors)));
}

/* The random rules draw node and colour together, as the published rows did:
 * it matters when a budget ends a run between the two. */
static int32_t draw_node(sw_env *env, int rule, sw_mt *mt) {
  int32_t v = random_node(env, rule, mt);
  if (v < 0 || rule == RULE_TIES) return v;
  unsigned colors = sw_col_takeable(env, v);
  env->planned = colors ? random_color(colors, mt) : 0;
  return v;
}

/* The colour drawn with the node. It is drawn now if the node was not asked for
 * (a caller may take an only candidate by itself). */
static int32_t draw_color(sw_env *env, unsigned colors, sw_mt *mt) {
  int32_t c = env->planned;
  env->planned = 0;
  return c && (colors & sw_col_bit(c)) ? c : random_color(colors, mt);
}

int32_t sw_col_rule_choice(sw_env *env, int rule, sw_mt *mt) {
  if (rule == RULE_EXACT && env->format->list == SW_LIST_SIZES)
    return exact_choice(env);
  if (env->phase == SW_PHASE_COLOR) {
    unsigned colors = sw_col_takeable(env, env->node);
    int drawn = rule == RULE_SMALLEST || rule == RULE_RANDOM;
    return drawn && colors ? SW_T_COLOR + draw_color(env, colors, mt)
                           : color_token(colors);
  }
  int32_t token = verdict(env);
  if (token) return token;
  int32_t v = rule == RULE_FIRST ? first_listed(env)
              : rule == RULE_DSATUR || rule == RULE_EXACT
                  ? sw_col_dsatur(env)
                  : draw_node(env, rule, mt);
  return v < 0 ? SW_T_CF : SW_T_NODE + v;
}
