/* AdamW over the trained prefix of the flat block, the matrices that the table
 * names left to Muon on demand: one pass for the norm, one for the step, both
 * split between the members. Knows nothing of a net but its table. */
#include "model/optim.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "base/check.h"
#include "base/hash.h"
#include "base/ranks.h"
#include "base/safetensors.h"
#include "model/muon.h"

enum { CHUNK = 4096 }; /* elements of one partial sum of squares */

/* A stretch of the flat block that steps in one way; ascending, without gaps.
 */
typedef struct stretch {
  size_t end;
  enum { ADAMW, ADAMW_NO_DECAY, MUON } how;
} stretch;

struct sw_optim {
  sw_net *net;
  sw_team *team;
  sw_optim_config config;
  size_t count;    /* trained parameters */
  size_t from, to; /* those that this optimizer steps */
  int64_t step;    /* steps done */
  float *m, *v;    /* [count] */
  double *partial; /* [chunks] */
  stretch *part;   /* [parts] */
  int parts;
  sw_muon_matrix *matrix; /* [matrices] stepped by Muon, ascending offsets */
  int matrices;
  float *scratch; /* [members][scratch_size] */
  size_t scratch_size;
};

/* Which part of the block steps how, from the table of tensors; neighbours
 * that step alike are one stretch. */
static int new_parts(sw_optim *o) {
  const sw_net *net = o->net;
  o->part = calloc((size_t)net->tensors + 1, sizeof *o->part);
  if (!o->part) return 0;
  for (size_t at = 0; at < o->count;) { /* files may have another order */
    const sw_tensor *t = net->tensor, *end = t + net->tensors;
    while (t < end && (t->count == 0 || (size_t)t->offset != at)) t++;
    if (t == end) return 0; /* the table has gaps: a family's mistake */
    int muon = o->config.kind == SW_OPTIM_MUON && t->matrices > 0;
    int how = muon ? MUON : t->decay ? ADAMW : ADAMW_NO_DECAY;
    at += (size_t)t->count;
    if (!o->parts || (int)o->part[o->parts - 1].how != how) o->parts++;
    o->part[o->parts - 1].end = at;
    o->part[o->parts - 1].how = how;
  }
  return 1;
}

static int new_muon(sw_optim *o) {
  if (o->config.kind != SW_OPTIM_MUON) return 1;
  o->matrices = sw_muon_matrices(o->net, NULL);
  o->matrix = calloc((size_t)o->matrices + 1, sizeof *o->matrix);
  if (!o->matrix) return 0;
  sw_muon_matrices(o->net, o->matrix);
  o->scratch_size = sw_muon_scratch(o->net->kernels, o->matrix, o->matrices);
  o->scratch_size = (o->scratch_size + 15) / 16 * 16;
  o->scratch = sw_aligned_alloc(sizeof(float) * o->scratch_size *
                                (size_t)sw_team_size(o->team));
  return o->scratch != NULL;
}

int sw_optim_new(sw_optim **out, sw_net *net, sw_team *team,
                 const sw_optim_config *config, sw_err *err) {
  SW_ASSERT(out && config);
  SW_CHECK(sw_net_check(net));
  SW_ASSERT(team);
  sw_optim *o = calloc(1, sizeof *o);
  *out = NULL;
  if (!o) return sw_no_memory_for(err, "an optimizer");
  o->net = net;
  o->team = team;
  o->config = *config;
  o->count = o->to = (size_t)net->trained;
  o->m = sw_aligned_alloc(sizeof(float) * o->count);
  o->v = sw_aligned_alloc(sizeof(float) * o->count);
  o->partial = calloc(o->count / CHUNK + 1, sizeof(double));
  if (!o->m || !o->v || !o->partial || !new_parts(o) || !new_muon(o)) {
    sw_optim_free(o);
    return sw_no_memory_for(err, "the moments of %lld parameters",
                            (long long)net->trained);
  }
  memset(o->m, 0, sizeof(float) * o->count);
  memset(o->v, 0, sizeof(float) * o->count);
  *out = o;
  return SW_OK;
}

