/* `statewise audit URL`: the whole check of a model behind an endpoint. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit/audit.h"
#include "base/file.h"
#include "command/audit_study.h"
#include "command/commands.h"
#include "command/io.h"
#include "base/stop.h"

/* clang-format off */
#define AUDIT_OPTIONS(X)                                                       \
  X(domain, TEXT, "domain", "sat", 0, 0, "", "what is played: sat, coloring, blocks or parsing") \
  X(instances, LONG, "instances", "40", 1, 1e6, "", "problems, each searched with and without history") \
  X(decisions, LONG, "decisions", "60", 1, 1e9, "", "decisions of a search at most") \
  X(states, LONG, "states", "60", 2, 1e6, "", "states that are asked about after several histories") \
  X(histories, INT, "histories", "3", 2, 16, "", "histories of a state at most") \
  X(seed, LONG, "seed", "42", 0, 9e15, "", "seed of problems and states")      \
  X(model, TEXT, "model", "", 0, 0, "", "our SSA model beside it; default: the domain's shipped one; none: leave it out") \
  X(output, TEXT, "out", "out/audit", 0, 0, "output", "directory for index.html, audit.json and audit.db") \
  X(threads, INT, "threads", "0", 0, 256, "", "threads of our own model; 0: all cores") \
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
  sw_loaded ssa;
  sw_team *team;
  sw_client *client;
  sw_results *results; /* under the name of `fresh` */
  char fresh[1100], kept[1100];
  int lock; /* on the directory, -1: not held */
  sw_audit audit;
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

/* The task: our model's options, or the domain's, but small, unless options of
 * the domain say otherwise. */
static int make_task(auditing *a, const sw_domain *domain,
                     sw_domain_options *task, sw_err *err) {
  static const struct {
    const char *domain;
    int n;
  } small[] = {{"sat", 12}, {"coloring", 12}, {"blocks", 5}, {"parsing", 12}};
  if (a->ssa.model) *task = a->ssa.options;
  else sw_domain_defaults(domain, task);
  for (size_t i = 0; i < sizeof small / sizeof *small; i++)
    if (!strcmp(small[i].domain, domain->name)) task->n = small[i].n;
  SW_TRY(sw_domain_apply(domain, &a->v.task, task, err));
  return domain->resolve(task, err);
}

/* Two audits in one directory would take each other's files. */
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

/* Every audit is played whole, from the cache where it can be, so that tokens
 * are counted: into a store of its own, which takes the place of the last
 * audit's when it is complete. A store of something else is refused. */
static int open_store(auditing *a, sw_err *err) {
  sw_results *last;
  SW_TRY(lock_directory(a, err));
  snprintf(a->kept, sizeof a->kept, "%.1000s/audit.db", a->v.output);
  snprintf(a->fresh, sizeof a->fresh, "%.1000s/audit.db.new", a->v.output);
  if (sw_path_exists(a->kept)) {
    SW_TRY(sw_results_open(&last, a->kept, err));
    sw_results_close(last);
  }
  unlink(a->fresh); /* of an audit that was killed */
  return sw_results_open(&a->results, a->fresh, err);
}

static int keep_store(auditing *a, sw_err *err) {
  int code = sw_results_commit(a->results, err);
  sw_results_close(a->results);
  a->results = NULL;
  if (!code && rename(a->fresh, a->kept))
    code = sw_fail_errno(err, a->kept, "replace");
  if (code) unlink(a->fresh);
  return code;
}

static int prepare(auditing *a, sw_audit_options *o, sw_err *err) {
  char path[1100];
  const sw_domain *domain;
  SW_TRY(sw_domain_named(a->v.domain, &domain, err));
  if (!domain->lexicon) {
    sw_fail(err, SW_USAGE, "`%s` cannot be played in words", a->v.domain);
    return sw_hint(err, "one of: sat coloring blocks parsing");
  }
  if (!a->v.model || strcmp(a->v.model, "none")) {
    if (!a->v.model)
      SW_TRY(sw_shipped_model(domain->name, path, sizeof path, err));
    SW_TRY(sw_loaded_open(&a->ssa, a->v.model ? a->v.model : path, err));
    if (a->ssa.domain != domain)
      return sw_fail(err, SW_USAGE, "%s is a model for `%s`, not `%s`",
                     a->ssa.path, a->ssa.domain->name, domain->name);
  }
  SW_TRY(make_task(a, domain, &o->task, err));
  SW_TRY(sw_make_dirs(a->v.output, err));
  SW_TRY(open_store(a, err));
  SW_TRY(sw_team_new(&a->team, a->v.threads, err));
  SW_TRY(sw_client_new(&a->client, &a->v.remote, sw_stop_asked, err));
  o->domain = domain;
  o->instances = a->v.instances;
  o->decisions = a->v.decisions;
  o->states = a->v.states;
  o->histories = a->v.histories;
  o->seed = (uint64_t)a->v.seed;
  o->ssa = a->ssa.model ? &a->ssa : NULL;
  o->team = a->team;
  o->client = a->client;
  o->results = a->results;
  o->progress = show;
  o->stop = sw_stop_asked;
  o->context = a;
  return SW_OK;
}

