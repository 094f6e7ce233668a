/* Sessions: the tokens of each sequence and what of them is cached. The
 * computation is in session_run.c. */
#include "model/decoder/session.h"
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "base/check.h"
#include "model/decoder/verify.h"

/* Pending rows of a group: enough for the products to run at full speed. */
enum { GROUP_ROWS = 1536 };

int sw_session_new(sw_session **out, sw_model *model, sw_team *team,
                   const sw_session_options *options, sw_err *err) {
  *out = NULL;
  if (options->sequences < 1)
    return sw_fail(err, SW_USAGE, "a session of %d sequences",
                   options->sequences);
  if (!sw_mask_row_of(options->reading.mask))
    return sw_fail(err, SW_USAGE, "mask %d does not exist",
                   (int)options->reading.mask);
  const sw_model_config *c = &model->config;
  SW_TRY(sw_reading_suits(&options->reading, c->positions, c->places, c->rotary,
                          err));
  sw_session *s = calloc(1, sizeof *s);
  if (!s) return sw_no_memory_for(err, "a session");
  size_t n = (size_t)options->sequences;
  s->model = model;
  s->team = team;
  s->options = *options;
  s->recompute = !options->cache_prefix || sw_mask_leaks(options->reading.mask);
  sw_mask_init(&s->mask);
  s->sequence = calloc(n, sizeof *s->sequence);
  s->turn = calloc(n, sizeof *s->turn);
  s->marked = calloc(n, 1);
  s->logits = sw_aligned_alloc(sizeof(float) * n * (size_t)model->config.vocab);
  size_t judged = model->config.verify ? n * (size_t)model->config.d : 0;
  if (judged) {
    s->final = sw_aligned_alloc(sizeof(float) * judged);
    s->verify_room = sw_aligned_alloc(sizeof(float) * 2 * judged);
  }
  int code = s->sequence && s->turn && s->marked && s->logits &&
                     (!judged || (s->final && s->verify_room))
                 ? sw_session_memory_new(s, err)
                 : sw_no_memory_for(err, "%zu sequences", n);
  if (code) {
    sw_session_free(s);
    return code;
  }
  *out = s;
  return SW_OK;
}

void sw_session_free(sw_session *s) {
  if (!s) return;
  for (int32_t i = 0; s->sequence && i < s->options.sequences; i++) {
    free(s->sequence[i].token);
    free(s->sequence[i].position);
    free(s->sequence[i].place);
    free(s->sequence[i].block_start);
    sw_pages_free(s->sequence[i].kv, sw_cache_bytes(s, &s->sequence[i]));
    free(s->sequence[i].read);
  }
  sw_session_memory_free(s);
  free(s->sequence);
  free(s->turn);
  free(s->marked);
  free(s->row_id);
  free(s->span);
  sw_aligned_free(s->memory);
  sw_aligned_free(s->final);
  sw_aligned_free(s->verify_room);
  sw_aligned_free(s->logits);
  sw_mask_free(&s->mask);
  sw_plan_free(&s->plan);
  free(s);
}

static int find(sw_session *s, int32_t index, sw_sequence **out, sw_err *err) {
  if (index < 0 || index >= s->options.sequences)
    return sw_fail(err, SW_USAGE, "sequence %d of a session of %d", index,
                   s->options.sequences);
  *out = &s->sequence[index];
  return SW_OK;
}

static int grow_tokens(sw_sequence *q, int64_t length, sw_err *err) {
  if (length <= q->room) return SW_OK;
  if (length > INT32_MAX / 4)
    return sw_fail(err, SW_LIMIT, "a sequence of %lld tokens",
                   (long long)length);
  size_t room = (size_t)length + (size_t)length / 2 + 64;
  int32_t *token = realloc(q->token, sizeof *token * room);
  if (token) q->token = token;
  int32_t *position = realloc(q->position, sizeof *position * room);
  if (position) q->position = position;
  int32_t *place = realloc(q->place, sizeof *place * room);
  if (place) q->place = place;
  if (!token || !position || !place)
    return sw_no_memory_for(err, "%zu tokens", room);
  q->room = (int32_t)room;
  return SW_OK;
}

static int add_block(sw_sequence *q, sw_err *err) {
  if (q->blocks == q->block_room) {
    int64_t room = q->block_room ? 2 * q->block_room : 16;
    int64_t *grown = realloc(q->block_start, sizeof *grown * (size_t)room);
    if (!grown) return sw_no_memory_for(err, "%lld blocks", (long long)room);
    q->block_start = grown;
    q->block_room = room;
  }
  q->block_start[q->blocks++] = q->length;
  return SW_OK;
}

