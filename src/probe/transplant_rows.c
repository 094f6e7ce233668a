/* Full-path logits of points (see transplant_rows.h). */
#include "probe/transplant_rows.h"
#include <stdlib.h>
#include <string.h>

static int no_memory(sw_err *err) {
  return sw_no_memory_for(err, "transplant");
}

static int compare_i64(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

int sw_transplant_choose(const sw_states *s, int64_t most, int64_t **chosen,
                         int64_t *count, sw_err *err) {
  int64_t *list = malloc(sizeof *list * (size_t)(s->groups + 1)), n = 0;
  if (!list) return no_memory(err);
  if (most <= 0 || most > s->groups) most = s->groups;
  for (int64_t k = 64; k >= 2 && n < most; k--)
    for (int64_t g = 0; g < s->groups && n < most; g++)
      if (s->group[g].count == k) list[n++] = g;
  qsort(list, (size_t)n, sizeof *list, compare_i64);
  *chosen = list;
  *count = n;
  return 0;
}

void sw_transplant_rows_free(sw_transplant_rows *r) {
  free(r->slot);
  free(r->logits);
  memset(r, 0, sizeof *r);
}

const float *sw_transplant_row(const sw_transplant_rows *r, int64_t point) {
  int64_t slot = r->slot[point];
  return slot < 0 ? NULL : r->logits + (size_t)slot * (size_t)r->vocab;
}

int sw_transplant_cut(const sw_states *s, int64_t point, sw_trace *out,
                      sw_err *err) {
  const sw_point *p = &s->point[point];
  const sw_trace *from = &s->rollout[p->rollout].trace;
  sw_trace_clear(out);
  for (int64_t b = 0; b <= p->block; b++) {
    int64_t end = b < p->block ? from->block_start[b + 1] : p->last + 1;
    sw_trace_begin_block(out);
    for (int64_t i = from->block_start[b]; i < end; i++)
      sw_trace_put(out, from->token[i], 0);
  }
  return out->failed ? no_memory(err) : 0;
}

/* Points sorted by rollout, so that each rollout is passed once. */
static int64_t wanted_points(const sw_states *s, const int64_t *chosen,
                             int64_t count, int64_t *out) {
  int64_t n = 0;
  for (int64_t i = 0; i < count; i++) {
    const sw_state_group *g = &s->group[chosen[i]];
    for (int64_t k = 0; k < g->count; k++) out[n++] = s->order[g->first + k];
  }
  qsort(out, (size_t)n, sizeof *out,
        compare_i64); /* rollouts were recorded in order */
  return n;
}

/* Rows point[0..count) of one trace; SW_LIMIT leaves them unanswered. */
static int ask_rows(sw_transplant_rows *r, const sw_states *s,
                    const int64_t *point, int64_t count, sw_asker *full,
                    sw_trace *trace, int32_t *row, sw_err *err) {
  const float *z;
  SW_TRY(sw_transplant_cut(s, point[count - 1], trace, err));
  for (int64_t i = 0; i < count; i++) row[i] = (int32_t)s->point[point[i]].last;
  int code = sw_ask_rows(full, trace, row, (int32_t)count, &z, err);
  if (code == SW_LIMIT) return 0;
  if (code) return code;
  memcpy(r->logits + (size_t)r->rows * (size_t)r->vocab, z,
         sizeof(float) * (size_t)r->vocab * (size_t)count);
  for (int64_t i = 0; i < count; i++) r->slot[point[i]] = r->rows++;
  return 0;
}

/* The largest prefix of point[0..*count) whose last state still fits. */
static int keep_fitting(const sw_states *s, const int64_t *point,
                        int64_t *count, sw_asker *full, sw_trace *trace,
                        sw_err *err) {
  for (; *count > 0; --*count) {
    SW_TRY(sw_transplant_cut(s, point[*count - 1], trace, err));
    if (sw_ask_fits(full, trace)) return SW_OK;
  }
  return SW_OK;
}

int sw_transplant_rows_fill(sw_transplant_rows *r, const sw_states *s,
                            const int64_t *chosen, int64_t count,
                            sw_asker *full, int leaky, sw_progress_fn progress,
                            void *context, sw_err *err) {
  int64_t total = 0;
  for (int64_t i = 0; i < count; i++) total += s->group[chosen[i]].count;
  memset(r, 0, sizeof *r);
  r->vocab = sw_asker_vocab(full);
  r->slot = malloc(sizeof *r->slot * (size_t)(s->points + 1));
  r->logits = malloc(sizeof(float) * (size_t)r->vocab * (size_t)(total + 1));
  int64_t *point = malloc(sizeof *point * (size_t)(total + 1));
  int32_t *row = malloc(sizeof *row * (size_t)(total + 1));
  sw_trace trace;
  sw_trace_init(&trace);
  int code = r->slot && r->logits && point && row ? 0 : no_memory(err);
  for (int64_t i = 0; !code && i < s->points; i++) r->slot[i] = -1;
  int64_t n = code ? 0 : wanted_points(s, chosen, count, point);
  for (int64_t i = 0; i < n && !code;) {
    int64_t j = i + 1;
    while (!leaky && j < n &&
           s->point[point[j]].rollout == s->point[point[i]].rollout)
      j++;
    int64_t fit = j - i;
    code = keep_fitting(s, point + i, &fit, full, &trace, err);
    if (!code && fit > 0)
      code = ask_rows(r, s, point + i, fit, full, &trace, row, err);
    i = j;
    if (progress) progress(context, NULL, i, n);
  }
  sw_trace_free(&trace);
  free(point);
  free(row);
  return code;
}
