/* Progress lines on standard error (see progress.h). On a terminal one line is
 * redrawn ten times a second at most; elsewhere a plain line every five
 * seconds. */
#include "cli/progress.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/json.h"

void sw_progress_begin(sw_progress *p, sw_progress_mode mode, const char *what,
                       int64_t total) {
  memset(p, 0, sizeof *p);
  p->mode = mode;
  if (mode == SW_PROGRESS_AUTO && !isatty(2)) p->mode = SW_PROGRESS_PLAIN;
  p->what = what;
  p->total = total;
  p->started = p->shown = sw_now();
}

static void json_line(const sw_progress *p, double seconds, int64_t done,
                      const char *detail) {
  sw_json json;
  sw_json_to_file(&json, stderr);
  sw_json_object(&json, NULL);
  sw_json_string(&json, "progress", p->what);
  sw_json_int(&json, "done", done);
  if (p->total > 0) sw_json_int(&json, "total", p->total);
  sw_json_float9(&json, "seconds", seconds);
  if (detail) sw_json_string(&json, "detail", detail);
  sw_json_end(&json);
}

static void text_line(const sw_progress *p, double seconds, int64_t done,
                      const char *detail) {
  char line[512];
  int used;
  if (p->total > 0) {
    double part = (double)done / (double)p->total;
    used = snprintf(line, sizeof line, "%s %lld/%lld (%.0f %%)", p->what,
                    (long long)done, (long long)p->total, 100 * part);
    if (done > 0 && done < p->total && seconds > 1 && used > 0 && used < 400)
      used += snprintf(line + used, sizeof line - (size_t)used, ", %.0f s left",
                       seconds / part - seconds);
  } else {
    used = snprintf(line, sizeof line, "%s %lld", p->what, (long long)done);
  }
  if (detail && used > 0 && used < 500)
    snprintf(line + used, sizeof line - (size_t)used, "  %s", detail);
  if (p->mode == SW_PROGRESS_AUTO) fprintf(stderr, "\r\033[K%.200s", line);
  else fprintf(stderr, "%s\n", line);
  fflush(stderr);
}

void sw_progress_step(sw_progress *p, int64_t done, const char *detail) {
  if (p->mode == SW_PROGRESS_NONE) return;
  double now = sw_now();
  if (now - p->shown < (p->mode == SW_PROGRESS_AUTO ? 0.1 : 5.0)) return;
  p->shown = now;
  if (p->mode == SW_PROGRESS_JSON) {
    json_line(p, now - p->started, done, detail);
  } else {
    text_line(p, now - p->started, done, detail);
    p->drawn = p->mode == SW_PROGRESS_AUTO;
  }
}

void sw_progress_show(void *progress, const char *label, int64_t done,
                      int64_t total) {
  sw_progress *p = progress;
  p->total = total;
  sw_progress_step(p, done, label);
}

void sw_progress_end(sw_progress *p, const char *summary) {
  if (p->drawn) fprintf(stderr, "\r\033[K");
  p->drawn = 0;
  if (p->mode == SW_PROGRESS_NONE || !summary) return;
  if (p->mode == SW_PROGRESS_JSON)
    json_line(p, sw_now() - p->started, p->total, summary);
  else fprintf(stderr, "%s\n", summary);
}
