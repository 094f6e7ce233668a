/* What a report is made of, read from a directory, whatever filled it
 * (quickstart, repro, train and eval, probes, trees):
 *   DIR/RUN/{model.safetensors, run.json, metrics.jsonl}, also one folder
 *     deeper (DIR/models/RUN)
 *   DIR/results.db                outcomes of searches
 *   DIR/NAME.json, DIR/RUN/NAME.json  what the measure NAME found
 *     (src/probe/measure.h); NAME-more.json too
 *   DIR/experiment.json, DIR/ID/experiment.json  tables of experiments; the
 *     runs and the store they name are read too
 * A run that cannot be read is left out and named; other files that cannot be
 * read are errors. Nothing is measured here and no file below DIR is changed.
 * Files are hostile: wrong types read as absent, and what is absent is left out
 * of the page. All lists grow. */
#ifndef SW_REPORT_DATA_H
#define SW_REPORT_DATA_H
#include <jansson.h>
#include <stdint.h>
#include "base/err.h"
#include "report/summary.h"
#include "search/outcome.h"

typedef struct sw_curve_point {
  int64_t step;
  double loss, accuracy, seconds;
  double valid_loss, valid_accuracy; /* NaN: not measured at this step */
} sw_curve_point;

typedef struct sw_report_model {
  char name[256];       /* folder */
  char directory[1024]; /* path */
  char label[96], domain[32], format[32], mask_name[40], positions[40];
  char architecture[40];
  char hash[24]; /* of the weights */
  int mask;      /* sw_mask_kind; -1: unknown or none */
  int64_t vocab, parameters, steps, tokens;
  double train_seconds, train_loss, valid_loss;
  double uniform, unigram; /* loss floors; unigram NaN: no data set */
  sw_curve_point *curve;
  int32_t points, room;
} sw_report_model;

/* One condition of results.db: a policy under a protocol. */
typedef struct sw_report_condition {
  int64_t id;
  char policy[96], protocol[40], loop[80], on_error[16], format[32], split[16];
  int64_t n, seed, max_decisions, max_tokens;
  int model; /* index; -1: a rule */
  sw_outcome *outcome;
  int32_t count, room;
  sw_summary summary;
} sw_report_condition;

/* One JSON file of a measure or an experiment. */
typedef struct sw_report_document {
  char kind[40]; /* transplant, bank, ..., experiment */
  char path[1200];
  json_t *root;
} sw_report_document;

/* One model's answer in such a file. */
typedef struct sw_report_answer {
  int document;
  char label[96];
  const json_t *row; /* belongs to the document */
} sw_report_answer;

/* A run that is broken, or no run of ours. */
typedef struct sw_report_left_out {
  char name[256], why[400];
} sw_report_left_out;

typedef struct sw_report_data {
  char directory[1024];
  sw_report_model *model;
  int32_t models, model_room;
  sw_report_condition *condition;
  int32_t conditions, condition_room;
  sw_report_document *document;
  int32_t documents, document_room;
  sw_report_answer *answer;
  int32_t answers, answer_room;
  sw_report_left_out *left_out;
  int32_t left_outs, left_out_room;
  int other_weights;        /* conditions of weights that are not here */
  sw_quick_summary summary; /* one row per policy, computed from the above */
} sw_report_data;

int sw_report_load(sw_report_data *data, const char *directory, sw_err *err);
void sw_report_free(sw_report_data *data);

/* The next answer of a kind after `at` (-1: the first); -1: no more. */
int sw_report_next(const sw_report_data *data, const char *kind, int at);
/* The same for whole documents. */
int sw_report_next_document(const sw_report_data *data, const char *kind,
                            int at);
const char *sw_report_kind(const sw_report_data *data, int answer);

/* Parts of the above in files of their own. */
int sw_report_load_documents(sw_report_data *data, sw_err *err);
int sw_report_load_runs(sw_report_data *data, sw_err *err); /* runs.c */
int sw_report_load_run(sw_report_data *data, const char *directory,
                       sw_err *err);
int sw_report_load_outcomes(sw_report_data *data, const char *path,
                            sw_err *err); /* outcomes.c */

#endif
