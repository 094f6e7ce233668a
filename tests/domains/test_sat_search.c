/* Seeded random walks over legal and illegal actions, the search compared
 * after every step with a slow, obvious model of it: assignments are copied,
 * propagation is a scan to the fixpoint. A million steps when STATEWISE_LONG
 * is set. Also: unit, empty and long clauses, which 3-SAT does not have. */
#include "sat_support.h"
#include "domains/sat/sat_search.h"

enum { MOST_VARS = 16 };
typedef struct slow_frame {
  int var, value, failed;
  int8_t before[MOST_VARS]; /* assignment when the decision was taken */
} slow_frame;
typedef struct slow {
  const sw_instance *f;
  int8_t value[MOST_VARS]; /* 1, -1, 0 */
  slow_frame frame[MOST_VARS];
  int depth, selected, pending, conflict, exhausted, ended;
} slow;

static int literal_value(const slow *m, int32_t literal) {
  int v = m->value[literal >> 1];
  return literal & 1 ? -v : v;
}

/* Propagates by scanning until nothing changes; returns 1 on a falsified
 * clause. */
static int close_up(slow *m) {
  for (int changed = 1; changed;) {
    changed = 0;
    for (int32_t c = 0; c < m->f->m; c++) {
      int satisfied = 0, unassigned = 0, last = -1;
      for (int32_t i = m->f->start[c]; i < m->f->start[c + 1]; i++) {
        int value = literal_value(m, m->f->literal[i]);
        satisfied |= value > 0;
        if (value == 0) unassigned++, last = m->f->literal[i];
      }
      if (satisfied || unassigned > 1) continue;
      if (unassigned == 0) return 1;
      m->value[last >> 1] = last & 1 ? -1 : 1;
      changed = 1;
    }
  }
  return 0;
}

static void slow_reset(slow *m, const sw_instance *f) {
  memset(m, 0, sizeof *m);
  m->f = f;
  m->selected = -1;
  m->conflict = close_up(m);
}

static int slow_open(const slow *m) {
  if (!m->depth) return -1;
  int var = m->frame[m->depth - 1].var;
  return m->value[var] == 0 ? var : -1;
}

static int slow_left(const slow *m, int var) { /* mask of values left */
  if (m->value[var]) return m->value[var] > 0 ? 2 : 1;
  return slow_open(m) == var ? 3 & ~m->frame[m->depth - 1].failed : 3;
}

static int slow_legal(const slow *m, sw_sat_action action, int arg) {
  int quiet = !m->pending && !m->conflict && !m->exhausted, open = slow_open(m);
  if (m->ended) return 0;
  switch (action) {
    case SW_SAT_SELECT:
      return quiet && m->selected < 0 && arg >= 0 && arg < m->f->n &&
             !m->value[arg] && (open < 0 || open == arg) && slow_left(m, arg);
    case SW_SAT_ASSIGN:
      return quiet && m->selected >= 0 && arg >= 0 && arg <= 1 &&
             (slow_left(m, m->selected) >> arg & 1);
    case SW_SAT_PROPAGATE:
      return m->pending;
    case SW_SAT_BACKTRACK:
      return m->depth > 0;
    default:
      return !m->pending && m->selected < 0;
  }
}

static void slow_assign(slow *m, int value) {
  int var = m->selected;
  if (slow_open(m) != var) {
    slow_frame *fresh = &m->frame[m->depth++];
    fresh->var = var;
    fresh->failed = 0;
    memcpy(fresh->before, m->value, sizeof m->value);
  }
  m->frame[m->depth - 1].value = value;
  m->value[var] = value ? 1 : -1;
  m->selected = -1;
  m->pending = 1;
}

static void slow_backtrack(slow *m) {
  if (slow_open(m) >= 0) m->depth--;
  m->selected = -1;
  m->pending = m->conflict = 0;
  if (m->depth == 0) {
    m->exhausted = 1;
    return;
  }
  slow_frame *top = &m->frame[m->depth - 1];
  top->failed |= 1 << top->value;
  memcpy(m->value, top->before, sizeof m->value);
}

static int slow_satisfied(const slow *m) {
  for (int32_t c = 0; c < m->f->m; c++) {
    int satisfied = 0;
    for (int32_t i = m->f->start[c]; i < m->f->start[c + 1]; i++)
      satisfied |= literal_value(m, m->f->literal[i]) > 0;
    if (!satisfied) return 0;
  }
  return 1;
}

