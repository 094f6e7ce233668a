/* Free-running generation. The model continues prefix + START BFS|DFS
 * greedily. A sequence is followed until its first wrong token: what comes
 * after cannot change any of the scores, and the tokens up to there equal the
 * true ones, so the true token is what gets pushed. A session has seen nothing
 * but the tokens before the question, so no later token can leak in. */
#include <stdlib.h>
#include "base/argmax.h"
#include "probe/trees_running.h"
#include "search/ask.h"

enum { BATCH = 32, GIVEN = 2 /* START and the order's name */ };

struct sw_tree_runner {
  const sw_tree_eval *eval;
  sw_tree_format format;
  sw_tree_scores *scores;
  sw_asker *asker;
  sw_trace trace[BATCH];
  sw_trace shown;       /* what a sequence is shown next */
  int64_t right[BATCH]; /* tokens emitted so far, all right */
  int32_t waiting;
};

int sw_tree_runner_new(sw_tree_runner **runner, const sw_tree_eval *e,
                       const sw_tree_format *format, sw_tree_scores *scores,
                       sw_err *err) {
  sw_tree_runner *r = calloc(1, sizeof *r);
  *runner = r;
  if (!r) return sw_no_memory_for(err, "generation");
  r->eval = e;
  r->format = *format;
  r->scores = scores;
  for (int i = 0; i < BATCH; i++) sw_trace_init(&r->trace[i]);
  sw_trace_init(&r->shown);
  sw_ask_options how = {
      .model = e->model, .reading = e->reading, .cached = 1, .seats = BATCH};
  return sw_asker_new(&r->asker, &how, e->team, err);
}

void sw_tree_runner_free(sw_tree_runner *r) {
  if (!r) return;
  for (int i = 0; i < BATCH; i++) sw_trace_free(&r->trace[i]);
  sw_trace_free(&r->shown);
  sw_asker_free(r->asker);
  free(r);
}

static int64_t emitted_from(const sw_trace *trace) {
  return trace->block_start[1] + GIVEN;
}

static void close_sequence(sw_tree_runner *r, int32_t s) {
  int64_t whole = r->trace[s].length - emitted_from(&r->trace[s]);
  r->scores->free_trees++;
  r->scores->perfect += r->right[s] == whole;
  r->scores->prefix_tokens += r->right[s];
  r->scores->prefix_fraction += (double)r->right[s] / (double)whole;
}

/* Shows sequence s the first `length` tokens of its trace. */
static int show(sw_tree_runner *r, int32_t s, int64_t length, sw_err *err) {
  sw_trace_copy(&r->shown, &r->trace[s], length);
  if (r->shown.failed) return sw_no_memory_for(err, "a tree");
  return sw_ask_show(r->asker, s, &r->shown, err);
}

/* Takes the next token of sequence s; 1: it goes on. */
static int advance(sw_tree_runner *r, int32_t s, const float *logits,
                   sw_err *err, int *code) {
  const sw_trace *trace = &r->trace[s];
  int64_t at = emitted_from(trace) + r->right[s];
  int32_t vocab = r->eval->model->outputs;
  if (sw_argmax(logits, vocab) != trace->token[at]) return 0;
  r->right[s]++;
  if (at + 1 == trace->length) return 0;
  *code = show(r, s, at + 1, err);
  if (*code == SW_LIMIT) { /* the position table ends: the trace stops here */
    *code = 0;
    return 0;
  }
  return *code == 0;
}

static int run_batch(sw_tree_runner *r, sw_err *err) {
  int32_t active[BATCH], count = 0;
  for (int32_t s = 0; s < r->waiting; s++) {
    r->right[s] = 0;
    SW_TRY(show(r, s, emitted_from(&r->trace[s]), err));
    active[count++] = s;
  }
  while (count > 0) {
    int32_t left = 0;
    SW_TRY(sw_ask_run(r->asker, active, count, NULL, err));
    for (int32_t i = 0; i < count; i++) {
      int code = 0;
      if (advance(r, active[i], sw_ask_row(r->asker, i), err, &code))
        active[left++] = active[i];
      else close_sequence(r, active[i]);
      if (code) return code;
    }
    count = left;
  }
  r->waiting = 0;
  return 0;
}

int sw_tree_runner_add(sw_tree_runner *r, const sw_instance *tree,
                       sw_err *err) {
  sw_trace *trace = &r->trace[r->waiting];
  sw_trace_clear(trace);
  SW_TRY(sw_tree_write(tree, &r->format, trace, NULL, err));
  r->waiting++;
  return r->waiting == BATCH ? run_batch(r, err) : 0;
}

int sw_tree_runner_finish(sw_tree_runner *r, sw_err *err) {
  return r->waiting > 0 ? run_batch(r, err) : 0;
}
