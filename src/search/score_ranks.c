/* Instances over ranks (see score_ranks.h). */
#include "search/score_ranks.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/clock.h"
#include "base/ranks.h"

typedef struct message {
  enum { OUTCOME, STOP, ENDED } kind;
  sw_outcome outcome;
} message;
_Static_assert(sizeof(message) <= SW_POST_MOST, "an outcome is one message");

int sw_shared_score_begin(sw_shared_score *s,
                          int (*known)(void *context, int64_t index,
                                       sw_outcome *outcome),
                          void *context, sw_err *err) {
  s->ranks = sw_ranks_count();
  s->me = sw_ranks_me();
  s->settled = calloc((size_t)s->instances + 1, 1);
  if (!s->settled) return sw_fail(err, SW_MEMORY, "out of memory");
  if (s->ranks == 1) return SW_OK;
  for (int64_t i = 0; i < s->instances && !s->me; i++)
    s->settled[i] = known(context, i, &s->outcomes[i]) != 0;
  return sw_ranks_share(s->settled, (size_t)s->instances, 0, err);
}

int sw_shared_score_skips(const sw_shared_score *s, int64_t index) {
  int owner = s->in_order ? 0 : (int)(index % s->ranks);
  return s->settled[index] || owner != s->me;
}

int sw_shared_score_post(sw_shared_score *s, const sw_outcome *outcome,
                         sw_err *err) {
  message m = {.kind = OUTCOME, .outcome = *outcome};
  (void)s;
  return sw_ranks_post(0, &m, sizeof m, err);
}

/* The word to all that are to hear it from this rank. */
static int tell(sw_shared_score *s, int kind, sw_err *err) {
  message m = {.kind = kind};
  if (s->me) return sw_ranks_post(0, &m, sizeof m, err);
  for (int r = 1; r < s->ranks; r++)
    SW_TRY(sw_ranks_post(r, &m, sizeof m, err));
  return SW_OK;
}

/* Reads what has come. */
static int read_all(sw_shared_score *s, sw_err *err) {
  message m;
  int came;
  while ((came = sw_ranks_poll(&m, sizeof m, err)) > 0) {
    if (m.kind == ENDED) {
      s->ended++;
    } else if (m.kind == OUTCOME) {
      s->outcomes[m.outcome.instance] = m.outcome;
      SW_TRY(s->take(s->context, &m.outcome, err));
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
  s->settled = NULL;
}
