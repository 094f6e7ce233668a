/* The direct solvers against brute force, on many small random problems: the
 * verdict agrees, an answer passes the judge, and the fewest colours are the
 * fewest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "domains/coloring/coloring_options.h"
#include "domains/domain.h"

/* Reads, solves and judges; returns the verdict. */
static int solve(const char *name, const char *text, int colors) {
  const sw_domain *domain = sw_domain_find(name);
  sw_domain_options options;
  sw_instance *instance;
  char *answer = NULL, note[256];
  int verdict = -1;
  sw_err err = {0};
  sw_domain_defaults(domain, &options);
  if (colors) sw_col_own_edit(&options)->colors = colors;
  size_t bytes = strlen(text);
  if (domain->file.parse(&instance, "x", text, bytes, &options, &err) ||
      domain->file.solve(instance, &options, 60, &verdict, &answer, note,
                         sizeof note, &err) ||
      (verdict == 10 &&
       domain->file.verify(text, bytes, &options, answer, &err)))
    fail_msg("%s: %s", text, err.text);
  free(answer);
  domain->instance_free(instance);
  return verdict;
}

static void formulas(void **state) {
  (void)state;
  int sat = 0, total = 400;
  sw_mt mt;
  sw_mt_seed(&mt, 11);
  for (int round = 0; round < total; round++) {
    int n = 1 + (int)sw_mt_below(&mt, 8), m = (int)sw_mt_below(&mt, 40);
    int clause[40][3];
    char text[2000];
    int used = snprintf(text, sizeof text, "p cnf %d %d\n", n, m);
    for (int c = 0; c < m; c++) {
      for (int i = 0; i < 3; i++) {
        int v = 1 + (int)sw_mt_below(&mt, (uint32_t)n);
        clause[c][i] = sw_mt_below(&mt, 2) ? v : -v;
        used += snprintf(text + used, sizeof text - (size_t)used, "%d ",
                         clause[c][i]);
      }
      used += snprintf(text + used, sizeof text - (size_t)used, "0\n");
    }
    int possible = 0;
    for (int bits = 0; bits < 1 << n && !possible; bits++) {
      possible = 1;
      for (int c = 0; c < m && possible; c++) {
        int holds = 0;
        for (int i = 0; i < 3; i++)
          holds |= (bits >> (abs(clause[c][i]) - 1) & 1) == (clause[c][i] > 0);
        possible = holds;
      }
    }
    assert_int_equal(solve("sat", text, 0), possible ? 10 : 20);
    sat += possible;
  }
  assert_true(sat > 20 && sat < total - 20); /* both kinds occur */
}

/* Can the first n nodes be coloured with k colours? Counts in base k. */
static int colorable(int n, const int8_t edge[6][6], int k) {
  int all = 1;
  for (int i = 0; i < n; i++) all *= k;
  for (int code = 0; code < all; code++) {
    int color[6], rest = code, legal = 1;
    for (int i = 0; i < n; i++, rest /= k) color[i] = rest % k;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < i; j++)
        if (edge[i][j] && color[i] == color[j]) legal = 0;
    if (legal) return 1;
  }
  return 0;
}

static void graphs(void **state) {
  (void)state;
  sw_mt mt;
  sw_mt_seed(&mt, 12);
  for (int round = 0; round < 200; round++) {
    int n = 1 + (int)sw_mt_below(&mt, 6), m = 0, used = 0;
    int8_t edge[6][6] = {{0}};
    char lines[600] = "", text[700];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < i; j++)
        if (sw_mt_below(&mt, 2)) {
          edge[i][j] = 1;
          m++;
          used += snprintf(lines + used, sizeof lines - (size_t)used,
                           "e %d %d\n", i + 1, j + 1);
        }
    snprintf(text, sizeof text, "p edge %d %d\n%s", n, m, lines);
    for (int k = 1; k <= 4; k++)
      assert_int_equal(solve("coloring", text, k),
                       colorable(n, edge, k) ? 10 : 20);
  }
}

/* Blocks World by breadth: every state that the four operators reach, by the
 * definition of the domain alone. below[b]: 0 table, 1 + the block under it,
 * HELD in the hand. */
enum { BLOCKS = 4, HELD = BLOCKS + 1, STATES = 6 * 6 * 6 * 6 };
typedef struct blocks_state {
  int below[BLOCKS];
} blocks_state;

static int number_of(const blocks_state *s) {
  int number = 0;
  for (int b = BLOCKS - 1; b >= 0; b--) number = 6 * number + s->below[b];
  return number;
}

static int clear_in(const blocks_state *s, int n, int b) {
  for (int c = 0; c < n; c++)
    if (s->below[c] == b + 1) return 0;
  return s->below[b] != HELD;
}

static int reached(const blocks_state *s, const int *goal, int n) {
  for (int b = 0; b < n; b++)
    if (goal[b] >= 0 && goal[b] != s->below[b]) return 0;
  return 1;
}

