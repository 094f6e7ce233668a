/* The public C API as a stranger uses it: stepping searches, every kind of
 * choice, answers checked against the formula here, logits that agree bit for
 * bit with the search's, and misuse. Only statewise.h is used (the tiny model
 * is trained by the helper). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif
#include "statewise.h"
#include "../tiny_run.h"
#include "train/trainer.h"

static char *directory;
static char run[1200];
static statewise *model;

/* Needs x1 = x2 = x3 = true, so a search meets conflicts, and one of the
 * others, so that there is something to go on with at a conflict. */
static const int sat_clauses[][3] = {{1, 2, 3},   {1, 2, -3}, {1, -2, 3},
                                     {1, -2, -3}, {-1, 2, 3}, {-1, 2, -3},
                                     {-1, -2, 3}, {4, 5, 6}};
enum { SAT_CLAUSES = sizeof sat_clauses / sizeof *sat_clauses };

static void formula(char *text, size_t room, int unsatisfiable) {
  int used = snprintf(text, room, "p cnf 6 %d\n", SAT_CLAUSES + unsatisfiable);
  for (int i = 0; i < SAT_CLAUSES; i++)
    used += snprintf(text + used, room - (size_t)used, "%d %d %d 0\n",
                     sat_clauses[i][0], sat_clauses[i][1], sat_clauses[i][2]);
  if (unsatisfiable) snprintf(text + used, room - (size_t)used, "-1 -2 -3 0\n");
}

static statewise_search *open_formula(int unsatisfiable) {
  char text[512];
  statewise_error error;
  statewise_search *search;
  formula(text, sizeof text, unsatisfiable);
  if (statewise_search_text(&search, model, text, strlen(text), &error))
    fail_msg("%s", error.text);
  return search;
}

/* Goes back at conflicts and takes the model's best legal choice elsewhere. */
static int sensible(const statewise_query *q) {
  if (!q->in_conflict) return q->best_legal;
  for (int i = 0; i < q->count; i++)
    if (q->candidate[i].kind == STATEWISE_GO_BACK) return i;
  return -1;
}

static int run_to_end(statewise_search *search) {
  statewise_query q;
  statewise_error error;
  int steps = 0, more;
  while ((more = statewise_search_next(search, &q, &error)) == 1) {
    int chosen = sensible(&q);
    assert_true(chosen >= 0);
    assert_int_equal(statewise_search_choose(search, chosen, &error), 0);
    assert_true(++steps < 1000);
  }
  assert_int_equal(more, 0);
  return steps;
}

static void a_model_tells_what_it_is(void **state) {
  (void)state;
  assert_string_equal(statewise_domain(model), "sat");
  assert_string_equal(statewise_mask(model), "ssa");
  assert_int_equal(statewise_vocabulary(model), 2030);
  assert_true(statewise_parameters(model) > 2030 * 16);
  assert_true(statewise_version()[0] >= '0' && statewise_version()[0] <= '9');
}

static void a_satisfiable_formula_is_solved(void **state) {
  (void)state;
  statewise_search *search = open_formula(0);
  assert_int_equal(statewise_search_status(search), STATEWISE_RUNNING);
  assert_string_equal(statewise_search_reason(search), "");
  assert_null(statewise_search_answer(search));
  assert_true(run_to_end(search) > 0);
  assert_int_equal(statewise_search_status(search), STATEWISE_SOLVED);
  assert_string_equal(statewise_search_reason(search), "solved");

  const char *answer = statewise_search_answer(search);
  assert_non_null(answer);
  int value[7] = {0}, literal, used;
  for (const char *at = answer; *at; at += used) {
    used = 1;
    if (sscanf(at, "%d%n", &literal, &used) == 1 && literal)
      value[abs(literal)] = literal > 0 ? 1 : -1;
  }
  for (int i = 1; i <= 3; i++) assert_int_equal(value[i], 1);
  assert_true(value[4] == 1 || value[5] == 1 || value[6] == 1);
  assert_ptr_equal(statewise_search_answer(search), answer);

  statewise_counters counters;
  statewise_search_counters(search, &counters);
  assert_true(counters.decisions > 0);
  assert_int_equal(
      counters.missed_conflicts + counters.repeats + counters.false_prunes, 0);
  statewise_search_close(search);
}

