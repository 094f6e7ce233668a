/* Teacher-forced scores of tree traces and the rates made of them. The walk
 * over test trees is here too; free-running generation is trees_generate.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/argmax.h"
#include "probe/trees_running.h"
#include "probe/trees_metrics.h"
#include "search/ask.h"

/* Cross-entropy of the target and the best token (the first of equals). */
static double token_loss(const float *logits, int32_t vocab, int32_t target,
                         int32_t *best) {
  double sum = 0;
  *best = sw_argmax(logits, vocab);
  for (int32_t i = 0; i < vocab; i++)
    sum += exp((double)logits[i] - (double)logits[*best]);
  return log(sum) + (double)logits[*best] - (double)logits[target];
}

void sw_tree_score_trace(const sw_instance *tree, const sw_tree_format *format,
                         const sw_trace *trace, const sw_tree_marks *marks,
                         const float *logits, int32_t vocab,
                         sw_tree_scores *s) {
  int all_right = 1;
  int32_t m = 0;
  for (int64_t i = 1; i < trace->length; i++) {
    if (!trace->supervised[i]) continue;
    int32_t best, target = trace->token[i];
    double loss = token_loss(logits, vocab, target, &best);
    logits += vocab;
    s->tokens++;
    s->tokens_right += best == target;
    s->token_loss += loss;
    for (; m < marks->count && marks->item[m].index == i; m++) {
      const sw_tree_mark *mark = &marks->item[m];
      if (mark->kind == SW_TREE_POLICY) {
        s->policy++;
        s->policy_right += best == target;
        s->policy_loss += loss;
        continue;
      }
      int c = mark->kind == SW_TREE_RETURN;
      int right =
          sw_tree_decision_of(tree, format, mark->node, best) == mark->kind;
      s->decisions[c]++;
      s->decisions_right[c] += right;
      s->decision_loss[c] += loss;
      all_right &= right;
    }
  }
  s->trees++;
  s->inputs += trace->length - 1;
  s->all_correct += all_right;
}

/* ---- the walk over test trees ---- */

typedef struct work {
  sw_trace trace, cut;
  sw_tree_marks marks;
  sw_asker *asker;
  int32_t *rows;
  float *logits;
  int64_t room; /* tokens that rows and logits hold */
} work;

static int work_reserve(work *w, int64_t length, int32_t vocab, sw_err *err) {
  if (length <= w->room) return 0;
  free(w->rows);
  free(w->logits);
  w->rows = malloc((size_t)length * sizeof *w->rows);
  w->logits = malloc((size_t)length * (size_t)vocab * sizeof *w->logits);
  w->room = w->rows && w->logits ? length : 0;
  if (!w->room) return sw_no_memory_for(err, "logits of a tree");
  return 0;
}

static void work_free(work *w) {
  sw_trace_free(&w->trace);
  sw_trace_free(&w->cut);
  sw_tree_marks_free(&w->marks);
  sw_asker_free(w->asker);
  free(w->rows);
  free(w->logits);
}

/* Logits of `count` rows of the written tree, as seen with its first `length`
 * tokens. */
static int logits_of(work *w, int64_t length, const int32_t *rows,
                     int32_t count, int32_t vocab, float *out, sw_err *err) {
  const float *logits;
  sw_trace_copy(&w->cut, &w->trace, length);
  if (w->cut.failed) return sw_no_memory_for(err, "a tree");
  SW_TRY(sw_ask_pass(w->asker, &w->cut, rows, count, &logits, err));
  memcpy(out, logits, sizeof *out * (size_t)count * (size_t)vocab);
  return SW_OK;
}

static int score_tree(const sw_tree_eval *e, const sw_tree_format *format,
                      const sw_instance *tree, work *w, sw_tree_scores *scores,
                      sw_err *err) {
  const sw_net *net = e->model;
  sw_trace_clear(&w->trace);
  SW_TRY(sw_tree_write(tree, format, &w->trace, &w->marks, err));
  /* The final FINISH is a target and never an input. */
  int64_t length = w->trace.length - 1;
  int32_t count = 0;
  SW_TRY(work_reserve(w, length, net->outputs, err));
  for (int64_t i = 1; i <= length; i++)
    if (w->trace.supervised[i]) w->rows[count++] = (int32_t)i - 1;
  if (!e->truncate)
    SW_TRY(logits_of(w, length, w->rows, count, net->outputs, w->logits, err));
  for (int32_t i = 0; e->truncate && i < count; i++)
    SW_TRY(logits_of(w, w->rows[i] + 1, &w->rows[i], 1, net->outputs,
                     w->logits + (size_t)i * (size_t)net->outputs, err));
  sw_tree_score_trace(tree, format, &w->trace, &w->marks, w->logits,
                      net->outputs, scores);
  return 0;
}

