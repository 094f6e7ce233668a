/* Tensors, packed copies and workspaces of the families that read states
 * (state_net.h). */
#include "model/state_net.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"

int64_t sw_state_tensor(sw_net *net, const char *name, int rows, int columns,
                        sw_init init, double size, int trained) {
  sw_tensor *t = &net->tensor[net->tensors++];
  *t = (sw_tensor){.dims = columns ? 2 : 1,
                   .shape = {rows, columns},
                   .count = (int64_t)rows * (columns ? columns : 1),
                   .offset = net->count,
                   .init = init,
                   .size = size,
                   .trained = trained,
                   .decay = trained};
  snprintf(t->name, sizeof t->name, "%s", name);
  net->count += t->count;
  if (trained) net->trained = net->count;
  return t->offset;
}

int sw_state_pack(const sw_net *net, sw_state_matrix *matrix, int count,
                  int *stale, sw_err *err) {
  const nn_kernels *k = net->kernels;
  if (!*stale) return SW_OK;
  for (int i = 0; i < count; i++) {
    sw_state_matrix *m = &matrix[i];
    const float *w = net->weights + m->weight;
    if (!m->forward)
      m->forward =
          sw_aligned_alloc(sizeof(float) * k->packed_size(m->out, m->in));
    if (!m->back && !m->first)
      m->back = sw_aligned_alloc(sizeof(float) * k->packed_size(m->in, m->out));
    if (!m->forward || (!m->back && !m->first))
      return sw_no_memory_for(err, "packed weights");
    k->pack_nt(m->out, m->in, w, m->ld, m->forward, 0, m->out);
    if (!m->first) k->pack_nn(m->in, m->out, w, m->ld, m->back, 0, m->in);
  }
  *stale = 0;
  return SW_OK;
}

void sw_state_unpack(sw_state_matrix *matrix, int count) {
  for (int i = 0; i < count; i++) {
    sw_aligned_free(matrix[i].forward);
    sw_aligned_free(matrix[i].back);
  }
}

size_t sw_state_scratch(const sw_net *net, const sw_state_matrix *matrix,
                        int count, int32_t rows) {
  size_t most = 0;
  for (int i = 0; i < count; i++) {
    size_t need =
        net->kernels->gemm_tn_scratch(matrix[i].out, matrix[i].in, rows);
    if (need > most) most = need;
  }
  return most;
}

void sw_state_standardise(sw_net *net, int64_t mean_at, int64_t scale_at,
                          int columns, const double *mean,
                          const double *deviation) {
  for (int k = 0; k < columns; k++) {
    net->weights[mean_at + k] = (float)mean[k];
    net->weights[scale_at + k] =
        (float)(deviation[k] < 1e-6 ? 1 : 1 / deviation[k]);
  }
  sw_net_changed(net);
}

/* ---- a workspace ---- */

static int one_item(void *context, int member, sw_item *item, float *part,
                    sw_err *err) {
  const sw_state_work *w = context;
  const sw_record *r = &item->record;
  if (!r->target || r->heads != SW_STATE_HEADS)
    return sw_fail(err, SW_USAGE, "records of %d heads, the model has %d",
                   r->target ? r->heads : 0, SW_STATE_HEADS);
  return w->kind->one(context, member, item, part, err);
}

int sw_state_work_new(sw_work **work, sw_net *net, sw_team *team,
                      const sw_state_kind *kind, sw_err *err) {
  sw_state_work *w = calloc(1, sizeof *w);
  int members = sw_team_size(team);
  if (w) w->pass = calloc((size_t)members, kind->pass_size);
  if (!w || !w->pass) {
    free(w);
    return sw_no_memory_for(err, "a workspace");
  }
  w->work.net = net;
  w->kind = kind;
  w->members = members;
  w->items =
      (sw_item_team){.net = net, .team = team, .fn = one_item, .context = w};
  *work = &w->work;
  return SW_OK;
}

int sw_state_row(const sw_item *item, int32_t row, const char *what,
                 sw_err *err) {
  if (row >= 0 && row < sw_item_rows(item)) return SW_OK;
  return sw_fail(err, SW_USAGE, "row %d of %d %s", row, sw_item_rows(item),
                 what);
}

void sw_state_work_free(sw_work *work) {
  sw_state_work *w = (sw_state_work *)work;
  for (int i = 0; i < w->members; i++) w->kind->pass_free(sw_state_pass(w, i));
  free(w->pass);
  sw_item_team_free(&w->items);
  free(w);
}

int sw_state_batch(sw_work *work, sw_item *item, int32_t count, float *gradient,
                   sw_err *err) {
  sw_state_work *w = (sw_state_work *)work;
  SW_TRY(w->kind->pack(work->net, err));
  return sw_item_team_batch(&w->items, item, count, gradient, err);
}

int sw_state_parts(sw_work *work, sw_item *item, int32_t count,
                   float *const *part, sw_err *err) {
  sw_state_work *w = (sw_state_work *)work;
  SW_TRY(w->kind->pack(work->net, err));
  return sw_item_team_parts(&w->items, item, count, part, err);
}

size_t sw_state_bytes(const sw_work *work) {
  const sw_state_work *w = (const sw_state_work *)work;
  size_t sum =
      w->items.space ? sizeof(float) * w->items.stride * (size_t)w->members : 0;
  for (int i = 0; i < w->members; i++)
    sum += w->kind->pass_bytes(sw_state_pass(w, i));
  return sum;
}
