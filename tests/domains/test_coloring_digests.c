/* Published digests, worked examples and lengths of colouring instances and
 * training traces (graph-coloring 1.1, 5.3, 6, 16, 17). */
#include "coloring_help.h"

static sw_stream *stream_of(const char *preset, const char *n, const char *k,
                            const char *p, uint64_t seed, sw_split split) {
  sw_domain_options o;
  sw_stream *stream;
  sw_err err;
  options_of(&o, preset, "n", n, "colors", k, "density", p, NULL);
  assert_int_equal(coloring()->stream_new(&stream, &o, seed, split, &err), 0);
  return stream;
}

static sw_instance *next_of(sw_stream *stream) {
  sw_instance *graph;
  sw_err err;
  assert_int_equal(coloring()->stream_next(stream, &graph, &err), 0);
  assert_true(
      sw_graph_check(graph, sw_planted_solution(stream), graph->colors));
  return graph;
}

static void check_edges(sw_stream *stream, const int64_t *edges, int count) {
  for (int i = 0; i < count; i++) {
    sw_instance *graph = next_of(stream);
    assert_int_equal(graph->edges, edges[i]);
    sw_graph_free(graph);
  }
  coloring()->stream_free(stream);
}

static void check_list(const sw_instance *g, int32_t v, const int32_t *list,
                       int32_t count) {
  assert_int_equal(sw_graph_degree(g, v), count);
  for (int32_t i = 0; i < count; i++)
    assert_int_equal(g->neighbor[g->start[v] + i], list[i]);
}

static void planted_graphs(void **state) {
  (void)state;
  const int64_t n30[] = {123, 106, 126, 108, 116, 120, 126, 96, 123, 135};
  const int64_t n50[] = {339, 301, 321, 351, 349, 348, 327, 303, 303, 315};
  const int64_t n13[] = {25, 17, 22, 26, 29, 25, 27, 22, 30, 33};
  check_edges(stream_of("release", "30", "4", ".35", 42, SW_SPLIT_TEST), n30,
              10);
  check_edges(stream_of("release", "50", "4", ".35", 42, SW_SPLIT_TRAIN), n50,
              10);
  check_edges(stream_of("fair", "13", "3", ".5", 7, SW_SPLIT_TRAIN), n13, 10);

  const int32_t sol0[] = {1, 4, 3, 2, 2, 4, 1, 3, 1, 1, 3, 4, 3, 4, 3,
                          4, 3, 1, 4, 2, 3, 2, 1, 4, 4, 3, 2, 4, 3, 2};
  const int32_t near0[] = {1, 3, 14, 16, 18, 23, 26, 27, 29};
  const int32_t near1[] = {0, 7, 12, 16, 17, 19, 29};
  const int32_t near2[] = {3, 15, 17, 19, 23, 24, 26, 27};
  sw_stream *s = stream_of("fair", "30", "4", ".35", 42, SW_SPLIT_TRAIN);
  sw_instance *g = next_of(s);
  assert_memory_equal(sw_planted_solution(s), sol0, sizeof sol0);
  check_list(g, 0, near0, 9);
  check_list(g, 1, near1, 7);
  check_list(g, 2, near2, 8);
  sw_graph_free(g);
  coloring()->stream_free(s);

  const int32_t sol1[] = {1, 2, 2, 2, 3, 2, 2, 2, 2, 2, 2, 2, 3};
  s = stream_of("fair", "13", "3", ".5", 7, SW_SPLIT_TRAIN);
  sw_graph_free(next_of(s));
  sw_graph_free(next_of(s));
  assert_memory_equal(sw_planted_solution(s), sol1, sizeof sol1);
  coloring()->stream_free(s);
}

/* Fair splits share no instance; the release draws all from one stream. */
static void splits(void **state) {
  (void)state;
  uint64_t seen[3][20];
  for (int preset = 0; preset < 2; preset++) {
    for (int split = 0; split < 3; split++) {
      sw_stream *s = stream_of(preset ? "release" : "fair", "30", "4", ".35",
                               42, (sw_split)split);
      for (int i = 0; i < 20; i++) {
        sw_instance *g = next_of(s);
        seen[split][i] = coloring()->instance_hash(g);
        sw_graph_free(g);
      }
      coloring()->stream_free(s);
    }
    for (int i = 0; i < 20; i++)
      for (int j = 0; j < 20; j++) {
        int same = preset == 1 && i == j;
        assert_int_equal(seen[0][i] == seen[1][j], same);
        assert_int_equal(seen[0][i] == seen[2][j], same);
        assert_int_equal(seen[1][i] == seen[2][j], same);
      }
  }
}