static void an_unsatisfiable_formula_is_exhausted(void **state) {
  (void)state;
  statewise_search *search = open_formula(1);
  run_to_end(search);
  assert_int_equal(statewise_search_status(search), STATEWISE_EXHAUSTED);
  assert_null(statewise_search_answer(search));
  statewise_counters counters;
  statewise_search_counters(search, &counters);
  assert_true(counters.backtracks + counters.silent_backtracks > 0);
  statewise_search_close(search);
}

/* Walks sensibly until a candidate of the wanted kind is offered, takes it. */
static void choose_kind(statewise_search *search, statewise_kind kind) {
  statewise_query q;
  while (statewise_search_next(search, &q, NULL) == 1) {
    for (int i = 0; i < q.count; i++)
      if (q.candidate[i].kind == kind) {
        assert_int_equal(statewise_search_choose(search, i, NULL), 0);
        return;
      }
    assert_int_equal(statewise_search_choose(search, sensible(&q), NULL), 0);
  }
  fail_msg("kind %d was never offered", (int)kind);
}

static void wrong_choices_end_the_search(void **state) {
  (void)state;
  statewise_query q;
  statewise_counters counters;
  statewise_search *search = open_formula(1);
  choose_kind(search, STATEWISE_MISSED);
  assert_int_equal(statewise_search_next(search, &q, NULL), 0);
  assert_int_equal(statewise_search_status(search), STATEWISE_FAILED);
  assert_string_equal(statewise_search_reason(search), "missed_conflict");
  statewise_search_counters(search, &counters);
  assert_int_equal(counters.missed_conflicts, 1);
  statewise_search_close(search);

  search = open_formula(1);
  choose_kind(search, STATEWISE_REPEAT);
  assert_int_equal(statewise_search_next(search, &q, NULL), 0);
  assert_string_equal(statewise_search_reason(search), "repeat");
  statewise_search_close(search);
}

static void a_query_is_consistent(void **state) {
  (void)state;
  statewise_search *search = open_formula(0);
  statewise_query q, again;
  assert_int_equal(statewise_search_next(search, &q, NULL), 1);
  assert_true(q.count > 1 && q.block > 0 && q.tokens > q.block);
  assert_int_equal(q.depth, 0);
  assert_int_equal(q.in_conflict, 0);
  for (int i = 0; i < q.count; i++) {
    assert_true(q.candidate[i].logit <= q.candidate[q.best].logit);
    assert_true(q.candidate[i].text[0] != 0);
    assert_true(q.candidate[i].kind != STATEWISE_GO_ON ||
                q.candidate[i].logit <= q.candidate[q.best_legal].logit);
  }
  assert_int_equal(statewise_search_next(search, &again, NULL), 1);
  assert_memory_equal(&q, &again, sizeof q);
  statewise_search_close(search);
}

/* The logits of (prefix, current block) alone are those of the search, at every
 * query, bit for bit. */
static void logits_agree_with_the_search(void **state) {
  (void)state;
  int32_t vocab = statewise_vocabulary(model);
  statewise_search *search = open_formula(1);
  statewise_query q;
  statewise_error error;
  int64_t prefix = 0;
  int compared = 0;
  while (statewise_search_next(search, &q, &error) == 1) {
    if (!prefix) prefix = q.block;
    int32_t count = (int32_t)(prefix + q.tokens - q.block);
    int32_t *token = malloc((size_t)count * sizeof *token);
    int32_t *block = malloc((size_t)count * sizeof *block);
    float *out = malloc((size_t)count * (size_t)vocab * sizeof *out);
    for (int32_t i = 0; i < count; i++) {
      block[i] = i >= prefix;
      token[i] = q.token[i < prefix ? i : q.block + i - prefix];
    }
    if (statewise_logits(model, token, block, count, out, &error))
      fail_msg("%s", error.text);
    const float *last = out + (ptrdiff_t)(count - 1) * vocab;
    for (int i = 0; i < q.count; i++, compared++)
      assert_memory_equal(&last[q.candidate[i].token], &q.candidate[i].logit,
                          sizeof(float));
    free(token);
    free(block);
    free(out);
    assert_int_equal(statewise_search_choose(search, sensible(&q), &error), 0);
  }
  assert_true(compared > 20);
  statewise_search_close(search);
}

