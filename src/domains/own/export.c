/* The words of any data set or weights, and `export` (see import.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "base/stop.h"
#include "domains/of_file.h"
#include "domains/own/import.h"
#include "domains/own/search_line.h"

int sw_dataset_words(const sw_dataset *set, const char *path, sw_words *words,
                     sw_err *err) {
  return sw_words_of_meta(set->file, (int64_t)set->max_token + 1, path, words,
                          err);
}

int sw_words_of_file(const char *path, sw_words *words, sw_err *err) {
  char file[1200];
  snprintf(file, sizeof file,
           sw_is_directory(path) ? "%s/model.safetensors" : "%s", path);
  sw_st_file *st;
  SW_TRY(sw_st_open(&st, file, err));
  const sw_st_tensor *rows = sw_st_find(st, "token_embedding.weight");
  int64_t count = rows && rows->dims == 2 ? rows->shape[0] : 0;
  if (count > SW_WORDS_MAX) count = SW_WORDS_MAX;
  int code = sw_words_of_meta(st, count, file, words, err);
  sw_st_close(st);
  return code;
}

static int write_all(const sw_dataset *set, const char *path,
                     const sw_words *words, FILE *stream,
                     const sw_import_hooks *hooks, sw_err *err) {
  static const sw_view_options whole = {.view = SW_VIEW_FULL};
  sw_trace trace;
  sw_json json;
  sw_trace_init(&trace);
  sw_json_to_file(&json, stream);
  int code = SW_OK;
  for (int64_t i = 0; i < set->traces && !code; i++) {
    code = sw_dataset_item(set, &whole, i, &trace, err);
    if (!code)
      code = sw_search_line_write(words, &trace, set->part ? set->part[i] : -1,
                                  set->group ? set->group[i] : -1, &json, err);
    if (code) sw_context(err, "%s: trace %lld", path, (long long)i);
    if (!code && sw_time_to_stop()) code = sw_fail_stopped(err, path);
    if (!code && hooks && hooks->progress)
      hooks->progress(hooks->context, NULL, i + 1, set->traces);
  }
  sw_trace_free(&trace);
  return code;
}

static int export_set(const sw_dataset *set, const char *path,
                      const char *output, const sw_import_hooks *hooks,
                      sw_err *err) {
  sw_words words;
  sw_out_file file;
  SW_TRY(sw_dataset_words(set, path, &words, err));
  int code = sw_out_open(&file, output, err);
  if (!code) {
    code = write_all(set, path, &words, file.stream, hooks, err);
    if (code) sw_out_abort(&file);
    else code = sw_out_commit(&file, err);
  }
  sw_words_free(&words);
  return code;
}

int sw_export(const char *path, const char *output,
              const sw_import_hooks *hooks, int64_t *searches, sw_err *err) {
  sw_dataset set;
  SW_TRY(sw_dataset_open(&set, path, err));
  int code = export_set(&set, path, output, hooks, err);
  *searches = set.traces;
  sw_dataset_close(&set);
  return code;
}
