/* What the clients of a server may hold, so that no few of them hold all of it:
 *
 *   time    a connection that has not sent a whole request, or not taken a
 * whole answer, by its deadline is shut down, however busily it trickles turns
 * at most `at_once` hard requests are answered at a time; `waiting` more wait
 * for their turn, and any beyond that are sent away
 *
 * Every connection has a thread of its own (http.c), so a request that waits
 * holds up no other one. */
#ifndef SW_SERVE_GUARD_H
#define SW_SERVE_GUARD_H
#include "base/err.h"

typedef struct sw_guard sw_guard;
typedef struct sw_seat sw_seat; /* of one connection */

int sw_guard_new(sw_guard **guard, int at_once, int waiting, sw_err *err);
void sw_guard_free(sw_guard *guard); /* when no connection is left */
/* Ends all waiting; sw_guard_take returns 0 from now on. */
void sw_guard_stop(sw_guard *guard);

/* A connection that was accepted, until it is closed. NULL: out of memory. */
sw_seat *sw_guard_admit(sw_guard *guard, int socket);
void sw_guard_dismiss(sw_guard *guard, sw_seat *seat);
/* The connection must finish its next step within `seconds`; 0: no limit. */
void sw_guard_allow(sw_guard *guard, sw_seat *seat, double seconds);

/* 1: it is this request's turn, until sw_guard_done. 0: too many wait. */
int sw_guard_take(sw_guard *guard);
void sw_guard_done(sw_guard *guard);

#endif
