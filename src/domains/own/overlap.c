/* Which states stand in two places, and what came before them (see import.h).
 */
#include <stdlib.h>
#include "domains/own/import.h"

static int by_state(const void *a, const void *b) {
  const sw_step_seen *x = a, *y = b;
  if (x->state != y->state) return x->state < y->state ? -1 : 1;
  return x->history < y->history ? -1 : x->history > y->history;
}

static int by_words(const void *a, const void *b) {
  const sw_step_seen *x = a, *y = b;
  return x->words < y->words ? -1 : x->words > y->words;
}

void sw_count_states(sw_step_seen *step, int64_t count, const uint8_t *part,
                     sw_import_stats *stats) {
  if (!count) return;
  qsort(step, (size_t)count, sizeof *step, by_state);
  for (int64_t i = 0, j; i < count; i = j) {
    int test = 0, train = 0, backs = 0;
    for (j = i; j < count && step[j].state == step[i].state; j++) {
      backs += step[j].is_back;
      test |= part[step[j].search] == SW_PART_TEST;
      train |= part[step[j].search] == SW_PART_TRAIN;
    }
    stats->states++;
    stats->states_met_twice += step[i].history != step[j - 1].history;
    stats->states_both_ways += backs && backs < j - i;
    stats->test_states += test;
    stats->test_states_seen += test && train;
  }
  qsort(step, (size_t)count, sizeof *step, by_words);
  for (int64_t i = 0, j; i < count; i = j) {
    int test = 0, train = 0;
    for (j = i; j < count && step[j].words == step[i].words; j++) {
      test |= part[step[j].search] == SW_PART_TEST;
      train |= part[step[j].search] == SW_PART_TRAIN;
    }
    stats->test_words += test;
    stats->test_words_seen += test && train;
  }
}
