/* The tables of a report (see tables.h). */
#include "report/tables.h"
#include <math.h>
#include <string.h>

#define HEADS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void put_rate(sw_table *t, int column, const sw_summary *s) {
  sw_table_put(t, column, "%.1f %% [%.1f, %.1f]", 100 * s->solve_rate,
               100 * s->ci_low, 100 * s->ci_high);
}

static void make_summary(sw_table *t, const sw_report_data *d) {
  sw_table_init(
      t, "summary",
      "Solved in the open loop, with 95 % intervals, and agreement on the same "
      "state",
      HEADS("model", "solved with its history", "solved without it",
            "same state, same choice", "identical bits", "training time"));
  for (int i = 0; i < d->summary.rows; i++) {
    const sw_summary_row *r = &d->summary.row[i];
    sw_table_row(t);
    sw_table_put(t, 0, "%s", r->model);
    put_rate(t, 1, &r->with);
    put_rate(t, 2, &r->without);
    int has = r->has_model && !isnan(r->agreement);
    sw_table_percent(t, 3, has ? r->agreement : NAN, 2);
    sw_table_percent(t, 4, has ? r->exact_equal : NAN, 2);
    if (r->has_model && !isnan(r->train_seconds))
      sw_table_put(t, 5, "%.0f s", r->train_seconds);
    else sw_table_put(t, 5, "-");
  }
}

static void put_share(sw_table *t, int column, int64_t part, int64_t whole) {
  if (!whole) sw_table_put(t, column, "-");
  else
    sw_table_put(t, column, "%.1f %% (%lld of %lld)",
                 100 * (double)part / (double)whole, (long long)part,
                 (long long)whole);
}

static void make_endings(sw_table *t, const sw_report_data *d) {
  sw_table_init(
      t, "endings", "Errors per queried state of their kind",
      HEADS("policy", "protocol", "instances", "solved", "false prunes",
            "missed conflicts", "repeated failures", "decisions"));
  for (int i = 0; i < d->conditions; i++) {
    const sw_report_condition *c = &d->condition[i];
    const sw_summary *s = &c->summary;
    sw_table_row(t);
    sw_table_put(t, 0, "%s", c->policy);
    sw_table_put(t, 1, "%s", c->protocol);
    sw_table_put(t, 2, "%lld", (long long)s->n);
    sw_table_percent(t, 3, s->solve_rate, 1);
    put_share(t, 4, s->false_prunes, s->viable_queries);
    put_share(t, 5, s->missed_conflicts, s->conflict_queries);
    put_share(t, 6, s->repeats, s->retry_queries);
    sw_table_number(t, 7, s->mean_decisions, 1);
  }
}

static void make_transplant(sw_table *t, const sw_report_data *d) {
  sw_table_init(
      t, "transplant",
      "History transplant: the same state after really different histories",
      HEADS("model", "pairs", "states", "same choice", "95 % interval",
            "identical bits", "symmetric KL", "entanglement"));
  for (int i = 0; i < d->models; i++) {
    const sw_report_model *m = &d->model[i];
    if (!m->has_transplant) continue;
    sw_table_row(t);
    sw_table_put(t, 0, "%s", m->loaded.label);
    sw_table_put(t, 1, "%lld", (long long)m->pairs);
    sw_table_put(t, 2, "%lld", (long long)m->states);
    sw_table_percent(t, 3, m->agreement, 2);
    if (isnan(m->agreement_low)) sw_table_put(t, 4, "-");
    else
      sw_table_put(t, 4, "[%.1f, %.1f]", 100 * m->agreement_low,
                   100 * m->agreement_high);
    sw_table_percent(t, 5, m->exact, 2);
    sw_table_put(t, 6, "%.3g", m->symmetric_kl);
    sw_table_put(t, 7, "%.3g", m->entanglement);
  }
}

static void make_calibration(sw_table *t, const sw_report_data *d) {
  static const char *const protocol[] = {"with history", "without"};
  sw_table_init(
      t, "calibration", "Verdicts on labelled states: go back or go on",
      HEADS("model", "shown", "calibration error (ECE)", "Brier score", "AUROC",
            "false prunes", "missed conflicts"));
  for (int i = 0; i < d->models; i++)
    for (int p = 0; p < 2; p++) {
      const sw_bank_figures *f = &d->model[i].bank[p];
      if (!f->has) continue;
      sw_table_row(t);
      sw_table_put(t, 0, "%s", d->model[i].loaded.label);
      sw_table_put(t, 1, "%s", protocol[p]);
      sw_table_number(t, 2, f->ece, 4);
      sw_table_number(t, 3, f->brier, 4);
      sw_table_number(t, 4, f->auroc, 4);
      sw_table_percent(t, 5, f->false_prune, 2);
      sw_table_percent(t, 6, f->missed, 2);
    }
}

static void make_training(sw_table *t, const sw_report_data *d) {
  sw_table_init(t, "training", "Models and training",
                HEADS("model", "mask", "positions", "parameters", "steps",
                      "tokens", "training loss", "validation loss"));
  for (int i = 0; i < d->models; i++) {
    const sw_report_model *m = &d->model[i];
    sw_table_row(t);
    sw_table_put(t, 0, "%s", m->loaded.label);
    sw_table_put(t, 1, "%s", sw_mask_name(m->loaded.reading.mask));
    sw_table_put(t, 2, "%s", sw_position_name(m->loaded.reading.positions));
    sw_table_put(t, 3, "%lld", (long long)m->parameters);
    sw_table_put(t, 4, "%lld", (long long)m->steps);
    sw_table_put(t, 5, "%lld", (long long)m->tokens);
    sw_table_number(t, 6, m->train_loss, 4);
    sw_table_number(t, 7, m->valid_loss, 4);
  }
}

int sw_report_tables_make(sw_report_tables *tables, const sw_report_data *data,
                          sw_err *err) {
  memset(tables, 0, sizeof *tables);
#define X(name, text) make_##name(&tables->name, data);
  SW_REPORT_TABLES(X)
#undef X
#define X(name, text) || tables->name.failed
  if (0 SW_REPORT_TABLES(X)) {
#undef X
    sw_report_tables_free(tables);
    return sw_fail(err, SW_MEMORY, "out of memory");
  }
  return SW_OK;
}

void sw_report_tables_free(sw_report_tables *tables) {
#define X(name, text) sw_table_free(&tables->name);
  SW_REPORT_TABLES(X)
#undef X
}

void sw_report_tables_write(const sw_report_tables *tables, sw_table_form form,
                            FILE *out) {
#define X(name, text) \
  if (tables->name.rows) sw_table_write(&tables->name, form, out);
  SW_REPORT_TABLES(X)
#undef X
}
