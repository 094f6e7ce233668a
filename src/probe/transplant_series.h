/* Figures of a transplant, one entry a pair of histories, in the order of the
 * states; and how the ranks of a job bring theirs together in that order, so
 * that every sum over them has the same bits for any number of ranks. */
#ifndef SW_PROBE_TRANSPLANT_SERIES_H
#define SW_PROBE_TRANSPLANT_SERIES_H
#include <stdint.h>
#include "base/err.h"

/* X(name): a column of doubles. */
#define SW_SERIES_COLUMNS(X) \
  X(agree) X(kl) X(cosine) X(squared) X(depth) X(exact)

typedef struct sw_series {
#define X(name) double *name;
  SW_SERIES_COLUMNS(X)
#undef X
  int64_t *cluster;
  int64_t count, room, states;
} sw_series;

typedef struct sw_series_row {
#define X(name) double name;
  SW_SERIES_COLUMNS(X)
#undef X
  int64_t cluster;
} sw_series_row;

void sw_series_free(sw_series *series);
int sw_series_put(sw_series *series, const sw_series_row *row); /* 0: memory */

/* Where a state's pairs are in the two series of this rank. */
typedef struct sw_series_state {
  int64_t index; /* among the states of the probe */
  int64_t first[2], last[2];
} sw_series_state;

/* Replaces rank 0's two series by those of all ranks, states ascending. */
int sw_series_gather(sw_series *series[2], const sw_series_state *state,
                     int64_t states, sw_err *err);

#endif
