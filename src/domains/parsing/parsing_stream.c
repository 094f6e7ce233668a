/* Sentences: drawn from the grammar, left out of the test stream when they
 * were trained on or need no choice, or read from a file of words. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/stop.h"
#include "base/text.h"
#include "domains/parsing/parsing_env.h"
#include "domains/resolve.h"

int sw_parsing_instance_new(sw_instance **instance, const int16_t *words,
                            int32_t length, sw_err *err) {
  sw_instance *made = *instance = malloc(sizeof *made);
  int16_t *copy = malloc(((size_t)length + 1) * sizeof *copy);
  if (!made || !copy) {
    free(made);
    free(copy);
    *instance = NULL;
    return sw_no_memory(err);
  }
  memcpy(copy, words, (size_t)length * sizeof *copy);
  *made = (sw_instance){length, copy};
  return SW_OK;
}

void sw_parsing_instance_free(sw_instance *instance) {
  if (!instance) return;
  free(instance->word);
  free(instance);
}

uint64_t sw_parsing_instance_hash(const sw_instance *instance) {
  return sw_xxh64(instance->word,
                  (size_t)instance->length * sizeof *instance->word, 0);
}

extern const sw_domain sw_domain_parsing;

struct sw_stream {
  sw_domain_options options;
  sw_grammar *grammar;
  sw_mt mt;
  int reseed; /* training: draw w has its own generator seed + w */
  uint64_t seed;
  int16_t *words; /* [options.n] */
  sw_hashset left_out;
  int skip_choice_free;
  sw_env *probe; /* for skip_choice_free */
  sw_parsing_draws draws;
};

const sw_parsing_draws *sw_parsing_stream_draws(const sw_stream *stream) {
  return &stream->draws;
}

static int open_stream(sw_stream *s, uint64_t seed, sw_split split,
                       sw_err *err) {
  static const sw_rules rules = {.writing_trace = 1};
  int fair = s->options.preset == 0;
  s->seed = sw_stream_seed(&s->options, seed, split);
  s->reseed = split == SW_SPLIT_TRAIN;
  sw_mt_seed(&s->mt, s->seed);
  s->words = malloc((size_t)s->options.n * sizeof *s->words);
  if (!s->words) return sw_no_memory(err);
  SW_TRY(
      sw_grammar_load(&s->grammar, sw_parsing_own(&s->options)->grammar, err));
  if (split != SW_SPLIT_TEST || !fair) return SW_OK;
  s->skip_choice_free = 1;
  SW_TRY(sw_parsing_env_new(&s->probe, &s->options, &rules, err));
  if (s->options.exclude <= 0) return SW_OK;
  return sw_leave_out_training(&sw_domain_parsing, &s->options, seed,
                               &s->left_out, err);
}

int sw_parsing_stream_new(sw_stream **stream, const sw_domain_options *options,
                          uint64_t seed, sw_split split, sw_err *err) {
  sw_stream *s = *stream = calloc(1, sizeof *s);
  if (!s) return sw_no_memory(err);
  s->options = *options;
  int code = open_stream(s, seed, split, err);
  if (code) {
    sw_parsing_stream_free(s);
    *stream = NULL;
  }
  return code;
}

void sw_parsing_stream_free(sw_stream *s) {
  if (!s) return;
  sw_parsing_env_free(s->probe);
  sw_hashset_free(&s->left_out);
  free(s->grammar);
  free(s->words);
  free(s);
}

/* 1: the test stream does not have this sentence: it was trained on, or is
 * parsed or refused without a choice; 0: it has; -1: out of memory. */
static int left_out(sw_stream *s, const sw_instance *instance) {
  if (sw_hashset_has(&s->left_out, sw_parsing_instance_hash(instance)))
    return s->draws.excluded++, 1;
  if (!s->skip_choice_free) return 0;
  switch (
      sw_parse_start(&s->probe->machine, instance->word, instance->length)) {
    case SW_PARSE_CHOICE:
      return 0;
    case SW_PARSE_MEMORY:
      return -1;
    default:
      return s->draws.choice_free++, 1;
  }
}

int sw_parsing_stream_next(sw_stream *s, sw_instance **instance, sw_err *err) {
  enum { TRIES = 1000000 };
  *instance = NULL;
  for (int attempt = 0; attempt < TRIES; attempt++) {
    if (attempt % 64 == 0 && sw_time_to_stop())
      return sw_fail_stopped(err, "drawing sentences");
    if (s->reseed) sw_mt_seed(&s->mt, s->seed + (uint64_t)s->draws.draws);
    int64_t length =
        sw_grammar_draw(s->grammar, &s->mt, s->words, s->options.n);
    s->draws.draws++;
    if (length > s->options.n) {
      s->draws.too_long++;
      continue;
    }
    SW_TRY(sw_parsing_instance_new(instance, s->words, (int32_t)length, err));
    int out = left_out(s, *instance);
    if (!out) return SW_OK;
    sw_parsing_instance_free(*instance);
    *instance = NULL;
    if (out < 0) return sw_no_memory(err);
  }
  sw_fail(err, SW_LIMIT, "no sentence of at most %d words in %d draws",
          s->options.n, TRIES);
  return sw_hint(err,
                 "allow longer sentences (--n), leave out fewer training "
                 "traces (--exclude) or change the grammar's weights");
}

/* Words separated by white space; # starts a comment. */
int sw_parsing_instance_parse(sw_instance **instance, const char *path,
                              const char *text, size_t bytes,
                              const sw_domain_options *options, sw_err *err) {
  enum { LONGEST = 4096 };
  sw_grammar *grammar;
  int16_t words[LONGEST];
  int32_t length = 0, line = 1;
  int code = SW_OK;
  *instance = NULL;
  SW_TRY(sw_grammar_load(&grammar, sw_parsing_own(options)->grammar, err));
  for (size_t at = 0; at < bytes && !code;) {
    size_t first = at;
    line += sw_counts_line(text + at, text + bytes);
    if (sw_is_space(text[at])) {
      at++;
      continue;
    }
    if (text[at] == '#') {
      while (at < bytes && !sw_is_line_end(text[at])) at++;
      continue;
    }
    while (at < bytes && !sw_is_space(text[at])) at++;
    int word = sw_grammar_find_input(grammar, text + first, at - first);
    if (word < 0)
      code = sw_fail(err, SW_DATA, "%s:%d: `%.*s` is not a word of the grammar",
                     path, (int)line, at - first > 40 ? 40 : (int)(at - first),
                     text + first);
    else if (length == LONGEST)
      code = sw_fail(err, SW_LIMIT, "%s:%d: more than %d words", path,
                     (int)line, LONGEST);
    else words[length++] = (int16_t)word;
  }
  free(grammar);
  if (!code && !length) code = sw_fail(err, SW_DATA, "%s: no words", path);
  return code ? code : sw_parsing_instance_new(instance, words, length, err);
}
