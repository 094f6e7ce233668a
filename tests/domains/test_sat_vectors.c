/* Published vectors of SAT traces: instances, trace digests, the worked
 * examples and the size table of the enriched format. */
#include "sat_support.h"

typedef struct vector {
  int attempt, tokens, blocks, decisions, conflicts, backtracks, errors,
      supervised; /* -1: not published */
  const char *sha1;
} vector;

static int supervised_count(const sw_trace *t) {
  int count = 0;
  for (int64_t i = 0; i < t->length; i++) count += t->supervised[i];
  return count;
}

static void check_vector(const sw_trace *t, const vector *v) {
  char hex[41];
  token_sha1(t->token, t->length, hex);
  assert_int_equal(t->length, v->tokens);
  assert_int_equal(t->blocks - 1, v->blocks);
  assert_string_equal(hex, v->sha1);
  if (v->decisions < 0) return;
  assert_int_equal(t->decisions, v->decisions);
  assert_int_equal(t->conflicts, v->conflicts);
  assert_int_equal(t->backtracks, v->backtracks);
  assert_int_equal(t->forced_errors, v->errors);
  assert_int_equal(supervised_count(t), v->supervised);
}

/* Attempts 0.. of one stream; those in the list must be kept and match, the
 * others must be dropped when `others_dropped`. */
static void check_attempts(const sw_domain_options *o, int attempts,
                           const vector *list, int count, int others_dropped) {
  sw_stream *stream = open_stream(o, 42);
  sw_trace t;
  sw_mt mt;
  sw_trace_init(&t);
  sw_mt_seed(&mt, 42);
  for (int a = 0; a < attempts; a++) {
    sw_instance *f = next_instance(stream);
    int code = sw_domain_sat.write_trace(f, o, &mt, &t, NULL);
    const vector *found = NULL;
    for (int i = 0; i < count; i++)
      if (list[i].attempt == a) found = &list[i];
    if (found) {
      assert_int_equal(code, SW_OK);
      check_vector(&t, found);
    } else if (others_dropped) {
      assert_int_equal(code, SW_LIMIT);
    }
    sw_domain_sat.instance_free(f);
  }
  sw_trace_free(&t);
  sw_domain_sat.stream_free(stream);
}

static void test_n50_error_no_cap(void **state) {
  (void)state;
  static const vector list[] = {{0, 14237, 183, 126, 57, 110, 11, 607,
                                 "37444d2a9a2248d5322f1760b9a4deca308a7f96"},
                                {1, 8081, 104, 74, 30, 56, 6, 343,
                                 "f3238f667415ba7f6921f7e8b36cb132c6e6129d"},
                                {2, 11486, 136, 93, 43, 83, 8, 452,
                                 "9917ed38c976d0b02414ce39256b36fbf8e68b75"},
                                {3, 9592, 110, 75, 35, 66, 5, 366,
                                 "2566519f9c80e1ba19d431b77b362b59552baeaf"},
                                {4, 3998, 48, 35, 13, 24, 2, 158,
                                 "754432c39dfcd305bd14bc52368361ecbf806950"},
                                {5, 5483, 66, 48, 18, 32, 3, 217,
                                 "eda25e3fe4b29214d62ee0a4f9378daa741bae8c"}};
  sw_domain_options o = release_options(50, 4.0, "planted", 0.15, 0);
  check_attempts(&o, 6, list, 6, 0);
}

static void test_n50_no_error_no_cap(void **state) {
  (void)state;
  static const vector list[] = {
      {0, 8406, 106, -1, 0, 0, 0, 0,
       "2cd7ba23af422409a8073a5a023e975ba3299eb8"},
      {3, 16660, 204, -1, 0, 0, 0, 0,
       "ab321a219dacb962b22754b3f6f12e9fa6a57d19"},
      {4, 3104, 28, -1, 0, 0, 0, 0, "fcd742dfe396058461019d0a6f4c473e7031e0e0"},
      {5, 2490, 16, -1, 0, 0, 0, 0,
       "df03c31e65bdfb59008eabbda871ea5a43aaf1c4"}};
  sw_domain_options o = release_options(50, 4.0, "planted", 0, 0);
  check_attempts(&o, 6, list, 4, 0);
}

static void test_n50_error_cap(void **state) {
  (void)state;
  static const vector list[] = {{4, 3104, 28, -1, 0, 0, 0, 0,
                                 "fcd742dfe396058461019d0a6f4c473e7031e0e0"}};
  sw_domain_options o = release_options(50, 4.0, "planted", 0.15, 4096);
  check_attempts(&o, 6, list, 1, 1);
}

