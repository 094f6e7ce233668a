/* `statewise repro`: an experiment of the paper in one command; the paper's
 * number, ours, its interval and what needs no model in one line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/grow.h"
#include "base/ranks.h"
#include "base/text.h"
#include "command/io.h"
#include "command/commands.h"
#include "command/repro_file.h"
#include "command/repro_keep.h"
#include "command/repro_list.h"
#include "command/repro_view.h"
#include "report/tables.h"

/* clang-format off */
#define OPTIONS(X)                                                             \
  X(list, FLAG, "list", "0", 0, 0, "", "list the experiments, or those named, and stop")\
  X(all, FLAG, "all", "0", 0, 0, "", "make and keep all that results/ lacks (of the experiments named, or of every one); with --list: show what that is") \
  X(scale, CHOICE, "scale", "small", 0, 0, SW_SCALE_NAMES, "sizes and steps for two cores, or the published ones") \
  X(row, LIST, "row", "", 0, 0, "", "only this row of the experiment (with --all: of those named); may be repeated") \
  X(seeds, LONG, "seeds", "0", 0, 100, "", "models per row, with seeds 42, 123, 456, 789, 2024; 0: the experiment's number") \
  X(seed, LONG, "seed", "-1", -1, 1000000000, "", "the first model's seed; the next are those behind it in the list, or count on") \
  X(trained, FLAG, "trained", "0", 0, 0, "", "ask only the models that are trained already, and train none") \
  X(instances, LONG, "instances", "-1", -1, 1e9, "", "test instances; -1: the domain's test size") \
  X(traces, LONG, "traces", "0", 0, 1e9, "", "training traces; 0: the preset's") \
  X(train, LIST, "train", "", 0, 0, "", "name=value: a training option over every row's; may be repeated") \
  X(measure, LIST, "measure", "", 0, 0, "", "name=value: an option over those of every measure that has it; may be repeated") \
  X(verifier, TEXT, "verifier", "", 0, 0, "", "what says when to go back, instead of the column's own, where a row names none") \
  X(out, TEXT, "out", "out/repro", 0, 0, "", "output directory")               \
  X(check, FLAG, "check", "0", 0, 0, "", "run it again and compare with the kept result; exit 1 if a number differs") \
  X(keep, FLAG, "keep", "0", 0, 0, "", "add what was made to results/; what is there of other rows and seeds stays") \
  X(kept, FLAG, "kept", "0", 0, 0, "", "print what results/ keeps of an experiment, and stop") \
  X(pages, FLAG, "pages", "0", 0, 0, "", "write the pages of the kept results (results/index.md, ID.md) and stop") \
  X(site, TEXT, "site", "", 0, 0, "", "with --pages: also a site of HTML with figures, in this directory") \
  X(show, FLAG, "show", "0", 0, 0, "", "print an experiment as text, a start for one of your own, and stop") \
  X(shard, TEXT, "shard", "", 0, 0, "", "I/N: only the I-th of N shares of the models; --merge puts them together") \
  X(merge, FLAG, "merge", "0", 0, 0, "", "put the shards in OUT/ID together, and make nothing") \
  X(domain, TEXT, "domain", "", 0, 0, "", "exec:COMMAND: opens the domain that a file names") \
  SW_THREADS_ROW(X, "threads; 0: all cores")         \
  X(progress, CHOICE, "progress", "auto", 0, 0, "auto|plain|none|json", "progress on standard error") \
  X(json, FLAG, "json", "0", 0, 0, "", "print one JSON object")
/* clang-format on */

typedef struct repro_values {
  OPTIONS(SW_OPTION_FIELD)
  int shard_at, shards; /* of --shard; 0: all */
  const char *file;     /* the user's experiment; NULL: one of ours */
} repro_values;

static const sw_option options_table[] = {
#define X(...) SW_OPTION_ROW(repro_values, __VA_ARGS__)
    OPTIONS(X)
#undef X
};

/* ---- one experiment ---- */

