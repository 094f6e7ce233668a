/* A training step over ranks (see spread.h). */
#include "train/spread.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "base/check.h"
#include "base/ranks.h"
#include "nn/nn.h"

enum { SUM_CHUNK = 4096 }; /* floats summed over all traces at a time */

struct sw_spread {
  sw_net *net;
  sw_optim *optim;
  sw_team *team;
  const nn_kernels *kernels;
  int me, ranks;
  size_t trained;
  size_t *shard; /* [ranks + 1] parameters of each rank */
  size_t *slice; /* [ranks + 1] items of each rank, in this step */
  float **part;  /* [room] gradients of this rank's traces */
  int32_t parts, room;
  double *cost; /* [cost_room] */
  int32_t cost_room;
};

int sw_spread_new(sw_spread **out, sw_net *net, sw_optim *optim, sw_team *team,
                  sw_err *err) {
  sw_spread *s = calloc(1, sizeof *s);
  *out = s;
  if (!s) return sw_no_memory_for(err, "a step");
  *s = (sw_spread){.net = net,
                   .optim = optim,
                   .team = team,
                   .me = sw_ranks_me(),
                   .ranks = sw_ranks_count()};
  if (s->ranks == 1) return SW_OK;
  s->kernels = nn_select(NULL, err);
  if (!s->kernels) return SW_USAGE;
  s->shard = calloc((size_t)s->ranks + 1, sizeof *s->shard);
  s->slice = calloc((size_t)s->ranks + 1, sizeof *s->slice);
  if (!s->shard || !s->slice)
    return sw_no_memory_for(err, "%d ranks", s->ranks);
  SW_TRY(sw_optim_split(optim, s->ranks, s->shard, err));
  s->trained = s->shard[s->ranks];
  SW_TRY(sw_optim_own(optim, s->shard[s->me], s->shard[s->me + 1], err));
  if (s->me) return SW_OK;
  memset(sw_optim_first_moments(optim), 0, sizeof(float) * s->trained);
  memset(sw_optim_second_moments(optim), 0, sizeof(float) * s->trained);
  return SW_OK;
}

void sw_spread_free(sw_spread *s) {
  if (!s) return;
  for (int32_t i = 0; i < s->room; i++) sw_aligned_free(s->part[i]);
  free(s->part);
  free(s->cost);
  free(s->shard);
  free(s->slice);
  free(s);
}

void sw_spread_slice(sw_spread *s, const double *cost, int32_t count,
                     int32_t *from, int32_t *to) {
  *from = s->parts = 0;
  *to = count;
  if (s->ranks == 1) return;
  sw_slices(cost, (size_t)count, s->ranks, s->slice);
  *from = (int32_t)s->slice[s->me];
  *to = (int32_t)s->slice[s->me + 1];
}

/* Makes part[n] exist. */
static int reserve(sw_spread *s, int32_t n, sw_err *err) {
  if (n >= s->room) {
    float **grown = realloc(s->part, sizeof *grown * (size_t)(n + 1));
    if (!grown) return sw_no_memory_for(err, "a step");
    s->part = grown;
    for (; s->room <= n; s->room++) {
      s->part[s->room] = sw_aligned_alloc(sizeof(float) * s->trained);
      if (!s->part[s->room]) {
        sw_no_memory_for(err, "the gradients of %d traces", n + 1);
        return sw_hint(err, "use more ranks, or fewer traces a step");
      }
    }
  }
  if (n >= s->parts) s->parts = n + 1;
  return SW_OK;
}

int sw_spread_part(sw_spread *s, float *gradient, float **part, sw_err *err) {
  *part = gradient;
  if (!s->me || !gradient) return SW_OK;
  SW_TRY(reserve(s, s->parts, err));
  *part = s->part[s->parts - 1];
  memset(*part, 0, sizeof **part * s->trained);
  return SW_OK;
}

int sw_spread_results(sw_spread *s, void *results, size_t size, sw_err *err) {
  return s->ranks == 1 ? SW_OK : sw_ranks_join(results, size, s->slice, err);
}

/* What every rank must know of an item. */
typedef struct item_result {
  sw_tally tally[SW_LOSS_KINDS];
  double flops;
} item_result;

static int share_items(sw_spread *s, sw_item *item, int32_t count,
                       sw_err *err) {
  item_result *all = malloc(sizeof *all * (size_t)(count + 1));
  if (!all) return sw_no_memory_for(err, "a step");
  for (size_t i = s->slice[s->me]; i < s->slice[s->me + 1]; i++) {
    memcpy(all[i].tally, item[i].tally, sizeof all[i].tally);
    all[i].flops = item[i].flops;
  }
  int code = sw_spread_results(s, all, sizeof *all, err);
  for (int32_t i = 0; i < count && !code; i++) {
    memcpy(item[i].tally, all[i].tally, sizeof item[i].tally);
    item[i].flops = all[i].flops;
  }
  free(all);
  return code;
}

