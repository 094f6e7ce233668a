/* What one word of a state tells of the step: whether it goes back. A format in
 * which a word tells it shows the verdict, so that a model which goes back in
 * the right places has only read that word. */
#ifndef SW_TRACE_TELLS_H
#define SW_TRACE_TELLS_H
#include <stdint.h>
#include "trace/words.h"

/* What is counted of the words of states. A zeroed one is empty. */
typedef struct sw_tells {
  int64_t *with_back, *with_rest; /* [room] steps that show the word */
  int64_t *seen;                  /* [room] the last step that did, plus one */
  int64_t room, seen_room, rest_room, back, rest, steps;
} sw_tells;
int sw_tells_step(sw_tells *tells, const int32_t *token, int64_t count,
                  int is_back); /* 0: out of memory */
void sw_tells_free(sw_tells *tells);

/* The word that tells going back from the rest best, by its being there or
 * not. */
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