static int write_tables(const sw_table_list *list, sw_table_form form,
                        const char *path, sw_err *err) {
  sw_out_file file;
  SW_TRY(sw_out_open(&file, path, err));
  for (int i = 0; i < list->count; i++)
    sw_table_write(&list->table[i], form, file.stream);
  return sw_out_commit(&file, err);
}

static void print_tables(sw_command_io *io, const sw_repro_result *r,
                         const sw_table_list *list) {
  const sw_experiment *e = r->experiment;
  fprintf(io->out, "%s scale; paper: %s; %s\n\n", r->scale ? "paper" : "small",
          e->place, e->note ? e->note : "-");
  for (int i = 0; i < list->count; i++) {
    if (i) fprintf(io->out, "\n");
    sw_table_write(&list->table[i], SW_TABLE_TEXT, io->out);
  }
}

/* Tables on the terminal and (directory not NULL) as files. */
static int show(sw_command_io *io, const repro_values *v,
                const sw_repro_result *result, const char *directory,
                sw_err *err) {
  char path[1200];
  json_t *document;
  sw_table_list list = {0};
  SW_TRY(sw_kept_document(result, &document, err));
  sw_experiment_tables(document, &list);
  int code = sw_table_list_failed(&list) ? sw_no_memory(err) : SW_OK;
  snprintf(path, sizeof path, "%s/table.md", directory ? directory : "");
  if (!code && directory)
    code = write_tables(&list, SW_TABLE_MARKDOWN, path, err);
  snprintf(path, sizeof path, "%s/table.tex", directory ? directory : "");
  if (!code && directory) code = write_tables(&list, SW_TABLE_LATEX, path, err);
  if (!code && v->json) {
    json_dumpf(document, io->out, 0);
    fprintf(io->out, "\n");
  } else if (!code) print_tables(io, result, &list);
  sw_table_list_free(&list);
  json_decref(document);
  return code;
}

/* ---- what is kept of it ---- */

/* Names and labels are the file's. */
static void tell(void *io, const char *difference) {
  char line[400];
  sw_clean_text(line, sizeof line, difference);
  sw_note(io, "differs: %s", line);
}

/* 1: a number differs from the kept one. */
static void print_check(sw_command_io *io, const sw_experiment *e, int as_json,
                        int compared, int differ) {
  if (as_json) {
    sw_json json;
    sw_json_to_file(&json, io->out);
    sw_json_object(&json, NULL);
    sw_json_string(&json, "experiment", e->id);
    sw_json_int(&json, "compared", compared);
    sw_json_bool(&json, "differ", differ);
    sw_json_end(&json);
  } else if (!differ) {
    fprintf(io->out,
            "every number of %s that was made now is as kept (%d compared)\n",
            e->id, compared);
  }
}

static void note_kernels(sw_command_io *io, const sw_repro_result *kept,
                         const sw_repro_result *fresh) {
  for (int i = 0; i < kept->origins && fresh->origins; i++) {
    char kernels[40];
    if (!strcmp(kept->origin[i].kernels, fresh->origin[0].kernels)) continue;
    sw_clean_text(kernels, sizeof kernels, kept->origin[i].kernels);
    sw_note(io, "note: kept with other kernels (%s)", kernels);
    return;
  }
}

static int compare(sw_command_io *io, int as_json, const sw_repro_result *kept,
                   const sw_repro_result *fresh, int *differ, sw_err *err) {
  const sw_experiment *e = fresh->experiment;
  int compared = 0, values = 0;
  for (int i = 0; i < kept->cells; i++) values += kept->cell[i].values;
  if (values && kept->scale != fresh->scale)
    return sw_fail(err, SW_USAGE, "what is kept of %s is not of the scale %s",
                   e->id, fresh->scale ? "paper" : "small");
  *differ = sw_kept_compare(kept, fresh, io, tell, &compared) > 0;
  if (!compared) {
    sw_fail(err, SW_NOFILE, "nothing is kept of %s%s", e->id,
            values ? " that was made now" : "");
    return sw_hint(err, "statewise repro --list shows what is kept");
  }
  print_check(io, e, as_json, compared, *differ);
  note_kernels(io, kept, fresh);
  return SW_OK;
}

