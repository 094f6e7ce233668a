/* Commands through the C API: what a request may say, events, stopping and
 * going on to the same bits, two trainings in two threads, and the tables as
 * JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <jansson.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/file.h"
#include "statewise.h"
#include "../tiny_run.h"

#define SIZES                                                            \
  "\"d\": 16, \"layers\": 1, \"heads\": 2, \"batch\": 4, \"steps\": 8, " \
  "\"threads\": 1, \"slots\": 2"

static char *home;

/* Runs it; the result as JSON. */
static json_t *ask(const char *request) {
  char *text;
  statewise_error error;
  if (statewise_run(request, NULL, NULL, NULL, &text, &error))
    fail_msg("%s: %s (%s)", request, error.text, error.hint);
  json_t *found = json_loads(text, 0, NULL);
  if (!found) fail_msg("%s gives no JSON: %s", request, text);
  statewise_free(text);
  return found;
}

static void refused(const char *request, int code, const char *why,
                    const char *hint) {
  char *text = home;
  statewise_error error;
  int got = statewise_run(request, NULL, NULL, NULL, &text, &error);
  if (got != code || error.code != code || !strstr(error.text, why) ||
      !strstr(error.hint, hint))
    fail_msg("%s: %d, %s (%s)", request, got, error.text, error.hint);
  assert_null(text);
}

static void train_request(char *text, size_t room, const char *out,
                          const char *mask) {
  snprintf(text, room,
           "{\"command\": \"train\", \"options\": {\"data\": \"d.st\", "
           "\"mask\": \"%s\", \"out\": \"%s\", " SIZES "}}",
           mask, out);
}

static void results_are_json(void **state) {
  (void)state;
  json_t *made = ask(
      "{\"command\": \"gen\", \"args\": [\"sat\"], \"options\": {\"out\": "
      "\"d.st\", \"count\": 40, \"n\": 6, \"viability\": true, \"seed\": 3}}");
  assert_int_equal(json_integer_value(json_object_get(made, "kept")), 40);
  json_decref(made);
  static const char *const request[] = {
      "{\"command\": \"show trace\", \"args\": [\"d.st\"]}",
      "{\"command\": \"show mask\", \"options\": {\"list\": true}}",
      "{\"command\": \"train\", \"options\": {\"list\": true}}",
      "{\"command\": \"train\", \"options\": {\"list_architectures\": true}}",
      "{\"command\": \"repro\", \"options\": {\"list\": true}}",
      "{\"command\": \"eval\", \"options\": {\"domain\": \"sat\", \"n\": 6, "
      "\"instances\": 3, \"no-model\": true, \"db\": \"none\"}}",
      "{\"command\": \"solve\", \"args\": [\"p.cnf\"], \"options\": "
      "{\"no-model\": true, \"time\": 5.5, \"json\": false}}",
      "{\"command\": \"export\", \"args\": [\"d.st\"], \"options\": "
      "{\"output\": \"d.jsonl\", \"progress\": null}}"};
  assert_int_equal(sw_write_file("p.cnf", "p cnf 1 1\n1 0\n", 14, NULL), 0);
  for (size_t i = 0; i < sizeof request / sizeof *request; i++)
    json_decref(ask(request[i]));
}

static void wrong_requests_say_why(void **state) {
  (void)state;
  refused("{", STATEWISE_USAGE, "no JSON", "");
  refused("[]", STATEWISE_USAGE, "no JSON object", "");
  refused("{}", STATEWISE_USAGE, "names its `command`", "");
  refused("{\"command\": \"evla\"}", STATEWISE_USAGE, "evla", "\"eval\"");
  refused("{\"command\": \"serve\"}", STATEWISE_USAGE, "serve", "program");
  refused("{\"command\": \"bench train\"}", STATEWISE_USAGE, "", "program");
  refused("{\"command\": \"eval\", \"option\": {}}", STATEWISE_USAGE,
          "`option`", "");
  refused("{\"command\": \"eval\", \"options\": []}", STATEWISE_USAGE,
          "is an object", "");
  refused("{\"command\": \"eval\", \"args\": \"x\"}", STATEWISE_USAGE,
          "is an array", "");
  refused("{\"command\": \"eval\", \"options\": {\"instanes\": 3}}",
          STATEWISE_USAGE, "instanes", "--instances");
  refused("{\"command\": \"eval\", \"options\": {\"instances\": 1.5}}",
          STATEWISE_USAGE, "not a whole number", "");
  refused("{\"command\": \"eval\", \"options\": {\"instances\": {\"a\": []}}}",
          STATEWISE_USAGE, "a text, number or flag", "");
  refused("{\"command\": \"eval\", \"options\": {\"x=1 --json\": 1}}",
          STATEWISE_USAGE, "no name", "");
  refused("{\"command\": \"gen\", \"args\": [\"--help\"]}", STATEWISE_USAGE,
          "--help", "");
  refused("{\"command\": \"show trace\", \"args\": [\"absent\"]}",
          STATEWISE_NOFILE, "absent", "");
  assert_int_equal(statewise_run(NULL, NULL, NULL, NULL, NULL, NULL),
                   STATEWISE_USAGE);
  statewise_free(NULL);
}

