/* Heads on hidden vectors: size and noisy or as published, slopes against
 * central differences, what is learned from made states, and what the colouring
 * domain says a decision touched against looking at the graph. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/rng.h"
#include "domains/coloring/coloring_env.h"
#include "probe/local_head.h"

static void published(void **state) {
  (void)state;
  sw_local_head head;
  const double p[2] = {0.1, 0.5};
  double logit[2];
  assert_int_equal(sw_local_new(&head, SW_HEAD_LOCAL, 256, 1, NULL), 0);
  assert_int_equal(head.count, 427906);
  sw_local_free(&head);
  assert_true(fabs(sw_noisy_or(p, 2, logit) - 0.55) < 1e-12);
  assert_true(fabs(logit[0] + 0.799) < 1e-3 && fabs(logit[1] + 0.598) < 1e-3);
  assert_true(sw_noisy_or(p, 0, logit) == 0);
  assert_true(logit[0] == 0 && fabs(logit[1] + 18.42) < 1e-2);
  assert_int_equal(sw_local_new(&head, SW_HEAD_LOCAL, 6, 1, NULL), SW_USAGE);
}

enum { WIDTH = 8, MOST = 5 };
typedef struct made {
  float vector[(2 + MOST) * WIDTH];
  uint8_t failed[MOST];
} made;

static sw_local_state make(made *m, uint64_t at, int32_t touched) {
  for (size_t i = 0; i < sizeof m->vector / sizeof *m->vector; i++)
    m->vector[i] = (float)sw_philox_normal(3, at, i);
  sw_local_state s = {.last = m->vector,
                      .anchor = m->vector + WIDTH,
                      .item = m->vector + 2 * WIDTH,
                      .failed = m->failed,
                      .touched = touched};
  for (int i = 0; i < touched; i++)
    m->failed[i] = (uint8_t)(sw_philox_u64(4, at, (uint64_t)i) & 1);
  s.label = (uint8_t)(at & 1);
  return s;
}

static void slopes(void **state) {
  (void)state;
  static const sw_local_options way[] = {
      {.local_weight = 1, .focus = 2, .positive = 1},
      {.local_weight = 0.5, .focus = 0, .positive = 3},
      {.local_weight = 0, .focus = 2, .positive = 2}};
  for (int kind = 0; kind < 2; kind++)
    for (int w = 0; w < 3; w++)
      for (uint64_t at = 0; at < 4; at++) {
        sw_local_head head;
        made m;
        sw_local_state s = make(&m, at, 1 + (int32_t)at);
        double loss, up, down;
        assert_int_equal(
            sw_local_new(&head, (sw_head_kind)kind, WIDTH, 7 + at, NULL), 0);
        double *slope = calloc((size_t)head.count, sizeof *slope);
        assert_int_equal(sw_local_loss(&head, &s, &way[w], &loss, slope, NULL),
                         0);
        double off = 0, all = 0;
        for (int64_t i = 0; i < head.count; i++) {
          double was = head.weight[i], h = 1e-6;
          head.weight[i] = was + h;
          sw_local_loss(&head, &s, &way[w], &up, NULL, NULL);
          head.weight[i] = was - h;
          sw_local_loss(&head, &s, &way[w], &down, NULL, NULL);
          head.weight[i] = was;
          double want = (up - down) / (2 * h);
          off += (want - slope[i]) * (want - slope[i]);
          all += want * want;
        }
        assert_true(all > 0 && sqrt(off / all) < 1e-7);
        free(slope);
        sw_local_free(&head);
      }
}

/* Nothing touched: nothing to say, and nothing to learn from. */
static void root(void **state) {
  (void)state;
  sw_local_head head;
  made m;
  sw_local_state s = make(&m, 1, 0);
  sw_local_options o = {.local_weight = 1, .focus = 2, .positive = 1};
  double p, loss;
  assert_int_equal(sw_local_new(&head, SW_HEAD_LOCAL, WIDTH, 1, NULL), 0);
  double *slope = calloc((size_t)head.count, sizeof *slope);
  assert_int_equal(sw_local_say(&head, &s, &p, NULL), 0);
  assert_true(p == 0);
  assert_int_equal(sw_local_loss(&head, &s, &o, &loss, slope, NULL), 0);
  assert_true(fabs(loss - 18.42) < 0.01);
  for (int64_t i = 0; i < head.count; i++) assert_true(slope[i] == 0);
  free(slope);
  sw_local_free(&head);
}

