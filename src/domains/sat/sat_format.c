/* The SAT serializer (format.h). */
#include "domains/sat/sat_format.h"

#include <string.h>

#include "domains/sat/tokens.h"

/* In prop the candidates are always U; with retry marks on, the open one is
 * annotated, which is what SW_SAT_LIST_PLAIN does with `retry_mark`. */
static const sw_sat_format formats[] = {
    {"evidence", SW_SAT_LIST_ALL, SW_SAT_SHOW_EVIDENCE, SW_SAT_MARK_FREE, 0, 1,
     1, 0, "clause", 0},
    {"enriched", SW_SAT_LIST_PAIRS, SW_SAT_SHOW_NOTHING, SW_SAT_MARK_LIST, 1, 0,
     1, 1, "vsids", 0},
    {"lexical", SW_SAT_LIST_PAIRS, SW_SAT_SHOW_NOTHING, SW_SAT_MARK_LIST, 0, 0,
     1, 1, "vsids", 0},
    {"stripped", SW_SAT_LIST_HIDDEN, SW_SAT_SHOW_NOTHING, SW_SAT_MARK_COLON, 1,
     0, 1, 1, "vsids", 0},
    {"minimal", SW_SAT_LIST_IDS, SW_SAT_SHOW_NOTHING, SW_SAT_MARK_COLON, 1, 0,
     1, 1, "vsids", 0},
    {"residual", SW_SAT_LIST_RESIDUAL, SW_SAT_SHOW_NOTHING, SW_SAT_MARK_COLON,
     0, 0, 1, 1, "vsids", 1},
    {"prop", SW_SAT_LIST_PLAIN, SW_SAT_SHOW_SCRATCH, SW_SAT_MARK_LIST, 0, 0, 0,
     1, "clause", 1},
    {"full", SW_SAT_LIST_ALL, SW_SAT_SHOW_NOTHING, SW_SAT_MARK_LIST, 0, 1, 1, 0,
     "clause", 0},
    {"touched", SW_SAT_LIST_ALL, SW_SAT_SHOW_TOUCHED, SW_SAT_MARK_FREE, 0, 1, 1,
     0, "clause", 0},
    {"self-scan", SW_SAT_LIST_ALL, SW_SAT_SHOW_SCAN, SW_SAT_MARK_FREE, 0, 1, 1,
     0, "clause", 0},
    {"self", SW_SAT_LIST_ALL, SW_SAT_SHOW_SELF, SW_SAT_MARK_FREE, 0, 1, 1, 0,
     "clause", 0},
};

const sw_sat_format *sw_sat_format_find(const char *name) {
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
    if (strcmp(formats[i].name, name) == 0) return &formats[i];
  return NULL;
}

/* A clause without marks. */
static void put_bare(const sw_instance *f, int32_t c, sw_trace *out) {
  sw_trace_put(out, SW_SAT_CLAUSE + c, 0);
  sw_trace_put(out, SW_SAT_COLON, 0);
  for (int32_t i = f->start[c]; i < f->start[c + 1]; i++)
    sw_trace_put(out, sw_sat_literal_token(f->literal[i]), 0);
  sw_trace_put(out, SW_SAT_SEP, 0);
}

static void put_problem(const sw_instance *f, sw_trace *out) {
  sw_trace_put(out, SW_SAT_CLAUSES, 0);
  for (int32_t c = 0; c < f->m; c++) put_bare(f, c, out);
  sw_trace_put(out, SW_SAT_SEARCH, 0);
}

void sw_sat_put_prefix(const sw_instance *f, int reread, sw_trace *out) {
  sw_trace_begin_block(out);
  sw_trace_put(out, SW_SAT_BOS, 0);
  if (!reread) put_problem(f, out);
}

static int32_t domain_token(const sw_sat_view *v, int32_t var) {
  return var == v->open_var ? sw_sat_value_token(v->open_value) : SW_SAT_U;
}

