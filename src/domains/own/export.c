/* The words of any data set or weights, and `export` (see import.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "base/stop.h"
#include "base/text.h"
#include "domains/domain.h"
#include "domains/own/import.h"
#include "domains/own/search_line.h"
#include "domains/stored.h"

/* A token's printed form as a word; one that is none, or that another token has
 * too, gets its number behind it. */
static int add_token(sw_words *words, const sw_domain *domain, int32_t token,
                     sw_err *err) {
  char text[SW_WORD_BYTES + 1] = "", word[SW_WORD_BYTES + 1];
  if (domain) domain->token_text(domain, token, text, sizeof text - 16);
  else snprintf(text, sizeof text, "%d", token);
  size_t bytes = strlen(text);
  if (!sw_word_check(text, bytes, NULL) &&
      sw_words_find(words, text, bytes) < 0)
    return sw_words_add(words, text, bytes, err);
  for (char *p = text; *p; p++)
    if (sw_is_space(*p)) *p = '_';
  snprintf(word, sizeof word, "%.200s#%d", text, token);
  return sw_words_add(words, word, strlen(word), err);
}

static int of_domain(const sw_domain *domain, int32_t vocab, sw_words *words,
                     sw_err *err) {
  memset(words, 0, sizeof *words);
  int code = SW_OK;
  for (int32_t token = 0; token < vocab && !code; token++)
    code = add_token(words, domain, token, err);
  if (domain && domain->back_token >= 0 && domain->back_token < words->count)
    words->back = domain->back_token + 1;
  if (code) sw_words_free(words);
  return code;
}

/* `least`: tokens that occur; `rows`: of weights that say nothing else. */
static int of_meta(const sw_st_file *file, int32_t least, int32_t rows,
                   const char *path, sw_words *words, sw_err *err) {
  const char *list = sw_st_meta(file, "words");
  const char *name = sw_st_meta(file, "domain");
  const char *vocab = sw_st_meta(file, "vocab");
  int64_t count = least > rows ? least : rows;
  memset(words, 0, sizeof *words);
  if (list) {
    SW_TRY(sw_words_parse(words, list, sw_st_meta(file, "back"), path, err));
    if (words->count >= least) return SW_OK;
    count = words->count;
    sw_words_free(words);
    return sw_fail(err, SW_DATA, "%s: token %d, but only %lld words", path,
                   least - 1, (long long)count);
  }
  if (vocab && !sw_text_integer(vocab, 1, SW_WORDS_MAX, &count))
    return sw_fail(err, SW_DATA, "%s: vocab \"%.40s\" is no size", path, vocab);
  if (count < least) count = least;
  if (count > SW_WORDS_MAX)
    return sw_fail(err, SW_LIMIT, "%s: more than %d tokens", path,
                   SW_WORDS_MAX);
  if (!count) {
    sw_fail(err, SW_DATA, "%s: says nothing of its tokens", path);
    return sw_hint(err, "name a data set, or weights with words");
  }
  return of_domain(name ? sw_domain_find(name) : NULL, (int32_t)count, words,
                   err);
}

int sw_dataset_words(const sw_dataset *set, const char *path, sw_words *words,
                     sw_err *err) {
  return of_meta(set->file, set->max_token + 1, 0, path, words, err);
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
  int code = of_meta(st, 0, (int32_t)count, file, words, err);
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
