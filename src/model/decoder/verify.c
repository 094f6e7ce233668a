/* The verify head, forward and backward (see verify.h). Rows are taken in the
 * order of the trace; every sum over rows ascends and starts from zero, and is
 * added to the caller's gradient once. */
#include "model/decoder/verify.h"
#include <math.h>
#include <string.h>
#include "base/arena.h"

/* Two classes: too few columns for the kernels. One ascending chain each. */
static void classes(const sw_model *model, const float *h, int32_t count,
                    float *z) {
  const float *w = sw_weight(model, SW_P_VERIFY_4_W, 0);
  const float *b = sw_weight(model, SW_P_VERIFY_4_B, 0);
  int d = model->config.d;
  for (int32_t i = 0; i < count; i++)
    for (int c = 0; c < 2; c++) {
      float sum = 0;
      for (int k = 0; k < d; k++)
        sum = fmaf(h[(ptrdiff_t)i * d + k], w[c * d + k], sum);
      z[2 * i + c] = sum + b[c];
    }
}

void sw_verify_scores(const sw_model *model, const float *rows, int32_t count,
                      float *scratch, float *dead) {
  int d = model->config.d;
  float *norm = scratch, *h = scratch + (ptrdiff_t)count * d;
  nn_set_float_mode();
  model->kernels->layer_norm(
      count, d, rows, sw_weight(model, SW_P_VERIFY_LN_W, 0),
      sw_weight(model, SW_P_VERIFY_LN_B, 0), norm, NULL, NULL);
  nn_epilogue end = {.bias = sw_weight(model, SW_P_VERIFY_1_B, 0)};
  model->kernels->gemm(count, d, d, norm, d,
                       sw_packed_verify(model, SW_FORWARD), h, d, 0, &end);
  model->kernels->gelu_forward((size_t)count * (size_t)d, h, h);
  for (int32_t i = 0; i < count; i++) {
    float z[2];
    classes(model, h + (ptrdiff_t)i * d, 1, z);
    dead[i] = (float)(1.0 / (1.0 + exp((double)z[0] - (double)z[1])));
  }
}

int sw_model_verdicts(sw_model *model, const float *rows, int32_t count,
                      float *dead, sw_err *err) {
  size_t floats = 2 * (size_t)count * (size_t)model->config.d;
  float *scratch = sw_aligned_alloc(sizeof(float) * (floats + 1));
  if (!scratch) return sw_no_memory_for(err, "%d verdicts", count);
  int code = sw_packed_reserve(model, SW_FORWARD, err);
  if (!code) {
    if (!model->fresh[SW_FORWARD]) sw_packed_fill(model, SW_FORWARD, 0, 1);
    model->fresh[SW_FORWARD] = 1;
    sw_verify_scores(model, rows, count, scratch, dead);
  }
  sw_aligned_free(scratch);
  return code;
}

void sw_verify_room(sw_verify *v, const sw_model *model, size_t count,
                    int training, sw_verify_take take, void *context) {
  size_t d = (size_t)model->config.d, rows = sizeof(float) * count * d;
  v->row = take(context, sizeof *v->row * count);
  v->target = take(context, sizeof *v->target * count);
  v->loss = take(context, sizeof *v->loss * count);
  v->z = take(context, sizeof(float) * 2 * count);
  v->mean = take(context, sizeof(float) * count);
  v->rstd = take(context, sizeof(float) * count);
  v->in = take(context, rows);
  v->norm = take(context, rows);
  v->pre = take(context, rows);
  v->h = take(context, rows);
  if (!training) return;
  v->dh = take(context, rows);
  v->dnorm = take(context, rows);
  v->weights = take(context, sizeof(float) * (d * d + 4 * d));
}

void sw_verify_plan(sw_job *job) {
  sw_pass *pass = job->pass;
  sw_verify *v = &pass->verify;
  const uint8_t *verdict = job->example->verdict;
  v->count = 0;
  if (!pass->model->config.verify || job->kind != SW_JOB_LOSS || !verdict)
    return;
  for (int32_t i = 0; i < job->count; i++)
    if (verdict[job->wanted[i]] != SW_UNJUDGED) {
      v->row[v->count] = pass->head_row[i];
      v->target[v->count++] = verdict[job->wanted[i]] == SW_DEAD;
    }
}

static nn_dropout dropout(const sw_job *job) {
  return sw_drop_at(job, job->pass->model->config.layers, SW_DROP_VERIFY, 0);
}

