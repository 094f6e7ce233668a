/* A kept file as tables of the paper's own shape: models down, questions
 * across, in each cell ours with its interval and the paper's number with a
 * mark of agreement. Rules stand apart below the models: one line where a rule
 * has the same number beside all rows, else a line for each kind of rows, up to
 * four kinds; beyond that only the long list has them. A column that nothing
 * was run for is left out, and so are times; the long list is the JSON. The
 * Markdown page and the site show the same tables. */
#ifndef SW_REPORT_KEPT_GRID_H
#define SW_REPORT_KEPT_GRID_H
#include "report/read_json.h"
#include "report/table.h"

/* Adds the tables, of about equal width, so that none runs out of a page.
 * Heads and labels are borrowed from `kept`. */
void sw_kept_grid(const json_t *kept, sw_table_list *list);
/* An experiment's own words of what was found, in which "{ROW:INDEX}" is the
 * number of a row in a column. 0: some number is not there. */
int sw_kept_finding(const json_t *kept, const char *finding, char *text,
                    size_t room);
/* Without such words, one sentence: what each model has in the first column. ""
 * where no model has anything. */
void sw_kept_found(const json_t *kept, char *text, size_t room);

#endif
