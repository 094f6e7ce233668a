/* The probes through the guide interface (search/guide.h), so that whatever can
 * play can be probed: a model, a rule, an endpoint. One list of labelled states
 * with several histories; each is asked about after each of its histories,
 * without any, and with blocks of unrelated searches in between.
 *
 *   same state, other history   do the choices agree (history transplant)?
 *   without history             is the choice the same as with it?
 *   padding                     is it the same with foreign blocks before it?
 *   verdicts                    does it go back exactly at conflicts?
 *
 * Only choices are compared, since an endpoint may give nothing else. */
#ifndef SW_PROBE_BY_GUIDE_H
#define SW_PROBE_BY_GUIDE_H
#include "base/hooks.h"
#include "base/json.h"
#include "base/stats.h"
#include "probe/states.h"
#include "search/guide.h"

typedef struct sw_by_guide_options {
  int64_t states; /* at most that many, half of them conflicts if there are */
  int histories;  /* of a state, at most */
  int padding;    /* foreign blocks; 0: no padding */
  int64_t resamples;
  uint64_t seed;
} sw_by_guide_options;

/* How often it went back where it should not, and did not where it should. */
typedef struct sw_verdict_counts {
  int64_t viable, false_backs, conflicts, missed;
} sw_verdict_counts;

typedef struct sw_by_guide_result {
  int64_t states, conflict_states, asked, unanswered;
  int64_t pairs;           /* of histories of one state */
  double same_choice;      /* share of the pairs */
  double same_verdict;     /* the same of going back or not */
  sw_interval interval;    /* of same_choice, clustered by instance */
  int64_t cleared, padded; /* states compared */
  double cleared_same;     /* with and without history: the same choice */
  double padded_same;      /* with and without padding: the same choice */
  sw_verdict_counts with, without;
} sw_by_guide_result;

/* Labelled states of a task to ask a guide about, from searches of the expert
 * with random choices mixed in: enough for options->states of both kinds. */
int sw_by_guide_states(const sw_domain *domain, const sw_domain_options *task,
                       int64_t instances, const sw_by_guide_options *options,
                       sw_states *states, sw_err *err);
/* SW_STOPPED and other errors of the guide are passed on. */
int sw_probe_by_guide(const sw_states *states, const sw_domain_options *domain,
                      sw_guide *guide, const sw_by_guide_options *options,
                      sw_progress_fn progress, void *context,
                      sw_by_guide_result *out, sw_err *err);
void sw_by_guide_json(const sw_by_guide_result *result, sw_json *json);

#endif
