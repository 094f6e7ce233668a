/* The parsing machine (see machine.h). */
#include "domains/parsing/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/stop.h"

void sw_parse_init(sw_parse_machine *m, const sw_grammar *grammar,
                   int keep_failure) {
  memset(m, 0, sizeof *m);
  m->grammar = grammar;
  m->keep_failure = keep_failure;
}

void sw_parse_free(sw_parse_machine *m) {
  free(m->cell);
  free(m->frame);
  free(m->trail);
  free(m->shown);
  free(m->follow);
  memset(m, 0, sizeof *m);
}

/* -2: out of memory; -1 is the empty list. */
static int32_t cons(sw_parse_machine *m, int kind, int symbol, int32_t next) {
  if (next < -1 ||
      !sw_grow(&m->cell, &m->cell_room, m->cells + 1, sizeof *m->cell))
    return -2;
  m->cell[m->cells] = (sw_parse_cell){(int16_t)symbol, (int16_t)kind, next};
  return m->cells++;
}

static int step(sw_parse_machine *m, int value) {
  if (!sw_grow(&m->trail, &m->trail_room, m->trails + 1, sizeof *m->trail))
    return 0;
  m->trail[m->trails++] = (int16_t)value;
  return 1;
}

/* Takes down what a block shows: the cursor and the symbols from a cell on. */
static int show(sw_parse_machine *m, int32_t cursor, int32_t cell) {
  m->shown_cursor = cursor;
  m->shown_count = 0;
  for (; cell >= 0; cell = m->cell[cell].next) {
    if (m->cell[cell].kind == SW_PARSE_CELL_COMMIT) continue;
    if (!sw_grow(&m->shown, &m->shown_room, m->shown_count + 1,
                 sizeof *m->shown))
      return 0;
    m->shown[m->shown_count++] = m->cell[cell].symbol;
  }
  return 1;
}

static int32_t expand(sw_parse_machine *m, const sw_grammar_alt *alt,
                      int32_t rest) {
  for (int i = alt->count - 1; i >= 0; i--)
    rest =
        cons(m, SW_PARSE_CELL_SYMBOL, m->grammar->item[alt->first + i], rest);
  return rest;
}

static sw_parse_event memory(sw_parse_machine *m) {
  return m->event = SW_PARSE_MEMORY;
}

/* The match at (cursor, cell) failed. */
static sw_parse_event fail(sw_parse_machine *m, int32_t cursor, int32_t cell) {
  if (!show(m, cursor, cell)) return memory(m);
  m->final_cursor = cursor;
  return m->event = m->frames ? SW_PARSE_FAILURE : SW_PARSE_REJECTED;
}

static uint64_t current_word(const sw_parse_machine *m) {
  return m->cursor < m->length ? (uint64_t)1 << m->input[m->cursor] : 0;
}

static sw_parse_event ask(sw_parse_machine *m) {
  const sw_parse_frame *f = &m->frame[m->frames - 1];
  if (!show(m, f->cursor, f->cell)) return memory(m);
  return m->event = SW_PARSE_CHOICE;
}

/* A choice rule on top. Returns 1 to go on running, 0 when an event is due. */
static int enter_choice(sw_parse_machine *m, const sw_grammar_rule *rule) {
  uint64_t word = current_word(m);
  uint32_t viable = 0;
  int count = 0, only = 0;
  for (int a = 0; a < rule->count; a++)
    if (m->grammar->alt[rule->first + a].starts & word) {
      viable |= (uint32_t)1 << a;
      only = a;
      count++;
    }
  if (count == 0) return fail(m, m->cursor, m->top), 0;
  if (count == 1) { /* taken silently */
    m->top =
        expand(m, &m->grammar->alt[rule->first + only], m->cell[m->top].next);
    if (m->top == -2 || !step(m, only)) return memory(m), 0;
    return 1;
  }
  if (!sw_grow(&m->frame, &m->frame_room, m->frames + 1, sizeof *m->frame))
    return memory(m), 0;
  m->frame[m->frames++] = (sw_parse_frame){.cell = m->top,
                                           .cursor = m->cursor,
                                           .cells = m->cells,
                                           .trail = m->trails,
                                           .viable = viable,
                                           .attempt = -1};
  return ask(m), 0;
}

/* A rule on top; as enter_choice. */
static int enter_rule(sw_parse_machine *m, int symbol) {
  const sw_grammar_rule *rule =
      &m->grammar->rule[m->grammar->symbol[symbol].rule];
  const sw_grammar_alt *alt = &m->grammar->alt[rule->first];
  int32_t rest = m->cell[m->top].next;
  if (rule->kind == SW_RULE_CHOICE) return enter_choice(m, rule);
  if (rule->kind == SW_RULE_SEQUENCE) m->top = expand(m, alt, rest);
  else
    m->top = cons(m, SW_PARSE_CELL_SYMBOL, m->grammar->item[alt->first],
                  cons(m, SW_PARSE_CELL_MORE, symbol, rest));
  if (m->top == -2) return memory(m), 0;
  return 1;
}

/* After an item of a list: a separator, if there is one, and another item. */
static int go_on_list(sw_parse_machine *m) {
  const sw_grammar *g = m->grammar;
  const sw_grammar_rule *rule =
      &g->rule[g->symbol[m->cell[m->top].symbol].rule];
  const sw_grammar_alt *alt = &g->alt[rule->first];
  int more = (g->symbol[g->item[alt->first + 1]].words & current_word(m)) != 0;
  if (!step(m, more)) return memory(m), 0;
  if (!more) {
    m->top = m->cell[m->top].next;
    return 1;
  }
  m->cursor++;
  m->top = cons(m, SW_PARSE_CELL_SYMBOL, g->item[alt->first], m->top);
  if (m->top == -2) return memory(m), 0;
  return 1;
}

