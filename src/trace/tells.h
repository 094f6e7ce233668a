/* What one word of a state tells about the step: whether it goes back. If a
 * word tells it, the format shows the verdict, and a model that goes back in
 * the right places has only read that word. */
#ifndef SW_TRACE_TELLS_H
#define SW_TRACE_TELLS_H
#include <stdint.h>
#include "trace/words.h"

/* Counts of the words of states. A zeroed one is empty. */
typedef struct sw_tells {
  int64_t *with_back, *with_rest; /* [room] steps that show the word */
  int64_t *seen;                  /* [room] the last step that did, plus one */
  int64_t room, seen_room, rest_room, back, rest, steps;
} sw_tells;
int sw_tells_step(sw_tells *tells, const int32_t *token, int64_t count,
                  int is_back); /* 0: out of memory */
void sw_tells_free(sw_tells *tells);

/* The word whose presence or absence best separates the steps that go back from
 * the others. */
typedef struct sw_gives_away {
  char word[256];  /* empty: there are no two kinds of steps */
  int32_t token;   /* its token, -1: none */
  int absent;      /* going back where it is not there */
  double balanced; /* share told right, mean of the two kinds */
  int shown;       /* it tells (nearly) all: the format shows the verdict */
} sw_gives_away;
void sw_tells_verdict(const sw_tells *tells, const sw_words *words,
                      sw_gives_away *gives);

#endif