/* The caller frees *result (sw_repro_free), after an error too. */
static int fill_kept(const sw_experiment *e, sw_repro_result *result,
                     sw_err *err) {
  sw_answers answers;
  memset(result, 0, sizeof *result);
  int code = sw_repro_read_kept(&answers, 0, err);
  if (!code) code = sw_answers_fill(&answers, e, result, err);
  sw_answers_free(&answers);
  return code;
}

static int check(sw_command_io *io, int as_json, const sw_repro_result *fresh,
                 int *differ, sw_err *err) {
  sw_repro_result kept;
  int code = fill_kept(fresh->experiment, &kept, err);
  if (!code) code = compare(io, as_json, &kept, fresh, differ, err);
  sw_repro_free(&kept);
  return code;
}

static int show_kept(sw_command_io *io, const repro_values *v,
                     const sw_experiment *e, sw_err *err) {
  sw_repro_result kept;
  int code = fill_kept(e, &kept, err);
  if (!code && sw_kept_state_of(&kept) == SW_NEVER_RUN) {
    code = sw_fail(err, SW_NOFILE, "nothing is kept of %s", e->id);
    sw_hint(err, "statewise repro --list shows what is kept");
  }
  if (!code) code = sw_repro_mark_plateaus(&kept, 1, err);
  if (!code) code = show(io, v, &kept, NULL, err);
  sw_repro_free(&kept);
  return code;
}

/* ---- one run ---- */

/* The command that makes the same values again; where to and how is left out.
 */
static void command_of(const repro_values *v, const sw_experiment *e,
                       char *text, size_t room) {
  size_t used = 0;
#define ADD(...)                                                       \
  do {                                                                 \
    if (used < room)                                                   \
      used += (size_t)snprintf(text + used, room - used, __VA_ARGS__); \
  } while (0)
  ADD("statewise repro %s --scale %s", v->file ? v->file : e->id,
      v->scale ? "paper" : "small");
  for (int i = 0; i < v->row.count; i++) ADD(" --row %s", v->row.item[i]);
  if (v->seed >= 0) ADD(" --seed %lld", (long long)v->seed);
  ADD(" --seeds %d", v->seeds ? (int)v->seeds : e->seeds[v->scale]);
  if (v->trained) ADD(" --trained");
  if (v->shard) ADD(" --shard %s", v->shard);
  if (v->instances >= 0) ADD(" --instances %lld", (long long)v->instances);
  if (v->traces) ADD(" --traces %lld", (long long)v->traces);
  if (v->verifier && *v->verifier) ADD(" --verifier %s", v->verifier);
  for (int i = 0; i < v->train.count; i++) ADD(" --train %s", v->train.item[i]);
  for (int i = 0; i < v->measure.count; i++)
    ADD(" --measure %s", v->measure.item[i]);
#undef ADD
}

static sw_repro_options options_of(const repro_values *v, const char *command) {
  return (sw_repro_options){.out = v->out,
                            .command = command,
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
                            .shard = v->shard_at,
                            .shards = v->shards,
                            .threads = v->threads};
}

/* Writes the result as files and text, on the first rank only. */
static int deliver(sw_command_io *io, const repro_values *v,
                   const sw_experiment *e, sw_repro_result *result, int *differ,
                   sw_err *err) {
  char path[1200], directory[1100];
  snprintf(directory, sizeof directory, "%s/%s", v->out, e->id);
  SW_TRY(sw_make_dirs(directory, err));
  sw_repro_answers_path(directory, v->shard_at, v->shards, path, sizeof path);
  SW_TRY(sw_repro_mark_plateaus(result, !v->file, err));
  SW_TRY(sw_repro_write_answers(result, path, err));
  snprintf(path, sizeof path, "%s/experiment.json", directory);
  if (!v->shards) SW_TRY(sw_kept_write(result, "../", path, err));
  if (v->check) SW_TRY(check(io, v->json, result, differ, err));
  else if (!v->all) SW_TRY(show(io, v, result, directory, err));
  return v->keep ? sw_repro_keep(io, result, err) : SW_OK;
}

