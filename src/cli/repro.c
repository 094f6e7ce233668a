/* `statewise repro`: an experiment of the paper in one command; the paper's
 * number, ours, its interval and what needs no model in one line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/ranks.h"
#include "base/text.h"
#include "cli/progress.h"
#include "cli/commands.h"
#include "cli/repro_view.h"
#include "cli/stop.h"
#include "report/kept_pages.h"
#include "report/read_json.h"
#include "report/tables.h"
#include "repro/kept.h"

/* clang-format off */
#define OPTIONS(X)                                                             \
  X(list, FLAG, "list", "0", 0, 0, "", "list the experiments and stop")        \
  X(scale, CHOICE, "scale", "small", 0, 0, SW_SCALE_NAMES, "sizes and steps for two cores, or the published ones") \
  X(row, LIST, "row", "", 0, 0, "", "only this row of the experiment; may be repeated") \
  X(seeds, LONG, "seeds", "0", 0, 100, "", "models per row, with seeds 42, 123, 456, 789, 2024; 0: the experiment's number") \
  X(seed, LONG, "seed", "-1", -1, 1000000000, "", "the first model's seed instead of the list's; --seeds counts from it") \
  X(trained, FLAG, "trained", "0", 0, 0, "", "ask only the models that are trained already, and train none") \
  X(instances, LONG, "instances", "-1", -1, 1e9, "", "test instances; -1: the domain's test size") \
  X(traces, LONG, "traces", "0", 0, 1e9, "", "training traces; 0: the preset's") \
  X(train, LIST, "train", "", 0, 0, "", "name=value: a training option over every row's; may be repeated") \
  X(measure, LIST, "measure", "", 0, 0, "", "name=value: an option over those of every measure that has it; may be repeated") \
  X(verifier, TEXT, "verifier", "", 0, 0, "", "who says when to go back, instead of every column's own") \
  X(out, TEXT, "out", "out/repro", 0, 0, "", "output directory")               \
  X(check, FLAG, "check", "0", 0, 0, "", "run it again and compare with the kept result; exit 1 if a number differs") \
  X(keep, FLAG, "keep", "0", 0, 0, "", "also keep the result in results/ID.json") \
  X(pages, FLAG, "pages", "0", 0, 0, "", "write the pages of the kept results (results/index.html, ID.html) and stop") \
  X(threads, INT, "threads", "0", 0, 256, "", "threads; 0: all cores")         \
  X(progress, CHOICE, "progress", "auto", 0, 0, "auto|plain|none|json", "progress on standard error") \
  X(json, FLAG, "json", "0", 0, 0, "", "print one JSON object")
/* clang-format on */

typedef struct repro_values {
  OPTIONS(SW_OPTION_FIELD)
} repro_values;

static const sw_option options_table[] = {
#define X(...) SW_OPTION_ROW(repro_values, __VA_ARGS__)
    OPTIONS(X)
#undef X
};

/* ---- the list ---- */

static void list_json(const char *results) {
  sw_json json;
  sw_json_to_file(&json, stdout);
  sw_json_object(&json, NULL);
  sw_json_array(&json, "experiments");
  for (int i = 0; sw_experiments[i]; i++) {
    const sw_experiment *e = sw_experiments[i];
    sw_json_object(&json, NULL);
    sw_json_string(&json, "id", e->id);
    sw_json_string(&json, "place", e->place);
    sw_json_string(&json, "state",
                   sw_kept_state_name(sw_kept_state_of(e, results)));
    sw_json_string(&json, "section", e->section);
    sw_json_string(&json, "aliases", e->aliases ? e->aliases : "");
    sw_json_string(&json, "title", e->title);
    for (int s = 0; s < SW_SCALES; s++)
      sw_json_real(&json, s ? "hours_paper" : "hours_small",
                   sw_experiment_hours(e, (sw_scale)s, e->seeds[s]));
    sw_json_array(&json, "rows");
    for (int r = 0; e->row[r].id; r++) {
      const char *needs = sw_row_needs(&e->row[r]);
      sw_json_object(&json, NULL);
      sw_json_string(&json, "id", e->row[r].id);
      if (needs) sw_json_string(&json, "needs", needs);
      sw_json_end(&json);
    }
    sw_json_end(&json);
    sw_json_end(&json);
  }
  sw_json_end(&json);
  sw_json_end(&json);
}

static void list_one(const sw_experiment *e, const char *results) {
  printf("%-22s %s\n%-22s %s; %s\n%-22s rows:", e->id, e->title, "", e->place,
         sw_kept_state_name(sw_kept_state_of(e, results)), "");
  for (int r = 0; e->row[r].id; r++) printf(" %s", e->row[r].id);
  printf("\n%-22s models: %.1f hours small (%d seed%s), about %.0f published\n",
         "", sw_experiment_hours(e, SW_SCALE_SMALL, e->seeds[0]), e->seeds[0],
         e->seeds[0] == 1 ? "" : "s",
         sw_experiment_hours(e, SW_SCALE_PAPER, e->seeds[1]));
  for (int r = 0; e->row[r].id; r++)
    if (sw_row_needs(&e->row[r]))
      printf("%-22s row %s needs %s\n", "", e->row[r].id,
             sw_row_needs(&e->row[r]));
}

