/* Whole traces a member, or members sharing each trace; see batch.h. */
#include "model/decoder/batch.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "model/decoder/pass.h"
#include "trace/mask.h"

/* Above these a trace's activations leave the caches anyway and its products
 * are long enough to be split; neither limit is part of the bits. */
enum { ACTIVATION_BYTES = 48 << 20, GRADIENT_BYTES = 64 << 20 };
enum { SUM_CHUNK = 4096 }; /* floats summed over all traces at a time */
enum { LATE = 3 };         /* last traces a member, costliest first */

typedef struct outcome {
  int code;
  sw_err err;
} outcome;

struct sw_batch {
  sw_pass *shared;
  sw_team **solo; /* [members] teams of one, for the passes below */
  sw_pass **own;  /* [members] */
  /* Gradients of traces that are being computed, or wait for an earlier one to
   * be added: few, used again and again, so that they stay in the cache. */
  float **space; /* the `unused` ones; between rounds all, [gradients] */
  int32_t gradients, unused;
  float **ready;  /* [room] a trace's gradient, when it is there */
  int32_t room;   /* of ready and of the arrays below */
  int32_t *order; /* the order in which items are taken */
  int64_t *cost;
  int32_t *rows;  /* position rows that the trace reads */
  int32_t *reach; /* ... or an earlier trace of the round */
  outcome *out;
  pthread_mutex_t lock; /* of the gradients and a round's progress */
  int locked;           /* the lock exists */
};

int sw_batch_new(sw_batch **result, sw_pass *shared, sw_err *err) {
  sw_batch *b = calloc(1, sizeof *b);
  *result = b;
  if (!b) return sw_no_memory_for(err, "a batch");
  b->shared = shared;
  if (pthread_mutex_init(&b->lock, NULL))
    return sw_fail(err, SW_MEMORY, "no lock for a batch");
  b->locked = 1;
  b->own = calloc((size_t)shared->members, sizeof *b->own);
  b->solo = calloc((size_t)shared->members, sizeof *b->solo);
  if (!b->own || !b->solo) return sw_no_memory_for(err, "a batch");
  for (int i = 0; i < shared->members; i++) {
    SW_TRY(sw_team_new(&b->solo[i], 1, err));
    SW_TRY(sw_pass_new(&b->own[i], shared->model, b->solo[i], err));
  }
  return SW_OK;
}

void sw_batch_free(sw_batch *b) {
  if (!b) return;
  for (int i = 0; b->own && b->solo && i < b->shared->members; i++) {
    sw_pass_free(b->own[i]);
    sw_team_free(b->solo[i]);
  }
  free(b->own);
  free(b->solo);
  for (int32_t i = 0; i < b->gradients; i++) sw_aligned_free(b->space[i]);
  if (b->locked) pthread_mutex_destroy(&b->lock);
  free(b->space);
  free(b->ready);
  free(b->order);
  free(b->cost);
  free(b->rows);
  free(b->reach);
  free(b->out);
  free(b);
}

/* Traces a round may hold, 0: the members share every trace. */
static int32_t round_of(const sw_batch *b, const sw_batch_item *item,
                        int32_t count, int training) {
  const sw_model_config *c = &b->shared->model->config;
  size_t d = (size_t)c->d, longest = 0;
  if (b->shared->members == 1 || count < 2) return 0;
  for (int32_t i = 0; i < count; i++)
    if ((size_t)item[i].example.length > longest)
      longest = (size_t)item[i].example.length;
  size_t row = 6 * d + (size_t)c->ffn + 12 * d * (size_t)c->memory;
  row = row * (training ? (size_t)c->layers : 1) + 12 * d;
  if ((longest + (size_t)c->slots) * row * sizeof(float) > ACTIVATION_BYTES)
    return 0;
  if (!training) return count;
  size_t fit =
      GRADIENT_BYTES /
      ((size_t)b->shared->model->params.layout.trained * sizeof(float));
  if (fit < 2 * (size_t)b->shared->members) return 0;
  return fit < (size_t)count ? (int32_t)fit : count;
}

static int reserve(sw_batch *b, int32_t count, sw_err *err) {
  if (count <= b->room) return SW_OK;
  float **space = realloc(b->space, sizeof *space * (size_t)count);
  if (space) b->space = space;
  free(b->ready);
  free(b->order);
  free(b->cost);
  free(b->rows);
  free(b->reach);
  free(b->out);
  b->room = 0;
  b->ready = malloc(sizeof *b->ready * (size_t)count);
  b->order = malloc(sizeof *b->order * (size_t)count);
  b->cost = malloc(sizeof *b->cost * (size_t)count);
  b->rows = malloc(sizeof *b->rows * (size_t)count);
  b->reach = malloc(sizeof *b->reach * (size_t)count);
  b->out = malloc(sizeof *b->out * (size_t)count);
  if (!space || !b->ready || !b->order || !b->cost || !b->rows || !b->reach ||
      !b->out)
    return sw_no_memory_for(err, "%d traces", count);
  b->room = count;
  return SW_OK;
}