static int check_model(const sw_tree_eval *e, sw_err *err) {
  int32_t need = sw_domain_trees.vocab_size(e->options);
  int32_t has = e->model->outputs;
  if (has < need)
    return sw_fail(err, SW_USAGE,
                   "these trees have %d token ids, the model has %d", need,
                   has);
  return 0;
}

static int evaluate(const sw_tree_eval *e, const sw_tree_format *format,
                    sw_stream *stream, work *w, sw_tree_scores *scores,
                    sw_err *err) {
  int64_t free_trees = format->cover ? 0 : e->free_trees;
  int64_t trees = e->trees > free_trees ? e->trees : free_trees;
  sw_tree_runner *runner = NULL;
  sw_ask_options how = {.model = e->model, .reading = e->reading};
  int code = sw_asker_new(&w->asker, &how, e->team, err);
  if (!code && free_trees > 0)
    code = sw_tree_runner_new(&runner, e, format, scores, err);
  for (int64_t i = 0; i < trees && !code; i++) {
    sw_instance *tree = NULL;
    code = sw_domain_trees.stream_next(stream, &tree, err);
    if (!code && i < e->trees)
      code = score_tree(e, format, tree, w, scores, err);
    if (!code && i < free_trees) code = sw_tree_runner_add(runner, tree, err);
    sw_tree_free(tree);
  }
  if (!code && runner) code = sw_tree_runner_finish(runner, err);
  sw_tree_runner_free(runner);
  return code;
}

int sw_tree_evaluate(const sw_tree_eval *e, sw_tree_scores *scores,
                     sw_err *err) {
  sw_tree_format format;
  sw_stream *stream = NULL;
  work w;
  memset(scores, 0, sizeof *scores);
  memset(&w, 0, sizeof w);
  if (sw_tree_format_from_name(e->options->format, &format))
    return sw_fail(err, SW_USAGE, "trees have no format '%s'",
                   e->options->format);
  format.breadth_first = strcmp(sw_trees_own(e->options)->family, "bfs") == 0;
  SW_TRY(check_model(e, err));
  SW_TRY(
      sw_domain_trees.stream_new(&stream, e->options, e->seed, e->split, err));
  sw_trace_init(&w.trace);
  sw_trace_init(&w.cut);
  int code = evaluate(e, &format, stream, &w, scores, err);
  work_free(&w);
  sw_domain_trees.stream_free(stream);
  return code;
}

/* ---- rates ---- */

static double ratio(double part, int64_t whole) {
  return whole > 0 ? part / (double)whole : NAN;
}

static int64_t decision_count(const sw_tree_scores *s) {
  return s->decisions[0] + s->decisions[1];
}

double sw_tree_all_correct(const sw_tree_scores *s) {
  return decision_count(s) > 0 ? ratio((double)s->all_correct, s->trees) : NAN;
}

double sw_tree_decision_rate(const sw_tree_scores *s, int class_or_all) {
  if (class_or_all >= 0)
    return ratio((double)s->decisions_right[class_or_all],
                 s->decisions[class_or_all]);
  return ratio((double)(s->decisions_right[0] + s->decisions_right[1]),
               decision_count(s));
}

double sw_tree_policy_loss(const sw_tree_scores *s) {
  return ratio(s->policy_loss, s->policy);
}

double sw_tree_verifier_loss(const sw_tree_scores *s, int balanced) {
  if (!balanced)
    return ratio(s->decision_loss[0] + s->decision_loss[1], decision_count(s));
  double sum = 0;
  int classes = 0;
  for (int c = 0; c < SW_TREE_CLASSES; c++)
    if (s->decisions[c] > 0) {
      sum += s->decision_loss[c] / (double)s->decisions[c];
      classes++;
    }
  return ratio(sum, classes);
}

double sw_tree_perfect_rate(const sw_tree_scores *s) {
  return ratio((double)s->perfect, s->free_trees);
}

double sw_tree_retrieval(double all_correct_at_4) {
  return pow(all_correct_at_4, 0.25);
}

double sw_tree_prediction(double retrieval, int32_t k) {
  return isnan(retrieval) ? NAN : pow(retrieval, k); /* NAN^0 would be 1 */
}
