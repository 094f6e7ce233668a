/* Can the goal be reached through states not yet visited? Against walking
 * everywhere, with states written out in full and compared one by one. */
#include "doomed_walk.h"
#include "domains/blocks/blocks_env.h"

enum { STATES = 4000, BLOCKS = 4 };

typedef struct seen {
  uint16_t under[STATES][BLOCKS]; /* canonical: bottoms are all alike */
  int count;
} seen;

static void canonical(const sw_blocks_state *s, uint16_t *under) {
  for (int b = 0; b < s->n; b++)
    under[b] = (uint16_t)(s->under[b] < s->n ? s->under[b] : 99);
}

static int among(const uint16_t *list, int count, const uint16_t *one, int n,
                 int stride, int table) {
  for (int i = 0; i < count; i++) {
    int same = 1;
    for (int b = 0; b < n; b++) {
      uint16_t other = list[i * stride + b];
      same &= (other == table ? 99 : other) == one[b];
    }
    if (same) return 1;
  }
  return 0;
}

static int wander(const sw_env *env, const sw_blocks_state *at, seen *met) {
  uint16_t key[BLOCKS];
  sw_blocks_move legal[SW_BLOCKS_MOVES_MAX];
  if (sw_blocks_same(at, &env->walk.goal)) return 1;
  int count = sw_blocks_legal(at, legal);
  for (int i = 0; i < count; i++) {
    uint16_t under[BLOCKS];
    sw_blocks_state next = *at;
    next.under = under;
    memcpy(under, at->under, sizeof *under * (size_t)at->n);
    sw_blocks_apply(&next, legal[i].from, legal[i].to);
    canonical(&next, key);
    if (among(env->walk.visited.keys, env->walk.visited.count, key, at->n,
              at->n, SW_BLOCKS_TABLE) ||
        among(&met->under[0][0], met->count, key, at->n, BLOCKS, 99))
      continue;
    assert_true(met->count < STATES);
    memcpy(met->under[met->count++], key, sizeof *key * (size_t)at->n);
    if (wander(env, &next, met)) return 1;
  }
  return 0;
}

static int everywhere(sw_env *env) {
  static seen met;
  met.count = 0;
  return wander(env, &env->walk.now, &met);
}

static void as_walking_everywhere(void **state) {
  (void)state;
  tally three = check("blocks", SET("n", "3"), 60, everywhere);
  tally four = check("blocks", SET("n", "4"), 60, everywhere);
  assert_true(three.states > 300 && three.dead > 10);
  assert_true(four.states > 600 && four.dead > 10 && four.dead < four.states);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_walking_everywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
