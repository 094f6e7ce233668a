/* One moment of a search as one model lives it: the problem opened in the
 * model's own format, and the choices made so far replayed. Nothing of it is
 * kept between requests, so a link that names problem and choices restores it.
 * Used by view.c only. */
#ifndef SW_SERVE_MOMENT_H
#define SW_SERVE_MOMENT_H
#include <jansson.h>
#include "search/loop.h"
#include "serve/shelf.h"

enum { SW_MOVES_MAX = 20000 };

/* A block in which the search was asked something. */
typedef struct sw_moment_step {
  int64_t block;
  int32_t depth, moves; /* moves: choices made before it */
  int conflict, kind;   /* kind of the last choice; -1: none yet */
  char done[64];        /* its tokens as text */
} sw_moment_step;

typedef struct sw_moment {
  sw_offered_model *offered;
  sw_instance *instance;
  sw_loop_options loop;
  sw_game game;
  int waiting; /* a query waits */
  sw_moment_step *step;
  int32_t steps, step_room;
  int32_t moves; /* choices made */
} sw_moment;

/* `problem` is {"name", "text"} or {"draw": {"seed", "n"}}. */
int sw_moment_open(sw_moment *moment, sw_offered_model *offered,
                   const json_t *problem, sw_err *err);
void sw_moment_close(sw_moment *moment);
/* Chooses the candidate with this token at the query that waits. */
int sw_moment_choose(sw_moment *moment, int32_t token, sw_err *err);

/* A viable state with nothing to go back to: going back is refused there, and a
 * model that would is given its next best choice. */
int sw_moment_rooted(const sw_moment *moment);

/* Blocks 1.. before the current one as text, one a line, malloc'd (NULL: out
 * of memory). */
char *sw_moment_history(const sw_moment *moment);
/* What the model is shown: prefix, the blocks of `history` (text as above; NULL
 * for none) and the current block. `whole`: its own history instead. SW_DATA
 * names a word that is no token. */
int sw_moment_shown(const sw_moment *moment, int whole, const char *history,
                    sw_trace *out, sw_err *err);

#endif