/* The worked example of 5.3 in the fair format (16). */
static void paper_example(void **state) {
  (void)state;
  sw_edge list[] = {{0, 1}, {0, 3}, {1, 4}, {1, 5},
                    {2, 3}, {3, 4}, {3, 5}, {4, 5}};
  sw_instance *g;
  sw_err err;
  sw_mt mt;
  sw_trace t;
  sw_domain_options o;
  char hex[41];
  assert_int_equal(sw_graph_new(&g, 6, 3, list, 8, &err), 0);
  options_of(&o, "fair", "error", ".5", NULL);
  sw_mt_seed(&mt, 0);
  sw_trace_init(&t);
  assert_int_equal(coloring()->write_trace(g, &o, &mt, &t, &err), 0);
  digest_one(&t, hex);
  assert_int_equal(t.length, 154);
  assert_int_equal(t.blocks, 10);
  assert_int_equal(t.terminal, SW_TRACE_SOLVED);
  assert_int_equal(t.forced_errors, 2);
  assert_int_equal(t.conflicts, 1);
  assert_int_equal(t.backtracks, 2);
  assert_string_equal(hex, "178b5f5bb6f0bc5b32aadb3d636a92b66af85587");
  for (int64_t i = 0; i < t.length; i++)
    assert_int_equal(t.supervised[i], i >= t.block_start[1]);

  options_of(&o, "fair", "error", "0", "loss", "action", NULL);
  assert_int_equal(coloring()->write_trace(g, &o, &mt, &t, &err), 0);
  for (int64_t i = t.block_start[1]; i < t.length; i++) {
    int node = t.token[i] >= SW_T_NODE && t.token[i] < SW_T_NODE + 75 &&
               t.token[i - 1] == SW_T_SEP;
    int color = t.token[i] > SW_T_COLOR && t.token[i] <= SW_T_COLOR + 4 &&
                t.token[i - 1] >= SW_T_MASK;
    assert_int_equal(t.supervised[i], node || color || t.token[i] == SW_T_CF);
  }
  sw_trace_free(&t);
  sw_graph_free(g);
}

typedef struct row {
  const char *format;
  int max;
  int tokens[10][3]; /* tokens, backtracks, errors; 0: dropped */
  int first;
  const char *first_sha;
  int kept, of;
  int64_t total;
  const char *sha;
} row;
static const row rows[] = {{"tried",
                            2048,
                            {{0},
                             {1107, 2, 4},
                             {1082, 0, 1},
                             {1046, 0, 3},
                             {0},
                             {0},
                             {1082, 0, 3},
                             {1022, 0, 2},
                             {1076, 0, 1},
                             {1392, 8, 3}},
                            1,
                            "7919e8d66b0795bac64cdbc06dfa658f93c89983",
                            81,
                            100,
                            102925,
                            "586d14c5cfc09ab5b0bae454bf4e51fa6bd66a48"},
                           {"structural",
                            2048,
                            {{0},
                             {0},
                             {1082, 0, 4},
                             {1046, 0, 2},
                             {0},
                             {0},
                             {1082, 0, 0},
                             {0},
                             {1076, 0, 2},
                             {1100, 0, 2}},
                            2,
                            "30f3c979704ca7bcdb5cc9dc34e831a4b305ac21",
                            70,
                            100,
                            86111,
                            "c7b2059232008e51bbe481909cdf9c1dcdd6e201"},
                           {"maskless",
                            2048,
                            {{0},
                             {0},
                             {1052, 0, 4},
                             {1016, 0, 2},
                             {1797, 15, 3},
                             {0},
                             {1052, 0, 1},
                             {992, 0, 2},
                             {1046, 0, 2},
                             {1551, 8, 2}},
                            2,
                            "90c977e324257edf3ef9146d5adada2f3077d56e",
                            73,
                            100,
                            89457,
                            "caaf12b825642791d0a7c570a6d387d1514a18d4"},
                           {"enriched",
                            2048,
                            {{0},
                             {0},
                             {1153, 0, 4},
                             {1130, 0, 2},
                             {0},
                             {0},
                             {1153, 0, 1},
                             {1102, 0, 3},
                             {1146, 0, 2},
                             {1699, 8, 2}},
                            2,
                            "48a552ae484ebe45b2c772f267d43befa6226fbf",
                            71,
                            100,
                            94834,
                            "469eb95215764fa54b1bf119f873886084bc3147"},
                           {"explicit",
                            4096,
                            {{0},
                             {2131, 2, 4},
                             {2042, 0, 1},
                             {2006, 0, 3},
                             {0},
                             {0},
                             {2042, 0, 2},
                             {0},
                             {2036, 0, 3},
                             {3164, 16, 3}},
                            1,
                            "8365a9ebb9fa60ac020a68b860f61c24514207d4",
                            43,
                            60,
                            102672,
                            "5aaf495a213d37ed0925b249d2d2fa0f602e56b5"}};

