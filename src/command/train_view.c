/* The look of training (see train_view.h). */
#include "command/train_view.h"
#include "base/clock.h"

#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "base/ranks.h"
#include "base/stop.h"

typedef struct train_view {
  const sw_command_io *io;
  sw_progress_mode mode;
  FILE *log; /* DIR/train.log, or NULL */
  sw_train_floors floors;
  double logged; /* seconds */
  double smooth_loss;
  int hinted;
} train_view;

static void tell(const train_view *view, sw_event_kind kind, const char *line,
                 const sw_train_report *step) {
  if (view->mode == SW_PROGRESS_NONE) return;
  sw_event event = {
      .kind = kind, .mode = view->mode, .line = line, .step = step};
  sw_tell(view->io, &event);
}

/* A line for the watcher and for the log. */
static void both(train_view *view, const char *line) {
  tell(view, SW_EVENT_LINE, line, NULL);
  if (view->log) {
    fprintf(view->log, "%s\n", line);
    fflush(view->log);
  }
}

static void started(void *context, const sw_train_plan *plan,
                    const sw_train_floors *floors, int64_t resumed, double peak,
                    const sw_net *net) {
  train_view *view = context;
  const sw_train_options *o = &plan->options;
  char line[600];
  view->floors = *floors;
  char reading[120], sizes[200];
  sw_reading_print(&plan->reading, reading, sizeof reading);
  sw_net_sizes(plan->family, &plan->config, sizes, sizeof sizes);
  snprintf(line, sizeof line, "%s: %s, %s, %s, %.2f M parameters", o->output,
           plan->family->name, reading, sizes,
           (double)sw_net_parameters(net) / 1e6);
  both(view, line);
  snprintf(line, sizeof line,
           "%" PRId64 " training items, %" PRId64 " for validation; %" PRId64
           " steps of %d, lr %g, dropout %g, seed %" PRId64,
           plan->train_items, plan->valid_items, plan->steps, o->batch, o->lr,
           o->dropout, o->seed);
  both(view, line);
  snprintf(line, sizeof line,
           "peak %.0f GFLOP/s; loss floors: uniform %.3f, token frequencies "
           "%.3f%s",
           peak, floors->uniform, floors->unigram, resumed ? "; resumed" : "");
  both(view, line);
  if (sw_mask_leaks(plan->reading.mask) || net->leaks)
    both(view,
         "warning: this mask or memory lets slots read future tokens; "
         "its loss is optimistic and inference differs");
}

/* A third of the way in, a loss still above the frequency floor means that
 * nothing beyond token counts has been learned. */
static void hint_if_flat(train_view *view, const sw_train_report *r) {
  if (view->hinted || r->step * 3 < r->steps || r->step < 50) return;
  view->hinted = 1;
  if (view->smooth_loss > 0.9 * view->floors.unigram)
    both(view,
         "hint: the loss is still near the token-frequency floor; the "
         "model is not learning yet. Try more steps, a higher --lr, or "
         "--prefix-dropout 0.5");
}

static void step(void *context, const sw_train_report *r) {
  train_view *view = context;
  char line[320];
  double now = sw_now();
  const sw_loss_mean *verdict =
      &(r->valid_loss >= 0 ? r->valid : r->mean)[SW_LOSS_VERDICT];
  view->smooth_loss = r->step <= 1 || view->smooth_loss == 0
                          ? r->loss
                          : 0.95 * view->smooth_loss + 0.05 * r->loss;
  int used = snprintf(line, sizeof line,
                      "step %" PRId64 "/%" PRId64
                      " | loss %.4f | acc %.3f | norm %.2f | lr "
                      "%.1e | %.0f tok/s | %2.0f %% of peak | %.0f s left",
                      r->step, r->steps, r->loss, r->accuracy, r->grad_norm,
                      r->lr, r->tokens_per_s, 100 * r->peak_fraction, r->left);
  if (r->valid_loss >= 0 && used > 0 && used < (int)sizeof line)
    snprintf(line + used, sizeof line - (size_t)used,
             " | valid %.4f acc %.3f%s", r->valid_loss, r->valid_accuracy,
             r->is_best ? " *" : "");
  used = (int)strlen(line);
  if (r->mean[SW_LOSS_VERDICT].loss > 0)
    used +=
        snprintf(line + used, sizeof line - (size_t)used,
                 " | verify %.4f acc %.3f", verdict->loss, verdict->accuracy);
  if (r->mean[SW_LOSS_FACT].loss > 0)
    used += snprintf(line + used, sizeof line - (size_t)used,
                     " | facts %.4f acc %.3f", r->mean[SW_LOSS_FACT].loss,
                     r->mean[SW_LOSS_FACT].accuracy);
  if (r->mean[SW_LOSS_DECISION].loss > 0)
    used += snprintf(
        line + used, sizeof line - (size_t)used, " | decisions %.4f acc %.3f",
        r->mean[SW_LOSS_DECISION].loss, r->mean[SW_LOSS_DECISION].accuracy);
  if (r->ending != SW_ENDED_STEPS)
    snprintf(line + used, sizeof line - (size_t)used, " | %s: decaying",
             sw_ending_name(r->ending));
  tell(view, SW_EVENT_STEP, r->valid_loss >= 0 ? NULL : line, r);
  if (r->valid_loss >= 0) both(view, line);
  if (view->log && r->valid_loss < 0 && now - view->logged > 5) {
    fprintf(view->log, "%s\n", line);
    fflush(view->log);
    view->logged = now;
  }
  hint_if_flat(view, r);
}

static void begin(train_view *view, const sw_command_io *io,
                  sw_progress_mode mode, const char *directory,
                  sw_train_hooks *hooks) {
  *view = (train_view){.io = io, .mode = mode, .logged = sw_now()};
  tell(view, SW_EVENT_BEGIN, NULL, NULL);
  if (sw_ranks_me() == 0 && directory && !sw_make_dirs(directory, NULL)) {
    char path[1200];
    snprintf(path, sizeof path, "%s/train.log", directory);
    (void)sw_append_open(&view->log, path, NULL); /* the log is optional */
  }
  *hooks = (sw_train_hooks){
      .context = view, .started = started, .step = step, .stop = sw_stop_asked};
}

static void end(train_view *view, int code, const sw_train_result *result) {
  char line[200];
  if (!code) {
    snprintf(line, sizeof line,
             "%s: %" PRId64 " steps (%s), validation loss %.4f, %.1f s",
             result->already_done ? "already done" : "done", result->steps,
             result->ending == SW_ENDED_STEPS ? "all"
                                              : sw_ending_name(result->ending),
             result->valid_loss, result->seconds);
    both(view, line);
    if (result->falling)
      both(view,
           "note: not flat: the validation loss still fell over the last "
           "fifth of the steps; try --until flat, with more --steps as its "
           "cap");
    if (result->ending == SW_ENDED_PLATEAU)
      both(view,
           "note: a plateau: another model reached a lower loss on these "
           "traces; try another --position-kind, then a smaller "
           "--matrix-rate");
  } else if (code == SW_DIVERGED) { /* --tune goes on with other settings */
    snprintf(line, sizeof line, "diverged after %" PRId64 " steps",
             result->steps);
    both(view, line);
  }
  if (view->log) fclose(view->log);
  view->log = NULL;
}

int sw_train_shown(const sw_command_io *io, const sw_train_options *options,
                   sw_progress_mode mode, sw_train_result *result,
                   sw_err *err) {
  train_view view;
  sw_train_hooks hooks;
  begin(&view, io, mode, options->output, &hooks);
  int code = sw_train(options, &hooks, result, err);
  end(&view, code, result);
  return code;
}
