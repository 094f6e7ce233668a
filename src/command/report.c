/* `statewise report`: a page, tables and CSV files of a directory. What the
 * page can show of trained models but nobody has measured yet is measured
 * first, by the measures `bank` and `case`, and left in the directory. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "command/commands.h"
#include "command/io.h"
#include "probe/measured.h"
#include "report/report.h"

/* clang-format off */
#define OPTIONS(X)                                                             \
  X(viable, LONG, "viable", "400", 0, 1e6, "", "calibration: viable states asked where DIR has no bank.json, a multiple of --conflicts; 0: none") \
  X(conflicts, LONG, "conflicts", "100", 0, 1e6, "", "calibration: conflict states; 0: none") \
  X(states, LONG, "states", "200", 0, 1e6, "", "states asked to find one where only the history changes the choice, where DIR has no case.json; 0: none") \
  SW_SEED_ROW(X, "42", "seed of states and rollouts")      \
  SW_THREADS_ROW(X, "threads; 0: all cores")         \
  X(progress, CHOICE, "progress", "auto", 0, 0, "auto|plain|none|json", "progress on standard error") \
  X(json, FLAG, "json", "0", 0, 0, "", "print one JSON object with the page's path")
/* clang-format on */

typedef struct values {
  OPTIONS(SW_OPTION_FIELD)
} values;

static const sw_option table[] = {
#define X(...) SW_OPTION_ROW(values, __VA_ARGS__)
    OPTIONS(X)
#undef X
};

typedef struct view {
  sw_command_io *io;
  sw_progress progress;
  int64_t done;
} view;

static void show_stage(void *context, const char *what) {
  view *v = context;
  sw_progress_step(&v->progress, v->done++, what);
}

static void show_left_out(void *context, const char *run, const char *why) {
  sw_note(((view *)context)->io, "left out: %s (%s)", run, why);
}

/* ---- measuring what is missing ---- */

/* Run directories of DIR whose domain has a search, those of the first one's
 * domain only: one case can be asked of all of them, and one bank of those
 * whose blocks are written as the first one's. */
typedef struct runs {
  int count;
  char path[SW_LIST_MAX][1300];
  unsigned char alike[SW_LIST_MAX];
  const sw_domain *domain;
  char *written; /* options of the first one */
} runs;

static int add_run(runs *r, const sw_loaded *loaded, const char *file,
                   const char *directory, sw_err *err) {
  if (!loaded->domain->search || (r->count && r->domain != loaded->domain))
    return SW_OK;
  if (r->count == SW_LIST_MAX) {
    sw_fail(err, SW_LIMIT, "%s: more than %d models to measure", directory,
            SW_LIST_MAX);
    return sw_hint(err, "--viable 0 --states 0 reports without measuring");
  }
  r->domain = loaded->domain;
  if (!r->count)
    r->written = sw_domain_options_json(r->domain, &loaded->options);
  if (!r->written) return sw_no_memory(err);
  int code = sw_bank_alike(r->written, r->domain, &loaded->options, NULL);
  if (code && code != SW_USAGE) return sw_fail(err, code, "%s: options", file);
  r->alike[r->count] = code == SW_OK;
  snprintf(r->path[r->count++], sizeof r->path[0], "%.1299s", file);
  return SW_OK;
}

static int find_models(const char *directory, runs *r, sw_err *err) {
  struct dirent **entry;
  int found, code = SW_OK;
  SW_TRY(sw_list_directory(directory, &entry, &found, err));
  for (int i = 0; i < found; i++) {
    char file[1400];
    sw_loaded loaded;
    snprintf(file, sizeof file, "%.1000s/%s/model.safetensors", directory,
             entry[i]->d_name);
    if (!code && entry[i]->d_name[0] != '.' && sw_path_exists(file)) {
      code = sw_loaded_open(&loaded, file, err);
      if (!code) {
        code = add_run(r, &loaded, file, directory, err);
        sw_loaded_close(&loaded);
      } else if (code == SW_DATA || code == SW_NOFILE || code == SW_USAGE) {
        code = SW_OK; /* not measured; the report says what it leaves out */
      }
    }
    free(entry[i]);
  }
  free(entry);
  return code;
}

static int number(sw_probe *p, const char *name, int64_t value, sw_err *err) {
  char text[32];
  snprintf(text, sizeof text, "%lld", (long long)value);
  return sw_measure_set(p, name, text, err);
}

