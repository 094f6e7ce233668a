/* `statewise quickstart`: the whole effect in one command. Every stage leaves a
 * file in the output directory and is skipped or resumed when it is there, so
 * an interrupted run goes on and ends with the same table. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/progress.h"
#include "cli/commands.h"
#include "cli/probe_common.h"
#include "cli/stop.h"
#include "cli/train_view.h"
#include "probe/transplant.h"
#include "report/summary.h"
#include "search/guide_family.h"
#include "search/score.h"
#include "train/preset.h"
#include "train/trainer.h"

/* clang-format off */
#define OPTIONS(X)                                                             \
  X(out, TEXT, "out", "out/quickstart", 0, 0, "", "output directory")          \
  X(instances, LONG, "instances", "200", 1, 100000, "", "test instances")      \
  X(pairs, LONG, "states", "500", 1, 1000000, "", "states of the transplant")  \
  X(steps, LONG, "steps", "0", 0, 1e9, "", "training steps; 0: the preset's")  \
  X(seed, LONG, "seed", "42", 0, 9e15, "", "seed of everything")               \
  X(verifier, TEXT, "verifier", "model", 0, 0, "", "who says when to go back") \
  X(threads, INT, "threads", "0", 0, 256, "", "threads; 0: all cores")         \
  X(progress, CHOICE, "progress", "auto", 0, 0, "auto|plain|none|json", "progress on standard error") \
  X(json, FLAG, "json", "0", 0, 0, "", "print summary.json instead of the table")
/* clang-format on */

typedef struct quick_options {
  OPTIONS(SW_OPTION_FIELD)
} quick_options;

static const sw_option table[] = {
#define X(...) SW_OPTION_ROW(quick_options, __VA_ARGS__)
    OPTIONS(X)
#undef X
};

/* The models, in the order of the table. */
static const struct {
  const char *mask, *label;
  int release; /* the release's positions and padding */
} models[] = {{"ssa", "SSA", 0},
              {"causal", "causal (fair)", 0},
              {"causal-release", "causal (release)", 1}};
enum { MODELS = sizeof models / sizeof *models };

typedef struct quick {
  quick_options o;
  char data[1100], db[1100];
  const sw_preset *preset;
  sw_team *team;
  sw_results *results;
  sw_states states;
  int has_states;
  sw_progress progress;
  sw_quick_summary summary;
} quick;

static void begin_stage(quick *q, const char *what) {
  sw_progress_begin(&q->progress, (sw_progress_mode)q->o.progress, what, 0);
}

static int make_data(quick *q, sw_err *err) {
  snprintf(q->data, sizeof q->data, "%s/data.safetensors", q->o.out);
  SW_TRY(sw_make_dirs(q->o.out, err));
  begin_stage(q, "traces");
  sw_produce_hooks hooks = {.context = &q->progress,
                            .progress = sw_progress_show,
                            .stop = sw_stop_requested};
  int code =
      sw_preset_data(q->preset, q->data, (uint64_t)q->o.seed, &hooks, err);
  sw_progress_end(&q->progress, NULL);
  return code;
}

static int train_model(quick *q, int which, const char *directory,
                       double *seconds, sw_err *err) {
  sw_train_options options;
  sw_options_defaults(sw_train_table, sw_train_table_count, &options);
  SW_TRY(sw_apply_settings(sw_train_table, sw_train_table_count,
                           q->preset->train_settings, NULL, &options, err));
  options.data = q->data;
  options.output = directory;
  options.mask = models[which].mask;
  options.label = models[which].label;
  options.seed = q->o.seed;
  options.threads = q->o.threads;
  if (q->o.steps) options.steps = q->o.steps;
  if (models[which].release) {
    options.position_kind = "block-relative";
    options.pad_positions = 1;
  }
  sw_train_result result;
  int code =
      sw_train_shown(&options, (sw_progress_mode)q->o.progress, &result, err);
  *seconds = result.seconds;
  return code;
}

