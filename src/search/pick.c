/* Choosing among scored candidates (see pick.h). */
#include "search/pick.h"
#include "base/check.h"

#include <math.h>

/* Does it beat the best so far (chosen < 0: there is none)? */
static int better(float score, int32_t token, int chosen, float top,
                  int32_t top_token) {
  if (isnan(score)) return 0;
  if (chosen < 0) return 1;
  return score == top ? token < top_token : score > top;
}

static int pick(const sw_cand *candidate, int count, const float *score,
                int by_token, unsigned kinds) {
  int chosen = -1;
  float top = 0;
  for (int i = 0; i < count; i++) {
    const sw_cand *c = &candidate[i];
    float mine = score[by_token ? c->token : i];
    if (!(kinds >> c->kind & 1) ||
        !better(mine, c->token, chosen, top,
                chosen < 0 ? 0 : candidate[chosen].token))
      continue;
    chosen = i;
    top = mine;
  }
  return chosen;
}

int sw_pick(const sw_cand *candidate, int count, const float *score,
            unsigned kinds) {
  SW_ASSERT(count >= 0 && ((candidate && score) || !count));
  SW_ASSERT(kinds);
  return pick(candidate, count, score, 0, kinds);
}

int sw_pick_logits(const sw_cand *candidate, int count, const float *logits,
                   unsigned kinds) {
  SW_ASSERT(count >= 0 && ((candidate && logits) || !count));
  return pick(candidate, count, logits, 1, kinds);
}

int sw_pick_tokens(const int32_t *token, int count, const float *logits,
                   double *log_p) {
  SW_ASSERT(count > 0 && token && logits && log_p);
  int best = -1;
  float top = 0;
  double sum = 0;
  for (int i = 0; i < count; i++)
    if (better(logits[token[i]], token[i], best, top,
               best < 0 ? 0 : token[best])) {
      best = i;
      top = logits[token[i]];
    }
  for (int i = 0; i < count; i++)
    sum += exp((double)logits[token[i]] - (double)top);
  for (int i = 0; i < count; i++)
    log_p[i] = (double)logits[token[i]] - (double)top - log(sum);
  return best;
}