static void slow_step(slow *m, sw_sat_action action, int arg) {
  if (action == SW_SAT_SELECT) m->selected = arg;
  if (action == SW_SAT_ASSIGN) slow_assign(m, arg);
  if (action == SW_SAT_PROPAGATE) m->conflict = close_up(m), m->pending = 0;
  if (action == SW_SAT_BACKTRACK) slow_backtrack(m);
  if (action == SW_SAT_DONE) m->ended = 1;
}

static void check_watches(const sw_sat_search *s) {
  const sw_instance *f = s->formula;
  int32_t total = 0, want = 0;
  for (int32_t c = 0; c < f->m; c++) {
    int32_t length = f->start[c + 1] - f->start[c];
    want += length < 2 ? length : 2;
    for (int side = 0; side < (length < 2 ? length : 2); side++) {
      int32_t literal = f->literal[f->start[c] + s->watched[2 * c + side]];
      int found = 0;
      for (int32_t i = 0; i < s->watch_count[literal]; i++)
        found += s->watch[f->watch_start[literal] + i] == c;
      assert_true(found >= 1);
    }
    if (length > 1)
      assert_int_not_equal(s->watched[2 * c], s->watched[2 * c + 1]);
  }
  for (int32_t l = 0; l < 2 * f->n; l++) total += s->watch_count[l];
  assert_int_equal(total, want);
}

static void check_order(const sw_sat_search *s) {
  for (int32_t i = 0; i < s->n; i++) {
    assert_int_equal(s->rank[s->order[i]], i);
    if (i == 0) continue;
    int32_t a = s->order[i - 1], b = s->order[i];
    int32_t x = s->formula->occurrences[a], y = s->formula->occurrences[b];
    assert_true(
        s->activity[a] > s->activity[b] ||
        (s->activity[a] == s->activity[b] && (x > y || (x == y && a < b))));
  }
}

static void check_trail(const sw_sat_search *s) {
  int32_t assigned = 0;
  for (int32_t v = 0; v < s->n; v++) {
    assigned += s->value[2 * v] != 0;
    assert_int_equal(s->value[2 * v], -s->value[2 * v + 1]);
  }
  assert_int_equal(assigned, s->trail_size);
  for (int32_t i = 0; i < s->trail_size; i++) {
    int32_t literal = s->trail[i], reason = s->reason[literal >> 1];
    assert_int_equal(s->value[literal], 1);
    if (reason < 0) continue;
    int found = 0; /* its reason: this literal true, all others false */
    for (int32_t k = s->formula->start[reason];
         k < s->formula->start[reason + 1]; k++)
      if (s->formula->literal[k] == literal) found = 1;
      else assert_int_equal(s->value[s->formula->literal[k]], -1);
    assert_true(found);
  }
}

static void compare(const sw_sat_search *s, const slow *m) {
  assert_int_equal(s->depth, m->depth);
  assert_int_equal(s->selected, m->selected);
  assert_int_equal(s->pending, m->pending);
  assert_int_equal(s->conflict == SW_SAT_EXHAUSTED, m->exhausted);
  assert_int_equal(s->conflict >= 0 || s->conflict == SW_SAT_CONTRADICTION,
                   m->conflict);
  for (int d = 0; d < m->depth; d++) {
    assert_int_equal(s->frame[d].var, m->frame[d].var);
    assert_int_equal(s->frame[d].failed, m->frame[d].failed);
  }
  if (s->conflict >= 0) /* the clause named is really false */
    for (int32_t i = s->formula->start[s->conflict];
         i < s->formula->start[s->conflict + 1]; i++)
      assert_int_equal(s->value[s->formula->literal[i]], -1);
  if (!m->conflict && !m->pending)
    for (int32_t v = 0; v < s->n; v++)
      assert_int_equal(s->value[2 * v], m->value[v]);
  if (!m->conflict) assert_int_equal(sw_sat_open_var(s), slow_open(m));
}

