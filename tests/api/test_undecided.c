/* The public C API on a problem whose ground truth takes for ever. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "statewise.h"

/* Parities along the edges of a random cubic graph, an odd number of them odd
 * (Tseitin): no solution, and no solver finds that out soon. */
static void hard_formula(char *text, size_t room) {
  enum { NODES = 132, EDGES = 3 * NODES / 2 };
  int edge[NODES][3], order[NODES];
  unsigned draw = 7;
  for (int v = 0; v < NODES; v++) {
    order[v] = v;
    edge[v][0] = 1 + v; /* a ring, */
    edge[v][1] = 1 + (v + 1) % NODES;
  }
  for (int v = NODES - 1; v > 0; v--) {
    draw = draw * 1103515245u + 12345u;
    int other = (int)((draw >> 16) % (unsigned)(v + 1)), kept = order[v];
    order[v] = order[other];
    order[other] = kept;
  }
  for (int i = 0; i < NODES; i++) /* and pairs across it */
    edge[order[i]][2] = 1 + NODES + i / 2;
  int used = snprintf(text, room, "p cnf %d %d\n", EDGES, 4 * NODES);
  for (int v = 0; v < NODES; v++)
    for (int signs = 0; signs < 8; signs++) {
      if (__builtin_popcount((unsigned)signs) % 2 == (v == 0)) continue;
      for (int k = 0; k < 3; k++)
        used += snprintf(text + used, room - (size_t)used, "%d ",
                         signs >> k & 1 ? -edge[v][k] : edge[v][k]);
      used += snprintf(text + used, room - (size_t)used, "0\n");
    }
}

/* Going back from a state whose fate is not soon known comes to an end, and
 * counts as going back from one that can be completed. */
static void an_undecided_state_holds_nobody_up(void **state) {
  (void)state;
  char text[16000];
  statewise_error error;
  statewise *large;
  statewise_search *search;
  statewise_counters counters;
  statewise_query q;
  int back = 0;
  hard_formula(text, sizeof text);
  if (statewise_open(&large, "models/sat.safetensors", 1, &error) ||
      statewise_search_text(&search, large, text, strlen(text), &error))
    fail_msg("%s", error.text);
  alarm(120); /* against hangs */
  assert_int_equal(statewise_search_next(search, &q, &error), 1);
  while (back < q.count && q.candidate[back].kind != STATEWISE_GO_BACK) back++;
  assert_int_equal(statewise_search_choose(search, back, &error), 0);
  alarm(0);
  statewise_search_counters(search, &counters);
  assert_int_equal(counters.false_prunes, 1);
  assert_int_equal(counters.early_backs, 0);
  assert_int_equal(statewise_search_status(search), STATEWISE_RUNNING);
  statewise_search_close(search);
  statewise_close(large);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_undecided_state_holds_nobody_up)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
