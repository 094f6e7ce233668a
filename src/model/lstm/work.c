/* Entry points on whole items: checks, the plan of lanes, memory, then one
 * region of the team. A step's items go through together as far as memory
 * allows (neither that nor the team's size is part of the bits). */
#include "model/lstm/work.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "base/rng.h"

enum { GROUP_BYTES = 1 << 30, TABLE_BYTES = 256 << 20 };

int sw_lstm_work_new(sw_work **work, sw_net *net, sw_team *team, sw_err *err) {
  sw_lstm_work *w = calloc(1, sizeof *w);
  int members = sw_team_size(team);
  *work = NULL;
  if (!w) return sw_no_memory_for(err, "a workspace");
  w->head.net = net;
  w->group_bytes = GROUP_BYTES;
  w->table_bytes = TABLE_BYTES;
  sw_arena_init(&w->arena, 1 << 16);
  w->order = calloc(2 * (size_t)members, sizeof *w->order);
  int code = w->order ? sw_lstm_rows_init(&w->rows, (sw_lstm *)net, team, err)
                      : sw_no_memory(err);
  if (code) {
    sw_lstm_work_free(&w->head);
    return code;
  }
  w->order_start = w->order + members;
  *work = &w->head;
  return SW_OK;
}

void sw_lstm_work_free(sw_work *work) {
  sw_lstm_work *w = (sw_lstm_work *)work;
  sw_lstm_rows_free(&w->rows);
  sw_arena_free(&w->arena);
  free(w->scored.first);
  free(w->scored.token);
  free(w->scored.row);
  free(w->order);
  free(w);
}

size_t sw_lstm_bytes(const sw_work *work) {
  const sw_lstm_work *w = (const sw_lstm_work *)work;
  return w->rows.arena.peak + w->arena.peak;
}

double sw_lstm_flops(const sw_net *base, double rows, double scored,
                     int backward) {
  const sw_lstm_config *c = base->config;
  double d = c->d, forward = 2 * rows * c->layers * 8 * d * d;
  forward += 2 * scored * d * c->vocab;
  return backward ? 3 * forward : forward;
}

/* ---- the plan of a call ---- */

static int check(const sw_lstm *net, const sw_example *ex, sw_err *err) {
  const sw_lstm_config *c = &net->config;
  if (ex->mask->slots != 0 || ex->mask->length != ex->length)
    return sw_fail(err, SW_USAGE,
                   "mask %s was built for %d slots and %d tokens, an LSTM has "
                   "no slots and the sequence %d tokens",
                   sw_mask_name(ex->mask->kind), ex->mask->slots,
                   ex->mask->length, ex->length);
  for (int32_t t = 0; t < ex->length; t++) {
    if (ex->token[t] < 0 || ex->token[t] >= c->vocab)
      return sw_fail(err, SW_DATA,
                     "token %d at position %d is outside the vocabulary of %d",
                     ex->token[t], t, c->vocab);
    if (c->positions &&
        (ex->position[t] < 0 || ex->position[t] >= c->positions))
      return sw_fail(err, SW_LIMIT,
                     "position id %d of token %d is outside the table of %d",
                     ex->position[t], t, c->positions);
  }
  return SW_OK;
}

static int set_dropout(nn_dropout *drop, const sw_pass_options *o,
                       sw_err *err) {
  memset(drop, 0, sizeof *drop);
  if (!o || o->dropout == 0) return SW_OK;
  if (!(o->dropout > 0 && o->dropout < 1))
    return sw_fail(err, SW_USAGE, "dropout %g is outside [0, 1)", o->dropout);
  uint64_t key = sw_philox_u64(o->seed, o->step, o->trace);
  drop->key[0] = (uint32_t)key;
  drop->key[1] = (uint32_t)(key >> 32);
  drop->threshold = (uint32_t)lrint(o->dropout * 65536.0);
  drop->scale = (float)(1.0 / (1.0 - o->dropout));
  return SW_OK;
}

/* Scored rows of the next item: those given, or (rows NULL) those that predict
 * a supervised token. */
