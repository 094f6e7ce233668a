/* Instances over ranks (see score_ranks.h). */
#include "search/score_ranks.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/clock.h"
#include "base/ranks.h"

typedef struct message {
  enum { OUTCOMES, WANT, TAKE, STOP, ENDED } kind;
  int from_rank, count; /* WANT; OUTCOMES */
  int64_t from, to;     /* TAKE: of todo; empty when there is no more */
  sw_outcome outcome[SW_SCORE_BUNDLE];
} message;
_Static_assert(sizeof(message) <= SW_POST_MOST, "a bundle is one message");
/* Games of one rank at a time: so many that a model's products stay large, so
 * few that there is something left to deal when the long ones show. */
enum { FEW_SEATS = 8 };
static const double hold_seconds = 0.2; /* an outcome waits for company */

/* The first half is divided at once; what is left is enough to even out. */
static void divide(sw_shared_score *s) {
  for (int64_t i = 0; i < s->instances; i++)
    if (!s->settled[i]) s->todo[s->todo_count++] = i;
  s->dealt = s->todo_count / 2;
  s->from = s->dealt * s->me / s->ranks;
  s->to = s->dealt * (s->me + 1) / s->ranks;
  int64_t seats = s->todo_count / (4 * s->ranks);
  s->most_seats = (int32_t)(seats < FEW_SEATS   ? FEW_SEATS
                            : seats < INT32_MAX ? seats
                                                : INT32_MAX);
}

int sw_shared_score_begin(sw_shared_score *s,
                          int (*known)(void *context, int64_t index,
                                       sw_outcome *outcome),
                          void *context, sw_err *err) {
  s->ranks = sw_ranks_count();
  s->me = sw_ranks_me();
  s->settled = calloc((size_t)s->instances + 1, 1);
  s->todo = calloc((size_t)s->instances + 1, sizeof *s->todo);
  if (!s->settled || !s->todo) return sw_no_memory(err);
  if (s->ranks == 1) return SW_OK;
  for (int64_t i = 0; i < s->instances && !s->me; i++)
    s->settled[i] = known(context, i, &s->outcomes[i]) != 0;
  SW_TRY(sw_ranks_share(s->settled, (size_t)s->instances, 0, err));
  divide(s);
  return SW_OK;
}

static int want(sw_shared_score *s, sw_err *err) {
  message m = {.kind = WANT, .from_rank = s->me};
  s->waits = 1;
  return sw_ranks_post(0, &m, sizeof m, err);
}

/* Rank 0 takes one at a time; another rank asks when it takes its last one. */
int sw_shared_score_deal(sw_shared_score *s, int64_t *index) {
  if (s->failed) return 0;
  if (!s->me && s->from == s->to && s->dealt < s->todo_count) {
    s->from = s->dealt++;
    s->to = s->dealt;
  }
  int found = s->from < s->to;
  if (found) *index = s->todo[s->from++];
  if (s->me && s->from == s->to && !s->waits && !s->none)
    s->failed = want(s, &s->failure);
  return found ? 1 : s->waits ? -1 : 0;
}

static int post_held(sw_shared_score *s, sw_err *err) {
  message m = {.kind = OUTCOMES, .count = s->held_count};
  if (!s->held_count) return SW_OK;
  memcpy(m.outcome, s->held, sizeof s->held);
  s->held_count = 0;
  return sw_ranks_post(0, &m, sizeof m, err);
}

int sw_shared_score_post(sw_shared_score *s, const sw_outcome *outcome,
                         sw_err *err) {
  if (!s->held_count) s->held_since = sw_now();
  s->held[s->held_count++] = *outcome;
  return s->held_count == SW_SCORE_BUNDLE ? post_held(s, err) : SW_OK;
}

/* Sends a message to rank 0, or from rank 0 to all others. */
static int tell(sw_shared_score *s, int kind, sw_err *err) {
  message m = {.kind = kind};
  if (s->me) return sw_ranks_post(0, &m, sizeof m, err);
  for (int r = 1; r < s->ranks; r++)
    SW_TRY(sw_ranks_post(r, &m, sizeof m, err));
  return SW_OK;
}