/* A state is bad when one of its items has a first number above 1: the local
 * head finds out, a plain one on an unrelated vector cannot. Twice the same. */
static void learns(void **state) {
  (void)state;
  enum { STATES = 400 };
  made *m = calloc(2 * STATES, sizeof *m);
  sw_local_state *s = calloc(2 * STATES, sizeof *s);
  for (int i = 0; i < 2 * STATES; i++) {
    s[i] = make(&m[i], 10 + (uint64_t)i, 1 + i % MOST);
    s[i].label = 0;
    for (int k = 0; k < s[i].touched; k++) {
      m[i].failed[k] = s[i].item[k * WIDTH] > 1;
      s[i].label |= m[i].failed[k];
    }
  }
  sw_local_options o = {.local_weight = 1,
                        .focus = 2,
                        .positive = 1,
                        .rate = 5e-3,
                        .batch = 16,
                        .epochs = 20,
                        .seed = 3};
  int right[2] = {0};
  double first = 0;
  for (int way = 0; way < 3; way++) {
    sw_local_head head;
    assert_int_equal(
        sw_local_new(&head, way < 2 ? SW_HEAD_LOCAL : SW_HEAD_PLAIN, WIDTH, 1,
                     NULL),
        0);
    assert_int_equal(sw_local_train(&head, s, STATES, &o, NULL), 0);
    if (way == 0) first = head.weight[5];
    if (way == 1) assert_true(head.weight[5] == first);
    for (int i = STATES; i < 2 * STATES; i++) {
      double p;
      assert_int_equal(sw_local_say(&head, &s[i], &p, NULL), 0);
      if (way != 1) right[way / 2] += (p > 0.5) == s[i].label;
    }
    sw_local_free(&head);
  }
  assert_true(right[0] > 0.95 * STATES);
  assert_true(right[1] < 0.8 * STATES);
  free(m);
  free(s);
}

/* Along random walks: exactly the uncoloured neighbours of the node coloured
 * last, and those without a colour are the ones a look around finds. */
static void touched(void **state) {
  (void)state;
  const sw_domain *domain = sw_domain_find("coloring");
  sw_domain_options o;
  sw_stream *stream;
  sw_instance *graph;
  sw_domain_defaults(domain, &o);
  o.n = 20;
  assert_int_equal(domain->resolve(&o, NULL), 0);
  assert_int_equal(domain->stream_new(&stream, &o, 5, SW_SPLIT_TEST, NULL), 0);
  int failures = 0;
  for (uint64_t game = 0; game < 30; game++) {
    assert_int_equal(domain->stream_next(stream, &graph, NULL), 0);
    sw_env *env = calloc(1, sizeof *env);
    int32_t token[SW_COL_NODES_MAX], last = -1;
    uint8_t failed[SW_COL_NODES_MAX];
    sw_col_reset(&env->state, graph);
    assert_int_equal(sw_col_env_touched(env, token, failed, 75), 0);
    for (uint64_t step = 0; step < 15; step++) {
      int32_t v = (int32_t)(sw_philox_u64(game, 1, step) % 20);
      int32_t c = 1 + (int32_t)(sw_philox_u64(game, 2, step) % 4);
      if (sw_col_assign(&env->state, v, c)) last = v;
      if (last < 0) continue;
      int count = sw_col_env_touched(env, token, failed, 75), k = 0;
      for (int32_t u = 0; u < 20; u++) {
        unsigned used = 0;
        if (env->state.color[u] || !sw_graph_adjacent(graph, last, u)) continue;
        for (int32_t t = 0; t < 20; t++)
          if (env->state.color[t] && sw_graph_adjacent(graph, u, t))
            used |= 1u << env->state.color[t];
        assert_true(k < count);
        assert_int_equal(token[k], SW_T_NODE + u);
        assert_int_equal(failed[k], used == 0x1e);
        failures += failed[k++];
      }
      assert_int_equal(k, count);
    }
    free(env);
    domain->instance_free(graph);
  }
  assert_true(failures > 5);
  domain->stream_free(stream);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(published), cmocka_unit_test(slopes),
      cmocka_unit_test(root), cmocka_unit_test(learns),
      cmocka_unit_test(touched)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
