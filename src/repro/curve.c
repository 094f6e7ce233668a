/* Curves over the rows of an experiment (experiment.h): points, the paper's
 * points, the multi-path fit and the per-path bound, as members of
 * experiment.json's figures. */
#include "repro/curve.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "probe/survival.h"

enum { POINTS = 64 };

typedef struct series {
  double x[POINTS], y[POINTS];
  const sw_repro_cell *at[POINTS][2]; /* the cells of x and y */
  int count;
  double bound;
} series;

static int of_series(const sw_repro_series *s, const char *row) {
  return !strncmp(row, s->prefix, strlen(s->prefix));
}

/* Mean decisions of a row, or NaN: the budget of a path. */
static double decisions(const sw_repro_result *r, const char *row) {
  for (int c = 0; r->experiment->column[c].title; c++)
    if (r->experiment->column[c].figure &&
        !strcmp(r->experiment->column[c].figure, "decisions")) {
      const sw_repro_cell *cell = sw_repro_cell_of(r, row, c);
      return cell && cell->values ? cell->mean : NAN;
    }
  return NAN;
}

static void collect(const sw_repro_result *r, const sw_repro_curve *curve,
                    const sw_repro_series *s, series *out) {
  const sw_experiment *e = r->experiment;
  memset(out, 0, sizeof *out);
  out->bound = s->bound > 0 ? s->bound : NAN;
  for (int i = 0; e->row[i].id && out->count < POINTS; i++) {
    if (!of_series(s, e->row[i].id)) continue;
    const sw_repro_cell *x = sw_repro_cell_of(r, e->row[i].id, curve->x),
                        *y = sw_repro_cell_of(r, e->row[i].id, curve->y);
    if (!x || !y || isnan(x->mean) || isnan(y->mean)) continue;
    out->x[out->count] = x->mean;
    out->y[out->count] = y->mean;
    out->at[out->count][0] = x;
    out->at[out->count++][1] = y;
    if (s->bound == 0 && x->mean == 0) out->bound = decisions(r, e->row[i].id);
  }
}

/* The paper's number as it is computed with: shares are printed in percent. */
static double printed(const sw_repro_result *r, const sw_repro_cell *cell) {
  if (!cell->paper) return NAN;
  double value = sw_text_real(cell->paper, NULL);
  return r->experiment->column[cell->column].unit ? value : value / 100;
}

static void points(const sw_repro_result *r, const series *s, sw_json *json) {
  sw_json_array(json, "points");
  for (int i = 0; i < s->count; i++) {
    sw_json_object(json, NULL);
    sw_json_string(json, "row", s->at[i][0]->row->id);
    sw_json_real(json, "x", s->x[i]);
    sw_json_real(json, "y", s->y[i]);
    sw_json_real(json, "low", s->at[i][1]->low);
    sw_json_real(json, "high", s->at[i][1]->high);
    sw_json_real(json, "paper_x", printed(r, s->at[i][0]));
    sw_json_real(json, "paper_y", printed(r, s->at[i][1]));
    sw_json_end(json);
  }
  sw_json_end(json);
}

static void one_series(const sw_repro_result *r, const sw_repro_curve *curve,
                       const sw_repro_series *which, sw_json *json) {
  series s;
  sw_survival_fit fit;
  collect(r, curve, which, &s);
  if (!s.count) return;
  sw_json_object(json, NULL);
  sw_json_string(json, "label", which->label);
  points(r, &s, json);
  if (which->bound >= 0) {
    if (!isnan(s.bound)) sw_json_real(json, "bound", s.bound);
    if (sw_survival_fitted(s.x, s.y, s.count, &fit)) {
      sw_json_real(json, "m_eff", fit.judgements);
      sw_json_real(json, "r_eff", fit.paths);
      sw_json_real(json, "r2", fit.r2);
    }
  }
  sw_json_end(json);
}

void sw_curves_json(const sw_repro_result *r, sw_json *json) {
  const sw_experiment *e = r->experiment;
  char label[120];
  for (int i = 0; e->curve && e->curve[i].id; i++) {
    const sw_repro_curve *c = &e->curve[i];
    sw_json_object(json, NULL);
    sw_json_string(json, "id", c->id);
    sw_json_string(json, "title", c->title);
    sw_json_string(json, "kind", "curve");
    sw_json_string(json, "x", e->column[c->x].title);
    snprintf(label, sizeof label, "%s%s", e->column[c->y].title,
             e->column[c->y].unit ? "" : " (%)");
    sw_json_string(json, "y", label);
    sw_json_string(json, "unit",
                   e->column[c->y].unit ? e->column[c->y].unit : "%");
    sw_json_array(json, "series");
    for (int k = 0; c->series[k].prefix; k++)
      one_series(r, c, &c->series[k], json);
    sw_json_end(json);
    sw_json_end(json);
  }
}
