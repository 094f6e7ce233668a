/* Shared by the colouring tests: options, digests, and the smallest closed
 * loop that drives an environment with a rule or the `hash` stand-in. */
#ifndef TESTS_COLORING_HELP_H
#define TESTS_COLORING_HELP_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/hash.h"
#include "domains/coloring/coloring_env.h"
#include "domains/domain.h"

static inline const sw_domain *coloring(void) {
  const sw_domain *d = sw_domain_find("coloring");
  assert_non_null(d);
  return d;
}

/* Resolved options: preset, then "name=value" pairs, NULL at the end. */
static inline void options_of(sw_domain_options *o, const char *preset, ...) {
  sw_err err;
  sw_domain_defaults(coloring(), o);
  assert_int_equal(sw_domain_set(coloring(), "preset", preset, o, &err), 0);
  va_list list;
  va_start(list, preset);
  for (const char *name; (name = va_arg(list, const char *)) != NULL;) {
    const char *value = va_arg(list, const char *);
    assert_int_equal(sw_domain_set(coloring(), name, value, o, &err), 0);
  }
  va_end(list);
  if (coloring()->resolve(o, &err)) fail_msg("%s", err.text);
}

/* The published digests: decimal ids joined by commas; in a set, each sequence
 * is followed by a newline. */
static inline void digest_add(sw_sha *sha, const sw_trace *t, int newline) {
  char text[24];
  for (int64_t i = 0; i < t->length; i++) {
    int n = snprintf(text, sizeof text, "%s%d", i ? "," : "", t->token[i]);
    sw_sha_update(sha, text, (size_t)n);
  }
  if (newline) sw_sha_update(sha, "\n", 1);
}
static inline void digest_one(const sw_trace *t, char hex[41]) {
  sw_sha sha;
  sw_sha1_init(&sha);
  digest_add(&sha, t, 0);
  sw_sha_hex(&sha, hex);
}

/* A policy: a rule by name, or "hash": the published stand-in for a network
 * (score of token x in a context of L tokens), argmax, ties to the lowest. */
static inline int rule_index(const char *name) {
  for (int i = 0; sw_col_rules[i]; i++)
    if (strcmp(sw_col_rules[i], name) == 0) return i;
  return -1;
}
static inline int32_t hash_choice(sw_env *env, int64_t length) {
  int count;
  const sw_cand *cands = coloring()->search->candidates(env, &count);
  int32_t best = -1;
  uint32_t best_score = 0;
  for (int i = 0; i < count; i++) {
    uint32_t x = (uint32_t)cands[i].token;
    uint32_t score =
        ((x + 1) * (uint32_t)(length + 7) * UINT32_C(2654435761)) >> 16;
    if (best < 0 || score > best_score ||
        (score == best_score && cands[i].token < best)) {
      best = cands[i].token;
      best_score = score;
    }
  }
  return best;
}

typedef struct loop_sums {
  int64_t solved, backs, silent, decisions, revisited, repeats, blocks, tokens;
  int64_t conflicts, budget;
} loop_sums;

/* One instance; decisions are completed (node, colour) answers. */
static inline sw_env_status run_loop(sw_env *env, const sw_instance *g,
                                     const char *policy, sw_mt *mt,
                                     int64_t max_decisions, sw_trace *t,
                                     loop_sums *sums) {
  const sw_domain *d = coloring();
  int rule = rule_index(policy);
  sw_err err;
  assert_int_equal(d->search->env_reset(env, g, &err), 0);
  sw_trace_clear(t);
  d->search->write_prefix(env, t);
  int64_t decisions = 0;
  sw_env_status status = SW_ENV_BLOCK_END;
  while (status == SW_ENV_BLOCK_END && decisions < max_decisions) {
    status = d->search->prompt(env, t);
    while (status == SW_ENV_QUERY) {
      int32_t token = rule < 0 ? hash_choice(env, t->length)
                               : d->search->rule.choose(env, rule, mt);
      decisions += token > SW_T_COLOR && token <= SW_T_COLOR + 4;
      status = token == d->back_token ? d->search->go_back(env, t)
                                      : d->search->feed(env, token, t);
    }
  }
  assert_false(t->failed);
  if (status == SW_ENV_SOLVED) assert_true(d->search->check_solution(env));
  int64_t backs, silent, extra[8];
  d->search->counters(env, &backs, &silent);
  d->search->tell.extra(env, extra);
  sums->solved += status == SW_ENV_SOLVED;
  sums->backs += backs;
  sums->silent += silent;
  sums->decisions += decisions;
  sums->revisited += extra[0];
  sums->repeats += extra[1];
  sums->conflicts += env->conflicts;
  sums->blocks += t->blocks - 1;
  sums->tokens += t->length;
  sums->budget +=
      status == SW_ENV_FAILED && strcmp(d->search->reason(env), "budget") == 0;
  return status;
}
#endif
