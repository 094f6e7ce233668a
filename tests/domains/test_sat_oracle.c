/* Is a SAT state dead? The environment's ground truth against trying every
 * assignment, along random searches of small formulas, retries included; and
 * refute() with a limit: it may fail to prove, but never proves wrongly, and
 * without conflicts to spend it proves what propagation proves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "base/stop.h"
#include "domains/produce.h"
#include "domains/sat/sat_env.h"
#include "domains/sat/tokens.h"

/* Does some assignment satisfy the formula, agree with what is assigned, and
 * give `var` (-1: none) the value? */
static int extends(const sw_sat_search *s, int32_t var, int value) {
  const sw_instance *f = s->formula;
  for (uint32_t a = 0; a < 1u << f->n; a++) {
    int fits = var < 0 || (int)(a >> var & 1) == value;
    for (int32_t v = 0; v < f->n && fits; v++)
      fits = s->value[2 * v] == 0 || (s->value[2 * v] > 0) == (a >> v & 1);
    for (int32_t c = 0; c < f->m && fits; c++) {
      int holds = 0;
      for (int32_t i = f->start[c]; i < f->start[c + 1]; i++)
        holds |= (int)(a >> (f->literal[i] >> 1) & 1) != (f->literal[i] & 1);
      fits = holds;
    }
    if (fits) return 1;
  }
  return 0;
}

static int viable(const sw_sat_search *s) {
  int32_t open = sw_sat_open_var(s);
  if (open < 0) return extends(s, -1, 0);
  int left = sw_sat_domain(s, open);
  return ((left & SW_SAT_BIT_TRUE) && extends(s, open, 1)) ||
         ((left & SW_SAT_BIT_FALSE) && extends(s, open, 0));
}

/* Does propagation alone, with the open decision's last value or `var` taken,
 * reach a falsified clause? Repeats whole passes until nothing changes. */
static int propagates_to_conflict(const sw_sat_search *s, int32_t var,
                                  int value) {
  const sw_instance *f = s->formula;
  int known[16], open = sw_sat_open_var(s), changed = 1;
  for (int32_t v = 0; v < f->n; v++) known[v] = s->value[2 * v];
  if (open >= 0 && sw_sat_domain(s, open) != SW_SAT_BIT_BOTH)
    known[open] = sw_sat_domain(s, open) == SW_SAT_BIT_TRUE ? 1 : -1;
  if (var >= 0) known[var] = value ? 1 : -1;
  while (changed) {
    changed = 0;
    for (int32_t c = 0; c < f->m; c++) {
      int holds = 0, unset = 0, last = -1;
      for (int32_t i = f->start[c]; i < f->start[c + 1]; i++) {
        int32_t v = f->literal[i] >> 1, sign = f->literal[i] & 1 ? -1 : 1;
        holds |= known[v] == sign;
        if (known[v] == 0) {
          unset++;
          last = f->literal[i];
        }
      }
      if (holds) continue;
      if (unset == 0) return 1;
      if (unset > 1) continue;
      known[last >> 1] = last & 1 ? -1 : 1;
      changed = 1;
    }
  }
  return 0;
}

typedef struct tally {
  int64_t states, dead, retries, proven, values, at_once;
} tally;

static void check_state(sw_env *env, tally *t) {
  const sw_search_ops *ops = sw_domain_find("sat")->search;
  const sw_sat_search *s = &env->search;
  int64_t spent = 0;
  if (ops->in_conflict(env)) {
    assert_int_equal(ops->truth.doomed(env),
                     0); /* exposed: that is another thing */
    return;
  }
  int dead = !viable(s), limited = ops->truth.refute(env, -1, 3, &spent);
  assert_int_equal(ops->truth.doomed(env), dead);
  assert_int_equal(ops->truth.refute(env, -1, -1, &spent), dead);
  assert_true(dead || !limited);
  assert_true(spent >= 0);
  spent = 0;
  int at_once = ops->truth.refute(env, -1, 0, &spent);
  assert_int_equal(at_once, propagates_to_conflict(s, -1, 0));
  assert_int_equal(spent, 0);
  assert_true(limited || !at_once);
  t->at_once += at_once;
  t->states++;
  t->dead += dead;
  t->proven += limited;
  t->retries += sw_sat_open_var(s) >= 0;
}

/* The values of the chosen variable, each by itself. */
static void check_values(sw_env *env, tally *t) {
  const sw_search_ops *ops = sw_domain_find("sat")->search;
  const sw_sat_search *s = &env->search;
  for (int value = 0; value < 2; value++) {
    int64_t spent = 0;
    if (!(sw_sat_domain(s, s->selected) & (1 << value))) continue;
    int dead = ops->truth.refute(env, sw_sat_value_token(value), -1, &spent);
    assert_int_equal(dead, !extends(s, s->selected, value));
    assert_int_equal(
        ops->truth.refute(env, sw_sat_value_token(value), 0, &spent),
        propagates_to_conflict(s, s->selected, value));
    t->values++;
  }
}

