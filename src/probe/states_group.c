/* Grouping (see states_group.h): points sorted by key, then history, then
 * occurrence, so that equal histories are neighbours and the first occurrence
 * represents them. */
#include "probe/states_group.h"
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"

typedef struct row {
  uint64_t key[2], history;
  int64_t point;
} row;

static int compare_rows(const void *a, const void *b) {
  const row *x = a, *y = b;
  for (int k = 0; k < 2; k++)
    if (x->key[k] != y->key[k]) return x->key[k] < y->key[k] ? -1 : 1;
  if (x->history != y->history) return x->history < y->history ? -1 : 1;
  return (x->point > y->point) - (x->point < y->point);
}

static int same_state(const row *a, const row *b) {
  return a->key[0] == b->key[0] && a->key[1] == b->key[1];
}

static row *sorted_rows(const sw_states *s, int64_t first) {
  int64_t count = s->points - first;
  row *rows = malloc(sizeof *rows * (size_t)(count + 1));
  if (!rows) return NULL;
  for (int64_t i = 0; i < count; i++) {
    const sw_point *p = &s->point[first + i];
    rows[i] = (row){{p->key[0], p->key[1]}, p->history, first + i};
  }
  qsort(rows, (size_t)count, sizeof *rows, compare_rows);
  return rows;
}

static int no_memory(sw_err *err) {
  return sw_no_memory_for(err, "grouping states");
}

/* End of the run of equal states that begins at i, and its distinct histories.
 */
static int64_t run_end(const row *rows, int64_t i, int64_t count,
                       int64_t *distinct) {
  int64_t j = i;
  *distinct = 0;
  for (; j < count && same_state(&rows[i], &rows[j]); j++)
    *distinct += j == i || rows[j].history != rows[j - 1].history;
  return j;
}

int sw_states_mark(const sw_states *s, int64_t first, int histories,
                   uint8_t *enough, sw_err *err) {
  int64_t count = s->points - first, distinct;
  row *rows = sorted_rows(s, first);
  if (!rows) return no_memory(err);
  for (int64_t i = 0; i < count;) {
    int64_t j = run_end(rows, i, count, &distinct);
    /* One representative is enough to rebuild from. */
    for (int64_t k = i; k < j; k++)
      enough[rows[k].point - first] = k > i || distinct >= histories;
    i = j;
  }
  free(rows);
  return 0;
}

static int compare_i64(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* First occurrences of up to `most` distinct histories, earliest first. */
static int64_t members(const row *rows, int64_t i, int64_t j, int most,
                       int64_t *out) {
  int64_t count = 0;
  for (int64_t k = i; k < j; k++)
    if (k == i || rows[k].history != rows[k - 1].history)
      out[count++] = rows[k].point;
  qsort(out, (size_t)count, sizeof *out, compare_i64);
  return count < most ? count : most;
}

static int add_group(sw_states *s, const int64_t *member, int64_t count) {
  if (!sw_grow64(&s->group, &s->group_room, s->groups + 1, sizeof *s->group))
    return 0;
  int64_t first =
      s->groups ? s->group[s->groups - 1].first + s->group[s->groups - 1].count
                : 0;
  int64_t *order = realloc(s->order, sizeof *order * (size_t)(first + count));
  if (!order) return 0;
  s->order = order;
  memcpy(order + first, member, sizeof *order * (size_t)count);
  const sw_point *p = &s->point[member[0]];
  s->group[s->groups++] = (sw_state_group){.instance = p->instance,
                                           .cluster = p->cluster,
                                           .first = first,
                                           .count = count,
                                           .depth = p->depth,
                                           .conflict = p->conflict,
                                           .retry = p->retry};
  return 1;
}

/* Groups of one instance in order of first occurrence, so that output does not
 * follow hash values. */
typedef struct found {
  int64_t begin, end, earliest;
} found;
static int compare_found(const void *a, const void *b) {
  const found *x = a, *y = b;
  return (x->earliest > y->earliest) - (x->earliest < y->earliest);
}

int sw_states_group(sw_states *s, int64_t first, int max_histories,
                    sw_err *err) {
  int64_t count = s->points - first, runs = 0;
  row *rows = sorted_rows(s, first);
  found *run = malloc(sizeof *run * (size_t)(count + 1));
  int64_t *member = malloc(sizeof *member * (size_t)(count + 1));
  int code = rows && run && member ? 0 : no_memory(err);
  for (int64_t i = 0; i < count && !code;) {
    int64_t distinct, j = run_end(rows, i, count, &distinct),
                      earliest = INT64_MAX;
    for (int64_t k = i; k < j; k++) {
      if (rows[k].point < earliest) earliest = rows[k].point;
      for (int64_t m = k + 1; m < j && rows[m].history == rows[k].history; m++)
        s->identical++;
    }
    s->candidates += (j - i) * (j - i - 1) / 2;
    if (distinct >= 2) run[runs++] = (found){i, j, earliest};
    i = j;
  }
  if (!code && runs > 1) qsort(run, (size_t)runs, sizeof *run, compare_found);
  for (int64_t g = 0; g < runs && !code; g++) {
    int64_t n = members(rows, run[g].begin, run[g].end, max_histories, member);
    if (!add_group(s, member, n)) code = no_memory(err);
    s->full_groups += n == max_histories;
  }
  free(rows);
  free(run);
  free(member);
  return code;
}
