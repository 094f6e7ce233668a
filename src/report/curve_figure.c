/* The curves of one experiment.json: a figure of points with intervals, the
 * fit (solid), the bound (dashed) and the paper's points (hollow); and the
 * table of the fits. Shares are drawn in percent; other figures as they are,
 * points joined in their order along the axis, on a logarithmic scale where
 * they span more than a decade. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "report/figures.h"
#include "report/plot.h"
#include "report/read_json.h"
#include "report/tables.h"

static const json_t *series_of(const json_t *figure) {
  return json_object_get(figure, "series");
}

static int is_share(const json_t *figure) {
  return !strcmp(sw_member_text(figure, "unit", "%"), "%");
}

/* Points of a series: ours, or the paper's. Returns how many. */
static int data(const json_t *series, size_t index, int papers, double scale,
                FILE *out) {
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
    fprintf(out, "%.6g %.6g %.6g %.6g\n", x, scale * y,
            scale * (isnan(low) ? y : low), scale * (isnan(high) ? y : high));
    count++;
  }
  fputs("EOD\n", out);
  return count;
}

static int has_fit(const json_t *series) {
  return !isnan(sw_member_real(series, "m_eff", NAN)) &&
         !isnan(sw_member_real(series, "r_eff", NAN));
}

/* The fit and the bound of a series, as far as its points go; the first of
 * each is named in the legend. */
static void formula(const json_t *series, const char *color, double end,
                    int *named, FILE *out) {
  double bound = sw_member_real(series, "bound", NAN);
  if (has_fit(series)) {
    fprintf(out,
            ", \\\n [0:%.4g] 100*(1-(1-(1-x)**%.6g)**%.6g) with lines lw 1.4 "
            "lc rgb '%s' %s",
            end, sw_member_real(series, "m_eff", NAN),
            sw_member_real(series, "r_eff", NAN), color,
            named[0] ? "notitle" : "title 'fit'");
    named[0] = 1;
  }
  if (!isnan(bound)) {
    fprintf(out,
            ", \\\n [0:%.4g] 100*(1-x)**%.6g with lines dt 2 lw 1 lc rgb "
            "'%s' %s",
            end, bound, color, named[1] ? "notitle" : "title 'per-path bound'");
    named[1] = 1;
  }
}

/* The extremes of a member of all points. */
static void extremes(const json_t *figure, const char *member, double *least,
                     double *most) {
  const json_t *series, *point;
  size_t i, k;
  *least = INFINITY;
  *most = -INFINITY;
  json_array_foreach(series_of(figure), i, series) {
    json_array_foreach(json_object_get(series, "points"), k, point) {
      double value = sw_member_real(point, member, NAN);
      if (value < *least) *least = value;
      if (value > *most) *most = value;
    }
  }
}

static void scales(const json_t *figure, FILE *out) {
  double least, most;
  extremes(figure, "y", &least, &most);
  if (is_share(figure)) fputs("set yrange [0:105]\n", out);
  else if (least > 0 && most > 10 * least)
    fputs("set logscale y\nset yrange [*:*]\n", out);
  else fputs("set yrange [0:*]\n", out);
  fputs("set samples 200\nplot ", out);
}

int sw_curve_figure(const json_t *figure, FILE *out) {
  const json_t *series;
  size_t at;
  double least, end, scale = is_share(figure) ? 100 : 1;
  int papers[SW_PLOT_SERIES + 1] = {0}, named[3] = {0};
  if (!json_array_size(series_of(figure))) return 0;
  extremes(figure, "x", &least, &end);
  json_array_foreach(series_of(figure), at, series) {
    data(series, at, 0, scale, out);
    int count = data(series, at, 1, scale, out);
    if (at < SW_PLOT_SERIES) papers[at] = count;
  }
  scales(figure, out);
  json_array_foreach(series_of(figure), at, series) {
    const char *color = sw_plot_series((int)at);
    fprintf(out,
            "%s$ours%zu using 1:2 %s pt 7 ps 0.7 lw 1.4 lc rgb '%s' title ",
            at ? ", \\\n " : "", at,
            is_share(figure) ? "with points" : "smooth unique with linespoints",
            color);
    sw_figure_quoted(out, sw_member_text(series, "label", "-"), SW_QUOTE_LABEL);
    fprintf(out,
            ", \\\n $ours%zu using 1:3:(0):($4-$3) with vectors nohead lw 1 lc "
            "rgb '%s' notitle",
            at, color);
  }
  json_array_foreach(series_of(figure), at, series) {
    formula(series, sw_plot_series((int)at), end < 1 ? end : 1, named, out);
    if (at >= SW_PLOT_SERIES || !papers[at]) continue;
    fprintf(out,
            ", \\\n $paper%zu using 1:2 with points pt 6 ps 1.1 lw 1.4 lc rgb "
            "'" SW_PLOT_INK "' %s",
            at, named[2] ? "notitle" : "title 'the paper'");
    named[2] = 1;
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