/* Grouped by section, each in the order of the table. */
static void list_text(const char *results) {
  for (int i = 0; sw_experiments[i]; i++) {
    const char *section = sw_experiments[i]->section;
    int seen = 0;
    for (int k = 0; k < i; k++)
      seen |= !strcmp(sw_experiments[k]->section, section);
    if (seen) continue;
    printf("%s== %s ==\n", i ? "\n" : "", section);
    for (int k = i; sw_experiments[k]; k++)
      if (!strcmp(sw_experiments[k]->section, section))
        list_one(sw_experiments[k], results);
  }
}

/* ---- one experiment ---- */

static int write_tables(const sw_table_list *list, sw_table_form form,
                        const char *path, sw_err *err) {
  sw_out_file file;
  SW_TRY(sw_out_open(&file, path, err));
  for (int i = 0; i < list->count; i++)
    sw_table_write(&list->table[i], form, file.stream);
  return sw_out_commit(&file, err);
}

static void print_tables(const json_t *kept, const sw_table_list *list) {
  printf("%s scale; paper: %s; %s\n\n", sw_member_text(kept, "scale", "?"),
         sw_member_text(kept, "place", "-"), sw_member_text(kept, "note", "-"));
  for (int i = 0; i < list->count; i++) {
    if (i) printf("\n");
    sw_table_write(&list->table[i], SW_TABLE_TEXT, stdout);
  }
}

static int show(const repro_values *v, const sw_experiment *e,
                const json_t *kept, sw_err *err) {
  char path[1200];
  sw_table_list list = {0};
  sw_experiment_tables(kept, &list);
  int code = sw_table_list_failed(&list)
                 ? sw_fail(err, SW_MEMORY, "out of memory")
                 : SW_OK;
  snprintf(path, sizeof path, "%s/%s/table.md", v->out, e->id);
  if (!code) code = write_tables(&list, SW_TABLE_MARKDOWN, path, err);
  snprintf(path, sizeof path, "%s/%s/table.tex", v->out, e->id);
  if (!code) code = write_tables(&list, SW_TABLE_LATEX, path, err);
  if (!code && v->json) {
    json_dumpf(kept, stdout, 0);
    printf("\n");
  } else if (!code) print_tables(kept, &list);
  sw_table_list_free(&list);
  return code;
}

/* Names and labels are the file's. */
static void tell(void *context, const char *difference) {
  char line[400];
  (void)context;
  sw_clean_text(line, sizeof line, difference);
  fprintf(stderr, "differs: %s\n", line);
}

/* 1: a number differs from the kept one. */
static int check(const sw_experiment *e, const json_t *fresh, int *differ,
                 sw_err *err) {
  char directory[1024], path[1200];
  json_t *kept;
  sw_kept_directory(directory, sizeof directory);
  snprintf(path, sizeof path, "%s/%s.json", directory, e->id);
  SW_TRY(sw_read_json(path, &kept, err));
  if (!kept) {
    sw_fail(err, SW_NOFILE, "nothing is kept of %s", e->id);
    return sw_hint(err, "statewise repro --list shows what is kept");
  }
  int numbers = sw_kept_numbers(kept), code = SW_OK;
  if (!numbers)
    code = sw_fail(err, SW_DATA, "%s: no number to compare with", path);
  *differ = sw_kept_compare(kept, fresh, NULL, tell) > 0;
  if (!*differ && !code) printf("every number of %s is as kept\n", e->id);
  if (strcmp(sw_member_text(kept, "kernels", ""),
             sw_member_text(fresh, "kernels", ""))) {
    char kernels[40];
    sw_clean_text(kernels, sizeof kernels,
                  sw_member_text(kept, "kernels", "?"));
    fprintf(stderr, "note: kept with other kernels (%s)\n", kernels);
  }
  json_decref(kept);
  return code;
}

static int write_pages(sw_err *err) {
  char directory[1024];
  int count = sw_experiment_count();
  sw_kept_directory(directory, sizeof directory);
  if (!*directory) {
    sw_fail(err, SW_NOFILE, "there is no directory `results`");
    return sw_hint(err, "statewise repro ID --keep makes it");
  }
  sw_kept_entry *entry = calloc((size_t)count, sizeof *entry);
  if (!entry) return sw_fail(err, SW_MEMORY, "out of memory");
  for (int i = 0; i < count; i++)
    entry[i] = (sw_kept_entry){.file = sw_experiments[i]->id,
                               .section = sw_experiments[i]->section,
                               .place = sw_experiments[i]->place,
                               .title = sw_experiments[i]->title};
  int code = sw_kept_pages(directory, entry, count, err);
  free(entry);
  if (!code) printf("%s/index.html\n", directory);
  return code;
}