static int score_item(sw_lstm_scored *s, const sw_example *ex,
                      const int32_t *rows, int32_t count, sw_err *err) {
  int32_t most = rows ? count : ex->length;
  if (!sw_grow(&s->first, &s->item_room, s->items + 2, sizeof *s->first) ||
      !sw_grow(&s->token, &s->token_room, s->count + most, sizeof *s->token))
    return sw_no_memory_for(err, "%d rows", most);
  s->first[s->items++] = s->count;
  if (rows) {
    for (int32_t i = 0; i < count; i++) {
      if (rows[i] < 0 || rows[i] >= ex->length)
        return sw_fail(err, SW_USAGE, "row %d of a sequence of %d tokens",
                       rows[i], ex->length);
      s->token[s->count++] = rows[i];
    }
  } else {
    for (int32_t t = 1; t < ex->length && ex->supervised; t++)
      if (ex->supervised[t]) s->token[s->count++] = t - 1;
  }
  s->first[s->items] = s->count;
  return SW_OK;
}

static int add_item(sw_lstm_job *job, const sw_example *ex,
                    const sw_pass_options *options, const int32_t *rows,
                    int32_t count, sw_err *err) {
  sw_lstm_work *w = job->work;
  sw_lstm_scored *s = &w->scored;
  sw_lstm_item item = {.example = ex};
  SW_TRY(check(w->rows.net, ex, err));
  SW_TRY(set_dropout(&item.drop, options, err));
  SW_TRY(score_item(s, ex, rows, count, err));
  SW_TRY(sw_lstm_rows_item(&w->rows, &item, err));
  int32_t first = s->first[s->items - 1];
  return sw_lanes_add_item(&w->rows.lanes, ex, s->token + first,
                           s->count - first, err);
}

/* ---- memory ---- */

static void *take(sw_lstm_work *w, size_t bytes, int *failed) {
  void *block = sw_arena_alloc(&w->arena, bytes + 64);
  if (!block) *failed = 1;
  return block;
}

static void take_training(sw_lstm_work *w, int *failed) {
  const sw_lstm_config *c = &w->rows.net->config;
  size_t d = (size_t)c->d, rows = (size_t)w->room_rows;
  size_t keys = (size_t)(c->vocab > c->positions ? c->vocab : c->positions);
  size_t table = (size_t)c->vocab * d * sizeof(float);
  w->dtop = take(w, sizeof(float) * (size_t)w->room_scored * d, failed);
  w->token_sum = take(w, table * (size_t)w->room_items, failed);
  w->norm_sum = take(w, sizeof(float) * 2 * d, failed);
  for (int i = 0; i < 2; i++)
    w->key[i] = take(w, sizeof(int32_t) * rows, failed);
  for (int i = 0; i < w->rows.members; i++) {
    w->order[i] = take(w, sizeof(int32_t) * rows, failed);
    w->order_start[i] = take(w, sizeof(int32_t) * (keys + 1), failed);
  }
}

static int reserve_scored(sw_lstm_work *w, int32_t at_once, int training,
                          sw_err *err) {
  const sw_lstm_scored *s = &w->scored;
  size_t d = (size_t)w->rows.net->config.d;
  if (w->top && s->count <= w->room_scored && at_once <= w->room_logits &&
      training <= w->room_training &&
      (!training ||
       (s->items <= w->room_items && w->rows.lanes.rows <= w->room_rows)))
    return SW_OK;
  int failed = 0;
  w->room_scored = s->count > w->room_scored ? s->count : w->room_scored;
  w->room_logits = at_once > w->room_logits ? at_once : w->room_logits;
  w->room_items = s->items > w->room_items ? s->items : w->room_items;
  w->room_rows =
      w->rows.lanes.rows > w->room_rows ? w->rows.lanes.rows : w->room_rows;
  w->room_training |= training;
  sw_arena_free(&w->arena);
  sw_arena_init(&w->arena, 1 << 16);
  size_t n = (size_t)w->room_scored;
  w->top = take(w, sizeof(float) * n * d, &failed);
  w->final = take(w, sizeof(float) * n * d, &failed);
  w->mean = take(w, sizeof(float) * n, &failed);
  w->rstd = take(w, sizeof(float) * n, &failed);
  w->scored.target = take(w, sizeof(int32_t) * n, &failed);
  w->scored.best = take(w, sizeof(int32_t) * n, &failed);
  w->scored.loss = take(w, sizeof(double) * n, &failed);
  w->logits = take(w,
                   sizeof(float) * (size_t)w->room_logits *
                       (size_t)w->rows.net->config.vocab,
                   &failed);
  if (w->room_training) take_training(w, &failed);
  if (!failed) return SW_OK;
  w->top = NULL;
  w->room_scored = w->room_logits = w->room_items = w->room_rows = 0;
  w->room_training = 0;
  return sw_no_memory_for(err, "%d scored rows", s->count);
}

