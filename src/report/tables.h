/* The tables of a report. Each row of sw_report_tables makes one table (or one
 * for every experiment) from the data, and appears on the page, in tables.md
 * and in tables.tex by itself. Columns of what a measure found are those of its
 * figures that are `shown`; where it has views, each is a row. */
#ifndef SW_REPORT_TABLES_H
#define SW_REPORT_TABLES_H
#include "report/report_data.h"
#include "report/table.h"

typedef struct sw_report_table {
  const char *id;
  void (*make)(const sw_report_data *data, sw_table_list *list); /* adds some */
  int leads; /* stands at the top of the page */
} sw_report_table;

extern const sw_report_table sw_report_tables[];
extern const int sw_report_table_count;

/* All tables that have a row. */
typedef struct sw_made_tables {
  sw_table_list list;
  int leading; /* so many of the first are for the top of the page */
} sw_made_tables;
int sw_report_tables_make(sw_made_tables *made, const sw_report_data *data,
                          sw_err *err);
void sw_report_tables_free(sw_made_tables *made);
void sw_report_tables_write(const sw_made_tables *made, sw_table_form form,
                            FILE *out);

/* experiment_table.c: the tables of one experiment.json, also used by `repro`
 * to print and to keep them. */
void sw_experiment_tables(const json_t *experiment, sw_table_list *list);
/* Its statistics and fits alone. */
void sw_experiment_derived(const json_t *experiment, sw_table_list *list);
/* The fits of its curves, where it has any (curve_figure.c). */
void sw_curve_table(const json_t *experiment, sw_table_list *list);

#endif