static void put_variables(const sw_sat_format *format, const sw_sat_view *v,
                          sw_trace *out) {
  for (int32_t i = 0; i < v->formula->n; i++) {
    int32_t var = format->by_activity ? v->order[i] : i;
    if (v->value[2 * var]) {
      if (format->list == SW_SAT_LIST_ALL)
        sw_trace_put(
            out, sw_sat_literal_token(2 * var + (v->value[2 * var] < 0)), 0);
      continue;
    }
    sw_trace_put(out, SW_SAT_VARIABLE + var, 0);
    if (format->list == SW_SAT_LIST_HIDDEN) sw_trace_put(out, SW_SAT_HIDDEN, 0);
    else if (format->list == SW_SAT_LIST_PLAIN && !v->retry_mark)
      sw_trace_put(out, SW_SAT_U, 0);
    else if (format->list != SW_SAT_LIST_IDS)
      sw_trace_put(out, domain_token(v, var), 0);
  }
}

/* Free literals of a clause, or -1 when it is satisfied. */
static int32_t free_literals(const sw_sat_view *v, int32_t clause) {
  const sw_instance *f = v->formula;
  int32_t count = 0;
  for (int32_t i = f->start[clause]; i < f->start[clause + 1]; i++) {
    if (v->value[f->literal[i]] > 0) return -1;
    count += v->value[f->literal[i]] == 0;
  }
  return count;
}

/* The unsatisfied clauses by remaining length (stable), the first few kept. */
static void put_residual(const sw_sat_view *v, sw_trace *out) {
  const sw_instance *f = v->formula;
  int32_t written = 0, unsatisfied = 0;
  for (int32_t length = 0; length <= f->longest; length++)
    for (int32_t c = 0; c < f->m && written < SW_SAT_RESIDUAL_CLAUSES; c++) {
      int32_t left = free_literals(v, c);
      if (left < 0 || left != length) continue;
      unsatisfied++;
      if (left == 0) {
        sw_trace_put(out, SW_SAT_CONFLICT, 0);
        return;
      }
      if (written++) sw_trace_put(out, SW_SAT_COLON, 0);
      for (int32_t i = f->start[c]; i < f->start[c + 1]; i++)
        if (v->value[f->literal[i]] == 0)
          sw_trace_put(out, sw_sat_literal_token(f->literal[i]), 0);
    }
  if (!unsatisfied) sw_trace_put(out, SW_SAT_SAT_OK, 0);
}

static int32_t verdict(const sw_sat_view *v, int32_t clause) {
  int32_t left = free_literals(v, clause);
  if (left == 0) return SW_SAT_CONFLICT;
  return left == 1 ? SW_SAT_UNIT : SW_SAT_SAT_OK;
}

static void put_marked(const sw_sat_view *v, int32_t clause, int supervised,
                       sw_trace *out) {
  const sw_instance *f = v->formula;
  for (int32_t i = f->start[clause]; i < f->start[clause + 1]; i++) {
    int8_t truth = v->value[f->literal[i]];
    sw_trace_put(out, sw_sat_literal_token(f->literal[i]), supervised);
    sw_trace_put(out, truth ? sw_sat_value_token(truth > 0) : SW_SAT_U,
                 supervised);
  }
}

/* The clause that matters, literal by literal. In the scratch form all of it
 * is the model's own writing, hence supervised; evidence is given. */
static void put_clause(const sw_sat_format *format, const sw_sat_view *v,
                       sw_trace *out) {
  const sw_instance *f = v->formula;
  int scratch = format->show == SW_SAT_SHOW_SCRATCH;
  int32_t k = v->key_clause, i, begin = 0, end = 0;
  if (f->m > 0) begin = f->start[k], end = f->start[k + 1];
  sw_trace_put(out, SW_SAT_PROP, 0);
  sw_trace_put(out, SW_SAT_CLAUSE + k, scratch);
  sw_trace_put(out, SW_SAT_COLON, scratch);
  if (scratch) {
    for (i = begin; i < end; i++)
      sw_trace_put(out, sw_sat_literal_token(f->literal[i]), 1);
    sw_trace_put(out, SW_SAT_SEP, 1);
  }
  if (begin < end) put_marked(v, k, scratch, out);
  if (scratch) {
    sw_trace_put(out, SW_SAT_SEP, 1);
    sw_trace_put(out, f->m > 0 ? verdict(v, k) : SW_SAT_SAT_OK, 1);
  }
  sw_trace_put(out, SW_SAT_PROP_END, 0);
}

