/* `statewise audit URL`: the whole check of a model behind an endpoint. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "command/audit_study.h"
#include "command/commands.h"
#include "command/io.h"
#include "base/stop.h"

/* clang-format off */
#define AUDIT_OPTIONS(X)                                                       \
  X(domain, TEXT, "domain", "", 0, 0, "", "searches to ask about: sat, coloring, blocks, parsing, exec:COMMAND") \
  SW_SEED_ROW(X, "42", "seed of problems and states")      \
  X(output, TEXT, "out", "out/audit", 0, 0, "output", "directory for index.html, audit.json and the CSV files") \
  X(progress, CHOICE, "progress", "auto", 0, 0, "auto|plain|none|json", "progress on standard error") \
  X(json, FLAG, "json", "0", 0, 0, "", "print audit.json")
/* clang-format on */

typedef struct values {
  AUDIT_OPTIONS(SW_OPTION_FIELD)
  study_values study;
  sw_remote_options remote;
  sw_pairs task; /* options of the domain, as given */
} values;
static const sw_option table[] = {
#define X(...) SW_OPTION_ROW(values, __VA_ARGS__)
    AUDIT_OPTIONS(X)
#undef X
#define X(field, ...) SW_OPTION_ROW(values, study.field, __VA_ARGS__)
        SW_STUDY_OPTIONS(X)
#undef X
#define X(field, ...) SW_OPTION_ROW(values, remote.field, __VA_ARGS__)
            SW_REMOTE_OPTIONS(X)
#undef X
};

typedef struct auditing {
  sw_command_io *io;
  values v;
  sw_progress line;
  int shown;
  study_clients clients;
  int lock; /* on the directory, -1: not held */
  sw_study study;
} auditing;

static void show(void *context, const char *what, int64_t done, int64_t total) {
  auditing *a = context;
  if (done <= 1 || !a->shown) {
    if (a->shown) sw_progress_end(&a->line);
    sw_progress_begin(&a->line, a->io, (sw_progress_mode)a->v.progress, what,
                      total);
    a->shown = 1;
  }
  a->line.total = total;
  sw_progress_step(&a->line, done, NULL);
}

/* The domain's task, but small, unless its options say otherwise. */
static int make_task(auditing *a, const sw_domain *domain,
                     sw_domain_options *task, sw_err *err) {
  static const struct {
    const char *domain;
    int n;
  } small[] = {{"sat", 12}, {"coloring", 12}, {"blocks", 5}, {"parsing", 12}};
  sw_domain_defaults(domain, task);
  for (size_t i = 0; i < sizeof small / sizeof *small; i++)
    if (!strcmp(small[i].domain, domain->name)) task->n = small[i].n;
  SW_TRY(sw_domain_apply(domain, &a->v.task, task, err));
  return domain->resolve(task, err);
}

static int find_domain(auditing *a, study_search *search, sw_err *err) {
  if (!study_of_searches(&a->v.study, a->v.domain)) {
    if (!a->v.task.count) return SW_OK;
    sw_fail(err, SW_USAGE, "options of a domain need --domain");
    return sw_hint(err, "cases and conversations bring their own situations");
  }
  SW_TRY(
      sw_domain_named(a->v.domain ? a->v.domain : "sat", &search->domain, err));
  if (!search->domain->lexicon) {
    sw_fail(err, SW_USAGE, "`%s` cannot be told in words",
            search->domain->name);
    return sw_hint(err, "one of: sat coloring blocks parsing exec:COMMAND");
  }
  SW_TRY(make_task(a, search->domain, &search->task, err));
  if (!sw_domain_has_pads(search->domain, &search->task)) return SW_OK;
  sw_fail(err, SW_USAGE,
          "format `%s` asks for a scratchpad; a model behind a URL answers "
          "with the number of a choice and writes no tokens",
          search->task.format);
  return sw_hint(err, "--format: one without a scratchpad");
}

/* Two audits in one directory would overwrite each other's files. */
static int lock_directory(auditing *a, sw_err *err) {
  char lock[1100];
  snprintf(lock, sizeof lock, "%.1000s/audit.lock", a->v.output);
  if (sw_lock_file(&a->lock, lock, err)) {
    if (err->code == SW_USAGE) {
      sw_fail(err, SW_USAGE, "%s: another audit writes here", a->v.output);
      sw_hint(err, "wait for it, or give another directory (-o)");
    }
    return err->code;
  }
  return SW_OK;
}

/* The judge has an address, a model and a key of its own; the rest is as for
 * the model. */
static int call_judge(auditing *a, sw_err *err) {
  sw_remote_options o = a->v.remote;
  o.guide = a->v.study.sufficient;
  o.guide_model = a->v.study.judge_model;
  o.guide_key = a->v.study.judge_key;
  if (sw_client_new(&a->clients.judge, &o, sw_stop_asked, err))
    return sw_context(err, "--sufficient");
  return SW_OK;
}

static int audit(auditing *a, sw_err *err) {
  study_search search = {0};
  SW_TRY(find_domain(a, &search, err));
  SW_TRY(sw_make_dirs(a->v.output, err));
  SW_TRY(lock_directory(a, err));
  SW_TRY(sw_client_new(&a->clients.model, &a->v.remote, sw_stop_asked, err));
  if (study_has_judge(&a->v.study)) SW_TRY(call_judge(a, err));
  int code = study_run(&a->v.study, &search, (uint64_t)a->v.seed, &a->clients,
                       show, a, &a->study, err);
  if (a->shown) sw_progress_end(&a->line);
  SW_TRY(code);
  SW_TRY(study_write(a->io, &a->study, a->v.output, a->v.json, err));
  if (!a->v.json) study_print(a->io, &a->study, a->v.output);
  return SW_OK;
}

static int run(const sw_command *self, sw_command_io *io, int argc, char **argv,
               sw_err *err) {
  auditing *a = calloc(1, sizeof *a);
  sw_list rest = {0};
  if (!a) return sw_no_memory(err);
  a->io = io;
  a->lock = -1;
  int code = sw_command_parse_task(self, argc, argv, &a->v, NULL, &rest,
                                   &a->v.task, err);
  if (!code && rest.count == 1) a->v.remote.guide = rest.item[0];
  if (!code && (rest.count > 1 || !a->v.remote.guide)) {
    sw_fail(err, SW_USAGE, "give the address of one endpoint");
    code = sw_hint(err, "statewise audit http://127.0.0.1:8177/v1");
  }
  if (!code) code = audit(a, err);
  if (!code) io->exit_code = a->study.failed[0] != 0;
  sw_study_free(&a->study);
  if (a->lock >= 0) close(a->lock);
  sw_client_free(a->clients.judge);
  sw_client_free(a->clients.model);
  free(a);
  return code;
}

const sw_command sw_command_audit = {
    .name = "audit",
    .usage = "URL [--cases FILE | --logs PATH | --dose | --domain D]",
    .words = "URL",
    .summary =
        "Check whether a model behind an endpoint decides by the "
        "situation or by its history",
    .details =
        "The model at URL (the shape that llama.cpp, vLLM and OpenAI share) "
        "is asked about the same situations after other histories: yours "
        "(--cases), those of recorded conversations (--logs), a small search "
        "with more and more past go-backs (--dose), or states of searches "
        "(--domain). Each question is asked in two orders of its choices and "
        "repeated. The page says what changes, beyond a repeat, and what "
        "clearing the context would cost or gain (docs/audit.md). Keys come "
        "from the environment. Every answer is kept in --guide-cache, so an "
        "audit that was stopped goes on when it is run again.",
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .run = run,
    .takes_task = 1,
    .stoppable = 1};
