/* History-irrelevance test (see irrelevance.h). */
#include "probe/irrelevance.h"
#include <stdlib.h>
#include <string.h>
#include "base/rng.h"

enum { RECENT = 5 };

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

static sw_block_kind kind_of(const sw_domain *domain, const sw_dataset *set,
                             int64_t begin, int64_t end) {
  int64_t at = first_target(set, begin, end);
  return at < 0 ? SW_BLOCK_OTHER : domain->shown->kind(domain, set->tokens[at]);
}

/* Previous backs, decisions and conflicts, and the kinds of the last five. */
static void history_features(const sw_block_kind *kind, int64_t block,
                             double *x) {
  for (int64_t b = 1; b < block; b++) {
    x[0] += kind[b] == SW_BLOCK_BACK;
    x[1] += kind[b] == SW_BLOCK_FORWARD;
    x[2] += kind[b] == SW_BLOCK_BACK;
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
  return sw_no_memory_for(err, "history-irrelevance test");
}

/* Samples of one trace. */
static int add_trace(samples *s, const sw_dataset *set, int64_t trace, int test,
                     int32_t n, const sw_irrelevance_options *o, int64_t room,
                     sw_err *err) {
  const sw_domain *domain = o->domain;
  const int64_t *start = set->block_start + set->trace_block[trace];
  int64_t blocks = set->trace_block[trace + 1] - set->trace_block[trace];
  sw_block_kind *kind = malloc(sizeof *kind * (size_t)(blocks + 1));
  if (!kind) return sw_no_memory_for(err, "history-irrelevance test");
  for (int64_t b = 1; b < blocks; b++)
    kind[b] = kind_of(domain, set, start[b], start[b + 1]);
  for (int64_t b = 1; b < blocks && s->count < room; b++) {
    if (kind[b] != SW_BLOCK_BACK && kind[b] != SW_BLOCK_FORWARD) continue;
    int64_t at = first_target(set, start[b], start[b + 1]), i = s->count++;
    double *x = s->state + i * s->features;
    domain->shown->features(domain, set->tokens + start[b], at - start[b], n,
                            x);
    /* as published: the block number is the last of the state's features */
    if (o->block_number) x[s->features - 1] = (double)b / n;
    history_features(kind, b, s->history + i * SW_HISTORY_FEATURES);
    s->label[i] = kind[b] == SW_BLOCK_BACK;
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
  if (!both) return sw_no_memory_for(err, "history-irrelevance test");
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

/* The first target of a block with a scratchpad is not the decision. */
static int no_decision(sw_err *err) {
  sw_fail(err, SW_USAGE, "no block of these traces begins with its decision");
  return sw_hint(err, "traces of a format without a scratchpad are needed");
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
  int64_t width = o->domain->shown
                      ? o->domain->shown->width(o->domain, n, set->max_token)
                      : -1;
  if (width < 0)
    return sw_fail(err, SW_DATA, "these are not traces that `%s` can describe",
                   o->domain->name);
  if (o->max_blocks > 0 && room > o->max_blocks) room = o->max_blocks;
  samples s = {.features = width + 1};
  uint8_t *test = split(traces, o->seed);
  int code = test ? samples_alloc(&s, room, err)
                  : sw_no_memory_for(err, "history-irrelevance test");
  if (!code) {
    for (int64_t t = 0; t < traces && !code && s.count < room; t++)
      code = add_trace(&s, set, t, test[t], n, o, room, err);
    out->traces = traces;
    out->samples = s.count;
    out->features = s.features;
    for (int64_t i = 0; i < s.count; i++) out->conflicts += s.label[i];
    if (!code && !s.count) code = no_decision(err);
    if (!code) code = score(&s, out, err);
    samples_free(&s);
  }
  free(test);
  return code;
}

/* ---- what it finds ---- */

static double lift(const void *found) {
  const sw_irrelevance_result *r = found;
  return r->both.accuracy - r->state.accuracy;
}

static double balanced_lift(const void *found) {
  const sw_irrelevance_result *r = found;
  return r->both.balanced_accuracy - r->state.balanced_accuracy;
}

#define F(...) SW_FIGURE(__VA_ARGS__)
#define R sw_linear_score
static const sw_figure of_score[] = {
    {F(SHARE, R, accuracy, "accuracy", "accuracy", "blocks told right"),
     .shown = 1},
    {F(SHARE, R, balanced_accuracy, "balanced_accuracy", "balanced",
       "mean over the two classes"),
     .shown = 2},
    {F(SCORE, R, auroc, "auroc", "AUROC",
       "a conflict scores higher than another block"),
     .shown = 3},
    {0}};
#undef R
#define R sw_irrelevance_result
#define OF(m, name, heading, SHOWN, help) \
  { F(VIEW, R, m, name, heading, help), .part = of_score, .shown = SHOWN }
const sw_figure sw_irrelevance_figures[] = {
    {F(COUNT, R, traces, "traces", "traces", "traces read")},
    {F(COUNT, R, samples, "samples", "blocks", "blocks used")},
    {F(COUNT, R, conflicts, "conflicts", "conflicts", "of them conflicts")},
    {F(COUNT, R, features, "features", "features", "numbers a block")},
    {F(COUNT, R, state.test, "test", "test blocks", "blocks judged")},
    {F(SHARE, R, state.majority, "majority", "majority",
       "accuracy of always saying the more frequent class")},
    OF(state, "state", "state", 1, "by what the state shows"),
    OF(history, "history", "history", 2, "by counts of the history"),
    OF(both, "state_and_history", "state and history", 3, "by both"),
    {.name = "lift",
     .kind = SW_FIGURE_SCORE,
     .heading = "lift",
     .help = "accuracy that the history adds",
     .real = lift},
    {.name = "balanced_lift",
     .kind = SW_FIGURE_SCORE,
     .heading = "balanced lift",
     .help = "the same of balanced accuracy",
     .real = balanced_lift},
    {0}};
#undef R
