/* What an audit concludes from its figures: the headline follows from all of
 * them, so that it cannot say "decides by the state" beside "it needs its
 * history". */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "audit/audit.h"

static sw_audit_player player(double same, int64_t pairs, double gap,
                              double half_width, int64_t searches) {
  sw_audit_player p = {.played = 1, .key = "remote", .name = "x"};
  p.probes.pairs = pairs;
  p.probes.same_choice = same;
  p.probes.interval = (sw_interval){same, same - 0.03, same + 0.03};
  if (p.probes.interval.high > 1) p.probes.interval.high = 1;
  p.gap = (sw_interval){gap, gap - half_width, gap + half_width};
  p.way[SW_CUMULATIVE].row.summary.n = searches;
  p.way[SW_CUMULATIVE].row.summary.solve_rate = 1;
  p.way[SW_REBUILT].row.summary.solve_rate = 1 + gap;
  return p;
}

static void all_figures_decide(void **state) {
  (void)state;
  static const struct {
    double same;
    int64_t pairs;
    double gap, half_width;
    int64_t searches;
    sw_audit_finding finding;
  } cases[] = {
      /* three seeds of one causal model: its pairs alone say two things */
      {0.96, 75, -0.75, 0.13, 40, SW_AUDIT_ENTANGLED},
      {0.93, 75, -0.70, 0.14, 40, SW_AUDIT_ENTANGLED},
      {0.97, 75, -0.80, 0.12, 40, SW_AUDIT_ENTANGLED},
      {1.00, 75, -0.75, 0.13, 40, SW_AUDIT_ENTANGLED},
      {1.00, 75, 0.40, 0.13, 40, SW_AUDIT_ENTANGLED}, /* history does harm */
      {1.00, 75, 0.00, 0.00, 40, SW_AUDIT_BY_STATE},
      {0.97, 75, -0.05, 0.07, 40, SW_AUDIT_BY_STATE}, /* may be chance */
      {0.80, 75, 0.00, 0.00, 40, SW_AUDIT_ENTANGLED},
      {1.00, 5, -0.75, 0.13, 40, SW_AUDIT_ENTANGLED},
      {1.00, 5, 0.00, 0.00, 40, SW_AUDIT_UNDECIDED},
      {1.00, 75, -1.00, 0.00, 2, SW_AUDIT_BY_STATE}, /* two searches */
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sw_audit_player p = player(cases[i].same, cases[i].pairs, cases[i].gap,
                               cases[i].half_width, cases[i].searches);
    if (sw_audit_find(&p) != cases[i].finding)
      fail_msg("case %d: %d", (int)i, sw_audit_find(&p));
  }
}

static void words_and_saving_agree(void **state) {
  (void)state;
  sw_audit a = {0};
  char words[800], saving[800];
  a.player[SW_AUDIT_REMOTE] = player(0.96, 75, -0.75, 0.13, 40);
  sw_audit_words(&a.player[SW_AUDIT_REMOTE], words, sizeof words);
  sw_audit_saving(&a, saving, sizeof saving);
  assert_non_null(strstr(saving, "it needs its history"));
  assert_null(strstr(words, "decides by the state"));
  assert_non_null(strstr(words, "entangled with its history"));
  a.player[SW_AUDIT_REMOTE].probes.pairs = 0; /* no share of no pairs */
  sw_audit_words(&a.player[SW_AUDIT_REMOTE], words, sizeof words);
  assert_null(strstr(words, "pairs"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_figures_decide),
      cmocka_unit_test(words_and_saving_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
