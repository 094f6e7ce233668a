/* The tied output head on the rows that were asked for: final norm, logits,
 * cross-entropy (or the caller's objective) and their gradients. Logits exist
 * for SW_HEAD_ROWS rows at a time, except where the caller wants them all. */
#include <string.h>
#include "base/argmax.h"
#include "model/decoder/verify.h"

static void final_norm(sw_job *job, int rank, int size) {
  sw_pass *pass = job->pass;
  const sw_model *model = pass->model;
  ptrdiff_t d = model->config.d;
  int from, to;
  sw_rows_share(0, pass->plan.live, SW_LIVE_GRAIN, rank, size, &from, &to);
  model->kernels->layer_norm(
      to - from, (int)d, pass->out + from * d, sw_weight(model, SW_P_LNF_W, 0),
      sw_weight(model, SW_P_LNF_B, 0), pass->final + from * d,
      pass->final_mean + from, pass->final_rstd + from);
}

/* Logits of wanted rows begin..end into out (row 0 = begin). */
static void logits_of(sw_job *job, int begin, int from, int to, float *out) {
  sw_pass *pass = job->pass;
  const sw_model *model = pass->model;
  ptrdiff_t d = model->config.d, vocab = model->config.vocab;
  for (int i = from; i < to; i++)
    memcpy(pass->head_in + (i - begin) * d, pass->final + pass->head_row[i] * d,
           sizeof(float) * (size_t)d);
  model->kernels->gemm(to - from, (int)vocab, (int)d,
                       pass->head_in + (from - begin) * d, d,
                       sw_packed_head(model, SW_FORWARD),
                       out + (from - begin) * vocab, vocab, 0, NULL);
}

static void losses_of(sw_job *job, int begin, int from, int to) {
  sw_pass *pass = job->pass;
  const sw_model *model = pass->model;
  ptrdiff_t vocab = model->config.vocab;
  float *rows = pass->logits + (from - begin) * vocab;
  for (int i = from; i < to; i++)
    pass->best[i] = sw_argmax(rows + (i - from) * vocab, (int32_t)vocab);
  for (int i = from, end; i < to; i = end) { /* runs of equal weight */
    for (end = i + 1; end < to && pass->asked[end] == pass->asked[i];) end++;
    model->kernels->cross_entropy(
        end - i, (int)vocab, rows + (i - from) * vocab, vocab, pass->target + i,
        job->weight[pass->asked[i]], pass->loss + i);
  }
}

/* Gradients of the piece begin..end from d(logits): rows of dhead, then this
 * member's rows of token_grad (summed over pieces in ascending order). */
static void head_gradients(sw_job *job, int begin, int end, int rank,
                           int size) {
  sw_pass *pass = job->pass;
  const sw_model *model = pass->model;
  const nn_kernels *k = model->kernels;
  ptrdiff_t d = model->config.d, vocab = model->config.vocab;
  int from, to;
  sw_rows_share(begin, end, SW_LIVE_GRAIN, rank, size, &from, &to);
  k->gemm(to - from, (int)d, (int)vocab, pass->logits + (from - begin) * vocab,
          vocab, sw_packed_head(model, SW_BACKWARD),
          pass->dhead + (from - begin) * d, d, 0, NULL);
  sw_rows_share(0, (int)vocab, SW_ROW_GRAIN, rank, size, &from, &to);
  k->gemm_tn((int)vocab, (int)d, end - begin, pass->logits, vocab,
             pass->head_in, d, pass->token_grad, d, begin > 0, from, to,
             pass->member[rank].product);
}

/* dfinal of the piece's rows; a row asked for twice gets both. */
static void spread(sw_job *job, int begin, int end) {
  sw_pass *pass = job->pass;
  ptrdiff_t d = pass->model->config.d;
  for (int i = begin; i < end; i++)
    pass->model->kernels->add((size_t)d, pass->dhead + (i - begin) * d,
                              pass->dfinal + pass->head_row[i] * d);
}

