/* The JSON files of a directory: which there are, and the answers of single
 * models in them. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "base/grow.h"
#include "probe/figures.h"
#include "report/read_json.h"
#include "report/report_data.h"

static int add_answer(sw_report_data *d, int document, const char *label,
                      const json_t *row) {
  if (!sw_grow(&d->answer, &d->answer_room, d->answers + 1, sizeof *d->answer))
    return 0;
  sw_report_answer *a = &d->answer[d->answers++];
  a->document = document;
  a->row = row;
  snprintf(a->label, sizeof a->label, "%s", label);
  return 1;
}

/* "models" holds one object per model; without it the file is about one. */
static int add_answers(sw_report_data *d, int document, const char *label) {
  const json_t *root = d->document[document].root, *row;
  const json_t *models = json_object_get(root, "models");
  size_t at;
  if (!json_is_array(models))
    return add_answer(d, document, sw_member_text(root, "label", label), root);
  json_array_foreach(models, at, row) {
    if (json_is_object(row) &&
        !add_answer(d, document, sw_member_text(row, "label", "-"), row))
      return 0;
  }
  return 1;
}

static int load(sw_report_data *d, const char *kind, const char *path,
                const char *label, sw_err *err) {
  json_t *root;
  SW_TRY(sw_read_json(path, &root, err));
  if (!root) return SW_OK;
  if (!sw_grow(&d->document, &d->document_room, d->documents + 1,
               sizeof *d->document)) {
    json_decref(root);
    return sw_no_memory(err);
  }
  sw_report_document *document = &d->document[d->documents];
  memset(document, 0, sizeof *document);
  document->root = root;
  snprintf(document->kind, sizeof document->kind, "%s", kind);
  snprintf(document->path, sizeof document->path, "%s", path);
  if (!add_answers(d, d->documents++, label)) return sw_no_memory(err);
  return SW_OK;
}

static int begins_with(const char *name, const char *kind) {
  size_t length = strlen(kind);
  return !strncmp(name, kind, length) &&
         (name[length] == '.' || name[length] == '-');
}

/* KIND.json and KIND-anything.json, of the measures and of experiments; NULL
 * for other names. */
static const char *kind_of(const char *name) {
  sw_measured measure;
  size_t length = strlen(name);
  if (length < 6 || strcmp(name + length - 5, ".json")) return NULL;
  for (int i = 0; sw_measured_at(i, &measure); i++)
    if (begins_with(name, measure.name)) return measure.name;
  return begins_with(name, "experiment") ? "experiment" : NULL;
}

static int load_folder(sw_report_data *d, const char *directory,
                       const char *label, sw_err *err) {
  struct dirent **entry;
  int count, code = SW_OK;
  SW_TRY(sw_list_directory(directory, &entry, &count, err));
  for (int i = 0; i < count; i++) {
    char path[1400];
    const char *kind = kind_of(entry[i]->d_name);
    snprintf(path, sizeof path, "%s/%s", directory, entry[i]->d_name);
    if (kind && !code) code = load(d, kind, path, label, err);
    free(entry[i]);
  }
  free(entry);
  return code;
}

/* Experiments lie in folders of their own below an output directory. */
static int load_experiments(sw_report_data *d, sw_err *err) {
  struct dirent **entry;
  int count, code = SW_OK;
  SW_TRY(sw_list_directory(d->directory, &entry, &count, err));
  for (int i = 0; i < count; i++) {
    char path[1400];
    snprintf(path, sizeof path, "%s/%s/experiment.json", d->directory,
             entry[i]->d_name);
    if (!code && entry[i]->d_name[0] != '.' && sw_path_exists(path))
      code = load(d, "experiment", path, "", err);
    free(entry[i]);
  }
  free(entry);
  return code;
}

/* The models are known by then; a file inside a run is about that model. */
int sw_report_load_documents(sw_report_data *d, sw_err *err) {
  SW_TRY(load_folder(d, d->directory, "", err));
  SW_TRY(load_experiments(d, err));
  for (int i = 0; i < d->models; i++)
    SW_TRY(load_folder(d, d->model[i].directory, d->model[i].label, err));
  return SW_OK;
}

int sw_report_next(const sw_report_data *d, const char *kind, int at) {
  for (int i = at + 1; i < d->answers; i++)
    if (!strcmp(sw_report_kind(d, i), kind)) return i;
  return -1;
}

int sw_report_next_document(const sw_report_data *d, const char *kind, int at) {
  for (int i = at + 1; i < d->documents; i++)
    if (!strcmp(d->document[i].kind, kind)) return i;
  return -1;
}

const char *sw_report_kind(const sw_report_data *d, int answer) {
  return d->document[d->answer[answer].document].kind;
}
