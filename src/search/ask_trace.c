/* Questions about traces (see ask.h). */
#include <inttypes.h>
#include <string.h>

#include "base/stop.h"
#include "base/check.h"
#include "search/ask_inside.h"

void sw_ask_of(sw_asker *a, const sw_trace *search) { a->search = search; }

int sw_ask_questions(sw_asker *a, sw_trace *t, sw_err *err) {
  return a->states ? sw_ask_state_questions(a, t, err) : SW_OK;
}

int sw_ask_fits(const sw_asker *a, const sw_trace *t) {
  if (a->states) return 1;
  return !sw_reading_fits(&a->o.reading, t->length, t->block_start, t->blocks,
                          a->net->positions, NULL);
}

/* May this question be asked? Every measure passes here, so a requested stop
 * takes effect here. */
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

/* ---- the full path ---- */

/* Copies the trace and builds mask and positions. */
static int prepare(sw_asker *a, const sw_trace *t, sw_item *item, sw_err *err) {
  SW_TRY(check(a, t, err));
  sw_trace_copy(&a->prepared.trace, t, t->length);
  if (a->prepared.trace.failed) return sw_ask_memory(err);
  SW_TRY(sw_prepare(&a->prepared, &a->o.reading, a->net->slots, 0,
                    a->net->positions, a->o.mask_seed, err));
  *item = (sw_item){.example = sw_prepared_example(&a->prepared)};
  item->example.supervised = NULL;
  return SW_OK;
}

/* Rows of a trace by a family that reads states: each row is where the trace
 * up to it leads. */
static int state_rows(sw_asker *a, const sw_trace *t, const int32_t *rows,
                      int32_t count, int hidden, sw_err *err) {
  size_t width = (size_t)(hidden ? a->net->hidden : sw_asker_vocab(a));
  SW_TRY(sw_ask_room(a, width * (size_t)count, err));
  for (int32_t i = 0; i < count; i++) {
    const float *scores = NULL;
    float *to = a->out + width * (size_t)i;
    if (hidden) {
      SW_TRY(sw_ask_state_hidden(a, t, rows[i] + 1, to, err));
    } else {
      SW_TRY(sw_ask_state(a, t, rows[i] + 1, NULL, 0, &scores, err));
      memcpy(to, scores, sizeof *to * width);
    }
  }
  return SW_OK;
}

static int pass(sw_asker *a, const sw_trace *t, const int32_t *rows,
                int32_t count, int hidden, const float **out, sw_err *err) {
  sw_item item;
  *out = NULL;
  if (a->states) {
    SW_TRY(state_rows(a, t, rows, count, hidden, err));
    *out = a->out;
    return SW_OK;
  }
  if (!a->work)
    return sw_fail(err, SW_USAGE, "rows of a trace need the full path");
  SW_TRY(prepare(a, t, &item, err));
  size_t width = (size_t)(hidden ? a->net->hidden : a->net->outputs);
  SW_TRY(sw_ask_room(a, width * (size_t)count, err));
  *out = a->out;
  SW_TRY(hidden ? sw_work_hidden(a->work, &item, rows, count, a->out, err)
                : sw_work_rows(a->work, &item, rows, count, a->out, err));
  return sw_ask_numbers(a, a->out, (int64_t)width * count, err);
}

int sw_ask_pass(sw_asker *a, const sw_trace *t, const int32_t *rows,
                int32_t count, const float **out, sw_err *err) {
  return pass(a, t, rows, count, 0, out, err);
}

int sw_ask_rows(sw_asker *a, const sw_trace *t, const int32_t *rows,
                int32_t count, const float **out, sw_err *err) {
  SW_CHECK(sw_asker_check(a));
  SW_CHECK(sw_trace_check(t));
  SW_ASSERT(count > 0 && rows && out);
  if (sw_mask_leaks(a->o.reading.mask) &&
      !(count == 1 && rows[0] == t->length - 1))
    return sw_fail(
        err, SW_USAGE,
        "under mask %s a row sees later tokens; ask for one at a time",
        sw_mask_name(a->o.reading.mask));
  return pass(a, t, rows, count, 0, out, err);
}

int sw_ask_hidden(sw_asker *a, const sw_trace *t, const int32_t *rows,
                  int32_t count, const float **out, sw_err *err) {
  SW_CHECK(sw_asker_check(a));
  SW_CHECK(sw_trace_check(t));
  SW_ASSERT(count > 0 && rows && out);
  return pass(a, t, rows, count, 1, out, err);
}

/* ---- the cached path: what a seat has seen is not shown again ---- */

enum { NOTHING, PREFIX, BEGINNING };

static int same_prefix(const sw_trace *a, const sw_trace *b) {
  int64_t length = sw_trace_block_end(b, 0);
  return a->blocks > 1 && sw_trace_block_end(a, 0) == length &&
         !memcmp(a->token, b->token, sizeof *a->token * (size_t)length);
}

/* Is `a`, as far as it goes, the beginning of `b`, blocks included? */
static int begins(const sw_trace *a, const sw_trace *b) {
  if (a->length > b->length || a->blocks > b->blocks) return 0;
  if (a->blocks < b->blocks && a->length > b->block_start[a->blocks]) return 0;
  return !memcmp(a->block_start, b->block_start,
                 sizeof *a->block_start * (size_t)a->blocks) &&
         !memcmp(a->token, b->token, sizeof *a->token * (size_t)a->length);
}

static int has_seen(const sw_ask_seat *s, const sw_trace *t) {
  if (!s->used || t->blocks < 2 || !same_prefix(&s->seen, t)) return NOTHING;
  return begins(&s->seen, t) ? BEGINNING : PREFIX;
}

