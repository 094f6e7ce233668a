/* The quickstart's table: one row a model (and the exact rule), what it means
 * in words, and both as files. The words are computed from the numbers, so they
 * can say that the effect is absent. */
#ifndef SW_REPORT_SUMMARY_H
#define SW_REPORT_SUMMARY_H
#include <stddef.h>
#include "base/err.h"
#include "search/outcome.h"

enum { SW_SUMMARY_ROWS = 8 };

typedef struct sw_summary_row {
  char model[48];
  int has_model;            /* 0: a rule; agreement and time do not apply */
  sw_summary with, without; /* open loop: cumulative, rebuilt */
  double agreement;         /* same state, another history: same choice */
  double agreement_low, agreement_high;
  double exact_equal; /* share of bit-identical logits */
  int64_t pairs, states;
  double train_seconds;
} sw_summary_row;

typedef struct sw_quick_summary {
  int rows;
  sw_summary_row row[SW_SUMMARY_ROWS];
} sw_quick_summary;

/* One sentence about one row. */
void sw_summary_words(const sw_summary_row *row, char *text, size_t room);
/* DIR/summary.json: {"rows": [{model, solve_cumulative, solve_rebuilt,
 * agreement, train_seconds, ...}], "words": [...]}; null where a column does
 * not apply. */
int sw_summary_write(const sw_quick_summary *summary, const char *path,
                     sw_err *err);

#endif