static int append(sw_session *s, sw_sequence *q, const int32_t *token,
                  int32_t count, sw_err *err) {
  const sw_model_config *c = &s->model->config;
  if (count < 0) return sw_fail(err, SW_USAGE, "%d tokens", count);
  SW_TRY(grow_tokens(q, (int64_t)q->length + count, err));
  int64_t block = q->blocks > 0 ? q->blocks - 1 : 0, position;
  int64_t start = block ? q->block_start[block] : 0;
  SW_TRY(sw_reading_next(&s->options.reading, q->prefix, block,
                         start + (block ? q->dropped : 0), q->length - start,
                         count, c->positions, &position, err));
  int64_t rank = q->length - start;
  if (c->places && rank + count > c->places)
    return sw_fail(err, SW_LIMIT,
                   "%d more tokens after %lld of a block: the table of places"
                   " has %d rows",
                   count, (long long)rank, c->places);
  if (s->model->rotation)
    SW_TRY(sw_rotation_reserve(s->model->rotation, position + count, err));
  for (int32_t i = 0; i < count; i++)
    if (token[i] < 0 || token[i] >= c->vocab)
      return sw_fail(err, SW_DATA, "token %d is outside the vocabulary of %d",
                     token[i], c->vocab);
  for (int32_t i = 0; i < count; i++) {
    q->token[q->length] = token[i];
    q->place[q->length] = (int32_t)(rank + i);
    q->position[q->length++] = (int32_t)(position + i);
  }
  return SW_OK;
}

static void truncate_to(const sw_session *s, sw_sequence *q, int32_t length) {
  int32_t rows = s->model->config.slots + length;
  q->length = length;
  if (q->cached > rows) q->cached = rows;
}

int sw_session_prefix(sw_session *s, int32_t index, const int32_t *token,
                      int32_t count, sw_err *err) {
  SW_CHECK(sw_session_check(s));
  sw_sequence *q = NULL;
  SW_TRY(find(s, index, &q, err));
  q->length = q->cached = q->prefix = 0;
  q->blocks = q->dropped = 0;
  SW_TRY(add_block(q, err));
  SW_TRY(append(s, q, token, count, err));
  q->prefix = count;
  return SW_OK;
}

int sw_session_begin_block(sw_session *s, int32_t index, int history,
                           sw_err *err) {
  SW_CHECK(sw_session_check(s));
  sw_sequence *q = NULL;
  SW_TRY(find(s, index, &q, err));
  if (q->blocks == 0)
    return sw_fail(err, SW_USAGE, "sequence %d has no prefix yet", index);
  int unseen =
      sw_mask_block_local(s->options.reading.mask) && s->options.cache_prefix;
  if (history != SW_HISTORY_KEEP || unseen) {
    q->dropped = history ? q->dropped + q->length - q->prefix : 0;
    truncate_to(s, q, q->prefix);
    q->blocks = 1;
  }
  if (q->blocks > 1 && q->block_start[q->blocks - 1] == q->length)
    return SW_OK; /* the open block is still empty */
  return add_block(q, err);
}

int sw_session_push(sw_session *s, int32_t index, const int32_t *token,
                    int32_t count, sw_err *err) {
  SW_ASSERT(s && (token || count <= 0));
  sw_sequence *q = NULL;
  SW_TRY(find(s, index, &q, err));
  if (q->blocks < 2)
    return sw_fail(err, SW_USAGE, "sequence %d has no open block", index);
  return append(s, q, token, count, err);
}

int sw_session_pop(sw_session *s, int32_t index, int32_t count, sw_err *err) {
  sw_sequence *q = NULL;
  SW_TRY(find(s, index, &q, err));
  int64_t open = q->blocks > 1 ? q->length - q->block_start[q->blocks - 1] : 0;
  if (count < 0 || count > open)
    return sw_fail(err, SW_USAGE,
                   "%d tokens taken back of an open block of "
                   "%lld",
                   count, (long long)open);
  truncate_to(s, q, q->length - count);
  return SW_OK;
}

void sw_session_verdicts(sw_session *s, int32_t count, float *dead) {
  sw_verify_scores(s->model, s->final, count, s->verify_room, dead);
}

int64_t sw_session_need(const sw_session *s, int32_t index) {
  const sw_sequence *q = &s->sequence[index];
  sw_sequence grown = *q;
  sw_cache_room(s, &grown, s->model->config.slots + q->length);
  return (int64_t)sw_cache_bytes(s, &grown);
}

