/* Instance generators of SAT: planted and random 3-SAT from PCG64 streams, bit
 * for bit those of the published generator, with a complete solver as
 * filter where a family asks for one. */
#include "domains/sat/sat_generate.h"

#include <stdlib.h>
#include <string.h>

#include "domains/resolve.h"
#include "domains/sat/cdcl.h"
#include "domains/sat/sat_instance.h"
#include "domains/sat/sat_options.h"
#include "domains/sat/tokens.h"

static const sw_sat_family families[] = {
#define X(...) {__VA_ARGS__},
    SW_SAT_FAMILIES(X)
#undef X
};

/* A filter that accepts fewer than one in this many formulas is hopeless. */
enum { ATTEMPTS_PER_INSTANCE = 10000 };

struct sw_stream {
  sw_pcg rng;
  const sw_sat_family *family;
  int32_t n;
  double ratio;
  int32_t *start, *literal; /* room for the largest formula */
  int8_t *solution;
};

const sw_sat_family *sw_sat_family_find(const char *name) {
  for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
    if (strcmp(families[i].name, name) == 0) return &families[i];
  return NULL;
}

static int32_t clause_count(int32_t n, double ratio) {
  int32_t m = (int32_t)(ratio * n);
  return m < 1 ? 1 : m;
}

int sw_sat_stream_new(sw_stream **stream, const sw_domain_options *options,
                      uint64_t seed, sw_split split, sw_err *err) {
  *stream = NULL;
  const sw_sat_options *own = sw_sat_own(options);
  const sw_sat_family *family = sw_sat_family_find(own->family);
  if (!family)
    return sw_fail(err, SW_USAGE, "unknown SAT family '%s'", own->family);
  if (options->n > SW_SAT_MAX_VARS)
    return sw_fail(err, SW_LIMIT,
                   "n is %d; the SAT vocabulary has %d variables", options->n,
                   SW_SAT_MAX_VARS);
  double largest = family->smallest ? family->highest : own->ratio;
  size_t m = (size_t)clause_count(options->n, largest);
  sw_stream *s = calloc(1, sizeof *s);
  if (s) {
    s->start = malloc(sizeof(int32_t) * (m + 1));
    s->literal = malloc(sizeof(int32_t) * 3 * m);
    s->solution = malloc((size_t)options->n);
  }
  if (!s || !s->start || !s->literal || !s->solution) {
    sw_sat_stream_free(s);
    return sw_no_memory_for(err, "a generator of %zu clauses", m);
  }
  s->family = family;
  s->n = options->n;
  s->ratio = own->ratio;
  sw_pcg_seed(&s->rng, sw_stream_seed(options, seed, split));
  *stream = s;
  return SW_OK;
}

void sw_sat_stream_free(sw_stream *s) {
  if (!s) return;
  free(s->start);
  free(s->literal);
  free(s->solution);
  free(s);
}

/* Three distinct variables (Floyd, then a shuffle), then three signs. */
static void draw_clause(sw_pcg *rng, int32_t n, int32_t var[3],
                        int32_t sign[3]) {
  for (int32_t i = 0; i < 3; i++) {
    int32_t j = n - 3 + i, x = (int32_t)sw_pcg_bounded(rng, (uint32_t)j);
    for (int32_t k = 0; k < i; k++)
      if (var[k] == x) {
        x = j;
        break;
      }
    var[i] = x;
  }
  for (uint32_t i = 2; i >= 1; i--) {
    uint32_t k = sw_pcg_bounded(rng, i);
    int32_t swap = var[i];
    var[i] = var[k];
    var[k] = swap;
  }
  for (int i = 0; i < 3; i++) sign[i] = (int32_t)sw_pcg_bounded(rng, 1);
}

/* A planted clause that its assignment falsifies is repaired by one flip, not
 * redrawn: the published generator does so and the streams depend on it. */
static void draw_formula(sw_stream *s, int32_t n, int32_t m) {
  if (s->family->planted)
    for (int32_t v = 0; v < n; v++)
      s->solution[v] = (int8_t)sw_pcg_bounded(&s->rng, 1);
  for (int32_t c = 0; c < m; c++) {
    int32_t var[3], sign[3];
    draw_clause(&s->rng, n, var, sign);
    if (s->family->planted && sign[0] != s->solution[var[0]] &&
        sign[1] != s->solution[var[1]] && sign[2] != s->solution[var[2]])
      sign[sw_pcg_bounded(&s->rng, 2)] ^= 1;
    s->start[c] = 3 * c;
    for (int i = 0; i < 3; i++) s->literal[3 * c + i] = 2 * var[i] + !sign[i];
  }
  s->start[m] = 3 * m;
}

/* The next formula of the stream, whether or not the family keeps it. */
static void draw_next(sw_stream *s, int32_t *size, int32_t *clauses) {
  int32_t n = s->n;
  double ratio = s->ratio;
  if (s->family->smallest) {
    int32_t low = n < s->family->smallest ? n : s->family->smallest;
    n = low + (int32_t)sw_pcg_bounded(&s->rng, (uint32_t)(n - low));
    ratio = s->family->lowest +
            (s->family->highest - s->family->lowest) * sw_pcg_random(&s->rng);
  }
  *size = n;
  *clauses = clause_count(n, ratio);
  draw_formula(s, n, *clauses);
}

int sw_sat_stream_skip(sw_stream *s, sw_err *err) {
  sw_instance *instance;
  int32_t n, m;
  if (s->family->keep) { /* only a solver tells which formulas count */
    SW_TRY(sw_sat_stream_next(s, &instance, err));
    sw_sat_instance_free(instance);
  } else {
    draw_next(s, &n, &m);
  }
  return SW_OK;
}

int sw_sat_stream_next(sw_stream *s, sw_instance **instance, sw_err *err) {
  *instance = NULL;
  for (int attempt = 0; attempt < ATTEMPTS_PER_INSTANCE; attempt++) {
    int32_t n, m;
    draw_next(s, &n, &m);
    SW_TRY(sw_sat_instance_new(instance, n, m, s->start, s->literal,
                               s->family->planted ? s->solution : NULL, err));
    if (!s->family->keep) return SW_OK;
    int verdict, code = sw_cdcl_decide(*instance, NULL, &verdict, err);
    if (code == SW_OK && verdict == s->family->keep) return SW_OK;
    sw_sat_instance_free(*instance);
    *instance = NULL;
    if (code) return code;
  }
  return sw_fail(err, SW_LIMIT,
                 "no %s formula of n=%d, ratio %g in %d attempts",
                 s->family->name, s->n, s->ratio, ATTEMPTS_PER_INSTANCE);
}
