/* SAT states as numbers (domains/state_ops.h): the published columns of the
 * state baselines, a set that holds what they lack (assigned values, the clause
 * shown, clause states), and the factor graph. docs/model.md lists both. */
#include <stdlib.h>
#include <string.h>

#include "domains/sat/sat_env.h"
#include "domains/sat/sat_figures.h"
#include "domains/sat/tokens.h"

typedef struct captured {
  int32_t open;       /* re-opened decision, or -1 */
  int32_t open_value; /* its remaining value */
  int32_t conflict, depth;
  int8_t value[]; /* [n] +1, -1, 0; then [n] the place in the list's order */
} captured;

static const uint8_t *places(const sw_instance *f, const captured *c) {
  return (const uint8_t *)c->value + f->n;
}

static const sw_instance *instance_of(const sw_env *e) { return e->instance; }

static size_t bytes(const sw_instance *f) {
  return (sizeof(captured) + 2 * (size_t)f->n + 7) / 8 * 8;
}

static void capture(const sw_env *e, void *state) {
  const sw_sat_search *s = &e->search;
  captured *c = state;
  c->open = sw_sat_open_var(s);
  c->open_value =
      c->open >= 0 && (sw_sat_domain(s, c->open) & SW_SAT_BIT_TRUE) != 0;
  c->conflict = s->conflict != SW_SAT_NO_CONFLICT;
  c->depth = s->depth;
  uint8_t *place = (uint8_t *)c->value + s->n;
  for (int32_t v = 0; v < s->n; v++) c->value[v] = s->value[2 * v];
  for (int32_t i = 0, rank = 0; i < s->n; i++) {
    int32_t v = e->format->by_activity ? s->order[i] : i;
    if (!c->value[v]) place[v] = (uint8_t)rank++;
  }
}

/* ---- the instance of a trace ---- */

static int bad_prefix(int64_t at, sw_err *err) {
  return sw_fail(err, SW_DATA, "the prefix is not a formula at token %lld",
                 (long long)at);
}

/* Literals and clause ends of the prefix; two passes, the first one counts. */
static int scan(const sw_trace *t, int32_t *n, int32_t *m, int32_t *start,
                int32_t *literal, sw_err *err) {
  int64_t end = t->blocks > 1 ? t->block_start[1] : t->length, i = 2;
  int32_t literals = 0;
  *m = 0;
  for (; i < end && t->token[i] != SW_SAT_SEARCH; i++) {
    if (t->token[i] != SW_SAT_CLAUSE + *m || *m >= SW_SAT_MAX_CLAUSES)
      return bad_prefix(i, err);
    if (++i >= end || t->token[i] != SW_SAT_COLON) return bad_prefix(i, err);
    if (start) start[*m] = literals;
    for (i++; i < end && t->token[i] != SW_SAT_SEP; i++) {
      int32_t code = t->token[i] - SW_SAT_POSITIVE;
      if (code < 0 || code >= 2 * SW_SAT_MAX_VARS) return bad_prefix(i, err);
      int32_t var = code % SW_SAT_MAX_VARS;
      if (var >= *n) *n = var + 1;
      if (literal) literal[literals] = 2 * var + (code >= SW_SAT_MAX_VARS);
      literals++;
    }
    ++*m;
  }
  if (i >= end || end < 3 || t->token[0] != SW_SAT_BOS ||
      t->token[1] != SW_SAT_CLAUSES)
    return bad_prefix(i, err);
  if (start) start[*m] = literals;
  return SW_OK;
}

static int read_instance(sw_instance **instance, const sw_trace *t,
                         const sw_domain_options *options, sw_err *err) {
  int32_t n = t->n, m = 0;
  *instance = NULL;
  if (sw_sat_own(options)->layout) {
    sw_fail(err, SW_USAGE,
            "the formula stands in every block (layout `reread`), where models "
            "that read states do not look");
    return sw_hint(err, "write the traces with --layout prefix");
  }
  SW_TRY(scan(t, &n, &m, NULL, NULL, err));
  if (n < 1 || n > SW_SAT_MAX_VARS)
    return sw_fail(err, SW_DATA, "a formula of %d variables", n);
  int32_t *start = malloc(sizeof *start * ((size_t)m + 1));
  int32_t *literal = malloc(sizeof *literal * ((size_t)t->length + 1));
  int code = start && literal ? SW_OK : sw_no_memory_for(err, "a formula");
  if (!code) code = scan(t, &n, &m, start, literal, err);
  if (!code)
    code = sw_sat_instance_new(instance, n, m, start, literal, NULL, err);
  free(start);
  free(literal);
  return code;
}

