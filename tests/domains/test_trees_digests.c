/* Tree traversal against its published definition: digests of the streams,
 * token counts, worked examples, vocabulary, measured facts, and the split
 * exclusion. Every expected value is that of an independent program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/hash.h"
#include "domains/trees/tree.h"

static sw_domain_options options_of(const char *family, int arity,
                                    const char *format) {
  sw_domain_options o;
  sw_domain_defaults(&sw_domain_trees, &o);
  sw_trees_own_edit(&o)->arity = arity;
  sw_trees_own_edit(&o)->family = family;
  o.format = format;
  sw_err err;
  if (sw_domain_trees.resolve(&o, &err)) fail_msg("%s", err.text);
  return o;
}

static sw_instance *next_tree(sw_stream *stream) {
  sw_instance *tree = NULL;
  sw_err err;
  if (sw_domain_trees.stream_next(stream, &tree, &err))
    fail_msg("%s", err.text);
  return tree;
}

static sw_stream *stream_of(const sw_domain_options *o, sw_split split) {
  sw_stream *stream = NULL;
  sw_err err;
  if (sw_domain_trees.stream_new(&stream, o, 42, split, &err))
    fail_msg("%s", err.text);
  return stream;
}

static void write_one(const sw_instance *tree, const sw_domain_options *o,
                      sw_trace *trace) {
  sw_err err;
  if (sw_domain_trees.write_trace(tree, o, NULL, trace, &err))
    fail_msg("%s", err.text);
}

/* Digest of the first 100 sequences; returns their tokens. */
static int64_t digest(const sw_domain_options *o, char hex[65]) {
  sw_stream *stream = stream_of(o, SW_SPLIT_TRAIN);
  sw_trace trace;
  sw_sha sha;
  int64_t tokens = 0;
  sw_trace_init(&trace);
  sw_sha256_init(&sha);
  for (int i = 0; i < 100; i++) {
    sw_instance *tree = next_tree(stream);
    write_one(tree, o, &trace);
    for (int64_t t = 0; t < trace.length; t++) {
      char text[16];
      int size = snprintf(text, sizeof text, "%d%c", trace.token[t],
                          t + 1 < trace.length ? ' ' : '\n');
      sw_sha_update(&sha, text, (size_t)size);
    }
    tokens += trace.length;
    sw_tree_free(tree);
  }
  sw_sha_hex(&sha, hex);
  sw_trace_free(&trace);
  sw_domain_trees.stream_free(stream);
  return tokens;
}