static void check_row(const row *r) {
  sw_domain_options o;
  char max[16], hex[41];
  snprintf(max, sizeof max, "%d", r->max);
  options_of(&o, "release", "format", r->format, "max-tokens", max, NULL);
  sw_stream *s = stream_of("release", "30", "4", ".35", 42, SW_SPLIT_TRAIN);
  sw_mt mt;
  sw_mt_seed(&mt, 42);
  sw_trace t;
  sw_trace_init(&t);
  sw_sha all;
  sw_sha1_init(&all);
  int kept = 0;
  int64_t total = 0;
  for (int i = 0; i < r->of; i++) {
    sw_instance *g = next_of(s);
    sw_err err;
    int code = coloring()->write_trace(g, &o, &mt, &t, &err);
    assert_true(code == SW_OK || code == SW_LIMIT);
    sw_graph_free(g);
    if (i < 10) {
      assert_int_equal(code ? 0 : t.length, r->tokens[i][0]);
      assert_int_equal(code ? 0 : t.backtracks, r->tokens[i][1]);
      assert_int_equal(code ? 0 : t.forced_errors, r->tokens[i][2]);
    }
    if (code) continue;
    if (kept++ == 0) {
      assert_int_equal(i, r->first);
      digest_one(&t, hex);
      assert_string_equal(hex, r->first_sha);
    }
    total += t.length;
    digest_add(&all, &t, 1);
  }
  sw_sha_hex(&all, hex);
  assert_int_equal(kept, r->kept);
  assert_int_equal(total, r->total);
  assert_string_equal(hex, r->sha);
  sw_trace_free(&t);
  coloring()->stream_free(s);
}

static void trace_streams(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) check_row(&rows[i]);
}

/* Lengths of 6: kept share, mean, 95th percentile, mean backtracks. */
typedef struct length_row {
  const char *format, *n, *max;
  int graphs;
  double kept, mean, p95, backs; /* -1: not published */
} length_row;
static const length_row lengths[] = {
    {"tried", "30", "1500", 60, .62, 1098, -1, -1},
    {"structural", "30", "1500", 60, .50, 1097, -1, -1},
    {"maskless", "30", "1500", 60, .58, 1102, -1, -1},
    {"enriched", "30", "1500", 60, .43, 1166, -1, -1},
    {"explicit", "30", "1500", 60, 0, -1, -1, -1},
    {"tried", "30", "2048", 100, .81, 1271, 1865, 6.6},
    {"structural", "30", "2048", 100, .70, 1230, 1826, 3.3},
    {"maskless", "30", "2048", 100, .73, 1225, 1781, 4.0},
    {"enriched", "30", "2048", 100, .71, 1336, 1920, 3.7},
    {"explicit", "30", "2048", 100, .44, 2018, 2048, 0},
    {"tried", "30", "4096", 60, .95, 1407, 2462, 10.7},
    {"structural", "30", "4096", 60, .92, 1554, 3019, 9.6},
    {"maskless", "30", "4096", 60, .90, 1496, 2918, 9.3},
    {"enriched", "30", "4096", 60, .90, 1709, 3399, 10.0},
    {"explicit", "30", "4096", 60, .72, 2388, 3516, 5.5},
    {"tried", "50", "8192", 15, 1, 3109, -1, 10.3},
    {"structural", "50", "8192", 15, 1, 3504, -1, 10.3},
    {"maskless", "50", "8192", 15, 1, 3435, -1, 10.3},
    {"enriched", "50", "8192", 15, 1, 3655, -1, 10.3},
    {"explicit", "50", "8192", 15, 13. / 15, 5824, -1, 6.4}};

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void near_published(const length_row *r, const char *what, double got,
                           double want, double half_unit) {
  if (want >= 0 &&
      (got < want - half_unit - 1e-9 || got > want + half_unit + 1e-9))
    fail_msg("%s n=%s max %s: %s %g, published %g", r->format, r->n, r->max,
             what, got, want);
}

