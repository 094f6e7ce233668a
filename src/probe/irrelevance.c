/* History-irrelevance test (see irrelevance.h). */
#include "probe/irrelevance.h"
#include <stdlib.h>
#include <string.h>
#include "base/rng.h"
#include "domains/sat/tokens.h"

enum { PER_VARIABLE = 4, GLOBALS = 3, RECENT = 5 };
typedef enum {
  KIND_FORWARD,
  KIND_CONFLICT,
  KIND_SOLVED,
  KIND_FAILED,
  KIND_OTHER,
  KINDS
} block_kind;

typedef struct samples {
  double *state, *history; /* [count][features], [count][8] */
  uint8_t *label, *is_test;
  int64_t count, features;
} samples;

/* First supervised token of a block, or -1. */
static int64_t first_target(const sw_dataset *set, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; i++)
    if (set->supervised[i]) return i;
  return -1;
}

static block_kind kind_of(const sw_dataset *set, int64_t begin, int64_t end,
                          int32_t back) {
  int64_t at = first_target(set, begin, end);
  if (at < 0) return KIND_OTHER;
  if (set->tokens[at] == back) return KIND_CONFLICT;
  if (set->tokens[at] == SW_SAT_SOLVED) return KIND_SOLVED;
  if (set->tokens[at] == SW_SAT_FAILED) return KIND_FAILED;
  return set->tokens[at] >= SW_SAT_VARIABLE ? KIND_FORWARD : KIND_OTHER;
}

/* Per variable: listed U, listed T, listed F, listed; then the share that is
 * not listed, the number listed and, as published, the block number. A signed
 * literal (formats that show assigned variables) counts as T or F, not listed.
 */
static void state_features(const int32_t *token, int64_t count, int32_t n,
                           int64_t block, int number, double *x) {
  double listed = 0;
  for (int64_t i = 0; i < count && token[i] != SW_SAT_SEP; i++) {
    int32_t v = token[i] - SW_SAT_VARIABLE, p = token[i] - SW_SAT_POSITIVE,
            q = token[i] - SW_SAT_NEGATIVE;
    if (v >= 0 && v < n) {
      int32_t mark = i + 1 < count ? token[i + 1] : SW_SAT_U;
      double *f = x + PER_VARIABLE * v;
      f[mark == SW_SAT_T || mark == SW_SAT_NT   ? 1
        : mark == SW_SAT_F || mark == SW_SAT_NF ? 2
                                                : 0] = 1;
      f[3] = 1;
      listed++;
    } else if (p >= 0 && p < n) {
      x[PER_VARIABLE * p + 1] = 1;
    } else if (q >= 0 && q < n) {
      x[PER_VARIABLE * q + 2] = 1;
    }
  }
  double *g = x + PER_VARIABLE * n;
  g[0] = 1 - listed / n;
  g[1] = listed;
  if (number) g[2] = (double)block / n;
}

/* Previous backs, decisions and conflicts, and the kinds of the last five. */
static void history_features(const block_kind *kind, int64_t block, double *x) {
  for (int64_t b = 1; b < block; b++) {
    x[0] += kind[b] == KIND_CONFLICT;
    x[1] += kind[b] == KIND_FORWARD;
    x[2] += kind[b] == KIND_CONFLICT;
    if (b >= block - RECENT) x[3 + kind[b]]++;
  }
}

static void samples_free(samples *s) {
  free(s->state);
  free(s->history);
  free(s->label);
  free(s->is_test);
}

static int samples_alloc(samples *s, int64_t room, sw_err *err) {
  size_t n = (size_t)room + 1;
  s->state = calloc(n * (size_t)s->features, sizeof *s->state);
  s->history = calloc(n * SW_HISTORY_FEATURES, sizeof *s->history);
  s->label = calloc(n, 1);
  s->is_test = calloc(n, 1);
  if (s->state && s->history && s->label && s->is_test) return 0;
  samples_free(s);
  return sw_fail(err, SW_MEMORY, "history-irrelevance test: out of memory");
}