static void test_digests(void **state) {
  static const struct {
    const char *family;
    int arity;
    const char *format, *sha256;
  } row[] = {
      {"bfs", -1, "simple",
       "014a6cb95ef39b4f61c4b59e35ae498ec6db81dfec8413816ab395653a344907"},
      {"dfs", -1, "simple",
       "81027c0c2c03b6c3b00b3ce4f2c6f7f4a8bf509dba08d0ad793e061913fab911"},
      {"dfs", -1, "mid",
       "7e340b937e38d6be9c792bcb23efeab0c3720f2d172545a5293c4ae22a8bfb3b"},
      {"dfs", -1, "copy",
       "795ac0b11dabd26c8f1200b81a1460c7a86097d475d8170cd245a7696a696277"},
      {"dfs", -1, "verbose",
       "de119d85fb4f50daa9d1fff94d711dacb42f4bd1187712aca43036e2ad279218"},
      {"star", 4, "simple",
       "3b74c25fe44f90e5e33b408af9aebcc385bfd3c63bad0b8124fa0d80007b7020"},
      {"star", 64, "simple",
       "e3eea34f71c4209b4dd8160eef943bfb013d23c50dc80c82637e09b297eeab2a"},
      {"star", 64, "copy",
       "23dfa6ab725e388b7b1f3b7201b59aebccadd54b6b96cc0ae29fc78cdeb082e3"},
      {"star", 64, "verbose",
       "cc1bf0278f479f8e6504476616c9aaeacee34eabb6e6a1c60d04ce1d64f371c6"},
      {"star", 16, "cover",
       "94320347e24b8668a3c5306ed03adf24d83faf1a14cecb299f99c7973928685d"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    sw_domain_options o =
        options_of(row[i].family, row[i].arity, row[i].format);
    char hex[65];
    int64_t tokens = digest(&o, hex);
    assert_string_equal(hex, row[i].sha256);
    if (strcmp(row[i].format, "cover") == 0) assert_int_equal(tokens, 14620);
  }
}

/* The text of tokens [from, to) joined by blanks. */
static void text_of(const sw_trace *trace, int64_t from, int64_t to, char *out,
                    size_t room) {
  size_t used = 0;
  *out = '\0';
  for (int64_t i = from; i < to && used + 16 < room; i++) {
    if (i > from) out[used++] = ' ';
    used += (size_t)sw_domain_trees.token_text(
        &sw_domain_trees, trace->token[i], out + used, room - used);
  }
}

static void test_first_trees(void **state) {
  (void)state;
  char text[4096];
  sw_trace trace;
  sw_trace_init(&trace);
  sw_domain_options o = options_of("dfs", -1, "simple");
  sw_stream *stream = stream_of(&o, SW_SPLIT_TRAIN);
  sw_instance *tree = next_tree(stream);
  write_one(tree, &o, &trace);
  text_of(&trace, 0, trace.block_start[1], text, sizeof text);
  assert_string_equal(
      text,
      "( 0 ( 10 ( 16 ( 9 ) ( 1 ) ( 8 ) ) ( 19 ) ) ( 13 ( 6 ( 5 ) ( 17 ) "
      "( 14 ( 15 ) ( 11 ) ( 12 ) ( 4 ) ) ( 18 ) ) ( 2 ( 7 ) ( 3 ) ) ) )");
  sw_tree_free(tree);
  sw_domain_trees.stream_free(stream);

  static const int32_t star[3][4] = {
      {29, 4, 95, 36}, {63, 29, 18, 95}, {27, 87, 95, 115}};
  o = options_of("star", 4, "simple");
  stream = stream_of(&o, SW_SPLIT_TRAIN);
  for (int i = 0; i < 3; i++) {
    tree = next_tree(stream);
    assert_memory_equal(tree->label + 1, star[i], sizeof star[i]);
    sw_tree_free(tree);
  }
  sw_domain_trees.stream_free(stream);

  static const int32_t walk[] = {4, 4, 36, 36, 4, 4, 29, 95};
  o = options_of("star", 4, "cover");
  stream = stream_of(&o, SW_SPLIT_TRAIN);
  tree = next_tree(stream);
  assert_memory_equal(tree->label + 1, star[0], sizeof star[0]);
  assert_int_equal(tree->walk_length, 8);
  for (int i = 0; i < 8; i++)
    assert_int_equal(tree->label[tree->walk[i]], walk[i]);
  sw_tree_free(tree);
  sw_domain_trees.stream_free(stream);
  sw_trace_free(&trace);
}

static sw_instance *tree_from(const char *text) {
  sw_instance *tree = NULL;
  sw_err err;
  if (sw_tree_parse(&tree, "text", text, strlen(text), &err))
    fail_msg("%s", err.text);
  return tree;
}

static void test_figure_example(void **state) {
  (void)state;
  static const struct {
    const char *family, *format, *trace;
  } row[] = {
      {"bfs", "simple",
       "START BFS POSITION 0 POSITION 1 POSITION 2 POSITION 5 POSITION 3 "
       "POSITION 4 FINISH"},
      {"dfs", "simple",
       "START DFS POSITION 0 POSITION 1 POSITION 0 POSITION 2 POSITION 3 "
       "POSITION 2 POSITION 4 POSITION 2 POSITION 0 POSITION 5 POSITION 0 "
       "FINISH"},
      {"dfs", "mid",
       "START DFS POSITION 0 PARENT NONE POSITION 1 PARENT 0 POSITION 0 PARENT "
       "NONE POSITION 2 PARENT 0 POSITION 3 PARENT 2 POSITION 2 PARENT 0 "
       "POSITION 4 PARENT 2 POSITION 2 PARENT 0 POSITION 0 PARENT NONE "
       "POSITION 5 PARENT 0 POSITION 0 PARENT NONE FINISH"},
      {"dfs", "copy",
       "START DFS POSITION 0 NONE POSITION 1 POSITION 0 1 POSITION 2 NONE "
       "POSITION 3 POSITION 2 3 POSITION 4 POSITION 2 4 POSITION 0 2 POSITION "
       "5 POSITION 0 5 FINISH"},
      {"dfs", "copy2",
       "START DFS POSITION 0 NONE NONE POSITION 1 POSITION 0 NONE 1 POSITION 2 "
       "NONE NONE POSITION 3 POSITION 2 NONE 3 POSITION 4 POSITION 2 3 4 "
       "POSITION 0 1 2 POSITION 5 POSITION 0 2 5 FINISH"},
      {"dfs", "verbose",
       "START DFS POSITION 0 OPTIONS 1 2 5 VISITED NONE COMMAND GOTO 1 "
       "POSITION 1 OPTIONS NONE VISITED NONE COMMAND BACKTRACK POSITION 0 "
       "OPTIONS 1 2 5 VISITED 1 COMMAND GOTO 2 POSITION 2 OPTIONS 3 4 VISITED "
       "NONE COMMAND GOTO 3 POSITION 3 OPTIONS NONE VISITED NONE COMMAND "
       "BACKTRACK POSITION 2 OPTIONS 3 4 VISITED 3 COMMAND GOTO 4 POSITION 4 "
       "OPTIONS NONE VISITED NONE COMMAND BACKTRACK POSITION 2 OPTIONS 3 4 "
       "VISITED 3 4 COMMAND BACKTRACK POSITION 0 OPTIONS 1 2 5 VISITED 1 2 "
       "COMMAND GOTO 5 POSITION 5 OPTIONS NONE VISITED NONE COMMAND BACKTRACK "
       "POSITION 0 OPTIONS 1 2 5 VISITED 1 2 5 FINISH"},
  };
  sw_instance *tree = tree_from("(0 (1) (2 (3) (4)) (5))");
  sw_trace trace;
  sw_trace_init(&trace);
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    sw_domain_options o = options_of(row[i].family, -1, row[i].format);
    char text[4096];
    write_one(tree, &o, &trace);
    assert_int_equal(trace.blocks, 2);
    text_of(&trace, 0, trace.block_start[1], text, sizeof text);
    assert_string_equal(text, "( 0 ( 1 ) ( 2 ( 3 ) ( 4 ) ) ( 5 ) )");
    text_of(&trace, trace.block_start[1], trace.length, text, sizeof text);
    assert_string_equal(text, row[i].trace);
  }
  sw_trace_free(&trace);
  sw_tree_free(tree);
}

