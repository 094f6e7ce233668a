/* Random answers to an environment of any domain, nonsense included: the calls
 * must keep their promises (domains/domain.h) whatever is fed. For runs of
 * millions of answers under the sanitizers. */
#ifndef SW_TESTS_PLAIN_WALK_H
#define SW_TESTS_PLAIN_WALK_H
#include "domains/domain.h"

static inline sw_env_status plain_answer(const sw_domain *d, sw_env *env,
                                         sw_mt *mt, sw_trace *trace) {
  int count;
  const sw_cand *cands = d->search->candidates(env, &count);
  int64_t before = trace->length;
  assert_true(count > 0);
  uint32_t how = sw_mt_below(mt, 64);
  sw_env_status status;
  if (how == 0) {
    status = d->search->feed(env, (int32_t)sw_mt_below(mt, 300) - 20, trace);
  } else if (how < 6) {
    status = d->search->go_back(env, trace);
  } else {
    int pick = (int)sw_mt_below(mt, (uint32_t)count);
    int32_t token = cands[pick].token;
    assert_true(token >= 0);
    status = d->search->feed(env, token, trace);
    /* Nothing is written where there is nothing to go back to, or no room. */
    if (status != SW_ENV_FAILED && token != d->back_token)
      assert_int_equal(trace->length, before + 1);
  }
  assert_true(trace->length >= before && !trace->failed);
  return status;
}

static inline void plain_walk(const sw_domain *d, const sw_domain_options *o,
                              const sw_rules *rules, int64_t answers,
                              uint64_t seed) {
  sw_stream *stream;
  sw_env *env;
  sw_trace trace;
  sw_mt mt;
  int64_t solved = 0, ended = 0, a, b;
  uint64_t key[2];
  sw_trace_init(&trace);
  sw_mt_seed(&mt, seed);
  assert_int_equal(d->stream_new(&stream, o, seed, SW_SPLIT_VALID, NULL),
                   SW_OK);
  assert_int_equal(d->search->env_new(&env, o, rules, NULL), SW_OK);
  while (answers > 0) {
    sw_instance *instance;
    assert_int_equal(d->stream_next(stream, &instance, NULL), SW_OK);
    for (int again = 0; again < 8 && answers > 0; again++) {
      assert_int_equal(d->search->env_reset(env, instance, NULL), SW_OK);
      sw_trace_clear(&trace);
      d->search->write_prefix(env, &trace);
      sw_env_status status = SW_ENV_BLOCK_END;
      for (int i = 0; i < 2000; i++) {
        if (status == SW_ENV_BLOCK_END) {
          int64_t blocks = trace.blocks;
          status = d->search->prompt(env, &trace);
          if (status == SW_ENV_QUERY)
            assert_int_equal(trace.blocks, blocks + 1);
        }
        if (status != SW_ENV_QUERY) break;
        d->search->state_key(env, key);
        assert_true(d->search->depth(env) >= 0);
        if (d->search->in_conflict(env))
          assert_true(!d->search->truth.doomed ||
                      !d->search->truth.doomed(env));
        status = plain_answer(d, env, &mt, &trace);
        answers--;
      }
      ended++;
      if (status == SW_ENV_SOLVED) {
        assert_true(d->search->check_solution(env));
        solved++;
      } else if (status != SW_ENV_QUERY && status != SW_ENV_BLOCK_END) {
        assert_true(*d->search->reason(env) != 0);
      }
      d->search->counters(env, &a, &b);
      assert_true(a >= 0 && b >= 0);
      answers--;
    }
    d->instance_free(instance);
  }
  assert_true(solved > 0 && solved < ended);
  d->search->env_free(env);
  d->stream_free(stream);
  sw_trace_free(&trace);
}

#endif