/* Samples of one trace. */
static int add_trace(samples *s, const sw_dataset *set, int64_t trace, int test,
                     int32_t n, const sw_irrelevance_options *o, int64_t room,
                     sw_err *err) {
  const int64_t *start = set->block_start + set->trace_block[trace];
  int64_t blocks = set->trace_block[trace + 1] - set->trace_block[trace];
  block_kind *kind = malloc(sizeof *kind * (size_t)(blocks + 1));
  if (!kind)
    return sw_fail(err, SW_MEMORY, "history-irrelevance test: out of memory");
  for (int64_t b = 1; b < blocks; b++)
    kind[b] = kind_of(set, start[b], start[b + 1], o->back_token);
  for (int64_t b = 1; b < blocks && s->count < room; b++) {
    if (kind[b] != KIND_CONFLICT && kind[b] != KIND_FORWARD) continue;
    int64_t at = first_target(set, start[b], start[b + 1]), i = s->count++;
    state_features(set->tokens + start[b], at - start[b], n, b, o->block_number,
                   s->state + i * s->features);
    history_features(kind, b, s->history + i * SW_HISTORY_FEATURES);
    s->label[i] = kind[b] == KIND_CONFLICT;
    s->is_test[i] = (uint8_t)test;
  }
  free(kind);
  return 0;
}

/* The columns side by side. */
static double *joined(const samples *s) {
  int64_t width = s->features + SW_HISTORY_FEATURES;
  double *x = malloc(sizeof *x * (size_t)(s->count * width + 1));
  for (int64_t i = 0; x && i < s->count; i++) {
    memcpy(x + i * width, s->state + i * s->features,
           sizeof *x * (size_t)s->features);
    memcpy(x + i * width + s->features, s->history + i * SW_HISTORY_FEATURES,
           sizeof *x * SW_HISTORY_FEATURES);
  }
  return x;
}

static int score(const samples *s, sw_irrelevance_result *out, sw_err *err) {
  double *both = joined(s);
  if (!both)
    return sw_fail(err, SW_MEMORY, "history-irrelevance test: out of memory");
  int code = sw_linear_probe(s->state, s->label, s->is_test, s->count,
                             s->features, 1, &out->state, err);
  if (!code)
    code = sw_linear_probe(s->history, s->label, s->is_test, s->count,
                           SW_HISTORY_FEATURES, 1, &out->history, err);
  if (!code)
    code =
        sw_linear_probe(both, s->label, s->is_test, s->count,
                        s->features + SW_HISTORY_FEATURES, 1, &out->both, err);
  free(both);
  return code;
}

/* 80 % of the traces train: Python's shuffle with the seed, floor(.8 N). */
static uint8_t *split(int64_t traces, uint64_t seed) {
  int32_t *order = malloc(sizeof *order * (size_t)(traces + 1));
  uint8_t *test = calloc((size_t)traces + 1, 1);
  sw_mt mt;
  if (order && test) {
    for (int64_t i = 0; i < traces; i++) order[i] = (int32_t)i;
    sw_mt_seed(&mt, seed);
    sw_mt_shuffle_i32(&mt, order, (size_t)traces);
    for (int64_t i = traces * 4 / 5; i < traces; i++) test[order[i]] = 1;
  } else {
    free(test);
    test = NULL;
  }
  free(order);
  return test;
}

int sw_irrelevance(const sw_dataset *set, const sw_irrelevance_options *o,
                   sw_irrelevance_result *out, sw_err *err) {
  memset(out, 0, sizeof *out);
  int64_t traces = o->traces > 0 && o->traces < set->traces ? o->traces
                                                            : set->traces,
          room = 0;
  int32_t n = 1;
  for (int64_t t = 0; t < traces; t++) {
    room += set->trace_block[t + 1] - set->trace_block[t];
    if (set->n[t] > n) n = set->n[t];
  }
  if (n > SW_SAT_MAX_VARS || set->max_token >= SW_SAT_VOCAB)
    return sw_fail(err, SW_DATA,
                   "the history-irrelevance test reads SAT traces");
  if (o->max_blocks > 0 && room > o->max_blocks) room = o->max_blocks;
  samples s = {.features = PER_VARIABLE * n + GLOBALS};
  uint8_t *test = split(traces, o->seed);
  int code =
      test ? samples_alloc(&s, room, err)
           : sw_fail(err, SW_MEMORY, "history-irrelevance test: out of memory");
  if (!code) {
    for (int64_t t = 0; t < traces && !code && s.count < room; t++)
      code = add_trace(&s, set, t, test[t], n, o, room, err);
    out->traces = traces;
    out->samples = s.count;
    out->features = s.features;
    for (int64_t i = 0; i < s.count; i++) out->conflicts += s.label[i];
    if (!code) code = score(&s, out, err);
    samples_free(&s);
  }
  free(test);
  return code;
}