static int keep(const sw_experiment *e, const char *from, sw_err *err) {
  char directory[1024], path[1200], *text;
  size_t bytes;
  sw_kept_directory(directory, sizeof directory);
  if (!*directory) snprintf(directory, sizeof directory, "results");
  SW_TRY(sw_make_dirs(directory, err));
  snprintf(path, sizeof path, "%s/%s.json", directory, e->id);
  SW_TRY(sw_read_file(from, 0, &text, &bytes, err));
  int code = sw_write_file(path, text, bytes, err);
  free(text);
  return code;
}

static int perform(const repro_values *v, const sw_experiment *e, int *differ,
                   sw_err *err) {
  char path[1200], directory[1100];
  sw_repro_options options = {.out = v->out,
                              .verifier = v->verifier,
                              .scale = (sw_scale)v->scale,
                              .rows = v->row,
                              .settings = v->train,
                              .measure = v->measure,
                              .seeds = v->seeds,
                              .seed = v->seed,
                              .test_seed = 42,
                              .instances = v->instances,
                              .traces = v->traces,
                              .trained = v->trained,
                              .threads = v->threads};
  sw_repro_view look = {.mode = (sw_progress_mode)v->progress};
  sw_repro_hooks hooks = sw_repro_view_hooks(&look);
  sw_repro_result result;
  json_t *kept;
  SW_TRY(sw_repro_run(e, &options, &hooks, &result, err));
  if (sw_ranks_me() != 0) { /* the first rank alone writes and prints */
    sw_repro_free(&result);
    return SW_OK;
  }
  snprintf(directory, sizeof directory, "%s/%s", v->out, e->id);
  int code = sw_make_dirs(directory, err);
  snprintf(path, sizeof path, "%s/experiment.json", directory);
  char command[200];
  snprintf(command, sizeof command,
           "statewise repro %s --scale %s --seeds %d%s", e->id,
           v->scale ? "paper" : "small",
           v->seeds ? (int)v->seeds : e->seeds[v->scale],
           v->trained ? " --trained" : "");
  if (!code) code = sw_kept_write(&result, command, "../", path, err);
  sw_repro_free(&result);
  if (!code) code = sw_read_json(path, &kept, err);
  if (code) return code;
  if (v->check) code = check(e, kept, differ, err);
  else code = show(v, e, kept, err);
  if (!code && v->keep) code = keep(e, path, err);
  json_decref(kept);
  return code;
}

static int find(const sw_list *rest, const sw_experiment **e, sw_err *err) {
  const char *near = NULL;
  if (rest->count != 1) {
    sw_fail(err, SW_USAGE,
            rest->count ? "one experiment at a time" : "which experiment?");
    return sw_hint(err, "statewise repro --list names them");
  }
  *e = sw_experiment_find(rest->item[0]);
  if (*e) return SW_OK;
  int count = sw_experiment_count();
  const char **names = calloc((size_t)count + 1, sizeof *names);
  for (int i = 0; names && i < count; i++) names[i] = sw_experiments[i]->id;
  if (names) near = sw_nearest(rest->item[0], names, count);
  free(names);
  sw_fail(err, SW_USAGE, "there is no experiment `%s`", rest->item[0]);
  return sw_hint(err, "did you mean %s? (statewise repro --list)",
                 near ? near : sw_experiments[0]->id);
}

static int run(const sw_command *self, int argc, char **argv) {
  repro_values v;
  sw_list rest = {0};
  sw_err err = {0};
  char results[1024];
  const sw_experiment *e;
  int differ = 0, code = sw_command_parse(self, argc, argv, &v, NULL, &rest);
  if (code >= 0) return code;
  if (v.list) {
    sw_kept_directory(results, sizeof results);
    if (v.json) list_json(results);
    else list_text(results);
    return 0;
  }
  if (v.pages) return write_pages(&err) ? sw_command_fail(&err) : 0;
  if (find(&rest, &e, &err)) return sw_command_fail(&err);
  if (v.scale == SW_SCALE_PAPER)
    fprintf(stderr,
            "published scale: about %.0f hours of training on two cores\n",
            sw_experiment_hours(e, SW_SCALE_PAPER,
                                v.seeds ? (int)v.seeds : e->seeds[1]));
  sw_stop_on_signals();
  if (perform(&v, e, &differ, &err)) return sw_command_fail(&err);
  return differ;
}

const sw_command sw_command_repro = {
    .name = "repro",
    .usage = "ID | --list",
    .summary = "Run an experiment of the paper: its number, ours and a rule's",
    .details =
        "Makes the traces, trains every row of the experiment and asks it, "
        "unless that is already in the output directory; a stopped run "
        "resumes. Models are shared by experiments. The deviation is over "
        "seeds; the interval is over seeds and instances (one seed: Wilson's). "
        "Beside ours stand the trivial rule, the best rule that never goes "
        "back (floor), the rule that reads the shown state exactly, and the "
        "best rule of the domain (ceiling).\n"
        "OUT/ID has the result as experiment.json, table.md and table.tex; "
        "`statewise report OUT` makes a page of all of them. ID may also be "
        "the paper's name of a table (T8).",
    .options = options_table,
    .option_count = sizeof options_table / sizeof *options_table,
    .run = run,
    .over_ranks = 1};
