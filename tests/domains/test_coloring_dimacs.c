/* The DIMACS .col reader: one file for each form found in the world, one for
 * each fault with the line it is reported at, and random damage. */
#include "base/file.h"
#include "coloring_help.h"

static int parse_file(const char *name, const char *reading, int colors,
                      sw_instance **graph, sw_err *err) {
  char path[256];
  char *text;
  size_t bytes;
  sw_domain_options o;
  options_of(&o, "fair", "reading", reading, NULL);
  sw_col_own_edit(&o)->colors = colors;
  snprintf(path, sizeof path, "tests/data/coloring/%s.col", name);
  assert_int_equal(sw_read_file(path, 0, &text, &bytes, err), 0);
  assert_true(coloring()->file.recognises(coloring(), path, text, bytes));
  int code = coloring()->file.parse(graph, path, text, bytes, &o, err);
  free(text);
  return code;
}

static void forms(void **state) {
  (void)state;
  static const struct {
    const char *name;
    int n, edges;
    const char *note; /* a part of it, or NULL: none */
    int pedantic;     /* accepted by the pedantic reading too */
  } rows[] = {
      {"both_directions", 3, 3, "each of 3 edges is given twice", 0},
      {"declared_twice", 3, 2, "both directions counted", 0},
      {"wrong_count", 4, 3, "3 edges, 7 declared", 0},
      {"extra_fields", 4, 3, NULL, 0},
      {"duplicates", 3, 2, "1 repeated edges", 0},
      {"isolated", 5, 1, NULL, 1},
      {"comments_anywhere", 3, 2, NULL, 1},
      {"descriptors", 3, 1, NULL, 1},
      {"blanks_and_crlf", 3, 2, NULL, 1},
      {"no_edges", 3, 0, NULL, 1},
      {"no_nodes", 0, 0, NULL, 1},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    sw_instance *g;
    sw_err err = {0};
    if (parse_file(rows[i].name, "normal", 3, &g, &err))
      fail_msg("%s: %s", rows[i].name, err.text);
    assert_int_equal(g->n, rows[i].n);
    assert_int_equal(g->edges, rows[i].edges);
    assert_int_equal(g->colors, 3);
    const char *note = coloring()->file.note(g);
    if (rows[i].note) assert_non_null(strstr(note ? note : "", rows[i].note));
    else assert_null(note);
    coloring()->instance_free(g);
    int strict = parse_file(rows[i].name, "pedantic", 3, &g, &err);
    assert_int_equal(strict == SW_OK, rows[i].pedantic);
    coloring()->instance_free(g);
  }
}

static void faults(void **state) {
  (void)state;
  static const struct {
    const char *name, *text, *hint;
    int code;
  } rows[] = {
      {"bad_self_loop", ":4: node 3 is joined to itself", "self-loop", SW_DATA},
      {"bad_zero_based", ":2: node 0 is outside 1..3", "from 1", SW_DATA},
      {"bad_outside", ":3: node 4 is outside 1..3", "", SW_DATA},
      {"bad_no_problem", ":2: no 'p' line", "p edge", SW_DATA},
      {"bad_edge_first", ":1: an edge before the 'p' line", "", SW_DATA},
      {"bad_two_problems", ":3: a second 'p' line", "", SW_DATA},
      {"bad_kind", ":1: problem kind 'cnf'", "p edge", SW_DATA},
      {"bad_missing_end", ":2: the second node is missing", "", SW_DATA},
      {"bad_missing_count", ":1: the number of edges is missing", "", SW_DATA},
      {"bad_not_a_number", ":2: the second node 'x2'", "", SW_DATA},
      {"bad_negative", ":2: the first node '-1'", "", SW_DATA},
      {"bad_huge", ":1: the number of nodes '999", "", SW_LIMIT},
      {"bad_many_nodes", ":1: 2000000000 nodes", "", SW_LIMIT},
      {"bad_line", ":2: 'q' does not start", "c, p or e", SW_DATA},
      {"bad_zero_byte", "a zero byte at offset 15", "", SW_DATA},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    sw_instance *g;
    sw_err err = {0};
    assert_int_equal(parse_file(rows[i].name, "normal", 3, &g, &err),
                     rows[i].code);
    assert_null(g);
    if (!strstr(err.text, rows[i].text) || !strstr(err.hint, rows[i].hint))
      fail_msg("%s: '%s' hint '%s'", rows[i].name, err.text, err.hint);
  }
  /* `relaxed` skips lines it does not know, and says so. */
  sw_instance *g;
  sw_err err = {0};
  assert_int_equal(parse_file("bad_line", "relaxed", 3, &g, &err), 0);
  assert_non_null(coloring()->file.note(g));
  coloring()->instance_free(g);
}

