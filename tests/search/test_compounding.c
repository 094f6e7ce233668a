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

/* `dead:INNER` follows the dead subtrees that a search enters, one after the
 * other: how many nodes of each it comes to (a node that is tried again is the
 * same one), and whether INNER went on at the first of them. */
enum { SUBTREES = 4096 };
static struct {
  int32_t nodes[SUBTREES], missed[SUBTREES], count;
  int inside; /* the last state was dead */
} followed;

static int open_dead(sw_verifier *v, const char *args, sw_err *err) {
  SW_TRY(sw_verifier_open(&v->inner[0], v->domain, args, err));
  v->needs_scores = v->inner[0]->needs_scores;
  return sw_verifier_call(v, err, "dead:%s", v->inner[0]->text);
}
static sw_verdict follow(sw_verifier *v, sw_game *game, const float *score,
                         int32_t *token) {
  const sw_search_ops *ops = game->domain->search;
  sw_verdict said = sw_verifier_judge(v->inner[0], game, score, token);
  int dead = ops->in_conflict(game->env) || ops->truth.doomed(game->env);
  if (game->begun) return said; /* midway: no state of its own */
  if (dead && !followed.inside && followed.count < SUBTREES) {
    followed.missed[followed.count] = said != SW_GO_BACK;
    followed.nodes[followed.count++] = 0;
  }
  if (dead && !ops->is_retry(game->env)) followed.nodes[followed.count - 1]++;
  followed.inside = dead;
  return said;
}
static const sw_verifier_kind dead_row = {.name = "dead",
                                          .args = "INNER",
                                          .help = "for this test",
                                          .open = open_dead,
                                          .judge = follow};

/* One search to its end: how often it goes back, silently too. */
static int64_t backs_of(const sw_instance *instance,
                        const sw_domain_options *task, const char *verifier) {
  const sw_domain *d = sw_domain_find("sat");
  sw_loop_options loop = {
      .verifier = verifier, .protocol = SW_REBUILT, .max_decisions = 100000};
  sw_err err = {0};
  sw_guide *guide;
  sw_game game;
  memset(&followed, 0, sizeof followed);
  assert_int_equal(sw_guide_named(&guide, d, "index+satisfy", &err), 0);
  assert_int_equal(sw_guide_reserve(guide, 1, &err), 0);
  if (sw_game_new(&game, d, task, &loop, &err)) fail_msg("%s", err.text);
  assert_int_equal(sw_game_start(&game, instance, 1, &err), 0);
  assert_int_equal(sw_guide_start(guide, 0, &game, &err), 0);
  while (sw_game_advance(&game)) {
    if (sw_guide_ask(guide, 0, &game, &err)) fail_msg("%s", err.text);
    sw_game_take(&game);
  }
  assert_int_equal(game.outcome.solved, 1);
  assert_true(followed.count < SUBTREES);
  int64_t backs = game.outcome.backs + game.outcome.silent_backs;
  sw_game_free(&game);
  sw_guide_close(guide);
  return backs;
}

/* The bound itself: a verifier that misses goes back no more often than the
 * oracle does, plus the nodes but one of every dead subtree that it did not
 * leave at its first node. Their sizes are those that propagation alone sees
 * (the guide's choice depends on the state only). */
static void a_miss_costs_at_most_its_subtree(void **state) {
  (void)state;
  const sw_domain *d = sw_domain_find("sat");
  sw_err err = {0};
  sw_domain_options task;
  sw_stream *stream;
  static int32_t nodes[SUBTREES];
  int64_t all = 0, missed = 0, extra = 0, bound = 0, reached = 0, limit = 0;
  sw_domain_defaults(d, &task);
  task.n = 30;
  if (d->resolve(&task, &err)) fail_msg("%s", err.text);
  assert_int_equal(d->stream_new(&stream, &task, 9, SW_SPLIT_TEST, &err), 0);
  for (int i = 0; i < 30; i++) {
    sw_instance *instance;
    assert_int_equal(d->stream_next(stream, &instance, &err), 0);
    int64_t least = backs_of(instance, &task, "dead:oracle");
    int32_t subtrees = followed.count;
    int64_t most = backs_of(instance, &task, "dead:exact"), whole = 0;
    assert_int_equal(followed.count, subtrees);
    memcpy(nodes, followed.nodes, sizeof nodes);
    for (int32_t k = 0; k < subtrees; k++) whole += nodes[k] - 1;
    assert_true(most - least <= whole);
    reached += most - least;
    limit += whole;
    int64_t some =
        backs_of(instance, &task, "dead:any:exact+noise:0,0.6:oracle");
    int64_t own = 0;
    assert_int_equal(followed.count, subtrees);
    for (int32_t k = 0; k < subtrees; k++) {
      assert_true(followed.nodes[k] <= nodes[k]);
      own += followed.missed[k] ? nodes[k] - 1 : 0;
      missed += followed.missed[k];
    }
    assert_true(some - least <= own);
    all += subtrees;
    extra += some - least;
    bound += own;
    d->instance_free(instance);
  }
  d->stream_free(stream);
  assert_true(missed > 10 && missed < all); /* some, and not all */
  assert_true(extra > 0 && extra < bound);
  assert_true(2 * reached > limit); /* and the bound is not idle */
}

int main(void) {
  if (sw_verifier_add_kind(&watch_row, NULL)) return 1;
  if (sw_verifier_add_kind(&dead_row, NULL)) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(harm_compounds_along_a_path),
      cmocka_unit_test(uneven_rates_harm_more_than_their_mean),
      cmocka_unit_test(misses_cost_no_more_than_propagation),
      cmocka_unit_test(a_miss_costs_at_most_its_subtree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