/* ---- stopping ---- */

typedef struct watcher {
  int stop, at, steps, lines;
  double loss;
} watcher;

static void watch(void *context, const char *event) {
  watcher *w = context;
  json_t *told = json_loads(event, 0, NULL);
  assert_non_null(told);
  const char *kind = json_string_value(json_object_get(told, "event"));
  w->lines += !strcmp(kind, "line");
  if (!strcmp(kind, "step")) {
    w->steps++;
    w->loss = json_real_value(json_object_get(told, "loss"));
    assert_true(json_integer_value(json_object_get(told, "tokens")) > 0);
    if (w->steps == w->at) w->stop = 1;
  }
  json_decref(told);
}

static void same_file(const char *a, const char *b) {
  char *text[2];
  size_t bytes[2];
  assert_int_equal(sw_read_file(a, 0, &text[0], &bytes[0], NULL), 0);
  assert_int_equal(sw_read_file(b, 0, &text[1], &bytes[1], NULL), 0);
  assert_int_equal(bytes[0], bytes[1]);
  assert_memory_equal(text[0], text[1], bytes[0]);
  free(text[0]);
  free(text[1]);
}

static void stopped_and_resumed(void **state) {
  (void)state;
  char request[600], *text;
  statewise_error error;
  watcher whole = {0}, first = {.at = 3}, rest = {0};
  train_request(request, sizeof request, "whole", "ssa");
  assert_int_equal(
      statewise_run(request, watch, &whole, &whole.stop, &text, &error), 0);
  statewise_free(text);
  assert_int_equal(whole.steps, 8);
  assert_true(whole.lines >= 3 && whole.loss > 0);
  train_request(request, sizeof request, "parts", "ssa");
  assert_int_equal(
      statewise_run(request, watch, &first, &first.stop, &text, &error),
      STATEWISE_STOPPED);
  assert_null(text);
  assert_int_equal(first.steps, 3);
  assert_int_equal(
      statewise_run(request, watch, &rest, &rest.stop, &text, &error), 0);
  statewise_free(text);
  assert_int_equal(rest.steps, 5);
  same_file("whole/model.safetensors", "parts/model.safetensors");
}

/* ---- threads ---- */

static void *train_in_thread(void *request) {
  char *text = NULL;
  statewise_error error;
  int code = statewise_run(request, NULL, NULL, NULL, &text, &error);
  statewise_free(text);
  return code ? request : NULL;
}

static void threads_do_not_meet(void **state) {
  (void)state;
  static const char *const mask[] = {"ssa", "causal"};
  char request[2][600];
  pthread_t thread[2];
  void *failed;
  for (int i = 0; i < 2; i++) {
    train_request(request[0], sizeof request[0], i ? "alone1" : "alone0",
                  mask[i]);
    json_decref(ask(request[0]));
  }
  for (int i = 0; i < 2; i++) {
    train_request(request[i], sizeof request[i], i ? "both1" : "both0",
                  mask[i]);
    assert_int_equal(
        pthread_create(&thread[i], NULL, train_in_thread, request[i]), 0);
  }
  for (int i = 0; i < 2; i++) {
    assert_int_equal(pthread_join(thread[i], &failed), 0);
    assert_null(failed);
  }
  same_file("alone0/model.safetensors", "both0/model.safetensors");
  same_file("alone1/model.safetensors", "both1/model.safetensors");
}

/* ---- policies ---- */

typedef struct counted {
  int questions, widest, fails;
} counted;

