/* What a report is made of, read from a directory of runs (out/quickstart):
 *   DIR/MODEL/{model.safetensors, run.json, metrics.jsonl, transplant.json}
 *   DIR/results.db
 *   DIR/bank.json (optional: `probe bank eval --json` of the same models)
 * Every number of the page, the tables and the CSV files is in this struct; no
 * file below DIR is changed. Files are hostile: wrong types read as absent, and
 * what is absent is left out of the page. */
#ifndef SW_REPORT_DATA_H
#define SW_REPORT_DATA_H
#include <stdint.h>
#include "base/err.h"
#include "base/threads.h"
#include "report/summary.h"
#include "search/loaded.h"
#include "search/outcome.h"

enum {
  SW_REPORT_MODELS = 8,
  SW_REPORT_CONDITIONS = 64,
  SW_REPORT_DEPTHS = 64,
  SW_REPORT_BINS = 64
};

typedef struct sw_curve_point {
  int64_t step;
  double loss, accuracy, seconds;
  double valid_loss, valid_accuracy; /* NaN: not measured at this step */
} sw_curve_point;

typedef struct sw_depth_row {
  int64_t depth, pairs;
  double agreement, symmetric_kl, exact;
} sw_depth_row;

typedef struct sw_bin_row {
  double mean_score, mean_label;
  int64_t count;
} sw_bin_row;

/* One protocol of a state bank evaluation. */
typedef struct sw_bank_figures {
  int has;
  double ece, brier, auroc, false_prune, missed;
  sw_bin_row bin[SW_REPORT_BINS];
  int bins;
} sw_bank_figures;

typedef struct sw_report_model {
  char name[64]; /* directory below DIR */
  sw_loaded loaded;
  uint64_t hash;
  int64_t parameters, steps, tokens;
  double train_seconds, train_loss, valid_loss;
  double uniform, unigram; /* loss floors; unigram NaN: no data set */
  sw_curve_point *curve;
  int32_t points, room;
  int has_transplant;
  double agreement, agreement_low, agreement_high, exact, symmetric_kl,
      entanglement, history_gap;
  int64_t pairs, states;
  sw_depth_row depth[SW_REPORT_DEPTHS];
  int depths;
  sw_bank_figures bank[2]; /* cumulative, rebuilt */
} sw_report_model;

/* One condition of results.db: a policy under a protocol. */
typedef struct sw_report_condition {
  int64_t id;
  char policy[96], protocol[24], loop[40], on_error[16], format[32], split[16];
  int64_t n, seed, max_decisions;
  int model; /* index; -1: a rule */
  sw_outcome *outcome;
  int32_t count, room;
  sw_summary summary;
} sw_report_condition;

typedef struct sw_report_data {
  char directory[1024];
  sw_report_model model[SW_REPORT_MODELS];
  int models;
  sw_report_condition condition[SW_REPORT_CONDITIONS];
  int conditions;
  int other_weights;              /* conditions of weights that are not here */
  int64_t bank_states;            /* 0: no bank evaluation */
  sw_quick_summary summary;       /* a row a policy, computed from the above */
  int row_model[SW_SUMMARY_ROWS]; /* model of a row; -1: a rule */
} sw_report_data;

int sw_report_load(sw_report_data *data, const char *directory, sw_err *err);
void sw_report_free(sw_report_data *data);

/* Parts of the above in files of their own. */
int sw_report_load_runs(sw_report_data *data, sw_err *err);     /* runs.c */
int sw_report_load_outcomes(sw_report_data *data, sw_err *err); /* outcomes.c */
int sw_report_load_bank(sw_report_data *data, sw_err *err);     /* bank.c */
/* Evaluates a small state bank of its own when there is no DIR/bank.json. */
int sw_report_make_bank(sw_report_data *data, int64_t viable, int64_t conflicts,
                        uint64_t seed, sw_team *team, sw_err *err);

#endif
