/* The complete search without a model: against brute force on small graphs,
 * known chromatic numbers, and the real files when they are there. */
#include <pthread.h>
#include "base/file.h"
#include "coloring_help.h"
#include "domains/coloring/bound.h"
#include "domains/coloring/branch.h"
#include "domains/coloring/dsatur.h"

/* Is there a colouring with k colours? Tries all of them. */
static int brute(const sw_instance *g, int32_t k) {
  int32_t color[16];
  for (int32_t v = 0; v < g->n; v++) color[v] = 1;
  for (;;) {
    if (sw_graph_check(g, color, k)) return 1;
    int32_t v = 0;
    while (v < g->n && color[v] == k) color[v++] = 1;
    if (v == g->n) return 0;
    color[v]++;
  }
}

static sw_instance *random_graph(sw_xoshiro *rng, int32_t n, double p) {
  sw_edge list[128];
  int64_t count = 0;
  sw_instance *g;
  sw_err err;
  for (int32_t a = 0; a < n; a++)
    for (int32_t b = a + 1; b < n; b++)
      if (sw_xoshiro_unit(rng) < p) list[count++] = (sw_edge){b, a};
  assert_int_equal(sw_graph_new(&g, n, 0, list, count, &err), 0);
  return g;
}

static void against_brute_force(void **state) {
  (void)state;
  sw_xoshiro rng;
  sw_xoshiro_seed(&rng, 3);
  for (int round = 0; round < 300; round++) {
    int32_t n = 1 + (int32_t)sw_xoshiro_below(&rng, 7), chi = 1, color[16];
    sw_instance *g = random_graph(&rng, n, sw_xoshiro_unit(&rng));
    sw_color_result r;
    sw_err err;
    while (!brute(g, chi)) chi++;
    assert_int_equal(sw_color_minimum(g, 10, color, &r, &err), 0);
    assert_int_equal(r.colors, chi);
    assert_int_equal(r.lower, chi);
    assert_true(sw_graph_check(g, color, chi));
    for (int32_t k = 1; k <= 5; k++) {
      int32_t clique[16], size = sw_greedy_clique(g, 1, clique);
      sw_color_verdict branch, sat;
      int64_t nodes = 0;
      for (int32_t i = 0; i < size; i++)
        for (int32_t j = 0; j < i; j++)
          assert_true(sw_graph_adjacent(g, clique[i], clique[j]));
      sw_color_verdict want = k >= chi ? SW_COLOR_FOUND : SW_COLOR_NONE;
      assert_int_equal(sw_color_search(g, k, 10, color, &r, &err), 0);
      assert_int_equal(r.verdict, want);
      assert_int_equal(
          sw_branch(g, k, clique, size, 1e18, 0, color, &branch, &nodes, &err),
          0);
      assert_int_equal(branch, want);
      if (want == SW_COLOR_FOUND) assert_true(sw_graph_check(g, color, k));
      assert_int_equal(
          sw_branch_sat(g, k, clique, size, 1e18, color, &sat, &err), 0);
      assert_int_equal(sat, want);
      if (want == SW_COLOR_FOUND) assert_true(sw_graph_check(g, color, k));
    }
    sw_graph_free(g);
  }
}

/* A long path on a small stack: the depth of the search is not the stack's. */
static void *color_path(void *unused) {
  enum { LONG = 12000 };
  static sw_edge list[LONG];
  static int32_t color[LONG];
  sw_instance *g;
  sw_err err;
  sw_color_verdict verdict = SW_COLOR_UNKNOWN;
  int64_t nodes = 0;
  int32_t clique[2] = {0, 1};
  for (int32_t v = 0; v + 1 < LONG; v++) list[v] = (sw_edge){v + 1, v};
  if (sw_graph_new(&g, LONG, 0, list, LONG - 1, &err)) return NULL;
  int code = sw_branch(g, 2, clique, 2, 1e18, 0, color, &verdict, &nodes, &err);
  int good = !code && verdict == SW_COLOR_FOUND && sw_graph_check(g, color, 2);
  sw_graph_free(g);
  return good ? color : unused;
}

static void depth_needs_no_stack(void **state) {
  (void)state;
  pthread_attr_t attributes;
  pthread_t thread;
  void *good = NULL;
  pthread_attr_init(&attributes);
  assert_int_equal(pthread_attr_setstacksize(&attributes, 256 << 10), 0);
  assert_int_equal(pthread_create(&thread, &attributes, color_path, NULL), 0);
  assert_int_equal(pthread_join(thread, &good), 0);
  assert_non_null(good);
  pthread_attr_destroy(&attributes);
}

/* Mycielski's graphs are free of triangles and need one colour more each. */
static void mycielski_graphs(void **state) {
  (void)state;
  sw_edge list[4096] = {{0, 1}};
  int64_t count = 1;
  int32_t n = 2;
  for (int32_t chi = 2; chi <= 7; chi++) {
    sw_instance *g;
    sw_err err;
    sw_color_result r;
    int32_t color[256];
    sw_edge copy[4096];
    memcpy(copy, list, sizeof copy);
    assert_int_equal(sw_graph_new(&g, n, 0, copy, count, &err), 0);
    assert_int_equal(sw_color_minimum(g, 20, color, &r, &err), 0);
    assert_int_equal(r.colors, chi);
    assert_int_equal(r.lower, chi);
    assert_int_equal(r.clique, 2);
    assert_int_equal(sw_color_search(g, chi - 1, 20, color, &r, &err), 0);
    assert_int_equal(r.verdict, SW_COLOR_NONE);
    sw_graph_free(g);
    int64_t old = count;
    for (int64_t i = 0; i < old; i++) {
      list[count++] = (sw_edge){list[i].a + n, list[i].b};
      list[count++] = (sw_edge){list[i].b + n, list[i].a};
    }
    for (int32_t v = 0; v < n; v++) list[count++] = (sw_edge){v + n, 2 * n};
    n = 2 * n + 1;
  }
}

