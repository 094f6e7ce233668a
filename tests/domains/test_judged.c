/* Judged traces: the verdict on every block against trying every assignment
 * that agrees with what the block's own tokens say; where the decision begins;
 * other instances' traces are refused; a judged data set reads back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "domains/produce.h"
#include "domains/judge.h"
#include "domains/replay.h"
#include "domains/sat/sat_instance.h"
#include "domains/sat/tokens.h"
#include "trace/dataset.h"

enum { N = 9 };

static void options_of(const char *name, sw_domain_options *o,
                       const sw_domain **domain) {
  *domain = sw_domain_find(name);
  sw_domain_defaults(*domain, o);
  if (!strcmp(name, "sat")) {
    sw_domain_set(*domain, "n", "9", o, NULL);
    sw_domain_set(*domain, "ratio", "4.6", o, NULL);
    sw_domain_set(*domain, "family", "random", o, NULL);
  }
  assert_int_equal((*domain)->resolve(o, NULL), 0);
}

/* Can the state written in token[0..count) be completed? `fixed`: -1 unknown,
 * else the value; a variable with T or F behind it has that value left. */
static int completes(const sw_instance *f, const int32_t *token, int count) {
  int fixed[N];
  for (int v = 0; v < N; v++) fixed[v] = -1;
  for (int i = 1; i < count && token[i] != SW_SAT_SEP; i++) {
    int32_t t = token[i];
    if (t >= SW_SAT_POSITIVE && t < SW_SAT_POSITIVE + N)
      fixed[t - SW_SAT_POSITIVE] = 1;
    else if (t >= SW_SAT_NEGATIVE && t < SW_SAT_NEGATIVE + N)
      fixed[t - SW_SAT_NEGATIVE] = 0;
    else if (t >= SW_SAT_VARIABLE && token[i + 1] != SW_SAT_U)
      fixed[t - SW_SAT_VARIABLE] = token[i + 1] == SW_SAT_T;
  }
  for (uint32_t a = 0; a < 1u << N; a++) {
    int fits = 1;
    for (int v = 0; v < N && fits; v++)
      fits = fixed[v] < 0 || fixed[v] == (int)(a >> v & 1);
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

static void against_brute_force(void **state) {
  (void)state;
  const sw_domain *domain;
  sw_domain_options o;
  sw_stream *stream;
  sw_trace trace;
  int viable = 0, dead = 0, early = 0;
  options_of("sat", &o, &domain);
  sw_trace_init(&trace);
  assert_int_equal(domain->stream_new(&stream, &o, 7, SW_SPLIT_TRAIN, NULL), 0);
  for (int t = 0; t < 40; t++) {
    sw_instance *f;
    sw_mt mt;
    sw_mt_seed(&mt, (uint32_t)t);
    assert_int_equal(domain->stream_next(stream, &f, NULL), 0);
    assert_int_equal(domain->write_trace(f, &o, &mt, &trace, NULL), 0);
    assert_false(trace.judged);
    assert_int_equal(
        sw_judge_trace(domain, &o, &sw_rules_of_expert, f, &trace, NULL), 0);
    assert_true(trace.judged);
    assert_int_equal(trace.verdict[0], SW_UNJUDGED);
    for (int64_t b = 1; b < trace.blocks; b++) {
      const int32_t *token = trace.token + trace.block_start[b];
      int32_t first = token[trace.query[b]];
      int can = completes(f, token, trace.query[b]);
      assert_int_equal(trace.verdict[b], can ? SW_VIABLE : SW_DEAD);
      assert_true(trace.supervised[trace.block_start[b] + trace.query[b]]);
      if (first == SW_SAT_CONFLICT) assert_false(can);
      else assert_true(first >= SW_SAT_VARIABLE);
      viable += can;
      dead += !can;
      early += !can && first != SW_SAT_CONFLICT;
    }
    domain->instance_free(f);
  }
  assert_true(viable > 50 && dead > 50 && early > 20);
  domain->stream_free(stream);
  sw_trace_free(&trace);
}

/* In formats with a scratchpad the verdict is that of the same search without
 * one, and stands where it is asked for: behind the pad. */
static void behind_the_scratchpad(void **state) {
  (void)state;
  static const char *const formats[] = {"full", "prop", "self", "self-scan"};
  uint8_t verdict[4][64];
  int64_t blocks[4];
  for (int k = 0; k < 4; k++) {
    const sw_domain *domain;
    sw_domain_options o;
    sw_stream *stream;
    sw_instance *f;
    sw_trace trace;
    sw_mt mt;
    options_of("sat", &o, &domain);
    o.format = formats[k];
    assert_int_equal(domain->resolve(&o, NULL), 0);
    sw_trace_init(&trace);
    sw_mt_seed(&mt, 2);
    assert_int_equal(domain->stream_new(&stream, &o, 7, SW_SPLIT_TRAIN, NULL),
                     0);
    assert_int_equal(domain->stream_next(stream, &f, NULL), 0);
    assert_int_equal(domain->write_trace(f, &o, &mt, &trace, NULL), 0);
    assert_int_equal(
        sw_judge_trace(domain, &o, &sw_rules_of_expert, f, &trace, NULL), 0);
    blocks[k] = trace.blocks;
    assert_int_equal(blocks[k], blocks[0]);
    assert_true(blocks[k] > 4 && blocks[k] < 64);
    memcpy(verdict[k], trace.verdict, (size_t)trace.blocks);
    for (int64_t b = 1; b < trace.blocks; b++) {
      int64_t at = trace.block_start[b] + trace.query[b];
      if (verdict[k][b] == SW_UNJUDGED) continue;
      assert_int_equal(verdict[k][b], verdict[0][b]);
      if (k) assert_int_equal(trace.token[at - 1], SW_SAT_PROP_END);
      assert_true(trace.token[at] == SW_SAT_CONFLICT ||
                  trace.token[at] >= SW_SAT_VARIABLE);
    }
    domain->instance_free(f);
    domain->stream_free(stream);
    sw_trace_free(&trace);
  }
}

static int ignore(void *context, sw_env *env, int64_t at, sw_err *err) {
  (void)env, (void)at, (void)err;
  ++*(int *)context;
  return SW_OK;
}

/* A trace belongs to one instance. */
static void other_instance(void **state) {
  (void)state;
  static const char *const names[] = {"sat", "coloring", "blocks", "parsing"};
  for (int d = 0; d < 4; d++) {
    const sw_domain *domain;
    sw_domain_options o;
    sw_stream *stream;
    sw_instance *a, *b;
    sw_trace trace;
    sw_replay replay;
    sw_mt mt;
    int visits = 0, waits;
    sw_replay_watch watch = {
        .context = &visits, .decides = ignore, .as_written = 1};
    sw_err err = {0};
    options_of(names[d], &o, &domain);
    sw_trace_init(&trace);
    sw_mt_seed(&mt, 1);
    assert_int_equal(domain->stream_new(&stream, &o, 3, SW_SPLIT_TRAIN, NULL),
                     0);
    assert_int_equal(domain->stream_next(stream, &b, NULL), 0);
    assert_int_equal(domain->stream_next(stream, &a, NULL), 0);
    while (domain->write_trace(a, &o, &mt, &trace, NULL) == SW_LIMIT) {
      domain->instance_free(a); /* its trace is too long to keep */
      assert_int_equal(domain->stream_next(stream, &a, NULL), 0);
    }
    assert_int_equal(
        sw_replay_open(&replay, domain, &o, &sw_rules_of_expert, NULL), 0);
    assert_int_equal(sw_replay_trace(&replay, a, &trace, &watch, &waits, NULL),
                     0);
    assert_true(visits > 0 && visits <= trace.blocks - 1);
    assert_int_equal(sw_replay_trace(&replay, b, &trace, &watch, &waits, &err),
                     SW_DATA);
    assert_non_null(strstr(err.text, "block"));
    sw_replay_close(&replay);
    domain->instance_free(a);
    domain->instance_free(b);
    domain->stream_free(stream);
    sw_trace_free(&trace);
  }
}

static void set_reads_back(void **state) {
  (void)state;
  char path[] = "/tmp/statewise-judged-XXXXXX";
  const sw_domain *domain;
  sw_domain_options o;
  sw_dataset set;
  sw_trace trace;
  sw_produce_stats one, two, plain;
  options_of("sat", &o, &domain);
  close(mkstemp(path));
  sw_produce_options p = {.count = 20, .seed = 5, .threads = 1, .viability = 1};
  assert_int_equal(sw_produce(domain, &o, &p, path, NULL, &one, NULL), 0);
  assert_int_equal(sw_dataset_open(&set, path, NULL), 0);
  assert_non_null(set.viability);
  sw_trace_init(&trace);
  int64_t dead = 0, viable = 0;
  sw_view_options whole = {.view = SW_VIEW_FULL},
                  single = {.view = SW_VIEW_STATE_ALL};
  for (int64_t t = 0; t < set.traces; t++) {
    assert_int_equal(sw_dataset_item(&set, &whole, t, &trace, NULL), 0);
    assert_true(trace.judged);
    for (int64_t b = 1; b < trace.blocks; b++) {
      dead += trace.verdict[b] == SW_DEAD;
      viable += trace.verdict[b] == SW_VIABLE;
    }
  }
  assert_int_equal(dead, one.dead);
  assert_int_equal(viable, one.viable);
  assert_true(dead > 10 && viable > 10);
  for (int64_t i = 0; i < sw_dataset_items(&set, &single); i++) {
    assert_int_equal(sw_dataset_item(&set, &single, i, &trace, NULL), 0);
    dead -= trace.verdict[1] == SW_DEAD;
  }
  assert_int_equal(dead, 0);
  sw_dataset_close(&set);
  p.threads = 2;
  assert_int_equal(sw_produce(domain, &o, &p, path, NULL, &two, NULL), 0);
  assert_string_equal(one.hash, two.hash);
  p.viability = 0;
  assert_int_equal(sw_produce(domain, &o, &p, path, NULL, &plain, NULL), 0);
  assert_string_not_equal(one.hash, plain.hash);
  assert_int_equal(sw_dataset_open(&set, path, NULL), 0);
  assert_null(set.viability);
  sw_dataset_close(&set);
  sw_trace_free(&trace);
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(against_brute_force),
                                     cmocka_unit_test(behind_the_scratchpad),
                                     cmocka_unit_test(other_instance),
                                     cmocka_unit_test(set_reads_back)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
