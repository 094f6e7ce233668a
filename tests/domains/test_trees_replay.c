/* An independent validator of tree traces: it rebuilds the tree from the
 * prefix tokens alone and replays the trace token by token with its own rules
 * (who may be visited next, when to return, what each record must show). It
 * shares no code with the writer. A corrupted trace must be refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "domains/trees/tree.h"

enum { MAX = 145, LABEL = 16 };

/* The tree by label, as read from the prefix. */
typedef struct known {
  int count, order[MAX], depth[MAX]; /* preorder */
  int parent[MAX], kids[MAX][MAX], kid_count[MAX];
} known;

typedef struct replay {
  const int32_t *token;
  int64_t at, end;
  const known *k;
  int seen[MAX][MAX], seen_count[MAX]; /* visited children, oldest first */
  int decisions;
} replay;

/* prefix(v) = ( v prefix(c1) ... ) ; returns the label or -1. */
static int read_node(known *k, const int32_t *t, int64_t *at, int64_t end,
                     int parent, int depth) {
  if (*at + 2 >= end || t[*at] != 13 || t[*at + 1] < LABEL) return -1;
  int v = t[*at + 1] - LABEL;
  *at += 2;
  k->parent[v] = parent;
  k->depth[v] = depth;
  k->order[k->count++] = v;
  k->kid_count[v] = 0;
  while (*at < end && t[*at] == 13) {
    int c = read_node(k, t, at, end, v, depth + 1);
    if (c < 0) return -1;
    k->kids[v][k->kid_count[v]++] = c;
  }
  if (*at >= end || t[*at] != 14) return -1;
  ++*at;
  return v;
}

static int take(replay *r, int token) {
  return r->at < r->end && r->token[r->at++] == token;
}

static int take_label(replay *r, int label) {
  return take(r, label < 0 ? 12 : LABEL + label);
}

static int take_list(replay *r, int name, const int *label, int count) {
  if (!take(r, name)) return 0;
  for (int i = 0; i < count; i++)
    if (!take_label(r, label[i])) return 0;
  return count > 0 || take(r, 12);
}

static int check_bfs(replay *r) {
  int done = 0;
  for (int depth = 0; done < r->k->count; depth++)
    for (int i = 0; i < r->k->count; i++)
      if (r->k->depth[r->k->order[i]] == depth) {
        if (!take(r, 5) || !take_label(r, r->k->order[i])) return 0;
        done++;
      }
  return take(r, 2) && r->at == r->end;
}

static int check_record(replay *r, int v, sw_tree_encoding encoding,
                        int budget) {
  const known *k = r->k;
  if (!take(r, 5) || !take_label(r, v)) return 0;
  if (encoding == SW_TREE_MID) return take(r, 6) && take_label(r, k->parent[v]);
  if (encoding == SW_TREE_COPY && k->kid_count[v] > 0)
    for (int i = budget; i > 0; i--)
      if (!take_label(
              r, i > r->seen_count[v] ? -1 : r->seen[v][r->seen_count[v] - i]))
        return 0;
  if (encoding == SW_TREE_VERBOSE)
    return take_list(r, 7, k->kids[v], k->kid_count[v]) &&
           take_list(r, 8, r->seen[v], r->seen_count[v]);
  return 1;
}

static int has_seen(const replay *r, int v, int child) {
  for (int i = 0; i < r->seen_count[v]; i++)
    if (r->seen[v][i] == child) return 1;
  return 0;
}

/* The label that the trace moves to next, by its encoding. */
static int next_label(replay *r, int verbose) {
  if (!verbose)
    return r->at + 1 < r->end && r->token[r->at] == 5
               ? r->token[r->at + 1] - LABEL
               : -1;
  if (!take(r, 9) || r->at >= r->end) return -1;
  if (r->token[r->at] == 11) return r->at++, -2; /* back to the parent */
  if (!take(r, 10) || r->at >= r->end) return -1;
  return r->token[r->at++] - LABEL;
}

static int check_dfs(replay *r, const sw_tree_format *f) {
  const known *k = r->k;
  int verbose = f->encoding == SW_TREE_VERBOSE, v = k->order[0], repeats = 0;
  for (;;) {
    if (!check_record(r, v, f->encoding, f->budget)) return 0;
    int all = r->seen_count[v] == k->kid_count[v];
    r->decisions += k->kid_count[v] > 0 && r->seen_count[v] > 0;
    if (all && k->parent[v] < 0) return take(r, 2) && r->at == r->end;
    int next = next_label(r, verbose);
    if (all) { /* only a return is right */
      if (next != (verbose ? -2 : k->parent[v])) return 0;
      v = k->parent[v];
      continue;
    }
    if (next < 0 || next >= MAX || k->parent[next] != v) return 0;
    if (f->cover && has_seen(r, v, next)) {
      if (++repeats > k->kid_count[v]) return 0;
    } else {
      if (!f->cover && next != k->kids[v][r->seen_count[v]]) return 0;
      if (has_seen(r, v, next)) return 0;
      r->seen[v][r->seen_count[v]++] = next;
    }
    v = next;
  }
}

