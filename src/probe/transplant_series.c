/* Figures of a transplant (see transplant_series.h). */
#include "probe/transplant_series.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "base/ranks.h"

void sw_series_free(sw_series *s) {
#define X(name) free(s->name);
  SW_SERIES_COLUMNS(X)
#undef X
  free(s->cluster);
  memset(s, 0, sizeof *s);
}

static int grow(sw_series *s) {
  int64_t room = 2 * s->room + 256;
#define X(name)                                                 \
  double *name = realloc(s->name, sizeof *name * (size_t)room); \
  if (!name) return 0;                                          \
  s->name = name;
  SW_SERIES_COLUMNS(X)
#undef X
  int64_t *cluster = realloc(s->cluster, sizeof *cluster * (size_t)room);
  if (!cluster) return 0;
  s->cluster = cluster;
  s->room = room;
  return 1;
}

int sw_series_put(sw_series *s, const sw_series_row *row) {
  if (s->count == s->room && !grow(s)) return 0;
#define X(name) s->name[s->count] = row->name;
  SW_SERIES_COLUMNS(X)
#undef X
  s->cluster[s->count++] = row->cluster;
  return 1;
}

static sw_series_row row_at(const sw_series *s, int64_t i) {
  sw_series_row row = {.cluster = s->cluster[i]};
#define X(name) row.name = s->name[i];
  SW_SERIES_COLUMNS(X)
#undef X
  return row;
}

/* A state as bytes: itself, then its rows of both series. */
static void pack(FILE *out, sw_series *series[2], const sw_series_state *s) {
  fwrite(s, sizeof *s, 1, out);
  for (int k = 0; k < 2; k++)
    for (int64_t i = s->first[k]; i < s->last[k]; i++) {
      sw_series_row row = row_at(series[k], i);
      fwrite(&row, sizeof row, 1, out);
    }
}

static int64_t rows_of(const sw_series_state *s, int k) {
  return s->last[k] - s->first[k];
}

static int by_index(const void *a, const void *b) {
  sw_series_state x, y;
  memcpy(&x, *(const char *const *)a, sizeof x);
  memcpy(&y, *(const char *const *)b, sizeof y);
  return (x.index > y.index) - (x.index < y.index);
}

/* Where each state begins; NULL: out of memory. */
static const char **find_states(const char *all, size_t bytes, int64_t *count) {
  int64_t room = (int64_t)(bytes / sizeof(sw_series_state)) + 1;
  const char **at = malloc(sizeof *at * (size_t)room);
  *count = 0;
  for (const char *p = all; at && p < all + bytes;) {
    sw_series_state s;
    memcpy(&s, p, sizeof s);
    at[(*count)++] = p;
    p += sizeof s +
         sizeof(sw_series_row) * (size_t)(rows_of(&s, 0) + rows_of(&s, 1));
  }
  if (at) qsort(at, (size_t)*count, sizeof *at, by_index);
  return at;
}

static int unpack(sw_series *series[2], const char *at) {
  sw_series_state s;
  memcpy(&s, at, sizeof s);
  at += sizeof s;
  for (int k = 0; k < 2; k++) {
    series[k]->states += rows_of(&s, k) > 0;
    for (int64_t i = 0; i < rows_of(&s, k); i++, at += sizeof(sw_series_row)) {
      sw_series_row row;
      memcpy(&row, at, sizeof row);
      if (!sw_series_put(series[k], &row)) return 0;
    }
  }
  return 1;
}

int sw_series_gather(sw_series *series[2], const sw_series_state *state,
                     int64_t states, sw_err *err) {
  char *mine = NULL, *all = NULL;
  size_t bytes = 0, total = 0;
  if (sw_ranks_count() == 1) return SW_OK;
  FILE *out = open_memstream(&mine, &bytes);
  if (!out) return sw_no_memory_for(err, "transplant");
  for (int64_t i = 0; i < states; i++) pack(out, series, &state[i]);
  int code = sw_memory_close(out, &mine)
                 ? sw_ranks_gather(mine, bytes, &all, &total, err)
                 : sw_no_memory_for(err, "transplant");
  if (!code && all) {
    int64_t count;
    const char **at = find_states(all, total, &count);
    for (int k = 0; k < 2; k++) sw_series_free(series[k]);
    int ok = at != NULL;
    for (int64_t i = 0; i < count && ok; i++) ok = unpack(series, at[i]);
    free(at);
    if (!ok) code = sw_no_memory_for(err, "transplant");
  }
  free(mine);
  free(all);
  return code;
}
