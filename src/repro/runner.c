/* Running an experiment (see runner.h). */
#include "repro/runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/stats.h"
#include "search/guide_family.h"
#include "train/preset.h"

enum { FIRST_SEED = 42 };

typedef struct runner {
  const sw_experiment *experiment;
  const sw_repro_options *options;
  const sw_repro_hooks *hooks;
  sw_preset preset; /* with the caller's number of traces */
  char data[1100];
  sw_team *team;
  sw_results *results;
  int columns;
  double policy[SW_REPRO_COLUMNS];
} runner;

static int make_data(runner *r, sw_err *err) {
  const sw_preset *preset = sw_preset_find(r->experiment->preset);
  if (!preset)
    return sw_fail(err, SW_INTERNAL, "no preset `%s`", r->experiment->preset);
  r->preset = *preset;
  if (r->options->traces) r->preset.traces = r->options->traces;
  snprintf(r->data, sizeof r->data, "%s/data/%s-%lld.safetensors",
           r->options->out, preset->name, (long long)r->preset.traces);
  sw_produce_hooks produce = {.context = r->hooks->context,
                              .progress = r->hooks->progress,
                              .stop = r->hooks->stop};
  r->hooks->begin(r->hooks->context, "traces");
  int code = sw_preset_data(&r->preset, r->data, FIRST_SEED, &produce, err);
  r->hooks->end(r->hooks->context);
  return code;
}

/* The test instances and the loop of one column, for any guide. */
static int make_condition(const runner *r, sw_guide *guide,
                          const sw_domain_options *base,
                          const sw_repro_column *column, sw_condition *c,
                          sw_err *err) {
  sw_domain_options task = *base;
  sw_condition_options options;
  if (r->experiment->test)
    SW_TRY(sw_apply_settings(guide->domain->options,
                             guide->domain->option_count, r->experiment->test,
                             NULL, &task, err));
  sw_condition_defaults(&options);
  SW_TRY(sw_apply_settings(sw_condition_table, sw_condition_table_count,
                           column->loop, NULL, &options, err));
  if (r->options->verifier) {
    options.verifier = r->options->verifier;
    options.loop = NULL;
  }
  options.instances = r->options->instances;
  options.seed = FIRST_SEED;
  return sw_condition_make(c, &options, guide, &task, err);
}

static int score(const runner *r, const sw_condition *c, sw_score_row *row,
                 sw_err *err) {
  sw_score_hooks hooks = {.context = r->hooks->context,
                          .progress = r->hooks->progress,
                          .stop = r->hooks->stop};
  r->hooks->begin(r->hooks->context, "searches");
  int code = sw_score(c, r->results, &hooks, row, err);
  r->hooks->end(r->hooks->context);
  return code;
}

static int score_policy(runner *r, sw_err *err) {
  const sw_domain *domain;
  sw_domain_options options;
  sw_guide *guide;
  SW_TRY(sw_preset_task(&r->preset, &domain, &options, err));
  SW_TRY(sw_guide_named(&guide, domain, r->experiment->policy, err));
  int code = SW_OK;
  for (int i = 0; i < r->columns && !code; i++) {
    sw_condition c;
    sw_score_row row;
    code =
        make_condition(r, guide, &options, &r->experiment->column[i], &c, err);
    if (!code) code = score(r, &c, &row, err);
    if (code) break;
    r->policy[i] = row.summary.solve_rate;
    sw_score_free(&row);
  }
  sw_guide_close(guide);
  return code;
}

static int set_row(const sw_repro_row *row, sw_train_options *o, sw_err *err) {
  return sw_apply_settings(sw_train_table, sw_train_table_count, row->train,
                           NULL, o, err);
}

static int train(const runner *r, const sw_repro_row *row, int64_t seed,
                 char *directory, size_t room, sw_err *err) {
  sw_train_options o;
  char parent[1100];
  snprintf(parent, sizeof parent, "%s/%s", r->options->out, r->experiment->id);
  SW_TRY(sw_make_dirs(parent, err));
  snprintf(directory, room, "%s/%s-%lld", parent, row->id, (long long)seed);
  sw_options_defaults(sw_train_table, sw_train_table_count, &o);
  o.data = r->data;
  /* Twice: the preset's positions depend on the row's mask, and what the row
   * sets comes over the preset's. */
  SW_TRY(set_row(row, &o, err));
  SW_TRY(sw_preset_apply(r->preset.name, NULL, &o, NULL, 0, err));
  SW_TRY(set_row(row, &o, err));
  for (int i = 0; i < r->options->settings.count; i++)
    SW_TRY(sw_options_set_pair(sw_train_table, sw_train_table_count,
                               r->options->settings.item[i], &o, err));
  o.output = directory;
  o.label = row->label;
  o.seed = seed;
  o.threads = r->options->threads;
  return r->hooks->train(r->hooks->context, &o, err);
}

/* What a row's models did: share solved by column and seed. */
typedef struct shares {
  double solved[SW_REPRO_COLUMNS][SW_REPRO_SEEDS];
  int64_t instances[SW_REPRO_COLUMNS];
} shares;