static void test_id_vector(void **state) {
  (void)state;
  static const int32_t ids[] = {13, 16, 13, 18, 14, 13, 17, 14, 14, 1,  4,
                                5,  16, 5,  18, 5,  16, 5,  17, 5,  16, 2};
  sw_instance *tree = tree_from("(0 (2) (1))");
  sw_trace trace;
  sw_trace_init(&trace);
  sw_domain_options o = options_of("star", 2, "simple");
  write_one(tree, &o, &trace);
  assert_int_equal(trace.length, 22);
  assert_memory_equal(trace.token, ids, sizeof ids);
  for (int i = 0; i < 22; i++) assert_int_equal(trace.supervised[i], i >= 11);
  assert_int_equal(trace.decisions, 2);
  assert_int_equal(trace.conflicts, 1);
  assert_int_equal(sw_domain_trees.vocab_size(&o), 145);
  o = options_of("dfs", -1, "simple");
  assert_int_equal(sw_domain_trees.vocab_size(&o), 36);
  sw_trace_free(&trace);
  sw_tree_free(tree);
}

static void test_token_counts(void **state) {
  (void)state;
  static const int k[] = {4, 8, 16, 32, 64, 128};
  static const struct {
    const char *format;
    int inputs[6];
  } row[] = {
      {"simple", {35, 63, 119, 231, 455, 903}},
      {"copy", {40, 72, 136, 264, 520, 1032}},
      {"mid", {53, 97, 185, 361, 713, 1417}},
      {"verbose", {112, 262, 706, 2170, 7402, 27082}},
  };
  sw_trace trace;
  sw_trace_init(&trace);
  for (size_t r = 0; r < sizeof row / sizeof *row; r++)
    for (int i = 0; i < 6; i++) {
      sw_domain_options o = options_of("star", k[i], row[r].format);
      sw_stream *stream = stream_of(&o, SW_SPLIT_TRAIN);
      sw_instance *tree = next_tree(stream);
      write_one(tree, &o, &trace);
      assert_int_equal(trace.length - 1, row[r].inputs[i]);
      assert_int_equal(trace.decisions, k[i]);
      if (k[i] == 64 && strcmp(row[r].format, "verbose") == 0) {
        sw_domain_options figure = options_of("star", 64, "verbose-figure");
        write_one(tree, &figure, &trace);
        assert_int_equal(trace.length - 1, 7274);
      }
      sw_tree_free(tree);
      sw_domain_trees.stream_free(stream);
    }
  sw_trace_free(&trace);
}

