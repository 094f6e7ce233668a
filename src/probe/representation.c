/* Representation probe (see representation.h). */
#include "probe/representation.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/rng.h"
#include "probe/transplant_rows.h"

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

static void compare(const float *a, const float *b, int64_t width,
                    sw_representation_result *out) {
  double ab = 0, aa = 0, bb = 0, gap = 0;
  for (int64_t i = 0; i < width; i++) {
    ab += (double)a[i] * b[i];
    aa += (double)a[i] * a[i];
    bb += (double)b[i] * b[i];
    double d = fabs((double)a[i] - (double)b[i]);
    if (d > gap) gap = d;
  }
  double cosine = aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0;
  if (out->pairs == 0 || cosine < out->lowest_cosine)
    out->lowest_cosine = cosine;
  if (gap > out->largest_gap) out->largest_gap = gap;
  out->cosine += cosine;
  out->mean_gap += gap;
  out->exact_equal_rate += memcmp(a, b, sizeof *a * (size_t)width) == 0;
  out->pairs++;
}

/* One state: vectors of its members, all pairs, one sample for the classifier.
 */
static int add_state(const sw_states *s, const sw_state_group *g,
                     sw_asker *asker, sw_trace *trace, float *kept,
                     uint64_t seed, vectors *v, sw_representation_result *out,
                     sw_err *err) {
  int64_t members = 0;
  for (int64_t k = 0; k < g->count && members < 64; k++) {
    const float *h;
    int fits;
    SW_TRY(hidden_of(s, s->order[g->first + k], asker, trace, &h, &fits, err));
    out->skipped += !fits;
    if (fits)
      memcpy(kept + members++ * v->width, h, sizeof *h * (size_t)v->width);
  }
  for (int64_t a = 0; a < members; a++)
    for (int64_t b = a + 1; b < members; b++)
      compare(kept + a * v->width, kept + b * v->width, v->width, out);
  if (members < 1) return 0;
  out->states++;
  for (int64_t i = 0; i < v->width; i++)
    v->x[v->count * v->width + i] = kept[i];
  v->label[v->count] = g->conflict;
  v->is_test[v->count++] = sw_philox_unit(seed, 77, (uint64_t)g->instance) < .2;
  return 0;
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
  float *kept = malloc(sizeof *kept * 64 * (size_t)width);
  sw_trace trace;
  sw_trace_init(&trace);
  int code =
      v.x && v.label && v.is_test && kept
          ? 0
          : sw_fail(err, SW_MEMORY, "representation probe: out of memory");
  for (int64_t i = 0; i < count && !code; i++) {
    code = add_state(s, &s->group[chosen[i]], asker, &trace, kept, seed, &v,
                     out, err);
    if (progress) progress(context, NULL, i + 1, count);
  }
  double n = out->pairs ? (double)out->pairs : 1;
  out->cosine /= n;
  out->mean_gap /= n;
  out->exact_equal_rate /= n;
  out->samples = v.count;
  if (!code && v.count)
    code = sw_linear_probe(v.x, v.label, v.is_test, v.count, width, 1,
                           &out->linear, err);
  vectors_free(&v);
  free(kept);
  free(chosen);
  sw_trace_free(&trace);
  return code;
}