/* Clauses of 1 to 5 literals, possibly with repeated or opposite ones. */
static sw_instance *odd_formula(sw_mt *mt) {
  int32_t n = 3 + (int32_t)sw_mt_below(mt, MOST_VARS - 2);
  int32_t m = 1 + (int32_t)sw_mt_below(mt, (uint32_t)(5 * n));
  int32_t start[128], literal[640], total = 0;
  sw_instance *f;
  for (int32_t c = 0; c < m; c++) {
    int32_t length =
        sw_mt_below(mt, 40) == 0 ? 1 : 2 + (int32_t)sw_mt_below(mt, 4);
    start[c] = total;
    while (length--)
      literal[total++] = (int32_t)sw_mt_below(mt, 2 * (uint32_t)n);
  }
  start[m] = total;
  assert_int_equal(sw_sat_instance_new(&f, n, m, start, literal, NULL, NULL),
                   SW_OK);
  return f;
}

/* Mostly moves that a search makes, so that walks get deep. */
static void draw_action(const sw_sat_search *s, sw_mt *mt,
                        sw_sat_action *action, int *arg) {
  *arg = (int)sw_mt_below(mt, (uint32_t)s->n + 2) - 1;
  *action = (sw_sat_action)sw_mt_below(mt, 4);
  if (sw_mt_below(mt, 4) > 0) {
    if (s->pending) *action = SW_SAT_PROPAGATE;
    else if (s->conflict >= 0) *action = SW_SAT_BACKTRACK;
    else *action = s->selected >= 0 ? SW_SAT_ASSIGN : SW_SAT_SELECT;
  }
  if (*action == SW_SAT_ASSIGN) *arg = (int)sw_mt_below(mt, 3);
  if (sw_mt_below(mt, 200) == 0) *action = SW_SAT_DONE;
}

static int64_t walk(sw_sat_search *s, sw_mt *mt) {
  sw_instance *f = odd_formula(mt);
  slow m;
  int64_t steps = 0;
  assert_int_equal(sw_sat_search_reset(s, f, NULL), SW_OK);
  s->strict = 0;
  s->max_steps = 0;
  slow_reset(&m, f);
  for (; steps < 300 && !m.ended; steps++) {
    sw_sat_action action;
    int arg;
    compare(s, &m);
    draw_action(s, mt, &action, &arg);
    int legal = slow_legal(&m, action, arg), satisfied = slow_satisfied(&m);
    assert_int_equal(sw_sat_legal(s, action, arg), legal);
    int64_t ignored = s->ignored;
    assert_int_equal(sw_sat_step(s, action, arg), legal);
    assert_int_equal(s->ignored, ignored + !legal);
    assert_int_equal(s->steps, steps + 1);
    if (!legal) continue;
    slow_step(&m, action, arg);
    if (action == SW_SAT_DONE) {
      int bad = m.conflict || m.exhausted;
      assert_int_equal(s->ending, bad ? (m.depth ? SW_SAT_END_DONE_FAILURE
                                                 : SW_SAT_END_UNSAT)
                                  : satisfied ? SW_SAT_END_SAT
                                              : SW_SAT_END_DONE_FAILURE);
    }
    if (steps % 7 == 0) {
      check_trail(s);
      check_watches(s);
      check_order(s);
    }
  }
  sw_sat_instance_free(f);
  return steps;
}

static void test_random_walks(void **state) {
  (void)state;
  int64_t target = getenv("STATEWISE_LONG") ? 1000000 : 100000, steps = 0;
  sw_sat_search s;
  sw_mt mt;
  sw_mt_seed(&mt, 7);
  sw_sat_search_init(&s);
  while (steps < target) steps += walk(&s, &mt);
  print_message("%lld steps\n", (long long)steps);
  sw_sat_search_free(&s);
}

/* Parsed here so that the test does not need the reader. */
static sw_sat_search *search_on(const char *text, sw_instance **f) {
  int32_t start[16] = {0}, literal[64], m = 0, total = 0, n = 0, used;
  int number;
  while (sscanf(text, "%d%n", &number, &used) == 1) {
    text += used;
    if (number) literal[total++] = sw_sat_from_dimacs(number);
    else start[++m] = total;
    if (abs(number) > n) n = abs(number);
  }
  sw_sat_search *s = malloc(sizeof *s);
  assert_int_equal(sw_sat_instance_new(f, n, m, start, literal, NULL, NULL),
                   SW_OK);
  sw_sat_search_init(s);
  assert_int_equal(sw_sat_search_reset(s, *f, NULL), SW_OK);
  return s;
}

static void drop(sw_sat_search *s, sw_instance *f) {
  sw_sat_search_free(s);
  free(s);
  sw_sat_instance_free(f);
}