void sw_optim_free(sw_optim *o) {
  if (!o) return;
  sw_aligned_free(o->m);
  sw_aligned_free(o->v);
  free(o->partial);
  free(o->part);
  free(o->matrix);
  sw_aligned_free(o->scratch);
  free(o);
}

double sw_schedule(const sw_optim_config *config, int64_t step) {
  SW_ASSERT(config && step >= 0);
  double warm = floor(config->warmup * (double)config->steps);
  double s = (double)step, rest = (double)config->steps - warm;
  double up = s < warm ? (s + 1) / warm : 1;
  if (config->constant) { /* a tail may begin before the warm-up has ended */
    double into = s - (double)config->tail_begin;
    if (!config->tail_steps || into < 0) return up;
    double left = 1 - into / (double)config->tail_steps;
    return left > 0 ? up * left : 0;
  }
  if (s < warm) return up;
  if (s > (double)config->steps)
    s = (double)config->steps; /* the cosine ends at zero and stays there */
  return 0.5 * (1 + cos(acos(-1.0) * (s - warm) / (rest > 1 ? rest : 1)));
}

void sw_optim_begin_tail(sw_optim *o, int64_t begin, int64_t steps) {
  SW_ASSERT(o && begin >= 0 && steps >= 0);
  o->config.tail_begin = begin;
  o->config.tail_steps = steps;
}

typedef struct step_job {
  sw_optim *o;
  float *gradient;
  float lr, decay, c1, c2, clip;
} step_job;

/* Nanoseconds of a parameter and of a floating-point operation, roughly: only
 * the balance of the pieces depends on them. */
#define ADAMW_COST 1.5
#define FLOP_COST 0.015

/* Pieces in ascending order: where each begins and what it costs. Matrices of
 * Muon stay whole. Returns their number; `at` has one entry more. */
static size_t pieces_of(const sw_optim *o, size_t *at, double *cost) {
  size_t n = 0, next = 0;
  for (int i = 0; i <= o->matrices; i++) {
    const sw_muon_matrix *x = i < o->matrices ? &o->matrix[i] : NULL;
    size_t stop = x ? (size_t)x->offset : o->count;
    for (; next < stop; n++) {
      size_t size = stop - next < CHUNK ? stop - next : CHUNK;
      if (at) at[n] = next;
      if (cost) cost[n] = ADAMW_COST * (double)size;
      next += size;
    }
    if (!x) break;
    double s = x->rows < x->cols ? x->rows : x->cols;
    double l = x->rows < x->cols ? x->cols : x->rows;
    if (at) at[n] = next;
    if (cost) cost[n] = FLOP_COST * 5 * (4 * s * s * l + 2 * s * s * s);
    next += (size_t)x->rows * (size_t)x->cols;
    n++;
  }
  if (at) at[n] = o->count;
  return n;
}

int sw_optim_split(const sw_optim *o, int parts, size_t *begin, sw_err *err) {
  size_t n = pieces_of(o, NULL, NULL);
  size_t *at = malloc(sizeof *at * (n + 1));
  double *cost = malloc(sizeof *cost * (n + 1));
  if (at && cost) {
    pieces_of(o, at, cost);
    sw_slices(cost, n, parts, begin);
    for (int p = 0; p <= parts; p++) begin[p] = at[begin[p]];
  }
  int code = at && cost ? SW_OK : sw_no_memory_for(err, "%d parts", parts);
  free(at);
  free(cost);
  return code;
}

int sw_optim_own(sw_optim *o, size_t from, size_t to, sw_err *err) {
  SW_ASSERT(from <= to && to <= o->count);
  o->from = from;
  o->to = to;
  sw_aligned_free(o->m);
  sw_aligned_free(o->v);
  o->m = sw_aligned_alloc(sizeof(float) * o->count);
  o->v = sw_aligned_alloc(sizeof(float) * o->count);
  if (!o->m || !o->v) return sw_no_memory_for(err, "the moments");
  memset(o->m + from, 0, sizeof(float) * (to - from));
  memset(o->v + from, 0, sizeof(float) * (to - from));
  return SW_OK;
}

