/* The measure `trees`: traversal by models trained on tree traces. Given
 * several stars, the retrieval estimate of the k = 4 model of each encoding
 * predicts the others (r^k). */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "probe/measured.h"

typedef sw_trees_session session;
static const sw_option table[] = {SW_MEASURE_TABLE(SW_TREES_OPTIONS)};

static int ask(void *context, const sw_loaded *loaded, sw_err *err) {
  session *s = context;
  sw_trees_row *r = &s->result[s->probe.models];
  if (loaded->domain != &sw_domain_trees)
    return sw_fail(err, SW_USAGE, "%s is a model of %s, not of trees",
                   loaded->path, loaded->domain->name);
  sw_tree_eval eval = {.model = loaded->model,
                       .team = s->probe.team,
                       .options = &s->probe.options,
                       .reading = loaded->reading,
                       .seed = (uint64_t)s->probe.seed,
                       .split = (sw_split)s->split,
                       .trees = s->instances,
                       .free_trees = s->free,
                       .truncate = s->truncate};
  const char *step = sw_st_meta(loaded->file, "step");
  snprintf(r->path, sizeof r->path, "%s", loaded->path);
  snprintf(r->step, sizeof r->step, "%s", step ? step : "?");
  const sw_trees_options *own = sw_trees_own(&s->probe.options);
  snprintf(r->family, sizeof r->family, "%s", own->family);
  snprintf(r->format, sizeof r->format, "%s", s->probe.options.format);
  r->k = own->arity > 0 ? own->arity : 0;
  int code = sw_tree_evaluate(&eval, &r->scores, err);
  if (code) sw_context(err, "%s", loaded->path);
  return code;
}

double sw_trees_retrieval(const session *s, int m) {
  const sw_trees_row *row = &s->result[m];
  for (int i = 0; row->k > 0 && i < s->probe.models; i++)
    if (s->result[i].k == 4 && !strcmp(s->result[i].format, row->format))
      return sw_tree_retrieval(sw_tree_all_correct(&s->result[i].scores));
  return NAN;
}

static void members(const void *context, int m, sw_json *json) {
  const session *s = context;
  const sw_trees_row *row = &s->result[m];
  double r = sw_trees_retrieval(s, m);
  sw_json_string(json, "model", row->path);
  sw_json_string(json, "step", row->step);
  sw_json_string(json, "family", row->family);
  sw_json_string(json, "format", row->format);
  if (row->k) sw_json_int(json, "k", row->k);
  else sw_json_null(json, "k");
  sw_tree_scores_json(&row->scores, json);
  sw_json_real(json, "retrieval", r);
  sw_json_real(json, "predicted_all_correct", sw_tree_prediction(r, row->k));
}

const sw_measure sw_measure_trees = {
    .name = "trees",
    .bytes = sizeof(session),
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .ask = ask,
    .members = members};