/* A seat that has seen the beginning of the trace, else one with its prefix,
 * else the one unused for longest. */
static int32_t find_seat(const sw_asker *a, const sw_trace *t) {
  int32_t best = 0;
  int most = -1;
  for (int32_t i = 0; i < a->seats; i++) {
    const sw_ask_seat *s = &a->seat[i], *top = &a->seat[best];
    int seen = has_seen(s, t);
    if (seen > most ||
        (seen == most && (seen == BEGINNING ? s->seen.length > top->seen.length
                                            : s->used < top->used))) {
      best = i;
      most = seen;
    }
  }
  return best;
}

/* Shows the blocks from token `from` of `block` on. */
static int show_blocks(sw_asker *a, int32_t seat, const sw_trace *t,
                       int64_t block, int64_t from, sw_err *err) {
  for (;; from = t->block_start[block]) {
    int64_t end = sw_trace_block_end(t, block);
    if (end > from)
      SW_TRY(sw_seats_push(a->session, seat, t->token + from,
                           (int32_t)(end - from), err));
    if (++block >= t->blocks) return SW_OK;
    SW_TRY(sw_seats_begin_block(a->session, seat, SW_HISTORY_KEEP, err));
  }
}

static int show_new(sw_asker *a, int32_t seat, const sw_trace *t, sw_err *err) {
  const sw_trace *seen = &a->seat[seat].seen;
  int alone = a->o.skips_unseen && sw_reading_block_local(&a->o.reading);
  int how = has_seen(&a->seat[seat], t);
  if (how == BEGINNING && (!alone || seen->blocks == t->blocks))
    return show_blocks(a, seat, t, seen->blocks - 1, seen->length, err);
  if (how == NOTHING)
    SW_TRY(sw_seats_prefix(a->session, seat, t->token,
                           (int32_t)sw_trace_block_end(t, 0), err));
  if (t->blocks < 2) return SW_OK;
  int64_t first = alone ? t->blocks - 1 : 1;
  SW_TRY(sw_seats_begin_block(a->session, seat, SW_HISTORY_FORGET, err));
  return show_blocks(a, seat, t, first, t->block_start[first], err);
}

int sw_ask_show(sw_asker *a, int32_t seat, const sw_trace *t, sw_err *err) {
  SW_ASSERT(a->session && seat >= 0 && seat < a->seats);
  SW_CHECK(sw_trace_check(t));
  sw_ask_seat *s = &a->seat[seat];
  SW_TRY(check(a, t, err));
  int code = show_new(a, seat, t, err);
  s->used = 0; /* until it is known to be whole */
  SW_TRY(code);
  sw_trace_copy(&s->seen, t, t->length);
  if (!s->seen.failed) s->used = ++a->clock;
  return SW_OK;
}

static int ask_session(sw_asker *a, const sw_trace *t, const float **scores,
                       sw_err *err) {
  a->last = find_seat(a, t);
  SW_TRY(sw_ask_show(a, a->last, t, err));
  SW_TRY(sw_ask_run(a, &a->last, 1, NULL, err));
  *scores = a->row[0];
  return sw_ask_numbers(a, *scores, a->net->outputs, err);
}

int sw_ask(sw_asker *a, const sw_trace *t, const float **scores, sw_err *err) {
  SW_CHECK(sw_asker_check(a));
  SW_CHECK(sw_trace_check(t));
  SW_ASSERT(scores);
  if (a->states && a->search) t = a->search;
  a->told = t;
  if (sw_time_to_stop()) return sw_fail_stopped(err, "asking a model");
  if (a->states) return sw_ask_state(a, t, t->length, NULL, 0, scores, err);
  if (a->session) return ask_session(a, t, scores, err);
  int32_t last = (int32_t)(t->length - 1);
  return pass(a, t, &last, 1, 0, scores, err);
}

/* ---- questions that follow ---- */

int sw_ask_more(sw_asker *a, sw_trace *t, const int32_t *token, int32_t count,
                const float **scores, sw_err *err) {
  for (int32_t i = 0; i < count; i++) sw_trace_put(t, token[i], 0);
  return t->failed ? sw_ask_memory(err) : sw_ask(a, t, scores, err);
}

int sw_ask_on(sw_asker *a, sw_trace *t, int32_t token, const float **scores,
              sw_err *err) {
  return sw_ask_more(a, t, &token, 1, scores, err);
}

int sw_ask_after(sw_asker *a, const int32_t *token, int32_t count,
                 const float **scores, sw_err *err) {
  SW_ASSERT(count >= 0 && (token || !count));
  if (a->states)
    return sw_ask_state(a, a->told, a->told->length, token, count, scores, err);
  if (!a->session)
    return sw_fail(err, SW_USAGE, "follow-up questions need the cached path");
  SW_TRY(sw_seats_push(a->session, a->last, token, count, err));
  int code = sw_ask_run(a, &a->last, 1, NULL, err);
  int back = sw_seats_pop(a->session, a->last, count, err);
  SW_TRY(code ? code : back);
  *scores = a->row[0];
  return sw_ask_numbers(a, *scores, a->net->outputs, err);
}

int sw_ask_attention(sw_asker *a, sw_attention_shape *shape, float *weights,
                     sw_err *err) {
  if (!a->session)
    return sw_fail(err, SW_USAGE, "attention is asked for by the cached path");
  return sw_seats_attention(a->session, a->last, shape, weights, err);
}

int sw_ask_verdict(sw_asker *a, float *dead, sw_err *err) {
  if (!a->session)
    return sw_fail(err, SW_USAGE, "a verify head is asked by the cached path");
  return sw_seats_verdicts(a->session, 1, dead, err);
}
