/* Shared by the probe commands (see probe_common.h). */
#include "cli/probe_common.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/ranks.h"
#include "cli/progress.h"

typedef struct line {
  sw_progress progress;
  const sw_probe *session;
} line;

static void begin(void *context, const char *what, int64_t total) {
  line *l = context;
  sw_progress_begin(&l->progress, (sw_progress_mode)l->session->progress, what,
                    total);
}

static void step(void *context, const char *label, int64_t done,
                 int64_t total) {
  sw_progress_show(&((line *)context)->progress, label, done, total);
}

static void end(void *context) {
  sw_progress_end(&((line *)context)->progress, NULL);
}

static int ask_models(sw_probe *p, sw_err *err) {
  const sw_domain *found;
  char shipped[1024];
  sw_list models = p->model;
  if (p->domain || !models.count)
    SW_TRY(sw_domain_named(p->domain, &found, err));
  if (!models.count) {
    SW_TRY(sw_shipped_model(p->domain, shipped, sizeof shipped, err));
    models.item[models.count++] = shipped;
  }
  return sw_measure_take(p, models.item, models.count, err);
}

static int perform(sw_probe *p, const sw_probe_view *view, const sw_list *rest,
                   sw_err *err) {
  SW_TRY(sw_team_new(&p->team, p->threads, err));
  SW_TRY(view->perform ? view->perform(p, rest, err) : ask_models(p, err));
  if (p->into && sw_ranks_me() == 0) SW_TRY(sw_measure_write(p, p->into, err));
  if (!p->json) {
    view->text(p);
    return SW_OK;
  }
  sw_json json;
  sw_json_to_file(&json, stdout);
  sw_measure_json(p, &json);
  return SW_OK;
}

int sw_probe_main(const sw_command *self, int argc, char **argv,
                  const sw_probe_view *view) {
  sw_err err = {0};
  sw_list rest = {0};
  line look = {0};
  sw_measure_hooks hooks = {
      .context = &look, .begin = begin, .step = step, .end = end};
  sw_probe *p;
  if (sw_measure_new(&p, view->measure, NULL, &hooks, &err))
    return sw_command_fail(&err);
  look.session = p;
  int code = sw_command_parse_task(self, argc, argv, p, p->given,
                                   view->perform ? &rest : NULL, &p->task);
  if (code < 0)
    code = perform(p, view, &rest, &err) ? sw_command_fail(&err) : 0;
  sw_team_free(p->team);
  sw_measure_free(p);
  return code;
}

const char *sw_probe_number(double value, int digits, char buffer[32]) {
  if (isnan(value)) return "-";
  snprintf(buffer, 32, "%.*f", digits, value);
  return buffer;
}
