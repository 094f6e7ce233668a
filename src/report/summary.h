/* The main table of a page and of the quickstart: one row per model and per
 * rule, with and without history, and what it means in words. The words follow
 * from intervals: a difference is claimed only when its 95 % interval does not
 * hold zero, a changed mind only when the interval of the agreement does not
 * reach one; so they can also say that nothing was seen. Without its history a
 * block stands at the front, where it may never have stood in training: where
 * it was also played at its own positions, only that difference is the
 * history's, and the other one is said to be one of positions. */
#ifndef SW_REPORT_SUMMARY_H
#define SW_REPORT_SUMMARY_H
#include <stddef.h>
#include "base/err.h"
#include "base/json.h"
#include "base/stats.h"
#include "search/outcome.h"

typedef struct sw_summary_row {
  char model[96];
  int has_model;            /* 0: a rule; agreement and time do not apply */
  const char *about;        /* a rule: what it does, behind "it"; or NULL */
  sw_summary with, without; /* open loop: cumulative, rebuilt */
  int has_in_place;         /* the next one was played */
  sw_summary in_place;      /* rebuilt-in-place: only the history is gone */
  sw_interval gap;          /* with minus without, paired by instance */
  sw_interval gap_in_place; /* with minus in place, where that was played */
  double agreement;         /* same state, another history: same choice */
  double agreement_low, agreement_high;
  double exact_equal; /* share of bit-identical logits */
  int64_t pairs, states;
  double train_seconds;
} sw_summary_row;

typedef struct sw_quick_summary {
  int32_t rows, room;
  sw_summary_row *row;
} sw_quick_summary;

/* A new row of zeros; NULL: out of memory. */
sw_summary_row *sw_summary_add(sw_quick_summary *summary);
void sw_summary_free(sw_quick_summary *summary);
int sw_same_problem(const sw_outcome *a, const sw_outcome *b);
/* The difference of two rates from outcomes on the same problems (bootstrap
 * over them, seeded: the same on every run). */
int sw_summary_gap(sw_interval *gap, const sw_outcome *with, int64_t count,
                   const sw_outcome *without, int64_t others, sw_err *err);
/* The lowest rate of the rules beside the models; NaN: fewer than two stand
 * there. A model surely below it has not learned to search, and nothing is said
 * of its history. */
double sw_summary_floor(const sw_quick_summary *summary);
/* One sentence about one row. */
void sw_summary_words(const sw_summary_row *row, double floor, char *text,
                      size_t room);
/* The object {"rows": [{model, solve_cumulative, solve_rebuilt, agreement,
 * train_seconds, ...}]}; null where a column does not apply. As a file it is
 * DIR/summary.json. */
void sw_summary_json(const sw_quick_summary *summary, sw_json *json);
int sw_summary_write(const sw_quick_summary *summary, const char *path,
                     sw_err *err);

#endif
