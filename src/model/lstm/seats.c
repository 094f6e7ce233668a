/* Sessions: many sequences asked in lock-step. A sequence keeps its tokens and,
 * of what was computed, only states: that behind the prefix, and that before
 * and behind every token of the open block, so that tokens can be taken back. A
 * run computes what is pending of all its sequences as lanes (lanes.h); a
 * question about nothing new costs the head alone. Without the cache a run is a
 * pass over the whole sequence (work.c). */
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "model/lstm/work.h"

enum { GROUP_ROWS = 4096 }; /* pending rows of a group */

typedef struct seat {
  int32_t *token, *position; /* [length] */
  int32_t length, token_room, position_room;
  int64_t *block_start; /* [blocks]; block 0 is the prefix */
  int64_t blocks, block_room;
  int32_t prefix;
  int64_t dropped; /* tokens of earlier blocks that are not kept */
  int32_t done;    /* tokens whose states are known */
  int32_t base;    /* the states kept are those before token `base` ... */
  float *kept;     /* ... and behind base, base + 1, ... up to done - 1 */
  int32_t kept_room;
  float *behind_prefix; /* one state */
  sw_example example;   /* of the run under way */
} seat;

typedef struct lstm_seats {
  sw_seats head;
  sw_session_options options;
  sw_block_start starts; /* what a block starts from */
  sw_lstm_rows rows;
  sw_work *work; /* without the cache */
  sw_mask mask;
  seat *seat; /* [sequences] */
  uint8_t *marked;
  size_t state_floats;
  float *top, *norm, *scores; /* [sequences][d], [sequences][vocab] */
  int stale;
  int32_t first, count; /* rows of top that the group under way has */
} lstm_seats;

/* ---- opening ---- */

void sw_lstm_seats_free(sw_seats *seats) {
  lstm_seats *s = (lstm_seats *)seats;
  for (int32_t i = 0; s->seat && i < s->options.sequences; i++) {
    free(s->seat[i].token);
    free(s->seat[i].position);
    free(s->seat[i].block_start);
    free(s->seat[i].kept);
    free(s->seat[i].behind_prefix);
  }
  free(s->seat);
  free(s->marked);
  sw_aligned_free(s->top);
  sw_aligned_free(s->norm);
  sw_aligned_free(s->scores);
  sw_lstm_rows_free(&s->rows);
  sw_mask_free(&s->mask);
  sw_work_free(s->work);
  free(s);
}

static int open_seats(lstm_seats *s, sw_team *team, sw_err *err) {
  sw_lstm *net = (sw_lstm *)s->head.net;
  size_t n = (size_t)s->options.sequences, d = (size_t)net->config.d;
  s->state_floats = 2 * d * (size_t)net->config.layers;
  s->seat = calloc(n, sizeof *s->seat);
  s->marked = calloc(n, 1);
  s->top = sw_aligned_alloc(sizeof(float) * n * d);
  s->norm = sw_aligned_alloc(sizeof(float) * n * d);
  s->scores = sw_aligned_alloc(sizeof(float) * n * (size_t)net->config.vocab);
  if (!s->seat || !s->marked || !s->top || !s->norm || !s->scores)
    return sw_no_memory_for(err, "%zu sequences", n);
  if (!s->options.cache_prefix)
    SW_TRY(sw_work_new(&s->work, &net->net, team, err));
  return sw_lstm_rows_init(&s->rows, net, team, err);
}

int sw_lstm_seats_new(sw_seats **seats, sw_net *net, sw_team *team,
                      const sw_session_options *options, sw_err *err) {
  *seats = NULL;
  if (options->sequences < 1)
    return sw_fail(err, SW_USAGE, "a session of %d sequences",
                   options->sequences);
  SW_TRY(sw_lstm_suits(net, &options->reading, err));
  lstm_seats *s = calloc(1, sizeof *s);
  if (!s) return sw_no_memory_for(err, "a session");
  s->head.net = net;
  s->options = *options;
  s->starts = (sw_block_start)sw_block_start_of(options->reading.mask);
  sw_mask_init(&s->mask);
  int code = open_seats(s, team, err);
  if (code) {
    sw_lstm_seats_free(&s->head);
    return code;
  }
  *seats = &s->head;
  return SW_OK;
}

/* ---- tokens ---- */

static int find(const sw_seats *seats, int32_t index, seat **out, sw_err *err) {
  const lstm_seats *s = (const lstm_seats *)seats;
  if (index < 0 || index >= s->options.sequences)
    return sw_fail(err, SW_USAGE, "sequence %d of a session of %d", index,
                   s->options.sequences);
  *out = &s->seat[index];
  return SW_OK;
}

