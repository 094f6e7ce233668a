/* Classical DSATUR with a count of its backtracks (see difficulty.h). */
#include "domains/coloring/difficulty.h"
#include <string.h>

typedef struct classical {
  const sw_instance *graph;
  uint8_t color[SW_COL_NODES_MAX];
  int32_t colored;
  int64_t steps, limit, backtracks;
} classical;

static unsigned used_around(const classical *s, int32_t v) {
  const sw_instance *g = s->graph;
  unsigned used = 0;
  for (int64_t i = g->start[v]; i < g->start[v + 1]; i++)
    used |= 1u << s->color[g->neighbor[i]];
  return used & ~1u; /* bit c for colour c */
}

static int32_t select_node(const classical *s) {
  int32_t best = -1, best_rank = 0;
  for (int32_t v = 0; v < s->graph->n; v++) {
    if (s->color[v]) continue;
    int32_t rank = __builtin_popcount(used_around(s, v)) * 1000 +
                   sw_graph_degree(s->graph, v);
    if (best < 0 || rank > best_rank) {
      best = v;
      best_rank = rank;
    }
  }
  return best;
}

/* 1 solved, 0 failed, -1 out of steps. */
static int extend(classical *s) {
  if (s->colored == s->graph->n) return 1;
  if (++s->steps > s->limit) return -1;
  int32_t v = select_node(s);
  unsigned used = used_around(s, v);
  for (int32_t c = 1; c <= s->graph->colors; c++) {
    if (used >> c & 1) continue;
    s->color[v] = (uint8_t)c;
    s->colored++;
    int result = extend(s);
    if (result != 0) return result;
    s->color[v] = 0;
    s->colored--;
    s->backtracks++;
  }
  return 0;
}

int sw_col_difficulty(const sw_instance *graph, int64_t limit,
                      int64_t *backtracks) {
  classical s = {.graph = graph, .limit = limit};
  *backtracks = 0;
  if (graph->n > SW_COL_NODES_MAX || graph->colors > SW_COL_COLORS_MAX)
    return -1;
  int result = extend(&s);
  *backtracks = s.backtracks;
  return result;
}

int sw_col_bucket(int64_t backtracks) {
  static const int64_t last[] = {0, 5, 10, 20};
  for (int i = 0; i < SW_COL_BUCKETS - 1; i++)
    if (backtracks <= last[i]) return i;
  return SW_COL_BUCKETS - 1;
}
