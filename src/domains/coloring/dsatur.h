/* Complete graph colouring without a model, for graphs of any size: DSATUR
 * branch and bound, a clique and Mycielski lower bound, and CaDiCaL for what
 * is left. Called by `solve` (through sw_domain.file.solve) and by tests.
 * Every colouring is checked by sw_graph_check before it is returned. */
#ifndef SW_DOMAINS_COLORING_DSATUR_H
#define SW_DOMAINS_COLORING_DSATUR_H
#include "domains/coloring/graph.h"

typedef enum {
  SW_COLOR_UNKNOWN, /* the time ran out */
  SW_COLOR_FOUND,
  SW_COLOR_NONE /* proven */
} sw_color_verdict;

typedef struct sw_color_result {
  sw_color_verdict verdict;
  int32_t colors;  /* used by the colouring found */
  int32_t lower;   /* proven: no colouring has fewer */
  int32_t clique;  /* size of the clique found */
  int64_t nodes;   /* of the branch and bound */
  const char *how; /* what decided */
} sw_color_result;

/* A colouring with at most k colours (color[v] from 1), or the proof that
 * there is none, within about `seconds` (0: no limit). */
int sw_color_search(const sw_instance *graph, int32_t k, double seconds,
                    int32_t *color, sw_color_result *result, sw_err *err);
/* The fewest colours found within about `seconds`: result->colors, proven
 * smallest when result->lower equals it (verdict SW_COLOR_FOUND always). */
int sw_color_minimum(const sw_instance *graph, double seconds, int32_t *color,
                     sw_color_result *result, sw_err *err);

/* "v node colour" lines, nodes from 1; malloc'd. */
int sw_color_text(const sw_instance *graph, const int32_t *color, char **text,
                  sw_err *err);
/* sw_domain.file.verify (coloring_verify.c). */
int sw_col_verify(const char *text, size_t bytes,
                  const sw_domain_options *options, const char *answer,
                  sw_err *err);
/* sw_domain.file.solve. */
int sw_color_solve(const sw_instance *instance,
                   const sw_domain_options *options, double seconds,
                   int *verdict, char **text, char *note, size_t note_room,
                   sw_err *err);
#endif