static int no_room(const seat *q, sw_err *err) {
  return sw_no_memory_for(err, "a sequence of %d tokens", q->length);
}

static int add_block(seat *q, sw_err *err) {
  if (!sw_grow64(&q->block_start, &q->block_room, q->blocks + 1,
                 sizeof *q->block_start))
    return no_room(q, err);
  q->block_start[q->blocks++] = q->length;
  return SW_OK;
}

static int append(const lstm_seats *s, seat *q, const int32_t *token,
                  int32_t count, sw_err *err) {
  const sw_lstm_config *c = s->head.net->config;
  if (count < 0) return sw_fail(err, SW_USAGE, "%d tokens", count);
  if (count > INT32_MAX / 4 - q->length)
    return sw_fail(err, SW_LIMIT, "a sequence of more than %d tokens",
                   INT32_MAX / 4);
  int64_t block = q->blocks > 0 ? q->blocks - 1 : 0, position;
  int64_t start = block ? q->block_start[block] : 0;
  SW_TRY(sw_reading_next(&s->options.reading, q->prefix, block,
                         start + (block ? q->dropped : 0), q->length - start,
                         count, c->positions, &position, err));
  for (int32_t i = 0; i < count; i++)
    if (token[i] < 0 || token[i] >= c->vocab)
      return sw_fail(err, SW_DATA, "token %d is outside the vocabulary of %d",
                     token[i], c->vocab);
  if (!sw_grow(&q->token, &q->token_room, q->length + count,
               sizeof *q->token) ||
      !sw_grow(&q->position, &q->position_room, q->length + count,
               sizeof *q->position))
    return no_room(q, err);
  for (int32_t i = 0; i < count; i++) {
    q->token[q->length] = token[i];
    q->position[q->length++] = (int32_t)(position + i);
  }
  return SW_OK;
}

/* The state behind the first `tokens` of the base's. */
static float *kept_state(const lstm_seats *s, const seat *q, int32_t tokens) {
  return q->kept + (size_t)tokens * s->state_floats;
}

static int keep_room(const lstm_seats *s, seat *q, int32_t tokens,
                     sw_err *err) {
  if (!sw_grow(&q->kept, &q->kept_room, tokens + 1,
               sizeof(float) * s->state_floats))
    return no_room(q, err);
  return SW_OK;
}

/* What the mask lets a block behind the prefix start from. */
static void state_for_block(const lstm_seats *s, const seat *q, float *out) {
  size_t bytes = sizeof(float) * s->state_floats;
  if (s->starts == SW_START_ZERO) memset(out, 0, bytes);
  else memcpy(out, q->behind_prefix, bytes);
}

int sw_lstm_prefix(sw_seats *seats, int32_t index, const int32_t *token,
                   int32_t count, sw_err *err) {
  lstm_seats *s = (lstm_seats *)seats;
  seat *q = NULL;
  SW_TRY(find(seats, index, &q, err));
  q->length = q->done = q->prefix = q->base = 0;
  q->blocks = q->dropped = 0;
  if (!q->behind_prefix)
    q->behind_prefix = calloc(s->state_floats, sizeof(float));
  if (!q->behind_prefix) return no_room(q, err);
  memset(q->behind_prefix, 0, sizeof(float) * s->state_floats);
  SW_TRY(keep_room(s, q, 0, err));
  memset(q->kept, 0, sizeof(float) * s->state_floats);
  SW_TRY(add_block(q, err));
  SW_TRY(append(s, q, token, count, err));
  q->prefix = count;
  return SW_OK;
}

/* Blocks that no later token sees are dropped. A session that recomputes
 * everything keeps them, because cached sessions are compared with it. */
int sw_lstm_begin_block(sw_seats *seats, int32_t index, int history,
                        sw_err *err) {
  lstm_seats *s = (lstm_seats *)seats;
  seat *q = NULL;
  SW_TRY(find(seats, index, &q, err));
  if (q->blocks == 0)
    return sw_fail(err, SW_USAGE, "sequence %d has no prefix yet", index);
  int unseen = s->starts != SW_START_AFTER_ALL && s->options.cache_prefix;
  if (history != SW_HISTORY_KEEP || unseen) {
    q->dropped =
        history == SW_HISTORY_FORGET ? 0 : q->dropped + q->length - q->prefix;
    q->length = q->prefix;
    q->blocks = 1;
    if (q->done >= q->prefix) {
      q->done = q->base = q->prefix;
      state_for_block(s, q, q->kept);
    }
  } else if (q->done == q->length && q->length > q->base) {
    memcpy(q->kept, kept_state(s, q, q->length - q->base),
           sizeof(float) * s->state_floats);
    q->base = q->length;
  }
  if (q->blocks > 1 && q->block_start[q->blocks - 1] == q->length)
    return SW_OK; /* the open block is still empty */
  return add_block(q, err);
}