static void sizes(const sw_instance *f, int32_t *n, int32_t *m) {
  *n = f->n;
  *m = f->m;
}

/* ---- features ---- */

enum {
  PER_VARIABLE = 8,
  PER_CLAUSE = 3,
  STATE_GLOBALS = 6,
  GLOBALS = 9,
  PER_CHOICE = 9
};
enum { U, T, F, NT, NF, FREE, STATUSES };

static int32_t judged_width(int32_t set) {
  return set == SW_FEATURES_CHOICE   ? PER_CHOICE
         : set == SW_FEATURES_COUNTS ? SW_SAT_FIGURE_COUNTS
                                     : SW_SAT_FIGURES;
}

static int layout(sw_state_layout *l, sw_err *err) {
  int published = l->set == SW_FEATURES_PUBLISHED;
  int32_t globals = published ? GLOBALS + 2 * l->step : STATE_GLOBALS;
  if (l->n < 1 || l->n > SW_SAT_MAX_VARS || l->m < 0 ||
      l->m > SW_SAT_MAX_CLAUSES)
    return sw_fail(err, SW_DATA, "features of %d variables and %d clauses",
                   l->n, l->m);
  if (l->step < 0 || l->step > 1) /* from a file: it is not resolved there */
    return sw_fail(err, SW_DATA, "a step counter of %d", l->step);
  if (sw_features_judge(l->set) && !l->step) { /* of any formula */
    *l = (sw_state_layout){.set = l->set,
                           .n = SW_SAT_MAX_VARS,
                           .m = SW_SAT_MAX_CLAUSES,
                           .features = judged_width(l->set),
                           .classes = {2, 1, 1}};
    return SW_OK;
  }
  if (l->step && !published)
    return sw_fail(err, SW_USAGE,
                   "only the published features have a step counter");
  l->features = PER_VARIABLE * l->n + globals + PER_CLAUSE * l->m;
  l->classes[SW_HEAD_VERDICT] = 2;
  l->classes[SW_HEAD_ITEM] = l->n;
  l->classes[SW_HEAD_VALUE] = 2;
  return SW_OK;
}

static int literal_truth(const int8_t *value, int32_t literal) {
  return literal & 1 ? -value[literal >> 1] : value[literal >> 1];
}

/* Shares of a clause's literals that are true, false and neither. */
static void clause_shares(const sw_instance *f, const int8_t *value, int32_t c,
                          float *x) {
  int32_t begin = f->start[c], end = f->start[c + 1], count[3] = {0};
  for (int32_t i = begin; i < end; i++) {
    int truth = literal_truth(value, f->literal[i]);
    count[truth > 0 ? 0 : truth < 0 ? 1 : 2]++;
  }
  for (int k = 0; k < PER_CLAUSE && end > begin; k++)
    x[k] = (float)count[k] / (float)(end - begin);
}

/* The published columns: only unassigned variables are listed, so a literal
 * counts as true or false only if its variable is the one that is tried again
 * and shows its remaining value. */
static void published(const sw_instance *f, const captured *c, int64_t step,
                      const sw_state_layout *l, float *x) {
  int32_t listed = 0, count[STATUSES] = {0};
  int8_t shown[SW_SAT_MAX_VARS] = {0};
  const float n = (float)l->n;
  for (int32_t v = 0; v < f->n; v++) listed += !c->value[v];
  for (int32_t v = 0; v < f->n; v++) {
    if (c->value[v]) continue;
    int status = v != c->open ? U : c->open_value ? T : F;
    float *own = x + PER_VARIABLE * v;
    own[status] = 1;
    own[6] = (float)places(f, c)[v] / (float)(listed > 1 ? listed - 1 : 1);
    own[7] = 1;
    count[status]++;
    if (status != U) shown[v] = status == T ? 1 : -1;
  }
  x += PER_VARIABLE * l->n;
  float left = (float)listed / n;
  *x++ = left < 1 ? 1 - left : 0;
  *x++ = left;
  if (l->step) {
    *x++ = (float)step;
    *x++ = (float)step / n;
  }
  *x++ = l->m ? (float)f->m / (float)l->m : 0;
  for (int k = 0; k < STATUSES; k++) *x++ = (float)count[k] / n;
  for (int32_t k = 0; k < f->m; k++)
    clause_shares(f, shown, k, x + PER_CLAUSE * k);
}

