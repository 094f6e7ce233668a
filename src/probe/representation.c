/* Representation probe (see representation.h). */
#include "probe/representation.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "base/rng.h"
#include "probe/spread.h"
#include "probe/transplant_rows.h"

static const char no_memory[] = "representation probe: out of memory";

typedef struct vectors {
  double *x; /* [count][width] */
  uint8_t *label, *is_test;
  int64_t count, width;
} vectors;

static void vectors_free(vectors *v) {
  free(v->x);
  free(v->label);
  free(v->is_test);
}

/* Hidden vector of a point; *fits 0: too long for the position table. */
static int hidden_of(const sw_states *s, int64_t point, sw_asker *asker,
                     sw_trace *trace, const float **h, int *fits, sw_err *err) {
  SW_TRY(sw_transplant_cut(s, point, trace, err));
  *fits = sw_ask_fits(asker, trace);
  if (!*fits) return 0;
  int32_t row = (int32_t)(trace->length - 1);
  return sw_ask_hidden(asker, trace, &row, 1, h, err);
}

/* What is found travels as bytes: a finding for each state, then its pairs,
 * then the vector of its first history (`width` floats, if it has one). */
typedef struct finding {
  int64_t pairs, skipped, members, group;
} finding;
typedef struct pair {
  double cosine, gap, equal;
} pair;

static pair compare(const float *a, const float *b, int64_t width) {
  double ab = 0, aa = 0, bb = 0, gap = 0;
  for (int64_t i = 0; i < width; i++) {
    ab += (double)a[i] * b[i];
    aa += (double)a[i] * a[i];
    bb += (double)b[i] * b[i];
    double d = fabs((double)a[i] - (double)b[i]);
    if (d > gap) gap = d;
  }
  return (pair){.cosine = aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0,
                .gap = gap,
                .equal = memcmp(a, b, sizeof *a * (size_t)width) == 0};
}

static void write_state(FILE *out, const finding *f, const float *kept,
                        int64_t width) {
  fwrite(f, sizeof *f, 1, out);
  for (int64_t a = 0; a < f->members; a++)
    for (int64_t b = a + 1; b < f->members; b++) {
      pair p = compare(kept + a * width, kept + b * width, width);
      fwrite(&p, sizeof p, 1, out);
    }
  if (f->members) fwrite(kept, sizeof *kept, (size_t)width, out);
}

/* One state: vectors of its members and all pairs. */
static int find_state(const sw_states *s, int64_t group, sw_asker *asker,
                      sw_trace *trace, float *kept, int64_t width, FILE *out,
                      sw_err *err) {
  const sw_state_group *g = &s->group[group];
  finding f = {.group = group};
  int64_t members = 0;
  for (int64_t k = 0; k < g->count && members < 64; k++) {
    const float *h;
    int fits;
    SW_TRY(hidden_of(s, s->order[g->first + k], asker, trace, &h, &fits, err));
    f.skipped += !fits;
    if (fits) memcpy(kept + members++ * width, h, sizeof *h * (size_t)width);
  }
  f.members = members;
  f.pairs = members * (members - 1) / 2;
  write_state(out, &f, kept, width);
  return 0;
}

/* Finds this rank's states; all findings, in order, on rank 0. */
static int find_all(const sw_states *s, const int64_t *chosen, int64_t count,
                    sw_asker *asker, int64_t width, sw_progress_fn progress,
                    void *context, char **all, size_t *bytes, sw_err *err) {
  char *mine = NULL;
  size_t own = 0;
  sw_trace trace;
  int64_t from, to;
  float *kept = malloc(sizeof *kept * 64 * (size_t)width);
  FILE *out = open_memstream(&mine, &own);
  int code = kept && out ? 0 : sw_fail(err, SW_MEMORY, "%s", no_memory);
  sw_trace_init(&trace);
  sw_spread(count, &from, &to);
  for (int64_t i = from; i < to && !code; i++) {
    code = find_state(s, chosen[i], asker, &trace, kept, width, out, err);
    if (progress) progress(context, NULL, i + 1 - from, to - from);
  }
  if (!sw_memory_close(out, &mine) && !code)
    code = sw_fail(err, SW_MEMORY, "%s", no_memory);
  if (!code) code = sw_ranks_gather(mine, own, all, bytes, err);
  free(mine);
  free(kept);
  sw_trace_free(&trace);
  return code;
}

static void add_pair(const pair *p, sw_representation_result *out) {
  if (out->pairs == 0 || p->cosine < out->lowest_cosine)
    out->lowest_cosine = p->cosine;
  if (p->gap > out->largest_gap) out->largest_gap = p->gap;
  out->cosine += p->cosine;
  out->mean_gap += p->gap;
  out->exact_equal_rate += p->equal;
  out->pairs++;
}

/* Adds up one finding; one sample for the classifier. Returns its end. */
static const char *add_state(const sw_states *s, const char *at, uint64_t seed,
                             vectors *v, sw_representation_result *out) {
  finding f;
  memcpy(&f, at, sizeof f);
  at += sizeof f;
  out->skipped += f.skipped;
  for (int64_t i = 0; i < f.pairs; i++, at += sizeof(pair)) {
    pair p;
    memcpy(&p, at, sizeof p);
    add_pair(&p, out);
  }
  if (!f.members) return at;
  out->states++;
  for (int64_t i = 0; i < v->width; i++, at += sizeof(float)) {
    float x;
    memcpy(&x, at, sizeof x);
    v->x[v->count * v->width + i] = x;
  }
  const sw_state_group *g = &s->group[f.group];
  v->label[v->count] = g->conflict;
  v->is_test[v->count++] = sw_philox_unit(seed, 77, (uint64_t)g->instance) < .2;
  return at;
}

int sw_representation(const sw_states *s, sw_asker *asker, int32_t width,
                      int64_t most, uint64_t seed, sw_progress_fn progress,
                      void *context, sw_representation_result *out,
                      sw_err *err) {
  memset(out, 0, sizeof *out);
  int64_t *chosen, count;
  SW_TRY(sw_transplant_choose(s, most, &chosen, &count, err));
  vectors v = {.width = width};
  v.x = malloc(sizeof *v.x * (size_t)(count * width + 1));
  v.label = malloc((size_t)count + 1);
  v.is_test = malloc((size_t)count + 1);
  char *all = NULL;
  size_t bytes = 0;
  int code = v.x && v.label && v.is_test
                 ? 0
                 : sw_fail(err, SW_MEMORY, "%s", no_memory);
  if (!code)
    code = find_all(s, chosen, count, asker, width, progress, context, &all,
                    &bytes, err);
  const char *at = all;
  while (!code && all && at < all + bytes) at = add_state(s, at, seed, &v, out);
  double n = out->pairs ? (double)out->pairs : 1;
  out->cosine /= n;
  out->mean_gap /= n;
  out->exact_equal_rate /= n;
  out->samples = v.count;
  if (!code && v.count)
    code = sw_linear_probe(v.x, v.label, v.is_test, v.count, width, 1,
                           &out->linear, err);
  vectors_free(&v);
  free(all);
  free(chosen);
  return code;
}
