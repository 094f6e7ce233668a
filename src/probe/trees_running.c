/* Free-running generation. The model continues prefix + START BFS|DFS
 * greedily. A sequence is followed until its first wrong token: what comes
 * after cannot change any of the scores, and the tokens up to there equal the
 * true ones, so the true token is what gets pushed. Models without
 * sessions (slot memory): each of their tokens costs a pass over all tokens
 * before it, and nothing but those, so no later token can leak in. */
#include <stdlib.h>
#include "probe/trees_running.h"
#include "trace/mask.h"

enum { BATCH = 32, GIVEN = 2 /* START and the order's name */ };

struct sw_tree_runner {
  const sw_tree_eval *eval;
  sw_tree_format format;
  sw_tree_scores *scores;
  sw_seats *session; /* or, where a net has none, the next four */
  sw_work *work;
  sw_mask mask;
  int32_t *position; /* of the longest tree so far */
  int64_t position_room;
  float *logits;
  sw_trace trace[BATCH];
  int64_t right[BATCH]; /* tokens emitted so far, all right */
  int32_t waiting;
};

int32_t sw_tree_argmax(const float *logits, int32_t vocab) {
  int32_t best = 0;
  for (int32_t i = 1; i < vocab; i++)
    if (logits[i] > logits[best]) best = i;
  return best;
}

int sw_tree_runner_new(sw_tree_runner **runner, const sw_tree_eval *e,
                       const sw_tree_format *format, sw_tree_scores *scores,
                       sw_err *err) {
  sw_session_options options = {0};
  sw_tree_runner *r = calloc(1, sizeof *r);
  *runner = r;
  if (!r) return sw_fail(err, SW_MEMORY, "no memory for generation");
  r->eval = e;
  r->format = *format;
  r->scores = scores;
  for (int i = 0; i < BATCH; i++) sw_trace_init(&r->trace[i]);
  sw_mask_init(&r->mask);
  if (!e->model->plays) {
    r->logits = malloc((size_t)e->model->outputs * sizeof *r->logits);
    if (!r->logits) return sw_fail(err, SW_MEMORY, "no memory for generation");
    return sw_work_new(&r->work, e->model, e->team, err);
  }
  options.sequences = BATCH;
  options.reading = e->reading;
  options.cache_prefix = 1;
  return sw_seats_new(&r->session, e->model, e->team, &options, err);
}

void sw_tree_runner_free(sw_tree_runner *r) {
  if (!r) return;
  for (int i = 0; i < BATCH; i++) sw_trace_free(&r->trace[i]);
  sw_seats_free(r->session);
  sw_work_free(r->work);
  sw_mask_free(&r->mask);
  free(r->position);
  free(r->logits);
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

/* Takes the next token of sequence s; 1: it goes on. */
static int advance(sw_tree_runner *r, int32_t s, const float *logits,
                   sw_err *err, int *code) {
  const sw_trace *trace = &r->trace[s];
  int64_t at = emitted_from(trace) + r->right[s];
  int32_t vocab = r->eval->model->outputs;
  if (sw_tree_argmax(logits, vocab) != trace->token[at]) return 0;
  r->right[s]++;
  if (at + 1 == trace->length) return 0;
  *code = sw_seats_push(r->session, s, &trace->token[at], 1, err);
  if (*code == SW_LIMIT) { /* the position table ends: the trace stops here */
    *code = 0;
    return 0;
  }
  return *code == 0;
}

static int start_sequence(sw_tree_runner *r, int32_t s, sw_err *err) {
  const sw_trace *trace = &r->trace[s];
  int32_t prefix = (int32_t)trace->block_start[1];
  r->right[s] = 0;
  SW_TRY(sw_seats_prefix(r->session, s, trace->token, prefix, err));
  SW_TRY(sw_seats_begin_block(r->session, s, 1, err));
  return sw_seats_push(r->session, s, trace->token + prefix, GIVEN, err);
}

/* Logits after the first `length` tokens, computed from those alone. */
static int after_tokens(sw_tree_runner *r, const sw_trace *trace,
                        int64_t length, sw_err *err) {
  const sw_tree_eval *e = r->eval;
  const sw_net *net = e->model;
  int32_t row = (int32_t)length - 1;
  SW_TRY(sw_reading_positions(&e->reading, length, trace->block_start,
                              trace->blocks, 0, net->positions, r->position,
                              err));
  SW_TRY(sw_mask_build(&r->mask, e->reading.mask, net->slots, length,
                       trace->block_start, trace->blocks, e->reading.window, 0,
                       err));
  sw_item item = {.example = {.token = trace->token,
                              .position = r->position,
                              .length = (int32_t)length,
                              .mask = &r->mask,
                              .block_start = trace->block_start,
                              .blocks = trace->blocks}};
  return sw_work_rows(r->work, &item, &row, 1, r->logits, err);
}

static int run_alone(sw_tree_runner *r, int32_t s, sw_err *err) {
  const sw_trace *trace = &r->trace[s];
  int32_t vocab = r->eval->model->outputs;
  if (trace->length > r->position_room) {
    free(r->position);
    r->position_room = 0;
    r->position = malloc(2 * (size_t)trace->length * sizeof *r->position);
    if (!r->position) return sw_fail(err, SW_MEMORY, "no memory for positions");
    r->position_room = trace->length;
  }
  r->right[s] = 0;
  for (int64_t at = emitted_from(trace); at < trace->length; at++) {
    SW_TRY(after_tokens(r, trace, at, err));
    if (sw_tree_argmax(r->logits, vocab) != trace->token[at]) break;
    r->right[s]++;
  }
  close_sequence(r, s);
  return 0;
}

static int run_batch(sw_tree_runner *r, sw_err *err) {
  int32_t active[BATCH], count = 0;
  const float *logits[BATCH];
  for (int32_t s = 0; r->work && s < r->waiting; s++)
    SW_TRY(run_alone(r, s, err));
  if (r->work) r->waiting = 0;
  for (int32_t s = 0; s < r->waiting; s++) {
    SW_TRY(start_sequence(r, s, err));
    active[count++] = s;
  }
  while (count > 0) {
    int32_t left = 0;
    SW_TRY(sw_seats_run(r->session, active, count, logits, err));
    for (int32_t i = 0; i < count; i++) {
      int code = 0;
      if (advance(r, active[i], logits[i], err, &code))
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
