/* What false prunes and misses do to a search, against the formulas: a path is
 * left unharmed for k judgements with probability (1 - a)^k, rates that vary
 * along it do more harm than their mean, and a verifier that only misses costs
 * at most the detours that propagation alone would make. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include "play_help.h"

enum { DEEPEST = 8, GAMES = 2000 };

/* Games that came to a kth judgement unharmed, and those that it harmed. */
typedef struct survival {
  int64_t judged[DEEPEST + 1], harmed_at[DEEPEST + 1];
} survival;

/* `watch:INNER` notes the first judgement that goes back. */
static struct { int64_t judged, first_back; } watched;

static int open_watch(sw_verifier *v, const char *args, sw_err *err) {
  SW_TRY(sw_verifier_open(&v->inner[0], v->domain, args, err));
  v->needs_scores = v->inner[0]->needs_scores;
  return sw_verifier_call(v, err, "watch:%s", v->inner[0]->text);
}
static sw_verdict watch(sw_verifier *v, sw_game *game, const float *score,
                        int32_t *token) {
  sw_verdict said = sw_verifier_judge(v->inner[0], game, score, token);
  if (!game->can_back) return said;
  watched.judged++;
  if (said == SW_GO_BACK && !watched.first_back)
    watched.first_back = watched.judged;
  return said;
}
static const sw_verifier_kind watch_row = {.name = "watch",
                                           .args = "INNER",
                                           .help = "for this test",
                                           .open = open_watch,
                                           .judge = watch};

/* The expert follows a solution, so that every state on its way is viable: the
 * first going back is the first false prune. */
static void play_one(sw_game *game, sw_guide *guide, survival *s) {
  watched.judged = watched.first_back = 0;
  while (!watched.first_back && sw_game_advance(game)) {
    sw_err err = {0};
    if (sw_guide_ask(guide, 0, game, &err)) fail_msg("%s", err.text);
    sw_game_take(game);
  }
  int64_t last = watched.first_back ? watched.first_back : watched.judged;
  for (int k = 1; k <= DEEPEST && k <= last; k++) {
    s->judged[k]++;
    s->harmed_at[k] += k == watched.first_back;
  }
}

static survival play(const char *verifier) {
  const sw_domain *d = sw_domain_find("sat");
  sw_err err = {0};
  sw_domain_options task;
  sw_loop_options loop = {
      .verifier = verifier, .protocol = SW_REBUILT, .max_decisions = 100};
  sw_stream *stream;
  sw_guide *guide;
  sw_game game;
  survival s = {0};
  sw_domain_defaults(d, &task);
  task.n = 16;
  task.expert = "solution";
  if (d->resolve(&task, &err)) fail_msg("%s", err.text);
  assert_int_equal(sw_guide_expert(&guide, d, &err), 0);
  assert_int_equal(sw_guide_reserve(guide, 1, &err), 0);
  assert_int_equal(d->stream_new(&stream, &task, 4, SW_SPLIT_TEST, &err), 0);
  if (sw_game_new(&game, d, &task, &loop, &err)) fail_msg("%s", err.text);
  for (int64_t i = 0; i < GAMES; i++) {
    sw_instance *instance;
    assert_int_equal(d->stream_next(stream, &instance, &err), 0);
    assert_int_equal(sw_game_start(&game, instance, i, &err), 0);
    assert_int_equal(sw_guide_start(guide, 0, &game, &err), 0);
    play_one(&game, guide, &s);
    d->instance_free(instance);
  }
  sw_game_free(&game);
  sw_guide_close(guide);
  d->stream_free(stream);
  return s;
}

/* Survival to depth k is the product of the shares that pass each judgement. */
static double surviving(const survival *s, int k, double *mean_rate) {
  double left = 1, rates = 0;
  for (int i = 1; i <= k; i++) {
    double rate = (double)s->harmed_at[i] / (double)s->judged[i];
    left *= 1 - rate;
    rates += rate;
  }
  *mean_rate = rates / k;
  return left;
}

static void harm_compounds_along_a_path(void **state) {
  (void)state;
  static const double rates[] = {0.05, 0.2};
  for (int r = 0; r < 2; r++) {
    char text[40];
    snprintf(text, sizeof text, "watch:noise:%g,0:oracle", rates[r]);
    survival s = play(text);
    for (int k = 1; k <= 5; k++) {
      double mean, left = surviving(&s, k, &mean), want = pow(1 - rates[r], k);
      assert_true(s.judged[k] > 400);
      /* five deviations of k binomial shares */
      double slack =
          5 * sqrt(k * rates[r] * (1 - rates[r]) / (double)s.judged[k]);
      if (fabs(left - want) > slack)
        fail_msg("%s: %.4f of the paths are left after %d, not %.4f", text,
                 left, k, want);
    }
  }
}

static void uneven_rates_harm_more_than_their_mean(void **state) {
  (void)state;
  survival s = play("watch:noise:0.4,0,deep:oracle");
  double mean, left = surviving(&s, 5, &mean);
  assert_true(s.harmed_at[1] == 0); /* the root is at depth 0 */
  assert_true(left <= pow(1 - mean, 5) + 1e-12);
  assert_true(left < pow(1 - mean, 5) - 0.005); /* and not by a hair */
}

/* Misses only: everything is still solved, and on every instance the search
 * goes back at least as often as under the oracle and at most as often as under
 * propagation alone (the guide's choice depends on the state only). */
static void misses_cost_no_more_than_propagation(void **state) {
  (void)state;
  static const char *const verifier[] = {"oracle",
                                         "any:exact+noise:0,0.3:oracle",
                                         "any:exact+noise:0,1:oracle", "exact"};
  sw_outcome *o[4];
  for (int k = 0; k < 4; k++) {
    bed b;
    bed_open(&b, "sat", "index+satisfy", 24);
    b.options.verifier = verifier[k];
    b.options.max_decisions = 100000;
    o[k] = bed_play(&b, NULL);
    bed_close(&b);
  }
  int64_t more = 0, less = 0;
  for (int i = 0; i < 24; i++) {
    for (int k = 0; k < 4; k++) assert_int_equal(o[k][i].solved, 1);
    assert_true(o[0][i].decisions <= o[1][i].decisions);
    assert_true(o[1][i].decisions <= o[3][i].decisions);
    assert_int_equal(o[2][i].decisions, o[3][i].decisions);
    more += o[1][i].decisions > o[0][i].decisions;
    less += o[1][i].decisions < o[3][i].decisions;
  }
  assert_true(more > 0 && less > 0);
  for (int k = 0; k < 4; k++) free(o[k]);
}

int main(void) {
  if (sw_verifier_add_kind(&watch_row, NULL)) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(harm_compounds_along_a_path),
      cmocka_unit_test(uneven_rates_harm_more_than_their_mean),
      cmocka_unit_test(misses_cost_no_more_than_propagation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