static void final_norm_backward(sw_job *job, int rank, int size) {
  sw_pass *pass = job->pass;
  const sw_model *model = pass->model;
  const nn_kernels *k = model->kernels;
  ptrdiff_t d = model->config.d;
  int from, to;
  sw_rows_share(0, pass->plan.live, SW_LIVE_GRAIN, rank, size, &from, &to);
  memset(pass->dx_live + from * d, 0,
         sizeof(float) * (size_t)((to - from) * d));
  k->layer_norm_dx(to - from, (int)d, pass->dfinal + from * d,
                   pass->out + from * d, sw_weight(model, SW_P_LNF_W, 0),
                   pass->final_mean + from, pass->final_rstd + from,
                   pass->dx_live + from * d);
  sw_rows_share(0, (int)d, 16, rank, size, &from, &to);
  if (from == to) return;
  float *dw = pass->norm_grad, *db = dw + d;
  memset(dw + from, 0, sizeof(float) * (size_t)(to - from));
  memset(db + from, 0, sizeof(float) * (size_t)(to - from));
  k->layer_norm_dwb(pass->plan.live, (int)d, pass->dfinal, pass->out,
                    pass->final_mean, pass->final_rstd, dw, db, from, to);
  float *sum = job->gradient + model->params.offset[SW_P_LNF_W];
  k->add((size_t)(to - from), dw + from, sum + from);
  sum = job->gradient + model->params.offset[SW_P_LNF_B];
  k->add((size_t)(to - from), db + from, sum + from);
}

static void copy_hidden(sw_job *job, int rank, int size) {
  sw_pass *pass = job->pass;
  ptrdiff_t d = pass->model->config.d;
  int from, to;
  sw_rows_share(0, job->count, 1, rank, size, &from, &to);
  for (int i = from; i < to; i++)
    memcpy(job->rows_out + i * d, pass->final + pass->head_row[i] * d,
           sizeof(float) * (size_t)d);
}

/* One piece of wanted rows; returns with all members in step. */
static void head_piece(sw_job *job, int begin, int end, int rank, int size) {
  sw_pass *pass = job->pass;
  ptrdiff_t vocab = pass->model->config.vocab;
  int from, to;
  sw_rows_share(begin, end, SW_LIVE_GRAIN, rank, size, &from, &to);
  int direct = job->kind == SW_JOB_LOGITS;
  if (from < to)
    logits_of(job, begin, from, to,
              direct ? job->rows_out + begin * vocab : pass->logits);
  if (from < to && job->kind == SW_JOB_LOSS) losses_of(job, begin, from, to);
  if (job->kind == SW_JOB_CUSTOM) {
    sw_team_barrier(pass->team);
    if (rank == 0)
      job->code = job->custom(job->context, pass->logits, job->count,
                              (int32_t)vocab, job->err);
  }
  if (!job->training && end == job->count) return;
  sw_team_barrier(pass->team);
  /* The next piece may be shorter and shared in another way: without the
   * barrier it would overwrite rows that a slower member still reads. */
  if (!job->training || job->code) return;
  head_gradients(job, begin, end, rank, size);
  sw_team_barrier(pass->team);
  if (rank == 0) spread(job, begin, end);
  sw_team_barrier(pass->team); /* the next piece overwrites logits, dhead */
}

void sw_head(sw_job *job, int rank, int size) {
  sw_pass *pass = job->pass;
  ptrdiff_t d = pass->model->config.d;
  final_norm(job, rank, size);
  if (job->training && rank == 0)
    memset(pass->dfinal, 0, sizeof(float) * (size_t)(pass->plan.live * d));
  sw_team_barrier(pass->team);
  if (job->kind == SW_JOB_HIDDEN) {
    copy_hidden(job, rank, size);
    return;
  }
  int step = job->kind == SW_JOB_CUSTOM ? job->count : SW_HEAD_ROWS;
  for (int begin = 0; begin < job->count && !job->code; begin += step) {
    int end = job->count - begin < step ? job->count : begin + step;
    head_piece(job, begin, end, rank, size);
  }
  if (pass->verify.count && !job->code) {
    if (rank == 0) sw_verify_run(job, pass->member[0].product);
    sw_team_barrier(pass->team);
  }
  if (job->training && !job->code) final_norm_backward(job, rank, size);
}
