/* Is a state lost? Random searches of small problems that go back now and then;
 * at each query the environment's ground truth is compared with the test's own
 * way of trying everything. Shared by the tests of colouring, Blocks World and
 * parsing. */
#ifndef SW_TESTS_DOOMED_WALK_H
#define SW_TESTS_DOOMED_WALK_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "domains/domain.h"

typedef struct tally {
  int64_t states, dead;
} tally;

typedef int brute(sw_env *env); /* 1: can be completed */

/* One search with random answers; every state without an exposed conflict is
 * asked about, at each query of its block. */
static inline void walk(const sw_domain *d, sw_env *env, sw_mt *mt,
                        sw_trace *trace, brute *completable, tally *t) {
  const sw_search_ops *ops = d->search;
  sw_env_status status = SW_ENV_BLOCK_END;
  for (int step = 0; step < 120; step++) {
    if (status == SW_ENV_BLOCK_END) status = ops->prompt(env, trace);
    if (status != SW_ENV_QUERY) return;
    int count, conflict = ops->in_conflict(env);
    const sw_cand *c = ops->candidates(env, &count);
    int can_back = 0;
    for (int i = 0; i < count; i++) can_back |= c[i].kind == SW_CAND_BACK;
    if (conflict) {
      assert_int_equal(ops->truth.doomed(env), 0); /* exposed: another thing */
    } else {
      int dead = !completable(env);
      if (ops->truth.doomed(env) != dead)
        fail_msg("%s: doomed() says %d at step %d", d->name, !dead, step);
      t->states++;
      t->dead += dead;
    }
    if (can_back && (conflict || sw_mt_below(mt, 6) == 0) &&
        (conflict || !ops->at_root(env))) {
      status = ops->go_back(env, trace);
      continue;
    }
    int pick, legal = 0;
    c = ops->candidates(env, &count);
    for (int i = 0; i < count; i++) legal += c[i].kind == SW_CAND_CONTINUE;
    if (!legal) return;
    do pick = (int)sw_mt_below(mt, (uint32_t)count);
    while (c[pick].kind != SW_CAND_CONTINUE);
    status = ops->feed(env, c[pick].token, trace);
  }
}

static inline tally check(const char *domain, const char *const *settings,
                          int games, brute *completable) {
  const sw_domain *d = sw_domain_find(domain);
  tally t = {0};
  sw_mt mt;
  sw_mt_seed(&mt, 11);
  sw_domain_options o;
  sw_rules rules = {0};
  sw_stream *stream;
  sw_env *env;
  sw_trace trace;
  sw_err err = {0};
  sw_trace_init(&trace);
  sw_domain_defaults(d, &o);
  for (int i = 0; settings[i]; i += 2)
    if (sw_domain_set(d, settings[i], settings[i + 1], &o, &err))
      fail_msg("%s", err.text);
  if (d->resolve(&o, &err)) fail_msg("%s", err.text);
  assert_int_equal(d->stream_new(&stream, &o, 5, SW_SPLIT_TEST, NULL), SW_OK);
  assert_int_equal(d->search->env_new(&env, &o, &rules, NULL), SW_OK);
  for (int i = 0; i < games; i++) {
    sw_instance *instance;
    assert_int_equal(d->stream_next(stream, &instance, NULL), SW_OK);
    assert_int_equal(d->search->env_reset(env, instance, NULL), SW_OK);
    sw_trace_clear(&trace);
    d->search->write_prefix(env, &trace);
    walk(d, env, &mt, &trace, completable, &t);
    d->instance_free(instance);
  }
  d->search->env_free(env);
  d->stream_free(stream);
  sw_trace_free(&trace);
  return t;
}
#define SET(...) ((const char *const[]){__VA_ARGS__, NULL})

#endif
