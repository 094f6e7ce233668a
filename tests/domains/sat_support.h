/* Shared by the SAT tests: resolved options, streams, hashes of token lists,
 * printing and parsing of token lines, small formulas. */
#ifndef TESTS_DOMAINS_SAT_SUPPORT_H
#define TESTS_DOMAINS_SAT_SUPPORT_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "domains/domain.h"
#include "domains/sat/sat_env.h"
#include "domains/sat/sat_instance.h"
#include "domains/sat/tokens.h"
#include "trace/trace.h"

#define HELPER __attribute__((unused)) static

extern const sw_domain sw_domain_sat;

HELPER sw_domain_options unset_options(int preset) {
  sw_domain_options o;
  sw_domain_defaults(&sw_domain_sat, &o);
  o.preset = preset;
  return o;
}

HELPER void resolve(sw_domain_options *o) {
  sw_err err = {0};
  if (sw_domain_sat.resolve(o, &err)) fail_msg("%s", err.text);
}

/* The release's options with the given size, error rate and token cap. */
HELPER sw_domain_options release_options(int n, double ratio,
                                         const char *family, double error,
                                         int cap) {
  sw_domain_options o = unset_options(1);
  o.n = n;
  sw_sat_own_edit(&o)->ratio = ratio;
  sw_sat_own_edit(&o)->family = family;
  sw_sat_own_edit(&o)->error = error;
  o.max_tokens = cap;
  resolve(&o);
  return o;
}

HELPER sw_instance *next_instance(sw_stream *stream) {
  sw_instance *instance = NULL;
  sw_err err = {0};
  if (sw_domain_sat.stream_next(stream, &instance, &err))
    fail_msg("%s", err.text);
  return instance;
}

HELPER sw_stream *open_stream(const sw_domain_options *o, uint64_t seed) {
  sw_stream *stream = NULL;
  sw_err err = {0};
  if (sw_domain_sat.stream_new(&stream, o, seed, SW_SPLIT_TRAIN, &err))
    fail_msg("%s", err.text);
  return stream;
}

/* SHA-1 of the decimal ids joined by commas. */
HELPER void token_sha1(const int32_t *token, int64_t length, char hex[41]) {
  sw_sha sha;
  char text[16];
  sw_sha1_init(&sha);
  for (int64_t i = 0; i < length; i++) {
    int used = snprintf(text, sizeof text, i ? ",%d" : "%d", (int)token[i]);
    sw_sha_update(&sha, text, (size_t)used);
  }
  sw_sha_hex(&sha, hex);
}

/* Tokens of a printed line; fails the test on an unknown word. */
HELPER int64_t parse_tokens(const char *text, int32_t *out) {
  int64_t count = 0;
  while (*text) {
    size_t length = strcspn(text, " \n");
    if (length) {
      out[count] = sw_sat_token_parse(text, length);
      if (out[count] < 0) fail_msg("no token: %.*s", (int)length, text);
      count++;
    }
    text += length + (text[length] != '\0');
  }
  return count;
}

/* Printed form of some tokens, malloc'd. */
HELPER char *print_tokens(const int32_t *token, int64_t count) {
  size_t room = 16 * (size_t)count + 1, used = 0;
  char *text = malloc(room);
  text[0] = '\0';
  for (int64_t i = 0; i < count; i++) {
    if (i) text[used++] = ' ';
    used += (size_t)sw_sat_token_text(NULL, token[i], text + used, room - used);
  }
  return text;
}

/* A formula from DIMACS-like numbers, clauses of three. */
HELPER sw_instance *formula3(int32_t n, int32_t m, const int (*clause)[3]) {
  int32_t start[256], literal[768];
  sw_instance *f = NULL;
  sw_err err = {0};
  for (int32_t c = 0; c < m; c++) {
    start[c] = 3 * c;
    for (int i = 0; i < 3; i++)
      literal[3 * c + i] = sw_sat_from_dimacs(clause[c][i]);
  }
  start[m] = 3 * m;
  if (sw_sat_instance_new(&f, n, m, start, literal, NULL, &err))
    fail_msg("%s", err.text);
  return f;
}

#endif
