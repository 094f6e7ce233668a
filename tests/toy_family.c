/* The toy family (see toy_family.h). A row's hidden vector is the sum of the
 * embeddings of its block's tokens so far; the head is linear:
 *   hidden = sum of E[token],  scores = H hidden + b
 * Everything is one thread's work in a fixed order. */
#include "toy_family.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
#define OPTIONS(X)                                          \
  X(vocab, INT, "vocab", "2", 1, 1000000, "", "token ids")  \
  X(d, INT, "d", "8", 1, 1024, "", "width of the bag")      \
  X(shy, INT, "shy", "0", 0, 1, "", "1: a smaller start")
/* clang-format on */
typedef struct toy_config {
  OPTIONS(SW_OPTION_FIELD)
} toy_config;
static const sw_option options[] = {
#define X(...) SW_OPTION_ROW(toy_config, __VA_ARGS__)
    OPTIONS(X)
#undef X
};

typedef struct toy_net {
  sw_net net;
  toy_config config;
} toy_net;

enum { EMBEDDING, HEAD, BIAS, TENSORS };

static int resolve(void *config, const sw_demand *demand, sw_err *err) {
  (void)err;
  ((toy_config *)config)->vocab = demand->vocab;
  return SW_OK;
}

static int create(sw_net **net, const void *config, sw_err *err) {
  toy_net *t = calloc(1, sizeof *t);
  sw_tensor *table = calloc(TENSORS, sizeof *table);
  if (!t || !table) {
    free(t);
    free(table);
    return sw_fail(err, SW_MEMORY, "out of memory");
  }
  t->config = *(const toy_config *)config;
  int64_t v = t->config.vocab, d = t->config.d;
  double size = t->config.shy ? 0.01 : 0.1;
  table[EMBEDDING] = (sw_tensor){.name = "embedding",
                                 .dims = 2,
                                 .shape = {v, d},
                                 .count = v * d,
                                 .init = SW_INIT_NORMAL,
                                 .size = size,
                                 .trained = 1,
                                 .decay = 1};
  table[HEAD] = table[EMBEDDING];
  memcpy(table[HEAD].name, "head", 5);
  table[HEAD].offset = v * d;
  table[HEAD].init = SW_INIT_UNIFORM;
  table[HEAD].matrices = 1;
  table[BIAS] = (sw_tensor){.name = "bias",
                            .dims = 1,
                            .shape = {v},
                            .offset = 2 * v * d,
                            .count = v,
                            .init = SW_INIT_ZERO,
                            .trained = 1};
  t->net = (sw_net){.family = &toy_family,
                    .kernels = nn_select(NULL, NULL),
                    .config = &t->config,
                    .tensor = table,
                    .tensors = TENSORS,
                    .count = 2 * v * d + v,
                    .trained = 2 * v * d + v,
                    .outputs = t->config.vocab,
                    .hidden = t->config.d,
                    .plays = 1};
  *net = &t->net;
  return SW_OK;
}

static void free_net(sw_net *net) { free(net); }

static const float *tensor(const sw_net *net, int id) {
  return net->weights + net->tensor[id].offset;
}

static void add_token(const sw_net *net, int32_t token, float *hidden) {
  const float *row = tensor(net, EMBEDDING) + (ptrdiff_t)token * net->hidden;
  for (int i = 0; i < net->hidden; i++) hidden[i] += row[i];
}

static void scores_of(const sw_net *net, const float *hidden, float *out) {
  const float *head = tensor(net, HEAD), *bias = tensor(net, BIAS);
  for (int v = 0; v < net->outputs; v++, head += net->hidden) {
    float sum = bias[v];
    for (int i = 0; i < net->hidden; i++) sum += head[i] * hidden[i];
    out[v] = sum;
  }
}

/* The bag of row `row` of an item. */
static void bag_of(const sw_net *net, const sw_example *ex, int32_t row,
                   float *hidden) {
  int64_t block = 0;
  while (block + 1 < ex->blocks && ex->block_start[block + 1] <= row) block++;
  memset(hidden, 0, sizeof(float) * (size_t)net->hidden);
  for (int64_t i = ex->block_start[block]; i <= row; i++)
    add_token(net, ex->token[i], hidden);
}

/* ---- work ---- */

typedef struct toy_work {
  sw_work head;
  float *hidden, *score, *own; /* own: one item's gradient */
} toy_work;

