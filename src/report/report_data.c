/* The parts of a report together, and the rows of its main table: one for each
 * model and each rule that was played in the open loop, with both protocols. */
#include "report/report_data.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "report/read_json.h"

static int is_played(const sw_report_condition *c, int model,
                     const char *policy, const char *protocol) {
  return c->model == model && !strcmp(c->protocol, protocol) &&
         !strcmp(c->loop, "open") && (model >= 0 || !strcmp(c->policy, policy));
}

/* The same problems under the same limits, so that only the protocol differs.
 */
static int64_t problems_in_common(const sw_report_condition *a,
                                  const sw_report_condition *b) {
  int64_t count = 0;
  if (a->n != b->n || a->seed != b->seed ||
      a->max_decisions != b->max_decisions || a->max_tokens != b->max_tokens ||
      strcmp(a->split, b->split) || strcmp(a->format, b->format) ||
      strcmp(a->on_error, b->on_error))
    return 0;
  for (int32_t i = 0, k = 0; i < a->count; i++) { /* ascending instances */
    while (k < b->count && b->outcome[k].instance < a->outcome[i].instance) k++;
    count += k < b->count && sw_same_problem(&a->outcome[i], &b->outcome[k]);
  }
  return count;
}

/* The one of another protocol that shares most problems with `with`. */
static const sw_report_condition *beside(const sw_report_data *d,
                                         const sw_report_condition *with,
                                         const char *protocol, int64_t *most) {
  const sw_report_condition *best = NULL;
  *most = 0;
  for (int i = 0; i < d->conditions; i++) {
    const sw_report_condition *c = &d->condition[i];
    if (!is_played(c, with->model, with->policy, protocol)) continue;
    int64_t count = problems_in_common(with, c);
    if (count > *most) {
      *most = count;
      best = c;
    }
  }
  return best;
}

/* The role of a rule ("exact rule"), where an experiment names it. */
static const char *role_of(const sw_report_data *d, const char *policy) {
  for (int i = -1; (i = sw_report_next_document(d, "experiment", i)) >= 0;) {
    const json_t *rule;
    size_t at;
    json_array_foreach(json_object_get(d->document[i].root, "rules"), at,
                       rule) {
      if (!strcmp(sw_member_text(rule, "policy", ""), policy))
        return sw_member_text(rule, "role", NULL);
    }
  }
  return NULL;
}

static void rule_name(const sw_report_data *d, const char *policy, char *name,
                      size_t room) {
  const char *role = role_of(d, policy);
  if (role) snprintf(name, room, "%.30s (no model)", role);
  else snprintf(name, room, "%.40s (rule)", policy);
}

/* What the transplant measure found about a model. */
static void fill_agreement(const sw_report_data *d, const char *label,
                           sw_summary_row *row) {
  row->agreement = row->agreement_low = row->agreement_high = NAN;
  row->exact_equal = NAN;
  for (int i = -1; (i = sw_report_next(d, "transplant", i)) >= 0;) {
    const json_t *found = d->answer[i].row;
    if (strcmp(d->answer[i].label, label)) continue;
    row->agreement = sw_member_real(found, "argmax_agreement", NAN);
    row->agreement_low =
        sw_member_real(found, "verification.argmax_interval.0", NAN);
    row->agreement_high =
        sw_member_real(found, "verification.argmax_interval.1", NAN);
    row->exact_equal = sw_member_real(found, "exact_equal_rate", NAN);
    row->pairs = sw_member_int(found, "pairs", 0);
    row->states = sw_member_int(found, "states", 0);
    return;
  }
}