/* The last candidate. */
static int choose_last(void *context, const statewise_question *question,
                       int count, statewise_error *error) {
  counted *c = context;
  c->questions += count;
  if (count > c->widest) c->widest = count;
  for (int i = 0; i < count; i++) {
    const statewise_question *q = &question[i];
    assert_true(q->count > 0 && q->tokens > q->block && q->block > 0);
    assert_true(*q->text[0] && q->candidate[0] >= 0);
    q->score[q->count - 1] = 1;
  }
  if (c->fails) snprintf(error->text, sizeof error->text, "no more");
  return c->fails ? STATEWISE_IO : 0;
}

static void a_policy_of_ones_own(void **state) {
  (void)state;
  static const char request[] =
      "{\"command\": \"eval\", \"options\": {\"domain\": \"sat\", \"n\": 6, "
      "\"instances\": 4, \"no-model\": true, \"db\": \"none\", "
      "\"verifier\": \"exact\", \"policies\": \"mine,exact\"}}";
  counted c = {0};
  statewise_policy policy = {
      .name = "mine", .width = 2, .context = &c, .score = choose_last};
  statewise_error error;
  refused(request, STATEWISE_USAGE, "no policy named `mine`", "");
  assert_int_equal(statewise_policy_add(&policy, &error), 0);
  assert_int_equal(statewise_policy_add(&policy, &error), STATEWISE_USAGE);
  json_t *found = ask(request);
  assert_string_equal(json_string_value(json_object_get(found, "policy")),
                      "mine");
  assert_int_equal(json_array_size(json_object_get(found, "rows")), 2);
  assert_true(c.questions > 4 && c.widest == 2);
  json_decref(found);
  c.fails = 1;
  refused(request, STATEWISE_IO, "policy mine: no more", "");
  statewise_policy_remove("mine");
  statewise_policy_remove("mine");
  statewise_policy_remove(NULL);
  refused(request, STATEWISE_USAGE, "no policy named `mine`", "");
  static const char *const wrong[] = {"", "a,b", "all", "expert", NULL};
  for (int i = 0; i < 5; i++) {
    policy.name = wrong[i];
    assert_int_equal(statewise_policy_add(&policy, &error), STATEWISE_USAGE);
  }
  assert_int_equal(statewise_policy_add(NULL, &error), STATEWISE_USAGE);
}

/* ---- the tables ---- */

static void check_command(const json_t *command) {
  size_t at;
  const json_t *option;
  int has_json = 0;
  const char *name = json_string_value(json_object_get(command, "name"));
  json_array_foreach(json_object_get(command, "options"), at, option) {
    const char *of = json_string_value(json_object_get(option, "name"));
    has_json |= !strcmp(of, "json");
    if (!strcmp(of, "output")) fail_msg("%s writes to --output", name);
    assert_true(*json_string_value(json_object_get(option, "help")));
  }
  if (!has_json) fail_msg("%s has no --json", name);
  /* Asked for an option that nothing has, each says so and nothing else. */
  char request[200];
  snprintf(request, sizeof request,
           "{\"command\": \"%s\", \"options\": {\"zzzzzzz\": 1}}", name);
  refused(request, STATEWISE_USAGE, "unknown option --zzzzzzz", "");
}

static void the_tables(void **state) {
  (void)state;
  char *text;
  size_t at;
  const json_t *command;
  assert_int_equal(statewise_commands(&text, NULL), 0);
  json_t *all = json_loads(text, 0, NULL);
  statewise_free(text);
  assert_non_null(all);
  const json_t *commands = json_object_get(all, "commands");
  assert_true(json_array_size(commands) > 20);
  json_array_foreach(commands, at, command) check_command(command);
  assert_true(json_array_size(json_object_get(all, "domains")) >= 5);
  json_decref(all);
}

static int enter(void **state) {
  (void)state;
  home = tiny_run_directory();
  return !home || chdir(home);
}

static int leave(void **state) {
  (void)state;
  if (chdir("/")) return 1;
  tiny_run_remove(home);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(results_are_json),
      cmocka_unit_test(wrong_requests_say_why),
      cmocka_unit_test(stopped_and_resumed),
      cmocka_unit_test(threads_do_not_meet),
      cmocka_unit_test(a_policy_of_ones_own),
      cmocka_unit_test(the_tables),
  };
  return cmocka_run_group_tests(tests, enter, leave);
}
