/* Tables (see table.h). */
#include "report/table.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"

/* Ids come from files too: only what an anchor may hold is kept. */
static void clean_id(const char *id, char *out, size_t room) {
  size_t used = 0;
  for (; *id && used + 1 < room; id++) {
    int plain = (*id >= 'a' && *id <= 'z') || (*id >= 'A' && *id <= 'Z') ||
                (*id >= '0' && *id <= '9');
    out[used++] = plain ? *id : '-';
  }
  out[used] = 0;
}

void sw_table_init(sw_table *table, const char *id, const char *caption,
                   const char *const *heads) {
  memset(table, 0, sizeof *table);
  clean_id(id, table->id, sizeof table->id);
  table->caption = caption;
  table->texts = 1;
  while (table->columns < SW_TABLE_COLUMNS && heads[table->columns]) {
    table->head[table->columns] = heads[table->columns];
    table->columns++;
  }
  table->failed =
      table->columns == SW_TABLE_COLUMNS && heads[table->columns] != NULL;
}

void sw_table_free(sw_table *table) {
  free(table->cell);
  table->cell = NULL;
  table->rows = table->room = 0;
}

sw_table *sw_table_add(sw_table_list *list, const char *id, const char *caption,
                       const char *const *heads) {
  sw_table *table = &list->spare;
  if (sw_grow(&list->table, &list->room, list->count + 1, sizeof *list->table))
    table = &list->table[list->count++];
  else {
    sw_table_free(&list->spare);
    list->failed = 1;
  }
  sw_table_init(table, id, caption, heads);
  return table;
}

void sw_table_list_free(sw_table_list *list) {
  for (int i = 0; i < list->count; i++) sw_table_free(&list->table[i]);
  sw_table_free(&list->spare);
  free(list->table);
  memset(list, 0, sizeof *list);
}

