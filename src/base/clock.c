/* Clocks (see clock.h). */
#include "base/clock.h"
#include <sys/resource.h>
#include <time.h>

static double seconds_of(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double sw_now(void) { return seconds_of(CLOCK_MONOTONIC); }

double sw_cpu_seconds(void) { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }

long sw_peak_rss_kb(void) {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss : 0;
}
