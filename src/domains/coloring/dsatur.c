/* Complete colouring of graphs of any size (see dsatur.h). */
#include "domains/coloring/dsatur.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/stop.h"
#include "domains/coloring/bound.h"
#include "domains/coloring/branch.h"

/* Shares of the time: bounds first, then branch and bound, then SAT; where
 * there is no limit the first two still end. */
static const double bound_share = 0.1, branch_share = 0.1;
static const double no_limit = 1e9, longest_share = 20;

static double share_of(double seconds, double share) {
  return seconds * share < longest_share ? seconds * share : longest_share;
}

typedef struct job {
  const sw_instance *graph;
  double stop, seconds;
  int32_t *clique, *trial; /* [n] each */
  int32_t clique_size;
} job;

static int job_start(job *j, const sw_instance *graph, double seconds,
                     int32_t *color, sw_color_result *result, sw_err *err) {
  size_t n = (size_t)graph->n + 1;
  if (seconds <= 0) seconds = no_limit;
  memset(result, 0, sizeof *result);
  j->graph = graph;
  j->seconds = seconds;
  j->stop = sw_now() + seconds;
  j->clique = malloc(sizeof *j->clique * n);
  j->trial = malloc(sizeof *j->trial * n);
  j->clique_size = -1;
  if (j->clique && j->trial)
    j->clique_size =
        sw_greedy_clique(graph, share_of(seconds, bound_share), j->clique);
  result->colors = sw_greedy_colors(graph, color);
  if (j->clique_size < 0 || (graph->n > 0 && result->colors == 0))
    return sw_no_memory_for(err, "colouring %d nodes", graph->n);
  result->clique = j->clique_size;
  result->lower = sw_mycielski_bound(graph, j->clique, j->clique_size,
                                     share_of(seconds, bound_share));
  result->how = "greedy";
  return SW_OK;
}

static void job_end(job *j) {
  free(j->clique);
  free(j->trial);
}

/* Decides k colours by search; a colouring is checked, then copied. */
static int decide(job *j, int32_t k, int32_t *color, sw_color_result *result,
                  sw_err *err) {
  double now = sw_now(), slice = now + share_of(j->seconds, branch_share);
  result->verdict = SW_COLOR_UNKNOWN;
  result->how = "branch and bound";
  SW_TRY(sw_branch(j->graph, k, j->clique, j->clique_size,
                   slice < j->stop ? slice : j->stop, 0, j->trial,
                   &result->verdict, &result->nodes, err));
  if (result->verdict == SW_COLOR_UNKNOWN && sw_now() < j->stop &&
      !sw_time_to_stop()) {
    result->how = "SAT";
    SW_TRY(sw_branch_sat(j->graph, k, j->clique, j->clique_size, j->stop,
                         j->trial, &result->verdict, err));
  }
  if (result->verdict == SW_COLOR_NONE && result->lower < k + 1)
    result->lower = k + 1;
  if (result->verdict != SW_COLOR_FOUND) return SW_OK;
  if (!sw_graph_check(j->graph, j->trial, k))
    return sw_fail(err, SW_INTERNAL, "the colouring found is not legal");
  memcpy(color, j->trial, sizeof *color * (size_t)j->graph->n);
  result->colors = 0;
  for (int32_t v = 0; v < j->graph->n; v++)
    result->colors = color[v] > result->colors ? color[v] : result->colors;
  return SW_OK;
}

int sw_color_search(const sw_instance *graph, int32_t k, double seconds,
                    int32_t *color, sw_color_result *result, sw_err *err) {
  job j;
  int code = job_start(&j, graph, seconds, color, result, err);
  if (!code && result->lower > k) {
    result->verdict = SW_COLOR_NONE;
    result->how = result->clique > k ? "clique" : "Mycielski bound";
  } else if (!code && result->colors <= k) {
    result->verdict = SW_COLOR_FOUND;
    if (!sw_graph_check(graph, color, k))
      code = sw_fail(err, SW_INTERNAL, "the colouring found is not legal");
  } else if (!code) {
    code = decide(&j, k, color, result, err);
  }
  job_end(&j);
  return code;
}

int sw_color_minimum(const sw_instance *graph, double seconds, int32_t *color,
                     sw_color_result *result, sw_err *err) {
  job j;
  int code = job_start(&j, graph, seconds, color, result, err);
  int going = 1;
  while (!code && going && result->lower < result->colors) {
    code = decide(&j, result->colors - 1, color, result, err);
    going = result->verdict == SW_COLOR_FOUND;
  }
  result->verdict = SW_COLOR_FOUND;
  if (!code && !sw_graph_check(graph, color, result->colors))
    code = sw_fail(err, SW_INTERNAL, "the colouring found is not legal");
  job_end(&j);
  return code;
}

int sw_color_text(const sw_instance *graph, const int32_t *color, char **text,
                  sw_err *err) {
  size_t room = (size_t)graph->n * 26 + 1, used = 0;
  *text = malloc(room);
  if (!*text) return sw_no_memory_for(err, "the answer");
  (*text)[0] = 0;
  for (int32_t v = 0; v < graph->n; v++)
    used += (size_t)snprintf(*text + used, room - used,
                             "v %" PRId32 " %" PRId32 "\n", v + 1, color[v]);
  return SW_OK;
}

/* One line: how many colours, and what is proven. */
static void describe(const sw_color_result *r, int32_t k, char *note,
                     size_t room) {
  if (r->verdict == SW_COLOR_NONE)
    snprintf(note, room, "no colouring with %d colours (%s); at least %d", k,
             r->how, r->lower);
  else if (r->verdict == SW_COLOR_UNKNOWN)
    snprintf(note, room,
             "no colouring with %d colours found in time; "
             "best %d, at least %d",
             k, r->colors, r->lower);
  else if (r->lower == r->colors)
    snprintf(note, room, "%d colours (%s), proven smallest", r->colors, r->how);
  else
    snprintf(note, room, "%d colours (%s), at least %d", r->colors, r->how,
             r->lower);
}

int sw_color_solve(const sw_instance *instance,
                   const sw_domain_options *options, double seconds,
                   int *verdict, char **text, char *note, size_t note_room,
                   sw_err *err) {
  (void)options;
  sw_color_result result;
  int32_t k = instance->colors;
  int32_t *color = malloc(sizeof *color * ((size_t)instance->n + 1));
  *verdict = 0;
  *text = NULL;
  if (!color) return sw_no_memory_for(err, "a colouring");
  int code = k > 0 ? sw_color_search(instance, k, seconds, color, &result, err)
                   : sw_color_minimum(instance, seconds, color, &result, err);
  if (!code) {
    describe(&result, k, note, note_room);
    *verdict = result.verdict == SW_COLOR_FOUND  ? 10
               : result.verdict == SW_COLOR_NONE ? 20
                                                 : 0;
    if (*verdict == 10) code = sw_color_text(instance, color, text, err);
  }
  free(color);
  return code;
}