static int perform(sw_command_io *io, const repro_values *v,
                   const sw_experiment *e, int *differ, sw_err *err) {
  char command[1200];
  command_of(v, e, command, sizeof command);
  sw_repro_options options = options_of(v, command);
  sw_repro_view view = {.io = io, .mode = (sw_progress_mode)v->progress};
  sw_repro_hooks hooks = sw_repro_view_hooks(&view);
  sw_repro_result result;
  if (v->file && sw_ranks_me() == 0) sw_repro_file_size(io, e, &options);
  SW_TRY(sw_repro_run(e, &options, &hooks, &result, err));
  int code = sw_ranks_me() == 0 ? deliver(io, v, e, &result, differ, err) : 0;
  sw_repro_free(&result);
  return code;
}

static int merge(sw_command_io *io, const repro_values *v,
                 const sw_experiment *e, sw_err *err) {
  char directory[1100];
  sw_repro_result result = {.experiment = e};
  if (sw_ranks_me() != 0) return SW_OK;
  snprintf(directory, sizeof directory, "%s/%s", v->out, e->id);
  int code = sw_repro_merge(io, directory, &result, err);
  if (!code) code = deliver(io, v, e, &result, &io->exit_code, err);
  sw_repro_free(&result);
  return code;
}

static int find(const char *name, const sw_experiment **e, sw_err *err) {
  const char *near = NULL;
  if (sw_repro_is_file(name)) name = sw_experiments_used()->experiment->id;
  *e = sw_experiment_find(name);
  if (*e) return SW_OK;
  int count = sw_experiment_count();
  const char **names = calloc((size_t)count + 1, sizeof *names);
  for (int i = 0; names && i < count; i++) names[i] = sw_experiments()[i]->id;
  if (names) near = sw_nearest(name, names, count);
  free(names);
  sw_fail(err, SW_USAGE, "there is no experiment `%s`", name);
  if (near)
    return sw_hint(err, "did you mean %s? (statewise repro --list)", near);
  return sw_hint(err, "statewise repro --list names them");
}

static int find_one(const sw_list *rest, const sw_experiment **e, sw_err *err) {
  if (rest->count == 1) return find(rest->item[0], e, err);
  sw_fail(err, SW_USAGE,
          rest->count ? "one experiment at a time" : "which experiment?");
  return sw_hint(err, "statewise repro --list names them");
}

static int find_all(const sw_list *ids, const sw_experiment **found,
                    sw_err *err) {
  for (int i = 0; i < ids->count; i++)
    SW_TRY(find(ids->item[i], &found[i], err));
  return SW_OK;
}

/* A user's own experiment has its answers in OUT. */
static int read_for_list(const repro_values *v,
                         const sw_experiment *const *only, sw_answers *answers,
                         sw_err *err) {
  char directory[1100], path[1200];
  if (!v->file) return sw_repro_read_kept(answers, 0, err);
  snprintf(directory, sizeof directory, "%s/%s", v->out, only[0]->id);
  sw_repro_answers_path(directory, 0, 0, path, sizeof path);
  sw_answers_begin(answers);
  return sw_path_exists(path) ? sw_answers_read_file(answers, path, err)
                              : SW_OK;
}

static int list(sw_command_io *io, const repro_values *v, const sw_list *ids,
                sw_err *err) {
  const sw_experiment *only[SW_LIST_MAX];
  sw_answers answers;
  SW_TRY(find_all(ids, only, err));
  int code = read_for_list(v, only, &answers, err);
  if (!code && v->json)
    code = sw_repro_list_json(io, &answers, only, ids->count, err);
  else if (!code)
    code = sw_repro_list_text(io, &answers, only, ids->count, err);
  sw_answers_free(&answers);
  return code;
}