int sw_table_list_failed(const sw_table_list *list) {
  int failed = list->failed;
  for (int i = 0; i < list->count; i++) failed |= list->table[i].failed;
  return failed;
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

static int says_nothing(const sw_table *t, int column) {
  for (int r = 0; r < t->rows; r++)
    if (strcmp(sw_table_cell(t, r, column), "-")) return 0;
  return column >= t->texts;
}

void sw_table_squeeze(sw_table *table) {
  int kept[SW_TABLE_COLUMNS], columns = 0;
  if (table->failed || !table->rows) return;
  for (int c = 0; c < table->columns; c++)
    if (!says_nothing(table, c)) kept[columns++] = c;
  for (int r = 0; r < table->rows; r++) /* cells only move forward */
    for (int c = 0; c < columns; c++)
      memmove(table->cell[r * columns + c],
              table->cell[r * table->columns + kept[c]], SW_TABLE_CELL);
  for (int c = 0; c < columns; c++) {
    table->head[c] = table->head[kept[c]];
    table->unit[c] = table->unit[kept[c]];
  }
  table->columns = columns;
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
  /* A spreadsheet takes what begins like this for a formula. */
  int formula = *text && strchr("=+-@\t\r", *text);
  if (!formula && !strpbrk(text, ",\"\n\r")) {
    fputs(text, out);
    return;
  }
  fputs(formula ? "\"'" : "\"", out);
  for (; *text; text++) {
    if (*text == '"') fputc('"', out);
    fputc(*text, out);
  }
  fputc('"', out);
}

/* ---- the forms ---- */

const char *sw_table_cell(const sw_table *t, int row, int column) {
  return t->cell[row * t->columns + column];
}

/* Head `column` and its unit, each through the writer's own escaping. */
static void write_head(const sw_table *t, int column, FILE *out,
                       void (*escape)(FILE *, const char *)) {
  escape(out, t->head[column]);
  if (!t->unit[column] || !*t->unit[column]) return;
  fputs(", ", out);
  escape(out, t->unit[column]);
}

/* A cell in one line: a line in parentheses stays with the one before. */
static void one_line(const char *cell, char line[2 * SW_TABLE_CELL]) {
  size_t used = 0;
  for (; *cell && used + 3 < 2 * SW_TABLE_CELL; cell++) {
    if (*cell == '\n' && cell[1] != '(') line[used++] = ';';
    line[used++] = *cell == '\n' ? ' ' : *cell;
  }
  line[used] = 0;
}

static void write_in_line(FILE *out, const char *cell,
                          void (*escape)(FILE *, const char *)) {
  char line[2 * SW_TABLE_CELL];
  one_line(cell, line);
  escape(out, line);
}

/* Lines below the first are soft. */
static void html_cell(FILE *out, const char *cell) {
  char line[SW_TABLE_CELL];
  for (int first = 1;; first = 0) {
    size_t length = strcspn(cell, "\n");
    snprintf(line, sizeof line, "%.*s", (int)length, cell);
    fputs(first ? "" : "<br><span class=\"soft\">", out);
    sw_escape_html(out, line);
    fputs(first ? "" : "</span>", out);
    if (!cell[length]) return;
    cell += length + 1;
  }
}

static void write_html(const sw_table *t, FILE *out) {
  /* The caption stays outside: a wide table scrolls, its caption wraps. */
  if (t->caption) {
    fprintf(out, "<p class=\"caption\" id=\"caption-%s\">", t->id);
    sw_escape_html(out, t->caption);
    fputs("</p>\n", out);
  }
  fprintf(out, "<div class=\"scroll\"><table id=\"%s\"", t->id);
  if (t->caption) fprintf(out, " aria-labelledby=\"caption-%s\"", t->id);
  fputs(">\n<thead><tr>", out);
  for (int c = 0; c < t->columns; c++) {
    fputs(c && c < t->texts ? "<th scope=\"col\" class=\"words\">"
                            : "<th scope=\"col\">",
          out);
    write_head(t, c, out, sw_escape_html);
    fputs("</th>", out);
  }
  fputs("</tr></thead>\n<tbody>\n", out);
  for (int r = 0; r < t->rows; r++) {
    fputs(t->apart && r >= t->apart ? "<tr class=\"apart\">" : "<tr>", out);
    for (int c = 0; c < t->columns; c++) {
      fputs(!c             ? "<th scope=\"row\">"
            : c < t->texts ? "<td class=\"words\">"
                           : "<td>",
            out);
      html_cell(out, sw_table_cell(t, r, c));
      fputs(c ? "</td>" : "</th>", out);
    }
    fputs("</tr>\n", out);
  }
  fputs("</tbody></table></div>\n", out);
  if (!t->note) return;
  fputs("<p class=\"soft\">", out);
  sw_escape_html(out, t->note);
  fputs("</p>\n", out);
}

static void write_markdown(const sw_table *t, FILE *out) {
  if (t->caption) fprintf(out, "**%s**\n\n", t->caption);
  fputc('|', out);
  for (int c = 0; c < t->columns; c++) {
    fputs(*t->head[c] ? " " : "", out);
    write_head(t, c, out, escape_markdown);
    fputs(" |", out);
  }
  fputs("\n|", out);
  for (int c = 0; c < t->columns; c++)
    fputs(c >= t->texts ? "--:|" : "---|", out);
  for (int r = 0; r < t->rows; r++) {
    int apart = t->apart && r >= t->apart;
    fputs("\n|", out);
    for (int c = 0; c < t->columns; c++) {
      fputs(apart && !c ? " *" : " ", out);
      write_in_line(out, sw_table_cell(t, r, c), escape_markdown);
      fputs(apart && !c ? "* |" : " |", out);
    }
  }
  fputs("\n\n", out);
  if (!t->note) return;
  escape_markdown(out, t->note);
  fputs("\n\n", out);
}

static void latex_cells(const sw_table *t, int row, FILE *out) {
  for (int c = 0; c < t->columns; c++) {
    if (c) fputs(" & ", out);
    if (row < 0) write_head(t, c, out, sw_escape_latex);
    else write_in_line(out, sw_table_cell(t, row, c), sw_escape_latex);
  }
  fputs(" \\\\\n", out);
}

/* Needs nothing beyond the standard classes (no booktabs). */
static void write_latex(const sw_table *t, FILE *out) {
  fputs("\\begin{table}\n\\centering\n\\begin{tabular}{l", out);
  for (int c = 1; c < t->columns; c++) fputc(c < t->texts ? 'l' : 'r', out);
  fputs("}\n\\hline\n", out);
  latex_cells(t, -1, out);
  fputs("\\hline\n", out);
  for (int r = 0; r < t->rows; r++) {
    if (t->apart && r == t->apart) fputs("\\hline\n", out);
    latex_cells(t, r, out);
  }
  fputs("\\hline\n\\end{tabular}\n\\caption{", out);
  if (t->caption) sw_escape_latex(out, t->caption);
  if (t->note) {
    fputs(". ", out);
    sw_escape_latex(out, t->note);
  }
  fprintf(out, "}\n\\label{tab:%s}\n\\end{table}\n\n", t->id);
}

/* Visible columns: a letter outside ASCII is several bytes and one column. */
static int width_of(const char *text) {
  int columns = 0;
  for (; *text; text++) columns += (*text & 0xC0) != 0x80;
  return columns;
}

/* A head with its unit, or a cell, in one line. */
static void flat(const sw_table *t, int row, int column,
                 char text[2 * SW_TABLE_CELL]) {
  const char *unit = row < 0 ? t->unit[column] : NULL;
  if (row >= 0) one_line(sw_table_cell(t, row, column), text);
  else
    snprintf(text, 2 * SW_TABLE_CELL, "%s%s%s", t->head[column],
             unit && *unit ? ", " : "", unit ? unit : "");
}

static void text_cell(const sw_table *t, int column, const char *text,
                      int width, FILE *out) {
  int space = width - width_of(text);
  if (column < t->texts) fprintf(out, "%s%*s", text, space, "");
  else fprintf(out, "%*s%s", space, "", text);
  fputs(column + 1 < t->columns ? "  " : "\n", out);
}

static void write_text(const sw_table *t, FILE *out) {
  int width[SW_TABLE_COLUMNS];
  char text[2 * SW_TABLE_CELL];
  for (int c = 0; c < t->columns; c++) {
    width[c] = 0;
    for (int r = -1; r < t->rows; r++) {
      flat(t, r, c, text);
      if (width_of(text) > width[c]) width[c] = width_of(text);
    }
  }
  if (t->caption) fprintf(out, "%s\n\n", t->caption);
  for (int r = -1; r < t->rows; r++)
    for (int c = 0; c < t->columns; c++) {
      flat(t, r, c, text);
      text_cell(t, c, text, width[c], out);
    }
  if (t->note) fprintf(out, "\n%s\n", t->note);
}

void sw_table_write(const sw_table *table, sw_table_form form, FILE *out) {
  static void (*const forms[])(const sw_table *, FILE *) = {
      write_html, write_markdown, write_latex, write_text};
  forms[form](table, out);
}
