/* The figures of one experiment.json as gnuplot scripts: bars of cells, lines
 * over columns that have a place on an axis, or dots by seed. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "report/figures.h"
#include "report/plot.h"
#include "report/read_json.h"

/* Shares are drawn in percent, as they are printed. */
static double shown(const json_t *cell, const char *member) {
  double value = sw_member_real(cell, member, NAN);
  return strcmp(sw_member_text(cell, "unit", "%"), "%") ? value : 100 * value;
}

/* Where a cell's column stands among those that are drawn; -1: it is not. */
static int place_of(const json_t *figure, const json_t *cell) {
  int64_t column = sw_member_int(cell, "column_index", -1);
  const json_t *wanted;
  size_t at;
  json_array_foreach(json_object_get(figure, "columns"), at, wanted) {
    if (json_is_integer(wanted) && json_integer_value(wanted) == column)
      return (int)at;
  }
  return -1;
}

/* Cells with a value in the wanted columns, in order. */
static const json_t *next_cell(const json_t *experiment, const json_t *figure,
                               size_t *at) {
  const json_t *cells = json_object_get(experiment, "cells");
  for (; *at < json_array_size(cells); (*at)++) {
    const json_t *cell = json_array_get(cells, *at);
    if (!isnan(sw_member_real(cell, "value", NAN)) &&
        place_of(figure, cell) >= 0) {
      (*at)++;
      return cell;
    }
  }
  return NULL;
}

static int count_cells(const json_t *experiment, const json_t *figure) {
  int count = 0;
  for (size_t at = 0; next_cell(experiment, figure, &at);) count++;
  return count;
}

static int columns_of(const json_t *figure) {
  return (int)json_array_size(json_object_get(figure, "columns"));
}

static void axes(const json_t *figure, FILE *out) {
  const char *const keys[] = {"x", "y"};
  for (int i = 0; i < 2; i++) {
    const char *label = sw_member_text(figure, keys[i], NULL);
    if (!label) continue;
    fprintf(out, "set %slabel ", keys[i]);
    sw_figure_quoted(out, label, SW_QUOTE_LABEL);
    fputc('\n', out);
  }
}

/* Ends the block of data and names the rows at 0, 1, ...; returns the last. */
static int row_tics(const json_t *experiment, const json_t *figure, FILE *out) {
  const char *last = "";
  const json_t *cell;
  int row = -1;
  fputs("EOD\nset xtics scale 0 rotate by -30 (", out);
  for (size_t at = 0; (cell = next_cell(experiment, figure, &at));) {
    const char *id = sw_member_text(cell, "row", "");
    if (!strcmp(id, last)) continue;
    last = id;
    if (++row) fputs(", ", out);
    sw_figure_quoted(out, sw_member_text(cell, "label", "-"), SW_QUOTE_TIC);
    fprintf(out, " %d", row);
  }
  return row;
}

/* Of a row among all rows of the experiment, so that it is the same in each of
 * its figures. */
static int color_of(const json_t *experiment, const char *row) {
  enum { ROWS = 64 };
  const char *id[ROWS], *label[ROWS];
  int color[ROWS], count = 0;
  const json_t *cell;
  size_t at;
  json_array_foreach(json_object_get(experiment, "cells"), at, cell) {
    const char *own = sw_member_text(cell, "row", "");
    if (isnan(sw_member_real(cell, "value", NAN))) continue;
    if (count == ROWS || (count && !strcmp(id[count - 1], own))) continue;
    id[count] = own;
    label[count++] = sw_member_text(cell, "label", "-");
  }
  sw_plot_colors(label, count, color);
  for (int i = 0; i < count; i++)
    if (!strcmp(id[i], row)) return color[i];
  return 0;
}

/* What pointing at a cell says. */
static void tell(const json_t *cell, double value, FILE *out) {
  char text[200];
  snprintf(text, sizeof text, "%.80s, %.80s: %.4g",
           sw_member_text(cell, "label", "-"),
           sw_member_text(cell, "column", "-"), value);
  for (char *p = text; *p; p++) /* it ends up inside quotes of both kinds */
    if (*p == '\'') *p = ' ';
  fputc(' ', out);
  sw_figure_quoted(out, text, SW_QUOTE_LABEL);
}

#define POINTED(data, x, y, text) \
  ", \\\n " data " using " x ":" y ":" text SW_FIGURE_POINTED

/* One group of boxes per row in the row's colour, one box per column in a shade
 * of it; a column that a row lacks leaves its place empty. */