static sw_parse_event run(sw_parse_machine *m) {
  for (;;) {
    if (m->top < 0) {
      m->final_cursor = m->cursor;
      if (m->cursor < m->length) return m->event = SW_PARSE_REMAINING;
      /* Room for the trail's follower: at most these cells, and the end of a
       * node for each that began one. */
      if (!sw_parse_follow_room(m, 2 * (int64_t)m->cells)) return memory(m);
      return m->event = SW_PARSE_PARSED;
    }
    sw_parse_cell cell = m->cell[m->top];
    if (cell.kind == SW_PARSE_CELL_COMMIT) {
      m->frames--;
      m->top = cell.next;
    } else if (cell.kind == SW_PARSE_CELL_MORE) {
      if (!go_on_list(m)) return m->event;
    } else if (m->grammar->symbol[cell.symbol].rule >= 0) {
      if (!enter_rule(m, cell.symbol)) return m->event;
    } else if (m->grammar->symbol[cell.symbol].words & current_word(m)) {
      m->cursor++;
      m->top = cell.next;
    } else {
      return fail(m, m->cursor, m->top);
    }
  }
}

sw_parse_event sw_parse_start(sw_parse_machine *m, const int16_t *input,
                              int32_t length) {
  m->input = input;
  m->length = length;
  m->cursor = m->cells = m->frames = m->trails = m->shown_count = 0;
  m->final_cursor = 0;
  m->top = cons(m, SW_PARSE_CELL_SYMBOL, m->grammar->start, -1);
  return m->top < 0 ? memory(m) : run(m);
}

uint32_t sw_parse_available(const sw_parse_machine *m) {
  if (m->event != SW_PARSE_CHOICE) return 0;
  const sw_parse_frame *f = &m->frame[m->frames - 1];
  return f->viable & ~f->failed;
}

uint32_t sw_parse_failed(const sw_parse_machine *m) {
  return m->event == SW_PARSE_CHOICE ? m->frame[m->frames - 1].failed : 0;
}

sw_parse_event sw_parse_take(sw_parse_machine *m, int alternative) {
  sw_parse_frame *f = &m->frame[m->frames - 1];
  const sw_grammar *g = m->grammar;
  const sw_grammar_rule *rule =
      &g->rule[g->symbol[m->cell[f->cell].symbol].rule];
  f->attempt = alternative;
  m->cursor = f->cursor;
  int32_t rest = cons(m, SW_PARSE_CELL_COMMIT, 0, m->cell[f->cell].next);
  m->top = expand(m, &g->alt[rule->first + alternative], rest);
  if (m->top < 0 || !step(m, alternative)) return memory(m);
  return run(m);
}

sw_parse_event sw_parse_back(sw_parse_machine *m) {
  sw_parse_frame *f = &m->frame[m->frames - 1];
  int gave_up = m->event == SW_PARSE_CHOICE;
  m->cells = f->cells; /* whatever the attempt built is unreachable now */
  m->trails = f->trail;
  if (!gave_up) {
    f->failed |= (uint32_t)1 << f->attempt;
    if (f->viable & ~f->failed) return ask(m);
  }
  sw_parse_frame closed = *f;
  m->frames--;
  m->final_cursor = closed.cursor;
  if ((gave_up || !m->keep_failure) && !show(m, closed.cursor, closed.cell))
    return memory(m);
  return m->event = m->frames ? SW_PARSE_FAILURE : SW_PARSE_REJECTED;
}

int sw_parse_copy(sw_parse_machine *to, const sw_parse_machine *from) {
  sw_parse_machine kept = *to;
  if (!sw_grow(&to->cell, &to->cell_room, from->cells + 1, sizeof *to->cell) ||
      !sw_grow(&to->frame, &to->frame_room, from->frames + 1,
               sizeof *to->frame) ||
      !sw_grow(&to->trail, &to->trail_room, from->trails + 1,
               sizeof *to->trail))
    return 0;
  kept = *to;
  *to = *from;
  to->cell = kept.cell, to->cell_room = kept.cell_room;
  to->frame = kept.frame, to->frame_room = kept.frame_room;
  to->trail = kept.trail, to->trail_room = kept.trail_room;
  to->shown = kept.shown, to->shown_room = kept.shown_room;
  to->shown_count = 0;
  to->follow = kept.follow, to->follow_room = kept.follow_room;
  memcpy(to->cell, from->cell, (size_t)from->cells * sizeof *to->cell);
  if (from->frames)
    memcpy(to->frame, from->frame, (size_t)from->frames * sizeof *to->frame);
  if (from->trails)
    memcpy(to->trail, from->trail, (size_t)from->trails * sizeof *to->trail);
  return 1;
}

int sw_parse_finish(sw_parse_machine *m, int64_t limit) {
  for (; limit > 0; limit--) {
    if (limit % 64 == 0 && sw_time_to_stop()) break;
    if (m->event == SW_PARSE_CHOICE)
      sw_parse_take(m, __builtin_ctz(sw_parse_available(m)));
    else if (m->event == SW_PARSE_FAILURE) sw_parse_back(m);
    else break;
  }
  return m->event == SW_PARSE_PARSED;
}
