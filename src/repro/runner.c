/* Running an experiment (see runner.h). */
#include "repro/runner.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/ranks.h"
#include "base/clock.h"
#include "repro/job.h"

/* ---- cells ---- */

static int make_cells(sw_job *j, sw_err *err) {
  const sw_experiment *e = j->experiment;
  sw_repro_result *r = j->result;
  int columns = sw_experiment_columns(e), rows = sw_experiment_rows(e);
  r->cell = calloc((size_t)(rows * columns) + 1, sizeof *r->cell);
  if (!r->cell) return sw_no_memory(err);
  for (int i = 0; i < rows; i++)
    for (int c = 0; c < columns; c++) {
      if (!sw_job_wants(j, e->row[i].id) || !sw_row_has(&e->row[i], c))
        continue;
      sw_repro_cell *cell = &r->cell[r->cells++];
      cell->row = &e->row[i];
      cell->column = c;
      cell->paper = sw_row_paper(&e->row[i], c);
      cell->needs = sw_row_needs(&e->row[i]);
      for (int b = 0; b < SW_REPRO_ROLES; b++) cell->beside[b] = NAN;
      cell->value = calloc((size_t)j->seeds, sizeof *cell->value);
      if (!cell->value) return sw_no_memory(err);
    }
  return SW_OK;
}

/* The cell's next value; the row's models come in order of seeds. */
static sw_repro_value *next_value(sw_job *j, const sw_repro_row *row,
                                  int column, int64_t seed) {
  for (int i = 0; i < j->result->cells; i++) {
    sw_repro_cell *c = &j->result->cell[i];
    if (c->row != row || c->column != column) continue;
    sw_repro_value *v = &c->value[c->values++];
    v->seed = seed;
    v->value = v->low = v->high = NAN;
    return v;
  }
  return NULL;
}

/* ---- rows ---- */

static int fill_column(sw_job *j, const sw_repro_row *row, int column,
                       const sw_model_at_hand *m, sw_err *err) {
  const sw_repro_column *c = &j->experiment->column[column];
  sw_repro_value *v = next_value(j, row, column, m->seed);
  if (!v) return SW_OK; /* the row has no such column */
  if (c->source == SW_SOURCE_SEARCH)
    return sw_job_search(j, row, column, m, v, err);
  if (c->source == SW_SOURCE_PROBE) return sw_job_probe(j, row, c, m, v, err);
  if (c->source == SW_SOURCE_CARD) return sw_job_card(c, m, v, err);
  if (c->source == SW_SOURCE_PUBLISHED)
    return sw_job_published(j, c, m, v, err);
  if (c->source == SW_SOURCE_TRACES) return sw_job_traces(j, c, m, v, err);
  return SW_OK; /* follows from others, when all are there (cells.c) */
}

static int fill_row(sw_job *j, const sw_repro_row *row,
                    const sw_model_at_hand *m, sw_err *err) {
  int columns = sw_experiment_columns(j->experiment);
  for (int c = 0; c < columns; c++)
    if (sw_row_has(row, c)) SW_TRY(fill_column(j, row, c, m, err));
  return SW_OK;
}

/* A share of the run: models with their seeds are dealt in turn, and rows of
 * one model go together, so that no two shares train the same. */
static int is_ours(const sw_job *j, const sw_repro_row *row, int seed) {
  const sw_experiment *e = j->experiment;
  int unit = 0;
  if (!j->options->shards) return 1;
  for (const sw_repro_row *r = e->row; r != row; r++) {
    if (row->model && r->model && !strcmp(r->model, row->model)) break;
    unit += j->seeds;
  }
  return (unit + seed) % j->options->shards == j->options->shard - 1;
}

/* What needs no training is played once, or as often as it draws anew. */
static int run_untrained(sw_job *j, const sw_repro_row *row, sw_err *err) {
  int varies = sw_verifier_varies(row->search), times = varies ? j->seeds : 1;
  for (int s = 0; s < times; s++) {
    sw_model_at_hand m = {0};
    if (!is_ours(j, row, s)) continue;
    j->repetition = sw_job_repetition(j, s);
    if (varies)
      m.seed = strchr(row->search, '#') ? sw_job_seed(j, s) : j->repetition;
    if (row->shipped) SW_TRY(sw_job_shipped(j, row, &m, err));
    int code = fill_row(j, row, &m, err);
    sw_job_model_close(&m);
    if (code) return code;
  }
  return SW_OK;
}

static int run_model(sw_job *j, const sw_repro_row *row, sw_err *err) {
  int seeds = sw_row_seeds(j->experiment, row, j->options->scale,
                           (int)j->options->seeds);
  for (int s = 0; s < seeds; s++) {
    sw_model_at_hand m;
    if (!is_ours(j, row, s)) continue;
    j->repetition = sw_job_repetition(j, s);
    int code = sw_job_model(j, row, sw_job_seed(j, s), &m, err);
    if (code && j->untrained) { /* as asked for: the cell has one less */
      j->untrained = 0;
      if (err) *err = (sw_err){0};
      continue;
    }
    if (code) return code;
    code = fill_row(j, row, &m, err);
    sw_job_model_close(&m);
    if (code) return code;
  }
  return SW_OK;
}

