/* The parts of a report together, and the rows of its main table: one for each
 * model and each rule that was played in the open loop, with both protocols. */
#include "report/report_data.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file.h"

/* The condition with the most outcomes wins where several fit. */
static const sw_report_condition *played(const sw_report_data *d, int model,
                                         const char *policy,
                                         const char *protocol) {
  const sw_report_condition *best = NULL;
  for (int i = 0; i < d->conditions; i++) {
    const sw_report_condition *c = &d->condition[i];
    if (c->model != model || strcmp(c->protocol, protocol) ||
        strcmp(c->loop, "open") || (model < 0 && strcmp(c->policy, policy)))
      continue;
    if (!best || c->count > best->count) best = c;
  }
  return best;
}

/* The exact rule under the name the quickstart gives it. */
static void rule_name(const sw_report_data *d, const char *policy, char *name,
                      size_t room) {
  const sw_search_ops *search = d->model[0].loaded.domain->search;
  const char *exact = search ? search->exact_rule : NULL;
  if (exact && !strcmp(policy, exact))
    snprintf(name, room, "exact rule (no model)");
  else snprintf(name, room, "%.40s (rule)", policy);
}

static void add_row(sw_report_data *d, int model, const char *policy) {
  const sw_report_condition *with = played(d, model, policy, "cumulative");
  const sw_report_condition *without = played(d, model, policy, "rebuilt");
  if (!with || !without || d->summary.rows == SW_SUMMARY_ROWS) return;
  sw_summary_row *row = &d->summary.row[d->summary.rows];
  memset(row, 0, sizeof *row);
  row->with = with->summary;
  row->without = without->summary;
  d->row_model[d->summary.rows++] = model;
  if (model < 0) {
    rule_name(d, policy, row->model, sizeof row->model);
    return;
  }
  const sw_report_model *m = &d->model[model];
  memcpy(row->model, m->loaded.label,
         strnlen(m->loaded.label, sizeof row->model - 1));
  row->has_model = 1;
  row->agreement = m->has_transplant ? m->agreement : NAN;
  row->agreement_low = m->agreement_low;
  row->agreement_high = m->agreement_high;
  row->exact_equal = m->exact;
  row->pairs = m->pairs;
  row->states = m->states;
  row->train_seconds = m->train_seconds;
}

static int rule_has_row(const sw_report_data *d, const char *policy) {
  char name[48];
  rule_name(d, policy, name, sizeof name);
  for (int i = 0; i < d->summary.rows; i++)
    if (d->row_model[i] < 0 && !strcmp(d->summary.row[i].model, name)) return 1;
  return 0;
}

static void fill_rows(sw_report_data *d) {
  for (int i = 0; i < d->models; i++) add_row(d, i, NULL);
  for (int i = 0; i < d->conditions; i++)
    if (d->condition[i].model < 0 && !rule_has_row(d, d->condition[i].policy))
      add_row(d, -1, d->condition[i].policy);
}

int sw_report_load(sw_report_data *data, const char *directory, sw_err *err) {
  memset(data, 0, sizeof *data);
  if (!sw_is_directory(directory)) {
    sw_fail(err, SW_NOFILE, "%s: no such directory", directory);
    return sw_hint(err, "run `statewise quickstart` first, or name its --out");
  }
  snprintf(data->directory, sizeof data->directory, "%s", directory);
  int code = sw_report_load_runs(data, err);
  if (!code) code = sw_report_load_outcomes(data, err);
  if (!code) code = sw_report_load_bank(data, err);
  if (code) {
    sw_report_free(data);
    return code;
  }
  fill_rows(data);
  return SW_OK;
}

void sw_report_free(sw_report_data *data) {
  for (int i = 0; i < data->models; i++) {
    if (data->model[i].loaded.file) sw_loaded_close(&data->model[i].loaded);
    free(data->model[i].curve);
  }
  for (int i = 0; i < data->conditions; i++) free(data->condition[i].outcome);
  data->models = data->conditions = 0;
}
