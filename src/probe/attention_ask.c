/* Asks a model what it looks at (see attention.h): a state's block is shown up
 * to each of the asked tokens in turn. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/argmax.h"
#include "probe/attention.h"

typedef struct walk {
  const sw_attention_task *task;
  sw_attention_result *out;
  sw_trace whole, cut; /* the state's input, and how far it has been shown */
  sw_part *part;
  int32_t *fact, *row;
  float *weights;
  size_t weight_room;
  int64_t room; /* tokens */
  int32_t items;
} walk;

static int no_memory(sw_err *err) { return sw_no_memory_for(err, "attention"); }

static void walk_free(walk *w) {
  sw_trace_free(&w->whole);
  sw_trace_free(&w->cut);
  free(w->part);
  free(w->fact);
  free(w->row);
  free(w->weights);
}

/* The input of a state and its parts. */
static int open_state(walk *w, int64_t state, sw_err *err) {
  const sw_bank *bank = w->task->bank;
  SW_TRY(sw_bank_input(bank, state, bank->probe_history[state], 1, &w->whole,
                       err));
  if (w->whole.length > w->room) {
    size_t n = (size_t)(w->room = 2 * w->whole.length);
    free(w->part);
    free(w->fact);
    free(w->row);
    w->part = malloc(sizeof *w->part * n);
    w->fact = malloc(sizeof *w->fact * n);
    w->row = malloc(sizeof *w->row * n);
    if (!w->part || !w->fact || !w->row) {
      w->room = 0;
      return no_memory(err);
    }
  }
  w->items = w->task->domain->token.parts(w->task->domain, &w->whole, w->part);
  if (w->items > 0) return SW_OK;
  sw_fail(err, SW_USAGE, "the format `%s` does not show problem and state",
          bank->format);
  return sw_hint(err, "sat: use a model of the format full or evidence");
}

static int grow_weights(walk *w, const sw_attention_shape *s, sw_err *err) {
  size_t n = (size_t)s->layers * (size_t)s->heads * (size_t)s->rows;
  if (n <= w->weight_room) return SW_OK;
  free(w->weights);
  w->weight_room = 2 * n;
  w->weights = malloc(sizeof *w->weights * w->weight_room);
  if (w->weights) return SW_OK;
  w->weight_room = 0;
  return no_memory(err);
}

/* Shows the block up to token `at` and asks for the attention of that token. */
static int look_from(walk *w, int64_t at, int question, const float **logits,
                     sw_err *err) {
  sw_attention_shape shape;
  const sw_trace *t = &w->whole;
  if (!w->cut.blocks) {
    for (int64_t b = 0; b < t->blocks; b++) {
      sw_trace_begin_block(&w->cut);
      int64_t end = sw_trace_block_end(t, b);
      for (int64_t i = t->block_start[b]; i < end && i <= at; i++)
        sw_trace_put(&w->cut, t->token[i], 0);
    }
    if (w->cut.failed) return no_memory(err);
    SW_TRY(sw_ask(w->task->cached, &w->cut, logits, err));
  } else {
    int64_t shown = w->cut.length;
    SW_TRY(sw_ask_more(w->task->cached, &w->cut, t->token + shown,
                       (int32_t)(at + 1 - shown), logits, err));
  }
  SW_TRY(sw_ask_attention(w->task->cached, &shape, NULL, err));
  SW_TRY(grow_weights(w, &shape, err));
  SW_TRY(sw_ask_attention(w->task->cached, &shape, w->weights, err));
  return sw_attention_add(w->out, w->part, w->items, at, question, &shape,
                          w->weights, err);
}

/* Is this item among the few whose tokens are asked? The choice varies with the
 * state. */
static int chosen(const walk *w, int64_t state, int32_t item) {
  int32_t every = (w->items + w->task->items - 1) / w->task->items;
  return (item + state) % every == 0;
}

/* Log odds of going back against the mean of the continuations, so that the
 * number of continuations has no effect. */