/* Fewest actions to the goal (goal[b] < 0: anything), or -1. */
static int fewest(const blocks_state *start, const int *goal, int n) {
  static blocks_state queue[STATES];
  static int distance[STATES];
  int head = 0, tail = 0;
  for (int i = 0; i < STATES; i++) distance[i] = -1;
  queue[tail++] = *start;
  distance[number_of(start)] = 0;
  while (head < tail) {
    blocks_state s = queue[head++];
    int now = distance[number_of(&s)], held = -1;
    if (reached(&s, goal, n)) return now;
    for (int b = 0; b < n; b++)
      if (s.below[b] == HELD) held = b;
    for (int b = 0; b < n; b++) { /* to the table, onto b, or take b up */
      blocks_state next[2] = {s, s};
      int count = 0;
      if (held < 0 && clear_in(&s, n, b)) next[count++].below[b] = HELD;
      if (held == b) next[count++].below[b] = 0;
      if (held >= 0 && held != b && clear_in(&s, n, b))
        next[count++].below[held] = b + 1;
      for (int i = 0; i < count; i++)
        if (distance[number_of(&next[i])] < 0) {
          distance[number_of(&next[i])] = now + 1;
          queue[tail++] = next[i];
        }
    }
  }
  return -1;
}

/* Blocks in random order, each on the one before it or on the table. */
static void random_state(sw_mt *mt, int n, blocks_state *s) {
  int order[BLOCKS];
  *s = (blocks_state){{0}};
  for (int i = 0; i < n; i++) order[i] = i;
  for (int i = n - 1; i > 0; i--) {
    int j = (int)sw_mt_below(mt, (uint32_t)i + 1), held = order[i];
    order[i] = order[j];
    order[j] = held;
  }
  for (int i = 1; i < n; i++)
    if (sw_mt_below(mt, 3)) s->below[order[i]] = order[i - 1] + 1;
}

static int put_facts(char *text, size_t room, const int *below, int n) {
  int used = 0;
  for (int b = 0; b < n; b++)
    if (below[b] == 0)
      used += snprintf(text + used, room - (size_t)used, " (ontable b%d)", b);
    else if (below[b] > 0)
      used += snprintf(text + used, room - (size_t)used, " (on b%d b%d)", b,
                       below[b] - 1);
  return used;
}

static void blocks_problems(void **state) {
  (void)state;
  sw_mt mt;
  int longest = 0;
  sw_mt_seed(&mt, 13);
  for (int round = 0; round < 300; round++) {
    int n = 1 + (int)sw_mt_below(&mt, BLOCKS), goal[BLOCKS];
    blocks_state start, end;
    char text[1000], note[256], *answer = NULL;
    random_state(&mt, n, &start);
    random_state(&mt, n, &end);
    for (int b = 0; b < n; b++)
      goal[b] = sw_mt_below(&mt, 4) ? end.below[b] : -1;
    int used = snprintf(text, sizeof text, "(define (problem p) (:objects");
    for (int b = 0; b < n; b++)
      used += snprintf(text + used, sizeof text - (size_t)used, " b%d", b);
    used += snprintf(text + used, sizeof text - (size_t)used,
                     ") (:init (handempty)");
    used += put_facts(text + used, sizeof text - (size_t)used, start.below, n);
    for (int b = 0; b < n; b++)
      if (clear_in(&start, n, b))
        used += snprintf(text + used, sizeof text - (size_t)used,
                         " (clear b%d)", b);
    used += snprintf(text + used, sizeof text - (size_t)used, ") (:goal (and");
    used += put_facts(text + used, sizeof text - (size_t)used, goal, n);
    snprintf(text + used, sizeof text - (size_t)used, ")))");
    const sw_domain *domain = sw_domain_find("blocks");
    sw_domain_options options;
    sw_instance *instance;
    sw_err err = {0};
    int verdict = -1, actions = 0;
    sw_domain_defaults(domain, &options);
    if (domain->file.parse(&instance, "x", text, strlen(text), &options,
                           &err) ||
        domain->file.solve(instance, &options, 60, &verdict, &answer, note,
                           sizeof note, &err) ||
        domain->file.verify(text, strlen(text), &options, answer, &err))
      fail_msg("%s: %s", text, err.text);
    assert_int_equal(verdict, 10);
    for (const char *p = answer; *p; p++) actions += *p == '(';
    int least = fewest(&start, goal, n);
    if (least > longest) longest = least;
    if (actions != least)
      fail_msg("%s: %d actions, not %d\n%s", text, actions, least, answer);
    free(answer);
    domain->instance_free(instance);
  }
  assert_true(longest >= 10); /* some were not easy */
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(formulas),
                                     cmocka_unit_test(graphs),
                                     cmocka_unit_test(blocks_problems)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
