/* The evaluation of a model on test trees against a slow recount: a tiny model
 * is trained for a moment (so that it gets somewhere, but not far), then every
 * figure is recomputed tree by tree with one full pass per token. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "model/decoder/model.h"
#include "model/optim.h"
#include "probe/trees_metrics.h"
#include "trace/mask.h"

enum { TREES = 40, STEPS = 250, BATCH = 4, ROOM = 512 };

typedef struct bench {
  sw_domain_options options;
  sw_model *model;
  sw_team *team;
  sw_pass *pass;
  sw_trace trace;
  sw_mask mask;
  int32_t position[ROOM];
} bench;

static void must(int code, const sw_err *err) {
  if (code) fail_msg("%s", err->text);
}

static sw_example example_of(bench *b, int32_t length) {
  sw_err err;
  sw_reading reading = sw_reading_of(SW_MASK_CAUSAL_NOSLOT);
  must(sw_reading_positions(&reading, length, b->trace.block_start,
                            b->trace.blocks, 0, 0, b->position, &err),
       &err);
  must(sw_mask_build(&b->mask, SW_MASK_CAUSAL_NOSLOT, 0, length,
                     b->trace.block_start, b->trace.blocks, 0, 0, &err),
       &err);
  return (sw_example){.token = b->trace.token,
                      .position = b->position,
                      .supervised = b->trace.supervised,
                      .length = length,
                      .mask = &b->mask,
                      .block_start = b->trace.block_start,
                      .blocks = b->trace.blocks};
}

static void train(bench *b) {
  sw_err err;
  sw_optim *optim;
  sw_stream *stream;
  sw_optim_config config = {.lr = 6e-3,
                            .beta1 = 0.9,
                            .beta2 = 0.999,
                            .eps = 1e-8,
                            .weight_decay = 0.01,
                            .clip = 1,
                            .warmup = 0.1,
                            .steps = STEPS};
  size_t count = (size_t)sw_model_net(b->model)->count;
  float *gradient = calloc(count, sizeof *gradient);
  assert_non_null(gradient);
  must(sw_optim_new(&optim, sw_model_net(b->model), b->team, &config, &err),
       &err);
  must(sw_domain_trees.stream_new(&stream, &b->options, 42, SW_SPLIT_TRAIN,
                                  &err),
       &err);
  for (int step = 0; step < STEPS; step++) {
    for (int i = 0; i < BATCH; i++) {
      sw_instance *tree = NULL;
      sw_pass_options o = {.weight[SW_LOSS_TARGET] = 0.005f};
      must(sw_domain_trees.stream_next(stream, &tree, &err), &err);
      must(
          sw_domain_trees.write_trace(tree, &b->options, NULL, &b->trace, &err),
          &err);
      sw_example ex = example_of(b, (int32_t)b->trace.length);
      must(sw_pass_loss(b->pass, &ex, &o, gradient, NULL, NULL, NULL, &err),
           &err);
      sw_tree_free(tree);
    }
    sw_optim_step(optim, gradient, NULL, NULL);
  }
  sw_domain_trees.stream_free(stream);
  sw_optim_free(optim);
  free(gradient);
}

static void open_bench(bench *b, const char *family, int arity,
                       const char *format) {
  sw_err err;
  memset(b, 0, sizeof *b);
  sw_domain_defaults(&sw_domain_trees, &b->options);
  b->options.exclude = 200;
  sw_trees_own_edit(&b->options)->arity = arity;
  sw_trees_own_edit(&b->options)->family = family;
  b->options.format = format;
  must(sw_domain_trees.resolve(&b->options, &err), &err);
  sw_model_config config = {.vocab = sw_domain_trees.vocab_size(&b->options),
                            .d = 32,
                            .layers = 2,
                            .heads = 2,
                            .ffn = 32,
                            .slots = 0,
                            .positions = ROOM};
  must(sw_team_new(&b->team, 1, &err), &err);
  must(sw_model_new(&b->model, &config, 1, &err), &err);
  must(sw_pass_new(&b->pass, b->model, b->team, &err), &err);
  sw_trace_init(&b->trace);
  sw_mask_init(&b->mask);
  train(b);
}

static void close_bench(bench *b) {
  sw_pass_free(b->pass);
  sw_model_free(b->model);
  sw_team_free(b->team);
  sw_trace_free(&b->trace);
  sw_mask_free(&b->mask);
}

static int32_t best_after(bench *b, int32_t length, float *logits) {
  sw_err err;
  int32_t row = length - 1, vocab = sw_model_config_of(b->model)->vocab;
  sw_example ex = example_of(b, length);
  must(sw_pass_logits(b->pass, &ex, &row, 1, logits, &err), &err);
  int32_t best = 0;
  for (int32_t i = 1; i < vocab; i++)
    if (logits[i] > logits[best]) best = i;
  return best;
}

/* One pass per token: teacher-forced hits and greedy correct prefix agree as
 * long as the greedy tokens are right, so one walk gives both. */
