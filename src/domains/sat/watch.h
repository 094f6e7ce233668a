/* Watched-literal propagation of a SAT search, and the activity order that
 * conflicts change. Internal to search.c; split off because it is the hot
 * loop. */
#ifndef SW_DOMAINS_SAT_WATCH_H
#define SW_DOMAINS_SAT_WATCH_H
#include "domains/sat/sat_search.h"

/* Fresh watches for a zeroed search; assigns and propagates unit clauses. */
void sw_sat_watch_start(sw_sat_search *search);
/* Makes a literal true at the current depth and queues its negation. */
void sw_sat_make_true(sw_sat_search *search, int32_t literal, int32_t reason);
/* Runs the queue to a fixpoint or to the first conflict; bumps activities. */
void sw_sat_propagate(sw_sat_search *search);

#endif
