/* The published SAT rollout (see sat_rollout.h). One pass of `walk` per
 * iteration of the published loop; every environment call counts a step there,
 * so none is left out. */
#include "release/sat_rollout.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "base/rng.h"
#include "domains/sat/sat_format.h"
#include "domains/sat/sat_instance.h"
#include "domains/sat/sat_search.h"
#include "domains/sat/tokens.h"

uint64_t sw_sat_tie_seed(uint64_t seed, int64_t instance, int64_t trace) {
  return seed + 10007u * (uint64_t)instance + 97u * (uint64_t)trace;
}

/* ---- growing text for signatures ---- */
typedef struct text {
  char *data;
  size_t length, room;
  int failed;
} text;

static void put_text(text *t, const char *piece) {
  size_t more = strlen(piece);
  if (t->length + more + 1 > t->room) {
    size_t room = 2 * (t->length + more + 256);
    char *data = realloc(t->data, room);
    if (!data) {
      t->failed = 1;
      return;
    }
    t->data = data;
    t->room = room;
  }
  memcpy(t->data + t->length, piece, more + 1);
  t->length += more;
}

/* A tuple in Python's notation: comma-separated, a lone element keeps its
 * comma. `open` and `close` bracket `count` calls of `item`. */
static void tuple_item(text *t, int index, const char *piece) {
  if (index > 0) put_text(t, ", ");
  put_text(t, piece);
}
static void tuple_end(text *t, int count) {
  put_text(t, count == 1 ? ",)" : ")");
}

typedef struct rollout {
  sw_sat_search search;
  const sw_sat_rollout_options *options;
  sw_mt rng;
  sw_trace *trace;
  sw_arena *arena;
  sw_sat_point *point;
  int64_t points, room;
  int32_t *list; /* [n] variables of the state, scratch */
  int32_t listed;
  text text;
  int failed;
} rollout;

/* Variables the state part lists, in its order; an empty domain hides one. */
static void list_variables(rollout *r) {
  const sw_sat_search *s = &r->search;
  r->listed = 0;
  for (int32_t i = 0; i < s->n; i++) {
    int32_t v = r->options->by_activity ? s->order[i] : i;
    if (s->value[2 * v] == 0 && sw_sat_domain(s, v) != 0)
      r->list[r->listed++] = v;
  }
}

static int fits(const rollout *r, int64_t tokens) {
  return r->trace->length + tokens <= r->options->max_tokens;
}

static int32_t domain_token(int mask) {
  return mask == SW_SAT_BIT_BOTH   ? SW_SAT_U
         : mask == SW_SAT_BIT_TRUE ? SW_SAT_T
                                   : SW_SAT_F;
}

static void write_state(rollout *r) {
  sw_trace_begin_block(r->trace);
  sw_trace_put(r->trace, SW_SAT_STATE, 0);
  for (int32_t i = 0; i < r->listed; i++) {
    sw_trace_put(r->trace, SW_SAT_VARIABLE + r->list[i], 0);
    sw_trace_put(r->trace, domain_token(sw_sat_domain(&r->search, r->list[i])),
                 0);
  }
  sw_trace_put(r->trace, SW_SAT_SEP, 0);
}

/* ---- points ---- */

static void viable_signature(rollout *r) {
  const sw_sat_search *s = &r->search;
  char piece[64];
  int count = 0;
  put_text(&r->text, "((");
  for (int32_t v = 0; v < s->n; v++) {
    if (!s->value[2 * v]) continue;
    snprintf(piece, sizeof piece, "(%d, %d)", v, s->value[2 * v] > 0 ? 1 : -1);
    tuple_item(&r->text, count++, piece);
  }
  tuple_end(&r->text, count);
  put_text(&r->text, ", (");
  count = 0;
  for (int32_t v = 0; v < s->n; v++) {
    if (s->value[2 * v]) continue;
    snprintf(piece, sizeof piece, "(%d, (-1, 1))", v);
    tuple_item(&r->text, count++, piece);
  }
  tuple_end(&r->text, count);
  snprintf(piece, sizeof piece, ", False, %d, (", s->depth);
  put_text(&r->text, piece);
  int32_t open = sw_sat_open_var(s);
  int failed = open >= 0 ? s->frame[s->depth - 1].failed : 0;
  count = 0;
  for (int bit = 0; bit < 2; bit++) {
    if (!(failed & (1 << bit))) continue;
    snprintf(piece, sizeof piece, "(%d, %d)", open, bit ? 1 : -1);
    tuple_item(&r->text, count++, piece);
  }
  tuple_end(&r->text, count);
  put_text(&r->text, ")");
}