/* Facts measured over the 50 000 training trees. */
static void test_tree_statistics(void **state) {
  (void)state;
  enum { TREES = 50000 };
  static const char *const format[] = {"simple", "mid", "copy", "verbose"};
  static const int low[] = {140, 218, 164, 434}, high[] = {140, 218, 168, 486};
  int64_t sum[4] = {0}, share[5] = {0}, internal = 0, levels = 0;
  int seen_low[4] = {0}, seen_high[4] = {0}, most_levels = 0, least_levels = 99;
  sw_domain_options o[4], bfs = options_of("bfs", -1, "simple");
  for (int f = 0; f < 4; f++) o[f] = options_of("dfs", -1, format[f]);
  sw_stream *stream = stream_of(&bfs, SW_SPLIT_TRAIN);
  sw_trace trace;
  sw_trace_init(&trace);
  for (int i = 0; i < TREES; i++) {
    sw_instance *tree = next_tree(stream);
    int depth[20] = {1}, deepest = 1;
    for (int v = 0; v < 20; v++) {
      if (v > 0) depth[v] = depth[tree->parent[v]] + 1;
      if (depth[v] > deepest) deepest = depth[v];
      if (tree->children[v] > 0) share[tree->children[v]]++, internal++;
    }
    levels += deepest;
    if (deepest > most_levels) most_levels = deepest;
    if (deepest < least_levels) least_levels = deepest;
    for (int f = 0; f < 4; f++) {
      write_one(tree, &o[f], &trace);
      sum[f] += trace.length - 1;
      assert_in_range(trace.length - 1, low[f], high[f]);
      seen_low[f] |= trace.length - 1 == low[f];
      seen_high[f] |= trace.length - 1 == high[f];
    }
    write_one(tree, &bfs, &trace);
    assert_int_equal(trace.length - 1, 102);
    sw_tree_free(tree);
  }
  for (int f = 0; f < 4; f++) assert_true(seen_low[f] && seen_high[f]);
  assert_int_equal(least_levels, 3);
  assert_int_equal(most_levels, 10);
  assert_int_equal((10 * levels + TREES / 2) / TREES, 52);
  assert_int_equal((10 * sum[2] + TREES / 2) / TREES, 1655);
  assert_int_equal((sum[3] + TREES / 2) / TREES, 464);
  assert_int_equal((100 * share[2] + internal / 2) / internal, 38);
  assert_int_equal((100 * share[3] + internal / 2) / internal, 34);
  assert_int_equal((100 * share[4] + internal / 2) / internal, 28);
  sw_trace_free(&trace);
  sw_domain_trees.stream_free(stream);
}

/* Two leaves: 16 256 labelings, of which the training split has most. */
static void test_training_trees_are_excluded(void **state) {
  (void)state;
  sw_domain_options o = options_of("star", 2, "simple");
  static unsigned char trained[129][129];
  sw_stream *train = stream_of(&o, SW_SPLIT_TRAIN);
  for (int i = 0; i < 50000; i++) {
    sw_instance *tree = next_tree(train);
    trained[tree->label[1]][tree->label[2]] = 1;
    sw_tree_free(tree);
  }
  static const sw_split splits[] = {SW_SPLIT_VALID, SW_SPLIT_TEST};
  static const uint64_t seeds[] = {42 + (1ull << 33), 42 + (1ull << 32)};
  for (int s = 0; s < 2; s++) {
    sw_stream *stream = stream_of(&o, splits[s]);
    sw_mt rng; /* the same stream, unfiltered */
    sw_mt_seed(&rng, seeds[s]);
    for (int i = 0; i < 200; i++) {
      sw_instance *tree = next_tree(stream), *raw;
      assert_false(trained[tree->label[1]][tree->label[2]]);
      while (raw = sw_tree_star(&rng, 2, 0),
             trained[raw->label[1]][raw->label[2]])
        sw_tree_free(raw);
      assert_memory_equal(raw->label, tree->label, 3 * sizeof(int32_t));
      sw_tree_free(raw);
      sw_tree_free(tree);
    }
    sw_domain_trees.stream_free(stream);
  }
  sw_domain_trees.stream_free(train);

  /* One leaf: every labeling is in training; the stream must say so. */
  o = options_of("star", 1, "simple");
  sw_stream *stream = stream_of(&o, SW_SPLIT_TEST);
  sw_instance *tree = NULL;
  sw_err err;
  assert_int_equal(sw_domain_trees.stream_next(stream, &tree, &err), SW_LIMIT);
  assert_null(tree);
  sw_domain_trees.stream_free(stream);
}