/* What the format `evidence` shows, and the state of every clause: a variable
 * is unassigned, true or false; the one tried again has its remaining value;
 * the clause that matters says which of its literals are there, in which place
 * and how true. */
static void by_state(const sw_instance *f, const captured *c,
                     const sw_state_layout *l, float *x) {
  int8_t value[2 * SW_SAT_MAX_VARS];
  int32_t listed = 0;
  for (int32_t v = 0; v < f->n; v++) {
    float *own = x + PER_VARIABLE * v;
    value[2 * v] = c->value[v];
    value[2 * v + 1] = (int8_t)-c->value[v];
    listed += !c->value[v];
    own[c->value[v] > 0 ? 1 : c->value[v] < 0 ? 2 : 0] = 1;
    if (v == c->open) own[c->open_value ? 3 : 4] = 1;
  }
  int32_t key = sw_sat_key_clause(f, value);
  int32_t begin = f->m ? f->start[key] : 0, end = f->m ? f->start[key + 1] : 0;
  for (int32_t i = begin; i < end; i++) {
    float *own = x + PER_VARIABLE * (f->literal[i] >> 1);
    own[5 + (f->literal[i] & 1)] = 1;
    own[7] = (float)(i - begin + 1) / (float)(end - begin);
  }
  x += PER_VARIABLE * l->n;
  *x++ = 1 - (float)listed / (float)l->n;
  *x++ = (float)listed / (float)l->n;
  *x++ = l->m ? (float)f->m / (float)l->m : 0;
  if (f->m) clause_shares(f, c->value, key, x);
  x += PER_CLAUSE;
  for (int32_t k = 0; k < f->m; k++)
    clause_shares(f, c->value, k, x + PER_CLAUSE * k);
}

/* A literal that could be made true: the published nine columns, after it is
 * added to the assignment and before anything follows from it. */
static void of_choice(const sw_instance *f, const captured *c, int32_t choice,
                      float *x) {
  int8_t value[SW_SAT_MAX_VARS];
  int32_t var = choice >> 1, assigned = 1, count[4] = {0}, occurs[2] = {0};
  const float m = f->m ? (float)f->m : 1;
  memcpy(value, c->value, (size_t)f->n);
  value[var] = choice & 1 ? 1 : -1;
  for (int32_t v = 0; v < f->n; v++) assigned += c->value[v] != 0;
  for (int32_t k = 0; k < f->m; k++) {
    int32_t unset = 0, holds = 0;
    for (int32_t i = f->start[k]; i < f->start[k + 1]; i++) {
      int truth = literal_truth(value, f->literal[i]);
      holds |= truth > 0;
      unset += truth == 0;
      if (f->literal[i] >> 1 == var) occurs[f->literal[i] & 1]++;
    }
    count[holds ? 0 : unset == 1 ? 1 : unset == 0 ? 2 : 3]++;
  }
  x[0] = (float)assigned / (float)f->n;
  x[1] = (float)f->m;
  for (int i = 0; i < 4; i++) x[2 + i] = (float)count[i] / m;
  x[6] = (float)occurs[0] / m;
  x[7] = (float)occurs[1] / m;
  x[8] = (float)(choice & 1);
}

static int choice_open(const sw_instance *f, const void *state,
                       int32_t choice) {
  const captured *c = state;
  int32_t var = choice >> 1;
  if (c->conflict || var >= f->n || c->value[var]) return 0;
  return var != c->open || c->open_value == (choice & 1);
}

static int choice_dead(sw_env *e, int32_t choice, int64_t conflicts) {
  int64_t spent = 0;
  int32_t literal = 2 * (choice >> 1) + !(choice & 1);
  return sw_sat_oracle_dead(&e->oracle, &e->search, literal, conflicts, &spent);
}

static void figures(const sw_instance *f, const captured *c, int ahead,
                    float *x) {
  int32_t again = c->open < 0 ? -1 : 2 * c->open + !c->open_value;
  sw_sat_figures(f, c->value, again, c->depth, ahead, x);
}

static void features(const sw_instance *f, const void *state, int64_t step,
                     const sw_state_layout *l, float *out) {
  memset(out, 0, sizeof *out * (size_t)l->features);
  if (l->set == SW_FEATURES_COUNTS || l->set == SW_FEATURES_LOOKAHEAD)
    figures(f, state, l->set == SW_FEATURES_LOOKAHEAD, out);
  else if (l->set == SW_FEATURES_CHOICE)
    of_choice(f, state, (int32_t)step, out);
  else if (l->set == SW_FEATURES_PUBLISHED) published(f, state, step, l, out);
  else by_state(f, state, l, out);
}

