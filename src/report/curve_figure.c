/* The curves of one experiment.json: a figure of points with intervals, the
 * fit (solid), the bound (dashed) and the paper's points (hollow); and the
 * table of the fits. */
#include <math.h>
#include <stdio.h>
#include "report/figures.h"
#include "report/plot.h"
#include "report/read_json.h"
#include "report/tables.h"

static const json_t *series_of(const json_t *figure) {
  return json_object_get(figure, "series");
}

/* Points of a series: ours, or the paper's. Returns how many. */
static int data(const json_t *series, size_t index, int papers, FILE *out) {
  const json_t *point;
  size_t at;
  int count = 0;
  fprintf(out, "$%s%zu << EOD\n", papers ? "paper" : "ours", index);
  json_array_foreach(json_object_get(series, "points"), at, point) {
    double x = sw_member_real(point, papers ? "paper_x" : "x", NAN);
    double y = sw_member_real(point, papers ? "paper_y" : "y", NAN);
    if (isnan(x) || isnan(y)) continue;
    double low = papers ? y : sw_member_real(point, "low", y);
    double high = papers ? y : sw_member_real(point, "high", y);
    fprintf(out, "%.6g %.6g %.6g %.6g\n", x, 100 * y,
            100 * (isnan(low) ? y : low), 100 * (isnan(high) ? y : high));
    count++;
  }
  fputs("EOD\n", out);
  return count;
}

static void formula(const json_t *series, const char *color, FILE *out) {
  double m = sw_member_real(series, "m_eff", NAN);
  double r = sw_member_real(series, "r_eff", NAN);
  double bound = sw_member_real(series, "bound", NAN);
  if (!isnan(m) && !isnan(r))
    fprintf(
        out,
        ", \\\n [0:0.55] 100*(1-(1-(1-x)**%.6g)**%.6g) with lines lw 1.4 lc "
        "rgb '%s' notitle",
        m, r, color);
  if (!isnan(bound))
    fprintf(out,
            ", \\\n [0:0.55] 100*(1-x)**%.6g with lines dt 2 lw 1 lc rgb '%s' "
            "notitle",
            bound, color);
}

int sw_curve_figure(const json_t *figure, FILE *out) {
  const json_t *series;
  size_t at;
  if (!json_array_size(series_of(figure))) return 0;
  int papers[SW_PLOT_SERIES + 1] = {0};
  json_array_foreach(series_of(figure), at, series) {
    data(series, at, 0, out);
    int count = data(series, at, 1, out);
    if (at < SW_PLOT_SERIES) papers[at] = count;
  }
  fputs("set yrange [0:105]\nset samples 200\nplot ", out);
  json_array_foreach(series_of(figure), at, series) {
    const char *color = sw_plot_series((int)at);
    fprintf(out,
            "%s$ours%zu using 1:2 with points pt 7 ps 0.7 lc rgb '%s' title ",
            at ? ", \\\n " : "", at, color);
    sw_figure_quoted(out, sw_member_text(series, "label", "-"), 0);
    fprintf(out,
            ", \\\n $ours%zu using 1:3:(0):($4-$3) with vectors nohead lw 1 lc "
            "rgb '%s' notitle",
            at, color);
    formula(series, color, out);
    if (at < SW_PLOT_SERIES && papers[at])
      fprintf(
          out,
          ", \\\n $paper%zu using 1:2 with points pt 6 ps 1.1 lw 1.4 lc rgb "
          "'" SW_PLOT_INK "' title 'the paper'",
          at);
  }
  fputc('\n', out);
  return 1;
}

void sw_curve_table(const json_t *experiment, sw_table_list *list) {
  static const char *const heads[] = {"curve",          "series", "points",
                                      "M_eff",          "R_eff",  "R^2",
                                      "M of the bound", NULL};
  const json_t *figure, *series;
  sw_table *t = NULL;
  size_t i, k;
  char id[64];
  snprintf(id, sizeof id, "fits-%s",
           sw_member_text(experiment, "experiment", "of an experiment"));
  json_array_foreach(json_object_get(experiment, "figures"), i, figure) {
    json_array_foreach(series_of(figure), k, series) {
      double m = sw_member_real(series, "m_eff", NAN);
      double bound = sw_member_real(series, "bound", NAN);
      if (isnan(m)) continue;
      if (!t) {
        t = sw_table_add(list, id, "The multi-path fit 1 - (1 - (1 - a)^M)^R",
                         heads);
        t->texts = 2;
      }
      sw_table_row(t);
      sw_table_put(t, 0, "%s", sw_member_text(figure, "title", "-"));
      sw_table_put(t, 1, "%s", sw_member_text(series, "label", "-"));
      sw_table_put(t, 2, "%zu",
                   json_array_size(json_object_get(series, "points")));
      sw_table_put(t, 3, "%.2f", m);
      sw_table_put(t, 4, "%.2f", sw_member_real(series, "r_eff", NAN));
      sw_table_put(t, 5, "%.4f", sw_member_real(series, "r2", NAN));
      if (isnan(bound)) sw_table_put(t, 6, "-");
      else sw_table_put(t, 6, "%.1f", bound);
    }
  }
}