static void bars(const json_t *experiment, const json_t *figure, FILE *out) {
  int columns = columns_of(figure), row = -1;
  const char *last = "";
  const json_t *cell;
  double width = 0.8 / (columns > 0 ? columns : 1);
  fputs("$bars << EOD\n", out);
  for (size_t at = 0; (cell = next_cell(experiment, figure, &at));) {
    const char *id = sw_member_text(cell, "row", "");
    int place = place_of(figure, cell);
    if (strcmp(id, last)) row++;
    last = id;
    double value = shown(cell, "value");
    double low = shown(cell, "low"), high = shown(cell, "high");
    fprintf(out, "%.4f %.6g %.6g %.6g %d %d", row - 0.4 + width * (place + 0.5),
            value, isnan(low) ? value : low, isnan(high) ? value : high, place,
            sw_plot_number(color_of(experiment, id)));
    tell(cell, value, out);
    fputc('\n', out);
  }
  row = row_tics(experiment, figure, out);
  fprintf(out,
          ")\nset xrange [-0.6:%.1f]\nset yrange [0:*]\nset boxwidth %.4f\n"
          "set bmargin 7\nset rmargin 8\nplot ",
          row + 0.6, 0.9 * width);
  for (int c = 0; c < columns; c++) {
    const json_t *index =
        json_array_get(json_object_get(figure, "columns"), (size_t)c);
    const json_t *column = json_array_get(
        json_object_get(experiment, "columns"),
        (size_t)(json_is_integer(index) ? json_integer_value(index) : 0));
    double shade = 0.9 - 0.7 * c / (columns > 1 ? columns - 1 : 1);
    fprintf(
        out,
        "%s$bars using ($5==%d?$1:NaN):2:(%.4f):6 with boxes lc rgb variable "
        "fs "
        "solid %.2f noborder notitle, \\\n NaN with boxes lc rgb '" SW_PLOT_INK
        "' fs "
        "solid %.2f noborder title ",
        c ? ", \\\n " : "", c, 0.9 * width, shade, shade);
    sw_figure_quoted(out, sw_member_text(column, "title", "-"), SW_QUOTE_LABEL);
  }
  fputs(
      ", \\\n $bars using 1:3:(0):($4-$3) with vectors nohead lw 1.6 lc rgb "
      "'" SW_PLOT_INK "' notitle" POINTED("$bars", "1", "2", "7") "\n",
      out);
}

/* One line per row over the columns' places. */
static void lines(const json_t *experiment, const json_t *figure, FILE *out) {
  const char *last = "";
  const json_t *cell;
  int rows = 0;
  for (size_t at = 0; (cell = next_cell(experiment, figure, &at));) {
    const char *id = sw_member_text(cell, "row", "");
    size_t index = (size_t)sw_member_int(cell, "column_index", 0);
    const json_t *column =
        json_array_get(json_object_get(experiment, "columns"), index);
    if (strcmp(id, last))
      fprintf(out, "%s$line%d << EOD\n", rows ? "EOD\n" : "", rows), rows++;
    last = id;
    fprintf(out, "%.6g %.6g", sw_member_real(column, "x", 0),
            shown(cell, "value"));
    tell(cell, shown(cell, "value"), out);
    fputc('\n', out);
  }
  fputs("EOD\nset yrange [0:*]\nplot ", out);
  last = "";
  rows = 0;
  for (size_t at = 0; (cell = next_cell(experiment, figure, &at));) {
    const char *id = sw_member_text(cell, "row", "");
    if (!strcmp(id, last)) continue;
    last = id;
    fprintf(out,
            "%s$line%d using 1:2 with linespoints pt 7 ps 0.6 lw 1.6 lc rgb "
            "'%s' title ",
            rows ? ", \\\n " : "", rows,
            sw_plot_series(color_of(experiment, id)));
    sw_figure_quoted(out, sw_member_text(cell, "label", "-"), SW_QUOTE_LABEL);
    fprintf(out, POINTED("$line%d", "1", "2", "3"), rows);
    rows++;
  }
  fputc('\n', out);
}

/* One dot per model, rows beside each other in their colours. */
static void seeds(const json_t *experiment, const json_t *figure, FILE *out) {
  const char *last = "";
  const json_t *cell, *value;
  int row = -1, place = 0;
  size_t k;
  fputs("$dots << EOD\n", out);
  for (size_t at = 0; (cell = next_cell(experiment, figure, &at));) {
    const char *id = sw_member_text(cell, "row", "");
    int share = !strcmp(sw_member_text(cell, "unit", "%"), "%");
    if (strcmp(id, last)) row++, place = 0;
    last = id;
    json_array_foreach(json_object_get(cell, "values"), k, value) {
      double number = sw_member_real(value, "value", NAN);
      if (!isnan(number))
        fprintf(out, "%.3f %.6g %d\n", row + 0.25 * place,
                share ? 100 * number : number,
                sw_plot_number(color_of(experiment, id)));
    }
    place++;
  }
  row = row_tics(experiment, figure, out);
  fprintf(
      out,
      ")\nset xrange [-0.6:%.1f]\nset yrange [0:*]\nset bmargin 7\n"
      "set rmargin 8\nplot $dots using 1:2:3 with points pt 7 ps 0.6 lc rgb "
      "variable notitle\n",
      row + 0.6);
}

int sw_experiment_figure(const json_t *experiment, const json_t *figure,
                         FILE *out) {
  const char *kind = sw_member_text(figure, "kind", "");
  int curve = !strcmp(kind, "curve");
  if (!curve && !count_cells(experiment, figure)) return 0;
  sw_figure_frame(out);
  axes(figure, out);
  if (curve) return sw_curve_figure(figure, out);
  if (!strcmp(kind, "bars")) bars(experiment, figure, out);
  else if (!strcmp(kind, "lines")) lines(experiment, figure, out);
  else if (!strcmp(kind, "seeds")) seeds(experiment, figure, out);
  else return 0;
  return 1;
}
