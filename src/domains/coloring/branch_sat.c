/* k-colouring as a formula for CaDiCaL: variable v*k + c says that node v has
 * colour c; each node has a colour, neighbours share none, and the clique's
 * colours are fixed, which breaks the symmetry of the colour names. */
#include <ccadical.h>
#include <string.h>
#include "base/clock.h"
#include "domains/coloring/branch.h"

enum { CLAUSES_MAX = 60 * 1000 * 1000 };

static int past(void *stop) { return sw_now() > *(double *)stop; }

static int variable(int32_t v, int32_t c, int32_t k) {
  return v * k + c; /* c from 1 */
}

static void encode(CCaDiCaL *sat, const sw_instance *g, int32_t k,
                   const int32_t *clique, int32_t clique_size) {
  for (int32_t v = 0; v < g->n; v++) {
    for (int32_t c = 1; c <= k; c++) ccadical_add(sat, variable(v, c, k));
    ccadical_add(sat, 0);
    for (int64_t i = g->start[v]; i < g->start[v + 1]; i++)
      for (int32_t c = 1; c <= k && g->neighbor[i] > v; c++) {
        ccadical_add(sat, -variable(v, c, k));
        ccadical_add(sat, -variable(g->neighbor[i], c, k));
        ccadical_add(sat, 0);
      }
  }
  for (int32_t i = 0; i < clique_size; i++) {
    ccadical_add(sat, variable(clique[i], i + 1, k));
    ccadical_add(sat, 0);
  }
}

int sw_branch_sat(const sw_instance *g, int32_t k, const int32_t *clique,
                  int32_t clique_size, double stop, int32_t *color,
                  sw_color_verdict *verdict, sw_err *err) {
  *verdict = SW_COLOR_UNKNOWN;
  if ((g->edges + g->n) * (int64_t)k > CLAUSES_MAX || k < 1) return SW_OK;
  if (clique_size > k) {
    *verdict = SW_COLOR_NONE;
    return SW_OK;
  }
  CCaDiCaL *sat = ccadical_init();
  if (!sat) return sw_fail(err, SW_MEMORY, "no memory for the SAT solver");
  encode(sat, g, k, clique, clique_size);
  ccadical_set_terminate(sat, &stop, past);
  int answer = ccadical_solve(sat);
  if (answer == 20) *verdict = SW_COLOR_NONE;
  if (answer == 10) {
    *verdict = SW_COLOR_FOUND;
    for (int32_t v = 0; v < g->n; v++) {
      color[v] = 0;
      for (int32_t c = k; c >= 1; c--)
        if (ccadical_val(sat, variable(v, c, k)) > 0) color[v] = c;
    }
  }
  ccadical_release(sat);
  return SW_OK;
}