static void work_free(sw_work *work) {
  toy_work *w = (toy_work *)work;
  free(w->hidden);
  free(w->score);
  free(w->own);
  free(w);
}

static int work_new(sw_work **work, sw_net *net, sw_team *team, sw_err *err) {
  toy_work *w = calloc(1, sizeof *w);
  (void)team;
  if (!w) return sw_fail(err, SW_MEMORY, "out of memory");
  w->head.net = net;
  w->hidden = calloc(2 * (size_t)net->hidden, sizeof(float));
  w->score = calloc((size_t)net->outputs, sizeof(float));
  w->own = calloc((size_t)net->count, sizeof(float));
  *work = &w->head;
  if (w->hidden && w->score && w->own) return SW_OK;
  work_free(*work);
  *work = NULL;
  return sw_fail(err, SW_MEMORY, "out of memory");
}

/* Gradient of one target from d(loss)/d(scores) in w->score. */
static void back_row(toy_work *w, const sw_example *ex, int32_t row) {
  const sw_net *net = w->head.net;
  float *d_hidden = w->hidden + net->hidden;
  float *d_head = w->own + net->tensor[HEAD].offset;
  float *d_bias = w->own + net->tensor[BIAS].offset;
  const float *head = tensor(net, HEAD);
  memset(d_hidden, 0, sizeof(float) * (size_t)net->hidden);
  for (int v = 0; v < net->outputs; v++)
    for (int i = 0; i < net->hidden; i++) {
      d_hidden[i] += w->score[v] * head[v * net->hidden + i];
      d_head[v * net->hidden + i] += w->score[v] * w->hidden[i];
      if (!i) d_bias[v] += w->score[v];
    }
  int64_t block = 0;
  while (block + 1 < ex->blocks && ex->block_start[block + 1] <= row) block++;
  for (int64_t t = ex->block_start[block]; t <= row; t++)
    for (int i = 0; i < net->hidden; i++)
      w->own[(ptrdiff_t)ex->token[t] * net->hidden + i] += d_hidden[i];
}

static void loss_of(toy_work *w, sw_item *item, int training) {
  const sw_net *net = w->head.net;
  const sw_example *ex = &item->example;
  item->tally[SW_LOSS_TARGET].loss = 0;
  item->tally[SW_LOSS_TARGET].count = item->tally[SW_LOSS_TARGET].hits = 0;
  for (int32_t t = 1; t < ex->length; t++) {
    if (!ex->supervised[t] || !ex->token[t]) continue;
    bag_of(net, ex, t - 1, w->hidden);
    scores_of(net, w->hidden, w->score);
    int best = 0;
    double sum = 0;
    for (int v = 1; v < net->outputs; v++)
      if (w->score[v] > w->score[best]) best = v;
    float top = w->score[best];
    for (int v = 0; v < net->outputs; v++)
      sum += exp((double)(w->score[v] - top));
    item->tally[SW_LOSS_TARGET].loss +=
        log(sum) + (double)(top - w->score[ex->token[t]]);
    item->tally[SW_LOSS_TARGET].count++;
    item->tally[SW_LOSS_TARGET].hits += best == ex->token[t];
    for (int v = 0; training && v < net->outputs; v++)
      w->score[v] = item->options.weight[SW_LOSS_TARGET] *
                    ((float)(exp((double)(w->score[v] - top)) / sum) -
                     (v == ex->token[t]));
    if (training) back_row(w, ex, t - 1);
  }
  item->flops = 2.0 * (double)item->tally[SW_LOSS_TARGET].count * net->outputs *
                net->hidden;
}

static int batch(sw_work *work, sw_item *item, int32_t count, float *gradient,
                 sw_err *err) {
  toy_work *w = (toy_work *)work;
  (void)err;
  for (int32_t k = 0; k < count; k++) {
    memset(w->own, 0, sizeof(float) * (size_t)work->net->count);
    loss_of(w, &item[k], gradient != NULL);
    for (int64_t i = 0; gradient && i < work->net->count; i++)
      gradient[i] += w->own[i];
  }
  return SW_OK;
}

static int rows_of(sw_work *work, const sw_item *item, const int32_t *rows,
                   int32_t count, float *out, sw_err *err) {
  toy_work *w = (toy_work *)work;
  (void)err;
  for (int32_t k = 0; k < count; k++) {
    bag_of(work->net, &item->example, rows[k], w->hidden);
    scores_of(work->net, w->hidden, out + (ptrdiff_t)k * work->net->outputs);
  }
  return SW_OK;
}

