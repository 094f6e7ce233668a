/* Scratchpads (see sat_pad.h). A well-formed one is clauses, each `C_k : l x l
 * x ...`, then [/PROP]; `self` has one clause. */
#include "domains/sat/sat_pad.h"

#include <string.h>

#include "domains/sat/tokens.h"

enum { ONE_CLAUSE = 32 };
enum { CLAUSE, COLON, LITERAL, MARK, MORE }; /* MORE: literal, clause or end */

int64_t sw_sat_pad_limit(const sw_sat_format *format, int64_t shown) {
  if (format->show == SW_SAT_SHOW_SELF) return ONE_CLAUSE;
  /* A clause of three literals takes six tokens of the problem and eight of a
   * scan, a shorter one less in proportion; the state makes room for more. */
  return format->show == SW_SAT_SHOW_SCAN ? 4 * shown / 3 + 1 : 0;
}

void sw_sat_pad_init(sw_sat_pad *pad) {
  memset(pad, 0, sizeof *pad);
  sw_trace_init(&pad->exact);
}

void sw_sat_pad_free(sw_sat_pad *pad) { sw_trace_free(&pad->exact); }

void sw_sat_pad_begin(sw_sat_pad *pad, const sw_sat_format *format,
                      const sw_sat_view *view, int64_t shown) {
  sw_trace exact = pad->exact;
  memset(pad, 0, sizeof *pad);
  pad->exact = exact;
  pad->format = format;
  pad->most = sw_sat_pad_limit(format, shown);
  pad->next = CLAUSE;
  sw_trace_clear(&pad->exact);
  sw_trace_begin_block(&pad->exact);
  sw_sat_put_pad(format, view, &pad->exact);
}

int32_t sw_sat_pad_exact(const sw_sat_pad *pad) {
  return pad->written < pad->exact.length ? pad->exact.token[pad->written]
                                          : SW_SAT_PROP_END;
}

static int is_clause(int32_t token) {
  return token >= SW_SAT_CLAUSE && token < SW_SAT_LEVEL;
}
static int is_literal(int32_t token) {
  return token >= SW_SAT_POSITIVE && token < SW_SAT_CLAUSE;
}
static int is_mark(int32_t token) {
  return token == SW_SAT_T || token == SW_SAT_F || token == SW_SAT_U;
}

/* The clause just written: is it one of the problem, falsified, and shown so?
 */
static void close_entry(sw_sat_pad *pad, const sw_sat_view *view) {
  const sw_instance *f = view->formula;
  int32_t c = pad->clause;
  if (c >= f->m || !pad->matches || !pad->all_false ||
      pad->literals != f->start[c + 1] - f->start[c])
    return;
  for (int32_t i = f->start[c]; i < f->start[c + 1]; i++)
    if (view->value[f->literal[i]] >= 0) return;
  pad->found = 1;
}

static void read_literal(sw_sat_pad *pad, const sw_sat_view *view,
                         int32_t token) {
  const sw_instance *f = view->formula;
  int32_t c = pad->clause;
  int32_t at = c < f->m ? f->start[c] + pad->literals : 0;
  pad->matches &= c < f->m && at < f->start[c + 1] &&
                  sw_sat_literal_token(f->literal[at]) == token;
  pad->literals++;
  pad->next = MARK;
}

static void begin_entry(sw_sat_pad *pad, int32_t token) {
  pad->clause = token - SW_SAT_CLAUSE;
  pad->literals = 0;
  pad->matches = pad->all_false = 1;
  pad->next = COLON;
}

/* One token of the grammar; 0: it does not belong there. Even then what stands
 * before it counts, and reading goes on with the next clause: a pad of another
 * form may still show the conflict. */
static int read_token(sw_sat_pad *pad, const sw_sat_view *view, int32_t token) {
  int more = pad->next == MORE, due = more || pad->next == CLAUSE;
  if (pad->next == COLON && token == SW_SAT_COLON) {
    pad->next = LITERAL;
    return 1;
  }
  if ((more || pad->next == LITERAL) && is_literal(token)) {
    read_literal(pad, view, token);
    return 1;
  }
  if (pad->next == MARK && is_mark(token)) {
    pad->all_false &= token == SW_SAT_F;
    pad->next = MORE;
    return 1;
  }
  if (more) close_entry(pad, view);
  if (is_clause(token)) {
    int first = pad->entries++ == 0;
    begin_entry(pad, token);
    return due && (first || pad->format->show == SW_SAT_SHOW_SCAN);
  }
  pad->next = CLAUSE;
  return more && token == SW_SAT_PROP_END;
}

int sw_sat_pad_take(sw_sat_pad *pad, const sw_sat_view *view, int32_t token) {
  pad->differs |= token != sw_sat_pad_exact(pad);
  pad->written++;
  pad->malformed |= !read_token(pad, view, token);
  if (token == SW_SAT_PROP_END) {
    pad->differs |= pad->written != pad->exact.length;
    return 1;
  }
  if (pad->written < pad->most) return 0;
  if (pad->next == MORE) close_entry(pad, view);
  pad->differs = pad->malformed = 1; /* cut off */
  return 1;
}

void sw_sat_pad_count(const sw_sat_pad *pad, int conflict, int64_t *count) {
  count[SW_PADS_WRITTEN]++;
  count[SW_PADS_RIGHT] += !pad->differs;
  count[SW_PADS_MALFORMED] += pad->malformed;
  count[SW_PADS_MISSED] += conflict && !pad->found;
}