static void published_lengths(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    const length_row *r = &lengths[i];
    sw_domain_options o;
    options_of(&o, "release", "format", r->format, "max-tokens", r->max, NULL);
    sw_stream *s = stream_of("release", r->n, "4", ".35", 42, SW_SPLIT_TRAIN);
    sw_mt mt;
    sw_mt_seed(&mt, 42);
    sw_trace t;
    sw_trace_init(&t);
    double length[100], sum = 0, backs = 0;
    int kept = 0;
    for (int j = 0; j < r->graphs; j++) {
      sw_instance *g = next_of(s);
      sw_err err;
      if (coloring()->write_trace(g, &o, &mt, &t, &err) == SW_OK) {
        sum += length[kept++] = (double)t.length;
        backs += t.backtracks;
      }
      sw_graph_free(g);
    }
    qsort(length, (size_t)kept, sizeof *length, by_value);
    double at = .95 * (kept - 1); /* linear interpolation */
    int low = (int)at;
    double p95 = kept ? length[low] : 0;
    if (low + 1 < kept) p95 += (at - low) * (length[low + 1] - length[low]);
    near_published(r, "kept", (double)kept / r->graphs, r->kept, .005);
    if (kept) {
      near_published(r, "mean", sum / kept, r->mean, .5);
      near_published(r, "p95", p95, r->p95, .5);
      near_published(r, "backtracks", backs / kept, r->backs, .05);
    }
    sw_trace_free(&t);
    coloring()->stream_free(s);
  }
}

/* Further counts of 1, 2, 3 and 6 at 2,048 tokens, 100 graphs: traces without
 * a backtrack, injected errors, block lengths. */
static void published_shares(void **state) {
  (void)state;
  static const struct {
    const char *format;
    int easy; /* percent of the kept traces */
  } shares[] = {{"tried", 48},
                {"structural", 66},
                {"maskless", 59},
                {"enriched", 54},
                {"explicit", 100}};
  for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
    sw_domain_options o;
    options_of(&o, "release", "format", shares[i].format, "max-tokens", "2048",
               NULL);
    sw_stream *s = stream_of("release", "30", "4", ".35", 42, SW_SPLIT_TRAIN);
    sw_mt mt;
    sw_mt_seed(&mt, 42);
    sw_trace t;
    sw_trace_init(&t);
    int kept = 0, easy = 0, errors = 0, back = 0, exposed = 0;
    int64_t blocks = 0, tokens = 0, longest = 0;
    for (int j = 0; j < 100; j++) {
      sw_instance *g = next_of(s);
      sw_err err;
      int code = coloring()->write_trace(g, &o, &mt, &t, &err);
      sw_graph_free(g);
      if (code) continue;
      kept++;
      easy += t.backtracks == 0;
      errors += t.forced_errors;
      blocks += t.blocks - 1;
      tokens += t.length - t.block_start[1];
      for (int64_t b = 1; b < t.blocks; b++) {
        int64_t end = b + 1 < t.blocks ? t.block_start[b + 1] : t.length;
        if (end - t.block_start[b] > longest) longest = end - t.block_start[b];
      }
      for (int64_t p = 1; p < t.length; p++)
        if (t.token[p] == SW_T_CF) {
          back++;
          exposed += t.token[p - 1] != SW_T_END_TRIED;
        }
    }
    assert_int_equal((100 * easy + kept / 2) / kept, shares[i].easy);
    double forced = (double)errors / kept,
           mean = (double)tokens / (double)blocks;
    if (i < 4) assert_true(forced >= 2.15 && forced < 2.65);
    if (i == 0) {
      assert_int_equal(back, 531);
      assert_int_equal(exposed, 84);
      assert_true(mean >= 22.45 && mean < 22.55);
      assert_int_equal(longest, 40);
    }
    if (i == 3) {
      assert_true(mean >= 27.05 && mean < 27.15);
      assert_int_equal(longest, 44);
    }
    sw_trace_free(&t);
    coloring()->stream_free(s);
  }
}

