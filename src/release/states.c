/* The states of the published bank (see rollouts.h): points grouped by
 * (instance, state text), up to four histories each, states in byte order of
 * their text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "domains/sat/tokens.h"
#include "release/rollouts.h"

typedef sw_release_entry entry;
typedef struct sink {
  sw_release_prefix_fn prefix;
  sw_release_state_fn state;
  void *context;
} sink;

static int64_t three_way(int64_t a, int64_t b) { return (a > b) - (a < b); }

static int compare_entries(const void *a, const void *b) {
  const entry *x = a, *y = b;
  int order = strcmp(x->point->signature, y->point->signature);
  if (order) return order;
  if (x->trace != y->trace) return (int)three_way(x->trace, y->trace);
  if (x->history != y->history) return (int)three_way(x->history, y->history);
  if (x->point->start != y->point->start)
    return (int)three_way(x->point->start, y->point->start);
  return (int)three_way(x->point->sep, y->point->sep);
}

/* Up to `most` of the group: first one of each history length, then the rest,
 * both in order. Marks them and returns how many, listing them in chosen[]. */
static int choose(const entry *group, int64_t size, int most,
                  const entry **chosen) {
  int count = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int64_t i = 0; i < size && count < most; i++) {
      int taken = 0, length_used = 0;
      for (int k = 0; k < count; k++) {
        taken |= chosen[k] == &group[i];
        length_used |= chosen[k]->history == group[i].history;
      }
      if (!taken && (pass || !length_used)) chosen[count++] = &group[i];
    }
  return count;
}

static int same_state(const sw_trace *traces, const entry *a, const entry *b) {
  int64_t size = a->point->sep - a->point->start;
  return size == b->point->sep - b->point->start &&
         memcmp(traces[a->trace].token + a->point->start,
                traces[b->trace].token + b->point->start,
                sizeof(int32_t) * (size_t)(size + 1)) == 0;
}

/* Distinct variable tokens, ascending: the order of the state part may be by
 * activity, and both values of a variable are neighbours. */
static int32_t allowed_tokens(const sw_sat_point *p, int32_t *allowed) {
  int32_t last = -1, count = 0;
  for (;;) {
    int32_t next = -1;
    for (int32_t i = 0; i < p->actions; i++)
      if (p->action[i].var > last && (next < 0 || p->action[i].var < next))
        next = p->action[i].var;
    if (next < 0) return count;
    allowed[count++] = SW_SAT_VARIABLE + next;
    last = next;
  }
}

static int give_state(const sink *s, int64_t instance, const entry **chosen,
                      int count, const sw_trace *traces, sw_err *err) {
  const sw_sat_point *p = chosen[0]->point;
  size_t room = strlen(p->signature) + 64;
  char *id = malloc(room);
  int32_t *allowed = malloc(sizeof *allowed * (size_t)(p->actions + 1));
  int code = SW_OK;
  if (!id || !allowed) {
    code = sw_no_memory_for(err, "published states");
  } else {
    snprintf(id, room, "sat:%lld:%s", (long long)instance, p->signature);
    sw_release_state state = {.instance = instance,
                              .point = p,
                              .retry = !p->label && p->actions == 1,
                              .id = id,
                              .allowed = allowed,
                              .history = chosen,
                              .histories = count,
                              .traces = traces};
    state.allowed_count = allowed_tokens(p, allowed);
    code = s->state(s->context, &state, err);
  }
  free(id);
  free(allowed);
  return code;
}

static int64_t drop_duplicates(entry *list, int64_t count) {
  int64_t kept = 0;
  for (int64_t i = 0; i < count; i++)
    if (kept == 0 || compare_entries(&list[kept - 1], &list[i]) != 0)
      list[kept++] = list[i];
  return kept;
}

static int group_states(const sink *s, int64_t instance, entry *list,
                        int64_t count, const sw_trace *traces,
                        const sw_release_options *o, sw_err *err) {
  qsort(list, (size_t)count, sizeof *list, compare_entries);
  count = drop_duplicates(list, count);
  for (int64_t i = 0; i < count;) {
    int64_t j = i;
    while (j < count &&
           strcmp(list[j].point->signature, list[i].point->signature) == 0)
      j++;
    const entry *chosen[64];
    int n = choose(list + i, j - i,
                   o->max_histories < 64 ? o->max_histories : 64, chosen),
        equal = 1;
    for (int k = 1; k < n; k++)
      equal &= same_state(traces, chosen[0], chosen[k]);
    if (n >= o->min_histories && equal)
      SW_TRY(give_state(s, instance, chosen, n, traces, err));
    i = j;
  }
  return SW_OK;
}

static int one_formula(void *context, int64_t instance, const sw_trace *traces,
                       entry *list, int64_t count, const sw_release_options *o,
                       sw_err *err) {
  const sink *s = context;
  s->prefix(s->context, traces[0].token, traces[0].block_start[1]);
  return group_states(s, instance, list, count, traces, o, err);
}

int sw_release_states(const sw_release_options *o, sw_release_prefix_fn prefix,
                      sw_release_state_fn state, void *context, sw_err *err) {
  sink s = {prefix, state, context};
  return sw_release_visit(o, one_formula, &s, err);
}