/* The Mycielski bound never exceeds the chromatic number. */
static void bound_is_sound(void **state) {
  (void)state;
  sw_xoshiro rng;
  sw_xoshiro_seed(&rng, 11);
  int above_clique = 0;
  for (int round = 0; round < 2000; round++) {
    int32_t n = 5 + (int32_t)sw_xoshiro_below(&rng, 9), clique[16], color[16];
    sw_instance *g = random_graph(&rng, n, .3 + .4 * sw_xoshiro_unit(&rng));
    int32_t size = sw_greedy_clique(g, 1, clique);
    int32_t bound = sw_mycielski_bound(g, clique, size, 1);
    sw_color_verdict verdict;
    int64_t nodes = 0;
    sw_err err;
    assert_int_equal(sw_branch(g, bound - 1, NULL, 0, 1e18, 0, color, &verdict,
                               &nodes, &err),
                     0);
    if (bound > 1) assert_int_equal(verdict, SW_COLOR_NONE);
    above_clique += bound > size;
    sw_graph_free(g);
  }
  assert_true(above_clique > 20);
}

static void limits_end_the_search(void **state) {
  (void)state;
  sw_xoshiro rng;
  sw_xoshiro_seed(&rng, 5);
  sw_edge *list = malloc(sizeof *list * 5000);
  assert_non_null(list);
  int64_t count = 0;
  for (int32_t a = 0; a < 100; a++)
    for (int32_t b = a + 1; b < 100; b++)
      if (sw_xoshiro_unit(&rng) < .5) list[count++] = (sw_edge){a, b};
  sw_instance *g;
  sw_err err;
  int32_t color[100];
  assert_int_equal(sw_graph_new(&g, 100, 0, list, count, &err), 0);
  sw_color_verdict verdict;
  int64_t nodes = 0;
  assert_int_equal(
      sw_branch(g, 14, NULL, 0, 1e18, 1000, color, &verdict, &nodes, &err), 0);
  assert_int_equal(verdict, SW_COLOR_UNKNOWN);
  assert_in_range(nodes, 1000, 1001);
  sw_color_result r;
  assert_int_equal(sw_color_minimum(g, .2, color, &r, &err), 0);
  assert_true(sw_graph_check(g, color, r.colors));
  assert_in_range(r.lower, 8, r.colors);
  sw_graph_free(g);
  free(list);
}

/* The answer as `solve` prints it, read back and checked. */
static void printed_answer(void **state) {
  (void)state;
  const char *text = "p edge 5 5\ne 1 2\ne 2 3\ne 3 4\ne 4 5\ne 5 1\n";
  for (int32_t k = 2; k <= 5; k++) {
    sw_domain_options o;
    sw_instance *g;
    sw_err err;
    int verdict, node, color[5], used = 0, at = 0;
    char *answer, note[200];
    options_of(&o, "fair", NULL);
    sw_col_own_edit(&o)->colors = k;
    assert_int_equal(
        coloring()->file.parse(&g, "c5", text, strlen(text), &o, &err), 0);
    assert_int_equal(coloring()->file.solve(g, &o, 0, &verdict, &answer, note,
                                            sizeof note, &err),
                     0);
    assert_int_equal(verdict, k == 2 ? 20 : 10);
    assert_int_equal(answer == NULL, k == 2);
    for (int v = 0; answer && v < 5; v++) {
      assert_int_equal(
          sscanf(answer + at, "v %d %d\n%n", &node, &color[v], &used), 2);
      assert_int_equal(node, v + 1);
      at += used;
    }
    if (answer) assert_true(sw_graph_check(g, color, k));
    free(answer);
    coloring()->instance_free(g);
  }
}

static void real_files(void **state) {
  (void)state;
  static const struct {
    const char *name;
    int n, edges, colors;
  } rows[] = {{"games120", 120, 638, 9}, {"huck", 74, 301, 11},
              {"jean", 80, 254, 10},     {"miles250", 128, 387, 8},
              {"myciel6", 95, 755, 7},   {"queen6_6", 36, 290, 7},
              {"queen8_8", 64, 728, 9}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char path[200], *text;
    size_t bytes;
    sw_err err;
    sw_instance *g;
    sw_domain_options o;
    int32_t color[128];
    sw_color_result r;
    options_of(&o, "fair", NULL);
    snprintf(path, sizeof path, "tests/data/coloring/real/%s.col",
             rows[i].name);
    assert_int_equal(sw_read_file(path, 0, &text, &bytes, &err), 0);
    assert_int_equal(coloring()->file.parse(&g, path, text, bytes, &o, &err),
                     0);
    assert_int_equal(g->n, rows[i].n);
    assert_int_equal(g->edges, rows[i].edges);
    /* normally a second; a busy sanitizer run may take minutes */
    assert_int_equal(sw_color_minimum(g, 600, color, &r, &err), 0);
    assert_int_equal(r.colors, rows[i].colors);
    assert_int_equal(r.lower, rows[i].colors); /* proven */
    assert_true(sw_graph_check(g, color, r.colors));
    coloring()->instance_free(g);
    free(text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(against_brute_force),
      cmocka_unit_test(depth_needs_no_stack),
      cmocka_unit_test(mycielski_graphs),
      cmocka_unit_test(bound_is_sound),
      cmocka_unit_test(limits_end_the_search),
      cmocka_unit_test(printed_answer),
      cmocka_unit_test(real_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
