/* Helpers of the parsing tests: resolved options, sentences from text, a loop
 * that runs a rule, digests. */
#ifndef SW_TESTS_PARSING_SUPPORT_H
#define SW_TESTS_PARSING_SUPPORT_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/hash.h"
#include "domains/parsing/parsing_env.h"

extern const sw_domain sw_domain_parsing;

static inline sw_domain_options parsing_options(int release,
                                                const char *format) {
  sw_domain_options o;
  sw_err err;
  sw_domain_defaults(&sw_domain_parsing, &o);
  o.preset = release;
  o.format = format;
  assert_int_equal(sw_domain_parsing.resolve(&o, &err), SW_OK);
  return o;
}

/* Fair streams, lengths limited as in the release. */
static inline sw_domain_options parsing_capped(void) {
  sw_domain_options o = parsing_options(0, "paper");
  o.max_blocks = 0;
  o.max_tokens = 2048;
  o.too_long = "drop";
  return o;
}

static inline sw_instance *sentence(const char *text,
                                    const sw_domain_options *o) {
  sw_instance *made = NULL;
  sw_err err;
  if (sw_domain_parsing.file.parse(&made, "sentence", text, strlen(text), o,
                                   &err))
    fail_msg("%s", err.text);
  return made;
}

static inline void sentence_text(const sw_instance *instance, char *text) {
  char word[32];
  for (int32_t i = 0; i < instance->length; i++) {
    sw_domain_parsing.token_text(&sw_domain_parsing,
                                 SW_PARSING_INPUT + instance->word[i], word,
                                 sizeof word);
    text += sprintf(text, i ? " %s" : "%s", word);
  }
  *text = 0;
}

static inline void digest_tokens(sw_sha *sha, const sw_trace *trace) {
  char text[16];
  for (int64_t i = 0; i < trace->length; i++) {
    int length =
        snprintf(text, sizeof text, i ? " %d" : "%d", (int)trace->token[i]);
    sw_sha_update(sha, text, (size_t)length);
  }
  sw_sha_update(sha, "\n", 1);
}

typedef struct parsing_run {
  int solved;
  char reason[32];
  int64_t decisions, backs, extra[8];
} parsing_run;

/* A rule in a loop: `budget` decisions and goings back. */
static inline parsing_run run_rule(sw_env *env, const sw_instance *instance,
                                   int rule, sw_mt *mt, int64_t budget,
                                   sw_trace *trace) {
  const sw_domain *d = &sw_domain_parsing;
  parsing_run r;
  int64_t silent;
  memset(&r, 0, sizeof r);
  assert_int_equal(d->search->env_reset(env, instance, NULL), SW_OK);
  sw_trace_clear(trace);
  d->search->write_prefix(env, trace);
  sw_env_status status = SW_ENV_BLOCK_END;
  for (int64_t step = 0; status == SW_ENV_BLOCK_END && step < budget; step++) {
    status = d->search->prompt(env, trace);
    if (status == SW_ENV_QUERY)
      status =
          d->search->feed(env, d->search->rule.choose(env, rule, mt), trace);
  }
  if (status == SW_ENV_BLOCK_END) status = d->search->prompt(env, trace);
  r.solved = status == SW_ENV_SOLVED;
  if (r.solved) assert_true(d->search->check_solution(env));
  snprintf(r.reason, sizeof r.reason, "%s", d->search->reason(env));
  d->search->counters(env, &r.backs, &silent);
  d->search->tell.extra(env, r.extra);
  r.decisions = r.extra[3];
  return r;
}

#endif