static void test_root_propagation(void **state) {
  (void)state;
  sw_instance *f;
  sw_sat_search *s = search_on("1 0 -1 2 0 -2 3 4 0", &f);
  assert_int_equal(s->trail_size, 2);
  assert_int_equal(s->value[0], 1);
  assert_int_equal(s->value[2], 1);
  assert_int_equal(s->steps, 0);
  drop(s, f);
  s = search_on("1 0 -1 0", &f);
  assert_int_equal(s->conflict, SW_SAT_CONTRADICTION);
  assert_true(sw_sat_step(s, SW_SAT_DONE, 0));
  assert_int_equal(s->ending, SW_SAT_END_UNSAT);
  drop(s, f);
  s = search_on("1 2 0 0", &f);
  assert_int_equal(s->conflict, 1);
  drop(s, f);
  s = search_on("1 0 -1 2 0 -1 -2 0", &f); /* conflict by propagation */
  assert_true(s->conflict >= 0);
  assert_false(sw_sat_legal(s, SW_SAT_SELECT, 0));
  drop(s, f);
}

/* The worked example's environment: trail, reasons, activity at step 6. */
static void test_worked_environment(void **state) {
  (void)state;
  sw_instance *f;
  sw_sat_search *s = search_on(
      "1 -4 3 0 -3 -2 -4 0 4 -2 1 0 -3 -2 1 0 -1 3 4 0 -1 -4 -2 0 -3 1 -2 0 "
      "4 -3 -1 0 2 3 -1 0",
      &f);
  static const int32_t trail[4] = {1, 2, -4, -3};
  static const int32_t reason[4] = {-1, -1, 5, 7};
  sw_sat_step(s, SW_SAT_SELECT, 0);
  sw_sat_step(s, SW_SAT_ASSIGN, 1);
  sw_sat_step(s, SW_SAT_PROPAGATE, 0);
  assert_int_equal(s->trail_size, 1);
  sw_sat_step(s, SW_SAT_SELECT, 1);
  sw_sat_step(s, SW_SAT_ASSIGN, 1);
  sw_sat_step(s, SW_SAT_PROPAGATE, 0);
  assert_int_equal(s->steps, 6);
  assert_int_equal(s->conflict, 4);
  for (int i = 0; i < 4; i++) {
    assert_int_equal(sw_sat_to_dimacs(s->trail[i]), trail[i]);
    assert_int_equal(s->reason[s->trail[i] >> 1], reason[i]);
  }
  assert_true(s->activity[0] == 1 && s->activity[1] == 0 &&
              s->activity[2] == 1 && s->activity[3] == 1);
  sw_sat_step(s, SW_SAT_BACKTRACK, 0);
  assert_int_equal(sw_sat_open_var(s), 1);
  assert_int_equal(sw_sat_domain(s, 1), SW_SAT_BIT_FALSE);
  drop(s, f);
}

static void test_endings(void **state) {
  (void)state;
  sw_instance *f;
  sw_sat_search *s = search_on("1 2 0 -1 2 0", &f);
  s->strict = 1;
  assert_false(sw_sat_step(s, SW_SAT_PROPAGATE, 0));
  assert_int_equal(s->ending, SW_SAT_END_INVALID);
  assert_string_equal(sw_sat_ending_name(s->ending), "invalid");
  assert_false(sw_sat_step(s, SW_SAT_SELECT, 0)); /* finished */
  assert_int_equal(s->steps, 1);
  sw_sat_search_reset(s, f, NULL);
  s->max_steps = 2;
  sw_sat_step(s, SW_SAT_SELECT, 0);
  assert_int_equal(s->ending, SW_SAT_END_RUNNING);
  sw_sat_step(s, SW_SAT_ASSIGN, 1);
  assert_int_equal(s->ending, SW_SAT_END_TIMEOUT);
  sw_sat_search_reset(s, f, NULL);
  s->max_steps = 0;
  assert_true(sw_sat_step(s, SW_SAT_DONE, 0)); /* too early */
  assert_int_equal(s->ending, SW_SAT_END_DONE_FAILURE);
  drop(s, f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_walks),
                                     cmocka_unit_test(test_root_propagation),
                                     cmocka_unit_test(test_worked_environment),
                                     cmocka_unit_test(test_endings)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