static int slice_items(sw_spread *s, const sw_item *item, int32_t count,
                       int training, int32_t *from, int32_t *to, sw_err *err) {
  if (count > s->cost_room) {
    free(s->cost);
    s->cost = malloc(sizeof *s->cost * (size_t)count);
    s->cost_room = s->cost ? count : 0;
    if (!s->cost) return sw_no_memory_for(err, "a step");
  }
  for (int32_t i = 0; i < count; i++) {
    double cost =
        sw_net_flops(s->net, &item[i],
                     (int32_t)item[i].tally[SW_LOSS_TARGET].count, training);
    s->cost[i] = cost > 0 ? cost : (double)sw_item_size(&item[i]);
  }
  sw_spread_slice(s, s->cost, count, from, to);
  return SW_OK;
}

int sw_spread_loss(sw_spread *s, sw_work *work, sw_item *item, int32_t count,
                   float *gradient, sw_err *err) {
  SW_ASSERT(s && work);
  SW_ASSERT(count >= 0 && (item || !count));
  int32_t from = 0, to = 0;
  if (s->ranks == 1) return sw_work_batch(work, item, count, gradient, err);
  int code = slice_items(s, item, count, gradient != NULL, &from, &to, err);
  if (!code && (!gradient || !s->me)) {
    code = sw_work_batch(work, item + from, to - from, gradient, err);
  } else if (!code) {
    for (int32_t i = 0; i < to - from && !code; i++) code = reserve(s, i, err);
    if (!code) code = sw_work_parts(work, item + from, to - from, s->part, err);
  }
  /* All ranks must learn of a loss that is not finite, not only the rank
   * that found it: the run ends on all of them, and the program may go on
   * (tune.h). */
  if (code == SW_DIVERGED) item[from].tally[SW_LOSS_TARGET].loss = NAN;
  else SW_TRY(code);
  return share_items(s, item, count, err);
}

typedef struct fold_job {
  const sw_spread *s;
  float *gradient;
  size_t from, to;
} fold_job;

static void fold_region(void *context, int rank, int size) {
  const fold_job *job = context;
  const sw_spread *s = job->s;
  size_t from, to;
  nn_set_float_mode();
  sw_share(job->to - job->from, SUM_CHUNK, rank, size, &from, &to);
  for (size_t at = from; at < to; at += SUM_CHUNK)
    for (int32_t i = 0; i < s->parts; i++)
      s->kernels->add(to - at < SUM_CHUNK ? to - at : SUM_CHUNK,
                      s->part[i] + job->from + at,
                      job->gradient + job->from + at);
}

static void fold(void *context, size_t from, size_t to) {
  fold_job *job = context;
  job->from = from;
  job->to = to;
  sw_team_run(job->s->team, fold_region, job);
}

int sw_spread_step(sw_spread *s, float *gradient, double *norm, double *lr,
                   sw_err *err) {
  SW_ASSERT(s && gradient);
  double found = 0;
  if (s->ranks == 1) {
    sw_optim_step(s->optim, gradient, norm, lr);
    return SW_OK;
  }
  fold_job job = {.s = s, .gradient = gradient};
  SW_TRY(sw_ranks_fold(gradient, s->shard, fold, &job, err));
  s->parts = 0;
  if (s->me == s->ranks - 1) found = sw_optim_norm(s->optim, gradient);
  SW_TRY(sw_ranks_share(&found, sizeof found, s->ranks - 1, err));
  sw_optim_step_by_norm(s->optim, gradient, found, lr);
  if (!s->me) memset(gradient, 0, sizeof *gradient * s->trained);
  SW_TRY(sw_ranks_join(s->net->weights, sizeof(float), s->shard, err));
  sw_net_changed(s->net);
  if (norm) *norm = found;
  return SW_OK;
}

int sw_spread_from_first(sw_spread *s, sw_err *err) {
  if (s->ranks == 1) return SW_OK;
  int64_t steps = sw_optim_steps_done(s->optim);
  SW_TRY(sw_ranks_share(&steps, sizeof steps, 0, err));
  sw_optim_set_steps(s->optim, steps);
  size_t bytes = (size_t)s->net->count * sizeof(float);
  SW_TRY(sw_ranks_share(s->net->weights, bytes, 0, err));
  sw_net_changed(s->net);
  SW_TRY(sw_ranks_deal(sw_optim_first_moments(s->optim), sizeof(float),
                       s->shard, err));
  return sw_ranks_deal(sw_optim_second_moments(s->optim), sizeof(float),
                       s->shard, err);
}

int sw_spread_to_first(sw_spread *s, sw_err *err) {
  if (s->ranks == 1) return SW_OK;
  SW_TRY(sw_ranks_collect(sw_optim_first_moments(s->optim), sizeof(float),
                          s->shard, err));
  return sw_ranks_collect(sw_optim_second_moments(s->optim), sizeof(float),
                          s->shard, err);
}
