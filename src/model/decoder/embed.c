/* Input rows: slots, token + position embeddings, and their gradients. A row
 * of an embedding table gets the sum over its occurrences in ascending order
 * of position; members own table rows, so the sum never depends on threads. */
#include <string.h>
#include "model/decoder/pass.h"
#include "model/embedding.h"
#include "model/decoder/rows.h"
#include "trace/mask.h"

void sw_embed_forward(sw_job *job, int rank, int size) {
  sw_pass *pass = job->pass;
  const sw_model *model = pass->model;
  const sw_example *ex = job->example;
  ptrdiff_t d = model->config.d;
  int from, to;
  float *x = pass->layer[0].x;
  sw_rows_share(pass->plan.low, pass->plan.high, SW_ROW_GRAIN, rank, size,
                &from, &to);
  for (int r = from; r < to; r++)
    sw_rows_embed(model, r, ex->token, ex->position, ex->position + ex->length,
                  x + r * d);
  nn_dropout drop = sw_drop_at(job, 0, SW_DROP_EMBED, 0);
  if (drop.threshold && from < to)
    model->kernels->dropout_scale(to - from, (int)d, x + from * d, d, 1.0f,
                                  &drop, (uint32_t)from, x + from * d, d);
}

/* sum = rows of dx of the tokens order[begin..end). */
static void sum_rows(const sw_pass *pass, int begin, int end, float *sum) {
  ptrdiff_t d = pass->model->config.d;
  int slots = pass->model->config.slots;
  memset(sum, 0, sizeof(float) * (size_t)d);
  for (int i = begin; i < end; i++)
    pass->model->kernels->add((size_t)d,
                              pass->dx + (slots + pass->order[i]) * d, sum);
}

static void token_rows(sw_job *job, int rank, int size) {
  sw_pass *pass = job->pass;
  const sw_model *model = pass->model;
  ptrdiff_t d = model->config.d;
  float *sum = pass->member[rank].norm;
  float *gradient = job->gradient + model->params.offset[SW_P_TOKEN];
  int from, to;
  sw_rows_share(0, model->config.vocab, SW_ROW_GRAIN, rank, size, &from, &to);
  for (int v = from; v < to; v++)
    if (pass->order_start[v] < pass->order_start[v + 1]) {
      sum_rows(pass, pass->order_start[v], pass->order_start[v + 1], sum);
      model->kernels->add((size_t)d, sum, pass->token_grad + v * d);
    }
  if (!job->alone)
    model->kernels->add((size_t)((to - from) * d), pass->token_grad + from * d,
                        gradient + from * d);
}

/* Rows of the position table, or of the table of places. */
static void table_rows(sw_job *job, sw_param_id table, int rows, int rank,
                       int size) {
  sw_pass *pass = job->pass;
  const sw_model *model = pass->model;
  ptrdiff_t d = model->config.d;
  float *sum = pass->member[rank].norm;
  float *gradient = job->gradient + model->params.offset[table];
  int from, to;
  sw_rows_share(0, rows, 1, rank, size, &from, &to);
  for (int p = from; p < to; p++)
    if (pass->order_start[p] < pass->order_start[p + 1]) {
      sum_rows(pass, pass->order_start[p], pass->order_start[p + 1], sum);
      model->kernels->add((size_t)d, sum, gradient + p * d);
    }
}

void sw_embed_backward(sw_job *job, int rank, int size) {
  sw_pass *pass = job->pass;
  const sw_model *model = pass->model;
  ptrdiff_t d = model->config.d;
  int slots = model->config.slots, low = pass->plan.low, from, to;
  nn_dropout drop = sw_drop_at(job, 0, SW_DROP_EMBED, 0);
  sw_rows_share(low, pass->plan.high, SW_ROW_GRAIN, rank, size, &from, &to);
  if (drop.threshold && from < to)
    model->kernels->dropout_scale(to - from, (int)d, pass->dx + from * d, d,
                                  1.0f, &drop, (uint32_t)from,
                                  pass->dx + from * d, d);
  for (int r = from; r < to && r < slots; r++)
    model->kernels->add(
        (size_t)d, pass->dx + r * d,
        job->gradient + model->params.offset[SW_P_SLOT] + r * d);
  int begin = low > slots ? low - slots : 0, end = pass->plan.high - slots;
  if (rank == 0)
    sw_sort_by_key(job->example->token, begin, end, model->config.vocab,
                   pass->order, pass->order_start);
  sw_team_barrier(pass->team);
  token_rows(job, rank, size);
  const int32_t *id = job->example->position;
  const struct {
    sw_param_id table;
    int rows;
    const int32_t *key;
  } tables[] = {{SW_P_POSITION, model->config.positions, id},
                {SW_P_PLACE, model->config.places, id + job->example->length}};
  for (int i = 0; i < 2; i++) {
    if (!tables[i].rows) continue;
    sw_team_barrier(pass->team);
    if (rank == 0)
      sw_sort_by_key(tables[i].key, begin, end, tables[i].rows, pass->order,
                     pass->order_start);
    sw_team_barrier(pass->team);
    table_rows(job, tables[i].table, tables[i].rows, rank, size);
  }
}
