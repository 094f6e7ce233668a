/* The search environment (search.h): actions, propagation, backtracking. */
#include "domains/sat/sat_search.h"

#include <stdlib.h>
#include <string.h>

#include "domains/sat/watch.h"

static const char *const ending_name[] = {
#define X(id, name, text) name,
    SW_SAT_ENDINGS(X)
#undef X
};

const char *sw_sat_ending_name(sw_sat_ending ending) {
  return ending_name[ending];
}

void sw_sat_search_init(sw_sat_search *s) { memset(s, 0, sizeof *s); }

void sw_sat_search_free(sw_sat_search *s) {
  free(s->block);
  memset(s, 0, sizeof *s);
}

/* Hands out the arrays from one block. With block NULL it only measures. */
static size_t lay_out(sw_sat_search *s, const sw_instance *f, char *block) {
  size_t n = (size_t)f->n, m = (size_t)f->m, used = 0;
  size_t literals = (size_t)f->start[f->m];
#define PLACE(field, count)                              \
  do {                                                   \
    if (block) s->field = (void *)(block + used);        \
    used += (sizeof *s->field * (count) + 15) / 16 * 16; \
  } while (0)
  PLACE(value, 2 * n);
  PLACE(activity, n);
  PLACE(order, n);
  PLACE(rank, n);
  PLACE(trail, n);
  PLACE(level, n);
  PLACE(reason, n);
  PLACE(frame, n);
  PLACE(watched, 2 * m);
  PLACE(watch, literals);
  PLACE(watch_count, 2 * n);
  PLACE(queue, n);
#undef PLACE
  return used;
}

int sw_sat_search_reset(sw_sat_search *s, const sw_instance *f, sw_err *err) {
  size_t bytes = lay_out(s, f, NULL);
  if (bytes > s->block_bytes) {
    void *block = realloc(s->block, bytes);
    if (!block) return sw_no_memory_for(err, "a search over %d clauses", f->m);
    s->block = block;
    s->block_bytes = bytes;
  }
  if (s->block) {
    lay_out(s, f, s->block);
    memset(s->block, 0, bytes);
  }
  s->formula = f;
  s->n = f->n;
  s->m = f->m;
  s->trail_size = s->depth = s->queue_size = 0;
  s->selected = -1;
  s->conflict = SW_SAT_NO_CONFLICT;
  s->pending = 0;
  s->ending = SW_SAT_END_RUNNING;
  s->steps = s->ignored = s->propagations = s->backtracks = 0;
  for (int32_t i = 0; i < s->n; i++) {
    s->order[i] = f->by_occurrence[i];
    s->rank[f->by_occurrence[i]] = i;
  }
  sw_sat_watch_start(s);
  return SW_OK;
}

int32_t sw_sat_open_var(const sw_sat_search *s) {
  if (s->depth == 0) return -1;
  int32_t var = s->frame[s->depth - 1].var;
  return s->value[2 * var] == 0 ? var : -1;
}

int sw_sat_domain(const sw_sat_search *s, int32_t var) {
  if (s->value[2 * var])
    return s->value[2 * var] > 0 ? SW_SAT_BIT_TRUE : SW_SAT_BIT_FALSE;
  if (sw_sat_open_var(s) == var)
    return SW_SAT_BIT_BOTH & ~s->frame[s->depth - 1].failed;
  return SW_SAT_BIT_BOTH;
}

int sw_sat_all_satisfied(const sw_sat_search *s) {
  const int32_t *start = s->formula->start, *literal = s->formula->literal;
  for (int32_t c = 0; c < s->m; c++) {
    int32_t i = start[c], end = start[c + 1];
    while (i < end && s->value[literal[i]] <= 0) i++;
    if (i == end) return 0;
  }
  return 1;
}

int32_t sw_sat_key_clause(const sw_instance *f, const int8_t *value) {
  int32_t best = 0, fewest = INT32_MAX;
  for (int32_t c = 0; c < f->m; c++) {
    int32_t free_literals = 0, i = f->start[c], end = f->start[c + 1];
    for (; i < end && value[f->literal[i]] <= 0; i++)
      free_literals += value[f->literal[i]] == 0;
    if (i == end && free_literals < fewest) {
      best = c;
      fewest = free_literals;
      if (fewest == 0) break;
    }
  }
  return best;
}