/* 1 when the sequence is a right traversal; *decisions = returns decided. */
static int valid(const int32_t *token, int64_t length, const sw_tree_format *f,
                 int *decisions) {
  known *k = calloc(1, sizeof *k);
  replay *r = calloc(1, sizeof *r);
  assert_non_null(k);
  assert_non_null(r);
  int64_t at = 0;
  for (int i = 0; i < MAX; i++) k->parent[i] = -3; /* not in the tree */
  int good = read_node(k, token, &at, length, -1, 0) >= 0;
  *r = (replay){token, at, length, k, {{0}}, {0}, 0};
  good = good && take(r, 1) && take(r, f->breadth_first ? 3 : 4) &&
         (f->breadth_first ? check_bfs(r) : check_dfs(r, f));
  *decisions = r->decisions;
  free(r);
  free(k);
  return good;
}

/* Marks and supervision of one written tree against what the replay counted. */
static void check_marks(const sw_instance *tree, const sw_tree_format *f,
                        const sw_trace *trace, const sw_tree_marks *marks,
                        int decisions) {
  int policy = 0, found = 0, returns = 0, unsupervised = 0;
  for (int i = 0; i < marks->count; i++) {
    const sw_tree_mark *m = &marks->item[i];
    int32_t token = trace->token[m->index];
    assert_true(m->index > trace->block_start[1] + 1);
    if (i > 0) assert_true(m->index >= marks->item[i - 1].index);
    if (m->kind == SW_TREE_POLICY) {
      assert_int_equal(token, LABEL + tree->label[m->node]);
      policy++;
      continue;
    }
    assert_true(trace->supervised[m->index]);
    assert_int_equal(sw_tree_decision_of(tree, f, m->node, token), m->kind);
    found++;
    returns += m->kind == SW_TREE_RETURN;
  }
  assert_int_equal(found, decisions);
  assert_int_equal(trace->decisions, decisions);
  assert_int_equal(policy, f->cover ? 0 : tree->nodes - 1);
  for (int64_t i = trace->block_start[1]; i < trace->length; i++)
    unsupervised += !trace->supervised[i];
  assert_int_equal(unsupervised, 2 + tree->walk_length);
  if (f->breadth_first) return;
  int internal = 0;
  for (int v = 0; v < tree->nodes; v++) internal += tree->children[v] > 0;
  assert_int_equal(returns, internal);
}

static void replay_family(const char *format_name, int breadth_first, int star,
                          int trees) {
  sw_tree_format f;
  assert_int_equal(sw_tree_format_from_name(format_name, &f), 0);
  f.breadth_first = breadth_first;
  sw_trace trace;
  sw_tree_marks marks = {0};
  sw_mt rng, noise;
  int refused = 0;
  sw_mt_seed(&rng, 7);
  sw_mt_seed(&noise, 8);
  sw_trace_init(&trace);
  for (int i = 0; i < trees; i++) {
    sw_instance *tree =
        star ? sw_tree_star(&rng, star, f.cover) : sw_tree_random(&rng, 20);
    int decisions = 0, ignored;
    sw_trace_clear(&trace);
    assert_int_equal(sw_tree_write(tree, &f, &trace, &marks, NULL), 0);
    assert_true(valid(trace.token, trace.length, &f, &decisions));
    if (star && !f.cover) assert_int_equal(decisions, star);
    if (!star && !breadth_first) assert_int_equal(decisions, 19);
    if (f.cover) assert_in_range(decisions, star, 2 * star);
    check_marks(tree, &f, &trace, &marks, decisions);
    /* Any changed token behind the prefix makes a wrong trace; in `cover`
     * another leaf could have been chosen, so only fixed tokens are changed. */
    int64_t first = trace.block_start[1];
    int64_t at = first + sw_mt_below(&noise, (uint32_t)(trace.length - first));
    if (!f.cover || trace.token[at] < LABEL) {
      trace.token[at] = trace.token[at] == 5 ? 2 : 5;
      assert_false(valid(trace.token, trace.length, &f, &ignored));
      refused++;
    }
    sw_tree_free(tree);
  }
  assert_true(refused > 0);
  sw_tree_marks_free(&marks);
  sw_trace_free(&trace);
}