static void recount(bench *b, sw_tree_scores *s) {
  sw_err err;
  sw_stream *stream;
  float logits[256];
  memset(s, 0, sizeof *s);
  must(
      sw_domain_trees.stream_new(&stream, &b->options, 42, SW_SPLIT_TEST, &err),
      &err);
  for (int i = 0; i < TREES; i++) {
    sw_instance *tree = NULL;
    must(sw_domain_trees.stream_next(stream, &tree, &err), &err);
    must(sw_domain_trees.write_trace(tree, &b->options, NULL, &b->trace, &err),
         &err);
    int64_t first = b->trace.block_start[1] + 2, right = -1;
    for (int64_t t = first; t < b->trace.length; t++) {
      int hit = best_after(b, (int32_t)t, logits) == b->trace.token[t];
      s->tokens++;
      s->tokens_right += hit;
      if (!hit && right < 0) right = t - first;
    }
    if (right < 0) right = b->trace.length - first;
    s->perfect += right == b->trace.length - first;
    s->prefix_tokens += right;
    s->prefix_fraction += (double)right / (double)(b->trace.length - first);
    sw_tree_free(tree);
  }
  sw_domain_trees.stream_free(stream);
}

static void compare(const char *family, int arity, const char *format) {
  bench b;
  sw_tree_scores expected, scores;
  sw_err err;
  open_bench(&b, family, arity, format);
  recount(&b, &expected);
  sw_tree_eval eval = {.model = sw_model_net(b.model),
                       .team = b.team,
                       .options = &b.options,
                       .reading = sw_reading_of(SW_MASK_CAUSAL_NOSLOT),
                       .seed = 42,
                       .split = SW_SPLIT_TEST,
                       .trees = TREES,
                       .free_trees = TREES};
  must(sw_tree_evaluate(&eval, &scores, &err), &err);
  assert_int_equal(scores.trees, TREES);
  assert_int_equal(scores.free_trees, TREES);
  assert_int_equal(scores.tokens, expected.tokens);
  assert_int_equal(scores.tokens_right, expected.tokens_right);
  assert_int_equal(scores.prefix_tokens, expected.prefix_tokens);
  assert_int_equal(scores.perfect, expected.perfect);
  assert_true(fabs(scores.prefix_fraction - expected.prefix_fraction) < 1e-9);
  sw_tree_scores truncated; /* nothing leaks, so nothing changes */
  eval.truncate = 1;
  eval.trees = 3;
  eval.free_trees = 0;
  must(sw_tree_evaluate(&eval, &truncated, &err), &err);
  eval.truncate = 0;
  sw_tree_scores whole;
  must(sw_tree_evaluate(&eval, &whole, &err), &err);
  assert_memory_equal(&truncated, &whole, sizeof whole);
  assert_true(scores.prefix_tokens > TREES);        /* it got somewhere */
  assert_true(scores.tokens_right < scores.tokens); /* but not everywhere */
  close_bench(&b);
}

static void test_breadth_first(void **state) {
  (void)state;
  compare("bfs", -1, "simple");
}

static void test_star(void **state) {
  (void)state;
  compare("star", 8, "simple");
}

static void test_cover_has_no_free_run(void **state) {
  (void)state;
  bench b;
  sw_tree_scores scores;
  sw_err err;
  open_bench(&b, "star", 4, "cover");
  sw_tree_eval eval = {.model = sw_model_net(b.model),
                       .team = b.team,
                       .options = &b.options,
                       .reading = sw_reading_of(SW_MASK_CAUSAL_NOSLOT),
                       .seed = 42,
                       .split = SW_SPLIT_TEST,
                       .trees = 5,
                       .free_trees = 5};
  must(sw_tree_evaluate(&eval, &scores, &err), &err);
  assert_int_equal(scores.trees, 5);
  assert_int_equal(scores.free_trees, 0);
  assert_int_equal(scores.policy, 0);
  assert_true(scores.decisions[0] >= 15);
  assert_int_equal(scores.decisions[1], 5);
  close_bench(&b);
}

static void test_wrong_vocabulary(void **state) {
  (void)state;
  bench b;
  sw_tree_scores scores;
  open_bench(&b, "bfs", -1, "simple");
  sw_domain_options star = b.options;
  sw_trees_own_edit(&star)->family = "star";
  sw_trees_own_edit(&star)->arity = 4;
  star.n = 5;
  sw_tree_eval eval = {.model = sw_model_net(b.model),
                       .team = b.team,
                       .options = &star,
                       .reading = sw_reading_of(SW_MASK_CAUSAL_NOSLOT),
                       .trees = 1};
  assert_int_equal(sw_tree_evaluate(&eval, &scores, NULL), SW_USAGE);
  close_bench(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_breadth_first),
      cmocka_unit_test(test_star),
      cmocka_unit_test(test_cover_has_no_free_run),
      cmocka_unit_test(test_wrong_vocabulary),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
