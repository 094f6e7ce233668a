/* Progress lines on standard error (see terminal.h). On a terminal one line is
 * redrawn ten times a second at most; elsewhere a plain line every five
 * seconds. */
#include "cli/terminal.h"
#include <stdio.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/json.h"

static void erase(sw_terminal *t) {
  if (t->drawn) fprintf(stderr, "\r\033[K");
  t->drawn = 0;
}

static void show_line(sw_terminal *t, sw_progress_mode mode, const char *line) {
  if (mode == SW_PROGRESS_AUTO) fprintf(stderr, "\r\033[K%.200s", line);
  else fprintf(stderr, "%s\n", line);
  t->drawn = mode == SW_PROGRESS_AUTO;
  fflush(stderr);
}

/* 1, and counted as shown: enough time has passed for another line. */
static int is_due(sw_terminal *t, sw_progress_mode mode) {
  double now = sw_now();
  if (now - t->shown < (mode == SW_PROGRESS_AUTO ? 0.1 : 5.0)) return 0;
  t->shown = now;
  return 1;
}

static void done_json(const sw_event *e) {
  sw_json json;
  sw_json_to_file(&json, stderr);
  sw_json_object(&json, NULL);
  sw_json_string(&json, "progress", e->what);
  sw_json_int(&json, "done", e->done);
  if (e->total > 0) sw_json_int(&json, "total", e->total);
  sw_json_float9(&json, "seconds", e->seconds);
  if (e->detail) sw_json_string(&json, "detail", e->detail);
  sw_json_end(&json);
}

static void done_text(const sw_event *e, char *line, size_t room) {
  int used;
  if (e->total > 0) {
    double part = (double)e->done / (double)e->total;
    used = snprintf(line, room, "%s %lld/%lld (%.0f %%)", e->what,
                    (long long)e->done, (long long)e->total, 100 * part);
    if (e->done > 0 && e->done < e->total && e->seconds > 1 && used > 0 &&
        used < 400)
      used += snprintf(line + used, room - (size_t)used, ", %.0f s left",
                       e->seconds / part - e->seconds);
  } else {
    used = snprintf(line, room, "%s %lld", e->what, (long long)e->done);
  }
  if (e->detail && used > 0 && used < 500)
    snprintf(line + used, room - (size_t)used, "  %s", e->detail);
}

static void show_done(sw_terminal *t, sw_progress_mode mode,
                      const sw_event *e) {
  char line[512];
  if (!is_due(t, mode)) return;
  if (mode == SW_PROGRESS_JSON) {
    done_json(e);
    return;
  }
  done_text(e, line, sizeof line);
  show_line(t, mode, line);
}

static void step_json(const sw_train_report *r) {
  sw_json json;
  sw_json_to_file(&json, stderr);
  sw_json_object(&json, NULL);
  sw_json_int(&json, "step", r->step);
  sw_json_int(&json, "steps", r->steps);
  sw_json_real(&json, "loss", r->loss);
  sw_json_real(&json, "tokens_per_s", r->tokens_per_s);
  sw_json_end(&json);
}

void sw_terminal_tell(void *terminal, const sw_event *e) {
  sw_terminal *t = terminal;
  sw_progress_mode mode = e->mode;
  if (mode == SW_PROGRESS_AUTO && !isatty(2)) mode = SW_PROGRESS_PLAIN;
  int silent = mode == SW_PROGRESS_NONE || mode == SW_PROGRESS_JSON;
  switch (e->kind) {
    case SW_EVENT_BEGIN:
      t->shown = sw_now();
      break;
    case SW_EVENT_DONE:
      if (mode != SW_PROGRESS_NONE) show_done(t, mode, e);
      break;
    case SW_EVENT_STEP:
      if (mode == SW_PROGRESS_JSON) step_json(e->step);
      else if (!silent && e->line && is_due(t, mode))
        show_line(t, mode, e->line);
      break;
    case SW_EVENT_LINE:
      if (silent) break;
      erase(t);
      fprintf(stderr, "%s\n", e->line);
      break;
    case SW_EVENT_NOTE:
      erase(t);
      fprintf(stderr, "%s\n", e->line);
      break;
    case SW_EVENT_END:
      erase(t);
      break;
    case SW_EVENT_ERROR:
      break; /* the job prints errors */
  }
}