static void conflict_signature(rollout *r, int64_t start, int64_t sep) {
  char piece[32];
  put_text(&r->text, "('conflict', (");
  for (int64_t i = start; i <= sep; i++) {
    snprintf(piece, sizeof piece, "%d", r->trace->token[i]);
    tuple_item(&r->text, (int)(i - start), piece);
  }
  tuple_end(&r->text, (int)(sep - start + 1));
  put_text(&r->text, ")");
}

/* Records the state whose block has just been written up to its SEP. */
static void record(rollout *r, int label, const int32_t *vars, int32_t count) {
  const sw_sat_search *s = &r->search;
  int64_t sep = r->trace->length - 1, block = r->trace->blocks - 1;
  int64_t start = r->trace->block_start[block];
  if (!sw_grow64(&r->point, &r->room, r->points + 1, sizeof *r->point)) {
    r->failed = 1;
    return;
  }
  r->text.length = 0;
  if (label) conflict_signature(r, start, sep);
  else viable_signature(r);
  sw_sat_action_pair *pair =
      SW_ARENA_NEW(r->arena, sw_sat_action_pair, 2 * count + 1);
  char *signature =
      r->text.failed ? NULL : sw_arena_strdup(r->arena, r->text.data);
  if (!pair || !signature) {
    r->failed = 1;
    return;
  }
  int32_t pairs = 0;
  for (int32_t i = 0; i < count; i++)
    for (int bit = 0; bit < 2; bit++)
      if (sw_sat_domain(s, vars[i]) & (1 << bit))
        pair[pairs++] = (sw_sat_action_pair){vars[i], bit ? 1 : -1};
  int32_t free_vars = s->n - s->trail_size;
  r->point[r->points++] = (sw_sat_point){start,
                                         sep,
                                         (int32_t)block,
                                         label,
                                         label ? (int32_t)block : s->depth,
                                         label ? r->listed : free_vars,
                                         signature,
                                         pairs,
                                         pair};
}

/* ---- the loop ---- */

/* Legal SELECT targets, ascending; returns their number. */
static int32_t selectable(const sw_sat_search *s, int32_t *out) {
  int32_t open = sw_sat_open_var(s), count = 0;
  if (open >= 0) {
    out[0] = open;
    return 1;
  }
  for (int32_t v = 0; v < s->n; v++)
    if (s->value[2 * v] == 0) out[count++] = v;
  return count;
}

/* Maximal (activity, occurrences); the ascending maximisers are shuffled. */
static int32_t choose_variable(rollout *r, const int32_t *vars, int32_t count,
                               int32_t *best) {
  const sw_sat_search *s = &r->search;
  const int32_t *occurrences = s->formula->occurrences;
  int32_t ties = 0;
  for (int32_t i = 0; i < count; i++) {
    int32_t v = vars[i];
    if (ties > 0) {
      int32_t b = best[0];
      int higher = s->activity[v] != s->activity[b]
                       ? s->activity[v] > s->activity[b]
                       : occurrences[v] > occurrences[b];
      int equal =
          s->activity[v] == s->activity[b] && occurrences[v] == occurrences[b];
      if (!higher && !equal) continue;
      if (higher) ties = 0;
    }
    best[ties++] = v;
  }
  sw_mt_shuffle_i32(&r->rng, best, (size_t)ties);
  return best[0];
}

/* Returns 1 to go on, 0 when the rollout ends (a chunk does not fit). */
static int conflict_block(rollout *r) {
  sw_sat_search *s = &r->search;
  list_variables(r);
  if (!fits(r, 2 * r->listed + 6)) return 0;
  int32_t clause = s->conflict, depth = s->depth;
  write_state(r);
  record(r, 1, r->list, r->listed);
  sw_trace_put(r->trace, SW_SAT_CONFLICT, 0);
  sw_trace_put(r->trace, SW_SAT_CLAUSE + clause, 0);
  sw_trace_put(r->trace, SW_SAT_BJ, 0);
  sw_trace_put(r->trace, SW_SAT_LEVEL + depth - 1, 0);
  sw_sat_step(s, SW_SAT_BACKTRACK, 0);
  return 1;
}