/* Traces are taken in order, so that gradients can be added as they finish.
 * Among the last few the costliest goes first, so that members finish
 * together. */
static void choose_order(sw_batch *b, const sw_batch_item *item,
                         int32_t count) {
  int32_t late = LATE * b->shared->members, begin = 0;
  begin = count > late ? count - late : 0;
  for (int32_t i = 0; i < count; i++) {
    int64_t cost = sw_mask_pairs(item[i].example.mask);
    int32_t at = i;
    for (; at > begin && b->cost[at - 1] < cost; at--) {
      b->cost[at] = b->cost[at - 1];
      b->order[at] = b->order[at - 1];
    }
    b->cost[at] = cost;
    b->order[at] = i;
  }
}

typedef struct round_job {
  sw_batch *batch;
  sw_batch_item *item; /* [count] */
  int32_t count;
  float *gradient;    /* NULL: none, or each by itself */
  float *const *part; /* [count] where; NULL: not asked for */
  /* under the batch's lock: */
  int32_t next;   /* place in the order of the trace to be taken next */
  int32_t summed; /* traces added to the gradient */
  int adding;     /* a member is adding one */
} round_job;

/* The position rows that each trace reads. Gradients of later rows are zero and
 * are neither written nor read, because few rows of a long table are used.
 * Adding zero changes only -0. So zero is added where an earlier trace may have
 * left -0, and everywhere by the first trace, which does not know what came
 * before. */
static void choose_rows(sw_batch *b, const sw_batch_item *item, int32_t count) {
  const sw_model *model = b->shared->model;
  int32_t reach = model->config.positions, most = 0;
  for (int32_t i = 0; i < count; i++) {
    b->rows[i] = sw_position_rows(model, &item[i].example);
    b->reach[i] = b->rows[i] > reach ? b->rows[i] : reach;
    most = b->rows[i] > most ? b->rows[i] : most;
    reach = most;
  }
}

static void add_zeros(const sw_batch *b, size_t count, float *sum) {
  static const float zero[SUM_CHUNK];
  for (size_t at = 0; at < count; at += SUM_CHUNK)
    b->shared->model->kernels->add(
        count - at < SUM_CHUNK ? count - at : SUM_CHUNK, zero, sum + at);
}

/* Adds parameters from .. to of trace i's gradient to the sum. */
static void add_trace(const sw_batch *b, int32_t i, size_t from, size_t to,
                      float *sum) {
  const sw_model *model = b->shared->model;
  const sw_params *p = &model->params;
  size_t d = (size_t)model->config.d, end[4], at = from;
  size_t table = (size_t)p->offset[SW_P_POSITION];
  end[0] = table + (size_t)b->rows[i] * d;              /* what there is, */
  end[1] = table + (size_t)b->reach[i] * d;             /* what may be -0, */
  end[2] = table + (size_t)model->config.positions * d; /* what is left alone */
  end[3] = to;
  for (int part = 0; part < 4; part++) {
    size_t stop = end[part] < to ? end[part] : to;
    if (stop <= at) continue;
    if (part == 1) add_zeros(b, stop - at, sum + at);
    if (part == 0 || part == 3)
      model->kernels->add(stop - at, b->ready[i] + at, sum + at);
    at = stop;
  }
}

/* Takes a trace and room for its gradient; returns -1 at the end. */
static int32_t take_trace(round_job *job, float **gradient) {
  sw_batch *b = job->batch;
  int32_t i = -1;
  *gradient = NULL;
  pthread_mutex_lock(&b->lock);
  if (job->next < job->count) i = b->order[job->next++];
  if (i >= 0 && job->part) *gradient = job->part[i];
  if (i >= 0 && job->gradient) {
    if (!b->unused) {
      size_t count = (size_t)b->shared->model->params.layout.trained;
      b->space[0] = sw_aligned_alloc(count * sizeof(float));
      if (b->space[0]) b->gradients++, b->unused++;
    }
    if (b->unused) *gradient = b->space[--b->unused];
  }
  pthread_mutex_unlock(&b->lock);
  return i;
}