/* The clauses without a true literal that have the fewest free ones (lowest
 * id), filled up with satisfied ones, in order of id: a function of the state
 * alone. One pass marks them, so that nothing is allocated. */
static void put_touched(const sw_sat_view *v, sw_trace *out) {
  const sw_instance *f = v->formula;
  int32_t chosen[SW_SAT_TOUCHED_CLAUSES], count = 0;
  for (int32_t left = 0; left <= f->longest + 1; left++)
    for (int32_t c = 0; c < f->m && count < SW_SAT_TOUCHED_CLAUSES; c++) {
      int32_t free = free_literals(v, c);
      if (free == left || (free < 0 && left > f->longest)) chosen[count++] = c;
    }
  sw_trace_put(out, SW_SAT_PROP, 0);
  for (int32_t c = 0; c < f->m; c++)
    for (int32_t i = 0; i < count; i++)
      if (chosen[i] == c) put_bare(f, c, out);
  sw_trace_put(out, SW_SAT_PROP_END, 0);
}

void sw_sat_put_pad(const sw_sat_format *format, const sw_sat_view *v,
                    sw_trace *out) {
  const sw_instance *f = v->formula;
  int scan = format->show == SW_SAT_SHOW_SCAN, falsified = 0;
  int32_t c = scan ? 0 : v->key_clause, end = scan ? f->m : c + 1;
  for (; c < end && c < f->m && !falsified; c++) {
    sw_trace_put(out, SW_SAT_CLAUSE + c, 1);
    sw_trace_put(out, SW_SAT_COLON, 1);
    put_marked(v, c, 1, out);
    falsified = free_literals(v, c) == 0;
  }
  sw_trace_put(out, SW_SAT_PROP_END, 1);
}

static void put_mark(const sw_sat_view *v, int32_t lead, sw_trace *out) {
  sw_trace_put(out, lead, 0);
  sw_trace_put(out, SW_SAT_VARIABLE + v->open_var, 0);
  sw_trace_put(out, domain_token(v, v->open_var), 0);
}

void sw_sat_put_state(const sw_sat_format *format, const sw_sat_view *v,
                      sw_trace *out) {
  int marked = v->retry_mark && v->open_var >= 0;
  sw_trace_begin_block(out);
  sw_trace_put(out, SW_SAT_STATE, 0);
  if (format->list == SW_SAT_LIST_RESIDUAL) put_residual(v, out);
  else put_variables(format, v, out);
  if (marked && format->mark == SW_SAT_MARK_COLON)
    put_mark(v, SW_SAT_COLON, out);
  sw_trace_put(out, SW_SAT_SEP, 0);
  if (v->reread) put_problem(v->formula, out);
  if (format->show == SW_SAT_SHOW_TOUCHED) put_touched(v, out);
  else if (format->show == SW_SAT_SHOW_SCRATCH ||
           format->show == SW_SAT_SHOW_EVIDENCE)
    put_clause(format, v, out);
  if (marked && format->mark == SW_SAT_MARK_FREE) put_mark(v, SW_SAT_FREE, out);
  /* The policy's writing follows directly; the environment writes nothing in
   * between. */
  if (sw_sat_writes_pad(format)) sw_trace_put(out, SW_SAT_PROP, 0);
}

void sw_sat_put_ok(const sw_sat_format *format, int32_t var, int value,
                   sw_trace *out) {
  sw_trace_put(out, SW_SAT_OK, format->supervise_ok);
  sw_trace_put(out, SW_SAT_VARIABLE + var, 0);
  sw_trace_put(out, sw_sat_value_token(value), 0);
}

void sw_sat_put_conflict(const sw_sat_format *format, int32_t clause,
                         int32_t level, sw_trace *out) {
  sw_trace_put(out, SW_SAT_CONFLICT, 1);
  sw_trace_put(out, SW_SAT_CLAUSE + clause, 1);
  sw_trace_put(out, SW_SAT_BJ, 1);
  sw_trace_put(out, SW_SAT_LEVEL + level, format->supervise_level);
}
