/* What the words of states give away (see tells.h). */
#include "trace/tells.h"
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"

/* A word that is right about this share of the steps tells the verdict. The
 * rest allows for a few slips in the data. */
#define SHOWN_FROM 0.995

void sw_tells_free(sw_tells *t) {
  free(t->with_back);
  free(t->with_rest);
  free(t->seen);
  memset(t, 0, sizeof *t);
}

static int widen(sw_tells *t, int64_t need) {
  int64_t before = t->seen_room;
  if (need <= before) return 1;
  if (!sw_grow64(&t->with_back, &t->room, need, sizeof *t->with_back) ||
      !sw_grow64(&t->with_rest, &t->rest_room, need, sizeof *t->with_rest) ||
      !sw_grow64(&t->seen, &t->seen_room, need, sizeof *t->seen))
    return 0;
  for (int64_t i = before; i < t->seen_room; i++)
    t->with_back[i] = t->with_rest[i] = t->seen[i] = 0;
  return 1;
}

int sw_tells_step(sw_tells *t, const int32_t *token, int64_t count,
                  int is_back) {
  int32_t highest = 0;
  for (int64_t i = 0; i < count; i++)
    if (token[i] > highest) highest = token[i];
  if (!widen(t, (int64_t)highest + 1)) return 0;
  t->steps++;
  if (is_back) t->back++;
  else t->rest++;
  for (int64_t i = 0; i < count; i++) {
    if (t->seen[token[i]] == t->steps) continue;
    t->seen[token[i]] = t->steps;
    if (is_back) t->with_back[token[i]]++;
    else t->with_rest[token[i]]++;
  }
  return 1;
}

void sw_tells_verdict(const sw_tells *t, const sw_words *words,
                      sw_gives_away *gives) {
  memset(gives, 0, sizeof *gives);
  gives->token = -1;
  if (!t->back || !t->rest) return;
  gives->balanced = -1;
  for (int32_t w = 0; w < words->count && w < t->seen_room; w++) {
    double back = (double)t->with_back[w] / (double)t->back;
    double rest = (double)t->with_rest[w] / (double)t->rest;
    int absent = back < rest;
    double right = (1 + (absent ? rest - back : back - rest)) / 2;
    if (right <= gives->balanced) continue;
    gives->balanced = right;
    gives->absent = absent;
    gives->token = w;
    strncpy(gives->word, sw_words_text(words, w), sizeof gives->word - 1);
  }
  gives->shown = gives->balanced >= SHOWN_FROM;
}
