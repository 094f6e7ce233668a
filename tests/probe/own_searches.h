/* Searches of a domain that the program does not know, as lines for `import`,
 * for tests: two slots get one of three values each, tried in a random order
 * until they are the problem's. Searches of one problem meet the same states by
 * other ways. With `shown` a word says at which states to go back. */
#ifndef TESTS_PROBE_OWN_SEARCHES_H
#define TESTS_PROBE_OWN_SEARCHES_H
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static inline unsigned own_draw(uint64_t *seed, unsigned bound) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(*seed >> 33) % bound;
}

static inline void own_state(FILE *out, const int *value, int depth,
                             unsigned tried, int back, int shown) {
  fprintf(out, "%s{\"state\": \"", depth < 0 ? "" : ", ");
  for (int i = 0; i < depth; i++) fprintf(out, "%c%d ", "ab"[i], value[i]);
  fprintf(out, "TRIED");
  for (int v = 0; v < 3; v++)
    if (tried >> v & 1) fprintf(out, " t%d", v);
  if (shown && back) fprintf(out, " DEAD");
  fprintf(out, "\", ");
}

/* One search of problem `number` (of nine). */
static inline void own_search(FILE *out, int number, uint64_t *seed,
                              int shown) {
  const int goal[2] = {number / 3 % 3, number % 3};
  int value[2] = {0, 0}, depth = 0;
  unsigned tried[4] = {0};
  fprintf(out,
          "{\"problem\": \"GOAL g%d h%d\", \"steps\": [{\"state\": "
          "\"START\", \"action\": \"GO\"}",
          goal[0], goal[1]);
  while (depth < 2 || value[0] != goal[0] || value[1] != goal[1]) {
    int back = depth >= 2 || tried[depth] == 7;
    own_state(out, value, depth, depth < 2 ? tried[depth] : 0, back, shown);
    if (back) {
      fprintf(out, "\"action\": \"BACK\", \"viable\": false}");
      tried[depth--] = 0;
      tried[depth] |= 1u << value[depth];
      continue;
    }
    unsigned v;
    do v = own_draw(seed, 3);
    while (tried[depth] >> v & 1);
    value[depth++ & 1] = (int)v;
    fprintf(out, "\"action\": \"v%u\", \"viable\": true}", v);
    if (depth < 2) tried[depth] = 0;
  }
  fprintf(out, "], \"solved\": true}\n");
}

/* `each` searches of each of nine problems; 0: the file cannot be written. */
static inline int own_searches(const char *path, int each, int shown) {
  FILE *out = fopen(path, "w");
  uint64_t seed = 7;
  if (!out) return 0;
  for (int i = 0; i < 9 * each; i++) own_search(out, i % 9, &seed, shown);
  return fclose(out) == 0;
}

#endif
