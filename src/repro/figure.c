/* Figures of a search (see figure.h). */
#include "repro/figure.h"
#include <math.h>
#include <string.h>

int sw_search_figure_known(const char *name) {
#define X(figure, one, part, whole) \
  if (!strcmp(name, #figure)) return 1;
  SW_SEARCH_FIGURES(X)
#undef X
#define X(counter, text) \
  if (!strcmp(name, #counter)) return 1;
  SW_OUTCOME_COUNTERS(X)
#undef X
#define X(time, text) \
  if (!strcmp(name, #time)) return 1;
  SW_OUTCOME_TIMES(X)
#undef X
  return 0;
}

static double one_of(const char *name, const sw_outcome *o) {
#define X(figure, one, part, whole) \
  if (!strcmp(name, #figure)) return (double)(one);
  SW_SEARCH_FIGURES(X)
#undef X
#define X(counter, text) \
  if (!strcmp(name, #counter)) return (double)o->counter;
  SW_OUTCOME_COUNTERS(X)
#undef X
#define X(time, text) \
  if (!strcmp(name, #time)) return o->time;
  SW_OUTCOME_TIMES(X)
#undef X
  return NAN;
}

double sw_search_figure(const char *name, const sw_outcome *outcome,
                        int64_t count, double *each) {
  sw_summary sums, *s = &sums;
  int64_t exhausted = 0;
  double total = 0;
  sw_summarize(outcome, count, s);
  for (int64_t i = 0; i < count; i++) {
    double value = one_of(name, &outcome[i]);
    exhausted += !strcmp(outcome[i].reason, "exhausted");
    total += value;
    if (each) each[i] = value;
  }
#define X(figure, one, part, whole) \
  if (!strcmp(name, #figure))       \
    return (whole) ? (double)(part) / (double)(whole) : NAN;
  SW_SEARCH_FIGURES(X)
#undef X
  return count ? total / (double)count : NAN;
}