static void test_n30_error_cap(void **state) {
  (void)state;
  static const vector list[] = {
      {0, 3419, 62, -1, 0, 0, 0, 0, "17a08efe674eedca059bff73ff20ac296d2a79fe"},
      {1, 1206, 11, -1, 0, 0, 0, 0, "5f7a5bba59f61e6b12703422180c4ad06801bbc4"},
      {2, 2495, 37, -1, 0, 0, 0, 0, "9e24082d81a68989da75bd5da65be0d32feff0b9"},
      {3, 2031, 32, -1, 0, 0, 0, 0, "a71c8b14edd5f049f6a3224bbd3a9eca8950bcc7"},
      {4, 1119, 9, -1, 0, 0, 0, 0, "32d68aba50e3fd2dcaaf34cbe9703c1ab1879dc4"},
      {5, 3378, 58, -1, 0, 0, 0, 0,
       "0445c6f8607f1a802415ec9361843c3cf9b76c10"}};
  sw_domain_options o = release_options(30, 4.0, "planted", 0.15, 4096);
  check_attempts(&o, 6, list, 6, 0);
}

static void test_instance_stream(void **state) {
  (void)state;
  static const int first[4][3] = {
      {-19, 37, -10}, {34, -36, -47}, {-44, -4, -19}, {17, 24, -33}};
  static const int last[3] = {26, -48, 45};
  static const int8_t planted[10] = {0, 1, 1, 0, 0, 1, 0, 1, 0, 0};
  sw_domain_options o = release_options(50, 4.0, "planted", 0, 0);
  sw_stream *stream = open_stream(&o, 42);
  sw_instance *f = next_instance(stream);
  assert_int_equal(f->m, 200);
  for (int i = 0; i < 12; i++)
    assert_int_equal(sw_sat_to_dimacs(f->literal[i]), first[i / 3][i % 3]);
  for (int i = 0; i < 3; i++)
    assert_int_equal(sw_sat_to_dimacs(f->literal[597 + i]), last[i]);
  assert_memory_equal(f->solution, planted, sizeof planted);
  assert_true(sw_sat_satisfies(f, f->solution));
  sw_domain_sat.instance_free(f);
  sw_domain_sat.stream_free(stream);
}

/* Clause counts are truncated products in double arithmetic. */
static void test_clause_counts(void **state) {
  (void)state;
  static const struct {
    int n;
    double ratio;
    int m;
  } rows[] = {{50, 4.0, 200}, {50, 4.26, 213},  {75, 4.26, 319},
              {30, 4.0, 120}, {100, 4.26, 426}, {4, 2.3, 9},
              {5, 3.2, 16},   {3, 0.1, 1}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    sw_domain_options o =
        release_options(rows[i].n, rows[i].ratio, "planted", 0, 0);
    sw_stream *stream = open_stream(&o, 1);
    sw_instance *f = next_instance(stream);
    assert_int_equal(f->m, rows[i].m);
    sw_domain_sat.instance_free(f);
    sw_domain_sat.stream_free(stream);
  }
}

static char *first_trace_text(int n, double ratio, uint64_t seed,
                              int64_t from) {
  sw_domain_options o = release_options(n, ratio, "planted", 0, 0);
  sw_stream *stream = open_stream(&o, seed);
  sw_instance *f = next_instance(stream);
  sw_trace t;
  sw_mt mt;
  sw_trace_init(&t);
  sw_mt_seed(&mt, seed);
  assert_int_equal(sw_domain_sat.write_trace(f, &o, &mt, &t, NULL), SW_OK);
  int64_t begin = t.block_start[from];
  char *text = print_tokens(t.token + begin, t.length - begin);
  sw_trace_free(&t);
  sw_domain_sat.instance_free(f);
  sw_domain_sat.stream_free(stream);
  return text;
}

static void test_worked_example(void **state) {
  (void)state;
  char *text = first_trace_text(4, 2.3, 36, 0);
  assert_string_equal(
      text,
      "[BOS] [CLAUSES] C0 : +v0 -v3 +v2 SEP C1 : -v2 -v1 -v3 SEP "
      "C2 : +v3 -v1 +v0 SEP C3 : -v2 -v1 +v0 SEP C4 : -v0 +v2 +v3 SEP "
      "C5 : -v0 -v3 -v1 SEP C6 : -v2 +v0 -v1 SEP C7 : +v3 -v2 -v0 SEP "
      "C8 : +v1 +v2 -v0 SEP [SEARCH] "
      "STATE v0 U v2 U v1 U v3 U SEP v0 T OK v0 T "
      "STATE v2 U v1 U v3 U SEP v1 T OK v1 T "
      "STATE SEP CONFLICT C4 BJ L1 "
      "STATE v2 U v3 U v1 F SEP v1 F OK v1 F SOLVED [EOS]");
  free(text);
}