static int hidden_of(sw_work *work, const sw_item *item, const int32_t *rows,
                     int32_t count, float *out, sw_err *err) {
  (void)err;
  for (int32_t k = 0; k < count; k++)
    bag_of(work->net, &item->example, rows[k],
           out + (ptrdiff_t)k * work->net->hidden);
  return SW_OK;
}

/* ---- sessions: the tokens of each open block ---- */

enum { BLOCK_MAX = 4096 };
typedef struct toy_seats {
  sw_seats head;
  int32_t sequences;
  int32_t (*token)[BLOCK_MAX];
  int32_t *count;
  float *hidden, *score;
} toy_seats;

static void seats_free(sw_seats *seats) {
  toy_seats *s = (toy_seats *)seats;
  free(s->token);
  free(s->count);
  free(s->hidden);
  free(s->score);
  free(s);
}

static int seats_new(sw_seats **seats, sw_net *net, sw_team *team,
                     const sw_session_options *o, sw_err *err) {
  toy_seats *s = calloc(1, sizeof *s);
  size_t n = (size_t)o->sequences;
  (void)team;
  if (!s) return sw_fail(err, SW_MEMORY, "out of memory");
  s->head.net = net;
  s->sequences = o->sequences;
  s->token = calloc(n, sizeof *s->token);
  s->count = calloc(n, sizeof *s->count);
  s->hidden = calloc((size_t)net->hidden, sizeof(float));
  s->score = calloc(n * (size_t)net->outputs, sizeof(float));
  *seats = &s->head;
  return s->token && s->count && s->hidden && s->score
             ? SW_OK
             : sw_fail(err, SW_MEMORY, "out of memory");
}

static int push(sw_seats *seats, int32_t q, const int32_t *token, int32_t count,
                sw_err *err) {
  toy_seats *s = (toy_seats *)seats;
  if (s->count[q] + count > BLOCK_MAX)
    return sw_fail(err, SW_LIMIT, "a block of more than %d tokens", BLOCK_MAX);
  memcpy(s->token[q] + s->count[q], token, sizeof *token * (size_t)count);
  s->count[q] += count;
  return SW_OK;
}

static int begin_block(sw_seats *seats, int32_t q, int keep, sw_err *err) {
  (void)keep;
  (void)err;
  ((toy_seats *)seats)->count[q] = 0;
  return SW_OK;
}

static int prefix(sw_seats *seats, int32_t q, const int32_t *token,
                  int32_t count, sw_err *err) {
  begin_block(seats, q, 0, err);
  return push(seats, q, token, count, err);
}

static int pop(sw_seats *seats, int32_t q, int32_t count, sw_err *err) {
  (void)err;
  ((toy_seats *)seats)->count[q] -= count;
  return SW_OK;
}

static int64_t length(const sw_seats *seats, int32_t q) {
  return ((const toy_seats *)seats)->count[q];
}

static int run(sw_seats *seats, const int32_t *seq, int32_t count,
               const float **scores, sw_err *err) {
  toy_seats *s = (toy_seats *)seats;
  const sw_net *net = seats->net;
  (void)err;
  for (int32_t k = 0; k < count; k++) {
    float *out = s->score + (ptrdiff_t)k * net->outputs;
    memset(s->hidden, 0, sizeof(float) * (size_t)net->hidden);
    for (int32_t i = 0; i < s->count[seq[k]]; i++)
      add_token(net, s->token[seq[k]][i], s->hidden);
    scores_of(net, s->hidden, out);
    scores[k] = out;
  }
  return SW_OK;
}

const sw_family toy_family = {
    .name = "toy-bag",
    .text = "the bag of a block's tokens (a test's)",
    .reads = "tokens",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .config_bytes = sizeof(toy_config),
    .resolve = resolve,
    .create = create,
    .free = free_net,
    .work_new = work_new,
    .work_free = work_free,
    .batch = batch,
    .rows = rows_of,
    .hidden = hidden_of,
    .seats_new = seats_new,
    .seats_free = seats_free,
    .prefix = prefix,
    .begin_block = begin_block,
    .push = push,
    .pop = pop,
    .length = length,
    .run = run,
};