int sw_lstm_push(sw_seats *seats, int32_t index, const int32_t *token,
                 int32_t count, sw_err *err) {
  seat *q = NULL;
  SW_TRY(find(seats, index, &q, err));
  if (q->blocks < 2)
    return sw_fail(err, SW_USAGE, "sequence %d has no open block", index);
  return append((lstm_seats *)seats, q, token, count, err);
}

int sw_lstm_pop(sw_seats *seats, int32_t index, int32_t count, sw_err *err) {
  seat *q = NULL;
  SW_TRY(find(seats, index, &q, err));
  int64_t open = q->blocks > 1 ? q->length - q->block_start[q->blocks - 1] : 0;
  if (count < 0 || count > open)
    return sw_fail(err, SW_USAGE,
                   "%d tokens taken back of an open block of %lld", count,
                   (long long)open);
  q->length -= count;
  if (q->done > q->length) q->done = q->length;
  return SW_OK;
}

int64_t sw_lstm_length(const sw_seats *seats, int32_t index) {
  const seat *q = &((const lstm_seats *)seats)->seat[index];
  return q->dropped + q->length;
}

/* ---- running ---- */

/* The pending tokens of a sequence as lanes. */
static int add_lanes(lstm_seats *s, seat *q, sw_err *err) {
  sw_lanes *l = &s->rows.lanes;
  int32_t from = q->done, first = l->count;
  q->example = (sw_example){
      .token = q->token, .position = q->position, .length = q->length};
  sw_lstm_item item = {.example = &q->example};
  SW_TRY(sw_lstm_rows_item(&s->rows, &item, err));
  SW_TRY(sw_lanes_begin_item(l, err));
  if (from >= q->prefix || s->starts == SW_START_AFTER_ALL) {
    if (from == q->length) return SW_OK;
    return sw_lanes_add(l, from, q->length - from, -1,
                        kept_state(s, q, from - q->base), err);
  }
  SW_TRY(sw_lanes_add(l, 0, q->prefix, -1, NULL, err));
  if (q->length == q->prefix) return SW_OK;
  return sw_lanes_add(l, q->prefix, q->length - q->prefix,
                      s->starts == SW_START_AFTER_PREFIX ? first : -1, NULL,
                      err);
}

/* The state behind a token that this run has computed. */
static void take_state(const lstm_seats *s, int32_t item, int32_t token,
                       float *out) {
  const sw_lstm_rows *r = &s->rows;
  ptrdiff_t d = r->net->config.d, row = sw_lanes_row(&r->lanes, item, token);
  size_t bytes = sizeof(float) * (size_t)d;
  for (int layer = 0; layer < r->net->config.layers; layer++, out += 2 * d) {
    memcpy(out, r->h[layer] + row * d, bytes);
    memcpy(out + d, r->c[layer] + row * d, bytes);
  }
}

/* After a run: what later questions of the sequence start from. */
static int keep_states(lstm_seats *s, seat *q, int32_t item, sw_err *err) {
  int32_t from = q->done;
  int32_t base =
      q->blocks > 1 ? (int32_t)q->block_start[q->blocks - 1] : q->prefix;
  SW_TRY(keep_room(s, q, q->length - base, err));
  if (from < q->prefix) take_state(s, item, q->prefix - 1, q->behind_prefix);
  if (base != q->base) {
    if (base == q->prefix) state_for_block(s, q, q->kept);
    else take_state(s, item, base - 1, q->kept);
    q->base = base;
  }
  for (int32_t t = from > base ? from : base; t < q->length; t++)
    take_state(s, item, t, kept_state(s, q, t + 1 - base));
  q->done = q->length;
  return SW_OK;
}

/* h of the last layer behind the last token. */
static void last_top(const lstm_seats *s, const seat *q, float *out) {
  size_t d = (size_t)s->rows.net->config.d;
  const float *state = q->length == q->prefix
                           ? q->behind_prefix
                           : kept_state(s, q, q->length - q->base);
  memcpy(out, state + s->state_floats - 2 * d, sizeof(float) * d);
}