#ifdef __SSE__
/* A search in the caller's thread, under a floating-point mode of its own:
 * the mode is the caller's afterwards, and the logits do not depend on it. */
static float search_under(unsigned mode) {
  enum { FLAGS = 0x3f }; /* which exceptions have happened */
  statewise_query q;
  statewise_error error;
  float sum = 0;
  _mm_setcsr(mode);
  statewise *own;
  assert_int_equal(statewise_open(&own, run, 1, &error), 0);
  statewise_search *search = open_formula(1);
  for (int i = 0; i < 5 && statewise_search_next(search, &q, &error) == 1;
       i++) {
    for (int k = 0; k < q.count; k++) sum += q.candidate[k].logit;
    assert_int_equal(_mm_getcsr() & ~FLAGS, mode & ~FLAGS);
    (void)statewise_search_choose(search, sensible(&q), &error);
    assert_int_equal(_mm_getcsr() & ~FLAGS, mode & ~FLAGS);
  }
  int32_t token[2] = {1, 2}, block[2] = {0, 1};
  float *out = malloc(sizeof *out * 2 * (size_t)statewise_vocabulary(model));
  (void)statewise_logits(model, token, block, 2, out, &error);
  assert_int_equal(_mm_getcsr() & ~FLAGS, mode & ~FLAGS);
  free(out);
  statewise_search_close(search);
  statewise_close(own);
  assert_int_equal(_mm_getcsr() & ~FLAGS, mode & ~FLAGS);
  return sum;
}

static void the_callers_float_mode_stays(void **state) {
  (void)state;
  enum { FLUSH_TO_ZERO = 0x8000, DENORMALS_ARE_ZERO = 0x0040 };
  unsigned before = _mm_getcsr();
  unsigned plain = before & ~(unsigned)(FLUSH_TO_ZERO | DENORMALS_ARE_ZERO);
  float kept = search_under(plain);
  float flushed = search_under(plain | FLUSH_TO_ZERO | DENORMALS_ARE_ZERO);
  _mm_setcsr(before);
  assert_true(kept != 0);
  assert_memory_equal(&kept, &flushed, sizeof kept);
}
#endif

static void searches_share_a_model(void **state) {
  (void)state;
  statewise_search *alone = open_formula(0), *a = open_formula(0),
                   *b = open_formula(1);
  statewise_query q, other;
  while (statewise_search_next(alone, &q, NULL) == 1) {
    assert_int_equal(statewise_search_next(a, &other, NULL), 1);
    assert_int_equal(q.best, other.best);
    assert_memory_equal(&q.candidate[q.best].logit,
                        &other.candidate[q.best].logit, sizeof(float));
    int chosen = sensible(&q);
    assert_int_equal(statewise_search_choose(alone, chosen, NULL), 0);
    assert_int_equal(statewise_search_choose(a, chosen, NULL), 0);
    if (statewise_search_next(b, &other, NULL) == 1)
      assert_int_equal(statewise_search_choose(b, sensible(&other), NULL), 0);
  }
  assert_int_equal(statewise_search_next(a, &other, NULL), 0);
  statewise_search_close(b);
  statewise_search_close(a);
  statewise_search_close(alone);
}

static void opening_can_fail(void **state) {
  (void)state;
  char path[1300];
  statewise_error error;
  statewise *m = model;
  snprintf(path, sizeof path, "%s/absent", directory);
  assert_int_equal(statewise_open(&m, path, 0, &error), STATEWISE_NOFILE);
  assert_null(m);
  assert_int_equal(error.code, STATEWISE_NOFILE);
  assert_non_null(strstr(error.text, "absent"));
  assert_int_equal(statewise_open(&m, directory, 0, &error), STATEWISE_NOFILE);
  snprintf(path, sizeof path, "%s/garbage", directory);
  FILE *file = fopen(path, "w");
  fputs("this is not a model", file);
  fclose(file);
  assert_int_equal(statewise_open(&m, path, 0, &error), STATEWISE_DATA);
  assert_null(m);
  assert_int_equal(statewise_open(&m, NULL, 0, &error), STATEWISE_USAGE);
  assert_int_equal(statewise_open(NULL, path, 0, &error), STATEWISE_USAGE);
  assert_int_equal(statewise_open(&m, run, -1, &error), STATEWISE_USAGE);
  assert_int_equal(statewise_open(&m, path, 0, NULL), STATEWISE_DATA);
}

