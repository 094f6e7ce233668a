/* Clocks and memory of this process. */
#ifndef SW_BASE_CLOCK_H
#define SW_BASE_CLOCK_H

double sw_now(void);         /* monotonic seconds */
double sw_cpu_seconds(void); /* of this process */
long sw_peak_rss_kb(void);

#endif
