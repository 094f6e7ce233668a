/* What a command tells its caller (see io.h). */
#include "command/io.h"
#include <stdarg.h>
#include "base/clock.h"

void sw_tell(const sw_command_io *io, const sw_event *event) {
  if (io->tell) io->tell(io->context, event);
}

void sw_note(const sw_command_io *io, const char *format, ...) {
  char line[600];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  sw_tell(io, &(sw_event){.kind = SW_EVENT_NOTE, .line = line});
}

static void tell(const sw_progress *p, sw_event_kind kind, int64_t done,
                 const char *detail) {
  if (p->mode == SW_PROGRESS_NONE) return;
  sw_event event = {.kind = kind,
                    .mode = p->mode,
                    .what = p->what,
                    .detail = detail,
                    .done = done,
                    .total = p->total,
                    .seconds = sw_now() - p->started};
  sw_tell(p->io, &event);
}

void sw_progress_begin(sw_progress *p, const sw_command_io *io,
                       sw_progress_mode mode, const char *what, int64_t total) {
  *p = (sw_progress){.io = io, .mode = mode, .what = what, .total = total};
  p->started = sw_now();
  tell(p, SW_EVENT_BEGIN, 0, NULL);
}

void sw_progress_step(sw_progress *p, int64_t done, const char *detail) {
  tell(p, SW_EVENT_DONE, done, detail);
}

void sw_progress_show(void *progress, const char *label, int64_t done,
                      int64_t total) {
  sw_progress *p = progress;
  p->total = total;
  sw_progress_step(p, done, label);
}

void sw_progress_end(sw_progress *p) { tell(p, SW_EVENT_END, p->total, NULL); }
