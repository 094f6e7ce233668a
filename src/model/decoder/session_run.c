/* One lock-step group: the pending rows of several sequences stacked into one
 * matrix per layer. Linear parts are split by rows, attention by (sequence,
 * head) units of about equal cost. The last layer's projection, FFN and the
 * head run on each sequence's last row only. */
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "model/decoder/pass.h"
#include "model/decoder/rows.h"
#include "model/decoder/session.h"

/* In the last layer each sequence's last row is all that is asked for, unless a
 * slot memory reads the others there. */
static int only_last(const sw_session *s, int layer) {
  return layer == s->model->config.layers - 1 && !s->slot_memory;
}

typedef struct group {
  sw_session *session;
  int turns, rows;
  float *logits;
  int stale;
} group;

void sw_cache_room(const sw_session *s, sw_sequence *q, int32_t rows) {
  const nn_kernels *k = s->model->kernels;
  int dim = s->model->config.d / s->model->config.heads;
  if (rows <= q->kv_room) return;
  q->kv_room = (rows + rows / 4 + 63) / 64 * 64;
  q->key_floats =
      k->panel_floats(dim, q->kv_room) + NN_STRETCHES * k->panel_floats(dim, 1);
}

size_t sw_cache_bytes(const sw_session *s, const sw_sequence *q) {
  const sw_model_config *c = &s->model->config;
  size_t values = (size_t)q->kv_room * (size_t)(c->d / c->heads);
  return sizeof(float) * (size_t)c->layers * (size_t)c->heads *
         (q->key_floats + values);
}

static int grow_cache(const sw_session *s, sw_sequence *q, sw_err *err) {
  const sw_model_config *c = &s->model->config;
  int32_t rows = c->slots + q->length;
  if (rows <= q->kv_room) return SW_OK;
  int dim = c->d / c->heads;
  sw_sequence grown = *q;
  sw_cache_room(s, &grown, rows);
  grown.kv = sw_pages_alloc(sw_cache_bytes(s, &grown));
  if (!grown.kv)
    return sw_no_memory_for(err, "a cache of %d rows", grown.kv_room);
  for (int i = 0; i < c->layers * c->heads && q->cached; i++) {
    memcpy(sw_cached_keys(s->model, &grown, 0, i),
           sw_cached_keys(s->model, q, 0, i), sizeof(float) * q->key_floats);
    memcpy(sw_cached_values(s->model, &grown, 0, i),
           sw_cached_values(s->model, q, 0, i),
           sizeof(float) * (size_t)q->cached * (size_t)dim);
  }
  sw_pages_free(q->kv, sw_cache_bytes(s, q));
  *q = grown;
  return SW_OK;
}

/* Spans of a turn's pending rows, numbered from its first pending row. */
static int plan_turn(sw_session *s, sw_turn *turn, int32_t *used, sw_err *err) {
  sw_sequence *q = turn->sequence;
  SW_TRY(sw_mask_build(&s->mask, s->options.reading.mask,
                       s->model->config.slots, q->length, q->block_start,
                       q->blocks, s->options.reading.window, 0, err));
  int32_t need = *used + s->mask.spans + 1;
  if (need > s->span_room) {
    nn_span *grown = realloc(s->span, sizeof *grown * 2 * (size_t)need);
    if (!grown) return sw_no_memory_for(err, "%d spans", need);
    s->span = grown;
    s->span_room = 2 * need;
  }
  int32_t rows = q->cached + turn->pending;
  turn->span = *used;
  turn->spans = sw_spans_clip(&s->mask, q->cached, rows, q->cached,
                              s->span + *used, s->mask.spans);
  turn->cost = sw_spans_pairs(s->span + *used, turn->spans, q->cached);
  turn->last = *used + turn->spans;
  sw_spans_clip(&s->mask, rows - 1, rows, q->cached, s->span + turn->last, 1);
  *used = turn->last + 1;
  if (s->mask.dense) { /* alone in its group: the mask is kept */
    int32_t wanted = q->length - 1;
    return sw_plan_build(&s->plan, &s->mask, &wanted, 1, err);
  }
  return SW_OK;
}