static int write_files(const auditing *a, sw_err *err) {
  char path[1100];
  sw_json json;
  sw_json_to_text(&json);
  sw_audit_json(&a->audit, &json);
  snprintf(path, sizeof path, "%.1000s/audit.json", a->v.output);
  int code = json.failed ? sw_fail(err, SW_MEMORY, "out of memory")
                         : sw_write_file(path, json.text, json.length, err);
  if (!code && a->v.json) fprintf(a->io->out, "%s\n", json.text);
  sw_json_free(&json);
  snprintf(path, sizeof path, "%.1000s/index.html", a->v.output);
  return code ? code : sw_audit_page(&a->audit, path, err);
}

static void print(const auditing *a) {
  char text[800];
  for (int i = 0; i < SW_AUDIT_COUNT; i++) {
    if (!a->audit.player[i].played) continue;
    sw_audit_words(&a->audit.player[i], text, sizeof text);
    fprintf(a->io->out, "%s\n", text);
  }
  sw_audit_saving(&a->audit, text, sizeof text);
  fprintf(a->io->out, "%s\n", text);
  sw_remote_spent s = sw_client_spent(a->client);
  fprintf(a->io->out,
          "asked %lld times (%lld requests, %lld repeated; %lld from the "
          "cache)\npage: %s/index.html\n",
          (long long)s.answers, (long long)s.requests, (long long)s.repeats,
          (long long)s.cached, a->v.output);
}

static int study(auditing *a, sw_err *err) {
  SW_TRY(sw_make_dirs(a->v.output, err));
  SW_TRY(lock_directory(a, err));
  SW_TRY(sw_client_new(&a->client, &a->v.remote, sw_stop_asked, err));
  int code = study_run(&a->v.study, (uint64_t)a->v.seed, a->client, show, a,
                       &a->study, err);
  if (a->shown) sw_progress_end(&a->line);
  SW_TRY(code);
  SW_TRY(study_write(a->io, &a->study, a->v.output, a->v.json, err));
  if (!a->v.json) study_print(a->io, &a->study, a->v.output);
  return SW_OK;
}

static int audit(auditing *a, sw_err *err) {
  sw_audit_options o = {0};
  SW_TRY(prepare(a, &o, err));
  int code = sw_audit_run(&a->audit, &o, err);
  if (a->shown) sw_progress_end(&a->line);
  SW_TRY(code);
  SW_TRY(keep_store(a, err));
  SW_TRY(write_files(a, err));
  if (!a->v.json) print(a);
  return SW_OK;
}

static int run(const sw_command *self, sw_command_io *io, int argc, char **argv,
               sw_err *err) {
  auditing *a = calloc(1, sizeof *a);
  sw_list rest = {0};
  if (!a) return sw_fail(err, SW_MEMORY, "out of memory");
  a->io = io;
  a->lock = -1;
  int code = sw_command_parse_task(self, argc, argv, &a->v, NULL, &rest,
                                   &a->v.task, err);
  if (!code && rest.count == 1) a->v.remote.guide = rest.item[0];
  if (!code && (rest.count > 1 || !a->v.remote.guide)) {
    sw_fail(err, SW_USAGE, "give the address of one endpoint");
    code = sw_hint(err, "statewise audit http://127.0.0.1:8177/v1");
  }
  if (!code) code = study_wanted(&a->v.study) ? study(a, err) : audit(a, err);
  if (!code) io->exit_code = a->study.failed[0] != 0;
  sw_audit_free(&a->audit);
  sw_study_free(&a->study);
  if (a->results) { /* it is not complete */
    sw_results_close(a->results);
    unlink(a->fresh);
  }
  if (a->lock >= 0) close(a->lock);
  sw_client_free(a->client);
  sw_team_free(a->team);
  if (a->ssa.model) sw_loaded_close(&a->ssa);
  free(a);
  return code;
}

const sw_command sw_command_audit = {
    .name = "audit",
    .usage = "URL [--domain D] [--n N] [--instances N]",
    .words = "URL",
    .summary = "Check whether a model behind an endpoint decides by the state",
    .details =
        "The model at URL (the shape that llama.cpp, vLLM and OpenAI share) "
        "guides backtracking searches in words, with its whole conversation "
        "and with problem and state only, and is asked about the same states "
        "after other histories; beside it play the exact rule, a random player "
        "and our SSA model. The page says what clearing the context would "
        "save (docs/audit.md). Keys come from the environment. Every answer "
        "is kept in --guide-cache, so an audit that was stopped goes on when "
        "it is run again.",
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .run = run,
    .takes_task = 1,
    .stoppable = 1};