/* Both protocols of one guide; the store keeps what is already played. */
static int play(quick *q, sw_guide *guide, const sw_domain_options *task,
                sw_summary_row *row, sw_err *err) {
  static const sw_protocol protocols[] = {SW_CUMULATIVE, SW_REBUILT};
  sw_score_row scored[2];
  memset(scored, 0, sizeof scored);
  int code = SW_OK;
  guide->train_seed = q->o.seed;
  for (int i = 0; i < 2 && !code; i++) {
    sw_condition_options options;
    sw_condition c;
    sw_condition_defaults(&options);
    options.protocol = protocols[i];
    options.verifier = q->o.verifier;
    options.seed = q->o.seed;
    options.instances = q->o.instances;
    code = sw_condition_make(&c, &options, guide, task, err);
    if (code) break;
    begin_stage(q, i ? "searches without history" : "searches with history");
    sw_score_hooks hooks = {.context = &q->progress,
                            .progress = sw_progress_show,
                            .stop = sw_stop_requested};
    code = sw_score(&c, q->results, &hooks, &scored[i], err);
    sw_progress_end(&q->progress, NULL);
  }
  row->with = scored[0].summary;
  row->without = scored[1].summary;
  if (!code)
    code = sw_summary_gap(row, scored[0].outcomes, scored[0].summary.n,
                          scored[1].outcomes, scored[1].summary.n, err);
  for (int i = 0; i < 2; i++) sw_score_free(&scored[i]);
  return code;
}

static int collect_states(quick *q, const sw_loaded *loaded, sw_err *err) {
  if (q->has_states) return SW_OK;
  sw_states_options o = {.domain = loaded->domain,
                         .domain_options = loaded->options,
                         .seed = (uint64_t)q->o.seed,
                         .split = SW_SPLIT_TEST,
                         .instances = 200,
                         .rollouts = 8,
                         .max_blocks = 24,
                         .random_choice = 0.5,
                         .reorder = 1,
                         .max_histories = 3,
                         .states_wanted = q->o.pairs};
  SW_TRY(sw_states_collect(&q->states, &o, err));
  q->has_states = 1;
  return SW_OK;
}

static int transplant(quick *q, const sw_loaded *loaded, const char *directory,
                      sw_summary_row *row, sw_err *err) {
  SW_TRY(collect_states(q, loaded, err));
  sw_asker *full = NULL, *cached = NULL;
  int code = sw_probe_asker(loaded, NULL, NULL, 0, q->team, &full, err);
  if (!code)
    code = sw_probe_asker(loaded, NULL, NULL, 1, q->team, &cached, err);
  sw_transplant_options o = {.states = q->o.pairs,
                             .policy = 0,
                             .resamples = 400,
                             .seed = (uint64_t)q->o.seed};
  sw_transplant_result r;
  begin_stage(q, "histories swapped");
  if (!code)
    code = sw_transplant(&q->states, &loaded->options, full, cached,
                         sw_mask_leaks(loaded->reading.mask), &o,
                         sw_progress_show, &q->progress, &r, err);
  sw_progress_end(&q->progress, NULL);
  sw_asker_free(full);
  sw_asker_free(cached);
  if (code) return code;
  row->agreement = r.verification.argmax;
  row->agreement_low = r.verification.argmax_interval.low;
  row->agreement_high = r.verification.argmax_interval.high;
  row->exact_equal = r.exact_equal_rate;
  row->pairs = r.pairs;
  row->states = r.states;
  sw_json json;
  char path[1200];
  snprintf(path, sizeof path, "%s/transplant.json", directory);
  sw_json_to_text(&json);
  sw_json_object(&json, NULL);
  sw_transplant_json(&r, &json);
  sw_json_end(&json);
  code = sw_write_file(path, json.text, json.length, err);
  sw_json_free(&json);
  return code;
}

static int rule_row(quick *q, const sw_loaded *loaded, sw_err *err) {
  sw_summary_row *row = sw_summary_add(&q->summary);
  sw_guide *guide;
  if (!row) return sw_fail(err, SW_MEMORY, "out of memory");
  snprintf(row->model, sizeof row->model, "exact rule (no model)");
  SW_TRY(sw_guide_named(&guide, loaded->domain,
                        loaded->domain->search->exact_rule, err));
  int code = play(q, guide, &loaded->options, row, err);
  sw_guide_close(guide);
  return code;
}