static void layers_region(void *context, int rank, int size) {
  lstm_seats *s = context;
  nn_set_float_mode();
  if (s->stale) {
    sw_lstm_pack(s->rows.net, SW_LSTM_FORWARD, rank, size);
    sw_team_barrier(s->rows.team);
  }
  if (s->rows.lanes.rows) sw_lstm_forward(&s->rows, rank, size);
}

static void head_region(void *context, int rank, int size) {
  lstm_seats *s = context;
  const sw_lstm *net = s->rows.net;
  const nn_kernels *k = net->net.kernels;
  ptrdiff_t d = net->config.d, vocab = net->config.vocab;
  int from, to;
  nn_set_float_mode();
  sw_lstm_share(s->first, s->first + s->count, 1, rank, size, &from, &to);
  if (from == to) return;
  k->layer_norm(
      to - from, (int)d, s->top + from * d, sw_lstm_weight(net, SW_L_NORM_W, 0),
      sw_lstm_weight(net, SW_L_NORM_B, 0), s->norm + from * d, NULL, NULL);
  k->gemm(to - from, (int)vocab, (int)d, s->norm + from * d, d,
          sw_lstm_packed_head(net, SW_LSTM_FORWARD), s->scores + from * vocab,
          vocab, 0, NULL);
}

/* Sequences first.. of the run, as many as make a group. */
static int run_group(lstm_seats *s, const int32_t *seq, int32_t first,
                     int32_t count, int32_t *taken, sw_err *err) {
  sw_lstm *net = s->rows.net;
  int32_t n = 0;
  sw_lstm_rows_clear(&s->rows);
  for (; n < count; n++) {
    seat *q = &s->seat[seq[first + n]];
    int32_t pending = q->length - q->done;
    if (n && s->rows.lanes.rows + pending > GROUP_ROWS) break;
    SW_TRY(add_lanes(s, q, err));
  }
  SW_TRY(sw_lstm_pack_reserve(net, SW_LSTM_FORWARD, err));
  s->stale = !net->fresh[SW_LSTM_FORWARD];
  SW_TRY(sw_lstm_rows_reserve(&s->rows, 0, err));
  sw_team_run(s->rows.team, layers_region, s);
  net->fresh[SW_LSTM_FORWARD] = 1;
  for (int32_t i = 0; i < n; i++) {
    seat *q = &s->seat[seq[first + i]];
    if (q->done < q->length) SW_TRY(keep_states(s, q, i, err));
    last_top(s, q, s->top + (ptrdiff_t)(first + i) * net->config.d);
  }
  s->first = first;
  s->count = n;
  sw_team_run(s->rows.team, head_region, s);
  s->head.flops += sw_lstm_flops(&net->net, s->rows.lanes.rows, n, 0);
  *taken = n;
  return SW_OK;
}

/* Without the cache: the whole sequence. */
static int run_whole(lstm_seats *s, seat *q, float *out, sw_err *err) {
  int32_t row = q->length - 1;
  SW_TRY(sw_mask_build(&s->mask, s->options.reading.mask, 0, q->length,
                       q->block_start, q->blocks, s->options.reading.window, 0,
                       err));
  sw_item item = {.example = {.token = q->token,
                              .position = q->position,
                              .length = q->length,
                              .mask = &s->mask,
                              .block_start = q->block_start,
                              .blocks = q->blocks}};
  s->head.flops += sw_lstm_flops(s->head.net, q->length, 1, 0);
  return sw_work_rows(s->work, &item, &row, 1, out, err);
}

int sw_lstm_run(sw_seats *seats, const int32_t *seq, int32_t count,
                const float **scores, sw_err *err) {
  lstm_seats *s = (lstm_seats *)seats;
  ptrdiff_t vocab = seats->net->outputs;
  memset(s->marked, 0, (size_t)s->options.sequences);
  for (int32_t i = 0; i < count; i++) {
    seat *q = NULL;
    SW_TRY(find(seats, seq[i], &q, err));
    if (q->length == 0)
      return sw_fail(err, SW_USAGE, "sequence %d is empty", seq[i]);
    if (s->marked[seq[i]]++)
      return sw_fail(err, SW_USAGE, "sequence %d twice in one run", seq[i]);
  }
  for (int32_t done = 0, n = 1; done < count; done += n) {
    if (s->work)
      SW_TRY(run_whole(s, &s->seat[seq[done]], s->scores + done * vocab, err));
    else SW_TRY(run_group(s, seq, done, count - done, &n, err));
  }
  for (int32_t i = 0; i < count; i++) scores[i] = s->scores + i * vocab;
  return SW_OK;
}
