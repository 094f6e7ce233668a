/* The page: one HTML file with everything in it (style, tables, pictures). It
 * opens from disk and asks no other address for anything; its script only sorts
 * and filters tables. */
#ifndef SW_REPORT_PAGE_H
#define SW_REPORT_PAGE_H
#include "report/figures.h"
#include "report/tables.h"

typedef struct sw_page {
  const sw_report_data *data;
  const sw_made_tables *tables;
  const sw_drawn_list *figures;
} sw_page;

/* Writes the page to an open stream. */
int sw_page_write(const sw_page *page, FILE *out, sw_err *err);
/* The section about one state met twice, from case.json (case_page.c). */
void sw_page_case(const sw_report_data *data, FILE *out);
extern const char sw_page_style[]; /* style.c */
/* The script and the end of the document (script.c). */
void sw_page_end(FILE *out);

#endif
