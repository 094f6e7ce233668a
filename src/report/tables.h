/* The tables of a report, computed from its data. One row a table. */
#ifndef SW_REPORT_TABLES_H
#define SW_REPORT_TABLES_H
#include "report/report_data.h"
#include "report/table.h"

/* field, what it holds */
#define SW_REPORT_TABLES(X)                                    \
  X(summary, "solve rates and agreement, one row a policy")    \
  X(endings, "what went wrong, one row a policy and protocol") \
  X(transplant, "the same state after another history")        \
  X(calibration, "verdicts on labelled states")                \
  X(training, "sizes, steps, losses")

typedef struct sw_report_tables {
#define X(name, text) sw_table name;
  SW_REPORT_TABLES(X)
#undef X
} sw_report_tables;

int sw_report_tables_make(sw_report_tables *tables, const sw_report_data *data,
                          sw_err *err);
void sw_report_tables_free(sw_report_tables *tables);
/* All of them in one file: Markdown or LaTeX. */
void sw_report_tables_write(const sw_report_tables *tables, sw_table_form form,
                            FILE *out);

#endif