/* ---- the call ---- */

static void region(void *context, int rank, int size) {
  sw_lstm_job *job = context;
  sw_lstm_rows *r = &job->work->rows;
  nn_set_float_mode();
  for (int way = 0; way < 2; way++)
    if (job->stale[way]) sw_lstm_pack(r->net, way, rank, size);
  if (job->stale[0] || job->stale[1]) sw_team_barrier(r->team);
  sw_lstm_forward(r, rank, size);
  sw_lstm_head(job, rank, size);
  if (!job->training || job->code) return;
  sw_lstm_backward(r, sw_lstm_sum_of, job, rank, size);
  sw_lstm_tables_back(job, rank, size);
}

/* Where the scored rows are, what they predict, and the tables' keys. */
static void number_rows(sw_lstm_job *job) {
  sw_lstm_work *w = job->work;
  sw_lstm_scored *s = &w->scored;
  for (int32_t i = 0; i < s->items; i++)
    for (int32_t k = s->first[i]; k < s->first[i + 1]; k++) {
      s->row[k] = sw_lanes_row(&w->rows.lanes, i, s->token[k]);
      if (job->kind == SW_LSTM_LOSS)
        s->target[k] = w->rows.item[i].example->token[s->token[k] + 1];
    }
  for (int32_t i = 0; i < w->rows.lanes.count && job->training; i++) {
    const sw_lane *lane = &w->rows.lanes.lane[i];
    const sw_example *ex = w->rows.item[lane->item].example;
    size_t bytes = sizeof(int32_t) * (size_t)lane->rows;
    memcpy(w->key[0] + lane->at, ex->token + lane->first, bytes);
    if (w->rows.net->config.positions)
      memcpy(w->key[1] + lane->at, ex->position + lane->first, bytes);
  }
}

static int execute(sw_lstm_job *job, sw_err *err) {
  sw_lstm_work *w = job->work;
  sw_lstm *net = w->rows.net;
  sw_lstm_scored *s = &w->scored;
  if (!s->count) return SW_OK;
  int32_t at_once = s->count;
  if (job->kind == SW_LSTM_LOGITS || job->kind == SW_LSTM_HIDDEN) at_once = 0;
  if (job->kind == SW_LSTM_LOSS && at_once > SW_LSTM_SCORED)
    at_once = SW_LSTM_SCORED;
  SW_TRY(sw_lstm_rows_reserve(&w->rows, job->training, err));
  SW_TRY(reserve_scored(w, at_once, job->training, err));
  if (!sw_grow(&s->row, &s->row_room, s->count, sizeof *s->row))
    return sw_no_memory_for(err, "%d rows", s->count);
  number_rows(job);
  for (int way = 0; way <= job->training; way++) {
    SW_TRY(sw_lstm_pack_reserve(net, way, err));
    job->stale[way] = !net->fresh[way];
  }
  job->err = err;
  sw_team_run(w->rows.team, region, job);
  for (int way = 0; way < 2; way++)
    if (job->stale[way]) net->fresh[way] = 1;
  return job->code;
}

static void begin(sw_lstm_work *w) {
  sw_lstm_rows_clear(&w->rows);
  w->scored.items = w->scored.count = 0;
}

/* One item with the rows given. */
static int one_item(sw_lstm_job *job, const sw_example *ex,
                    const sw_pass_options *options, const int32_t *rows,
                    int32_t count, sw_err *err) {
  begin(job->work);
  SW_TRY(add_item(job, ex, options, rows, count, err));
  return execute(job, err);
}

int sw_lstm_scores_of(sw_work *work, const sw_item *item, const int32_t *rows,
                      int32_t count, float *out, sw_err *err) {
  sw_lstm_job job = {
      .work = (sw_lstm_work *)work, .kind = SW_LSTM_LOGITS, .out = out};
  return one_item(&job, &item->example, NULL, rows, count, err);
}