static double log_odds(const sw_bank *bank, int64_t state, const float *z) {
  const int32_t *allowed = bank->allowed + bank->probe_allowed[state];
  int64_t count = bank->probe_allowed[state + 1] - bank->probe_allowed[state];
  double top = -INFINITY, sum = 0;
  for (int64_t i = 0; i < count; i++) top = fmax(top, (double)z[allowed[i]]);
  for (int64_t i = 0; i < count; i++) sum += exp((double)z[allowed[i]] - top);
  return (double)z[bank->back_token] - top - log(sum / (double)count);
}

static int look_around(walk *w, int64_t state, sw_err *err) {
  const float *logits;
  int64_t last = w->whole.length - 1;
  sw_trace_clear(&w->cut);
  for (int64_t i = w->whole.block_start[w->whole.blocks - 1]; i < last; i++)
    if (w->part[i].item >= 0 && chosen(w, state, w->part[i].item))
      SW_TRY(look_from(w, i, 0, &logits, err));
  int64_t before[SW_LEFTS];
  memcpy(before, w->out->states_of, sizeof before);
  SW_TRY(look_from(w, last, 1, &logits, err));
  double odds = log_odds(w->task->bank, state, logits);
  for (int c = 0; c < SW_LEFTS; c++)
    if (w->out->states_of[c] > before[c]) w->out->verdict[c] += odds;
  return SW_OK;
}

static sw_fact_kind kind_of(const sw_part *part, int64_t i) {
  if (part[i].home >= 0) return SW_FACT_LITERAL;
  if (part[i - 1].home >= 0) return SW_FACT_ITEM;
  return part[i - 1].item != part[i].item ? SW_FACT_POINTER : SW_FACT_LEAST;
}

/* The output head's answers at those tokens of the asked block that have a
 * fact. Facts of the problem in front (SAT: the names of clauses) say nothing
 * about the state and are skipped. */
static int read_facts(walk *w, sw_err *err) {
  const float *z;
  int32_t rows = 0, vocab = sw_asker_vocab(w->task->full);
  int64_t first = w->whole.block_start[w->whole.blocks - 1];
  if (!w->task->domain->token.facts) return SW_OK;
  memset(w->fact, 0, sizeof *w->fact * (size_t)w->whole.length);
  w->task->domain->token.facts(w->task->domain, &w->whole, w->fact);
  for (int64_t i = first > 0 ? first : 1; i + 1 < w->whole.length; i++)
    if (w->fact[i] && w->part[i].item >= 0) w->row[rows++] = (int32_t)i;
  if (!rows) return SW_OK;
  SW_TRY(sw_ask_rows(w->task->full, &w->whole, w->row, rows, &z, err));
  for (int32_t r = 0; r < rows; r++, z += vocab) {
    sw_fact_kind kind = kind_of(w->part, w->row[r]);
    w->out->facts[kind]++;
    w->out->right[kind] += sw_argmax(z, vocab) == w->fact[w->row[r]];
  }
  return SW_OK;
}

int sw_attention_ask(const sw_attention_task *task, sw_progress_fn progress,
                     void *context, sw_attention_result *out, sw_err *err) {
  walk w = {.task = task, .out = out};
  int code = SW_OK;
  memset(out, 0, sizeof *out);
  sw_trace_init(&w.whole);
  sw_trace_init(&w.cut);
  for (int64_t s = 0; s < task->bank->states && !code; s++) {
    code = open_state(&w, s, err);
    if (!code && !sw_ask_fits(task->cached, &w.whole)) {
      out->skipped++;
      continue;
    }
    if (!code) code = look_around(&w, s, err);
    if (!code) code = read_facts(&w, err);
    if (progress) progress(context, NULL, s + 1, task->bank->states);
  }
  walk_free(&w);
  if (code) sw_attention_free(out);
  else sw_attention_finish(out);
  return code;
}
