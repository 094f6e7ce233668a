/* Verification alone, as published (see isolated.h). */
#include "release/isolated.h"

#include <stdlib.h>
#include <string.h>

#include "domains/coloring/coloring_state.h"
#include "domains/coloring/tried.h"
#include "domains/coloring/vocab.h"

enum { BLOCK = 2 * SW_COL_COLORS_MAX + SW_COL_NODES_MAX + 16 };

typedef struct run {
  const sw_instance *graph;
  const sw_isolated_options *options;
  sw_isolated_sums *sums;
  sw_col_state state;
  sw_tried tried;
  int64_t tokens;
  int32_t node;
  unsigned legal, refuted; /* of the node */
  int32_t block[BLOCK], length;
} run;

/* ---- which node ---- */

/* The first uncoloured node, of those only with no colour left if `empty`; -1:
 * there is none. */
static int32_t first_node(const sw_col_state *s, int empty) {
  for (int32_t v = 0; v < s->n; v++)
    if (!s->color[v] && (!empty || !sw_col_effective(s, v))) return v;
  return -1;
}

/* Fewest colours left, then most saturated, then lowest; -1: none has any. */
static int32_t most_constrained(const sw_col_state *s) {
  int32_t best = -1;
  int least = 0, most = 0;
  for (int32_t v = 0; v < s->n; v++) {
    int left = sw_col_count(sw_col_effective(s, v));
    if (s->color[v] || !left) continue;
    int saturation = sw_col_saturation(s, v);
    if (best >= 0 && (left > least || (left == least && saturation <= most)))
      continue;
    best = v;
    least = left;
    most = saturation;
  }
  return best;
}

static int32_t choose_node(const run *r) {
  int32_t empty = first_node(&r->state, 1);
  if (r->state.wiped) return empty >= 0 ? empty : first_node(&r->state, 0);
  if (r->options->repair && empty >= 0) return empty;
  return most_constrained(&r->state);
}

/* ---- the block ---- */

static void put(run *r, int32_t token) { r->block[r->length++] = token; }

/* By colours left, then by degree, largest first; stable. */
static void put_state(run *r) {
  const sw_col_state *s = &r->state;
  int32_t order[SW_COL_NODES_MAX], count = 0;
  for (int32_t v = 0; v < s->n; v++) {
    int32_t at = count;
    if (s->color[v]) continue;
    int left = sw_col_count(sw_col_effective(s, v));
    for (; at > 0; at--) {
      int32_t u = order[at - 1];
      int other = sw_col_count(sw_col_effective(s, u));
      if (other < left || (other == left && sw_graph_degree(r->graph, u) >=
                                                sw_graph_degree(r->graph, v)))
        break;
      order[at] = u;
    }
    order[at] = v;
    count++;
  }
  put(r, SW_T_STATE);
  for (int32_t i = 0; i < count; i++) put(r, SW_T_NODE + order[i]);
  put(r, SW_T_SEP);
}

static void write_block(run *r) {
  r->length = 0;
  if (r->refuted) {
    const sw_tried_entry *entry = sw_tried_at(&r->tried, r->state.key);
    put(r, SW_T_TRIED);
    for (int32_t i = entry->first; i >= 0; i = r->tried.pair[i].next)
      if (r->tried.pair[i].node == r->node) {
        put(r, SW_T_NODE + r->node);
        put(r, SW_T_COLOR + r->tried.pair[i].color);
      }
    put(r, SW_T_END_TRIED);
  }
  put_state(r);
  put(r, SW_T_LOCAL_LEGAL);
  for (int32_t c = 1; c <= r->state.colors; c++)
    if (r->legal & sw_col_bit(c)) put(r, SW_T_COLOR + c);
  put(r, SW_T_SEP);
  put(r, SW_T_OK);
}

int32_t sw_isolated_rule(void *context, const int32_t *block, int32_t length) {
  unsigned tried = 0, legal = 0;
  int listing = 0;
  (void)context;
  for (int32_t i = 0; i < length; i++) {
    int32_t color = block[i] - SW_T_COLOR;
    if (block[i] == SW_T_LOCAL_LEGAL) listing = 1;
    if (color < 1 || color > SW_COL_COLORS_MAX) continue;
    if (listing) legal |= sw_col_bit(color);
    else tried |= sw_col_bit(color);
  }
  return legal & ~tried ? SW_T_COLOR + sw_col_lowest(legal & ~tried) : SW_T_CF;
}

