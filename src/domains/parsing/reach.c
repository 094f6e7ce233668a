/* What rules can match (see reach.h). Nothing in a grammar is empty and no rule
 * starts with itself, so what a rule can do at a place depends on what follows
 * that place, and on other rules at it in an order without circles. */
#include "domains/parsing/reach.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/stop.h"

enum { LONG = 256 }; /* words, from which on a single rule takes a while */

void sw_parse_reach_reset(sw_parse_reach *r, const sw_grammar *grammar,
                          const int16_t *input, int32_t length) {
  r->grammar = grammar;
  r->input = input;
  r->length = length;
  r->ready = 0;
}

void sw_parse_reach_free(sw_parse_reach *r) {
  free(r->span);
  free(r->end);
  free(r->from);
  free(r->to);
  free(r->mark);
  memset(r, 0, sizeof *r);
}

static uint64_t word_at(const sw_parse_reach *r, int32_t at) {
  return at < r->length ? (uint64_t)1 << r->input[at] : 0;
}

static sw_parse_span *span_of(const sw_parse_reach *r, int rule, int rest,
                              int32_t at) {
  return &r->span[(at * 2 + rest) * r->grammar->rules + rule];
}

/* A set of places that is being collected. */
static void begin_set(sw_parse_reach *r) {
  if (r->stamp == INT32_MAX) { /* an environment lives for many sentences */
    memset(r->mark, 0, sizeof *r->mark * (size_t)r->scratch_room);
    r->stamp = 0;
  }
  r->stamp++;
}
static int32_t put(sw_parse_reach *r, int32_t count, int32_t place) {
  if (r->mark[place] == r->stamp) return count;
  r->mark[place] = r->stamp;
  r->to[count] = place;
  return count + 1;
}
static int32_t put_span(sw_parse_reach *r, int32_t count,
                        const sw_parse_span *s) {
  for (int32_t i = 0; i < s->count; i++)
    count = put(r, count, r->end[s->first + i]);
  return count;
}

/* The places that `count` places of r->from lead to by one symbol (rest: by
 * what is left of a list of that name); they are then in r->from. */
static int32_t advance(sw_parse_reach *r, int symbol, int rest, int32_t count) {
  const sw_grammar_symbol *s = &r->grammar->symbol[symbol];
  int32_t reached = 0;
  begin_set(r);
  for (int32_t i = 0; i < count; i++) {
    int32_t at = r->from[i];
    if (s->rule >= 0)
      reached = put_span(r, reached, span_of(r, s->rule, rest, at));
    else if (s->words & word_at(r, at)) reached = put(r, reached, at + 1);
  }
  int32_t *swap = r->from;
  r->from = r->to;
  r->to = swap;
  return reached;
}

/* The same by the items of an alternative, from one place. */
static int32_t advance_alt(sw_parse_reach *r, const sw_grammar_alt *alt,
                           int32_t at) {
  int32_t count = 1;
  r->from[0] = at;
  for (int i = 0; i < alt->count && count; i++)
    count = advance(r, r->grammar->item[alt->first + i], 0, count);
  return count;
}

/* Appends the places of r->from to those that a span holds. */
static int keep(sw_parse_reach *r, sw_parse_span *s, int32_t count) {
  begin_set(r);
  for (int32_t k = 0; k < s->count; k++)
    r->mark[r->end[s->first + k]] = r->stamp;
  for (int32_t i = 0; i < count; i++) {
    if (r->mark[r->from[i]] == r->stamp) continue;
    if (!sw_grow(&r->end, &r->end_room, r->ends + 1, sizeof *r->end)) return 0;
    r->end[r->ends++] = r->from[i];
    s->count++;
  }
  return 1;
}

/* What a list can still match at a place where an item has ended. */
static int fill_rest(sw_parse_reach *r, int rule, int32_t at) {
  const sw_grammar *g = r->grammar;
  const sw_grammar_alt *alt = &g->alt[g->rule[rule].first];
  int item = g->item[alt->first], separator = g->item[alt->first + 1];
  sw_parse_span *s = span_of(r, rule, 1, at);
  *s = (sw_parse_span){r->ends, 0};
  int follows = (g->symbol[separator].words & word_at(r, at)) != 0;
  r->from[0] = at;
  if ((!follows || r->lists_end) && !keep(r, s, 1)) return 0;
  if (!follows) return 1;
  r->from[0] = at + 1;
  int32_t count = advance(r, item, 0, 1), reached = 0;
  begin_set(r);
  for (int32_t i = 0; i < count; i++)
    reached = put_span(r, reached, span_of(r, rule, 1, r->from[i]));
  memcpy(r->from, r->to, sizeof *r->from * (size_t)reached);
  return keep(r, s, reached);
}

