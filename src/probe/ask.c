/* Asking a model (see ask.h). */
#include "probe/ask.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/stop.h"
#include "probe/ask_state.h"
#include "train/feed.h"

struct sw_asker {
  sw_ask_options o;
  const sw_net *net;
  sw_work *work;
  sw_seats *session;
  sw_prepared prepared;
  float *out;
  size_t out_room;
  int64_t instance;       /* whose prefix the session holds; -1: none */
  sw_state_asker *states; /* families that read no tokens; else NULL */
  const sw_trace *last;   /* their last question, for those that follow it */
  const sw_trace *search; /* what they look at; NULL: at what is shown */
};

int sw_asker_new(sw_asker **asker, const sw_ask_options *options, sw_team *team,
                 sw_err *err) {
  sw_asker *a = calloc(1, sizeof *a);
  *asker = NULL;
  if (!a) return sw_fail(err, SW_MEMORY, "asking a model: out of memory");
  a->o = *options;
  a->net = options->model;
  a->instance = -1;
  sw_prepared_init(&a->prepared);
  int code = sw_net_suits(a->net, &options->reading, err);
  if (!code && strcmp(a->net->family->reads, "tokens")) {
    code = sw_state_asker_new(&a->states, options, team, err);
  } else if (!code && options->cached) {
    sw_session_options s = {
        .sequences = 1, .reading = options->reading, .cache_prefix = 1};
    code = sw_seats_new(&a->session, options->model, team, &s, err);
  } else if (!code) {
    code = sw_work_new(&a->work, options->model, team, err);
  }
  if (code) {
    sw_asker_free(a);
    return code;
  }
  *asker = a;
  return 0;
}

void sw_asker_free(sw_asker *a) {
  if (!a) return;
  sw_state_asker_free(a->states);
  sw_work_free(a->work);
  sw_seats_free(a->session);
  sw_prepared_free(&a->prepared);
  free(a->out);
  free(a);
}

int sw_asker_reads_states(const sw_asker *a) { return a->states != NULL; }

void sw_ask_of(sw_asker *a, const sw_trace *search) { a->search = search; }

int sw_ask_questions(sw_asker *a, sw_trace *t, sw_err *err) {
  return a->states ? sw_state_questions(a->states, t, err) : SW_OK;
}

int32_t sw_asker_vocab(const sw_asker *a) {
  return a->states ? sw_state_asker_vocab(a->states) : a->net->outputs;
}

int sw_ask_fits(const sw_asker *a, const sw_trace *t) {
  if (a->states) return 1;
  return !sw_reading_fits(&a->o.reading, t->length, t->block_start, t->blocks,
                          a->net->positions, NULL);
}

/* May this be asked? Every measure passes here, so here it ends when asked. */
static int check(const sw_asker *a, const sw_trace *t, sw_err *err) {
  if (sw_time_to_stop()) return sw_fail_stopped(err, "asking a model");
  if (t->length < 1)
    return sw_fail(err, SW_USAGE, "an empty trace has no next token");
  for (int64_t i = 0; i < t->length; i++)
    if (t->token[i] < 0 || t->token[i] >= a->net->outputs)
      return sw_fail(err, SW_DATA,
                     "token %d at %" PRId64
                     " is outside the model's vocabulary of %d",
                     t->token[i], i, a->net->outputs);
  return sw_reading_fits(&a->o.reading, t->length, t->block_start, t->blocks,
                         a->net->positions, err);
}

static int room_for(sw_asker *a, size_t floats, sw_err *err) {
  if (floats <= a->out_room) return 0;
  float *out = realloc(a->out, sizeof *out * floats);
  if (!out) return sw_fail(err, SW_MEMORY, "asking a model: out of memory");
  a->out = out;
  a->out_room = floats;
  return 0;
}

/* Copies the trace and builds mask and positions. */
static int prepare(sw_asker *a, const sw_trace *t, sw_item *item, sw_err *err) {
  sw_trace *copy = &a->prepared.trace;
  SW_TRY(check(a, t, err));
  sw_trace_clear(copy);
  for (int64_t b = 0; b < t->blocks; b++) {
    int64_t end = sw_trace_block_end(t, b);
    sw_trace_begin_block(copy);
    for (int64_t i = t->block_start[b]; i < end; i++)
      sw_trace_put(copy, t->token[i], 0);
  }
  if (copy->failed)
    return sw_fail(err, SW_MEMORY, "asking a model: out of memory");
  SW_TRY(sw_prepare(&a->prepared, &a->o.reading, a->net->slots, 0,
                    a->net->positions, 0, err));
  *item = (sw_item){.example = sw_prepared_example(&a->prepared)};
  item->example.supervised = NULL;
  return 0;
}

/* Rows of a trace by a family that reads states: each row is where the trace
 * up to it leads. */
static int state_rows(sw_asker *a, const sw_trace *t, const int32_t *rows,
                      int32_t count, int hidden, const float **out,
                      sw_err *err) {
  size_t width = (size_t)(hidden ? a->net->hidden : sw_asker_vocab(a));
  SW_TRY(room_for(a, width * (size_t)count, err));
  for (int32_t i = 0; i < count; i++) {
    const float *logits = NULL;
    float *to = a->out + width * (size_t)i;
    if (hidden) {
      SW_TRY(sw_state_ask_hidden(a->states, t, rows[i] + 1, to, err));
    } else {
      SW_TRY(sw_state_ask(a->states, t, rows[i] + 1, NULL, 0, &logits, err));
      memcpy(to, logits, sizeof *to * width);
    }
  }
  *out = a->out;
  return SW_OK;
}

