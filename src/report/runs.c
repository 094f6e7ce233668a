/* Run directories: weights, run card, learning curve and transplant. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "base/grow.h"
#include "report/report_data.h"
#include "report/read_json.h"
#include "train/feed.h"

static void path_of(const sw_report_data *d, const sw_report_model *m,
                    const char *file, char path[1200]) {
  snprintf(path, 1200, "%s/%s/%s", d->directory, m->name, file);
}

static int add_point(sw_report_model *m, const json_t *line) {
  if (!sw_grow(&m->curve, &m->room, m->points + 1, sizeof *m->curve)) return 0;
  m->curve[m->points++] = (sw_curve_point){
      .step = sw_member_int(line, "step", 0),
      .loss = sw_member_real(line, "loss", NAN),
      .accuracy = sw_member_real(line, "accuracy", NAN),
      .seconds = sw_member_real(line, "seconds", NAN),
      .valid_loss = sw_member_real(line, "valid_loss", NAN),
      .valid_accuracy = sw_member_real(line, "valid_accuracy", NAN)};
  return 1;
}

static int load_curve(const sw_report_data *d, sw_report_model *m,
                      sw_err *err) {
  char path[1200], *text;
  size_t bytes;
  path_of(d, m, "metrics.jsonl", path);
  if (!sw_path_exists(path)) return SW_OK;
  SW_TRY(sw_read_file(path, 0, &text, &bytes, err));
  int code = SW_OK, number = 0;
  for (char *line = text, *end; *line && !code; line = end) {
    end = line + strcspn(line, "\n");
    number++;
    /* The last line of a run that is still going on may be half written. */
    int whole = *end == '\n';
    if (whole) *end++ = 0;
    json_t *object = json_loads(line, 0, NULL);
    if (object && !add_point(m, object))
      code = sw_fail(err, SW_MEMORY, "out of memory");
    else if (!object && whole && *line)
      code = sw_fail(err, SW_DATA, "%s:%d: not a JSON object", path, number);
    json_decref(object);
  }
  free(text);
  return code;
}

static void read_depths(sw_report_model *m, const json_t *object) {
  size_t at;
  json_t *row;
  json_array_foreach(json_object_get(object, "by_depth"), at, row) {
    if (m->depths == SW_REPORT_DEPTHS) return;
    m->depth[m->depths++] = (sw_depth_row){
        .depth = sw_member_int(row, "depth", 0),
        .pairs = sw_member_int(row, "pairs", 0),
        .agreement = sw_member_real(row, "argmax_agreement", NAN),
        .symmetric_kl = sw_member_real(row, "symmetric_kl", NAN),
        .exact = sw_member_real(row, "exact_equal_rate", NAN)};
  }
}

static int load_transplant(const sw_report_data *d, sw_report_model *m,
                           sw_err *err) {
  char path[1200];
  json_t *object;
  path_of(d, m, "transplant.json", path);
  SW_TRY(sw_read_json(path, &object, err));
  if (!object) return SW_OK;
  const json_t *v = json_object_get(object, "verification");
  const json_t *interval = json_object_get(v, "argmax_interval");
  m->has_transplant = 1;
  m->pairs = sw_member_int(object, "pairs", 0);
  m->states = sw_member_int(object, "states", 0);
  m->agreement = sw_member_real(object, "argmax_agreement", NAN);
  m->agreement_low = m->agreement_high = NAN;
  if (json_array_size(interval) == 2) {
    m->agreement_low = json_number_value(json_array_get(interval, 0));
    m->agreement_high = json_number_value(json_array_get(interval, 1));
  }
  m->exact = sw_member_real(object, "exact_equal_rate", NAN);
  m->symmetric_kl = sw_member_real(object, "symmetric_kl", NAN);
  m->entanglement = sw_member_real(object, "entanglement", NAN);
  m->history_gap = sw_member_real(object, "mean_history_gap", NAN);
  read_depths(m, object);
  json_decref(object);
  return SW_OK;
}

