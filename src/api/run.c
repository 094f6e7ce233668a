/* Commands through the public API (include/statewise.h): a request in, events
 * while it works, its result as text. What a run needs belongs to it, so that
 * runs of several threads do not meet. */
#include "api/inner.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/json.h"
#include "command/commands.h"
#include "command/describe.h"
#include "command/request.h"
#include "search/guide_given.h"

enum { EVENTS_PER_SECOND = 20 }; /* of one piece of work; steps all come */

typedef struct watch {
  statewise_progress progress;
  void *context;
  const int *stop;
  pthread_mutex_t lock; /* events come one at a time, from any thread */
  double told;          /* when the last event of progress was */
} watch;

static int is_due(watch *w, const sw_event *e) {
  double now = sw_now();
  int last = e->total > 0 && e->done >= e->total;
  if (e->kind != SW_EVENT_DONE || last) return 1;
  if (now - w->told < 1.0 / EVENTS_PER_SECOND) return 0;
  w->told = now;
  return 1;
}

static void step_json(const sw_train_report *r, sw_json *json) {
  sw_json_int(json, "step", r->step);
  sw_json_int(json, "steps", r->steps);
  sw_json_real(json, "loss", r->loss);
  sw_json_real(json, "accuracy", r->accuracy);
  sw_json_real(json, "grad_norm", r->grad_norm);
  sw_json_real(json, "lr", r->lr);
  sw_json_int(json, "tokens", r->tokens);
  sw_json_real(json, "tokens_per_s", r->tokens_per_s);
  sw_json_real(json, "seconds", r->seconds);
  sw_json_real(json, "left", r->left);
  sw_json_real(json, "verify_loss", r->mean[SW_LOSS_VERDICT].loss);
  sw_json_real(json, "fact_loss", r->mean[SW_LOSS_FACT].loss);
  sw_json_real(json, "decision_loss", r->mean[SW_LOSS_DECISION].loss);
  if (r->valid_loss < 0) return;
  sw_json_real(json, "valid_loss", r->valid_loss);
  sw_json_real(json, "valid_accuracy", r->valid_accuracy);
  sw_json_bool(json, "best", r->is_best);
}

static void event_json(const sw_event *e, sw_json *json) {
  static const char *const name[] = {
      [SW_EVENT_BEGIN] = "begin", [SW_EVENT_DONE] = "progress",
      [SW_EVENT_END] = "end",     [SW_EVENT_STEP] = "step",
      [SW_EVENT_LINE] = "line",   [SW_EVENT_NOTE] = "note",
      [SW_EVENT_ERROR] = "error"};
  sw_json_object(json, NULL);
  sw_json_string(json, "event", name[e->kind]);
  if (e->what) {
    sw_json_string(json, "what", e->what);
    sw_json_int(json, "done", e->done);
    if (e->total > 0) sw_json_int(json, "total", e->total);
    sw_json_real(json, "seconds", e->seconds);
  }
  if (e->detail) sw_json_string(json, "detail", e->detail);
  if (e->step) step_json(e->step, json);
  else if (e->line) sw_json_string(json, "text", e->line);
  if (e->error) {
    sw_json_string(json, "text", e->error->text);
    sw_json_string(json, "hint", e->error->hint);
    sw_json_int(json, "code", e->error->code);
  }
  sw_json_end(json);
}

static void tell(void *context, const sw_event *event) {
  watch *w = context;
  sw_json json;
  /* The first event of a training has no step yet. */
  if (event->kind == SW_EVENT_BEGIN && !event->what) return;
  pthread_mutex_lock(&w->lock);
  if (is_due(w, event)) {
    sw_json_to_text(&json);
    event_json(event, &json);
    if (!json.failed) w->progress(w->context, json.text);
    sw_json_free(&json);
  }
  pthread_mutex_unlock(&w->lock);
}

static int is_stopped(void *context) {
  const watch *w = context;
  return w->stop && __atomic_load_n(w->stop, __ATOMIC_RELAXED) != 0;
}

static int run_request(sw_request *request, watch *w, char **result,
                       sw_err *err) {
  size_t bytes = 0;
  sw_command_io io = {
      .tell = w->progress ? tell : NULL, .stop = is_stopped, .context = w};
  sw_err own = {0}; /* commands look into their error */
  io.out = open_memstream(result, &bytes);
  if (!io.out) return sw_no_memory(err);
  int code =
      sw_command_run(request->command, &io, request->argc, request->argv, &own);
  if (fclose(io.out) && !code) code = sw_no_memory(&own);
  while (!code && bytes && (*result)[bytes - 1] == '\n') (*result)[--bytes] = 0;
  if (!code) return SW_OK;
  free(*result);
  *result = NULL;
  if (err) *err = own;
  return code;
}

int statewise_run(const char *request, statewise_progress progress,
                  void *context, const int *stop, char **result,
                  statewise_error *error) {
  KEEP_FLOAT_MODE;
  sw_err *err = api_error(error);
  sw_request parsed;
  watch w = {.progress = progress,
             .context = context,
             .stop = stop,
             .lock = PTHREAD_MUTEX_INITIALIZER};
  if (result) *result = NULL;
  if (!request || !result) {
    sw_fail(err, SW_USAGE, "statewise_run: argument %d is NULL",
            request ? 5 : 1);
    return SW_USAGE;
  }
  SW_TRY(sw_request_parse(&parsed, request, err));
  int code = run_request(&parsed, &w, result, err);
  sw_request_free(&parsed);
  return code;
}

int statewise_commands(char **result, statewise_error *error) {
  sw_err *err = api_error(error);
  sw_json json;
  SW_TRY(api_need(err, "statewise_commands", result, result, result));
  *result = NULL;
  sw_json_to_text(&json);
  sw_commands_json(sw_commands, &json);
  if (json.failed) {
    sw_json_free(&json);
    return sw_no_memory(err);
  }
  *result = json.text;
  return SW_OK;
}

void statewise_free(char *text) { free(text); }

/* ---- policies ---- */

int statewise_policy_add(const statewise_policy *policy,
                         statewise_error *error) {
  sw_err *err = api_error(error);
  SW_TRY(api_need(err, "statewise_policy_add", policy, policy, policy));
  return sw_given_add(policy, err);
}

void statewise_policy_remove(const char *name) {
  if (name) sw_given_remove(name);
}
