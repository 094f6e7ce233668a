/* What a written SAT block shows, as numbers: the state features of the
 * published linear test (domain.h: shown). */
#include "domains/domain.h"
#include "domains/sat/sat_env.h"
#include "domains/sat/tokens.h"

enum { PER_VARIABLE = 4 };

static sw_block_kind kind(const sw_domain *domain, int32_t token) {
  (void)domain;
  if (token == SW_SAT_CONFLICT) return SW_BLOCK_BACK;
  if (token == SW_SAT_SOLVED) return SW_BLOCK_SOLVED;
  if (token == SW_SAT_FAILED) return SW_BLOCK_FAILED;
  return token >= SW_SAT_VARIABLE ? SW_BLOCK_FORWARD : SW_BLOCK_OTHER;
}

static int64_t width(const sw_domain *domain, int32_t n, int32_t max_token) {
  (void)domain;
  if (n > SW_SAT_MAX_VARS || max_token >= SW_SAT_VOCAB) return -1;
  return PER_VARIABLE * (int64_t)n + 2;
}

/* Per variable: listed U, listed T, listed F, listed; then the share that is
 * not listed and the number listed. A signed literal (formats that show
 * assigned variables) counts as T or F, not listed. */
static void features(const sw_domain *domain, const int32_t *token,
                     int64_t count, int32_t n, double *x) {
  (void)domain;
  double listed = 0;
  for (int64_t i = 0; i < count && token[i] != SW_SAT_SEP; i++) {
    int32_t v = token[i] - SW_SAT_VARIABLE, p = token[i] - SW_SAT_POSITIVE,
            q = token[i] - SW_SAT_NEGATIVE;
    if (v >= 0 && v < n) {
      int32_t mark = i + 1 < count ? token[i + 1] : SW_SAT_U;
      double *f = x + PER_VARIABLE * v;
      f[mark == SW_SAT_T || mark == SW_SAT_NT   ? 1
        : mark == SW_SAT_F || mark == SW_SAT_NF ? 2
                                                : 0] = 1;
      f[3] = 1;
      listed++;
    } else if (p >= 0 && p < n) {
      x[PER_VARIABLE * p + 1] = 1;
    } else if (q >= 0 && q < n) {
      x[PER_VARIABLE * q + 2] = 1;
    }
  }
  x[PER_VARIABLE * n] = 1 - listed / n;
  x[PER_VARIABLE * n + 1] = listed;
}

const sw_shown_ops sw_sat_shown = {kind, width, features};
