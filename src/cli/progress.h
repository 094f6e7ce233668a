/* Progress on standard error: one redrawn line on a terminal, a plain line
 * every few seconds elsewhere, nothing or JSON lines on request. The library
 * reports through callbacks (base/hooks.h). */
#ifndef SW_CLI_PROGRESS_H
#define SW_CLI_PROGRESS_H
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
/* The same as a callback (sw_progress_fn); the context is the sw_progress. */
void sw_progress_show(void *progress, const char *label, int64_t done,
                      int64_t total);
void sw_progress_end(sw_progress *p, const char *summary);

#endif
