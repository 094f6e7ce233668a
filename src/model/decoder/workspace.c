/* Memory of a pass: one arena, rebuilt when a longer trace (or the first
 * training call) comes, so a steady state allocates nothing. A forward-only
 * pass keeps one layer's activations, a training pass all layers'. Per layer
 * and row a training pass keeps 6 d + ffn floats; GELU outputs and norms are
 * recomputed. */
#include <string.h>
#include "model/decoder/verify.h"

typedef struct taker {
  sw_arena *arena;
  size_t bytes;
  int failed;
} taker;

static void *take(taker *t, size_t bytes) {
  void *p = sw_arena_alloc(t->arena, bytes ? bytes : 1);
  t->bytes += bytes;
  t->failed |= !p;
  return p;
}

static void *take_for(void *context, size_t bytes) {
  return take(context, bytes);
}

static float *floats(taker *t, size_t rows, size_t columns) {
  return take(t, sizeof(float) * rows * columns);
}

static void take_layers(sw_pass *pass, taker *t, size_t rows, size_t live,
                        int training) {
  const sw_model_config *c = &pass->model->config;
  size_t d = (size_t)c->d, ffn = (size_t)c->ffn;
  pass->row_id = take(t, sizeof(int32_t) * rows);
  pass->layer = take(t, sizeof *pass->layer * (size_t)c->layers);
  for (int i = 0; i < c->layers && !t->failed; i++) {
    sw_layer_act *act = &pass->layer[i];
    size_t rest = i == c->layers - 1 && training ? live : rows;
    if (i && !training) {
      *act = pass->layer[0];
      continue;
    }
    act->x = floats(t, rows, d);
    act->qkv = floats(t, rows, 3 * d);
    act->att = floats(t, rows, d);
    act->lse = floats(t, rows, (size_t)c->heads);
    act->mid = floats(t, rest, d);
    act->z = training ? floats(t, rest, ffn) : NULL;
  }
}

static void take_live(sw_pass *pass, taker *t, size_t live, size_t head,
                      size_t at_once, int training) {
  const sw_model_config *c = &pass->model->config;
  size_t d = (size_t)c->d;
  pass->live_id = take(t, sizeof(int32_t) * live);
  pass->x_live = floats(t, live, d);
  pass->att_live = floats(t, live, d);
  pass->q_live = floats(t, live, d);
  pass->out = floats(t, live, d);
  pass->final = floats(t, live, d);
  pass->final_mean = floats(t, live, 1);
  pass->final_rstd = floats(t, live, 1);
  pass->logits = floats(t, at_once, (size_t)c->vocab);
  pass->head_in = floats(t, at_once, d);
  pass->head_row = take(t, sizeof(int32_t) * head);
  pass->target = take(t, sizeof(int32_t) * head);
  pass->best = take(t, sizeof(int32_t) * head);
  pass->loss = take(t, sizeof(double) * head);
  if (c->verify)
    sw_verify_room(&pass->verify, pass->model, head, training, take_for, t);
  if (!training) return;
  pass->dhead = floats(t, at_once, d);
  pass->dfinal = floats(t, live, d);
  pass->dx_live = floats(t, live, d);
  pass->datt_live = floats(t, live, d);
  pass->dq_live = floats(t, live, d);
}

static void take_gradients(sw_pass *pass, taker *t, size_t rows) {
  const sw_model_config *c = &pass->model->config;
  size_t d = (size_t)c->d, ffn = (size_t)c->ffn;
  int32_t longest = c->positions > c->places ? c->positions : c->places;
  size_t keys = (size_t)(c->vocab > longest ? c->vocab : longest);
  pass->dx = floats(t, rows, d);
  pass->datt = floats(t, rows, d);
  pass->dqkv = floats(t, rows, 3 * d);
  pass->layer_room =
      floats(t, (size_t)pass->model->params.layout.layer_stride, 1);
  pass->token_room = floats(t, (size_t)c->vocab, d);
  pass->norm_grad = floats(t, 2, d);
  pass->order = take(t, sizeof(int32_t) * rows);
  pass->order_start = take(t, sizeof(int32_t) * (keys + 1));
  for (int i = 0; i < 2; i++) {
    sw_piece *piece = &pass->piece[i];
    piece->dffn = floats(t, SW_PIECE, d);
    piece->dz = floats(t, SW_PIECE, ffn);
    piece->h = floats(t, SW_PIECE, ffn);
    piece->norm = floats(t, SW_PIECE, d);
    piece->dnorm = floats(t, SW_PIECE, d);
    piece->dproj = floats(t, SW_PIECE, d);
    piece->mean = floats(t, SW_PIECE, 1);
    piece->rstd = floats(t, SW_PIECE, 1);
  }
}

