/* States of recorded searches (see states.h): every step is a point. Its state
 * is problem and state words, what came before is the tokens in between. */
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "base/hash.h"
#include "probe/states.h"
#include "probe/states_group.h"

static int no_memory(sw_err *err) {
  return sw_no_memory_for(err, "collecting states");
}

/* Traces in the order of their clusters, so that one is taken at a time. */
typedef struct place {
  int64_t cluster, problem, trace;
} place;

static int by_cluster(const void *a, const void *b) {
  const place *x = a, *y = b;
  if (x->cluster != y->cluster) return x->cluster < y->cluster ? -1 : 1;
  if (x->problem != y->problem) return x->problem < y->problem ? -1 : 1;
  return (x->trace > y->trace) - (x->trace < y->trace);
}

static int add_move(sw_rollout *r, const sw_trace *t, int64_t block,
                    int is_back) {
  int64_t first = r->plays;
  if (!sw_grow64(&r->move, &r->move_room, r->moves + 1, sizeof *r->move))
    return 0;
  for (int64_t i = t->block_start[block];
       i < sw_trace_block_end(t, block) && !is_back; i++) {
    if (!t->supervised[i]) continue;
    if (!sw_grow64(&r->played, &r->play_room, r->plays + 1, sizeof *r->played))
      return 0;
    r->played[r->plays++] = t->token[i];
  }
  r->move[r->moves++] = (sw_move){
      .first = first, .tokens = (int32_t)(r->plays - first), .depth_after = -1};
  return 1;
}

static int add_point(sw_states *s, const sw_rollout *r, int64_t trace,
                     int64_t block, int64_t first, int32_t depth, int is_back) {
  const sw_trace *t = &r->trace;
  int64_t begin = t->block_start[block], prefix = t->block_start[1];
  size_t word = sizeof *t->token;
  if (!sw_grow64(&s->point, &s->point_room, s->points + 1, sizeof *s->point))
    return 0;
  sw_point *p = &s->point[s->points++];
  *p = (sw_point){.rollout = s->rollouts - 1,
                  .block = block,
                  .last = first - 1,
                  .given = first - 1,
                  .instance = r->instance,
                  .cluster = s->data->cluster[trace],
                  .depth = depth,
                  .size = s->data->offers - (s->data->back >= 0),
                  .conflict = (uint8_t)is_back};
  p->key[0] = sw_xxh64(t->token + begin, word * (size_t)(first - begin), 11);
  p->key[1] = sw_xxh64(t->token, word * (size_t)prefix, 13);
  p->history = sw_xxh64(t->token + prefix, word * (size_t)(begin - prefix), 12);
  return 1;
}

static int add_trace(sw_states *s, int64_t trace, sw_err *err) {
  static const sw_view_options whole = {.view = SW_VIEW_FULL};
  const sw_probe_data *d = s->data;
  if (!sw_grow64(&s->rollout, &s->rollout_room, s->rollouts + 1,
                 sizeof *s->rollout))
    return no_memory(err);
  sw_rollout *r = &s->rollout[s->rollouts++];
  memset(r, 0, sizeof *r);
  sw_trace_init(&r->trace);
  r->instance = d->problem[trace];
  SW_TRY(sw_dataset_item(&d->set, &whole, trace, &r->trace, err));
  int32_t depth = 0;
  for (int64_t b = 1; b < r->trace.blocks; b++) {
    sw_data_step at = sw_data_step_of(&d->set, trace, b);
    int is_back = at.first >= 0 && d->set.tokens[at.first] == d->back;
    if (!add_move(r, &r->trace, b, is_back)) return no_memory(err);
    if (at.first < 0) continue;
    if (!add_point(s, r, trace, b, at.first - d->set.trace_start[trace], depth,
                   is_back))
      return no_memory(err);
    if (is_back) depth -= depth > 0;
    else depth++;
  }
  return SW_OK;
}

static void count_unlike(sw_states *s) {
  for (int64_t g = 0; g < s->groups; g++) {
    const sw_state_group *group = &s->group[g];
    int back = 0;
    for (int64_t k = 0; k < group->count; k++)
      back += s->point[s->order[group->first + k]].conflict;
    s->unlike += back > 0 && back < group->count;
  }
}

static uint64_t draw_of(const sw_states *s, int64_t group) {
  return s->point[s->order[s->group[group].first]].key[0];
}

static int by_draw(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Keeps `most` of the states from `first` on, in their order, by a draw that is
 * a hash of their words. */
static int thin(sw_states *s, int64_t first, int64_t most, sw_err *err) {
  int64_t count = s->groups - first, kept = first;
  if (count <= most) return SW_OK;
  uint64_t *draw = malloc(sizeof *draw * (size_t)count);
  if (!draw) return no_memory(err);
  for (int64_t i = 0; i < count; i++) draw[i] = draw_of(s, first + i);
  qsort(draw, (size_t)count, sizeof *draw, by_draw);
  for (int64_t i = first; i < s->groups && kept < first + most; i++)
    if (draw_of(s, i) <= draw[most - 1]) s->group[kept++] = s->group[i];
  s->groups = kept;
  free(draw);
  return SW_OK;
}

static int add_all(sw_states *s, const place *list,
                   const sw_states_data_options *o, sw_err *err) {
  int64_t clusters = 0, all = s->data->clusters, most = INT64_MAX;
  if (o->states) most = (o->states + all - 1) / all;
  for (int64_t i = 0, j; i < s->data->traces; i = j) {
    int64_t first = s->points, group = s->groups;
    if (o->instances && clusters++ == o->instances) break;
    for (j = i; j < s->data->traces && list[j].cluster == list[i].cluster; j++)
      SW_TRY(add_trace(s, list[j].trace, err));
    SW_TRY(sw_states_group(s, first, o->max_histories, err));
    SW_TRY(thin(s, group, most, err));
  }
  return SW_OK;
}

int sw_states_of_data(sw_states *s, const sw_probe_data *data,
                      const sw_states_data_options *o, sw_err *err) {
  place *list = malloc(sizeof *list * ((size_t)data->traces + 1));
  memset(s, 0, sizeof *s);
  if (!list) return no_memory(err);
  s->domain = data->domain;
  s->data = data;
  for (int64_t i = 0; i < data->traces; i++)
    list[i] = (place){data->cluster[data->trace[i]],
                      data->problem[data->trace[i]], data->trace[i]};
  qsort(list, (size_t)data->traces, sizeof *list, by_cluster);
  int code = add_all(s, list, o, err);
  free(list);
  count_unlike(s);
  if (!code && o->pairs && !s->groups) {
    code = sw_fail(err, SW_DATA,
                   "%s: no state of the part %s occurs after two different "
                   "histories",
                   data->path, data->part);
    sw_hint(err, "record several searches of one problem, by other ways%s",
            strcmp(data->part, "all") ? "; --part all looks at all" : "");
  }
  if (code) sw_states_free(s);
  return code;
}
