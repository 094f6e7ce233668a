/* Any derivation of a sentence, whichever choices lead to it (see machine.h).
 * Ordered choice commits: an alternative that matched is kept, even if only
 * another one leaves words that can follow. The table of reach.h commits to
 * nothing. The derivation is read from it top down: a rule that spans some
 * words is split into the spans of its items. */
#include <stdlib.h>

#include "base/grow.h"
#include "base/stop.h"
#include "domains/parsing/reach.h"

/* A symbol that spans words, or (-1 - rule) what is left of a list. */
typedef struct task {
  int32_t what, from, to;
} task;

typedef struct finder {
  sw_parse_reach reach;
  sw_parse_machine *m;
  task *stack;
  int32_t count, room;
  int64_t pending; /* whatever was put there */
  /* Where the items of an alternative can begin: a set of places for each, one
   * behind the other; and where they do. */
  int32_t *place, place_room;
  int32_t first[SW_GRAMMAR_ITEMS + 1], split[SW_GRAMMAR_ITEMS + 1];
  int64_t *mark, stamp; /* [length + 1] of the set that is being collected */
  int32_t next;         /* the end of a word */
} finder;

static int push(finder *f, int32_t what, int32_t from, int32_t to) {
  if (!sw_grow(&f->stack, &f->room, f->count + 1, sizeof *f->stack)) return -1;
  f->stack[f->count++] = (task){what, from, to};
  f->pending += 2; /* and the end of its node */
  return 1;
}

static int step(finder *f, int value) {
  sw_parse_machine *m = f->m;
  if (!sw_grow(&m->trail, &m->trail_room, m->trails + 1, sizeof *m->trail))
    return -1;
  m->trail[m->trails++] = (int16_t)value;
  return 1;
}

/* Where a symbol that starts at `from` can end. */
static const int32_t *ends_of(finder *f, int symbol, int32_t from,
                              int32_t *count) {
  const sw_parse_machine *m = f->m;
  const sw_grammar_symbol *s = &m->grammar->symbol[symbol];
  if (s->rule >= 0) return sw_parse_ends(&f->reach, s->rule, 0, from, count);
  *count = from < m->length && (s->words >> m->input[from] & 1);
  f->next = from + 1;
  return &f->next;
}

static int among(const int32_t *end, int32_t count, int32_t to) {
  for (int32_t i = 0; i < count; i++)
    if (end[i] == to) return 1;
  return 0;
}

static int spans(finder *f, int symbol, int32_t from, int32_t to) {
  int32_t count;
  const int32_t *end = ends_of(f, symbol, from, &count);
  return among(end, count, to);
}

/* The places where item i + 1 of an alternative can begin, from those of item
 * i; nothing is empty, so all lie before `to`. -1: out of memory. */
static int next_set(finder *f, int symbol, int i, int32_t to) {
  int32_t places = f->first[i + 1];
  f->stamp++;
  for (int32_t k = f->first[i]; k < f->first[i + 1]; k++) {
    int32_t count;
    const int32_t *end = ends_of(f, symbol, f->place[k], &count);
    for (int32_t e = 0; e < count; e++) {
      if (end[e] >= to || f->mark[end[e]] == f->stamp) continue;
      f->mark[end[e]] = f->stamp;
      if (!sw_grow(&f->place, &f->place_room, places + 1, sizeof *f->place))
        return -1;
      f->place[places++] = end[e];
    }
  }
  f->first[i + 2] = places;
  return places > f->first[i + 1];
}

/* Can the alternative span these words? 1: f->split says how. */
static int split_alt(finder *f, const sw_grammar_alt *alt, int32_t from,
                     int32_t to) {
  const int16_t *item = &f->m->grammar->item[alt->first];
  if (!sw_grow(&f->place, &f->place_room, 1, sizeof *f->place)) return -1;
  f->place[0] = from;
  f->first[0] = 0;
  f->first[1] = 1;
  for (int i = 0; i + 1 < alt->count; i++) {
    int some = next_set(f, item[i], i, to);
    if (some <= 0) return some;
  }
  f->split[alt->count] = to;
  for (int i = alt->count - 1; i >= 0; i--) {
    int32_t k = f->first[i];
    while (k < f->first[i + 1] &&
           !spans(f, item[i], f->place[k], f->split[i + 1]))
      k++;
    if (k == f->first[i + 1]) return 0;
    f->split[i] = f->place[k];
  }
  return 1;
}

/* The first alternative that can, and its items as tasks, the first on top. */
static int take_alt(finder *f, const sw_grammar_rule *rule, task t) {
  const sw_grammar *g = f->m->grammar;
  int found = 0, a = 0;
  for (; a < rule->count && !found; a += !found)
    found = split_alt(f, &g->alt[rule->first + a], t.from, t.to);
  if (found > 0 && rule->kind == SW_RULE_CHOICE) found = step(f, a);
  const sw_grammar_alt *alt = &g->alt[rule->first + a];
  for (int i = found > 0 ? alt->count - 1 : -1; i >= 0 && found > 0; i--)
    found = push(f, g->item[alt->first + i], f->split[i], f->split[i + 1]);
  return found;
}

/* An item of a list and what is left of it. */
static int take_item(finder *f, int rule, task t) {
  const sw_grammar *g = f->m->grammar;
  int32_t count, left;
  int item = g->item[g->alt[g->rule[rule].first].first];
  const int32_t *end = ends_of(f, item, t.from, &count);
  for (int32_t i = 0; i < count; i++) {
    const int32_t *rest = sw_parse_ends(&f->reach, rule, 1, end[i], &left);
    int32_t place = end[i];
    if (!among(rest, left, t.to)) continue;
    return push(f, -1 - rule, place, t.to) < 0 ? -1
                                               : push(f, item, t.from, place);
  }
  return 0;
}

static int take(finder *f, task t) {
  const sw_grammar *g = f->m->grammar;
  if (t.what < 0) { /* a list ends, or goes on behind a separator */
    int more = t.from < t.to, stepped = step(f, more);
    t.from++;
    return more && stepped > 0 ? take_item(f, -1 - t.what, t) : stepped;
  }
  int rule = g->symbol[t.what].rule;
  if (rule < 0) return 1;
  if (g->rule[rule].kind == SW_RULE_LIST) return take_item(f, rule, t);
  return take_alt(f, &g->rule[rule], t);
}

static int find(finder *f) {
  sw_parse_machine *m = f->m;
  int start = m->grammar->start, found;
  if (!sw_parse_reach_fill(&f->reach)) return -1;
  if (!spans(f, start, 0, m->length)) return 0;
  f->mark = calloc((size_t)m->length + 1, sizeof *f->mark);
  if (!f->mark) return -1;
  m->cells = m->frames = m->trails = m->shown_count = 0;
  m->top = -1;
  found = push(f, start, 0, m->length);
  while (found > 0 && f->count) {
    if (sw_time_to_stop()) return -1;
    found = take(f, f->stack[--f->count]);
  }
  if (found <= 0 || !sw_parse_follow_room(m, 2 * f->pending)) return -1;
  m->cursor = m->final_cursor = m->length;
  m->event = SW_PARSE_PARSED;
  return 1;
}

int sw_parse_any(sw_parse_machine *m) {
  finder f = {.m = m};
  sw_parse_reach_reset(&f.reach, m->grammar, m->input, m->length);
  f.reach.lists_end = 1;
  int found = find(&f);
  if (found < 0) m->event = SW_PARSE_MEMORY;
  sw_parse_reach_free(&f.reach);
  free(f.stack);
  free(f.place);
  free(f.mark);
  return found;
}
