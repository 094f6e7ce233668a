/* Fuzz target: any text through the DIMACS .col reader, at the level that its
 * first byte chooses. What is accepted must be a simple graph. */
#include "domains/coloring/coloring_options.h"
#include "domains/coloring/graph.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  if (length < 1) return 0;
  char *text = (char *)fuzz_copy(bytes + 1, length - 1);
  sw_domain_options options = {0};
  sw_col_own_edit(&options)->reading = bytes[0] % 3;
  sw_instance *g;
  sw_err err;
  (void)sw_col_recognises(NULL, "x", text, length - 1);
  if (!sw_col_parse(&g, "fuzz", text, length - 1, &options, &err)) {
    for (int32_t v = 0; v < g->n; v++)
      for (int64_t i = g->start[v]; i < g->start[v + 1]; i++)
        if (g->neighbor[i] == v || !sw_graph_adjacent(g, g->neighbor[i], v))
          abort();
    sw_graph_free(g);
  }
  free(text);
  return 0;
}