float *sw_optim_first_moments(sw_optim *o) { return o->m; }
float *sw_optim_second_moments(sw_optim *o) { return o->v; }
void sw_optim_set_steps(sw_optim *o, int64_t steps) {
  SW_ASSERT(o && steps >= 0);
  o->step = steps;
}

static void norm_region(void *context, int rank, int size) {
  step_job *job = context;
  sw_optim *o = job->o;
  size_t from, to;
  nn_set_float_mode();
  sw_share(o->count, CHUNK, rank, size, &from, &to);
  for (size_t i = from; i < to; i += CHUNK)
    o->partial[i / CHUNK] = o->net->kernels->sum_squares(
        to - i < CHUNK ? to - i : CHUNK, job->gradient + i);
}

static void adamw(step_job *job, size_t from, size_t to, float decay) {
  sw_optim *o = job->o;
  o->net->kernels->adamw(
      to - from, o->net->weights + from, job->gradient + from, o->m + from,
      o->v + from, job->lr, (float)o->config.beta1, (float)o->config.beta2,
      (float)o->config.eps, decay, job->c1, job->c2, job->clip);
}

/* This member's share of what lies between the matrices of Muon, then its
 * share of these. */
static void step_region(void *context, int rank, int size) {
  step_job *job = context;
  sw_optim *o = job->o;
  size_t from, to, at;
  nn_set_float_mode();
  sw_share(o->to - o->from, CHUNK, rank, size, &from, &to);
  from += o->from;
  to += o->from;
  at = from;
  for (int i = 0; i < o->parts && at < to; i++) {
    size_t stop = o->part[i].end < to ? o->part[i].end : to;
    if (at >= stop) continue;
    if (o->part[i].how != MUON)
      adamw(job, at, stop, o->part[i].how == ADAMW ? job->decay : 0.0f);
    at = stop;
  }
  sw_muon_rates rates = {.lr = job->lr * (float)o->config.matrix_rate,
                         .decay = job->decay,
                         .beta = (float)o->config.momentum,
                         .clip = job->clip};
  int first = 0, mine = 0; /* no matrix is in two parts */
  while (first < o->matrices && (size_t)o->matrix[first].offset < o->from)
    first++;
  while (first + mine < o->matrices &&
         (size_t)o->matrix[first + mine].offset < o->to)
    mine++;
  for (int i = first + rank; i < first + mine; i += size)
    sw_muon_step(o->net->kernels, &o->matrix[i], o->net->weights, job->gradient,
                 o->m, &rates, o->scratch + o->scratch_size * (size_t)rank);
}

double sw_optim_norm(sw_optim *o, float *gradient) {
  SW_ASSERT(o && gradient);
  step_job job = {.o = o, .gradient = gradient};
  sw_team_run(o->team, norm_region, &job);
  double sum = 0;
  for (size_t i = 0; i * CHUNK < o->count; i++) sum += o->partial[i];
  return sqrt(sum);
}

void sw_optim_step(sw_optim *o, float *gradient, double *norm, double *lr) {
  double found = sw_optim_norm(o, gradient);
  sw_optim_step_by_norm(o, gradient, found, lr);
  if (norm) *norm = found;
}

void sw_optim_step_by_norm(sw_optim *o, float *gradient, double norm,
                           double *lr) {
  SW_ASSERT(o && gradient);
  SW_ASSERT(o->from <= o->to && o->to <= o->count);
  step_job job = {.o = o, .gradient = gradient};
  double factor = 1;
  if (o->config.clip > 0 && o->config.clip / (norm + 1e-6) < 1)
    factor = o->config.clip / (norm + 1e-6);
  double rate = o->config.lr * sw_schedule(&o->config, o->step);
  double t = (double)++o->step;
  job.lr = (float)rate;
  job.decay = (float)(rate * o->config.weight_decay);
  job.c1 = (float)(1 / (1 - pow(o->config.beta1, t)));
  job.c2 = (float)(1 / (1 - pow(o->config.beta2, t)));
  job.clip = (float)factor;
  sw_team_run(o->team, step_region, &job);
  sw_net_changed(o->net);
  if (lr) *lr = rate;
}