static void walk(sw_env *env, sw_mt *mt, sw_trace *trace, tally *t) {
  const sw_search_ops *ops = sw_domain_find("sat")->search;
  sw_env_status status = SW_ENV_BLOCK_END;
  for (int step = 0; step < 60; step++) {
    if (status == SW_ENV_BLOCK_END) status = ops->prompt(env, trace);
    if (status != SW_ENV_QUERY) return;
    int back = 0, first = env->asking == SW_SAT_ASK_VARIABLE;
    if (first) {
      check_state(env, t);
      back = ops->in_conflict(env) || sw_mt_below(mt, 8) == 0;
    } else {
      check_values(env, t);
    }
    if (back && !ops->at_root(env)) {
      status = ops->go_back(env, trace);
      continue;
    }
    int count;
    const sw_cand *c = ops->candidates(env, &count);
    int pick;
    do pick = (int)sw_mt_below(mt, (uint32_t)count);
    while (c[pick].kind != SW_CAND_CONTINUE);
    status = ops->feed(env, c[pick].token, trace);
  }
}

static void agrees_with_trying_everything(void **state) {
  (void)state;
  const sw_domain *d = sw_domain_find("sat");
  static const char *const family[] = {"planted", "random"};
  tally t = {0};
  sw_mt mt;
  sw_mt_seed(&mt, 3);
  for (int k = 0; k < 2; k++) {
    sw_domain_options o;
    sw_rules rules = {0};
    sw_stream *stream;
    sw_env *env;
    sw_trace trace;
    sw_trace_init(&trace);
    sw_domain_defaults(d, &o);
    o.n = 9;
    assert_int_equal(sw_options_set(d->options, d->option_count, "family",
                                    family[k], &o, NULL),
                     SW_OK);
    assert_int_equal(d->resolve(&o, NULL), SW_OK);
    assert_int_equal(d->stream_new(&stream, &o, 5, SW_SPLIT_TEST, NULL), SW_OK);
    assert_int_equal(d->search->env_new(&env, &o, &rules, NULL), SW_OK);
    for (int i = 0; i < 40; i++) {
      sw_instance *f;
      assert_int_equal(d->stream_next(stream, &f, NULL), SW_OK);
      assert_int_equal(d->search->env_reset(env, f, NULL), SW_OK);
      sw_trace_clear(&trace);
      walk(env, &mt, &trace, &t);
      d->instance_free(f);
    }
    d->search->env_free(env);
    d->stream_free(stream);
    sw_trace_free(&trace);
  }
  assert_true(t.states > 200 && t.dead > 20 && t.dead < t.states);
  assert_true(t.retries > 20 && t.proven > 0 && t.values > 200);
  assert_true(t.at_once > 0 && t.at_once < t.dead);
}

static int always(void *unused) {
  (void)unused;
  return 1;
}

/* A question that is interrupted has no answer, and the environment says so
 * until it begins anew. */
static void interruptions_are_told(void **state) {
  (void)state;
  const sw_domain *sat = sw_domain_find("sat");
  const char *text = "p cnf 4 3\n1 2 3 0\n-1 -2 4 0\n1 -3 -4 0\n";
  sw_domain_options options;
  sw_rules rules = {0};
  sw_instance *f;
  sw_env *env;
  sw_err err;
  sw_trace trace;
  sw_stop_scope scope;
  sw_domain_defaults(sat, &options);
  assert_int_equal(sat->resolve(&options, &err), SW_OK);
  assert_int_equal(sat->file.parse(&f, "x", text, strlen(text), &options, &err),
                   SW_OK);
  assert_int_equal(sat->search->env_new(&env, &options, &rules, &err), SW_OK);
  sw_trace_init(&trace);
  for (int round = 0; round < 3; round++) {
    assert_int_equal(sat->search->env_reset(env, f, &err), SW_OK);
    sat->search->write_prefix(env, &trace);
    assert_int_equal(sat->search->prompt(env, &trace), SW_ENV_QUERY);
    int64_t spent = 0;
    if (round == 1) sw_stop_enter(&scope, 0, always, NULL);
    assert_int_equal(sat->search->truth.refute(env, -1, -1, &spent), 0);
    if (round == 1) sw_stop_leave(&scope);
    assert_int_equal(sat->search->trouble(env, NULL),
                     round == 1 ? SW_STOPPED : 0);
  }
  sw_trace_free(&trace);
  sat->search->env_free(env);
  sat->instance_free(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(agrees_with_trying_everything),
      cmocka_unit_test(interruptions_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