/* ---- all that is missing ---- */

/* Tasks that failed in this run: they are not tried twice. */
typedef struct failures {
  sw_todo_task *task;
  int32_t count, room;
} failures;

static int same_task(const sw_todo_task *a, const sw_todo_task *b) {
  return a->experiment == b->experiment && a->model == b->model &&
         a->seed == b->seed;
}

static const sw_todo_task *next_task(const sw_todo *plan, const failures *f) {
  for (int i = 0; i < plan->tasks; i++) {
    int failed = 0;
    for (int k = 0; k < f->count; k++)
      failed |= same_task(&f->task[k], &plan->task[i]);
    if (!failed) return &plan->task[i];
  }
  return NULL;
}

static int make_task(sw_command_io *io, const repro_values *v,
                     const sw_todo_task *t, sw_err *err) {
  repro_values own = *v;
  int differ = 0;
  own.row = t->rows;
  own.seed = t->seed;
  own.seeds = t->seeds;
  own.keep = 1;
  char of[120] = "";
  if (t->model)
    snprintf(of, sizeof of, " of %s, seed %lld", t->model->id,
             (long long)t->seed);
  sw_note(io, "%s: %d row%s%s", t->experiment->id, t->rows.count,
          t->rows.count == 1 ? "" : "s", of);
  return perform(io, &own, t->experiment, &differ, err);
}

/* What is missing. */
static int make_plan(const repro_values *v, const sw_experiment *const *only,
                     int count, sw_todo *plan, sw_err *err) {
  char over[900];
  sw_answers answers;
  sw_repro_options options = options_of(v, NULL);
  sw_todo_wanted wanted = {.only = only,
                           .count = count,
                           .rows = &v->row,
                           .scale = (sw_scale)v->scale,
                           .seeds = (int)v->seeds,
                           .over = over};
  sw_origin_over(&options, over, sizeof over);
  int code = sw_repro_read_kept(&answers, !v->list, err);
  if (!code) code = sw_todo_make(plan, &answers, &wanted, err);
  sw_answers_free(&answers);
  return code;
}

/* Makes one task after the other. The plan is made anew each time, because
 * other processes may be at work on the same results. */
static int make_all(sw_command_io *io, const repro_values *v,
                    const sw_list *ids, sw_err *err) {
  const sw_experiment *only[SW_LIST_MAX];
  failures failed = {0};
  int code = SW_OK, made = 0;
  SW_TRY(find_all(ids, only, err));
  while (!code) {
    sw_todo plan;
    code = make_plan(v, only, ids->count, &plan, err);
    if (code) break;
    const sw_todo_task *t = v->list ? NULL : next_task(&plan, &failed);
    if (v->list) sw_repro_list_plan(io, &plan, (sw_scale)v->scale, v->json);
    sw_err why = {0};
    int wrong = t ? make_task(io, v, t, &why) : SW_OK;
    made += t && !wrong;
    if (wrong == SW_STOPPED || wrong == SW_MEMORY) {
      code = wrong;
      *err = why;
    } else if (wrong) { /* reported, then on with the rest */
      sw_tell(io, &(sw_event){.kind = SW_EVENT_ERROR, .error = &why});
      if (sw_grow(&failed.task, &failed.room, failed.count + 1,
                  sizeof *failed.task))
        failed.task[failed.count++] = *t;
      else code = sw_no_memory(err);
    }
    sw_todo_free(&plan);
    if (!t) break;
  }
  if (!code && failed.count) {
    code = sw_fail(err, SW_STOPPED, "%d parts could not be made", failed.count);
    sw_hint(err, "run it again to try them; the reasons are above");
  }
  if (!code && v->json && !v->list) {
    sw_json json;
    sw_json_to_file(&json, io->out);
    sw_json_object(&json, NULL);
    sw_json_int(&json, "made", made);
    sw_json_end(&json);
  }
  free(failed.task);
  return code;
}