/* One block for all the arrays of a group. */
static int reserve(sw_session *s, int32_t rows, size_t keys, sw_err *err) {
  if (rows <= s->row_room && keys <= s->scratch_keys && s->memory) return SW_OK;
  const sw_model_config *c = &s->model->config;
  rows = rows > s->row_room ? (rows + 63) / 64 * 64 : s->row_room;
  keys = keys > s->scratch_keys ? keys + keys / 4 : s->scratch_keys;
  size_t n = (size_t)rows, d = (size_t)c->d, ffn = (size_t)c->ffn;
  size_t tail = (size_t)s->options.sequences * d;
  size_t dense = sw_dense_scratch((int32_t)keys);
  size_t attention =
      s->model->kernels->attention_scratch(c->d / c->heads, (int)keys, 0);
  attention = ((attention > dense ? attention : dense) + 15) & ~(size_t)15;
  size_t chunk = (SW_CHUNK * (d + 2 * ffn) + 15) & ~(size_t)15;
  size_t each = chunk + attention;
  size_t sizes[] = {
      n * d, n * 3 * d, n * d, n * d, n * (size_t)c->heads,
      tail,  tail,      tail,  tail,  each * (size_t)sw_team_size(s->team)};
  float **place[] = {&s->x,        &s->qkv,    &s->att,      &s->mid,
                     &s->lse,      &s->tail_x, &s->tail_att, &s->tail_mid,
                     &s->tail_out, &s->scratch};
  size_t all = 0;
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    all += (sizes[i] + 15) & ~(size_t)15;
  sw_aligned_free(s->memory);
  s->memory = sw_aligned_alloc(sizeof(float) * all);
  s->row_room = 0;
  int32_t *row_id = realloc(s->row_id, sizeof *row_id * n);
  if (row_id) s->row_id = row_id;
  if (!s->memory || !row_id) return sw_no_memory_for(err, "%d rows", rows);
  float *at = s->memory;
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    *place[i] = at;
    at += (sizes[i] + 15) & ~(size_t)15;
  }
  s->row_room = rows;
  s->scratch_keys = keys;
  s->scratch_each = each;
  s->scratch_attention = chunk;
  return SW_OK;
}

/* The turn a stacked row belongs to; turns ascend by first row. */
static int turn_of(const group *g, int row) {
  int low = 0, high = g->turns - 1;
  while (low < high) {
    int middle = (low + high + 1) / 2;
    if (g->session->turn[middle].first <= row) low = middle;
    else high = middle - 1;
  }
  return low;
}

static void embed(group *g, int from, int to) {
  sw_session *s = g->session;
  ptrdiff_t d = s->model->config.d;
  for (int r = from; r < to; r++) {
    const sw_turn *turn = &s->turn[turn_of(g, r)];
    const sw_sequence *q = turn->sequence;
    int32_t row = q->cached + r - turn->first, slots = s->model->config.slots;
    s->row_id[r] = row < slots ? -1 : q->position[row - slots];
    sw_rows_embed(s->model, row, q->token, q->position, q->place, s->x + r * d);
  }
}

nn_panels sw_cached_panels(const sw_model *model, const sw_sequence *q,
                           int layer, int head) {
  const nn_kernels *k = model->kernels;
  int dim = model->config.d / model->config.heads;
  int32_t slots = model->config.slots;
  const float *at = sw_cached_keys(model, q, layer, head);
  nn_panels p = {{0, slots, slots + q->prefix}, {NULL}};
  if (slots) p.panel[0] = at;
  at += k->panel_floats(dim, slots);
  if (q->prefix) p.panel[1] = at;
  p.panel[2] = at + k->panel_floats(dim, q->prefix);
  return p;
}

/* Keys of `count` rows from `row` on, of which rows[0] is the first. */
static void cache_keys(const sw_session *s, const sw_sequence *q, int layer,
                       int head, int row, int count, const float *rows) {
  const sw_model *model = s->model;
  ptrdiff_t ld = 3 * (ptrdiff_t)model->config.d;
  int dim = model->config.d / model->config.heads;
  if (s->recompute) {
    float *place = sw_cached_keys(model, q, layer, head) + (ptrdiff_t)row * dim;
    for (int r = 0; r < count; r++)
      memcpy(place + (ptrdiff_t)r * dim, rows + r * ld,
             sizeof(float) * (size_t)dim);
    return;
  }
  nn_panels p = sw_cached_panels(model, q, layer, head);
  for (int i = 0; i < NN_STRETCHES; i++) {
    int end = i + 1 < NN_STRETCHES ? p.begin[i + 1] : INT32_MAX;
    int from = row > p.begin[i] ? row : p.begin[i];
    int to = row + count < end ? row + count : end;
    if (from < to)
      model->kernels->pack_keys(dim, rows + (from - row) * ld, ld,
                                from - p.begin[i], to - p.begin[i],
                                (float *)p.panel[i]);
  }
}

/* Keys and values of stacked rows from..to go to the sequences' caches, head
 * after head. */
