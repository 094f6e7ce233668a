/* Tables (see table.h). */
#include "report/table.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"

void sw_table_init(sw_table *table, const char *id, const char *caption,
                   const char *const *heads) {
  memset(table, 0, sizeof *table);
  table->id = id;
  table->caption = caption;
  while (table->columns < SW_TABLE_COLUMNS && heads[table->columns]) {
    table->head[table->columns] = heads[table->columns];
    table->columns++;
  }
}

void sw_table_free(sw_table *table) {
  free(table->cell);
  table->cell = NULL;
  table->rows = table->room = 0;
}

void sw_table_row(sw_table *table) {
  if (!sw_grow(&table->cell, &table->room, (table->rows + 1) * table->columns,
               sizeof *table->cell)) {
    table->failed = 1;
    return;
  }
  for (int c = 0; c < table->columns; c++)
    table->cell[table->rows * table->columns + c][0] = 0;
  table->rows++;
}

void sw_table_put(sw_table *table, int column, const char *format, ...) {
  if (table->failed || !table->rows || column >= table->columns) return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(table->cell[(table->rows - 1) * table->columns + column],
            SW_TABLE_CELL, format, arguments);
  va_end(arguments);
}

void sw_table_percent(sw_table *table, int column, double share, int digits) {
  if (isnan(share)) sw_table_put(table, column, "-");
  else sw_table_put(table, column, "%.*f %%", digits, 100 * share);
}

void sw_table_number(sw_table *table, int column, double value, int digits) {
  if (isnan(value)) sw_table_put(table, column, "-");
  else sw_table_put(table, column, "%.*f", digits, value);
}

/* ---- escaping ---- */

void sw_escape_html(FILE *out, const char *text) {
  for (; *text; text++) {
    if (*text == '&') fputs("&amp;", out);
    else if (*text == '<') fputs("&lt;", out);
    else if (*text == '>') fputs("&gt;", out);
    else if (*text == '"') fputs("&quot;", out);
    else fputc(*text, out);
  }
}

void sw_escape_latex(FILE *out, const char *text) {
  for (; *text; text++) {
    if (strchr("&%$#_{}", *text)) fprintf(out, "\\%c", *text);
    else if (*text == '\\') fputs("\\textbackslash{}", out);
    else if (*text == '~') fputs("\\textasciitilde{}", out);
    else if (*text == '^') fputs("\\textasciicircum{}", out);
    else if (*text == '<' || *text == '>') fprintf(out, "$%c$", *text);
    else fputc(*text, out);
  }
}

static void escape_markdown(FILE *out, const char *text) {
  for (; *text; text++) {
    if (strchr("|*_`<\\", *text)) fputc('\\', out);
    fputc(*text, out);
  }
}

void sw_escape_csv(FILE *out, const char *text) {
  if (!strpbrk(text, ",\"\n\r")) {
    fputs(text, out);
    return;
  }
  fputc('"', out);
  for (; *text; text++) {
    if (*text == '"') fputc('"', out);
    fputc(*text, out);
  }
  fputc('"', out);
}

/* ---- the three forms ---- */

static const char *cell_of(const sw_table *t, int row, int column) {
  return t->cell[row * t->columns + column];
}

static void write_html(const sw_table *t, FILE *out) {
  /* The caption stays outside: a wide table scrolls, its caption wraps. */
  fprintf(out, "<p class=\"caption\" id=\"caption-%s\">", t->id);
  sw_escape_html(out, t->caption);
  fprintf(out,
          "</p>\n<div class=\"scroll\"><table id=\"%s\" "
          "aria-labelledby=\"caption-%s\">\n<thead><tr>",
          t->id, t->id);
  for (int c = 0; c < t->columns; c++) {
    fputs("<th scope=\"col\">", out);
    sw_escape_html(out, t->head[c]);
    fputs("</th>", out);
  }
  fputs("</tr></thead>\n<tbody>\n", out);
  for (int r = 0; r < t->rows; r++) {
    fputs("<tr>", out);
    for (int c = 0; c < t->columns; c++) {
      fputs(c ? "<td>" : "<th scope=\"row\">", out);
      sw_escape_html(out, cell_of(t, r, c));
      fputs(c ? "</td>" : "</th>", out);
    }
    fputs("</tr>\n", out);
  }
  fputs("</tbody></table></div>\n", out);
}

static void write_markdown(const sw_table *t, FILE *out) {
  fprintf(out, "**%s**\n\n|", t->caption);
  for (int c = 0; c < t->columns; c++) {
    fputc(' ', out);
    escape_markdown(out, t->head[c]);
    fputs(" |", out);
  }
  fputs("\n|", out);
  for (int c = 0; c < t->columns; c++) fputs(c ? "--:|" : "---|", out);
  for (int r = 0; r < t->rows; r++) {
    fputs("\n|", out);
    for (int c = 0; c < t->columns; c++) {
      fputc(' ', out);
      escape_markdown(out, cell_of(t, r, c));
      fputs(" |", out);
    }
  }
  fputs("\n\n", out);
}

static void latex_cells(const sw_table *t, int row, FILE *out) {
  for (int c = 0; c < t->columns; c++) {
    if (c) fputs(" & ", out);
    sw_escape_latex(out, row < 0 ? t->head[c] : cell_of(t, row, c));
  }
  fputs(" \\\\\n", out);
}

/* Needs nothing beyond the standard classes (no booktabs). */
static void write_latex(const sw_table *t, FILE *out) {
  fputs("\\begin{table}\n\\centering\n\\begin{tabular}{l", out);
  for (int c = 1; c < t->columns; c++) fputc('r', out);
  fputs("}\n\\hline\n", out);
  latex_cells(t, -1, out);
  fputs("\\hline\n", out);
  for (int r = 0; r < t->rows; r++) latex_cells(t, r, out);
  fputs("\\hline\n\\end{tabular}\n\\caption{", out);
  sw_escape_latex(out, t->caption);
  fprintf(out, "}\n\\label{tab:%s}\n\\end{table}\n\n", t->id);
}

void sw_table_write(const sw_table *table, sw_table_form form, FILE *out) {
  if (form == SW_TABLE_HTML) write_html(table, out);
  else if (form == SW_TABLE_MARKDOWN) write_markdown(table, out);
  else write_latex(table, out);
}