void sw_session_forget(sw_session *s, int32_t index) {
  sw_sequence *q = &s->sequence[index];
  sw_pages_free(q->kv, sw_cache_bytes(s, q));
  q->kv = NULL;
  q->cached = q->kv_room = 0;
  q->key_floats = 0;
}

double sw_session_flops(const sw_session *s) { return s->flops; }

int64_t sw_session_length(const sw_session *s, int32_t index) {
  const sw_sequence *q = &s->sequence[index];
  return q->dropped + q->length;
}

int32_t sw_session_rows(const sw_session *s, int32_t index) {
  return s->model->config.slots + s->sequence[index].length;
}

static int check_run(sw_session *s, const int32_t *seq, int32_t count,
                     sw_err *err) {
  sw_sequence *q = NULL;
  memset(s->marked, 0, (size_t)s->options.sequences);
  for (int32_t i = 0; i < count; i++) {
    SW_TRY(find(s, seq[i], &q, err));
    if (q->length == 0)
      return sw_fail(err, SW_USAGE, "sequence %d is empty", seq[i]);
    if (s->marked[seq[i]]++)
      return sw_fail(err, SW_USAGE, "sequence %d twice in one run", seq[i]);
  }
  return SW_OK;
}

/* Long pending stretches of a sequence run alone, `most` rows at a time, until
 * the rest fits in a group. */
static int run_ahead(sw_session *s, sw_sequence *q, int32_t most, float *logits,
                     sw_err *err) {
  while (s->model->config.slots + q->length - q->cached > most) {
    s->turn[0] = (sw_turn){.sequence = q, .pending = most};
    SW_TRY(sw_group_run(s, 1, logits, err));
  }
  return SW_OK;
}

/* A group of the sequences seq[0..count), as many as fit; their number. */
static int run_some(sw_session *s, const int32_t *seq, int32_t count,
                    float *logits, int32_t *taken, sw_err *err) {
  int32_t turns = 0, rows = 0, most = sw_session_memory_rows(s, GROUP_ROWS);
  if (s->slot_memory)
    SW_TRY(run_ahead(s, &s->sequence[seq[0]], most, logits, err));
  while (turns < count) {
    sw_sequence *q = &s->sequence[seq[turns]];
    int32_t all = s->model->config.slots + q->length;
    /* Nothing pending: the last row again, for its logits. */
    int32_t from = q->cached == all ? all - 1 : q->cached;
    if (turns && (rows + all - from > most || s->recompute)) break;
    q->cached = from;
    s->turn[turns++] =
        (sw_turn){.sequence = q, .first = rows, .pending = all - from};
    rows += all - from;
  }
  *taken = turns;
  return sw_group_run(s, turns, logits, err);
}

int sw_session_run(sw_session *s, const int32_t *seq, int32_t count,
                   const float **logits, sw_err *err) {
  SW_TRY(check_run(s, seq, count, err));
  ptrdiff_t vocab = s->model->config.vocab;
  int whole = sw_session_memory_kind(s) == SW_MEMORY_SHARED;
  for (int32_t i = 0; i < count && s->recompute; i++)
    s->sequence[seq[i]].cached = 0;
  for (int32_t done = 0, turns = 1; done < count; done += turns) {
    float *out = s->logits + done * vocab;
    if (whole)
      SW_TRY(sw_session_memory_whole(s, &s->sequence[seq[done]], out, err));
    else SW_TRY(run_some(s, seq + done, count - done, out, &turns, err));
  }
  for (int32_t i = 0; i < count; i++) logits[i] = s->logits + i * vocab;
  return SW_OK;
}

#ifdef SW_DEBUG
static const char *sequence_fault(const sw_sequence *q, int32_t slots) {
  if (q->length < 0 || q->length > q->room) return "more tokens than room";
  if (q->blocks > q->block_room) return "more blocks than room";
  if (q->blocks && q->prefix > q->length) return "a prefix longer than all";
  if (q->cached > slots + q->length) return "more rows cached than there are";
  if (q->dropped < 0) return "less than 0 tokens dropped";
  for (int64_t b = 1; b < q->blocks; b++)
    if (q->block_start[b] < q->block_start[b - 1] ||
        q->block_start[b] > q->length)
      return "a block out of order";
  return NULL;
}

const char *sw_session_check(const sw_session *s) {
  if (!s || !s->model || !s->team) return "no session";
  for (int32_t i = 0; i < s->options.sequences; i++) {
    const char *why = sequence_fault(&s->sequence[i], s->model->config.slots);
    if (why) return why;
  }
  return NULL;
}
#endif
