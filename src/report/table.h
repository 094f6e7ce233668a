/* A table of text cells, written as HTML, Markdown, LaTeX or plain text. One
 * table, four forms, so that page, paper and terminal cannot differ. The first
 * column is text, the others are figures (aligned right). Text is escaped by
 * the writer: cells hold plain text; a line break in one parts what is said
 * first from what stands below it. */
#ifndef SW_REPORT_TABLE_H
#define SW_REPORT_TABLE_H
#include <stdint.h>
#include <stdio.h>
#include "base/err.h"

enum { SW_TABLE_COLUMNS = 32, SW_TABLE_CELL = 160 };
typedef struct sw_table {
  char id[64]; /* label in LaTeX, anchor in HTML: letters, digits, hyphens */
  const char *caption; /* NULL: none */
  const char *note;    /* below the table; NULL: none */
  const char *head[SW_TABLE_COLUMNS];
  const char *unit[SW_TABLE_COLUMNS]; /* behind a head; NULL, "": none */
  int columns, rows;
  int texts;    /* first columns that are text; at least 1 */
  int apart;    /* rows from here on are set apart from those above; 0: none */
  int32_t room; /* of cell */
  char (*cell)[SW_TABLE_CELL]; /* rows x columns, malloc'd */
  int failed; /* a row ran out of memory, or too many columns were wanted */
} sw_table;

/* Heads end with NULL. */
void sw_table_init(sw_table *table, const char *id, const char *caption,
                   const char *const *heads);
void sw_table_free(sw_table *table);
/* Adds a row of empty cells; the cells that follow belong to it. */
void sw_table_row(sw_table *table);
void sw_table_put(sw_table *table, int column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A percentage or a number, "-" for NaN. */
void sw_table_percent(sw_table *table, int column, double share, int digits);
void sw_table_number(sw_table *table, int column, double value, int digits);
/* Takes out the columns behind the texts that say "-" in every row. */
void sw_table_squeeze(sw_table *table);
const char *sw_table_cell(const sw_table *table, int row, int column);

typedef enum {
  SW_TABLE_HTML,
  SW_TABLE_MARKDOWN,
  SW_TABLE_LATEX,
  SW_TABLE_TEXT,
  SW_TABLE_FORMS
} sw_table_form;
void sw_table_write(const sw_table *table, sw_table_form form, FILE *out);

/* Any number of tables. */
typedef struct sw_table_list {
  sw_table *table;
  int32_t count, room;
  int failed;
  sw_table spare; /* what a failed addition is written to */
} sw_table_list;
/* The new table; never NULL (list->failed tells). Good until the next one. */
sw_table *sw_table_add(sw_table_list *list, const char *id, const char *caption,
                       const char *const *heads);
void sw_table_list_free(sw_table_list *list);
int sw_table_list_failed(const sw_table_list *list);

/* Text with the characters that mean something escaped. */
void sw_escape_html(FILE *out, const char *text);
void sw_escape_latex(FILE *out, const char *text);
void sw_escape_csv(FILE *out, const char *text); /* quoted where needed */

#endif
