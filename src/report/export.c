/* CSV files (see export.h). */
#include "report/export.h"
#include <inttypes.h>
#include <math.h>
#include "report/read_json.h"
#include "report/table.h"

static void text(FILE *out, const char *value) { sw_escape_csv(out, value); }
static void real(FILE *out, double value) {
  if (isnan(value)) fputc(',', out);
  else fprintf(out, ",%.17g", value);
}
static void whole(FILE *out, int64_t value) {
  fprintf(out, ",%" PRId64, value);
}

void sw_csv_summary(const sw_report_data *d, FILE *out) {
  fputs(
      "model,instances,solve_cumulative,solve_cumulative_low,solve_cumulative_"
      "high,"
      "solve_rebuilt,solve_rebuilt_low,solve_rebuilt_high,agreement,agreement_"
      "low,"
      "agreement_high,exact_equal_rate,pairs,states,train_seconds\n",
      out);
  for (int i = 0; i < d->summary.rows; i++) {
    const sw_summary_row *r = &d->summary.row[i];
    int has = r->has_model;
    text(out, r->model);
    whole(out, r->with.n);
    real(out, r->with.solve_rate);
    real(out, r->with.ci_low);
    real(out, r->with.ci_high);
    real(out, r->without.solve_rate);
    real(out, r->without.ci_low);
    real(out, r->without.ci_high);
    real(out, has ? r->agreement : NAN);
    real(out, has ? r->agreement_low : NAN);
    real(out, has ? r->agreement_high : NAN);
    real(out, has ? r->exact_equal : NAN);
    if (has) whole(out, r->pairs), whole(out, r->states);
    else fputs(",,", out);
    real(out, has ? r->train_seconds : NAN);
    fputc('\n', out);
  }
}

void sw_csv_outcomes(const sw_report_data *d, FILE *out) {
  fputs(
      "policy,protocol,loop,on_error,format,split,n,seed,instance,instance_"
      "hash,solved,reason",
      out);
#define X(name, since, text) fputs("," #name, out);
  SW_OUTCOME_COUNTERS(X)
#undef X
  fputs(",seconds\n", out);
  for (int i = 0; i < d->conditions; i++) {
    const sw_report_condition *c = &d->condition[i];
    for (int32_t k = 0; k < c->count; k++) {
      const sw_outcome *o = &c->outcome[k];
      const char *const words[] = {c->policy,   c->protocol, c->loop,
                                   c->on_error, c->format,   c->split};
      for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        if (w) fputc(',', out);
        text(out, words[w]);
      }
      whole(out, c->n);
      whole(out, c->seed);
      whole(out, o->instance);
      fprintf(out, ",%016" PRIx64 ",%d,", o->instance_hash, o->solved);
      text(out, o->reason);
#define X(name, since, text) whole(out, o->name);
      SW_OUTCOME_COUNTERS(X)
#undef X
      real(out, o->seconds);
      fputc('\n', out);
    }
  }
}

void sw_csv_curves(const sw_report_data *d, FILE *out) {
  fputs(
      "model,step,loss,accuracy,valid_loss,valid_accuracy,seconds,floor_"
      "uniform,floor_unigram\n",
      out);
  for (int i = 0; i < d->models; i++) {
    const sw_report_model *m = &d->model[i];
    for (int32_t k = 0; k < m->points; k++) {
      const sw_curve_point *p = &m->curve[k];
      text(out, m->label);
      whole(out, p->step);
      real(out, p->loss);
      real(out, p->accuracy);
      real(out, p->valid_loss);
      real(out, p->valid_accuracy);
      real(out, p->seconds);
      real(out, m->uniform);
      real(out, m->unigram);
      fputc('\n', out);
    }
  }
}

void sw_csv_depth(const sw_report_data *d, FILE *out) {
  fputs("model,depth,pairs,agreement,symmetric_kl,exact_equal_rate\n", out);
  for (int i = -1; (i = sw_report_next(d, "transplant", i)) >= 0;) {
    const json_t *row;
    size_t at;
    json_array_foreach(json_object_get(d->answer[i].row, "by_depth"), at, row) {
      text(out, d->answer[i].label);
      whole(out, sw_member_int(row, "depth", 0));
      whole(out, sw_member_int(row, "pairs", 0));
      real(out, sw_member_real(row, "argmax_agreement", NAN));
      real(out, sw_member_real(row, "symmetric_kl", NAN));
      real(out, sw_member_real(row, "exact_equal_rate", NAN));
      fputc('\n', out);
    }
  }
}

static void calibration_rows(const char *label, const char *protocol,
                             const json_t *found, FILE *out) {
  static const char *const members[] = {
      "ece", "brier", "auroc", "false_prune_rate", "missed_conflict_rate"};
  const json_t *bin;
  size_t at;
  json_array_foreach(json_object_get(found, "reliability"), at, bin) {
    text(out, label);
    fprintf(out, ",%s,%zu", protocol, at);
    whole(out, sw_member_int(bin, "count", 0));
    real(out, sw_member_real(bin, "mean_score", NAN));
    real(out, sw_member_real(bin, "mean_label", NAN));
    for (size_t m = 0; m < sizeof members / sizeof *members; m++)
      real(out, sw_member_real(found, members[m], NAN));
    fputc('\n', out);
  }
}

void sw_csv_calibration(const sw_report_data *d, FILE *out) {
  static const char *const protocols[] = {"cumulative", "rebuilt"};
  fputs(
      "model,protocol,bin,count,mean_score,share_of_conflicts,ece,brier,auroc,"
      "false_prune_rate,missed_conflict_rate\n",
      out);
  for (int i = -1; (i = sw_report_next(d, "bank", i)) >= 0;)
    for (int p = 0; p < 2; p++)
      calibration_rows(d->answer[i].label, protocols[p],
                       json_object_get(d->answer[i].row, protocols[p]), out);
}

void sw_csv_head(FILE *out) {
  fputs("experiment,row,column,unit,paper,seed,value\n", out);
}

/* One line per cell and seed: what a table's mean is made of. */
void sw_csv_experiment(const json_t *root, FILE *out) {
  const json_t *cell, *value;
  size_t at, k;
  json_array_foreach(json_object_get(root, "cells"), at, cell) {
    json_array_foreach(json_object_get(cell, "values"), k, value) {
      const char *const words[] = {
          sw_member_text(root, "experiment", ""),
          sw_member_text(cell, "row", ""), sw_member_text(cell, "column", ""),
          sw_member_text(cell, "unit", ""), sw_member_text(cell, "paper", "")};
      for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        if (w) fputc(',', out);
        text(out, words[w]);
      }
      whole(out, sw_member_int(value, "seed", 0));
      real(out, sw_member_real(value, "value", NAN));
      fputc('\n', out);
    }
  }
}

void sw_csv_experiments(const sw_report_data *d, FILE *out) {
  sw_csv_head(out);
  for (int i = -1; (i = sw_report_next_document(d, "experiment", i)) >= 0;)
    sw_csv_experiment(d->document[i].root, out);
}
