/* Run directories: what the weights say about themselves, run card, learning
 * curve. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "base/grow.h"
#include "base/json_read.h"
#include "report/report_data.h"
#include "report/read_json.h"
#include "base/safetensors.h"
#include "trace/dataset.h"
#include "trace/mask.h"

static void path_of(const sw_report_model *m, const char *file,
                    char path[1200]) {
  snprintf(path, 1200, "%s/%s", m->directory, file);
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

static int load_curve(sw_report_model *m, sw_err *err) {
  char path[1200], *text;
  size_t bytes;
  path_of(m, "metrics.jsonl", path);
  if (!sw_path_exists(path)) return SW_OK;
  SW_TRY(sw_read_file(path, 0, &text, &bytes, err));
  int code = SW_OK, number = 0;
  for (char *line = text, *end; *line && !code; line = end) {
    end = line + strcspn(line, "\n");
    number++;
    /* The last line of a run that is still going on may be half written. */
    int whole = *end == '\n';
    if (whole) *end++ = 0;
    json_t *object;
    int read = sw_json_read(&object, line, strlen(line), 0, NULL);
    if (read == SW_MEMORY || (object && !add_point(m, object)))
      code = sw_no_memory(err);
    else if (!object && whole && *line)
      code = sw_fail(err, SW_DATA, "%s:%d: not a JSON object", path, number);
    json_decref(object);
  }
  free(text);
  return code;
}

/* The floor of the loss, if this is the data set of the run. */
static int load_floor(sw_report_model *m, const char *path, const char *hash,
                      sw_err *err) {
  sw_dataset set;
  if (!sw_path_exists(path)) return SW_OK;
  int code = sw_dataset_open(&set, path, err);
  if (code) return code == SW_MEMORY ? code : SW_OK; /* no page needs it */
  if (!strcmp(set.hash, hash) && m->vocab > 0)
    code = sw_unigram_floor(&set, (int32_t)m->vocab, 1000, &m->unigram, err);
  sw_dataset_close(&set);
  return code;
}

/* The run card, and the floors of the loss where the data set is still there
 * (its path is as given to `train`; beside the runs it is also looked for). */
static int load_card(const sw_report_data *d, sw_report_model *m, sw_err *err) {
  char path[1200], beside[1200];
  json_t *card;
  path_of(m, "run.json", path);
  SW_TRY(sw_read_json(path, &card, err));
  m->train_seconds = sw_member_real(card, "seconds", NAN);
  m->train_loss = sw_member_real(card, "train_loss", NAN);
  m->valid_loss = sw_member_real(card, "valid_loss", NAN);
  m->steps = sw_member_int(card, "steps", 0);
  m->tokens = sw_member_int(card, "tokens", 0);
  m->parameters = sw_member_int(card, "parameters", m->parameters);
  const char *data =
      sw_member_text(json_object_get(card, "options"), "data", "");
  snprintf(beside, sizeof beside, "%s/data.safetensors", d->directory);
  const char *hash = sw_member_text(card, "data_hash", "");
  const char *const places[] = {data, beside};
  int code = SW_OK;
  for (int i = 0; i < 2 && isnan(m->unigram) && !code; i++)
    code = load_floor(m, places[i], hash, err);
  json_decref(card);
  return code;
}

static void copy(char *out, size_t room, const char *text) {
  size_t length = text ? strnlen(text, room - 1) : 0;
  if (length) memcpy(out, text, length);
  out[length] = 0;
}

/* What the weights say about themselves; their values stay unread. */
static int load_weights(sw_report_model *m, sw_err *err) {
  char path[1200];
  sw_st_file *file;
  path_of(m, "model.safetensors", path);
  SW_TRY(sw_st_open(&file, path, err));
  const char *label = sw_st_meta(file, "label");
  const char *mask = sw_st_meta(file, "mask");
  const char *vocab = sw_st_meta(file, "vocab");
  copy(m->mask_name, sizeof m->mask_name, mask);
  copy(m->label, sizeof m->label, label ? label : mask ? mask : m->name);
  copy(m->domain, sizeof m->domain, sw_st_meta(file, "domain"));
  copy(m->format, sizeof m->format, sw_st_meta(file, "format"));
  copy(m->positions, sizeof m->positions, sw_st_meta(file, "position_kind"));
  copy(m->hash, sizeof m->hash, sw_st_meta(file, "weights_xxh64"));
  copy(m->architecture, sizeof m->architecture,
       sw_st_meta(file, "architecture"));
  m->mask = mask ? sw_mask_from_name(mask) : -1;
  m->vocab = vocab ? strtol(vocab, NULL, 10) : 0;
  if (m->vocab < 0 || m->vocab > 1 << 24) m->vocab = 0;
  for (int i = 0; i < sw_st_count(file); i++)
    m->parameters += sw_st_at(file, i)->count;
  int ours = m->hash[0] || m->domain[0] || m->architecture[0] || mask;
  m->uniform = m->vocab ? log((double)m->vocab) : NAN;
  m->unigram = NAN;
  sw_st_close(file);
  if (ours) return SW_OK;
  return sw_fail(err, SW_DATA, "%s: does not say what model it is", path);
}