/* Edge counts over 300 graphs (1). */
static void published_edges(void **state) {
  (void)state;
  sw_stream *s = stream_of("release", "30", "4", ".35", 42, SW_SPLIT_TRAIN);
  int64_t sum = 0, least = INT64_MAX, most = 0;
  int32_t low = INT32_MAX, high = 0;
  for (int i = 0; i < 300; i++) {
    sw_instance *g = next_of(s);
    sum += g->edges;
    least = g->edges < least ? g->edges : least;
    most = g->edges > most ? g->edges : most;
    for (int32_t v = 0; v < g->n; v++) {
      int32_t degree = sw_graph_degree(g, v);
      low = degree < low ? degree : low;
      high = degree > high ? degree : high;
    }
    sw_graph_free(g);
  }
  assert_int_equal((sum + 150) / 300, 114);
  assert_int_equal(least, 85);
  assert_int_equal(most, 139);
  assert_int_equal(low, 0);
  assert_int_equal(high, 17);
  coloring()->stream_free(s);
}

/* Lengths of the fair format without limits (16). */
static void paper_lengths(void **state) {
  (void)state;
  for (int large = 0; large < 2; large++) {
    sw_domain_options o;
    options_of(&o, "fair", "max-blocks", "0", NULL);
    sw_stream *s =
        stream_of("fair", large ? "50" : "30", "4", ".35", 42, SW_SPLIT_TRAIN);
    sw_mt mt;
    sw_mt_seed(&mt, 42);
    sw_trace t;
    sw_trace_init(&t);
    int graphs = large ? 30 : 100, small = 0, medium = 0;
    double length[100], sum = 0;
    int64_t conflicts = 0, silent = 0, decisions = 0;
    for (int j = 0; j < graphs; j++) {
      sw_instance *g = next_of(s);
      sw_err err;
      assert_int_equal(coloring()->write_trace(g, &o, &mt, &t, &err), 0);
      sum += length[j] = (double)t.length;
      small += t.length <= 2048;
      medium += t.length <= 4096;
      conflicts += t.conflicts;
      silent += t.backtracks - t.conflicts;
      decisions += t.decisions;
      sw_graph_free(g);
    }
    qsort(length, (size_t)graphs, sizeof *length, by_value);
    if (large) {
      assert_int_equal((int)(sum / graphs + .5), 4385);
      assert_int_equal((int)length[graphs - 1], 7393);
    } else {
      assert_int_equal((int)(sum / graphs + .5), 2417);
      assert_int_equal((int)length[graphs / 2], 1818); /* upper median */
      assert_int_equal(small, 60);
      assert_int_equal(medium, 90);
      assert_int_equal(conflicts, 282);
      assert_int_equal(silent, 1802);
      assert_int_equal(decisions, 5084);
    }
    sw_trace_free(&t);
    coloring()->stream_free(s);
  }
}

/* The mixture: legal graphs of every size from 20 to n, mean degrees over the
 * whole range, the same ones again from the same seed. */
static void mixture_family(void **state) {
  (void)state;
  enum { GRAPHS = 400, LEAST = 20, MOST = 50 };
  sw_domain_options o;
  sw_stream *s, *again;
  sw_err err;
  int seen[MOST + 1] = {0};
  double low = 100, high = 0;
  options_of(&o, "fair", "n", "50", "family", "mixture", NULL);
  assert_int_equal(coloring()->stream_new(&s, &o, 42, SW_SPLIT_TRAIN, &err), 0);
  assert_int_equal(coloring()->stream_new(&again, &o, 42, SW_SPLIT_TRAIN, &err),
                   0);
  for (int i = 0; i < GRAPHS; i++) {
    sw_instance *g = next_of(s), *h = next_of(again);
    assert_in_range(g->n, LEAST, MOST);
    assert_int_equal(g->n, h->n);
    assert_int_equal(g->edges, h->edges);
    seen[g->n]++;
    double degree = 2.0 * (double)g->edges / g->n;
    low = degree < low ? degree : low;
    high = degree > high ? degree : high;
    sw_graph_free(g);
    sw_graph_free(h);
  }
  for (int n = LEAST; n <= MOST; n++) assert_true(seen[n] > 0);
  assert_true(low < 7.5 && low > 4 && high > 12 && high < 18);
  coloring()->stream_free(s);
  coloring()->stream_free(again);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(planted_graphs),    cmocka_unit_test(splits),
      cmocka_unit_test(paper_example),     cmocka_unit_test(trace_streams),
      cmocka_unit_test(published_lengths), cmocka_unit_test(paper_lengths),
      cmocka_unit_test(published_shares),  cmocka_unit_test(published_edges),
      cmocka_unit_test(mixture_family),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
