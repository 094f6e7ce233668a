/* Watched-literal propagation (watch.h), in the published order. */
#include "domains/sat/watch.h"

static int is_false(const sw_sat_search *s, int32_t literal) {
  return s->value[literal] < 0;
}

void sw_sat_make_true(sw_sat_search *s, int32_t literal, int32_t reason) {
  s->value[literal] = 1;
  s->value[literal ^ 1] = -1;
  s->trail[s->trail_size++] = literal;
  s->level[literal >> 1] = s->depth;
  s->reason[literal >> 1] = reason;
  s->queue[s->queue_size++] = literal ^ 1;
}

static void add_watch(sw_sat_search *s, int32_t literal, int32_t clause) {
  s->watch[s->formula->watch_start[literal] + s->watch_count[literal]++] =
      clause;
}

/* First position, other than the two watched ones, whose literal is not
 * false; -1: none. */
static int32_t find_free(const sw_sat_search *s, const int32_t *literal,
                         int32_t length, int32_t a, int32_t b) {
  for (int32_t k = 0; k < length; k++)
    if (k != a && k != b && !is_false(s, literal[k])) return k;
  return -1;
}

/* Visits the clauses that watch `falsified`. A clause that finds another
 * literal leaves the list; the others keep their order, which is what erasing
 * while walking over a copy amounts to (no clause can join the list of a
 * false literal meanwhile). */
static void visit_watchers(sw_sat_search *s, int32_t falsified) {
  const sw_instance *f = s->formula;
  int32_t *list = s->watch + f->watch_start[falsified];
  int32_t count = s->watch_count[falsified], kept = 0, i = 0;
  for (; i < count && s->conflict == SW_SAT_NO_CONFLICT; i++) {
    int32_t c = list[i];
    const int32_t *literal = f->literal + f->start[c];
    int32_t *place = s->watched + 2 * c;
    int side = literal[place[0]] == falsified ? 0 : 1;
    int32_t other = literal[place[1 - side]];
    if (s->value[other] > 0) {
      list[kept++] = c;
      continue;
    }
    int32_t k = find_free(s, literal, f->start[c + 1] - f->start[c], place[0],
                          place[1]);
    if (k >= 0) {
      place[side] = k;
      add_watch(s, literal[k], c);
      continue;
    }
    list[kept++] = c;
    if (is_false(s, other)) {
      s->conflict = c;
      s->queue_size = 0;
    } else {
      sw_sat_make_true(s, other, c);
    }
  }
  while (i < count) list[kept++] = list[i++];
  s->watch_count[falsified] = kept;
}

/* Does x come before y in the list order? */
static int before(const sw_sat_search *s, int32_t x, int32_t y) {
  if (s->activity[x] != s->activity[y]) return s->activity[x] > s->activity[y];
  int32_t a = s->formula->occurrences[x], b = s->formula->occurrences[y];
  return a != b ? a > b : x < y;
}

/* Moves the variable at `position` towards the front to where it belongs. */
static void settle(sw_sat_search *s, int32_t position) {
  int32_t var = s->order[position];
  while (position > 0 && before(s, var, s->order[position - 1])) {
    s->order[position] = s->order[position - 1];
    s->rank[s->order[position]] = position;
    position--;
  }
  s->order[position] = var;
  s->rank[var] = position;
}

/* The decay happens only when a conflicting call falls on a multiple of 100
 * steps: the published environment does it that way, and traces depend on it.
 * Rounding can merge or part neighbours, hence the whole pass. */
static void bump(sw_sat_search *s, int32_t clause) {
  const sw_instance *f = s->formula;
  for (int32_t i = f->start[clause]; i < f->start[clause + 1]; i++) {
    int32_t var = f->literal[i] >> 1;
    s->activity[var] += 1.0f;
    settle(s, s->rank[var]);
  }
  if (s->steps > 0 && s->steps % 100 == 0) {
    for (int32_t v = 0; v < s->n; v++) s->activity[v] *= 0.95f;
    for (int32_t i = 1; i < s->n; i++) settle(s, i);
  }
}

void sw_sat_propagate(sw_sat_search *s) {
  while (s->queue_size > 0 && s->conflict == SW_SAT_NO_CONFLICT)
    visit_watchers(s, s->queue[--s->queue_size]);
  s->pending = 0;
  if (s->conflict >= 0) bump(s, s->conflict);
}

void sw_sat_watch_start(sw_sat_search *s) {
  const sw_instance *f = s->formula;
  for (int32_t c = 0; c < f->m; c++) {
    int32_t length = f->start[c + 1] - f->start[c];
    const int32_t *literal = f->literal + f->start[c];
    s->watched[2 * c + 1] = length > 1;
    if (length > 0) add_watch(s, literal[0], c);
    if (length > 1) add_watch(s, literal[1], c);
  }
  for (int32_t c = 0; c < f->m && s->conflict == SW_SAT_NO_CONFLICT; c++) {
    int32_t length = f->start[c + 1] - f->start[c];
    int32_t literal = length ? f->literal[f->start[c]] : -1;
    if (length == 0 || (length == 1 && is_false(s, literal)))
      s->conflict = length == 0 ? c : SW_SAT_CONTRADICTION;
    else if (length == 1 && s->value[literal] == 0)
      sw_sat_make_true(s, literal, c);
  }
  if (s->conflict == SW_SAT_NO_CONFLICT) sw_sat_propagate(s);
  s->queue_size = 0;
}