int sw_lstm_hidden_of(sw_work *work, const sw_item *item, const int32_t *rows,
                      int32_t count, float *out, sw_err *err) {
  sw_lstm_job job = {
      .work = (sw_lstm_work *)work, .kind = SW_LSTM_HIDDEN, .out = out};
  return one_item(&job, &item->example, NULL, rows, count, err);
}

int sw_lstm_custom(sw_work *work, sw_item *item, const int32_t *rows,
                   int32_t count, sw_logit_gradient fn, void *context,
                   float *gradient, sw_err *err) {
  sw_lstm_work *w = (sw_lstm_work *)work;
  sw_lstm_job job = {.work = w,
                     .kind = SW_LSTM_CUSTOM,
                     .item = item,
                     .training = gradient != NULL,
                     .gradient = gradient,
                     .custom = fn,
                     .context = context};
  SW_TRY(one_item(&job, &item->example, &item->options, rows, count, err));
  item->flops =
      sw_lstm_flops(work->net, w->rows.lanes.rows, count, job.training);
  return SW_OK;
}

static int answer(const sw_lstm_work *w, sw_item *item, int32_t i, int training,
                  sw_err *err) {
  const sw_lstm_scored *s = &w->scored;
  int32_t rows = sw_lanes_item_end(&w->rows.lanes, i) -
                 sw_lanes_item_at(&w->rows.lanes, i);
  item->tally[SW_LOSS_TARGET].loss = 0;
  item->tally[SW_LOSS_TARGET].hits = 0;
  item->tally[SW_LOSS_TARGET].count = s->first[i + 1] - s->first[i];
  for (int32_t k = s->first[i]; k < s->first[i + 1]; k++) {
    item->tally[SW_LOSS_TARGET].loss += s->loss[k];
    item->tally[SW_LOSS_TARGET].hits += s->best[k] == s->target[k];
  }
  item->flops = sw_lstm_flops(
      w->head.net, rows, (double)item->tally[SW_LOSS_TARGET].count, training);
  if (isfinite(item->tally[SW_LOSS_TARGET].loss)) return SW_OK;
  return sw_fail(err, SW_DIVERGED,
                 "the loss is not finite: the weights have diverged or the "
                 "learning rate is too high");
}

/* How many of the items go through the layers together. */
static int32_t group_of(const sw_lstm_work *w, const sw_item *item,
                        int32_t count, int training) {
  const sw_lstm *net = w->rows.net;
  size_t row = sw_lstm_row_bytes(&net->config, training), bytes = 0;
  size_t table =
      (size_t)net->config.vocab * (size_t)net->config.d * sizeof(float);
  int32_t n = 0;
  while (n < count) {
    bytes += row * (size_t)item[n].example.length;
    if (n && (bytes > w->group_bytes ||
              (training && table * (size_t)(n + 1) > w->table_bytes)))
      break;
    n++;
  }
  return n;
}

static int losses(sw_work *work, sw_item *item, int32_t count, float *gradient,
                  float *const *part, sw_err *err) {
  sw_lstm_work *w = (sw_lstm_work *)work;
  int training = gradient || part;
  for (int32_t done = 0, n; done < count; done += n) {
    sw_lstm_job job = {.work = w,
                       .kind = SW_LSTM_LOSS,
                       .item = item + done,
                       .training = training,
                       .gradient = gradient,
                       .part = part ? part + done : NULL};
    n = group_of(w, item + done, count - done, training);
    begin(w);
    for (int32_t i = 0; i < n; i++)
      SW_TRY(add_item(&job, &item[done + i].example, &item[done + i].options,
                      NULL, 0, err));
    SW_TRY(execute(&job, err));
    for (int32_t i = 0; i < n; i++)
      SW_TRY(answer(w, &item[done + i], i, training, err));
  }
  return SW_OK;
}

int sw_lstm_batch(sw_work *work, sw_item *item, int32_t count, float *gradient,
                  sw_err *err) {
  return losses(work, item, count, gradient, NULL, err);
}

int sw_lstm_parts(sw_work *work, sw_item *item, int32_t count,
                  float *const *part, sw_err *err) {
  for (int32_t i = 0; i < count; i++)
    memset(part[i], 0, sizeof(float) * (size_t)work->net->trained);
  return losses(work, item, count, NULL, part, err);
}
