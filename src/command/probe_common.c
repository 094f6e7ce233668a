/* Shared by the probe commands (see probe_common.h). */
#include "command/probe_common.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/ranks.h"
#include "command/io.h"

typedef struct watcher {
  sw_command_io *io;
  sw_progress progress;
  const sw_probe *session;
} watcher;

static void begin(void *context, const char *what, int64_t total) {
  watcher *w = context;
  sw_progress_begin(&w->progress, w->io, (sw_progress_mode)w->session->progress,
                    what, total);
}

static void step(void *context, const char *label, int64_t done,
                 int64_t total) {
  sw_progress_show(&((watcher *)context)->progress, label, done, total);
}

static void end(void *context) {
  sw_progress_end(&((watcher *)context)->progress);
}

int sw_probe_ask_models(sw_probe *p, sw_err *err) {
  const sw_domain *found;
  char shipped[1024];
  sw_list models = p->model;
  if (p->domain || !models.count)
    SW_TRY(sw_domain_named(p->domain, &found, err));
  if (p->domain) p->domain = found->name; /* exec:COMMAND has one of its own */
  if (!models.count) {
    SW_TRY(sw_shipped_model(p->domain, shipped, sizeof shipped, err));
    models.item[models.count++] = shipped;
  }
  return sw_measure_take(p, models.item, models.count, err);
}

static int perform(sw_command_io *io, sw_probe *p, const sw_probe_view *view,
                   const sw_list *rest, sw_err *err) {
  SW_TRY(sw_team_new(&p->team, p->threads, err));
  SW_TRY(view->perform ? view->perform(p, rest, err)
                       : sw_probe_ask_models(p, err));
  if (p->into && sw_ranks_me() == 0) SW_TRY(sw_measure_write(p, p->into, err));
  if (!p->json) {
    view->text(io, p);
    return SW_OK;
  }
  sw_json json;
  sw_json_to_file(&json, io->out);
  sw_measure_json(p, &json);
  return SW_OK;
}

int sw_probe_main(const sw_command *self, sw_command_io *io, int argc,
                  char **argv, const sw_probe_view *view, sw_err *err) {
  sw_list rest = {0};
  watcher watch = {.io = io};
  sw_measure_hooks hooks = {
      .context = &watch, .begin = begin, .step = step, .end = end};
  sw_probe *p;
  SW_TRY(sw_measure_new(&p, view->measure, NULL, &hooks, err));
  watch.session = p;
  int code = sw_command_parse_task(self, argc, argv, p, p->given,
                                   view->perform ? &rest : NULL, &p->task, err);
  if (!code) code = perform(io, p, view, &rest, err);
  sw_team_free(p->team);
  sw_measure_free(p);
  return code;
}

void sw_probe_print_data(sw_command_io *io, const sw_probe_data *d) {
  char words[400];
  if (!d->set.file) return;
  fprintf(io->out, "%s: %s, %lld searches of %lld groups\n", d->path,
          strcmp(d->part, "all") ? d->part
          : d->set.part          ? "all parts"
                                 : "everything (its traces have no parts)",
          (long long)d->traces, (long long)d->clusters);
  sw_gives_words(&d->gives, words, sizeof words);
  if (*words) fprintf(io->out, "%s\n", words);
}

const char *sw_probe_number(double value, int digits, char buffer[32]) {
  if (isnan(value)) return "-";
  snprintf(buffer, 32, "%.*f", digits, value);
  return buffer;
}
