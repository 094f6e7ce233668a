/* Figures of all measures (see figures.h). */
#include "probe/figures.h"
#include <string.h>
#include "probe/irrelevance.h"
#include "probe/measure.h"

enum {
#define X(name) MEASURE_##name,
  SW_MEASURES(X)
#undef X
      MEASURES
};

int sw_measured_at(int index, sw_measured *measured) {
  if (index == MEASURES)
    *measured = (sw_measured){
        .name = "history",
        .figures = sw_irrelevance_figures,
        .caption = "Does history add to the state for a linear classifier?"};
  if (index >= MEASURES) return index == MEASURES;
  const sw_measure *m = sw_measures[index];
  *measured =
      (sw_measured){m->name, m->figures, m->of_all, m->caption, m->note};
  return 1;
}

int sw_measured_find(const char *name, sw_measured *measured) {
  for (int i = 0; sw_measured_at(i, measured); i++)
    if (!strcmp(measured->name, name)) return 1;
  return 0;
}

const sw_figure *sw_measured_figure(const sw_measured *m, const char *path) {
  const sw_figure *f = sw_figure_at(m->figures, path);
  return f || !m->of_all ? f : sw_figure_at(m->of_all, path);
}