static int load_run(const sw_report_data *d, sw_report_model *m, sw_err *err) {
  SW_TRY(load_weights(m, err));
  SW_TRY(load_card(d, m, err));
  return load_curve(m, err);
}

static int leave_out(sw_report_data *d, const sw_report_model *m,
                     const sw_err *why, sw_err *err) {
  if (!sw_grow(&d->left_out, &d->left_out_room, d->left_outs + 1,
               sizeof *d->left_out))
    return sw_no_memory(err);
  sw_report_left_out *left = &d->left_out[d->left_outs++];
  snprintf(left->name, sizeof left->name, "%s", m->name);
  snprintf(left->why, sizeof left->why, "%.399s", why->text);
  return SW_OK;
}

int sw_report_load_run(sw_report_data *d, const char *directory, sw_err *err) {
  for (int i = 0; i < d->models; i++)
    if (!strcmp(d->model[i].directory, directory)) return SW_OK;
  if (!sw_grow(&d->model, &d->model_room, d->models + 1, sizeof *d->model))
    return sw_no_memory(err);
  sw_report_model *m = &d->model[d->models++];
  memset(m, 0, sizeof *m);
  const char *slash = strrchr(directory, '/');
  snprintf(m->name, sizeof m->name, "%s", slash ? slash + 1 : directory);
  snprintf(m->directory, sizeof m->directory, "%s", directory);
  sw_err why = {0};
  int code = load_run(d, m, &why);
  if (!code) return SW_OK;
  free(m->curve);
  d->models--;
  if (code == SW_DATA || code == SW_NOFILE || code == SW_LIMIT)
    return leave_out(d, m, &why, err);
  if (err) *err = why;
  return code;
}

static int is_run(const char *directory) {
  char path[1400];
  if (strlen(directory) >= 1000) return 0;
  snprintf(path, sizeof path, "%.1000s/model.safetensors", directory);
  return sw_path_exists(path);
}

/* Runs in a folder and `deeper` levels below it. */
static int find_runs(sw_report_data *d, const char *directory, int deeper,
                     sw_err *err) {
  struct dirent **entry;
  int count, code = SW_OK;
  if (is_run(directory)) return sw_report_load_run(d, directory, err);
  if (deeper < 0) return SW_OK;
  SW_TRY(sw_list_directory(directory, &entry, &count, err));
  for (int i = 0; i < count; i++) {
    char below[1400];
    snprintf(below, sizeof below, "%s/%s", directory, entry[i]->d_name);
    if (!code && entry[i]->d_name[0] != '.' && sw_is_directory(below))
      code = find_runs(d, below, deeper - 1, err);
    free(entry[i]);
  }
  free(entry);
  return code;
}

/* Runs that an experiment's table names, relative to its own folder. */
static int named_runs(sw_report_data *d, sw_err *err) {
  char path[1200], run[1400];
  json_t *object;
  size_t at;
  const json_t *model;
  snprintf(path, sizeof path, "%s/experiment.json", d->directory);
  SW_TRY(sw_read_json(path, &object, err));
  int code = SW_OK;
  json_array_foreach(json_object_get(object, "models"), at, model) {
    const char *name = sw_member_text(model, "run", "");
    snprintf(run, sizeof run, "%s/%s", d->directory, name);
    if (!code && *name && *name != '/' && is_run(run))
      code = sw_report_load_run(d, run, err);
  }
  json_decref(object);
  return code;
}

/* State-local masks first, leaky ones last, then by name: the order in which
 * the tables are read. */
static int rank(const sw_report_model *m) {
  if (m->mask < 0) return 1;
  sw_mask_kind kind = (sw_mask_kind)m->mask;
  return 2 * sw_mask_leaks(kind) - sw_mask_block_local(kind);
}

static int by_mask(const void *a, const void *b) {
  const sw_report_model *x = a, *y = b;
  int left = rank(x), right = rank(y);
  return left != right ? left - right : strcmp(x->name, y->name);
}

int sw_report_load_runs(sw_report_data *d, sw_err *err) {
  SW_TRY(find_runs(d, d->directory, 1, err));
  SW_TRY(named_runs(d, err));
  if (d->models)
    qsort(d->model, (size_t)d->models, sizeof d->model[0], by_mask);
  return SW_OK;
}
