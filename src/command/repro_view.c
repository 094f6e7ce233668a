/* The progress of an experiment (see repro_view.h). */
#include "command/repro_view.h"
#include "base/stop.h"
#include "command/train_view.h"

static void begin(void *context, const char *what) {
  sw_repro_view *v = context;
  sw_progress_begin(&v->line, v->io, v->mode, what, 0);
}

static void end(void *context) {
  sw_progress_end(&((sw_repro_view *)context)->line);
}

static void step(void *context, const char *label, int64_t done,
                 int64_t total) {
  sw_progress_show(&((sw_repro_view *)context)->line, label, done, total);
}

static int train(void *context, const sw_train_options *options, sw_err *err) {
  const sw_repro_view *v = context;
  sw_train_result result;
  return sw_train_shown(v->io, options, v->mode, &result, err);
}

sw_repro_hooks sw_repro_view_hooks(sw_repro_view *view) {
  return (sw_repro_hooks){.context = view,
                          .begin = begin,
                          .end = end,
                          .progress = step,
                          .train = train,
                          .stop = sw_stop_asked};
}