static int play(const runner *r, const char *directory, int64_t seed, shares *s,
                sw_err *err) {
  sw_loaded loaded;
  sw_guide *guide;
  SW_TRY(sw_loaded_open(&loaded, directory, err));
  int code = sw_guide_model(&guide, &loaded, NULL, r->team, err);
  if (!code) guide->train_seed = FIRST_SEED + seed;
  for (int i = 0; i < r->columns && !code; i++) {
    sw_condition c;
    sw_score_row row;
    code = make_condition(r, guide, &loaded.options, &r->experiment->column[i],
                          &c, err);
    if (!code) code = score(r, &c, &row, err);
    if (code) break;
    s->solved[i][seed] = row.summary.solve_rate;
    s->instances[i] = row.summary.n;
    sw_score_free(&row);
  }
  sw_guide_close(guide);
  sw_loaded_close(&loaded);
  return code;
}

/* Models of a row share the test instances, so the interval counts instances,
 * not searches: it is Wilson's of the mean share, whatever the seeds. */
static sw_repro_cell sum_up(const runner *r, const sw_repro_row *row,
                            int column, const shares *s) {
  int64_t seeds = r->options->seeds, instances = s->instances[column];
  double mean = sw_mean(s->solved[column], seeds);
  sw_interval interval =
      sw_wilson((int64_t)(mean * (double)instances + 0.5), instances, SW_Z95);
  return (sw_repro_cell){.row = row,
                         .column = &r->experiment->column[column],
                         .paper = row->paper[column],
                         .seeds = seeds,
                         .instances = instances,
                         .mean = mean,
                         .sd = sw_sd(s->solved[column], seeds),
                         .low = interval.low,
                         .high = interval.high,
                         .policy = r->policy[column]};
}

static int run_row(runner *r, const sw_repro_row *row, sw_repro_result *result,
                   sw_err *err) {
  shares s = {0};
  for (int64_t seed = 0; seed < r->options->seeds; seed++) {
    char directory[1300];
    SW_TRY(train(r, row, FIRST_SEED + seed, directory, sizeof directory, err));
    SW_TRY(play(r, directory, seed, &s, err));
  }
  for (int i = 0; i < r->columns; i++)
    result->cell[result->cells++] = sum_up(r, row, i, &s);
  return SW_OK;
}

static int wanted(const sw_list *ids, const char *id) {
  for (int i = 0; i < ids->count; i++)
    if (!strcmp(ids->item[i], id)) return 1;
  return !ids->count;
}

static int check_rows(const sw_experiment *e, const sw_list *ids, sw_err *err) {
  for (int i = 0; i < ids->count; i++) {
    const char *names[64];
    int count = 0, known = 0;
    for (; e->row[count].id && count < 64; count++) {
      names[count] = e->row[count].id;
      known |= !strcmp(names[count], ids->item[i]);
    }
    if (known) continue;
    sw_fail(err, SW_USAGE, "%s has no row `%s`", e->id, ids->item[i]);
    const char *near = sw_nearest(ids->item[i], names, count);
    return sw_hint(err, "did you mean %s?", near ? near : names[0]);
  }
  return SW_OK;
}

static int run(runner *r, sw_repro_result *result, sw_err *err) {
  const sw_experiment *e = r->experiment;
  char db[1100];
  int rows = 0;
  SW_TRY(check_rows(e, &r->options->rows, err));
  if (r->options->seeds < 1 || r->options->seeds > SW_REPRO_SEEDS)
    return sw_fail(err, SW_USAGE, "%lld seeds: 1 to %d expected",
                   (long long)r->options->seeds, SW_REPRO_SEEDS);
  while (r->columns < SW_REPRO_COLUMNS && e->column[r->columns].title)
    r->columns++;
  while (e->row[rows].id) rows++;
  result->cell = calloc((size_t)(rows * r->columns), sizeof *result->cell);
  if (!result->cell) return sw_fail(err, SW_MEMORY, "out of memory");
  SW_TRY(sw_make_dirs(r->options->out, err));
  SW_TRY(sw_team_new(&r->team, r->options->threads, err));
  snprintf(db, sizeof db, "%s/results.db", r->options->out);
  SW_TRY(sw_results_open(&r->results, db, err));
  SW_TRY(make_data(r, err));
  SW_TRY(score_policy(r, err));
  for (int i = 0; i < rows; i++)
    if (wanted(&r->options->rows, e->row[i].id))
      SW_TRY(run_row(r, &e->row[i], result, err));
  return SW_OK;
}

int sw_repro_run(const sw_experiment *experiment,
                 const sw_repro_options *options, const sw_repro_hooks *hooks,
                 sw_repro_result *result, sw_err *err) {
  runner r = {.experiment = experiment, .options = options, .hooks = hooks};
  memset(result, 0, sizeof *result);
  int code = run(&r, result, err);
  sw_results_close(r.results);
  sw_team_free(r.team);
  if (code) sw_repro_free(result);
  return code;
}

void sw_repro_free(sw_repro_result *result) {
  free(result->cell);
  memset(result, 0, sizeof *result);
}
