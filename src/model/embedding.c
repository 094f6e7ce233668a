/* See embedding.h. Called by the decoder and the LSTM. */
#include "model/embedding.h"
#include <math.h>
#include <string.h>

void sw_sinusoids(float *table, int32_t rows, int32_t d) {
  const double size = 0.02 * sqrt(2.0);
  for (int32_t p = 0; p < rows; p++, table += d)
    for (int32_t i = 0; i < d; i++) {
      double angle = p * pow(10000.0, -(double)(i / 2 * 2) / d);
      table[i] = (float)(size * (i % 2 ? cos(angle) : sin(angle)));
    }
}

void sw_sort_by_key(const int32_t *key, int begin, int end, int keys,
                    int32_t *order, int32_t *start) {
  memset(start, 0, sizeof(int32_t) * (size_t)(keys + 1));
  for (int t = begin; t < end; t++) start[key[t] + 1]++;
  for (int k = 0; k < keys; k++) start[k + 1] += start[k];
  for (int t = begin; t < end; t++) order[start[key[t]]++] = t;
  for (int k = keys; k > 0; k--) start[k] = start[k - 1];
  start[0] = 0;
}