int64_t sw_optim_steps_done(const sw_optim *o) { return o->step; }

/* Moments and step, as a checkpoint keeps them. */
static void hash_text(const sw_optim *o, char *text, size_t room) {
  size_t bytes = sizeof(float) * o->count;
  uint64_t hash = sw_xxh64(o->v, bytes, sw_xxh64(o->m, bytes, 0));
  snprintf(text, room, "%016" PRIx64, sw_xxh64(&o->step, sizeof o->step, hash));
}

int sw_optim_save(const sw_optim *o, const char *path, const char *const *meta,
                  int meta_pairs, sw_err *err) {
  char hash[24];
  const char **all = calloc(2 * (size_t)meta_pairs + 2, sizeof *all);
  if (!all) return sw_no_memory_for(err, "%s", path);
  for (int i = 0; i < 2 * meta_pairs; i++) all[i] = meta[i];
  hash_text(o, hash, sizeof hash);
  all[2 * meta_pairs] = "moments_xxh64";
  all[2 * meta_pairs + 1] = hash;
  sw_st_spec spec[] = {{.name = "m",
                        .dtype = SW_ST_F32,
                        .dims = 1,
                        .shape = {(int64_t)o->count},
                        .data = o->m},
                       {.name = "v",
                        .dtype = SW_ST_F32,
                        .dims = 1,
                        .shape = {(int64_t)o->count},
                        .data = o->v},
                       {.name = "step",
                        .dtype = SW_ST_I64,
                        .dims = 1,
                        .shape = {1},
                        .data = &o->step}};
  int code = sw_st_write(path, spec, 3, all, meta_pairs + 1, err);
  free(all);
  return code;
}

static int read_state(sw_optim *o, const sw_st_file *file, const char *path,
                      sw_err *err) {
  const sw_st_tensor *m = sw_st_find(file, "m"), *v = sw_st_find(file, "v");
  const sw_st_tensor *step = sw_st_find(file, "step");
  SW_TRY(sw_st_check_format(file, "optimizer", path, err));
  if (!m || !v || !step || step->dtype != SW_ST_I64 || step->count != 1)
    return sw_fail(err, SW_DATA, "%s: no optimizer state (m, v, step)", path);
  if (m->count != (int64_t)o->count || v->count != (int64_t)o->count)
    return sw_fail(err, SW_DATA,
                   "%s: state of %lld parameters, the model trains %zu", path,
                   (long long)m->count, o->count);
  int64_t done;
  memcpy(&done, step->data, sizeof done);
  if (done < 0)
    return sw_fail(err, SW_DATA, "%s: step %lld", path, (long long)done);
  SW_TRY(sw_st_copy_f32(m, o->m, m->count, err));
  SW_TRY(sw_st_copy_f32(v, o->v, v->count, err));
  o->step = done;
  char hash[24];
  const char *kept = sw_st_meta(file, "moments_xxh64"); /* older: none */
  hash_text(o, hash, sizeof hash);
  if (!kept || !strcmp(kept, hash)) return SW_OK;
  sw_fail(err, SW_DATA, "%s: the moments' hash is %s, the metadata says %.40s",
          path, hash, kept);
  return sw_hint(err, "the file is damaged or was edited");
}

int sw_optim_load(sw_optim *o, const char *path, sw_err *err) {
  sw_st_file *file = NULL;
  SW_TRY(sw_st_open(&file, path, err));
  int code = read_state(o, file, path, err);
  sw_st_close(file);
  return code;
}