/* ---- the loop ---- */

static int extend(run *r, int64_t tokens) {
  if (r->tokens + tokens > r->options->budget) return 0;
  r->tokens += tokens;
  return 1;
}

/* What is about to be asked. */
static void look(run *r) {
  const sw_tried_entry *entry = sw_tried_at(&r->tried, r->state.key);
  r->legal = r->state.domain[r->node];
  r->refuted = 0;
  for (int32_t i = entry ? entry->first : -1; i >= 0; i = r->tried.pair[i].next)
    if (r->tried.pair[i].node == r->node)
      r->refuted |= sw_col_bit(r->tried.pair[i].color);
  r->sums->retries += (r->legal & r->refuted) != 0;
  if (r->legal & ~r->refuted) r->sums->open++;
  else r->sums->exhausted++;
}

/* 0: there is nothing to go back from, or the budget is spent. */
static int go_back(run *r, sw_isolated_end *end) {
  uint64_t key[SW_COL_KEY_WORDS];
  *end = SW_ISOLATED_budget;
  if (!extend(r, 3)) return 0; /* CF OK CF */
  *end = SW_ISOLATED_unsat_root;
  if (!r->state.depth) return 0;
  const sw_col_step *top = &r->state.stack[r->state.depth - 1];
  sw_col_parent_key(&r->state, key);
  sw_tried_add(&r->tried, key, top->node, top->color, 1);
  return sw_col_back(&r->state);
}

static int take(run *r, int32_t color, sw_isolated_end *end) {
  unsigned bit = sw_col_bit(color);
  r->sums->untried += (r->legal & ~r->refuted & bit) != 0;
  r->sums->repeats += (r->refuted & bit) != 0;
  /* a repeat is allowed: its refutation is forgotten */
  r->state.refuted[r->state.depth + 1][r->node] &= (uint8_t)~bit;
  sw_col_assign(&r->state, r->node, color);
  *end = SW_ISOLATED_budget;
  return extend(r, 4); /* C OK N C */
}

static sw_isolated_end play(run *r, sw_isolated_answer answer, void *context) {
  sw_isolated_end end = SW_ISOLATED_steps;
  for (int64_t step = 0; step < r->options->max_steps; step++) {
    if (r->state.depth == r->state.n) return SW_ISOLATED_solved;
    r->node = choose_node(r);
    if (r->node < 0) return SW_ISOLATED_no_selectable_node;
    look(r);
    write_block(r);
    if (!extend(r, r->length)) return SW_ISOLATED_budget;
    int32_t said = answer(context, r->block, r->length);
    int32_t color = said - SW_T_COLOR;
    int legal = color >= 1 && color <= r->state.colors &&
                (r->legal & sw_col_bit(color));
    int exhausted = !(r->legal & ~r->refuted);
    if (said == SW_T_CF) {
      if (exhausted) r->sums->right_back++;
      else r->sums->false_back++;
    }
    if (!(legal ? take(r, color, &end) : go_back(r, &end))) return end;
    end = SW_ISOLATED_steps;
  }
  return end;
}

int sw_isolated_play(const sw_instance *graph,
                     const sw_isolated_options *options,
                     sw_isolated_answer answer, void *context,
                     sw_isolated_sums *sums, sw_err *err) {
  if (graph->n > SW_COL_NODES_MAX || graph->colors > SW_COL_COLORS_MAX)
    return sw_fail(err, SW_LIMIT, "a graph of more than %d nodes or %d colours",
                   SW_COL_NODES_MAX, SW_COL_COLORS_MAX);
  run *r = calloc(1, sizeof *r);
  if (!r) return sw_no_memory(err);
  r->graph = graph;
  r->options = options;
  r->sums = sums;
  int code = sw_tried_init(&r->tried, err);
  if (!code) {
    sw_col_reset(&r->state, graph);
    r->tokens = 3 + 3 * (int64_t)graph->n + 2 * graph->edges; /* the prefix */
    sums->ended[play(r, answer, context)]++;
    if (r->tried.failed) code = sw_no_memory(err);
  }
  sw_tried_free(&r->tried);
  free(r);
  return code;
}