/* Runs the command with the experiment of the user's file loaded, if one is
 * named. */
static int dispatch(sw_command_io *io, repro_values *v, const sw_list *rest,
                    sw_err *err) {
  const sw_experiment *e;
  if (v->all) return make_all(io, v, rest, err);
  if (v->pages && rest->count) {
    sw_fail(err, SW_USAGE, "unexpected argument \"%.80s\"", rest->item[0]);
    return sw_hint(err, "--pages writes the pages of all experiments");
  }
  if (v->list) return list(io, v, rest, err);
  if (v->pages) return sw_repro_pages(io, v->site, v->json, err);
  if (v->show && rest->count == 1) return sw_repro_show(io, rest->item[0], err);
  SW_TRY(find_one(rest, &e, err));
  if (v->kept) return show_kept(io, v, e, err);
  if (v->merge) return merge(io, v, e, err);
  if (v->scale == SW_SCALE_PAPER)
    sw_note(io, "published scale: about %.0f hours of training on two cores",
            sw_experiment_hours(e, SW_SCALE_PAPER, (int)v->seeds));
  return perform(io, v, e, &io->exit_code, err);
}

/* results/ keeps only the program's own experiments. */
static int check_file(const repro_values *v, const sw_list *rest, sw_err *err) {
  if (rest->count > 1)
    return sw_fail(err, SW_USAGE, "give no other experiment beside a file: %s",
                   v->file);
  if (!v->keep && !v->check && !v->all && !v->pages && !v->kept) return SW_OK;
  sw_fail(err, SW_USAGE, "results/ keeps experiments of the program, not %s",
          v->file);
  return sw_hint(err, "its result is in OUT/ID; leave out --%s",
                 v->keep    ? "keep"
                 : v->check ? "check"
                 : v->all   ? "all"
                 : v->kept  ? "kept"
                            : "pages");
}

static int run(const sw_command *self, sw_command_io *io, int argc, char **argv,
               sw_err *err) {
  repro_values v = {.file = NULL};
  sw_list rest = {0};
  sw_experiment_file file;
  const sw_domain *opened;
  SW_TRY(sw_command_parse(self, argc, argv, &v, NULL, &rest, err));
  SW_TRY(sw_repro_shard(v.shard, &v.shard_at, &v.shards, err));
  SW_TRY(sw_experiments_load(err));
  if (v.domain) SW_TRY(sw_domain_named(v.domain, &opened, err));
  for (int i = 0; i < rest.count && !v.file && !v.show; i++)
    if (sw_repro_is_file(rest.item[i])) v.file = rest.item[i];
  if (!v.file) return dispatch(io, &v, &rest, err);
  SW_TRY(check_file(&v, &rest, err));
  SW_TRY(sw_repro_file_enter(&file, v.file, err));
  int code = dispatch(io, &v, &rest, err);
  sw_repro_file_leave(&file);
  return code;
}

const sw_command sw_command_repro = {
    .name = "repro",
    .usage = "ID | FILE.yaml | --list [ID ...] | --show ID | --all [ID ...]",
    .words = "[ID]...",
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
        "`statewise report OUT` makes a page of all of them. ID may also be T1 "
        "to T29, our numbers of the paper's tables with results, or the "
        "paper's label (tab:verifier-swap); --list shows both.\n"
        "--all makes what results/ lacks, model by model, those first that "
        "most tables wait for; stopped and run again it goes on. What another "
        "table asked of the same model and seed stands in every table that "
        "asks the same.\n"
        "FILE.yaml is an experiment of your own (docs/experiments.md): --show "
        "ID prints one of ours as a start, and FILE.yaml --list what it asks. "
        "--shard I/N makes a share of it, for job arrays.",
    .options = options_table,
    .option_count = sizeof options_table / sizeof *options_table,
    .run = run,
    .over_ranks = 1,
    .stoppable = 1};