static int add_row(sw_report_data *d, int model, const char *policy,
                   sw_err *err) {
  const sw_report_condition *with = NULL, *without = NULL;
  int64_t most = 0, count;
  for (int i = 0; i < d->conditions; i++) {
    const sw_report_condition *c = &d->condition[i];
    if (!is_played(c, model, policy, "cumulative")) continue;
    const sw_report_condition *other = beside(d, c, "rebuilt", &count);
    if (count <= most) continue;
    most = count;
    with = c;
    without = other;
  }
  if (!with) return SW_OK;
  sw_summary_row *row = sw_summary_add(&d->summary);
  if (!row) return sw_no_memory(err);
  row->with = with->summary;
  row->without = without->summary;
  const sw_report_condition *in_place =
      beside(d, with, "rebuilt-in-place", &count);
  row->has_in_place = in_place != NULL;
  if (in_place) {
    row->in_place = in_place->summary;
    SW_TRY(sw_summary_gap(&row->gap_in_place, with->outcome, with->count,
                          in_place->outcome, in_place->count, err));
  }
  SW_TRY(sw_summary_gap(&row->gap, with->outcome, with->count, without->outcome,
                        without->count, err));
  if (model < 0) {
    const char *role = role_of(d, policy);
    rule_name(d, policy, row->model, sizeof row->model);
    if (role && !strcmp(role, "exact rule"))
      row->about = "reads the shown state and nothing else";
    return SW_OK;
  }
  const sw_report_model *m = &d->model[model];
  snprintf(row->model, sizeof row->model, "%s", m->label);
  row->has_model = 1;
  row->train_seconds = m->train_seconds;
  fill_agreement(d, m->label, row);
  return SW_OK;
}

static int rule_has_row(const sw_report_data *d, const char *policy) {
  char name[64];
  rule_name(d, policy, name, sizeof name);
  for (int i = 0; i < d->summary.rows; i++)
    if (!d->summary.row[i].has_model && !strcmp(d->summary.row[i].model, name))
      return 1;
  return 0;
}

static int fill_rows(sw_report_data *d, sw_err *err) {
  for (int i = 0; i < d->models; i++) SW_TRY(add_row(d, i, NULL, err));
  for (int i = 0; i < d->conditions; i++)
    if (d->condition[i].model < 0 && !rule_has_row(d, d->condition[i].policy))
      SW_TRY(add_row(d, -1, d->condition[i].policy, err));
  return SW_OK;
}

/* The store of the directory, or the one its experiment names. */
static int load_store(sw_report_data *d, sw_err *err) {
  char path[1400];
  snprintf(path, sizeof path, "%s/results.db", d->directory);
  for (int i = -1; !sw_path_exists(path) &&
                   (i = sw_report_next_document(d, "experiment", i)) >= 0;) {
    const char *name = sw_member_text(d->document[i].root, "results", "");
    if (*name && *name != '/')
      snprintf(path, sizeof path, "%s/%s", d->directory, name);
  }
  return sw_report_load_outcomes(d, path, err);
}

static int load(sw_report_data *d, sw_err *err) {
  SW_TRY(sw_report_load_runs(d, err));
  SW_TRY(sw_report_load_documents(d, err));
  SW_TRY(load_store(d, err));
  if (d->models || d->documents || d->conditions) return fill_rows(d, err);
  if (d->left_outs) return sw_fail(err, SW_DATA, "%s", d->left_out[0].why);
  sw_fail(err, SW_NOFILE, "%s: nothing to report", d->directory);
  return sw_hint(err,
                 "a report is made of runs (train), results.db (eval) and JSON "
                 "(probe --into); `statewise quickstart` makes all of them");
}

int sw_report_load(sw_report_data *data, const char *directory, sw_err *err) {
  memset(data, 0, sizeof *data);
  if (!sw_is_directory(directory)) {
    sw_fail(err, SW_NOFILE, "%s: no such directory", directory);
    return sw_hint(err, "run `statewise quickstart` first, or name its --out");
  }
  snprintf(data->directory, sizeof data->directory, "%s", directory);
  size_t length = strlen(data->directory);
  while (length > 1 && data->directory[length - 1] == '/')
    data->directory[--length] = 0;
  int code = load(data, err);
  if (code) sw_report_free(data);
  return code;
}

void sw_report_free(sw_report_data *data) {
  for (int i = 0; i < data->models; i++) free(data->model[i].curve);
  for (int i = 0; i < data->conditions; i++) free(data->condition[i].outcome);
  for (int i = 0; i < data->documents; i++) json_decref(data->document[i].root);
  free(data->model);
  free(data->left_out);
  free(data->condition);
  free(data->document);
  free(data->answer);
  sw_summary_free(&data->summary);
  memset(data, 0, sizeof *data);
}
