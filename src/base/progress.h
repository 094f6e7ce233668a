/* Progress on standard error: one redrawn line on a terminal, a plain line
 * every few seconds elsewhere, nothing or JSON lines on request. Called by the
 * command line only; the library reports through callbacks. */
#ifndef SW_BASE_PROGRESS_H
#define SW_BASE_PROGRESS_H
#include <stdint.h>

typedef enum {
  SW_PROGRESS_AUTO,
  SW_PROGRESS_PLAIN,
  SW_PROGRESS_NONE,
  SW_PROGRESS_JSON
} sw_progress_mode;
typedef struct sw_progress {
  sw_progress_mode mode;
  const char *what;
  double started, shown; /* seconds */
  int64_t total;
  int drawn; /* a line is on the terminal */
} sw_progress;
void sw_progress_begin(sw_progress *p, sw_progress_mode mode, const char *what,
                       int64_t total);
/* `detail` is appended to the line; may be NULL. */
void sw_progress_step(sw_progress *p, int64_t done, const char *detail);
void sw_progress_end(sw_progress *p, const char *summary);
double sw_now(void);         /* monotonic seconds */
double sw_cpu_seconds(void); /* of this process */
long sw_peak_rss_kb(void);

#endif
