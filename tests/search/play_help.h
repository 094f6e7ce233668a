/* Playing conditions in tests: a guide by name on small SAT formulas. */
#ifndef TESTS_PLAY_HELP_H
#define TESTS_PLAY_HELP_H
#include <stdlib.h>
#include <string.h>
#include "domains/produce.h"
#include "search/evaluate.h"
#include "search/score.h"

typedef struct bed {
  sw_guide *guide;
  sw_domain_options task;
  sw_condition_options options;
  sw_condition condition;
} bed;

static inline void bed_open(bed *b, const char *domain, const char *guide,
                            int n) {
  sw_err err = {0};
  memset(b, 0, sizeof *b);
  sw_domain_defaults(sw_domain_find(domain), &b->task);
  if (n) b->task.n = n;
  sw_condition_defaults(&b->options);
  b->options.instances = 24;
  if (sw_guide_named(&b->guide, sw_domain_find(domain), guide, &err))
    fail_msg("%s", err.text);
}

static inline void bed_make(bed *b) {
  sw_err err = {0};
  if (sw_condition_make(&b->condition, &b->options, b->guide, &b->task, &err))
    fail_msg("%s", err.text);
}

static inline void bed_close(bed *b) { sw_guide_close(b->guide); }

/* The outcomes, without their times; freed by the caller. */
static inline sw_outcome *bed_play(bed *b, const sw_eval_hooks *hooks) {
  sw_err err = {0};
  bed_make(b);
  sw_outcome *o = calloc((size_t)b->condition.instances, sizeof *o);
  assert_non_null(o);
  if (sw_evaluate(&b->condition, hooks, o, &err)) fail_msg("%s", err.text);
  for (int64_t i = 0; i < b->condition.instances; i++)
    o[i].seconds = o[i].verifier_seconds = 0;
  return o;
}

static inline sw_summary bed_summary(bed *b) {
  sw_summary s;
  sw_outcome *o = bed_play(b, NULL);
  sw_summarize(o, b->condition.instances, &s);
  free(o);
  return s;
}

#endif