int sw_sat_legal(const sw_sat_search *s, sw_sat_action action, int32_t arg) {
  if (s->ending != SW_SAT_END_RUNNING) return 0;
  int quiet = !s->pending && s->conflict == SW_SAT_NO_CONFLICT;
  int32_t open = sw_sat_open_var(s);
  switch (action) {
    case SW_SAT_SELECT:
      return quiet && s->selected < 0 && arg >= 0 && arg < s->n &&
             s->value[2 * arg] == 0 && (open < 0 || open == arg) &&
             sw_sat_domain(s, arg) != 0;
    case SW_SAT_ASSIGN:
      return quiet && s->selected >= 0 && (arg == 0 || arg == 1) &&
             s->value[2 * s->selected] == 0 &&
             (open < 0 || open == s->selected) &&
             (sw_sat_domain(s, s->selected) & (1 << arg)) != 0;
    case SW_SAT_PROPAGATE:
      return s->pending;
    case SW_SAT_BACKTRACK:
      return s->depth > 0;
    case SW_SAT_DONE:
      return !s->pending && s->selected < 0;
  }
  return 0;
}

static void assign(sw_sat_search *s, int value) {
  int32_t var = s->selected;
  if (sw_sat_open_var(s) == var) {
    sw_sat_frame *top = &s->frame[s->depth - 1];
    top->value = value;
    top->tried |= 1 << value;
  } else {
    s->frame[s->depth++] =
        (sw_sat_frame){var, value, s->trail_size, 1 << value, 0};
  }
  sw_sat_make_true(s, 2 * var + !value, -1);
  s->selected = -1;
  s->pending = 1;
}

static void undo_to(sw_sat_search *s, int32_t size) {
  while (s->trail_size > size) {
    int32_t literal = s->trail[--s->trail_size];
    s->value[literal] = s->value[literal ^ 1] = 0;
  }
}

/* Marks the top frame's value as failed and leaves the frame open. */
static void fail_top(sw_sat_search *s) {
  sw_sat_frame *top = &s->frame[s->depth - 1];
  top->failed |= 1 << top->value;
  top->tried |= 1 << top->value;
  undo_to(s, top->trail_start);
  s->conflict = SW_SAT_NO_CONFLICT;
}

static void backtrack(sw_sat_search *s) {
  int was_open = sw_sat_open_var(s) >= 0;
  s->selected = -1;
  s->pending = 0;
  s->queue_size = 0;
  s->backtracks++;
  if (was_open) s->depth--;
  if (s->depth > 0) fail_top(s);
  else s->conflict = SW_SAT_EXHAUSTED;
}

static void done(sw_sat_search *s) {
  if (s->conflict == SW_SAT_NO_CONFLICT && sw_sat_all_satisfied(s))
    s->ending = SW_SAT_END_SAT;
  else if (s->conflict != SW_SAT_NO_CONFLICT && s->depth == 0)
    s->ending = SW_SAT_END_UNSAT;
  else s->ending = SW_SAT_END_DONE_FAILURE;
}

int sw_sat_step(sw_sat_search *s, sw_sat_action action, int32_t argument) {
  if (s->ending != SW_SAT_END_RUNNING) return 0;
  s->steps++;
  int legal = sw_sat_legal(s, action, argument);
  if (!legal) {
    s->ignored++;
    if (s->strict) s->ending = SW_SAT_END_INVALID;
  } else if (action == SW_SAT_SELECT) {
    s->selected = argument;
  } else if (action == SW_SAT_ASSIGN) {
    assign(s, argument);
  } else if (action == SW_SAT_PROPAGATE) {
    s->propagations++;
    sw_sat_propagate(s);
  } else if (action == SW_SAT_BACKTRACK) {
    backtrack(s);
  } else {
    done(s);
  }
  if (s->ending == SW_SAT_END_RUNNING && s->max_steps > 0 &&
      s->steps >= s->max_steps)
    s->ending = SW_SAT_END_TIMEOUT;
  return legal;
}
