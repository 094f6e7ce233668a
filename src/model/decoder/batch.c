/* Whole traces a member, or members sharing each trace; see batch.h. */
#include "model/decoder/batch.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "model/decoder/pass.h"
#include "trace/mask.h"

/* Above these a trace's activations leave the caches anyway and its products
 * are long enough to be split; neither limit is part of the bits. */
enum { ACTIVATION_BYTES = 48 << 20, GRADIENT_BYTES = 64 << 20 };
enum { SUM_CHUNK = 4096 }; /* floats summed over all traces at a time */

typedef struct outcome {
  int code;
  sw_err err;
} outcome;

struct sw_batch {
  sw_pass *shared;
  sw_team **solo; /* [members] teams of one, for the passes below */
  sw_pass **own;  /* [members] */
  float *space;   /* [gradients][stride] one gradient a trace */
  size_t stride;
  int32_t gradients;
  int32_t room;   /* of the arrays below */
  int32_t *order; /* items by falling cost */
  int64_t *cost;
  outcome *out;
};

int sw_batch_new(sw_batch **result, sw_pass *shared, sw_err *err) {
  sw_batch *b = calloc(1, sizeof *b);
  *result = b;
  if (!b) return sw_fail(err, SW_MEMORY, "out of memory for a batch");
  b->shared = shared;
  b->stride = ((size_t)shared->model->params.trained + 15) & ~(size_t)15;
  b->own = calloc((size_t)shared->members, sizeof *b->own);
  b->solo = calloc((size_t)shared->members, sizeof *b->solo);
  if (!b->own || !b->solo)
    return sw_fail(err, SW_MEMORY, "out of memory for a batch");
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
  sw_aligned_free(b->space);
  free(b->order);
  free(b->cost);
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
  size_t fit = GRADIENT_BYTES / (b->stride * sizeof(float));
  if (fit < 2 * (size_t)b->shared->members) return 0;
  return fit < (size_t)count ? (int32_t)fit : count;
}

static int reserve(sw_batch *b, int32_t count, int32_t gradients, sw_err *err) {
  if (count > b->room) {
    free(b->order);
    free(b->cost);
    free(b->out);
    b->room = 0;
    b->order = malloc(sizeof *b->order * (size_t)count);
    b->cost = malloc(sizeof *b->cost * (size_t)count);
    b->out = malloc(sizeof *b->out * (size_t)count);
    if (!b->order || !b->cost || !b->out)
      return sw_fail(err, SW_MEMORY, "out of memory for %d traces", count);
    b->room = count;
  }
  if (gradients > b->gradients) {
    sw_aligned_free(b->space);
    b->gradients = 0;
    b->space = sw_aligned_alloc((size_t)gradients * b->stride * sizeof(float));
    if (!b->space)
      return sw_fail(err, SW_MEMORY, "out of memory for %d gradients",
                     gradients);
    b->gradients = gradients;
  }
  return SW_OK;
}

/* The costly traces first, so that the members finish together. */
static void sort_by_cost(sw_batch *b, const sw_batch_item *item,
                         int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    int64_t cost = sw_mask_pairs(item[i].example.mask);
    int32_t at = i;
    for (; at > 0 && b->cost[at - 1] < cost; at--) {
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
  _Atomic int32_t next;
} round_job;

static float *room_of(const round_job *job, int32_t i) {
  const sw_batch *b = job->batch;
  if (job->part) return job->part[i];
  return job->gradient ? b->space + (size_t)i * b->stride : NULL;
}

/* Which member takes which trace is left to chance; nothing depends on it. */
static void round_region(void *context, int rank, int size) {
  round_job *job = context;
  sw_batch *b = job->batch;
  nn_set_float_mode();
  for (int32_t at; (at = atomic_fetch_add(&job->next, 1)) < job->count;) {
    int32_t i = b->order[at];
    sw_batch_item *item = &job->item[i];
    b->out[i].code = sw_pass_loss_alone(
        b->own[rank], &item->example, &item->options, room_of(job, i),
        &item->loss, &item->targets, &item->hits, &b->out[i].err);
    item->flops = sw_pass_last_flops(b->own[rank]);
    sw_pass_last_verify(b->own[rank], &item->verify_loss, &item->verdicts,
                        &item->verify_hits);
    sw_pass_last_facts(b->own[rank], &item->fact_loss, &item->facts,
                       &item->fact_hits);
  }
  if (!job->gradient) return;
  sw_team_barrier(b->shared->team);
  size_t from, to;
  sw_share((size_t)b->shared->model->params.trained, SUM_CHUNK, rank, size,
           &from, &to);
  for (size_t at = from; at < to; at += SUM_CHUNK)
    for (int32_t i = 0; i < job->count; i++)
      b->shared->model->kernels->add(to - at < SUM_CHUNK ? to - at : SUM_CHUNK,
                                     b->space + (size_t)i * b->stride + at,
                                     job->gradient + at);
}

static int one_by_one(sw_batch *b, sw_batch_item *item, int32_t count,
                      float *gradient, sw_err *err) {
  for (int32_t i = 0; i < count; i++) {
    SW_TRY(sw_pass_loss(b->shared, &item[i].example, &item[i].options, gradient,
                        &item[i].loss, &item[i].targets, &item[i].hits, err));
    item[i].flops = sw_pass_last_flops(b->shared);
    sw_pass_last_verify(b->shared, &item[i].verify_loss, &item[i].verdicts,
                        &item[i].verify_hits);
    sw_pass_last_facts(b->shared, &item[i].fact_loss, &item[i].facts,
                       &item[i].fact_hits);
  }
  return SW_OK;
}

/* One round: all members on the job's traces. */
static int run_round(sw_batch *b, round_job *job, sw_err *err) {
  for (int32_t i = 0; i < job->count; i++) b->out[i].code = SW_OK;
  sort_by_cost(b, job->item, job->count);
  sw_team_run(b->shared->team, round_region, job);
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
  SW_TRY(reserve(b, step, gradient ? step : 0, err));
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
    SW_TRY(reserve(b, count, 0, err));
    SW_TRY(sw_packed_refresh(b->shared, 1, err));
    return run_round(b, &job, err);
  }
  for (int32_t i = 0; i < count; i++) {
    memset(part[i], 0,
           (size_t)b->shared->model->params.trained * sizeof(float));
    SW_TRY(one_by_one(b, item + i, 1, part[i], err));
  }
  return SW_OK;
}