static void problems_can_be_wrong(void **state) {
  (void)state;
  statewise_error error;
  statewise_search *search = (statewise_search *)(void *)&error;
  static const char bad[] = "p cnf 3 1\n1 2 x 0\n";
  assert_int_equal(
      statewise_search_text(&search, model, bad, sizeof bad - 1, &error),
      STATEWISE_DATA);
  assert_null(search);
  assert_non_null(strstr(error.text, "2"));
  static const char large[] = "p cnf 300 1\n1 2 300 0\n";
  assert_int_equal(
      statewise_search_text(&search, model, large, sizeof large - 1, &error),
      STATEWISE_LIMIT);
  assert_null(search);
  assert_true(error.text[0] != 0);
  assert_int_equal(statewise_search_text(&search, model, "", 0, &error),
                   STATEWISE_DATA);
  assert_int_equal(statewise_search_text(&search, model, NULL, 0, &error),
                   STATEWISE_USAGE);
  assert_int_equal(statewise_search_text(NULL, model, bad, 1, &error),
                   STATEWISE_USAGE);
  assert_int_equal(
      statewise_search_open(&search, model, "/no/such/file.cnf", &error),
      STATEWISE_NOFILE);
  assert_null(search);
  assert_int_equal(statewise_search_open(&search, NULL, "x", &error),
                   STATEWISE_USAGE);
}

static void misuse_is_refused(void **state) {
  (void)state;
  statewise_error error;
  statewise_query q;
  statewise_search *search = open_formula(0);
  assert_int_equal(statewise_search_choose(search, 0, &error), STATEWISE_USAGE);
  assert_true(error.hint[0] != 0);
  assert_int_equal(statewise_search_next(search, NULL, &error),
                   -STATEWISE_USAGE);
  assert_int_equal(statewise_search_next(NULL, &q, &error), -STATEWISE_USAGE);
  assert_int_equal(statewise_search_choose(NULL, 0, &error), STATEWISE_USAGE);
  assert_int_equal(statewise_search_next(search, &q, &error), 1);
  assert_int_equal(statewise_search_choose(search, -1, &error),
                   STATEWISE_USAGE);
  assert_int_equal(statewise_search_choose(search, q.count, &error),
                   STATEWISE_USAGE);
  run_to_end(search); /* the refusals changed nothing */
  assert_int_equal(statewise_search_status(search), STATEWISE_SOLVED);
  assert_int_equal(statewise_search_choose(search, 0, &error), STATEWISE_USAGE);
  assert_int_equal(statewise_search_next(search, &q, &error), 0);
  statewise_search_close(search);
  statewise_search_close(NULL);
  statewise_close(NULL);
}

static void logits_check_their_input(void **state) {
  (void)state;
  statewise_error error;
  int32_t token[3] = {1, 2, 3}, block[3] = {0, 0, 1};
  float *out = malloc(3 * (size_t)statewise_vocabulary(model) * sizeof *out);
  assert_int_equal(statewise_logits(model, token, block, 3, out, &error), 0);
  assert_int_equal(statewise_logits(model, token, block, 0, out, &error),
                   STATEWISE_USAGE);
  assert_int_equal(statewise_logits(model, NULL, block, 3, out, &error),
                   STATEWISE_USAGE);
  assert_int_equal(statewise_logits(model, token, block, 3, NULL, &error),
                   STATEWISE_USAGE);
  token[1] = statewise_vocabulary(model);
  assert_int_equal(statewise_logits(model, token, block, 3, out, &error),
                   STATEWISE_DATA);
  assert_non_null(strstr(error.text, "2030"));
  token[1] = -1;
  assert_int_equal(statewise_logits(model, token, block, 3, out, NULL),
                   STATEWISE_DATA);
  token[1] = 2;
  block[2] = -1;
  assert_int_equal(statewise_logits(model, token, block, 3, out, &error),
                   STATEWISE_DATA);
  block[0] = block[1] = block[2] = 1;
  assert_int_equal(statewise_logits(model, token, block, 3, out, &error),
                   STATEWISE_DATA);
  free(out);
}

