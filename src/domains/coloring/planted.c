/* Planted graphs: draw a colour for every node, then each edge
 * between differently coloured nodes with probability p. Bit-exact with
 * NumPy's default_rng; one generator runs through the whole stream. The family
 * `mixture` also draws the size and the mean degree of every graph, from easy
 * ones to those where a depth-first search goes back most: searches without a
 * retry teach nothing about retries. */
#include <stdlib.h>
#include <string.h>
#include "domains/coloring/graph.h"
#include "domains/resolve.h"

enum { MIXTURE_LEAST = 20 }; /* nodes */
static const double mixture_degree[2] = {7, 13};

struct sw_stream {
  sw_pcg rng;
  int32_t n, colors;
  double density;
  int32_t mixture_most; /* nodes; 0: every graph has n nodes */
  int32_t *solution;    /* [n], colours from 1 */
  sw_edge *list;        /* [n*(n-1)/2] */
};

int sw_planted_new(sw_stream **stream, const sw_domain_options *options,
                   uint64_t seed, sw_split split, sw_err *err) {
  *stream = NULL;
  sw_stream *s = calloc(1, sizeof *s);
  const sw_col_options *own = sw_col_own(options);
  size_t n = (size_t)options->n;
  if (s) {
    s->n = options->n;
    s->colors = own->colors;
    s->density = own->density;
    s->mixture_most = own->family && !strcmp(own->family, "mixture") ? s->n : 0;
    s->solution = malloc(sizeof *s->solution * (n + 1));
    s->list = malloc(sizeof *s->list * (n * (n + 1) / 2 + 1));
    sw_pcg_seed(&s->rng, sw_stream_seed(options, seed, split));
  }
  if (!s || !s->solution || !s->list) {
    sw_planted_free(s);
    return sw_no_memory_for(err, "graphs of %d nodes", options->n);
  }
  *stream = s;
  return SW_OK;
}

static void draw_size(sw_stream *s) {
  int32_t least = s->mixture_most < MIXTURE_LEAST ? s->mixture_most
                                                  : (int32_t)MIXTURE_LEAST;
  s->n = least +
         (int32_t)sw_pcg_bounded(&s->rng, (uint32_t)(s->mixture_most - least));
  double degree = mixture_degree[0] + (mixture_degree[1] - mixture_degree[0]) *
                                          sw_pcg_random(&s->rng);
  /* of the n - 1 other nodes, a share of 1 - 1/colors has another colour */
  double others = (s->n - 1) * (1 - 1.0 / s->colors);
  s->density = others > degree ? degree / others : 1;
}

int sw_planted_next(sw_stream *stream, sw_instance **instance, sw_err *err) {
  sw_stream *s = stream;
  int64_t count = 0;
  if (s->mixture_most) draw_size(s);
  for (int32_t v = 0; v < s->n; v++)
    s->solution[v] =
        1 + (int32_t)sw_pcg_bounded(&s->rng, (uint32_t)s->colors - 1);
  for (int32_t i = 0; i < s->n; i++)
    for (int32_t j = i + 1; j < s->n; j++)
      if (s->solution[i] != s->solution[j] &&
          sw_pcg_random(&s->rng) < s->density)
        s->list[count++] = (sw_edge){i, j};
  return sw_graph_new(instance, s->n, s->colors, s->list, count, err);
}

void sw_planted_free(sw_stream *stream) {
  if (!stream) return;
  free(stream->solution);
  free(stream->list);
  free(stream);
}

const int32_t *sw_planted_solution(const sw_stream *stream) {
  return stream->solution;
}