static void forward(sw_job *job) {
  sw_pass *pass = job->pass;
  const sw_model *model = pass->model;
  const nn_kernels *k = model->kernels;
  sw_verify *v = &pass->verify;
  ptrdiff_t d = model->config.d;
  for (int32_t i = 0; i < v->count; i++)
    memcpy(v->in + i * d, pass->final + v->row[i] * d,
           sizeof(float) * (size_t)d);
  k->layer_norm(v->count, (int)d, v->in, sw_weight(model, SW_P_VERIFY_LN_W, 0),
                sw_weight(model, SW_P_VERIFY_LN_B, 0), v->norm, v->mean,
                v->rstd);
  nn_epilogue end = {.bias = sw_weight(model, SW_P_VERIFY_1_B, 0),
                     .pre = v->pre,
                     .drop = dropout(job)};
  k->gemm(v->count, (int)d, (int)d, v->norm, d,
          sw_packed_verify(model, SW_FORWARD), v->h, d, 0, &end);
  classes(model, v->h, v->count, v->z);
  v->loss_sum = 0;
  v->hits = 0;
  for (int32_t i = 0; i < v->count; i++)
    v->hits += (v->z[2 * i + 1] > v->z[2 * i]) == v->target[i];
  k->cross_entropy(v->count, 2, v->z, 2, v->target,
                   job->weight[SW_LOSS_VERDICT], v->loss);
  for (int32_t i = 0; i < v->count; i++) v->loss_sum += v->loss[i];
}

static void add_to(const sw_job *job, sw_param_id id, const float *from,
                   int64_t count) {
  const sw_model *model = job->pass->model;
  model->kernels->add((size_t)count, from,
                      job->gradient + model->params.offset[id]);
}

/* Gradient of Linear(d, 2), and dh. */
static void classes_backward(sw_job *job) {
  sw_verify *v = &job->pass->verify;
  const sw_model *model = job->pass->model;
  const float *w = sw_weight(model, SW_P_VERIFY_4_W, 0);
  int d = model->config.d;
  float *dw = v->weights, db[2] = {0, 0};
  memset(dw, 0, sizeof(float) * 2 * (size_t)d);
  for (int32_t i = 0; i < v->count; i++) {
    const float *dz = v->z + 2 * i, *h = v->h + (ptrdiff_t)i * d;
    float *dh = v->dh + (ptrdiff_t)i * d;
    for (int k = 0; k < d; k++) {
      dw[k] = fmaf(dz[0], h[k], dw[k]);
      dw[d + k] = fmaf(dz[1], h[k], dw[d + k]);
      dh[k] = fmaf(dz[1], w[d + k], dz[0] * w[k]);
    }
    db[0] += dz[0];
    db[1] += dz[1];
  }
  add_to(job, SW_P_VERIFY_4_W, dw, 2 * d);
  add_to(job, SW_P_VERIFY_4_B, db, 2);
}

/* Gradient of Linear(d, d), and dnorm; a product takes SW_PIECE rows. */
static void linear_backward(sw_job *job, float *product) {
  sw_verify *v = &job->pass->verify;
  const sw_model *model = job->pass->model;
  const nn_kernels *k = model->kernels;
  int d = model->config.d;
  float *dw = v->weights, *db = dw + (ptrdiff_t)d * d;
  nn_dropout drop = dropout(job);
  k->gelu_backward(v->count, d, v->dh, d, v->pre, d, v->dh, d, NULL, d, &drop,
                   0);
  for (int from = 0; from < v->count; from += SW_PIECE) {
    int rows = v->count - from < SW_PIECE ? v->count - from : SW_PIECE;
    const float *dy = v->dh + (ptrdiff_t)from * d;
    k->gemm_tn(d, d, rows, dy, d, v->norm + (ptrdiff_t)from * d, d, dw, d,
               from > 0, 0, d, product);
    k->column_sum(rows, dy, d, db, from > 0, 0, d);
  }
  add_to(job, SW_P_VERIFY_1_W, dw, (int64_t)d * d);
  add_to(job, SW_P_VERIFY_1_B, db, d);
  k->gemm(v->count, d, d, v->dh, d, sw_packed_verify(model, SW_BACKWARD),
          v->dnorm, d, 0, NULL);
}

/* Through the norm into dfinal; dh is reused for it. */
static void norm_backward(sw_job *job) {
  sw_pass *pass = job->pass;
  sw_verify *v = &pass->verify;
  const sw_model *model = pass->model;
  const nn_kernels *k = model->kernels;
  int d = model->config.d;
  float *dw = v->weights, *db = dw + d;
  memset(dw, 0, sizeof(float) * 2 * (size_t)d);
  k->layer_norm_dwb(v->count, d, v->dnorm, v->in, v->mean, v->rstd, dw, db, 0,
                    d);
  add_to(job, SW_P_VERIFY_LN_W, dw, d);
  add_to(job, SW_P_VERIFY_LN_B, db, d);
  memset(v->dh, 0, sizeof(float) * (size_t)v->count * (size_t)d);
  k->layer_norm_dx(v->count, d, v->dnorm, v->in,
                   sw_weight(model, SW_P_VERIFY_LN_W, 0), v->mean, v->rstd,
                   v->dh);
  for (int32_t i = 0; i < v->count; i++)
    k->add((size_t)d, v->dh + (ptrdiff_t)i * d,
           pass->dfinal + (ptrdiff_t)v->row[i] * d);
}

void sw_verify_run(sw_job *job, float *product) {
  if (job->pass->verify.count == 0) return;
  forward(job);
  if (!job->training) return;
  classes_backward(job);
  linear_backward(job, product);
  norm_backward(job);
}
