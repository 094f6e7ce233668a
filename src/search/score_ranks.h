/* The instances of one condition over the ranks of a job. Each rank begins with
 * its part of the first half; the second half is dealt as they ask for more, so
 * that all end at about the same time, however long single games are. Rank 0
 * has the store; the others post what they finish, so that little is lost when
 * a job is killed. A signal to any rank stops all. Used by sw_score; alone it
 * does nothing but count. Which rank plays changes no row. */
#ifndef SW_SEARCH_SCORE_RANKS_H
#define SW_SEARCH_SCORE_RANKS_H
#include "base/err.h"
#include "base/hooks.h"
#include "search/outcome.h"

enum { SW_SCORE_BUNDLE = 4 }; /* outcomes in one message */

typedef struct sw_shared_score {
  int ranks, me;
  int in_order;     /* rank 0 plays all: each outcome needs those before it */
  uint8_t *settled; /* [instances] known before we began, on every rank */
  int64_t *todo;    /* [todo_count] the others, ascending */
  int64_t todo_count;
  int64_t from, to;     /* of todo: this rank's, not begun yet */
  int64_t dealt;        /* rank 0: of todo, given away */
  int waits, none;      /* other ranks: have asked for more; there is no more */
  int32_t most_seats;   /* games at a time that leave enough to deal */
  sw_outcome *outcomes; /* [instances] the caller's */
  int64_t instances;
  sw_outcome held[SW_SCORE_BUNDLE]; /* finished and not yet posted */
  int held_count;
  double held_since;
  int stop, ended; /* asked to stop; ranks that have ended (rank 0) */
  double polled;
  int failed; /* code of what went wrong between two moves */
  sw_err failure;
  void *context; /* of the two below */
  /* Rank 0: another rank's outcome. */
  int (*take)(void *context, const sw_outcome *outcome, sw_err *err);
  sw_stop_fn asked;
} sw_shared_score;

/* Fills in the rest; `known` is asked on rank 0 only. */
int sw_shared_score_begin(sw_shared_score *s,
                          int (*known)(void *context, int64_t index,
                                       sw_outcome *outcome),
                          void *context, sw_err *err);
/* The next instance of this rank, ascending: 1, 0 when there are no more, -1
 * when rank 0 has not answered yet. */
int sw_shared_score_deal(sw_shared_score *s, int64_t *index);
/* Other ranks than 0: one of theirs. */
int sw_shared_score_post(sw_shared_score *s, const sw_outcome *outcome,
                         sw_err *err);
/* Between two moves: 1 when all are to stop. */
int sw_shared_score_stop(sw_shared_score *s);
/* Ends the condition; `code` is what this rank's part returned. All ranks leave
 * with all outcomes and one code: 0 or SW_STOPPED. */
int sw_shared_score_end(sw_shared_score *s, int code, sw_err *err);
void sw_shared_score_free(sw_shared_score *s);

#endif