static void test_random_trees(void **state) {
  (void)state;
  replay_family("simple", 1, 0, 300);
  replay_family("simple", 0, 0, 300);
  replay_family("mid", 0, 0, 300);
  replay_family("copy", 0, 0, 300);
  replay_family("copy3", 0, 0, 300);
  replay_family("verbose", 0, 0, 300);
}

static void test_stars(void **state) {
  (void)state;
  static const int k[] = {1, 2, 4, 8, 16, 32, 64, 128};
  for (size_t i = 0; i < sizeof k / sizeof *k; i++) {
    int trees = k[i] > 32 ? 5 : 40;
    replay_family("simple", 0, k[i], trees);
    replay_family("mid", 0, k[i], trees);
    replay_family("copy", 0, k[i], trees);
    replay_family("verbose", 0, k[i], trees);
  }
}

static void test_cover(void **state) {
  (void)state;
  static const int k[] = {1, 4, 16, 64};
  for (size_t i = 0; i < sizeof k / sizeof *k; i++) {
    replay_family("cover", 0, k[i], 40);
    replay_family("cover-mid", 0, k[i], 40);
    replay_family("cover-copy2", 0, k[i], 40);
    replay_family("cover-verbose", 0, k[i], 40);
  }
}

/* Inputs of `cover` simple are 3k + 4V + 7, V = 1 + (k-1)/0.7 on average. */
static void test_cover_lengths(void **state) {
  (void)state;
  enum { K = 16, TREES = 4000 };
  sw_tree_format f;
  sw_trace trace;
  sw_mt rng;
  double visits = 0;
  assert_int_equal(sw_tree_format_from_name("cover", &f), 0);
  sw_trace_init(&trace);
  sw_mt_seed(&rng, 42);
  for (int i = 0; i < TREES; i++) {
    sw_instance *tree = sw_tree_star(&rng, K, 1);
    sw_trace_clear(&trace);
    assert_int_equal(sw_tree_write(tree, &f, &trace, NULL, NULL), 0);
    assert_int_equal(trace.length - 1, 3 * K + 4 * tree->walk_length + 7);
    visits += tree->walk_length;
    sw_tree_free(tree);
  }
  /* mean 22.43, deviation of one walk 3.0, so 0.05 of the mean of 4 000 */
  visits /= TREES;
  assert_true(visits > 22.43 - 0.2 && visits < 22.43 + 0.2);
  sw_trace_free(&trace);
}

static void test_wrong_answers_of_the_decision(void **state) {
  (void)state;
  sw_tree_format simple, verbose;
  sw_instance *tree = NULL;
  const char *text = "(0 (1) (2 (3) (4)) (5))";
  assert_int_equal(sw_tree_parse(&tree, "text", text, strlen(text), NULL), 0);
  assert_int_equal(sw_tree_format_from_name("simple", &simple), 0);
  assert_int_equal(sw_tree_format_from_name("verbose", &verbose), 0);
  int32_t two = 2; /* level order: 0 | 1 2 5 | 3 4 */
  assert_int_equal(tree->label[two], 2);
  assert_int_equal(sw_tree_decision_of(tree, &simple, two, LABEL + 4),
                   SW_TREE_CONTINUE);
  assert_int_equal(sw_tree_decision_of(tree, &simple, two, LABEL + 0),
                   SW_TREE_RETURN);
  assert_int_equal(sw_tree_decision_of(tree, &simple, two, LABEL + 5), -1);
  assert_int_equal(sw_tree_decision_of(tree, &simple, two, SW_TREE_FINISH), -1);
  assert_int_equal(sw_tree_decision_of(tree, &simple, 0, SW_TREE_FINISH),
                   SW_TREE_RETURN);
  assert_int_equal(sw_tree_decision_of(tree, &simple, 0, SW_TREE_COMMAND), -1);
  assert_int_equal(sw_tree_decision_of(tree, &verbose, 0, SW_TREE_COMMAND),
                   SW_TREE_CONTINUE);
  assert_int_equal(sw_tree_decision_of(tree, &verbose, two, SW_TREE_GOTO),
                   SW_TREE_CONTINUE);
  assert_int_equal(sw_tree_decision_of(tree, &verbose, two, SW_TREE_BACKTRACK),
                   SW_TREE_RETURN);
  assert_int_equal(sw_tree_decision_of(tree, &verbose, two, LABEL + 4), -1);
  sw_tree_free(tree);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_trees),
      cmocka_unit_test(test_stars),
      cmocka_unit_test(test_cover),
      cmocka_unit_test(test_cover_lengths),
      cmocka_unit_test(test_wrong_answers_of_the_decision),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
