/* The clock of the FMA yardsticks: wall time, read around bursts of well under
 * a millisecond of which the fastest counts, so that a busy machine or a thread
 * clock that jumps (some hypervisors) does not distort the peak. */
#ifndef SW_NN_PEAK_H
#define SW_NN_PEAK_H
#include <time.h>

static inline double peak_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
