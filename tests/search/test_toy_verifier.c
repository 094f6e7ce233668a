/* A new verifier is one file and one row: this one takes an argument, forces a
 * token at one query and goes back at every so-manyth other, stands inside
 * another verifier, and is counted and stored, without a change anywhere else.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include "play_help.h"

/* ---- the verifier: forces the last legal candidate at each query; goes back
 * at each EVERYth state ---- */

typedef struct fickle {
  sw_verifier head;
  long every, seen;
} fickle;

static int open_fickle(sw_verifier *v, const char *args, sw_err *err) {
  fickle *f = (fickle *)v;
  f->every = strtol(args, NULL, 10);
  if (f->every < 1) return sw_fail(err, SW_USAGE, "fickle:N, N at least 1");
  snprintf(v->text, sizeof v->text, "fickle:%ld", f->every);
  return SW_OK;
}

static void start(sw_verifier *v, uint64_t seed) {
  (void)seed;
  ((fickle *)v)->seen = 0;
}

static sw_verdict judge(sw_verifier *v, sw_game *game, const float *score,
                        int32_t *token) {
  fickle *f = (fickle *)v;
  (void)score;
  if (game->domain->search->in_conflict(game->env)) return SW_GO_BACK;
  if (game->can_back && ++f->seen % f->every == 0) return SW_GO_BACK;
  for (int i = 0; i < game->candidates; i++)
    if (game->candidate[i].kind == SW_CAND_CONTINUE)
      *token = game->candidate[i].token;
  v->cost.queries++;
  return SW_FORCE;
}

/* ---- its row ---- */
static const sw_verifier_kind row = {.name = "fickle",
                                     .args = "N",
                                     .help = "for this test",
                                     .bytes = sizeof(fickle),
                                     .open = open_fickle,
                                     .judge = judge,
                                     .start = start};

/* ---- what follows by itself ---- */

static void is_found_judges_and_is_counted(void **state) {
  (void)state;
  sw_err err = {0};
  char names[200];
  assert_int_equal(sw_verifier_add_kind(&row, &err), SW_OK);
  sw_verifier_names(sw_domain_find("sat"), names, sizeof names);
  assert_non_null(strstr(names, "fickle:N"));
  bed b;
  bed_open(&b, "sat", "clause+exact", 12);
  b.options.verifier = "fickle:9";
  sw_summary s = bed_summary(&b);
  assert_string_equal(b.condition.verifier, "fickle:9");
  assert_true(s.forced > 0 && s.solver_queries == s.forced);
  assert_true(s.false_prunes + s.early_backs > 0);
  assert_true(s.verifier_calls > s.forced);
  assert_int_equal(s.repeats, 0); /* what is forced is legal */
  /* inside another one */
  b.options.verifier = "noise:0,0:fickle:9";
  sw_summary inside = bed_summary(&b);
  assert_string_equal(b.condition.verifier, "noise:0,0:fickle:9");
  assert_memory_equal(&inside, &s, sizeof s);
  /* and a condition of its own in the store */
  sw_condition_key one, other;
  assert_int_equal(sw_condition_key_of(&b.condition, &one, &err), SW_OK);
  b.options.verifier = "fickle:8";
  bed_make(&b);
  assert_int_equal(sw_condition_key_of(&b.condition, &other, &err), SW_OK);
  assert_string_equal(other.verifier, "fickle:8");
  assert_string_not_equal(one.loop, other.loop);
  sw_condition_key_free(&one);
  sw_condition_key_free(&other);
  bed_close(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(is_found_judges_and_is_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