/* ---- the factor graph ---- */

enum { PLACES = 3 }; /* of a literal; later ones count as the last */

static void graph_nodes(const sw_instance *f, const captured *c, sw_graph *g) {
  const float m = f->m ? (float)f->m : 1;
  memset(g->node, 0, sizeof *g->node * (size_t)f->n * SW_GRAPH_NODE);
  for (int32_t v = 0; v < f->n; v++) {
    float *x = g->node + SW_GRAPH_NODE * v;
    int may[2]; /* false, true */
    for (int a = 0; a < 2; a++) {
      int assigned = c->value[v] != 0;
      may[a] = assigned ? c->value[v] == (a ? 1 : -1)
                        : v != c->open || c->open_value == a;
      x[3 + a] = (float)may[a];
      x[7 + a] = (float)(assigned && may[a]);
      g->open[2 * v + a] = (uint8_t)(!assigned && may[a]);
    }
    x[0] = (float)c->depth / (float)f->n;
  }
  for (int32_t i = 0; i < f->start[f->m]; i++)
    g->node[SW_GRAPH_NODE * (f->literal[i] >> 1) + 1 + (f->literal[i] & 1)] +=
        1;
  for (int32_t v = 0; v < f->n; v++)
    for (int k = 1; k < 3; k++) g->node[SW_GRAPH_NODE * v + k] /= m;
}

static void graph_clauses(const sw_instance *f, const captured *c,
                          sw_graph *g) {
  int32_t e = 0;
  memset(g->factor, 0, sizeof *g->factor * (size_t)f->m * SW_GRAPH_FACTOR);
  for (int32_t k = 0; k < f->m; k++) {
    float *x = g->factor + SW_GRAPH_FACTOR * k;
    int32_t begin = f->start[k], end = f->start[k + 1];
    x[0] = (float)(end - begin) / 3;
    x[2] = 1;
    for (int32_t i = begin; i < end; i++, e++) {
      int32_t place = i - begin < PLACES ? i - begin : PLACES - 1;
      g->edge_node[e] = f->literal[i] >> 1;
      g->edge_factor[e] = k;
      g->edge_kind[e] = 2 * place + (f->literal[i] & 1);
      if (literal_truth(c->value, f->literal[i]) > 0) x[1] = 1;
    }
  }
}

static int graph(const sw_instance *f, const void *state, sw_graph *g) {
  const captured *c = state;
  if (!sw_graph_reserve(g, f->n, f->m, f->start[f->m], 2 * PLACES, 2)) return 0;
  graph_nodes(f, c, g);
  graph_clauses(f, c, g);
  for (int k = 0; k < 2 * PLACES; k++) {
    g->kind[SW_GRAPH_EDGE * k] = k & 1 ? -1 : 1;
    g->kind[SW_GRAPH_EDGE * k + 1] = (float)(k / 2) / 2;
  }
  g->global[0] = (float)c->depth / (float)f->n;
  g->global[1] = 0; /* nothing is left to propagate when a state is shown */
  g->global[SW_GRAPH_CONFLICT] = (float)c->conflict;
  g->global[3] = 1;
  return 1;
}

/* ---- answers ---- */

static void answer(const sw_env *e, int32_t token, sw_state_answer *a) {
  int32_t v = token - SW_SAT_VARIABLE;
  a->count = 0;
  if (token == SW_SAT_CONFLICT) {
    *a = (sw_state_answer){1, {{SW_HEAD_VERDICT, 1}}};
  } else if (e->asking == SW_SAT_ASK_VALUE) {
    if (token == SW_SAT_T || token == SW_SAT_F)
      *a = (sw_state_answer){1, {{SW_HEAD_VALUE, token == SW_SAT_T}}};
  } else if (v >= 0 && v < e->search.n) {
    *a = (sw_state_answer){2, {{SW_HEAD_VERDICT, 0}, {SW_HEAD_ITEM, v}}};
  }
}

static int32_t chosen(const sw_env *e) {
  return e->asking == SW_SAT_ASK_VALUE ? e->search.selected : -1;
}

const sw_state_ops sw_sat_state = {.read_instance = read_instance,
                                   .sizes = sizes,
                                   .layout = layout,
                                   .instance = instance_of,
                                   .bytes = bytes,
                                   .capture = capture,
                                   .features = features,
                                   .graph = graph,
                                   .answer = answer,
                                   .choice_open = choice_open,
                                   .choice_dead = choice_dead,
                                   .chosen = chosen};