/* The run card, and the floors of the loss where the data set is still there
 * (its path is as given to `train`; beside the runs it is also looked for). */
static int load_card(const sw_report_data *d, sw_report_model *m, sw_err *err) {
  char path[1200], beside[1200];
  json_t *card;
  path_of(d, m, "run.json", path);
  SW_TRY(sw_read_json(path, &card, err));
  m->train_seconds = sw_member_real(card, "seconds", NAN);
  m->train_loss = sw_member_real(card, "train_loss", NAN);
  m->valid_loss = sw_member_real(card, "valid_loss", NAN);
  m->steps = sw_member_int(card, "steps", 0);
  m->tokens = sw_member_int(card, "tokens", 0);
  m->parameters = sw_model_param_count(m->loaded.model);
  int32_t vocab = sw_model_config_of(m->loaded.model)->vocab;
  m->uniform = log((double)vocab);
  m->unigram = NAN;
  const char *data =
      sw_member_text(json_object_get(card, "options"), "data", "");
  snprintf(beside, sizeof beside, "%s/data.safetensors", d->directory);
  const char *hash = sw_member_text(card, "data_hash", "");
  const char *const places[] = {data, beside};
  for (int i = 0; i < 2 && isnan(m->unigram); i++) {
    sw_dataset set;
    if (!sw_path_exists(places[i]) || sw_dataset_open(&set, places[i], NULL))
      continue;
    if (!strcmp(set.hash, hash))
      m->unigram = sw_unigram_floor(&set, vocab, 1000);
    sw_dataset_close(&set);
  }
  json_decref(card);
  return SW_OK;
}

static int load_run(sw_report_data *d, const char *name, sw_err *err) {
  char path[1200];
  sw_report_model *m = &d->model[d->models];
  memset(m, 0, sizeof *m);
  snprintf(m->name, sizeof m->name, "%s", name);
  path_of(d, m, "", path);
  SW_TRY(sw_loaded_open(&m->loaded, path, err));
  d->models++; /* from here on sw_report_free closes it */
  m->hash = sw_model_hash(m->loaded.model);
  SW_TRY(load_card(d, m, err));
  SW_TRY(load_curve(d, m, err));
  return load_transplant(d, m, err);
}

static int is_run(const struct dirent *entry, const char *directory) {
  char path[1400];
  if (entry->d_name[0] == '.' || strlen(entry->d_name) >= 64) return 0;
  snprintf(path, sizeof path, "%s/%s/model.safetensors", directory,
           entry->d_name);
  return sw_path_exists(path);
}

/* State-local masks first, leaky ones last, then by name: the order in which
 * the tables are read. */
static int by_mask(const void *a, const void *b) {
  const sw_report_model *x = a, *y = b;
  int left = 2 * sw_mask_leaks(x->loaded.reading.mask) -
             sw_mask_block_local(x->loaded.reading.mask);
  int right = 2 * sw_mask_leaks(y->loaded.reading.mask) -
              sw_mask_block_local(y->loaded.reading.mask);
  return left != right ? left - right : strcmp(x->name, y->name);
}

int sw_report_load_runs(sw_report_data *d, sw_err *err) {
  struct dirent **entry;
  int count = scandir(d->directory, &entry, NULL, alphasort);
  int code = count < 0 ? sw_fail_errno(err, d->directory, "read") : SW_OK;
  for (int i = 0; i < count; i++) {
    if (!code && d->models < SW_REPORT_MODELS && is_run(entry[i], d->directory))
      code = load_run(d, entry[i]->d_name, err);
    free(entry[i]);
  }
  if (count >= 0) free(entry);
  if (code) return code;
  if (!d->models) {
    sw_fail(err, SW_NOFILE, "%s: no trained model below it", d->directory);
    return sw_hint(err,
                   "a report is made of DIR/*/model.safetensors; run "
                   "`statewise quickstart --out %.100s` first",
                   d->directory);
  }
  qsort(d->model, (size_t)d->models, sizeof d->model[0], by_mask);
  return SW_OK;
}
