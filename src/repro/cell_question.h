/* The question of a cell: what a row and a column ask of a model, as canonical
 * text (search/question.h). Who is asked (model, rule, `at`) and which figure
 * of the answer is shown are not in it. */
#ifndef SW_REPRO_CELL_QUESTION_H
#define SW_REPRO_CELL_QUESTION_H
#include "base/options.h"
#include "repro/experiment.h"

/* Members of columns and rows; NULL: not set. */
typedef struct sw_cell_asked {
  const char *source, *measure, *settings, *test_seeds; /* the column's */
  const char *search, *test, *mask, *positions;         /* the row's */
  const char *over; /* sizes set over the table's */
} sw_cell_asked;
sw_cell_asked sw_cell_asked_of(const sw_repro_row *row,
                               const sw_repro_column *column);

/* `over`: "name=value" settings over a measure's own (--measure), or NULL.
 * *text is malloc'd. */
int sw_cell_question(const sw_cell_asked *asked, const sw_list *over,
                     char **text, sw_err *err);
/* Its hash in hex, for documents. */
int sw_cell_question_hash(const sw_repro_row *row,
                          const sw_repro_column *column, char hash[24]);

/* Are two texts of a member of a row, column or model (kept.h) the same?
 * `source` and `measure` are the column's, NULL elsewhere. */
int sw_member_same(const char *member, const char *source, const char *measure,
                   const char *a, const char *b);

#endif