static void somebody_else_may_go_back(void **state) {
  (void)state;
  statewise_error error;
  statewise_query q;
  statewise_search *search = open_formula(1);
  assert_int_equal(statewise_search_verifier(search, "nobody", &error),
                   STATEWISE_USAGE);
  assert_non_null(strstr(error.hint, "exact"));
  assert_int_equal(statewise_search_verifier(search, "exact", &error), 0);
  while (statewise_search_next(search, &q, &error) == 1) {
    assert_false(q.in_conflict);
    for (int i = 0; i < q.count; i++)
      assert_int_not_equal(q.candidate[i].kind, STATEWISE_GO_BACK);
    assert_int_equal(statewise_search_choose(search, q.best_legal, &error), 0);
  }
  assert_int_equal(statewise_search_status(search), STATEWISE_EXHAUSTED);
  statewise_search_close(search);
  /* one that looks at the scores has its say in `best`: following it never
   * meets a conflict, because the solver sees each coming */
  search = open_formula(0);
  int met = 0;
  assert_int_equal(statewise_search_verifier(search, "sidecar:1000000", &error),
                   0);
  while (statewise_search_next(search, &q, &error) == 1) {
    met += q.in_conflict;
    assert_int_equal(statewise_search_choose(search, q.best, &error), 0);
  }
  assert_int_equal(met, 0);
  assert_int_equal(statewise_search_status(search), STATEWISE_SOLVED);
  statewise_search_close(search);
  /* the oracle knows at the root, where there is nothing to go back to */
  search = open_formula(1);
  assert_int_equal(statewise_search_verifier(search, "oracle", &error), 0);
  assert_int_equal(statewise_search_next(search, &q, &error), 1);
  assert_int_equal(statewise_search_verifier(search, "exact", &error),
                   STATEWISE_USAGE); /* too late */
  statewise_counters counters;
  statewise_search_counters(search, &counters);
  assert_int_equal(counters.early_backs, 1);
  assert_int_equal(counters.false_prunes, 0);
  statewise_search_close(search);
}

/* A verifier that asks the model's verify head is refused where the model has
 * none, and the search goes on with the verifier it had. */
static void a_head_that_is_not_there(void **state) {
  (void)state;
  static const char *const needs[] = {"head:0.5", "noise:0.1,0:head:0.5",
                                      "any:exact+head:0", NULL};
  statewise_error error;
  statewise_query q;
  statewise_search *search = open_formula(1);
  assert_int_equal(statewise_search_verifier(search, "exact", &error), 0);
  for (int i = 0; needs[i]; i++) {
    assert_int_equal(statewise_search_verifier(search, needs[i], &error),
                     STATEWISE_USAGE);
    assert_non_null(strstr(error.text, "has no verify head"));
    assert_non_null(strstr(error.hint, "--verify 1"));
  }
  while (statewise_search_next(search, &q, &error) == 1) {
    assert_false(q.in_conflict);
    assert_int_equal(statewise_search_choose(search, q.best_legal, &error), 0);
  }
  assert_int_equal(statewise_search_status(search), STATEWISE_EXHAUSTED);
  statewise_search_close(search);
}

static void a_model_of_trees_searches_nothing(void **state) {
  (void)state;
  char data[1200], trees[1200];
  sw_err err = {0};
  statewise_error error;
  statewise *other;
  statewise_search *search;
  snprintf(data, sizeof data, "%s/trees.safetensors", directory);
  snprintf(trees, sizeof trees, "%s/trees", directory);
  tiny_run tiny = {.data = data,
                   .directory = trees,
                   .domain = "trees",
                   .mask = "ssa",
                   .n = 8,
                   .traces = 12,
                   .d = 16,
                   .steps = 2};
  if (tiny_run_make(&tiny, &err)) fail_msg("%s", err.text);
  assert_int_equal(statewise_open(&other, trees, 1, &error), 0);
  assert_string_equal(statewise_domain(other), "trees");
  assert_int_equal(
      statewise_search_text(&search, other, "p cnf 1 1\n1 0\n", 16, &error),
      STATEWISE_USAGE);
  assert_null(search);
  assert_non_null(strstr(error.text, "trees"));
  statewise_close(other);
}

/* Every family of models that reads states: opened, searched with, and refused
 * where tokens are asked for. */