int sw_job_wants(const sw_job *j, const char *id) {
  const sw_list *ids = &j->options->rows;
  for (int i = 0; i < ids->count; i++)
    if (!strcmp(ids->item[i], id)) return 1;
  return !ids->count;
}

/* The place of the first seed in the list of seeds; -1: it is not in the
 * list. */
static int first_of_list(const sw_job *j) {
  enum { LISTED = 5 };
  if (j->options->seed < 0) return 0;
  for (int i = 0; i < LISTED; i++)
    if (sw_repro_seed(i) == j->options->seed) return i;
  return -1;
}

int64_t sw_job_seed(const sw_job *j, int index) {
  int first = first_of_list(j);
  return first < 0 ? j->options->seed + index : sw_repro_seed(first + index);
}

int sw_job_repetition(const sw_job *j, int index) {
  int first = first_of_list(j);
  return (first < 0 ? 0 : first) + index + 1;
}

static int check_rows(const sw_experiment *e, const sw_list *ids, sw_err *err) {
  for (int i = 0; i < ids->count; i++) {
    const char *near = NULL;
    int known = 0, count = sw_experiment_rows(e);
    for (int r = 0; r < count; r++)
      known |= !strcmp(e->row[r].id, ids->item[i]);
    if (known) continue;
    const char **names = calloc((size_t)count + 1, sizeof *names);
    for (int r = 0; names && r < count; r++) names[r] = e->row[r].id;
    if (names) near = sw_nearest(ids->item[i], names, count);
    free(names);
    sw_fail(err, SW_USAGE, "%s has no row `%s`", e->id, ids->item[i]);
    if (near) return sw_hint(err, "did you mean %s?", near);
    return sw_hint(err, "statewise repro %s --list shows its rows", e->id);
  }
  return SW_OK;
}

/* Wrong options are refused before any traces are drawn. */
static int check_options(const sw_repro_options *o, sw_err *err) {
  sw_train_options unused;
  sw_options_defaults(sw_train_table, sw_train_table_count, &unused);
  for (int i = 0; i < o->settings.count; i++)
    SW_TRY(sw_options_set_pair(sw_train_table, sw_train_table_count,
                               o->settings.item[i], &unused, err));
  for (int i = 0; i < o->measure.count; i++)
    if (!strchr(o->measure.item[i], '='))
      return sw_fail(err, SW_USAGE, "`%.80s`: expected name=value",
                     o->measure.item[i]);
  return SW_OK;
}

static int run(sw_job *j, sw_err *err) {
  const sw_experiment *e = j->experiment;
  char db[1100];
  double started = sw_now();
  SW_TRY(sw_origin_begin(j->result, j->options, err));
  SW_TRY(check_rows(e, &j->options->rows, err));
  SW_TRY(check_options(j->options, err));
  SW_TRY(sw_job_check_verifier(j, err));
  SW_TRY(make_cells(j, err));
  SW_TRY(sw_make_dirs(j->options->out, err));
  SW_TRY(sw_team_new(&j->team, j->options->threads, err));
  snprintf(db, sizeof db, "%s/results.db", j->options->out);
  if (sw_ranks_me() == 0) SW_TRY(sw_results_open(&j->results, db, err));
  for (int i = 0; e->row[i].id; i++) {
    const sw_repro_row *row = &e->row[i];
    if (!sw_job_wants(j, row->id) || sw_row_needs(row)) continue;
    SW_TRY(row->model ? run_model(j, row, err) : run_untrained(j, row, err));
  }
  j->repetition = sw_job_repetition(j, 0);
  SW_TRY(sw_job_beside(j, err));
  sw_repro_name_rules(j->result);
  j->result->origin[0].seconds = sw_now() - started;
  return sw_repro_sum_up(j->result, err);
}

int sw_repro_run(const sw_experiment *experiment,
                 const sw_repro_options *options, const sw_repro_hooks *hooks,
                 sw_repro_result *result, sw_err *err) {
  sw_job j = {.experiment = experiment,
              .options = options,
              .hooks = hooks,
              .result = result};
  memset(result, 0, sizeof *result);
  result->experiment = experiment;
  result->scale = options->scale;
  j.seeds =
      options->seeds ? (int)options->seeds : experiment->seeds[options->scale];
  if (j.seeds < 1) j.seeds = 1;
  int code = run(&j, err);
  sw_results_close(j.results);
  sw_team_free(j.team);
  sw_job_presets_free(&j);
  if (code) sw_repro_free(result);
  return code;
}

void sw_repro_free(sw_repro_result *result) {
  for (int i = 0; i < result->cells; i++) {
    for (int v = 0; v < result->cell[i].values; v++) {
      free(result->cell[i].value[v].outcome);
      free(result->cell[i].value[v].each);
    }
    free(result->cell[i].value);
    free(result->cell[i].exact.outcome);
    free(result->cell[i].exact.each);
  }
  free(result->cell);
  free(result->model);
  free(result->statistic);
  free(result->origin);
  memset(result, 0, sizeof *result);
}
