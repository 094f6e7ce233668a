/* When to stop: a deadline and a question ("was a signal seen?"), in force for
 * the calling thread between enter and leave, and for the members of a team
 * while it runs a region of that thread. Every loop of the library that has no
 * bound of its own asks sw_time_to_stop() and ends early; so no deadline has to
 * be handed through interfaces that have none. Scopes nest: an inner one can
 * only make the time shorter. The struct belongs to the caller. */
#ifndef SW_BASE_STOP_H
#define SW_BASE_STOP_H
#include "base/err.h"

typedef struct sw_stop_scope {
  double deadline; /* of sw_now(); 0: none */
  int (*asked)(void *context);
  void *context;
  const struct sw_stop_scope *outer;
} sw_stop_scope;

/* `seconds` 0: no deadline. `asked` may be NULL; it is called from any thread
 * of the region and must be cheap. */
void sw_stop_enter(sw_stop_scope *scope, double seconds,
                   int (*asked)(void *context), void *context);
void sw_stop_leave(sw_stop_scope *scope);
/* 1: the time is up, or a stop was requested. It reads a clock: a loop of a few
 * nanoseconds should ask every hundredth time. */
int sw_time_to_stop(void);
/* 1: a stop was requested (a signal), whatever the time. */
int sw_asked_to_stop(void);
int sw_stop_asked(void *unused); /* the same, as a callback */
/* Seconds left to the nearest deadline, at least 0; `otherwise` without one. */
double sw_time_left(double otherwise);
/* SW_STOPPED with what was interrupted. */
int sw_fail_stopped(sw_err *err, const char *what);

/* For teams: what is in force here, and putting it in force elsewhere. */
const sw_stop_scope *sw_stop_current(void);
void sw_stop_adopt(const sw_stop_scope *scope);

#endif