static int rows_of(sw_asker *a, const sw_trace *t, const int32_t *rows,
                   int32_t count, int hidden, const float **out, sw_err *err) {
  sw_item item;
  if (a->states) return state_rows(a, t, rows, count, hidden, out, err);
  if (!a->work)
    return sw_fail(err, SW_USAGE, "rows of a trace need the full path");
  SW_TRY(prepare(a, t, &item, err));
  size_t width = (size_t)(hidden ? a->net->hidden : a->net->outputs);
  SW_TRY(room_for(a, width * (size_t)count, err));
  *out = a->out;
  return hidden ? sw_work_hidden(a->work, &item, rows, count, a->out, err)
                : sw_work_rows(a->work, &item, rows, count, a->out, err);
}

int sw_ask_rows(sw_asker *a, const sw_trace *t, const int32_t *rows,
                int32_t count, const float **out, sw_err *err) {
  if (sw_mask_leaks(a->o.reading.mask) &&
      !(count == 1 && rows[0] == t->length - 1))
    return sw_fail(
        err, SW_USAGE,
        "under mask %s a row sees later tokens; ask for one at a time",
        sw_mask_name(a->o.reading.mask));
  return rows_of(a, t, rows, count, 0, out, err);
}

int sw_ask_hidden(sw_asker *a, const sw_trace *t, const int32_t *rows,
                  int32_t count, const float **out, sw_err *err) {
  return rows_of(a, t, rows, count, 1, out, err);
}

static int ask_session(sw_asker *a, const sw_trace *t, int64_t instance,
                       const float **logits, sw_err *err) {
  SW_TRY(check(a, t, err));
  int64_t prefix = t->blocks > 1 ? t->block_start[1] : t->length;
  if (a->instance != instance || instance < 0) {
    a->instance = -1;
    SW_TRY(sw_seats_prefix(a->session, 0, t->token, (int32_t)prefix, err));
    a->instance = instance;
  }
  for (int64_t b = 1; b < t->blocks; b++) {
    int64_t end = sw_trace_block_end(t, b);
    SW_TRY(sw_seats_begin_block(a->session, 0, b > 1, err));
    SW_TRY(sw_seats_push(a->session, 0, t->token + t->block_start[b],
                         (int32_t)(end - t->block_start[b]), err));
  }
  int32_t zero = 0;
  return sw_seats_run(a->session, &zero, 1, logits, err);
}

int sw_ask(sw_asker *a, const sw_trace *t, int64_t instance,
           const float **logits, sw_err *err) {
  if (a->states && a->search) t = a->search;
  a->last = t;
  if (sw_time_to_stop()) return sw_fail_stopped(err, "asking a model");
  if (a->states)
    return sw_state_ask(a->states, t, t->length, NULL, 0, logits, err);
  if (a->session) return ask_session(a, t, instance, logits, err);
  int32_t last = (int32_t)(t->length - 1);
  return rows_of(a, t, &last, 1, 0, logits, err);
}

int sw_ask_on(sw_asker *a, sw_trace *t, int32_t token, const float **logits,
              sw_err *err) {
  return sw_ask_more(a, t, &token, 1, logits, err);
}

int sw_ask_more(sw_asker *a, sw_trace *t, const int32_t *token, int32_t count,
                const float **logits, sw_err *err) {
  int32_t zero = 0;
  for (int32_t i = 0; i < count; i++) sw_trace_put(t, token[i], 0);
  if (t->failed)
    return sw_fail(err, SW_MEMORY, "asking a model: out of memory");
  SW_TRY(check(a, t, err));
  if (!a->session) return sw_ask(a, t, -1, logits, err);
  SW_TRY(sw_seats_push(a->session, 0, token, count, err));
  return sw_seats_run(a->session, &zero, 1, logits, err);
}

int sw_ask_attention(sw_asker *a, sw_attention_shape *shape, float *weights,
                     sw_err *err) {
  if (!a->session)
    return sw_fail(err, SW_USAGE, "attention is asked for by the cached path");
  return sw_seats_attention(a->session, 0, shape, weights, err);
}

int sw_ask_verdict(sw_asker *a, float *dead, sw_err *err) {
  if (!a->session)
    return sw_fail(err, SW_USAGE, "a verify head is asked by the cached path");
  return sw_seats_verdicts(a->session, 1, dead, err);
}

int sw_ask_after(sw_asker *a, const int32_t *token, int32_t count,
                 const float **logits, sw_err *err) {
  if (a->states)
    return sw_state_ask(a->states, a->last, a->last->length, token, count,
                        logits, err);
  if (!a->session)
    return sw_fail(err, SW_USAGE, "follow-up questions need the cached path");
  int32_t zero = 0;
  SW_TRY(sw_seats_push(a->session, 0, token, count, err));
  int code = sw_seats_run(a->session, &zero, 1, logits, err);
  int back = sw_seats_pop(a->session, 0, count, err);
  return code ? code : back;
}