static size_t product_scratch(const sw_model *model, int head) {
  const sw_model_config *c = &model->config;
  const int shape[][3] = {{c->d, c->ffn, SW_PIECE},
                          {c->ffn, c->d, SW_PIECE},
                          {c->d, c->d, SW_PIECE},
                          {3 * c->d, c->d, SW_PIECE},
                          {c->vocab, c->d, head}};
  size_t most = 0;
  for (size_t i = 0; i < sizeof shape / sizeof shape[0]; i++) {
    size_t need =
        model->kernels->gemm_tn_scratch(shape[i][0], shape[i][1], shape[i][2]);
    most = need > most ? need : most;
  }
  return most;
}

static void take_members(sw_pass *pass, taker *t, int rows, int at_once,
                         int training) {
  const sw_model *model = pass->model;
  size_t d = (size_t)model->config.d, ffn = (size_t)model->config.ffn;
  int dim = model->config.d / model->config.heads;
  size_t attention = model->kernels->attention_scratch(dim, rows, training);
  size_t dense = sw_dense_scratch(rows);
  pass->member = take(t, sizeof *pass->member * (size_t)pass->members);
  for (int i = 0; i < pass->members && !t->failed; i++) {
    sw_member *m = &pass->member[i];
    *m = (sw_member){0};
    m->norm = floats(t, SW_CHUNK, d);
    m->hidden = floats(t, SW_CHUNK, ffn);
    m->z = floats(t, SW_CHUNK, ffn);
    m->attention = floats(t, attention > dense ? attention : dense, 1);
    if (training) m->product = floats(t, product_scratch(model, at_once), 1);
  }
}

static int32_t grown(int32_t need, int32_t have) {
  return need > have ? (need + 63) / 64 * 64 : have;
}

int sw_pass_reserve(sw_pass *pass, int32_t wanted, int32_t at_once,
                    int training, sw_err *err) {
  int32_t rows = grown(pass->plan.rows, pass->room_rows);
  int32_t live = grown(pass->plan.live, pass->room_live);
  int32_t head = grown(wanted, pass->room_head);
  int32_t logits = grown(at_once, pass->room_logits);
  training |= pass->room_training;
  if (rows == pass->room_rows && live == pass->room_live &&
      head == pass->room_head && logits == pass->room_logits &&
      training == pass->room_training)
    return SW_OK;
  taker t = {.failed = 0};
  sw_arena_free(&pass->arena);
  sw_arena_init(&pass->arena, 1 << 20);
  pass->room_rows = pass->room_live = pass->room_head = 0;
  pass->room_logits = pass->room_training = 0;
  for (int round = 0; round < 2 && !t.failed; round++) {
    /* The first round finds the size, the second has it in one block, which is
     * large enough for huge pages: heads read rows a page apart. */
    sw_arena_reset(&pass->arena);
    t = (taker){.arena = &pass->arena};
    take_layers(pass, &t, (size_t)rows, (size_t)live, training);
    take_live(pass, &t, (size_t)live, (size_t)head, (size_t)logits, training);
    take_members(pass, &t, rows, logits, training);
    if (training) take_gradients(pass, &t, (size_t)rows);
  }
  if (t.failed)
    return sw_no_memory_for(err, "a pass over %d rows, which needs %zu MB",
                            rows, t.bytes >> 20);
  pass->room_rows = rows;
  pass->room_live = live;
  pass->room_head = head;
  pass->room_logits = logits;
  pass->room_training = training;
  pass->bytes = t.bytes;
  return SW_OK;
}

/* More than this and reading the decisions back costs what drawing them does
 * (the limit is no part of the bits). */
enum { KEPT_BYTES = 128 << 20 };

static int most_words(const nn_span *span, int32_t spans, int most) {
  for (int32_t i = 0; i < spans; i++) {
    int words = sw_span_words(&span[i]);
    most = words > most ? words : most;
  }
  return most;
}

int sw_pass_reserve_kept(sw_pass *pass, sw_err *err) {
  const sw_model_config *c = &pass->model->config;
  const sw_plan *plan = &pass->plan;
  int words = most_words(plan->span, plan->spans, 0);
  words = most_words(plan->last, plan->lasts, words);
  size_t rows = (size_t)plan->rows * (size_t)(c->layers - 1);
  size_t need = (rows + (size_t)plan->live) * (size_t)c->heads * (size_t)words;
  pass->kept = NULL;
  pass->kept_words = words;
  if (need * sizeof *pass->kept > KEPT_BYTES) return SW_OK;
  if (need > pass->kept_count) {
    sw_aligned_free(pass->kept_room);
    pass->kept_count = 0;
    pass->kept_room = sw_aligned_alloc(need * sizeof *pass->kept);
    if (!pass->kept_room)
      return sw_no_memory_for(err, "dropout of %d rows", plan->rows);
    pass->kept_count = need;
  }
  pass->kept = pass->kept_room;
  return SW_OK;
}
