/* CSV files: every number of a report with all its digits, one table per file,
 * a header line, comma-separated, dot as decimal point, empty for "not
 * measured". */
#ifndef SW_REPORT_EXPORT_H
#define SW_REPORT_EXPORT_H
#include <stdio.h>
#include "report/report_data.h"

/* file name, function that writes it; the page links every file by itself */
#define SW_REPORT_CSV(X)                    \
  X("summary.csv", sw_csv_summary)          \
  X("outcomes.csv", sw_csv_outcomes)        \
  X("curves.csv", sw_csv_curves)            \
  X("agreement-by-depth.csv", sw_csv_depth) \
  X("calibration.csv", sw_csv_calibration)  \
  X("experiments.csv", sw_csv_experiments)

#define X(name, function) void function(const sw_report_data *data, FILE *out);
SW_REPORT_CSV(X)
#undef X

/* The head of experiments.csv, and the lines of one experiment. */
void sw_csv_head(FILE *out);
void sw_csv_experiment(const json_t *experiment, FILE *out);

#endif