static int ask(const values *v, const sw_measure *measure, sw_probe *p,
               sw_err *err) {
  SW_TRY(number(p, "seed", v->seed, err));
  if (measure == &sw_measure_case) return number(p, "states", v->states, err);
  SW_TRY(number(p, "viable", v->viable, err));
  SW_TRY(number(p, "conflicts", v->conflicts, err));
  SW_TRY(number(p, "instances", 2000, err));
  SW_TRY(number(p, "rollouts", 8, err));
  SW_TRY(number(p, "histories", 2, err));
  SW_TRY(number(p, "blocks", 24, err));
  SW_TRY(number(p, "fewer", 1, err));
  return number(p, "resamples", 0, err);
}

static int is_missing(const sw_measure *what, const char *directory) {
  char file[1200];
  snprintf(file, sizeof file, "%.1000s/%s.json", directory, what->name);
  return !sw_path_exists(file);
}

static int measure(const values *v, const sw_measure *what,
                   const char *directory, const runs *r, sw_err *err) {
  const char *model[SW_LIST_MAX];
  sw_team *team = NULL;
  sw_probe *p;
  int count = 0;
  for (int i = 0; i < r->count; i++)
    if (what == &sw_measure_case || r->alike[i]) model[count++] = r->path[i];
  SW_TRY(sw_team_new(&team, v->threads, err));
  int code = sw_measure_new(&p, what, team, NULL, err);
  if (!code) code = ask(v, what, p, err);
  if (!code) code = sw_measure_take(p, model, count, err);
  if (!code) code = sw_measure_write(p, directory, err);
  sw_measure_free(p);
  sw_team_free(team);
  return code;
}

static int measure_missing(const values *v, const char *directory, view *look,
                           sw_err *err) {
  int bank = v->viable > 0 && v->conflicts > 0 &&
             is_missing(&sw_measure_bank, directory);
  int search = v->states > 0 && is_missing(&sw_measure_case, directory);
  if (!bank && !search) return SW_OK;
  runs *r = calloc(1, sizeof *r);
  if (!r) return sw_no_memory(err);
  int code = find_models(directory, r, err);
  if (!code && bank && r->count) {
    show_stage(look, "asking about labelled states");
    code = measure(v, &sw_measure_bank, directory, r, err);
  }
  if (!code && search && r->count) {
    show_stage(look, "swapping histories");
    code = measure(v, &sw_measure_case, directory, r, err);
  }
  free(r->written);
  free(r);
  return code;
}

/* ---- the command ---- */

static int report(sw_command_io *io, const values *v, const char *directory,
                  sw_err *err) {
  view look = {.io = io};
  char page[1300];
  sw_report_hooks hooks = {
      .context = &look, .stage = show_stage, .left_out = show_left_out};
  sw_progress_begin(&look.progress, io, (sw_progress_mode)v->progress, "report",
                    5);
  int code = measure_missing(v, directory, &look, err);
  if (!code) code = sw_report_make(directory, &hooks, page, sizeof page, err);
  sw_progress_end(&look.progress);
  if (code) return code;
  if (v->json) {
    sw_json json;
    sw_json_to_file(&json, io->out);
    sw_json_object(&json, NULL);
    sw_json_string(&json, "page", page);
    sw_json_end(&json);
  } else {
    fprintf(io->out, "%s\n", page);
  }
  return SW_OK;
}

static int run(const sw_command *self, sw_command_io *io, int argc, char **argv,
               sw_err *err) {
  values v;
  sw_list rest = {0};
  SW_TRY(sw_command_parse(self, argc, argv, &v, NULL, &rest, err));
  if (rest.count > 1) {
    sw_fail(err, SW_USAGE, "report takes one directory");
    return sw_hint(err, "statewise report [DIR]");
  }
  return report(io, &v, rest.count ? rest.item[0] : "out/quickstart", err);
}

const sw_command sw_command_report = {
    .name = "report",
    .usage = "[DIR]",
    .words = "[DIR]",
    .summary = "Make a page, tables and CSV files of a directory",
    .details =
        "DIR (default out/quickstart) is what quickstart, repro, train, eval, "
        "trees or the probes (--into DIR) have filled: run directories, "
        "results.db and JSON files, in any combination. Writes "
        "DIR/report/index.html (one page that needs no other file and no "
        "network), tables.md, tables.tex, *.csv, and the plots as *.svg.\n"
        "Where DIR has models but no bank.json or case.json, these are "
        "measured first and left in DIR (--viable 0 and --states 0 switch that "
        "off); bank.json is of the models that read blocks as the first one "
        "does. Plots are drawn by gnuplot.",
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .run = run};