static void cache_rows(const group *g, int layer, int from, int to) {
  const sw_session *s = g->session;
  const sw_model *model = s->model;
  ptrdiff_t d = model->config.d, dim = d / model->config.heads;
  size_t bytes = sizeof(float) * (size_t)dim;
  for (int end; from < to; from = end) {
    const sw_turn *turn = &s->turn[turn_of(g, from)];
    const sw_sequence *q = turn->sequence;
    int row = q->cached + from - turn->first;
    end = turn->first + turn->pending < to ? turn->first + turn->pending : to;
    for (int head = 0; head < model->config.heads; head++) {
      const float *rows = s->qkv + from * 3 * d + d + head * dim;
      cache_keys(s, q, layer, head, row, end - from, rows);
      float *place = sw_cached_values(model, q, layer, head) + row * dim;
      for (int r = 0; r < end - from; r++)
        memcpy(place + r * dim, rows + d + r * 3 * d, bytes);
    }
  }
}

/* Query of a sequence's last row: all that the last layer asks. */
static void project_last(group *g, int layer, int from, int to, float *norm) {
  sw_session *s = g->session;
  ptrdiff_t d = s->model->config.d;
  for (int i = 0; i < g->turns; i++) {
    int row = s->turn[i].first + s->turn[i].pending - 1;
    if (row >= from && row < to)
      sw_rows_qkv(s->model, layer, SW_PART_Q, 1, s->x + row * d,
                  s->row_id + row, s->qkv + row * 3 * d, 3 * d, norm);
  }
}

/* QKV of own rows, and their places in the caches. */
static void project(group *g, int layer, int from, int to, float *norm) {
  sw_session *s = g->session;
  ptrdiff_t d = s->model->config.d;
  int last = only_last(s, layer) &&
             to - from > 2 * g->turns; /* else one product is faster */
  for (int r = from; r < to; r += SW_CHUNK) {
    int rows = to - r < SW_CHUNK ? to - r : SW_CHUNK;
    sw_rows_qkv(s->model, layer, last ? SW_PART_KV : SW_PART_ALL, rows,
                s->x + r * d, s->row_id + r, s->qkv + r * 3 * d, 3 * d, norm);
  }
  if (last) project_last(g, layer, from, to, norm);
  cache_rows(g, layer, from, to);
}

static void attend(group *g, int layer, int index, int head, float *scratch) {
  sw_session *s = g->session;
  const sw_model *model = s->model;
  const sw_turn *turn = &s->turn[index];
  ptrdiff_t d = model->config.d;
  int dim = (int)d / model->config.heads;
  int last = only_last(s, layer);
  nn_panels panels = sw_cached_panels(model, turn->sequence, layer, head);
  nn_attention a = {.head_dim = dim,
                    .scale = (float)(1.0 / __builtin_sqrt((double)dim)),
                    .q = s->qkv + turn->first * 3 * d + head * dim,
                    .ldq = 3 * d,
                    .k = sw_cached_keys(model, turn->sequence, layer, head),
                    .ldk = dim,
                    .v = sw_cached_values(model, turn->sequence, layer, head),
                    .ldv = dim,
                    .out = s->att + turn->first * d + head * dim,
                    .ldo = d,
                    .lse = s->lse + (ptrdiff_t)head * s->row_room + turn->first,
                    .key_of_query = turn->sequence->cached,
                    .panels = s->recompute ? NULL : &panels,
                    .spans = s->span + (last ? turn->last : turn->span),
                    .span_count = last ? 1 : turn->spans};
  if (s->mask.dense && last) { /* its one live row comes first */
    a.q += (turn->pending - 1) * a.ldq;
    a.out += (turn->pending - 1) * a.ldo;
  }
  if (s->mask.dense)
    sw_dense_forward(&a, &s->plan, s->mask.dense, last, scratch);
  else model->kernels->attention_forward(&a, 0, turn->pending, scratch);
}

/* Units in (sequence, head) order, cut where the summed cost reaches each
 * member's share. */
static void attention(group *g, int layer, int rank, int size, float *scratch) {
  sw_session *s = g->session;
  int heads = s->model->config.heads;
  int last = only_last(s, layer);
  int64_t total = 0, sum = 0;
  for (int i = 0; i < g->turns; i++)
    total += (last ? 1 : s->turn[i].cost) * heads;
  for (int i = 0; i < g->turns; i++)
    for (int head = 0; head < heads; head++) {
      int64_t cost = last ? 1 : s->turn[i].cost;
      int owner = (int)((2 * sum + cost) * size / (2 * total));
      if ((owner < size ? owner : size - 1) == rank)
        attend(g, layer, i, head, scratch);
      sum += cost;
    }
}