static void compute(round_job *job, int32_t i, int rank, float *gradient) {
  sw_batch *b = job->batch;
  sw_batch_item *item = &job->item[i];
  outcome *out = &b->out[i];
  if (job->gradient && !gradient) {
    out->code = sw_no_memory_for(&out->err, "a gradient");
    return;
  }
  b->own[rank]->few_positions = job->gradient != NULL;
  out->code = sw_pass_loss_alone(b->own[rank], &item->example, &item->options,
                                 gradient, NULL, NULL, NULL, &out->err);
  item->flops = sw_pass_last_flops(b->own[rank]);
  sw_pass_last_tally(b->own[rank], item->tally);
}

/* While traces wait to be computed, adds the gradients whose turn has come. All
 * members add the rest together afterwards. */
static void add_ready(round_job *job, int32_t i, float *gradient) {
  sw_batch *b = job->batch;
  size_t count = (size_t)b->shared->model->params.layout.trained;
  pthread_mutex_lock(&b->lock);
  b->ready[i] = gradient;
  if (!job->adding) {
    job->adding = 1;
    while (job->next < job->count && b->ready[job->summed]) {
      pthread_mutex_unlock(&b->lock);
      add_trace(b, job->summed, 0, count, job->gradient);
      pthread_mutex_lock(&b->lock);
      b->space[b->unused++] = b->ready[job->summed++];
    }
    job->adding = 0;
  }
  pthread_mutex_unlock(&b->lock);
}

/* Which member takes which trace is left to chance; nothing depends on it. */
static void round_region(void *context, int rank, int size) {
  round_job *job = context;
  sw_batch *b = job->batch;
  float *gradient;
  nn_set_float_mode();
  for (int32_t i; (i = take_trace(job, &gradient)) >= 0;) {
    compute(job, i, rank, gradient);
    if (job->gradient && gradient) add_ready(job, i, gradient);
  }
  if (!job->gradient) return;
  sw_team_barrier(b->shared->team);
  size_t from, to;
  sw_share((size_t)b->shared->model->params.layout.trained, SUM_CHUNK, rank,
           size, &from, &to);
  for (size_t at = from; at < to; at += SUM_CHUNK)
    for (int32_t i = job->summed; i < job->count && b->ready[i]; i++)
      add_trace(b, i, at, to - at < SUM_CHUNK ? to : at + SUM_CHUNK,
                job->gradient);
}

static int one_by_one(sw_batch *b, sw_batch_item *item, int32_t count,
                      float *gradient, sw_err *err) {
  for (int32_t i = 0; i < count; i++) {
    SW_TRY(sw_pass_loss(b->shared, &item[i].example, &item[i].options, gradient,
                        NULL, NULL, NULL, err));
    item[i].flops = sw_pass_last_flops(b->shared);
    sw_pass_last_tally(b->shared, item[i].tally);
  }
  return SW_OK;
}

/* One round: all members on the job's traces. */
static int run_round(sw_batch *b, round_job *job, sw_err *err) {
  for (int32_t i = 0; i < job->count; i++) {
    b->out[i].code = SW_OK;
    b->ready[i] = NULL;
  }
  choose_order(b, job->item, job->count);
  choose_rows(b, job->item, job->count);
  sw_team_run(b->shared->team, round_region, job);
  for (int32_t i = job->summed; job->gradient && i < job->count; i++)
    if (b->ready[i]) b->space[b->unused++] = b->ready[i];
  for (int32_t i = 0; i < job->count; i++)
    if (b->out[i].code) {
      if (err) *err = b->out[i].err;
      return b->out[i].code;
    }
  return SW_OK;
}

int sw_batch_loss(sw_batch *b, sw_batch_item *item, int32_t count,
                  float *gradient, sw_err *err) {
  int32_t step = round_of(b, item, count, gradient != NULL);
  if (!step) return one_by_one(b, item, count, gradient, err);
  SW_TRY(reserve(b, step, err));
  SW_TRY(sw_packed_refresh(b->shared, gradient != NULL, err));
  for (int32_t begin = 0; begin < count; begin += step) {
    round_job job = {.batch = b, .item = item + begin, .gradient = gradient};
    job.count = count - begin < step ? count - begin : step;
    SW_TRY(run_round(b, &job, err));
  }
  return SW_OK;
}

int sw_batch_parts(sw_batch *b, sw_batch_item *item, int32_t count,
                   float *const *part, sw_err *err) {
  if (round_of(b, item, count, 1)) {
    round_job job = {.batch = b, .item = item, .count = count, .part = part};
    SW_TRY(reserve(b, count, err));
    SW_TRY(sw_packed_refresh(b->shared, 1, err));
    return run_round(b, &job, err);
  }
  for (int32_t i = 0; i < count; i++) {
    memset(part[i], 0,
           (size_t)b->shared->model->params.layout.trained * sizeof(float));
    SW_TRY(one_by_one(b, item + i, 1, part[i], err));
  }
  return SW_OK;
}
