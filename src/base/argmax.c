/* The largest of many (see argmax.h). */
#include "base/argmax.h"
#include "base/check.h"

/* The largest value in lanes first, which the
 * compiler turns into vectors, then its place. */
int32_t sw_argmax(const float *x, int32_t n) {
  SW_ASSERT(x && n > 0);
  enum { LANES = 16 };
  float lane[LANES], top = x[0];
  for (int l = 0; l < LANES; l++) lane[l] = x[0];
  int32_t whole = n / LANES * LANES;
  for (int32_t i = 0; i < whole; i += LANES)
    for (int l = 0; l < LANES; l++)
      lane[l] = x[i + l] > lane[l] ? x[i + l] : lane[l];
  for (int l = 0; l < LANES; l++) top = lane[l] > top ? lane[l] : top;
  for (int32_t i = whole; i < n; i++) top = x[i] > top ? x[i] : top;
  for (int32_t i = 0; i < n; i++)
    if (x[i] == top) return i;
  return 0; /* not a number */
}