/* Every graph here is the same triangle with a tail, written differently. */
static void same_graph(void **state) {
  (void)state;
  const char *texts[] = {
      "p edge 4 4\ne 1 2\ne 2 3\ne 1 3\ne 3 4\n",
      "p col 4 4\ne 4 3\ne 3 1\ne 3 2\ne 2 1\n",
      "c\np edges 4 8 9\ne 1 2\ne 2 1\ne 1 3\ne 3 1\ne 2 3\ne 3 2\ne 3 4 1\n"
      "e 4 3",
      "p coloring 4 0\na 1 2\na 2 3\na 1 3\na 3 4\na 1 2\n"};
  uint64_t hash = 0;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    sw_domain_options o;
    sw_instance *g;
    sw_err err;
    options_of(&o, "fair", NULL);
    assert_int_equal(coloring()->file.parse(&g, "text", texts[i],
                                            strlen(texts[i]), &o, &err),
                     0);
    if (i) assert_true(coloring()->instance_hash(g) == hash);
    hash = coloring()->instance_hash(g);
    coloring()->instance_free(g);
  }
}

static void limits_are_explained(void **state) {
  (void)state;
  char why[200];
  sw_domain_options o;
  sw_instance *g;
  sw_err err;
  options_of(&o, "fair", NULL);
  const char *large = "p edge 76 0\n", *plain = "p edge 75 0\n";
  assert_int_equal(
      coloring()->file.parse(&g, "x", large, strlen(large), &o, &err), 0);
  assert_int_equal(coloring()->instance_fits(g, &o, why, sizeof why), 0);
  assert_non_null(strstr(why, "76 nodes"));
  coloring()->instance_free(g);
  sw_col_own_edit(&o)->colors = 5;
  assert_int_equal(
      coloring()->file.parse(&g, "x", plain, strlen(plain), &o, &err), 0);
  assert_int_equal(coloring()->instance_fits(g, &o, why, sizeof why), 0);
  assert_non_null(strstr(why, "5 colours"));
  g->colors = 4;
  assert_int_equal(coloring()->instance_fits(g, &o, why, sizeof why), 1);
  coloring()->instance_free(g);
}

/* Damaged files: an error or a simple graph, never a crash. */
static void random_damage(void **state) {
  (void)state;
  const char *base = "c x\np edge 12 5 3\ne 1 2\ne 2 3\ne 10 11\ne 12 1 7\n";
  sw_xoshiro rng;
  sw_xoshiro_seed(&rng, 7);
  char text[64];
  size_t bytes = strlen(base);
  int accepted = 0, refused = 0;
  for (int round = 0; round < 20000; round++) {
    memcpy(text, base, bytes + 1);
    for (uint64_t edits = 1 + sw_xoshiro_below(&rng, 3); edits--;)
      text[sw_xoshiro_below(&rng, bytes)] =
          "0123456789pec \n\t\r-x\0"[sw_xoshiro_below(&rng, 20)];
    sw_domain_options o;
    sw_instance *g;
    sw_err err;
    options_of(&o, "fair", NULL);
    sw_col_own_edit(&o)->reading = (int)sw_xoshiro_below(&rng, 3);
    size_t length = sw_xoshiro_below(&rng, bytes + 1);
    int code = coloring()->file.parse(&g, "x", text, length, &o, &err);
    accepted += code == 0;
    refused += code != 0;
    for (int32_t v = 0; g && v < g->n; v++)
      for (int64_t i = g->start[v]; i < g->start[v + 1]; i++) {
        assert_in_range(g->neighbor[i], 0, g->n - 1);
        assert_int_not_equal(g->neighbor[i], v);
        assert_true(sw_graph_adjacent(g, g->neighbor[i], v));
        assert_true(i == g->start[v] || g->neighbor[i - 1] < g->neighbor[i]);
      }
    coloring()->instance_free(g);
  }
  assert_true(accepted > 1000 && refused > 1000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forms),         cmocka_unit_test(faults),
      cmocka_unit_test(same_graph),    cmocka_unit_test(limits_are_explained),
      cmocka_unit_test(random_damage),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