/* Rank 0: a share of what is left, smaller and smaller, so that the last ones
 * are given one by one. */
static int serve(sw_shared_score *s, int rank, sw_err *err) {
  int64_t left = s->todo_count - s->dealt;
  int64_t part = (left + 2 * s->ranks - 1) / (2 * s->ranks);
  message m = {.kind = TAKE, .from = s->dealt, .to = s->dealt + part};
  s->dealt += part;
  return sw_ranks_post(rank, &m, sizeof m, err);
}

static int take_outcomes(sw_shared_score *s, const message *m, sw_err *err) {
  for (int i = 0; i < m->count; i++) {
    s->outcomes[m->outcome[i].instance] = m->outcome[i];
    SW_TRY(s->take(s->context, &m->outcome[i], err));
  }
  return SW_OK;
}

/* Reads what has come. */
static int read_all(sw_shared_score *s, sw_err *err) {
  message m;
  int came;
  while ((came = sw_ranks_poll(&m, sizeof m, err)) > 0) {
    if (m.kind == ENDED) {
      s->ended++;
    } else if (m.kind == OUTCOMES) {
      SW_TRY(take_outcomes(s, &m, err));
    } else if (m.kind == WANT) {
      SW_TRY(serve(s, m.from_rank, err));
    } else if (m.kind == TAKE) {
      s->from = m.from;
      s->to = m.to;
      s->waits = 0;
      s->none = m.from == m.to;
    } else if (!s->stop) {
      s->stop = 1;
      if (!s->me) SW_TRY(tell(s, STOP, err));
    }
  }
  return came < 0 ? SW_LOST : SW_OK;
}

static int look(sw_shared_score *s, sw_err *err) {
  if (!s->stop && s->asked && s->asked(s->context)) {
    s->stop = 1;
    if (s->ranks > 1) SW_TRY(tell(s, STOP, err));
  }
  if (s->held_count && sw_now() - s->held_since > hold_seconds)
    SW_TRY(post_held(s, err));
  return s->ranks > 1 ? read_all(s, err) : SW_OK;
}

int sw_shared_score_stop(sw_shared_score *s) {
  double now = s->ranks > 1 ? sw_now() : 0;
  if (s->ranks > 1 && now - s->polled < 1e-3) return s->stop;
  s->polled = now;
  if (!s->failed) s->failed = look(s, &s->failure);
  return s->stop || s->failed;
}

/* Rank 0 waits for the end of every other rank, the others for its word that
 * it has heard of all; so no message is left for the next condition. */
static int wait_for_all(sw_shared_score *s, sw_err *err) {
  struct timespec moment = {0, 200000};
  int wanted = s->me ? 1 : s->ranks - 1;
  SW_TRY(post_held(s, err));
  if (s->me) SW_TRY(tell(s, ENDED, err));
  while (s->ended < wanted) {
    SW_TRY(s->me ? read_all(s, err) : look(s, err));
    if (s->ended < wanted) nanosleep(&moment, NULL);
  }
  return s->me ? SW_OK : tell(s, ENDED, err);
}

int sw_shared_score_end(sw_shared_score *s, int code, sw_err *err) {
  if (s->failed) *err = s->failure;
  if (s->failed) return s->failed;
  if (s->ranks == 1 || (code && code != SW_STOPPED)) return code;
  SW_TRY(wait_for_all(s, err));
  unsigned stopped;
  SW_TRY(sw_ranks_agree(code == SW_STOPPED, &stopped, err));
  if (stopped)
    return sw_fail(err, SW_STOPPED, "stopped before all instances were done");
  return sw_ranks_share(s->outcomes, (size_t)s->instances * sizeof *s->outcomes,
                        0, err);
}

void sw_shared_score_free(sw_shared_score *s) {
  free(s->settled);
  free(s->todo);
  s->settled = NULL;
  s->todo = NULL;
}