static void test_cascade_example(void **state) {
  (void)state;
  char *text = first_trace_text(5, 3.2, 36, 1);
  assert_non_null(strstr(text,
                         "STATE v3 U v4 U SEP CONFLICT C13 BJ L1 "
                         "STATE v1 F v2 U v3 U v4 U SEP v1 F OK v1 F "
                         "STATE v2 U SEP CONFLICT C7 BJ L1 "
                         "STATE v0 F v3 U v1 U v2 U v4 U SEP v0 F OK v0 F"));
  free(text);
}

/* The size table. Printed values are rounded: compare at their precision. */
typedef struct row {
  int n;
  double ratio;
  const char *family;
  double error;
  int cap, attempts, kept;
  double tokens[3], blocks[4], decisions, conflicts, backtracks, supervised;
} row;

static int by_value(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}
static double mean(const int *x, int count) {
  double sum = 0;
  for (int i = 0; i < count; i++) sum += x[i];
  return sum / count;
}
/* Linear interpolation between order statistics. */
static double quantile(const int *sorted, int count, double q) {
  double position = q * (count - 1);
  int below = (int)position;
  double rest = position - below;
  int above = below + 1 < count ? below + 1 : below;
  return sorted[below] * (1 - rest) + sorted[above] * rest;
}
static void close_to(double value, double printed, double step,
                     const char *what, const row *r) {
  if (value < printed - step || value > printed + step)
    fail_msg("n=%d cap=%d error=%g: %s is %.3f, the table has %.3f", r->n,
             r->cap, r->error, what, value, printed);
}

static void check_row(const row *r) {
  enum { MOST = 200 };
  static int tokens[MOST], blocks[MOST], decisions[MOST], conflicts[MOST],
      backtracks[MOST], supervised[MOST];
  sw_domain_options o =
      release_options(r->n, r->ratio, r->family, r->error, r->cap);
  sw_stream *stream = open_stream(&o, 42);
  sw_trace t;
  sw_mt mt;
  int kept = 0;
  sw_trace_init(&t);
  sw_mt_seed(&mt, 42);
  for (int a = 0; a < r->attempts; a++) {
    sw_instance *f = next_instance(stream);
    if (sw_domain_sat.write_trace(f, &o, &mt, &t, NULL) == SW_OK) {
      tokens[kept] = (int)t.length;
      blocks[kept] = (int)t.blocks - 1;
      decisions[kept] = t.decisions;
      conflicts[kept] = t.conflicts;
      backtracks[kept] = t.backtracks;
      supervised[kept++] = supervised_count(&t);
    }
    sw_domain_sat.instance_free(f);
  }
  sw_trace_free(&t);
  sw_domain_sat.stream_free(stream);
  assert_int_equal(kept, r->kept);
  close_to(mean(tokens, kept), r->tokens[0], 0.5, "mean tokens", r);
  close_to(mean(decisions, kept), r->decisions, 0.051, "mean decisions", r);
  close_to(mean(conflicts, kept), r->conflicts, 0.051, "mean conflicts", r);
  close_to(mean(backtracks, kept), r->backtracks, 0.051, "mean backtracks", r);
  close_to(mean(supervised, kept), r->supervised, 0.5, "mean supervised", r);
  qsort(tokens, (size_t)kept, sizeof *tokens, by_value);
  qsort(blocks, (size_t)kept, sizeof *blocks, by_value);
  close_to(quantile(tokens, kept, .5), r->tokens[1], 0.51, "median tokens", r);
  close_to(quantile(tokens, kept, .9), r->tokens[2], 0.51, "p90 tokens", r);
  close_to(mean(blocks, kept), r->blocks[0], r->blocks[0] < 100 ? 0.051 : 0.5,
           "mean blocks", r);
  close_to(quantile(blocks, kept, .5), r->blocks[1], 0.51, "median blocks", r);
  close_to(quantile(blocks, kept, .9), r->blocks[2], 0.51, "p90 blocks", r);
  assert_int_equal(blocks[kept - 1], (int)r->blocks[3]);
}

