/* Choosing among scored candidates (see pick.h). A score that is not a number
 * never wins against one that is. */
#include "search/pick.h"

static int better(float score, int32_t token, float top, int32_t top_token) {
  if (score == top) return token < top_token;
  return score > top || (top != top && score == score);
}

static int pick(const sw_cand *candidate, int count, const float *score,
                int by_token, unsigned kinds) {
  int chosen = -1;
  float top = 0;
  for (int i = 0; i < count; i++) {
    const sw_cand *c = &candidate[i];
    float mine = score[by_token ? c->token : i];
    if (!(kinds >> c->kind & 1)) continue;
    if (chosen >= 0 && !better(mine, c->token, top, candidate[chosen].token))
      continue;
    chosen = i;
    top = mine;
  }
  return chosen;
}

int sw_pick(const sw_cand *candidate, int count, const float *score,
            unsigned kinds) {
  return pick(candidate, count, score, 0, kinds);
}

int sw_pick_logits(const sw_cand *candidate, int count, const float *logits,
                   unsigned kinds) {
  return pick(candidate, count, logits, 1, kinds);
}
