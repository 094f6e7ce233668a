/* Liveness of rows and clipped span lists; see live_rows.h. */
#include "model/decoder/live_rows.h"
#include <stdlib.h>

void sw_plan_free(sw_plan *plan) {
  free(plan->live_row);
  free(plan->live_index);
  free(plan->span);
  free(plan->last);
  *plan = (sw_plan){0};
}

static int32_t min32(int32_t a, int32_t b) { return a < b ? a : b; }
static int32_t max32(int32_t a, int32_t b) { return a > b ? a : b; }

/* Keys of a run that key row q may see: [*from, *to). */
static void visible(const nn_run *run, int32_t q, int32_t *from, int32_t *to) {
  *from = run->window ? max32(run->begin, q - run->window + 1) : run->begin;
  *to = run->causal ? min32(run->end, q + 1) : run->end;
}

int32_t sw_spans_clip(const sw_mask *mask, int32_t begin, int32_t end,
                      int32_t shift, nn_span *out, int32_t room) {
  int32_t count = 0;
  for (int32_t i = 0; i < mask->spans && count < room; i++) {
    const sw_span *s = &mask->span[i];
    int32_t from = max32(s->begin, begin), to = min32(s->end, end);
    if (from >= to) continue;
    nn_span *o = &out[count++];
    *o = (nn_span){.begin = from - shift, .end = to - shift, .runs = s->runs};
    for (int32_t r = 0; r < s->runs; r++)
      o->run[r] = (nn_run){s->run[r].begin, s->run[r].end, s->run[r].causal,
                           s->run[r].window};
  }
  return count;
}

int64_t sw_spans_pairs(const nn_span *span, int32_t count, int32_t shift) {
  int64_t pairs = 0;
  for (int32_t i = 0; i < count; i++)
    for (int32_t q = span[i].begin; q < span[i].end; q++)
      for (int32_t r = 0; r < span[i].runs; r++) {
        int32_t from, to;
        visible(&span[i].run[r], q + shift + span[i].shift, &from, &to);
        pairs += max32(0, to - from);
      }
  return pairs;
}

int32_t sw_plan_live_from(const sw_plan *plan, int32_t row) {
  int32_t low = 0, high = plan->live;
  while (low < high) {
    int32_t middle = (low + high) / 2;
    if (plan->live_row[middle] < row) low = middle + 1;
    else high = middle;
  }
  return low;
}

static int reserve(sw_plan *plan, const sw_mask *mask, sw_err *err) {
  int32_t rows = plan->rows;
  if (rows > plan->room_rows) {
    free(plan->live_row);
    free(plan->live_index);
    plan->live_row = malloc(sizeof(int32_t) * (size_t)rows);
    plan->live_index = malloc(sizeof(int32_t) * (size_t)rows);
    plan->room_rows = plan->live_row && plan->live_index ? rows : 0;
  }
  if (mask->spans + 1 > plan->room_spans) {
    free(plan->span);
    plan->span = malloc(sizeof(nn_span) * (size_t)(mask->spans + 1));
    plan->room_spans = plan->span ? mask->spans + 1 : 0;
  }
  if (plan->room_rows < rows || plan->room_spans <= mask->spans)
    return sw_no_memory_for(err, "a plan of %d rows", rows);
  return SW_OK;
}

/* Marks wanted rows and lists them in ascending order. */
static int mark_live(sw_plan *plan, const sw_mask *mask, const int32_t *wanted,
                     int32_t count, sw_err *err) {
  for (int32_t r = 0; r < plan->rows; r++) plan->live_index[r] = -1;
  for (int32_t i = 0; i < count; i++) {
    if (wanted[i] < 0 || wanted[i] >= mask->length)
      return sw_fail(err, SW_USAGE, "row %d asked for, the sequence has %d",
                     wanted[i], mask->length);
    plan->live_index[mask->slots + wanted[i]] = 0;
  }
  plan->live = 0;
  for (int32_t r = 0; r < plan->rows; r++)
    if (plan->live_index[r] == 0) {
      plan->live_index[r] = plan->live;
      plan->live_row[plan->live++] = r;
    }
  return SW_OK;
}