/* What a rule can match at a place; what comes after it is known. */
static int fill_rule(sw_parse_reach *r, int rule, int32_t at) {
  const sw_grammar *g = r->grammar;
  const sw_grammar_rule *this = &g->rule[rule];
  int list = this->kind == SW_RULE_LIST, choice = this->kind == SW_RULE_CHOICE;
  uint64_t word = word_at(r, at);
  sw_parse_span *s = span_of(r, rule, 0, at);
  if (s->count >= 0) return 1;
  if (r->length > LONG && sw_time_to_stop()) return 0;
  for (int a = 0; a < this->count; a++) { /* what they start with */
    int first = g->symbol[g->item[g->alt[this->first + a].first]].rule;
    if (first >= 0 && !fill_rule(r, first, at)) return 0;
  }
  *s = (sw_parse_span){r->ends, 0};
  for (int a = 0; a < this->count; a++) {
    const sw_grammar_alt *alt = &g->alt[this->first + a];
    int32_t count = 1;
    if (choice && !(alt->starts & word)) continue;
    r->from[0] = at;
    if (list) {
      count = advance(r, g->item[alt->first], 0, count);
      int32_t reached = 0;
      begin_set(r);
      for (int32_t i = 0; i < count; i++)
        reached = put_span(r, reached, span_of(r, rule, 1, r->from[i]));
      memcpy(r->from, r->to, sizeof *r->from * (size_t)reached);
      count = reached;
    } else {
      count = advance_alt(r, alt, at);
    }
    if (!keep(r, s, count)) return 0;
  }
  return 1;
}

static int make_room(sw_parse_reach *r) {
  int32_t places = r->length + 2, room = r->scratch_room;
  int64_t spans = 2 * (int64_t)r->grammar->rules * (r->length + 1);
  if (spans > INT32_MAX ||
      !sw_grow(&r->span, &r->span_room, (int32_t)spans, sizeof *r->span))
    return 0;
  if (places > room) {
    int32_t one = room, two = room;
    if (!sw_grow(&r->from, &one, places, sizeof *r->from) ||
        !sw_grow(&r->to, &two, places, sizeof *r->to) ||
        !sw_grow(&r->mark, &room, places, sizeof *r->mark))
      return 0;
    r->scratch_room = places;
    memset(r->mark, 0, sizeof *r->mark * (size_t)places);
    r->stamp = 0;
  }
  for (int64_t i = 0; i < spans; i++) r->span[i] = (sw_parse_span){0, -1};
  r->ends = 0;
  return 1;
}

int sw_parse_reach_fill(sw_parse_reach *r) {
  const sw_grammar *g = r->grammar;
  if (r->ready) return 1;
  if (!make_room(r)) return 0;
  for (int32_t at = r->length; at >= 0; at--) {
    if (sw_time_to_stop()) return 0;
    for (int k = 0; k < g->rules; k++)
      if (g->rule[k].kind == SW_RULE_LIST && !fill_rest(r, k, at)) return 0;
    for (int k = 0; k < g->rules; k++)
      if (!fill_rule(r, k, at)) return 0;
  }
  return r->ready = 1;
}

const int32_t *sw_parse_ends(const sw_parse_reach *r, int rule, int rest,
                             int32_t at, int32_t *count) {
  const sw_parse_span *s = span_of(r, rule, rest, at);
  *count = s->count;
  return r->end + s->first;
}

int sw_parse_completable(sw_parse_reach *r, const sw_parse_machine *m) {
  const sw_grammar *g = r->grammar;
  const sw_parse_frame *f = &m->frame[m->frames - 1];
  const sw_grammar_rule *rule =
      &g->rule[g->symbol[m->cell[f->cell].symbol].rule];
  uint32_t left = sw_parse_available(m);
  if (!sw_parse_reach_fill(r)) return -1;
  for (int a = 0; left >> a; a++) {
    if (!(left >> a & 1)) continue;
    int32_t count = advance_alt(r, &g->alt[rule->first + a], f->cursor);
    for (int32_t c = m->cell[f->cell].next; c >= 0 && count;
         c = m->cell[c].next) {
      int kind = m->cell[c].kind;
      if (kind != SW_PARSE_CELL_COMMIT)
        count =
            advance(r, m->cell[c].symbol, kind == SW_PARSE_CELL_MORE, count);
    }
    for (int32_t i = 0; i < count; i++)
      if (r->from[i] == r->length) return 1;
  }
  return 0;
}