static void test_size_table(void **state) {
  (void)state;
  static const row table[] = {{30,
                               4.0,
                               "planted",
                               .15,
                               4096,
                               200,
                               182,
                               {1954, 1726, 3144},
                               {27.5, 22, 56, 78},
                               20.7,
                               6.8,
                               11.6,
                               90},
                              {30,
                               4.0,
                               "planted",
                               .15,
                               0,
                               100,
                               100,
                               {2276, 1790, 3659},
                               {34.4, 24, 65, 154},
                               25.1,
                               9.3,
                               16.4,
                               114},
                              {50,
                               4.0,
                               "planted",
                               .15,
                               4096,
                               200,
                               58,
                               {2947, 2836, 3950},
                               {24.5, 23, 38, 47},
                               20.2,
                               4.3,
                               6.5,
                               79},
                              {50,
                               4.0,
                               "planted",
                               .15,
                               8192,
                               80,
                               45,
                               {3979, 3283, 6757},
                               {40.2, 29, 79, 102},
                               30.9,
                               9.3,
                               16.5,
                               131},
                              {50,
                               4.0,
                               "planted",
                               .15,
                               0,
                               60,
                               60,
                               {8485, 6515, 15448},
                               {101, 71, 201, 424},
                               70.5,
                               30.4,
                               57.6,
                               334},
                              {50,
                               4.0,
                               "planted",
                               0,
                               4096,
                               120,
                               37,
                               {3023, 3131, 3854},
                               {25.1, 28, 37, 42},
                               20.3,
                               4.8,
                               7.6,
                               81},
                              {50,
                               4.0,
                               "planted",
                               0,
                               8192,
                               120,
                               79,
                               {4587, 4187, 7318},
                               {47.2, 43, 83, 95},
                               35.1,
                               12.1,
                               21.6,
                               155},
                              {50,
                               4.26,
                               "phase",
                               0,
                               8192,
                               40,
                               15,
                               {4493, 4472, 6950},
                               {45.8, 44, 75, 94},
                               33.5,
                               12.3,
                               20.8,
                               151}};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    check_row(&table[i]);
}

/* n 75 at the phase transition: two of 25 fit in 8192 tokens; without a cap
 * the first six span the published ranges. */
static void test_size_table_n75(void **state) {
  (void)state;
  int kept = 0, tokens = 0, blocks = 0, decisions = 0, conflicts = 0;
  int most_blocks = 0, least_blocks = 1 << 30, most_decisions = 0,
      most_conflicts = 0, most_backtracks = 0;
  for (int cap = 0; cap <= 8192; cap += 8192) {
    sw_domain_options o = release_options(75, 4.26, "phase", 0, cap);
    sw_stream *stream = open_stream(&o, 42);
    sw_trace t;
    sw_mt mt;
    sw_trace_init(&t);
    sw_mt_seed(&mt, 42);
    for (int a = 0; a < (cap ? 25 : 6); a++) {
      sw_instance *f = next_instance(stream);
      int code = sw_domain_sat.write_trace(f, &o, &mt, &t, NULL);
      int size = (int)t.blocks - 1;
      if (!cap) {
        assert_int_equal(code, SW_OK);
        if (size > most_blocks) most_blocks = size;
        if (size < least_blocks) least_blocks = size;
        if (t.decisions > most_decisions) most_decisions = t.decisions;
        if (t.conflicts > most_conflicts) most_conflicts = t.conflicts;
        if (t.backtracks > most_backtracks) most_backtracks = t.backtracks;
      } else if (code == SW_OK) {
        kept++;
        tokens += (int)t.length;
        blocks += size;
        decisions += t.decisions;
        conflicts += t.conflicts;
      }
      sw_domain_sat.instance_free(f);
    }
    sw_trace_free(&t);
    sw_domain_sat.stream_free(stream);
  }
  assert_int_equal(kept, 2);
  assert_in_range(tokens, 2 * 5281 - 1, 2 * 5281 + 1);
  assert_int_equal(blocks, 63);
  assert_int_equal(decisions, 54);
  assert_int_equal(conflicts, 9);
  assert_int_equal(least_blocks, 25);
  assert_int_equal(most_blocks, 933);
  assert_int_equal(most_decisions, 627);
  assert_int_equal(most_conflicts, 306);
  assert_int_equal(most_backtracks, 606);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_instance_stream),
                                     cmocka_unit_test(test_clause_counts),
                                     cmocka_unit_test(test_n50_error_no_cap),
                                     cmocka_unit_test(test_n50_no_error_no_cap),
                                     cmocka_unit_test(test_n50_error_cap),
                                     cmocka_unit_test(test_n30_error_cap),
                                     cmocka_unit_test(test_worked_example),
                                     cmocka_unit_test(test_cascade_example),
                                     cmocka_unit_test(test_size_table),
                                     cmocka_unit_test(test_size_table_n75)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
