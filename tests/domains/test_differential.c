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
  if (domain->instance_parse(&instance, "x", text, bytes, &options, &err) ||
      domain->solve_direct(instance, &options, 60, &verdict, &answer, note,
                           sizeof note, &err) ||
      (verdict == 10 && domain->verify(text, bytes, &options, answer, &err)))
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

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(formulas),
                                     cmocka_unit_test(graphs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
