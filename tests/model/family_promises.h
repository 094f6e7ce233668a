/* What every family that reads states promises (model/family.h), to the bit:
 * neither threads nor company nor the cut into parts changes a gradient, and a
 * session gives the scores of `rows`. Tests of a family make a model and items
 * of it and call these; cmocka.h comes before. */
#ifndef TESTS_FAMILY_PROMISES_H
#define TESTS_FAMILY_PROMISES_H
#include <stdint.h>
#include <stdlib.h>
#include "model/family.h"
#include "trace/factor_graph.h"

static inline void must(int code, const sw_err *err) {
  if (code) fail_msg("%s", err->text);
}

/* Loss and gradient of one item on one thread; the gradient is malloc'd. */
static inline float *promise_gradient(sw_net *net, sw_item *item) {
  sw_err err = {0};
  sw_team *team;
  sw_work *work;
  float *gradient = calloc((size_t)net->count, sizeof *gradient);
  must(sw_team_new(&team, 1, &err), &err);
  must(sw_work_new(&work, net, team, &err), &err);
  must(sw_work_batch(work, item, 1, gradient, &err), &err);
  sw_work_free(work);
  sw_team_free(team);
  return gradient;
}

/* The gradient of all items by one thread, by two, and as the sum of parts in
 * their order; each item's loss is the same in all. */
static inline void promise_company(sw_net *net, sw_item *item, int items) {
  sw_err err = {0};
  size_t count = (size_t)net->trained, all = (size_t)items;
  float *sum[3], **part = malloc(sizeof *part * all);
  double *loss = malloc(sizeof *loss * all);
  for (int i = 0; i < 3; i++) sum[i] = calloc(count, sizeof(float));
  for (int i = 0; i < items; i++) part[i] = malloc(sizeof(float) * count);
  for (int threads = 1; threads <= 2; threads++) {
    sw_team *team;
    sw_work *work;
    must(sw_team_new(&team, threads, &err), &err);
    must(sw_work_new(&work, net, team, &err), &err);
    must(sw_work_batch(work, item, items, sum[threads - 1], &err), &err);
    for (int i = 0; i < items && threads == 1; i++)
      loss[i] = item[i].tally[SW_LOSS_TARGET].loss;
    must(sw_work_parts(work, item, items, part, &err), &err);
    for (int i = 0; i < items; i++)
      assert_true(loss[i] == item[i].tally[SW_LOSS_TARGET].loss);
    sw_work_free(work);
    sw_team_free(team);
  }
  for (int i = 0; i < items; i++)
    for (size_t k = 0; k < count; k++) sum[2][k] += part[i][k];
  assert_memory_equal(sum[0], sum[1], sizeof(float) * count);
  assert_memory_equal(sum[0], sum[2], sizeof(float) * count);
  for (int i = 0; i < 3; i++) free(sum[i]);
  for (int i = 0; i < items; i++) free(part[i]);
  free(part);
  free(loss);
}

/* One state of a record. */
static inline sw_record promise_state(const sw_record *record, int32_t at) {
  sw_record one = {.rows = 1, .features = record->features};
  if (record->feature) one.feature = record->feature + at * record->features;
  if (record->graph) one.graph = record->graph + at;
  return one;
}

/* The item's states in as many seats: in lock-step of 1, 7 and 64, on one
 * thread and two, with and without the cache, asked twice. */
static inline void promise_sessions(sw_net *net, const sw_item *item) {
  static const int32_t step[] = {1, 7, 64};
  sw_err err = {0};
  sw_team *team[2];
  sw_work *work;
  int32_t states = item->record.rows;
  size_t outputs = (size_t)net->outputs, all = (size_t)states;
  int32_t *row = malloc(sizeof *row * all);
  float *want = malloc(sizeof *want * outputs * all);
  const float **score = malloc(sizeof *score * all);
  for (int32_t i = 0; i < states; i++) row[i] = i;
  for (int i = 0; i < 2; i++) must(sw_team_new(&team[i], i + 1, &err), &err);
  must(sw_work_new(&work, net, team[0], &err), &err);
  must(sw_work_rows(work, item, row, states, want, &err), &err);
  for (int way = 0; way < 12; way++) {
    int32_t some = step[way / 4];
    sw_session_options o = {.sequences = states, .cache_prefix = way & 1};
    sw_seats *seats;
    must(sw_seats_new(&seats, net, team[way / 2 % 2], &o, &err), &err);
    for (int32_t s = 0; s < states; s++) {
      sw_record one = promise_state(&item->record, s);
      must(sw_seats_state(seats, s, &one, &err), &err);
    }
    for (int again = 0; again < 2; again++)
      for (int32_t at = 0; at < states; at += some) {
        int32_t left = states - at < some ? states - at : some;
        must(sw_seats_run(seats, row + at, left, score + at, &err), &err);
      }
    for (size_t s = 0; s < all; s++)
      assert_memory_equal(score[s], want + s * outputs,
                          sizeof(float) * outputs);
    sw_seats_free(seats);
  }
  sw_work_free(work);
  for (int i = 0; i < 2; i++) sw_team_free(team[i]);
  free(want);
  free(row);
  free(score);
}
#endif
