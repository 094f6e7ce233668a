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

/* One group of boxes per row, one box per column; a column that a row lacks
 * leaves its place empty. */
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
    fprintf(out, "%.4f %.6g %.6g %.6g %d\n", row - 0.4 + width * (place + 0.5),
            value, isnan(low) ? value : low, isnan(high) ? value : high, place);
  }
  row = row_tics(experiment, figure, out);
  fprintf(out,
          ")\nset xrange [-0.6:%.1f]\nset yrange [0:*]\nset boxwidth %.4f\n"
          "set style fill solid 0.85 noborder\nset bmargin 7\nset rmargin 8\n"
          "plot ",
          row + 0.6, 0.9 * width);
  for (int c = 0; c < columns; c++) {
    const json_t *index =
        json_array_get(json_object_get(figure, "columns"), (size_t)c);
    const json_t *column = json_array_get(
        json_object_get(experiment, "columns"),
        (size_t)(json_is_integer(index) ? json_integer_value(index) : 0));
    fprintf(out,
            "%s$bars using ($5==%d?$1:NaN):2 with boxes lc rgb '%s' title ",
            c ? ", \\\n " : "", c, sw_plot_series(c));
    sw_figure_quoted(out, sw_member_text(column, "title", "-"), SW_QUOTE_LABEL);
  }
  fputs(
      ", \\\n $bars using 1:3:(0):($4-$3) with vectors nohead lw 1.6 lc rgb "
      "'" SW_PLOT_INK "' notitle\n",
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
    fprintf(out, "%.6g %.6g\n", sw_member_real(column, "x", 0),
            shown(cell, "value"));
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
            rows ? ", \\\n " : "", rows, sw_plot_series(rows));
    sw_figure_quoted(out, sw_member_text(cell, "label", "-"), SW_QUOTE_LABEL);
    rows++;
  }
  fputc('\n', out);
}

/* One dot per model, rows beside each other, columns in colours. */
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
        fprintf(out, "%.3f %.6g\n", row + 0.25 * place,
                share ? 100 * number : number);
    }
    place++;
  }
  row = row_tics(experiment, figure, out);
  fprintf(out,
          ")\nset xrange [-0.6:%.1f]\nset yrange [0:*]\nset bmargin 7\n"
          "set rmargin 8\nplot $dots using 1:2 with points pt 7 ps 0.6 lc rgb "
          "'%s' notitle\n",
          row + 0.6, sw_plot_series(0));
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