static int decision_block(rollout *r, int32_t *vars, int32_t *scratch) {
  sw_sat_search *s = &r->search;
  int32_t count = selectable(s, vars);
  if (count == 0) return 0;
  int32_t v = choose_variable(r, vars, count, scratch);
  int mask = sw_sat_domain(s, v);
  int value = mask == SW_SAT_BIT_TRUE;
  uint32_t drawn = sw_mt_below(&r->rng, mask == SW_SAT_BIT_BOTH ? 2 : 1);
  if (mask == SW_SAT_BIT_BOTH) value = (int)drawn;
  list_variables(r);
  if (!fits(r, 2 * r->listed + 2)) return 0;
  write_state(r);
  record(r, 0, vars, count);
  if (!fits(r, 5)) return 0;
  int32_t chunk[5] = {SW_SAT_VARIABLE + v, sw_sat_value_token(value), SW_SAT_OK,
                      SW_SAT_VARIABLE + v, sw_sat_value_token(value)};
  for (int i = 0; i < 5; i++) sw_trace_put(r->trace, chunk[i], 0);
  sw_sat_step(s, SW_SAT_SELECT, v);
  sw_sat_step(s, SW_SAT_ASSIGN, value);
  return 1;
}

static void close_rollout(rollout *r, int32_t token) {
  if (!fits(r, 1)) return;
  if (r->trace->blocks == 1) sw_trace_begin_block(r->trace);
  sw_trace_put(r->trace, token, 0);
}

/* One iteration of the published loop; 0 ends it. */
static int walk(rollout *r, int32_t *vars, int32_t *scratch) {
  sw_sat_search *s = &r->search;
  while (s->pending && s->ending == SW_SAT_END_RUNNING)
    sw_sat_step(s, SW_SAT_PROPAGATE, 0);
  if (s->ending == SW_SAT_END_SAT) {
    close_rollout(r, SW_SAT_SOLVED);
    return 0;
  }
  if (s->ending != SW_SAT_END_RUNNING) {
    close_rollout(r, SW_SAT_FAILED);
    return 0;
  }
  if (s->conflict != SW_SAT_NO_CONFLICT) {
    if (s->depth > 0 && s->conflict >= 0) return conflict_block(r);
    sw_sat_step(s, SW_SAT_DONE, 0);
    return 1;
  }
  if (sw_sat_all_satisfied(s)) {
    sw_sat_step(s, SW_SAT_DONE, 0);
    return 1;
  }
  int32_t open = sw_sat_open_var(s);
  if (open >= 0 && sw_sat_domain(s, open) == 0) {
    sw_sat_step(s, SW_SAT_BACKTRACK, 0);
    return 1;
  }
  return decision_block(r, vars, scratch);
}

int sw_sat_rollout(const sw_instance *formula,
                   const sw_sat_rollout_options *options, sw_trace *trace,
                   sw_arena *arena, sw_sat_point **points, int64_t *count,
                   sw_err *err) {
  rollout r = {0};
  size_t n = (size_t)formula->n + 1;
  *points = NULL;
  *count = 0;
  r.options = options;
  r.trace = trace;
  r.arena = arena;
  r.list = malloc(sizeof *r.list * n * 3);
  if (!r.list)
    return sw_no_memory_for(err, "a rollout over %d variables", formula->n);
  sw_mt_seed(&r.rng, options->tie_seed);
  sw_sat_search_init(&r.search);
  int64_t iterations = 16 * (int64_t)formula->n + 32;
  r.search.strict = 1;
  r.search.max_steps = 8 * iterations + 20;
  int code = sw_sat_search_reset(&r.search, formula, err);
  if (!code) {
    sw_trace_clear(trace);
    sw_sat_put_prefix(formula, 0, trace);
    trace->n = formula->n;
    for (int64_t i = 0; i < iterations && !r.failed; i++)
      if (!walk(&r, r.list + n, r.list + 2 * n)) break;
    if (r.failed || trace->failed)
      code = sw_no_memory_for(err, "a rollout over %d variables", formula->n);
  }
  sw_sat_search_free(&r.search);
  free(r.list);
  free(r.text.data);
  if (code) {
    free(r.point);
    return code;
  }
  *points = r.point;
  *count = r.points;
  return 0;
}