/* Grows [low, high) until it contains every key its rows see. */
static void close_range(sw_plan *plan, const sw_mask *mask) {
  if (mask->dense || plan->live == 0) {
    plan->low = 0;
    plan->high = plan->live ? plan->rows : 0;
    return;
  }
  plan->low = plan->live_row[0];
  plan->high = plan->live_row[plan->live - 1] + 1;
  for (int changed = 1; changed;) {
    int32_t low = plan->low, high = plan->high;
    int32_t n = sw_spans_clip(mask, low, high, 0, plan->span, mask->spans);
    for (int32_t i = 0; i < n; i++)
      for (int32_t r = 0; r < plan->span[i].runs; r++) {
        int32_t from, to, end;
        visible(&plan->span[i].run[r], plan->span[i].begin, &from, &end);
        visible(&plan->span[i].run[r], plan->span[i].end - 1, &end, &to);
        if (from >= to) continue;
        low = min32(low, from);
        high = max32(high, to);
      }
    changed = low != plan->low || high != plan->high;
    plan->low = low;
    plan->high = high;
  }
}

/* Ends every run with the rows that are computed: no row sees keys from `high`
 * on, and nothing is ever written there. */
static void end_runs(sw_plan *plan) {
  for (int32_t i = 0; i < plan->spans; i++)
    for (int32_t r = 0; r < plan->span[i].runs; r++) {
      nn_run *run = &plan->span[i].run[r];
      run->end = min32(run->end, plan->high);
    }
}

/* One span per run of neighbouring live rows of a mask span, in places of the
 * live list. */
static int live_spans(sw_plan *plan, sw_err *err) {
  plan->lasts = 0;
  for (int32_t i = 0; i < plan->spans; i++)
    for (int32_t q = plan->span[i].begin; q < plan->span[i].end; q++) {
      if (plan->live_index[q] < 0) continue;
      int32_t end = q + 1;
      while (end < plan->span[i].end && plan->live_index[end] >= 0) end++;
      if (plan->lasts == plan->room_lasts) {
        int32_t room = plan->room_lasts ? 2 * plan->room_lasts : 64;
        nn_span *grown = realloc(plan->last, sizeof *grown * (size_t)room);
        if (!grown) return sw_no_memory_for(err, "%d spans", room);
        plan->last = grown;
        plan->room_lasts = room;
      }
      nn_span *span = &plan->last[plan->lasts++];
      *span = plan->span[i];
      span->begin = plan->live_index[q];
      span->end = span->begin + end - q;
      span->shift = q - span->begin;
      q = end;
    }
  return SW_OK;
}

static int64_t dense_pairs(const sw_plan *plan, const sw_mask *mask,
                           int only_live) {
  int64_t pairs = 0;
  for (int32_t q = 0; q < plan->rows; q++)
    if (!only_live || plan->live_index[q] >= 0)
      for (int32_t k = 0; k < plan->rows; k++)
        pairs += mask->dense[(size_t)q * (size_t)plan->rows + (size_t)k] != 0;
  return pairs;
}

int sw_plan_build(sw_plan *plan, const sw_mask *mask, const int32_t *wanted,
                  int32_t count, sw_err *err) {
  plan->rows = mask->slots + mask->length;
  SW_TRY(reserve(plan, mask, err));
  SW_TRY(mark_live(plan, mask, wanted, count, err));
  close_range(plan, mask);
  if (mask->dense) {
    plan->spans = plan->lasts = 0;
    plan->pairs = dense_pairs(plan, mask, 0);
    plan->last_pairs = dense_pairs(plan, mask, 1);
    return SW_OK;
  }
  plan->spans =
      sw_spans_clip(mask, plan->low, plan->high, 0, plan->span, mask->spans);
  end_runs(plan);
  SW_TRY(live_spans(plan, err));
  plan->pairs = sw_spans_pairs(plan->span, plan->spans, 0);
  plan->last_pairs = sw_spans_pairs(plan->last, plan->lasts, 0);
  return SW_OK;
}
