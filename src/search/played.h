/* Traces of searches for sw_produce: a rule plays, a verifier says when to go
 * back, and the dialogue is written as a data set's trace, cut where the
 * domain's options cut. With a verifier that has been learned these are the
 * states that it meets, its mistakes among them. Called by `gen --play` and by
 * repro/job_model.c. */
#ifndef SW_SEARCH_PLAYED_H
#define SW_SEARCH_PLAYED_H
#include "domains/produce.h"

typedef struct sw_played {
  const sw_domain *domain;
  const sw_domain_options *options; /* resolved */
  const char *rule, *verifier;
  uint64_t seed;     /* of what is drawn */
  int verdict_shown; /* 1: the rule may be shown the verdict */
} sw_played;

/* SW_USAGE: no such rule or verifier, or one that the format does not suit. */
int sw_played_check(const sw_played *played, sw_err *err);
/* An sw_produce_write; `context` is an sw_played. */
int sw_played_write(void *context, const sw_instance *instance, int64_t index,
                    sw_trace *out, sw_err *err);

#endif
