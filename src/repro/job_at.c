/* Models as they were on the way: a row may ask for the weights that a run kept
 * (`keep-every`) at a step, or at the first step where its validation loss was
 * no higher than another model's at its end, so that "worse" and "entangled"
 * can be told apart (see sw_repro_row.at). */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "base/file.h"
#include "base/safetensors.h"
#include "base/text.h"
#include "repro/job.h"
#include "report/read_json.h"

static void kept_path(const sw_model_at_hand *m, int64_t step, char *path,
                      size_t room) {
  snprintf(path, room, "%s/at-%08" PRId64 ".safetensors", m->run, step);
}

/* The validation loss that kept weights carry as their own (`valid_step` says
 * so: copies of older programs have the best loss of the run so far), or
 * `latest`. */
static int loss_in(const char *path, double latest, double *loss, sw_err *err) {
  sw_st_file *file;
  double own;
  SW_TRY(sw_st_open(&file, path, err));
  const char *text = sw_st_meta(file, "valid_loss");
  int said = sw_st_meta(file, "valid_step") && text;
  *loss = said && sw_text_is_real(text, &own) ? own : latest;
  sw_st_close(file);
  return SW_OK;
}

/* Takes in one line of the run's metrics; *latest is the latest validation.
 * Found is the first step with kept weights that is the wanted one, or whose
 * loss is no worse than `loss`. */
static int follow(sw_model_at_hand *m, int64_t wanted, double loss,
                  const json_t *line, double *latest, int *found, sw_err *err) {
  char path[1400];
  int64_t step = sw_member_int(line, "step", 0);
  double valid = sw_member_real(line, "valid_loss", NAN);
  if (!isnan(valid)) *latest = valid;
  kept_path(m, step, path, sizeof path);
  if ((wanted && step != wanted) || !sw_path_exists(path)) return SW_OK;
  SW_TRY(loss_in(path, *latest, &m->at_loss, err));
  m->at_step = step;
  m->at_tokens = sw_member_int(line, "tokens", 0);
  *found = wanted || m->at_loss <= loss;
  return SW_OK;
}

static int read_metrics(sw_model_at_hand *m, int64_t wanted, double loss,
                        int *found, sw_err *err) {
  char path[1400];
  char *text;
  size_t bytes;
  *found = 0;
  m->at_loss = NAN;
  snprintf(path, sizeof path, "%s/metrics.jsonl", m->run);
  SW_TRY(sw_read_file(path, 0, &text, &bytes, err));
  const char *at = text, *end = at + bytes;
  double latest = NAN;
  int code = SW_OK;
  while (at < end && !code && !*found) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    size_t length = (size_t)((stop ? stop : end) - at);
    json_t *line;
    if (sw_json_read(&line, at, length, 0, NULL) == SW_MEMORY)
      code = sw_no_memory_for(err, "%s", path);
    else if (!line && length)
      code = sw_fail(err, SW_DATA, "%s: a line is not JSON", path);
    else if (line) code = follow(m, wanted, loss, line, &latest, found, err);
    json_decref(line);
    at += length + 1;
  }
  free(text);
  return code;
}

/* The final validation loss of a model of the matrix with the same seed; it is
 * trained if need be. */
static int loss_of(sw_job *j, const sw_trained *other, int64_t seed,
                   double *loss, sw_err *err) {
  char run[1300], path[1400];
  json_t *card;
  SW_TRY(sw_job_trained(j, other, NULL, seed, run, sizeof run, err));
  snprintf(path, sizeof path, "%s/run.json", run);
  SW_TRY(sw_read_json(path, &card, err));
  *loss = sw_member_real(card, "valid_loss", NAN);
  json_decref(card);
  return SW_OK;
}

int sw_job_at(sw_job *j, const sw_repro_row *row, sw_model_at_hand *m,
              sw_err *err) {
  const char *name = strchr(row->at, ' ');
  int64_t step = strncmp(row->at, "step ", 5) ? 0 : strtoll(name, NULL, 10);
  double loss = NAN;
  int found;
  if (!step) {
    const sw_trained *other = name ? sw_trained_find(name + 1) : NULL;
    if (strncmp(row->at, "loss ", 5) || !other)
      return sw_fail(err, SW_INTERNAL, "%s: no place `%s`", row->id, row->at);
    SW_TRY(loss_of(j, other, m->seed, &loss, err));
  }
  SW_TRY(read_metrics(m, step, loss, &found, err));
  if (found) kept_path(m, m->at_step, m->weights, sizeof m->weights);
  else m->at_step = 0; /* it ended before: its last weights */
  return SW_OK;
}
