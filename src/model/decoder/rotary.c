/* Rotary positions (see rotary.h). */
#include "model/decoder/rotary.h"
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t filling = PTHREAD_MUTEX_INITIALIZER;

int sw_rotation_new(sw_rotation **out, int32_t dim, sw_err *err) {
  *out = calloc(1, sizeof **out);
  if (!*out) return sw_no_memory_for(err, "rotations");
  (*out)->dim = dim;
  return SW_OK;
}

void sw_rotation_free(sw_rotation *r) {
  if (!r) return;
  for (int i = 0; i < SW_ROTATION_CHUNKS; i++) free(r->chunk[i]);
  free(r);
}

static float *fill(const sw_rotation *r, int64_t first) {
  int32_t half = r->dim / 2;
  float *chunk = malloc(sizeof(float) * SW_ROTATION_IDS * (size_t)(2 * half));
  if (!chunk) return NULL;
  for (int32_t i = 0; i < half; i++) {
    double frequency = pow(10000.0, -2.0 * i / r->dim);
    for (int64_t id = 0; id < SW_ROTATION_IDS; id++) {
      double angle = (double)(first + id) * frequency;
      chunk[id * r->dim + i] = (float)cos(angle);
      chunk[id * r->dim + half + i] = (float)sin(angle);
    }
  }
  return chunk;
}

int sw_rotation_reserve(sw_rotation *r, int64_t ids, sw_err *err) {
  int64_t chunks = (ids + SW_ROTATION_IDS - 1) / SW_ROTATION_IDS;
  if (chunks > SW_ROTATION_CHUNKS)
    return sw_fail(err, SW_LIMIT, "rotary positions end at %d, not %lld",
                   SW_ROTATION_CHUNKS * SW_ROTATION_IDS, (long long)ids);
  int code = SW_OK;
  for (int64_t i = 0; i < chunks && !code; i++) {
    if (atomic_load_explicit(&r->chunk[i], memory_order_acquire)) continue;
    pthread_mutex_lock(&filling);
    if (!atomic_load_explicit(&r->chunk[i], memory_order_relaxed)) {
      float *made = fill(r, i * SW_ROTATION_IDS);
      if (!made) code = sw_no_memory_for(err, "rotations");
      atomic_store_explicit(&r->chunk[i], made, memory_order_release);
    }
    pthread_mutex_unlock(&filling);
  }
  return code;
}

void sw_rotate(const sw_rotation *r, int rows, int heads, const int32_t *id,
               int sign, float *x, ptrdiff_t ld) {
  int32_t dim = r->dim, half = dim / 2;
  for (int row = 0; row < rows; row++) {
    if (id[row] < 0) continue;
    const float *c = atomic_load_explicit(&r->chunk[id[row] / SW_ROTATION_IDS],
                                          memory_order_acquire) +
                     (ptrdiff_t)(id[row] % SW_ROTATION_IDS) * dim;
    const float *s = c + half;
    for (int head = 0; head < heads; head++) {
      float *restrict a = x + row * ld + head * dim, *restrict b = a + half;
      if (sign > 0)
        for (int32_t i = 0; i < half; i++) {
          float u = a[i], v = b[i];
          a[i] = u * c[i] - v * s[i];
          b[i] = v * c[i] + u * s[i];
        }
      else
        for (int32_t i = 0; i < half; i++) {
          float u = a[i], v = b[i];
          a[i] = u * c[i] + v * s[i];
          b[i] = v * c[i] - u * s[i];
        }
    }
  }
}