/* The order in which a tree grew does not make it another tree. */
static void test_hash_is_of_the_prefix(void **state) {
  (void)state;
  sw_instance *a = sw_tree_alloc(7, 0), *b = sw_tree_alloc(7, 0);
  static const int32_t label[2][7] = {{0, 1, 2, 3, 4, 5, 6},
                                      {0, 1, 2, 5, 6, 3, 4}};
  sw_instance *tree[2] = {a, b};
  for (int i = 0; i < 2; i++) {
    /* a expands node 1 first, b node 2 first */
    int32_t first = i == 0 ? 1 : 2, second = 3 - first;
    tree[i]->first_child[0] = 1;
    tree[i]->children[0] = 2;
    tree[i]->first_child[first] = 3;
    tree[i]->first_child[second] = 5;
    tree[i]->children[1] = tree[i]->children[2] = 2;
    tree[i]->parent[3] = tree[i]->parent[4] = first;
    tree[i]->parent[5] = tree[i]->parent[6] = second;
    memcpy(tree[i]->label, label[i], sizeof label[i]);
  }
  assert_true(sw_domain_trees.instance_hash(a) ==
              sw_domain_trees.instance_hash(b));
  b->label[3] = 6, b->label[4] = 5;
  assert_false(sw_domain_trees.instance_hash(a) ==
               sw_domain_trees.instance_hash(b));
  sw_tree_free(a);
  sw_tree_free(b);
}

static void test_bad_options_and_text(void **state) {
  (void)state;
  static const struct {
    const char *family;
    int n, arity;
    const char *format;
  } bad[] = {{"star", -1, 129, "simple"},  {"star", -1, 0, "simple"},
             {"dfs", 2, -1, "simple"},     {"dfs", -1, 4, "simple"},
             {"bfs", -1, -1, "mid"},       {"dfs", -1, -1, "cover"},
             {"star", 9, 4, "simple"},     {"oak", -1, -1, "simple"},
             {"dfs", -1, -1, "copy0"},     {"dfs", -1, -1, "copy-1"},
             {"dfs", -1, -1, "verbosely"}, {"star", -1, -1, "covers"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    sw_domain_options o;
    sw_domain_defaults(&sw_domain_trees, &o);
    o.n = bad[i].n, sw_trees_own_edit(&o)->arity = bad[i].arity;
    sw_trees_own_edit(&o)->family = bad[i].family, o.format = bad[i].format;
    assert_int_equal(sw_domain_trees.resolve(&o, NULL), SW_USAGE);
  }
  static const char *const text[] = {"",        "(",       "()",  "(0",
                                     "(0))",    "(0)x",    "0",   "(0 1)",
                                     "(0 (0))", "(99999)", "(-1)"};
  for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
    sw_instance *tree = NULL;
    assert_int_not_equal(
        sw_tree_parse(&tree, "text", text[i], strlen(text[i]), NULL), 0);
    assert_null(tree);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_digests),
      cmocka_unit_test(test_first_trees),
      cmocka_unit_test(test_figure_example),
      cmocka_unit_test(test_id_vector),
      cmocka_unit_test(test_token_counts),
      cmocka_unit_test(test_tree_statistics),
      cmocka_unit_test(test_training_trees_are_excluded),
      cmocka_unit_test(test_hash_is_of_the_prefix),
      cmocka_unit_test(test_bad_options_and_text),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
