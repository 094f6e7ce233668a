/* The domain of a file, and domains of words (see of_file.h). */
#include "domains/of_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "domains/registry.h"
#include "domains/resolve.h"

/* ---- words ---- */

/* A token's printed form as a word. A form that is not a word, or that two
 * tokens share, gets the token's number behind it. */
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

int sw_words_of_domain(const sw_domain *domain, int32_t vocab, sw_words *words,
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

static int listed(const sw_st_file *file, const char *list, int64_t least,
                  const char *path, sw_words *words, sw_err *err) {
  SW_TRY(sw_words_parse(words, list, sw_st_meta(file, "back"), path, err));
  int32_t count = words->count;
  if (count >= least) return SW_OK;
  sw_words_free(words);
  return sw_fail(err, SW_DATA, "%s: token %lld, but only %d words", path,
                 (long long)least - 1, count);
}

/* The numbers of the tokens; `back` may name one. */
static int numbered(const sw_st_file *file, const sw_domain *domain,
                    int64_t count, const char *path, sw_words *words,
                    sw_err *err) {
  const char *back = sw_st_meta(file, "back");
  SW_TRY(sw_words_of_domain(domain, (int32_t)count, words, err));
  if (domain || !back || !sw_words_set_back(words, back, err)) return SW_OK;
  sw_words_free(words);
  return sw_context(err, "%s", path);
}

int sw_words_of_meta(const sw_st_file *file, int64_t least, const char *path,
                     sw_words *words, sw_err *err) {
  const char *list = sw_st_meta(file, "words");
  const char *name = sw_st_meta(file, "domain");
  const char *vocab = sw_st_meta(file, "vocab");
  int64_t count = least;
  memset(words, 0, sizeof *words);
  if (list) return listed(file, list, least, path, words, err);
  if (vocab && !sw_text_integer(vocab, 1, SW_WORDS_MAX, &count))
    return sw_fail(err, SW_DATA, "%s: vocab \"%.40s\" is not a size", path,
                   vocab);
  if (count < least) count = least;
  if (count > SW_WORDS_MAX)
    return sw_fail(err, SW_LIMIT, "%s: more than %d tokens", path,
                   SW_WORDS_MAX);
  if (!count) {
    sw_fail(err, SW_DATA, "%s: says nothing of its tokens", path);
    return sw_hint(err, "name a data set, or weights with words");
  }
  return numbered(file, name ? sw_domain_find(name) : NULL, count, path, words,
                  err);
}

/* ---- a domain of words ---- */

typedef struct worded {
  sw_domain domain;
  sw_words words;
  char name[];
} worded;

static int32_t vocab_size(const sw_domain_options *o) {
  return o->domain->words->count;
}

static int resolve(sw_domain_options *o, sw_err *err) {
  return sw_resolve_text(&o->format, o->domain->name, "format",
                         o->domain->formats, "words", err);
}

static int stream_new(sw_stream **stream, const sw_domain_options *o,
                      uint64_t seed, sw_split split, sw_err *err) {
  (void)seed, (void)split;
  *stream = NULL;
  return sw_domain_searchable(o->domain, err);
}

static int instance_parse(sw_instance **instance, const char *path,
                          const char *text, size_t bytes,
                          const sw_domain_options *o, sw_err *err) {
  (void)path, (void)text, (void)bytes;
  *instance = NULL;
  return sw_domain_searchable(o->domain, err);
}

static int write_trace(const sw_instance *instance, const sw_domain_options *o,
                       sw_mt *mt, sw_trace *trace, sw_err *err) {
  (void)instance, (void)mt, (void)trace;
  return sw_domain_searchable(o->domain, err);
}

static int token_text(const sw_domain *domain, int32_t token, char *buffer,
                      size_t room) {
  const char *word = sw_words_text(domain->words, token);
  int length = word ? snprintf(buffer, room, "%s", word)
                    : snprintf(buffer, room, "<%d>", token);
  return length < (int)room ? length : (int)room - 1;
}

/* ---- a state as counts of its words, for linear tests ---- */

enum { COUNTED_WORDS = 1024 };

static sw_block_kind kind_of(const sw_domain *domain, int32_t token) {
  return token == domain->back_token ? SW_BLOCK_BACK : SW_BLOCK_FORWARD;
}

static int64_t shown_width(const sw_domain *domain, int32_t n,
                           int32_t max_token) {
  int32_t count = domain->words->count;
  (void)n;
  return max_token < count && count <= COUNTED_WORDS ? count : -1;
}

static void count_words(const sw_domain *domain, const int32_t *token,
                        int64_t count, int32_t n, double *x) {
  (void)domain, (void)n;
  for (int64_t i = 0; i < count; i++) x[token[i]]++;
}

static const sw_shown_ops shown = {
    .kind = kind_of, .width = shown_width, .features = count_words};

static void close_words(const sw_domain *domain) {
  worded *made = domain->self;
  sw_words_free(&made->words);
  free(made);
}

static const char *const formats[] = {"words", NULL};
static const char *const experts[] = {"recorded", NULL};

/* Takes the words. */
static worded *make(const char *name, sw_words *words) {
  size_t bytes = strlen(name) + 1;
  worded *made = calloc(1, sizeof *made + bytes);
  if (!made) return NULL;
  memcpy(made->name, name, bytes);
  made->words = *words;
  memset(words, 0, sizeof *words);
  made->domain = (sw_domain){.name = made->name,
                             .self = made,
                             .words = &made->words,
                             .close = close_words,
                             .summary = "words of a file, without rules",
                             .formats = formats,
                             .experts = experts,
                             .vocab_size = vocab_size,
                             .resolve = resolve,
                             .stream_new = stream_new,
                             .file.parse = instance_parse,
                             .write_trace = write_trace,
                             .token_text = token_text,
                             .shown = &shown,
                             .back_token = sw_words_back(&made->words)};
  return made;
}

/* A searchable domain of this name is what the user opened for this file. */
static int check_open(const sw_domain *open, const sw_words *words,
                      const char *path, sw_err *err) {
  int32_t at = sw_words_difference(open->words, words);
  const char *there = sw_words_text(words, at);
  const char *here = sw_words_text(open->words, at);
  if (at < 0)
    sw_fail(err, SW_USAGE, "%s: another word goes back than in the domain `%s`",
            path, open->name);
  else
    sw_fail(err, SW_USAGE,
            "%s: word %d is \"%.60s\", in the domain `%s` it is \"%.60s\"",
            path, at, there ? there : "(none)", open->name,
            here ? here : "(none)");
  return sw_hint(err, "a file and its environment have the same words");
}

/* A printable name, whatever a file says. */
static void clean_name(const char *name, char *text, size_t room) {
  sw_clean_text(text, room, name && *name ? name : SW_OWN_DOMAIN);
}

int sw_domain_of_file(const sw_st_file *file, int64_t least, const char *path,
                      const sw_domain **domain, sw_err *err) {
  char name[64];
  sw_words words;
  *domain = NULL;
  clean_name(sw_st_meta(file, "domain"), name, sizeof name);
  const sw_domain *open = sw_domain_find(name);
  if (open && !open->words) {
    sw_domain_hold(*domain = open);
    return SW_OK;
  }
  SW_TRY(sw_words_of_meta(file, least, path, &words, err));
  if (open && open->search && !sw_words_same(open->words, &words)) {
    int code = check_open(open, &words, path, err);
    sw_words_free(&words);
    return code;
  }
  worded *made = make(name, &words);
  sw_words_free(&words);
  if (!made) return sw_no_memory_for(err, "%s", path);
  int code = sw_domain_adopt(&made->domain, domain, err);
  if (code) close_words(&made->domain);
  return code;
}

int sw_domain_of_set(const sw_dataset *set, const char *path,
                     const sw_domain **domain, sw_err *err) {
  return sw_domain_of_file(set->file, (int64_t)set->max_token + 1, path, domain,
                           err);
}