static int model_row(quick *q, int which, sw_err *err) {
  char directory[1100];
  sw_summary_row *row = sw_summary_add(&q->summary);
  if (!row) return sw_fail(err, SW_MEMORY, "out of memory");
  snprintf(directory, sizeof directory, "%s/%s", q->o.out, models[which].mask);
  snprintf(row->model, sizeof row->model, "%s", models[which].label);
  row->has_model = 1;
  SW_TRY(train_model(q, which, directory, &row->train_seconds, err));
  sw_loaded loaded;
  SW_TRY(sw_loaded_open(&loaded, directory, err));
  sw_guide *guide = NULL;
  int code = sw_guide_model(&guide, &loaded, NULL, q->team, err);
  if (!code) code = play(q, guide, &loaded.options, row, err);
  sw_guide_close(guide);
  if (!code) code = transplant(q, &loaded, directory, row, err);
  if (!code && which == MODELS - 1) /* the rule faces the same task */
    code = rule_row(q, &loaded, err);
  sw_loaded_close(&loaded);
  return code;
}

static void print_table(const quick *q) {
  printf("\n%-24s %14s %17s %16s %11s\n", "", "solved with", "solved without",
         "same state,", "training");
  printf("%-24s %14s %17s %16s %11s\n", "model", "its history", "its history",
         "same choice", "time");
  for (int i = 0; i < q->summary.rows; i++) {
    const sw_summary_row *r = &q->summary.row[i];
    printf("%-24s %12.1f %% %15.1f %%", r->model, 100 * r->with.solve_rate,
           100 * r->without.solve_rate);
    if (r->has_model)
      printf(" %14.2f %% %9.0f s\n", 100 * r->agreement, r->train_seconds);
    else printf(" %16s %11s\n", "-", "-");
  }
  putchar('\n');
  for (int i = 0; i < q->summary.rows; i++) {
    char words[700];
    sw_summary_words(&q->summary.row[i], words, sizeof words);
    printf("%s\n", words);
  }
  printf("\nEverything is in %s; `statewise report %s` makes a page of it.\n",
         q->o.out, q->o.out);
}

static int print_json(const char *path, sw_err *err) {
  char *text;
  size_t bytes;
  SW_TRY(sw_read_file(path, 0, &text, &bytes, err));
  fwrite(text, 1, bytes, stdout);
  free(text);
  return SW_OK;
}

static int quickstart(quick *q, sw_err *err) {
  char path[1200];
  q->preset = sw_preset_find("quickstart");
  if (!q->preset) return sw_fail(err, SW_INTERNAL, "no quickstart preset");
  SW_TRY(sw_team_new(&q->team, q->o.threads, err));
  SW_TRY(make_data(q, err));
  snprintf(q->db, sizeof q->db, "%s/results.db", q->o.out);
  SW_TRY(sw_results_open(&q->results, q->db, err));
  for (int i = 0; i < MODELS; i++) SW_TRY(model_row(q, i, err));
  snprintf(path, sizeof path, "%s/summary.json", q->o.out);
  SW_TRY(sw_summary_write(&q->summary, path, err));
  if (q->o.json) return print_json(path, err);
  print_table(q);
  return SW_OK;
}

static int run(const sw_command *self, int argc, char **argv) {
  quick *q = calloc(1, sizeof *q);
  sw_list rest = {0};
  sw_err err = {0};
  if (!q) return 71;
  int code = sw_command_parse(self, argc, argv, &q->o, NULL, &rest);
  if (code < 0) {
    sw_stop_on_signals();
    code = quickstart(q, &err) ? sw_command_fail(&err) : 0;
    if (q->has_states) sw_states_free(&q->states);
    sw_results_close(q->results);
    sw_team_free(q->team);
    sw_summary_free(&q->summary);
  }
  free(q);
  return code;
}

const sw_command sw_command_quickstart = {
    .name = "quickstart",
    .usage = "[--out DIR]",
    .summary = "See history entanglement and its cure in a few minutes",
    .details =
        "Writes a small 3-SAT data set, trains three models on the same "
        "traces, lets each search with and\nwithout its history, and shows "
        "each the same states after other histories. Safe to interrupt\nand "
        "run again. The table is also DIR/summary.json.",
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .run = run};