/* Last layer, final norm and logits of each sequence's last row. */
static void finish(group *g, int rank, int size,
                   const sw_rows_scratch *scratch) {
  static const sw_rows_dropout none;
  sw_session *s = g->session;
  const sw_model *model = s->model;
  ptrdiff_t d = model->config.d, vocab = model->config.vocab;
  int from, to;
  sw_rows_share(0, g->turns, 1, rank, size, &from, &to);
  if (from == to) return;
  for (int i = from; i < to; i++) {
    ptrdiff_t row = s->turn[i].first + s->turn[i].pending - 1;
    memcpy(s->tail_x + i * d, s->x + row * d, sizeof(float) * (size_t)d);
    memcpy(s->tail_att + i * d, s->att + row * d, sizeof(float) * (size_t)d);
  }
  for (int r = from; r < to && !s->slot_memory; r += SW_CHUNK) {
    int rows = to - r < SW_CHUNK ? to - r : SW_CHUNK;
    sw_rows_rest(model, model->config.layers - 1, rows, s->tail_x + r * d,
                 s->tail_att + r * d, s->tail_mid + r * d, NULL,
                 s->tail_out + r * d, &none, 0, scratch);
  }
  const float *out = s->slot_memory ? s->tail_x : s->tail_out;
  model->kernels->layer_norm(
      to - from, (int)d, out + from * d, sw_weight(model, SW_P_LNF_W, 0),
      sw_weight(model, SW_P_LNF_B, 0), s->tail_x + from * d, NULL, NULL);
  if (s->final) /* as the logits lie */
    memcpy(s->final + ((g->logits - s->logits) / vocab + from) * d,
           s->tail_x + from * d, sizeof(float) * (size_t)((to - from) * d));
  model->kernels->gemm(to - from, (int)vocab, (int)d, s->tail_x + from * d, d,
                       sw_packed_head(model, SW_FORWARD),
                       g->logits + from * vocab, vocab, 0, NULL);
}

static void region(void *context, int rank, int size) {
  static const sw_rows_dropout none;
  group *g = context;
  sw_session *s = g->session;
  const sw_model *model = s->model;
  ptrdiff_t d = model->config.d, ffn = model->config.ffn;
  float *own = s->scratch + (size_t)rank * s->scratch_each;
  sw_rows_scratch scratch = {own, own + SW_CHUNK * d,
                             own + SW_CHUNK * (d + ffn)};
  int from, to, layers = model->config.layers;
  nn_set_float_mode();
  if (g->stale) {
    sw_packed_fill(s->model, SW_FORWARD, rank, size);
    sw_team_barrier(s->team);
  }
  sw_rows_share(0, g->rows, g->rows < SW_CHUNK ? SW_LIVE_GRAIN : SW_ROW_GRAIN,
                rank, size, &from, &to);
  embed(g, from, to);
  project(g, 0, from, to, scratch.norm);
  for (int layer = 0; layer < layers; layer++) {
    sw_team_barrier(s->team);
    attention(g, layer, rank, size, own + s->scratch_attention);
    sw_team_barrier(s->team);
    if (only_last(s, layer)) break;
    for (int r = from; r < to; r += SW_CHUNK) {
      int rows = to - r < SW_CHUNK ? to - r : SW_CHUNK;
      sw_rows_rest(model, layer, rows, s->x + r * d, s->att + r * d,
                   s->mid + r * d, NULL, s->x + r * d, &none, 0, &scratch);
      if (!s->slot_memory) project(g, layer + 1, r, r + rows, scratch.norm);
    }
    if (!s->slot_memory) continue;
    sw_session_memory_forward(s, layer, g->rows, rank, size);
    if (layer < layers - 1) project(g, layer + 1, from, to, scratch.norm);
  }
  finish(g, rank, size, &scratch);
}

int sw_group_run(sw_session *s, int turns, float *logits, sw_err *err) {
  group g = {.session = s, .turns = turns, .logits = logits};
  int32_t spans = 0, keys = 1;
  for (int i = 0; i < turns; i++) {
    sw_sequence *q = s->turn[i].sequence;
    SW_TRY(grow_cache(s, q, err));
    SW_TRY(plan_turn(s, &s->turn[i], &spans, err));
    g.rows += s->turn[i].pending;
    int32_t rows = s->model->config.slots + q->length;
    keys = rows > keys ? rows : keys;
  }
  SW_TRY(reserve(s, g.rows, (size_t)keys, err));
  SW_TRY(sw_session_memory_place(s, turns, g.rows, err));
  SW_TRY(sw_packed_reserve(s->model, SW_FORWARD, err));
  g.stale = !s->model->fresh[SW_FORWARD];
  sw_team_run(s->team, region, &g);
  s->model->fresh[SW_FORWARD] = 1;
  for (int i = 0; i < turns; i++) {
    const sw_turn *turn = &s->turn[i];
    int64_t last =
        sw_spans_pairs(s->span + turn->last, 1, turn->sequence->cached);
    s->flops += sw_count_flops(s->model, turn->pending, 1, (double)turn->cost,
                               (double)last, 1, 0);
    turn->sequence->cached += turn->pending;
  }
  return SW_OK;
}
