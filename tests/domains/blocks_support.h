/* Helpers of the Blocks World tests: resolved options, a loop that runs a rule
 * in the environment, and digests of token sequences. */
#ifndef SW_TESTS_BLOCKS_SUPPORT_H
#define SW_TESTS_BLOCKS_SUPPORT_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/hash.h"
#include "domains/blocks/blocks_env.h"

extern const sw_domain sw_domain_blocks;

#define assert_near(value, want, within)                                 \
  do {                                                                   \
    double near_value = (value), near_want = (want);                     \
    if (!(near_value >= near_want - (within) &&                          \
          near_value <= near_want + (within)))                           \
      fail_msg("%s is %.10g, not %.10g", #value, near_value, near_want); \
  } while (0)

static inline sw_domain_options blocks_options(int release, int n) {
  sw_domain_options o;
  sw_domain_defaults(&sw_domain_blocks, &o);
  o.preset = release;
  o.n = n;
  return o;
}

static inline sw_domain_options blocks_resolved(int release, int n) {
  sw_domain_options o = blocks_options(release, n);
  sw_err err;
  assert_int_equal(sw_domain_blocks.resolve(&o, &err), SW_OK);
  return o;
}

/* The fair streams with the release's length limit. */
static inline sw_domain_options blocks_capped(int n) {
  sw_domain_options o = blocks_options(0, n);
  sw_err err;
  o.max_blocks = 0;
  o.max_tokens = 2048;
  o.too_long = "drop";
  assert_int_equal(sw_domain_blocks.resolve(&o, &err), SW_OK);
  return o;
}

static inline void digest_trace(sw_sha *sha, const sw_trace *trace) {
  char text[16];
  for (int64_t i = 0; i < trace->length; i++) {
    int length =
        snprintf(text, sizeof text, i ? " %d" : "%d", (int)trace->token[i]);
    sw_sha_update(sha, text, (size_t)length);
  }
  sw_sha_update(sha, "\n", 1);
}

typedef struct blocks_run {
  int solved;
  const char *reason;
  int64_t steps, backs;
  int64_t extra[8]; /* prompts chosen revisits listed repeats premature */
} blocks_run;

/* The release's loop: a goal reached by the last step is not noticed. */
static inline blocks_run run_release(sw_env *env, const sw_instance *instance,
                                     int rule, sw_mt *mt, int64_t max_steps,
                                     sw_trace *trace) {
  const sw_domain *d = &sw_domain_blocks;
  blocks_run r = {0, "max_steps", 0, 0, {0}};
  int64_t silent;
  assert_int_equal(d->search->env_reset(env, instance, NULL), SW_OK);
  sw_trace_clear(trace);
  d->search->write_prefix(env, trace);
  sw_env_status status = SW_ENV_BLOCK_END;
  while (status == SW_ENV_BLOCK_END && r.steps < max_steps) {
    r.steps++;
    status = d->search->prompt(env, trace);
    while (status == SW_ENV_QUERY)
      status =
          d->search->feed(env, d->search->rule.choose(env, rule, mt), trace);
  }
  r.solved = status == SW_ENV_SOLVED;
  if (status != SW_ENV_BLOCK_END) r.reason = d->search->reason(env);
  d->search->counters(env, &r.backs, &silent);
  d->search->tell.extra(env, r.extra);
  return r;
}

/* `budget` tokens (0: none); a decision counts only if prompt and
 * action fit; the goal is tested after the last decision too. */
static inline blocks_run run_fair(sw_env *env, const sw_instance *instance,
                                  int rule, sw_mt *mt, int64_t max_steps,
                                  int64_t budget, sw_trace *trace) {
  const sw_domain *d = &sw_domain_blocks;
  blocks_run r = {0, "max_steps", 0, 0, {0}};
  int64_t silent;
  assert_int_equal(d->search->env_reset(env, instance, NULL), SW_OK);
  sw_trace_clear(trace);
  d->search->write_prefix(env, trace);
  sw_env_status status = SW_ENV_BLOCK_END;
  for (; status == SW_ENV_BLOCK_END && r.steps < max_steps; r.steps++) {
    status = d->search->prompt(env, trace);
    if (status != SW_ENV_QUERY) break;
    int32_t token = d->search->rule.choose(env, rule, mt);
    if (budget > 0 &&
        trace->length + (token == d->back_token ? 1 : 4) > budget) {
      r.reason = "max_seq_len";
      break;
    }
    status = token == d->back_token ? d->search->go_back(env, trace)
                                    : d->search->feed(env, token, trace);
    while (status == SW_ENV_QUERY)
      status =
          d->search->feed(env, d->search->rule.choose(env, rule, mt), trace);
  }
  r.solved = status == SW_ENV_SOLVED;
  d->search->counters(env, &r.backs, &silent);
  d->search->tell.extra(env, r.extra);
  return r;
}

#endif