static void every_family_searches(void **state) {
  (void)state;
  static const char *const family[] = {"linear", "mlp", "factor-gnn", NULL};
  static const char *const small[] = {NULL, "width=16", "width=8"};
  char data[1200], trained[1200];
  sw_err err = {0};
  snprintf(data, sizeof data, "%s/states.safetensors", directory);
  if (tiny_data_make(data, 6, 30, &err)) fail_msg("%s", err.text);
  for (int i = 0; family[i]; i++) {
    statewise_error error;
    statewise *other;
    statewise_search *search;
    statewise_query query;
    sw_train_options o;
    sw_train_result result;
    int32_t token = 1, block = 0, steps = 0, more;
    float logit;
    snprintf(trained, sizeof trained, "%s/%s", directory, family[i]);
    sw_options_defaults(sw_train_table, sw_train_table_count, &o);
    o.data = data;
    o.output = trained;
    o.architecture = family[i];
    if (small[i]) o.model_option = (sw_list){1, {small[i]}};
    o.steps = 5;
    o.threads = 1;
    o.valid_limit = 2;
    if (sw_train(&o, NULL, &result, &err)) fail_msg("%s", err.text);
    if (statewise_open(&other, trained, 1, &error)) fail_msg("%s", error.text);
    assert_string_equal(statewise_architecture(other), family[i]);
    assert_string_equal(statewise_mask(other), "");
    assert_int_equal(statewise_vocabulary(other), 0);
    assert_int_equal(statewise_parameters(other), result.parameters);
    assert_int_equal(statewise_logits(other, &token, &block, 1, &logit, &error),
                     STATEWISE_USAGE);
    assert_non_null(strstr(error.text, family[i]));
    static const char text[] = "p cnf 4 2\n1 2 3 0\n-1 -2 4 0\n";
    if (statewise_search_text(&search, other, text, sizeof text - 1, &error))
      fail_msg("%s", error.text);
    while ((more = statewise_search_next(search, &query, &error)) == 1) {
      int choice = query.best;
      for (int k = 0; k < query.count; k++) /* never back: it is solvable */
        if (query.candidate[k].kind == STATEWISE_GO_ON &&
            query.candidate[choice].kind != STATEWISE_GO_ON)
          choice = k;
      assert_true(steps++ < 20);
      assert_int_equal(statewise_search_choose(search, choice, &error), 0);
    }
    assert_int_equal(more, 0);
    assert_int_equal(statewise_search_status(search), STATEWISE_SOLVED);
    assert_true(steps > 1);
    statewise_search_close(search);
    statewise_close(other);
  }
}

static int open_model(void **state) {
  (void)state;
  char data[1200];
  sw_err err = {0};
  statewise_error error;
  directory = tiny_run_directory();
  if (!directory) return -1;
  snprintf(data, sizeof data, "%s/data.safetensors", directory);
  snprintf(run, sizeof run, "%s/run", directory);
  tiny_run tiny = {.data = data,
                   .directory = run,
                   .mask = "ssa",
                   .n = 6,
                   .traces = 40,
                   .d = 16,
                   .steps = 12};
  if (tiny_run_make(&tiny, &err)) {
    print_error("%s\n", err.text);
    return -1;
  }
  if (statewise_open(&model, run, 1, &error)) {
    print_error("%s\n", error.text);
    return -1;
  }
  return 0;
}

static int close_model(void **state) {
  (void)state;
  statewise_close(model);
  tiny_run_remove(directory);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_model_tells_what_it_is),
      cmocka_unit_test(a_satisfiable_formula_is_solved),
      cmocka_unit_test(an_unsatisfiable_formula_is_exhausted),
      cmocka_unit_test(wrong_choices_end_the_search),
      cmocka_unit_test(a_query_is_consistent),
      cmocka_unit_test(logits_agree_with_the_search),
#ifdef __SSE__
      cmocka_unit_test(the_callers_float_mode_stays),
#endif
      cmocka_unit_test(searches_share_a_model),
      cmocka_unit_test(opening_can_fail),
      cmocka_unit_test(problems_can_be_wrong),
      cmocka_unit_test(misuse_is_refused),
      cmocka_unit_test(logits_check_their_input),
      cmocka_unit_test(somebody_else_may_go_back),
      cmocka_unit_test(a_head_that_is_not_there),
      cmocka_unit_test(a_model_of_trees_searches_nothing),
      cmocka_unit_test(every_family_searches),
  };
  return cmocka_run_group_tests(tests, open_model, close_model);
}
