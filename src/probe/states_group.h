/* Grouping of points into states with distinct histories. Internal to
 * states.c; split off because it is all sorting. */
#ifndef SW_PROBE_STATES_GROUP_H
#define SW_PROBE_STATES_GROUP_H
#include "probe/states.h"

/* enough[i] = 1 when the state of point first + i already has at least
 * `histories` distinct histories. */
int sw_states_mark(const sw_states *states, int64_t first, int histories,
                   uint8_t *enough, sw_err *err);
/* Appends the groups of the points from `first` on (one instance). */
int sw_states_group(sw_states *states, int64_t first, int max_histories,
                    sw_err *err);

#endif
