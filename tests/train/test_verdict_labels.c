/* Where `train --verify` puts its labels: on the token behind which the verdict
 * is asked, in every format of 3-SAT, with and without judged states. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "domains/judge.h"
#include "domains/replay.h"
#include "domains/sat/tokens.h"
#include "train/feed.h"

enum { TRACES = 20 };

static void ok(int code, const sw_err *err) {
  if (code) fail_msg("%s", err->text);
}

typedef struct labels {
  int64_t dead, viable, backs;
} labels;

/* Labels of one trace stand before a decision and, unless states are judged,
 * say what it is. */
static void count(const sw_prepared *p, const char *format, labels *sum) {
  const sw_trace *t = &p->trace;
  int pad = !strcmp(format, "self") || !strcmp(format, "self-scan") ||
            !strcmp(format, "prop");
  for (int64_t i = 0; i + 1 < t->length; i++) {
    int32_t next = t->token[i + 1];
    sum->backs += next == SW_SAT_CONFLICT && t->supervised[i + 1];
    if (p->verdict[i] == SW_UNJUDGED) continue;
    if (pad && next != SW_SAT_SOLVED && next != SW_SAT_FAILED)
      assert_int_equal(t->token[i], SW_SAT_PROP_END);
    assert_true(next == SW_SAT_CONFLICT || next == SW_SAT_SOLVED ||
                next == SW_SAT_FAILED || next >= SW_SAT_VARIABLE);
    if (!t->judged)
      assert_int_equal(p->verdict[i],
                       next == SW_SAT_CONFLICT ? SW_DEAD : SW_VIABLE);
    sum->dead += p->verdict[i] == SW_DEAD;
    sum->viable += p->verdict[i] == SW_VIABLE;
  }
}

static sw_stream *open_stream(const sw_domain *domain, const char *format,
                              sw_domain_options *o) {
  sw_stream *stream;
  sw_err err = {0};
  sw_domain_defaults(domain, o);
  o->n = 9;
  o->format = format;
  o->expert = "clause"; /* the same searches in every format */
  ok(domain->resolve(o, &err), &err);
  ok(domain->stream_new(&stream, o, 3, SW_SPLIT_TRAIN, &err), &err);
  return stream;
}

static labels label(const char *format, int judged) {
  const sw_domain *domain = sw_domain_find("sat");
  sw_domain_options o;
  sw_stream *stream = open_stream(domain, format, &o);
  sw_err err = {0};
  labels sum = {0};
  for (uint32_t i = 0; i < TRACES; i++) {
    sw_instance *instance;
    sw_prepared p;
    sw_mt mt;
    sw_mt_seed(&mt, i);
    sw_prepared_init(&p);
    ok(domain->stream_next(stream, &instance, &err), &err);
    ok(domain->write_trace(instance, &o, &mt, &p.trace, &err), &err);
    if (judged)
      ok(sw_judge_trace(domain, &o, &sw_rules_of_expert, instance, &p.trace,
                        &err),
         &err);
    ok(sw_prepare_verdicts(&p, domain, &err), &err);
    count(&p, format, &sum);
    sw_prepared_free(&p);
    domain->instance_free(instance);
  }
  domain->stream_free(stream);
  return sum;
}

static void write_first(const char *format, sw_prepared *p) {
  const sw_domain *domain = sw_domain_find("sat");
  sw_domain_options o;
  sw_stream *stream = open_stream(domain, format, &o);
  sw_instance *instance;
  sw_err err = {0};
  sw_mt mt;
  sw_mt_seed(&mt, 0);
  sw_prepared_init(p);
  ok(domain->stream_next(stream, &instance, &err), &err);
  ok(domain->write_trace(instance, &o, &mt, &p->trace, &err), &err);
  domain->instance_free(instance);
  domain->stream_free(stream);
}

static void labels_stand_at_the_decision(void **state) {
  (void)state;
  const char *const *formats = sw_domain_find("sat")->formats;
  labels judged = label("full", 1);
  assert_true(judged.dead > judged.backs && judged.backs > 10);
  for (int i = 0; formats[i]; i++) {
    labels own = label(formats[i], 0);
    assert_int_equal(own.dead, judged.backs); /* a pad may say CONFLICT too */
    own = label(formats[i], 1);
    assert_int_equal(own.dead, judged.dead);
    assert_int_equal(own.viable, judged.viable);
  }
}

/* Targets that `train --decision-weight` calls decisions: of formats with a
 * scratchpad its end and the policy's words behind it, of others none. */
static void decisions_stand_behind_the_pad(void **state) {
  (void)state;
  const sw_domain *domain = sw_domain_find("sat");
  for (int f = 0; domain->formats[f]; f++) {
    const char *format = domain->formats[f];
    int pad = !strcmp(format, "self") || !strcmp(format, "self-scan");
    sw_prepared p;
    sw_err err = {0};
    write_first(format, &p);
    ok(sw_prepare_decisions(&p, domain, &err), &err);
    const sw_trace *t = &p.trace;
    int64_t marked = 0, ends = 0;
    for (int64_t b = 1; b < t->blocks && pad; b++) {
      int behind = 0;
      for (int64_t i = t->block_start[b]; i < sw_trace_block_end(t, b); i++) {
        behind |= t->token[i] == SW_SAT_PROP_END;
        assert_int_equal(p.decides[i], behind && t->supervised[i]);
        marked += p.decides[i];
        ends += t->token[i] == SW_SAT_PROP_END;
      }
    }
    assert_int_equal(p.decisions, marked);
    assert_int_equal(pad, marked > 2 * ends && ends > 0);
    assert_int_equal(sw_prepared_example(&p).decides != NULL, pad);
    ok(sw_prepare_decisions(&p, NULL, &err), &err); /* and taken away */
    assert_null(sw_prepared_example(&p).decides);
    sw_prepared_free(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(labels_stand_at_the_decision),
      cmocka_unit_test(decisions_stand_behind_the_pad),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
