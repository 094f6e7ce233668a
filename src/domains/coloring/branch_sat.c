/* k-colouring as a formula for CaDiCaL: variable v*k + c says that node v has
 * colour c; each node has a colour, neighbours share none, and the clique's
 * colours are fixed, which breaks the symmetry of the colour names. */
#include <string.h>
#include "base/clock.h"
#include "base/stop.h"
#include "domains/coloring/branch.h"
#include "domains/sat/cadical.h"

enum { CLAUSES_MAX = 60 * 1000 * 1000 };

static int variable(int32_t v, int32_t c, int32_t k) {
  return v * k + c; /* c from 1 */
}

static int forbid(sw_cadical *sat, int a, int b) {
  return sw_cadical_add(sat, -a) && sw_cadical_add(sat, -b) &&
         sw_cadical_add(sat, 0);
}

/* 1 encoded, 0 out of memory, -1 it was time to stop. */
static int encode(sw_cadical *sat, const sw_instance *g, int32_t k,
                  const int32_t *clique, int32_t clique_size) {
  int good = 1;
  for (int32_t v = 0; v < g->n && good; v++) {
    for (int32_t c = 1; c <= k && good; c++)
      good = sw_cadical_add(sat, variable(v, c, k));
    good = good && sw_cadical_add(sat, 0);
    for (int64_t i = g->start[v]; i < g->start[v + 1] && good; i++) {
      int32_t u = g->neighbor[i];
      for (int32_t c = 1; c <= k && u > v && good; c++)
        good = forbid(sat, variable(v, c, k), variable(u, c, k));
    }
    if (v % 16 == 0 && sw_time_to_stop()) return -1;
  }
  for (int32_t i = 0; i < clique_size && good; i++)
    good = sw_cadical_add(sat, variable(clique[i], i + 1, k)) &&
           sw_cadical_add(sat, 0);
  return good;
}

static void read_colors(sw_cadical *sat, const sw_instance *g, int32_t k,
                        int32_t *color) {
  for (int32_t v = 0; v < g->n; v++) {
    color[v] = 0;
    for (int32_t c = k; c >= 1; c--)
      if (sw_cadical_value(sat, variable(v, c, k)) > 0) color[v] = c;
  }
}

int sw_branch_sat(const sw_instance *g, int32_t k, const int32_t *clique,
                  int32_t clique_size, double stop, int32_t *color,
                  sw_color_verdict *verdict, sw_err *err) {
  *verdict = SW_COLOR_UNKNOWN;
  if (k < 1 || (int64_t)g->n * k > INT32_MAX ||
      (g->edges + g->n) * (int64_t)k > CLAUSES_MAX)
    return SW_OK;
  if (clique_size > k) {
    *verdict = SW_COLOR_NONE;
    return SW_OK;
  }
  sw_cadical *sat = sw_cadical_new();
  int encoded = sat ? encode(sat, g, k, clique, clique_size) : 0;
  int answer = encoded > 0   ? sw_cadical_solve(sat, -1, stop)
               : encoded < 0 ? 0
                             : -1;
  if (answer == 20) *verdict = SW_COLOR_NONE;
  if (answer == 10) {
    *verdict = SW_COLOR_FOUND;
    read_colors(sat, g, k, color);
  }
  sw_cadical_free(sat);
  return answer < 0 ? sw_no_memory_for(err, "the SAT solver") : SW_OK;
}
