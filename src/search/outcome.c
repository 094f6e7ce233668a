/* Summaries of outcomes: rates per queried state of their kind, with counts. */
#include "search/outcome.h"

#include <string.h>

#include "base/check.h"
#include "base/stats.h"

int sw_outcome_timed_out(const sw_outcome *outcome) {
  static const char *const limits[] = {"max_decisions", "max_steps", "budget",
                                       "timeout", "max_seq_len"};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
    if (!strcmp(outcome->reason, limits[i])) return 1;
  return 0;
}

int sw_outcome_alive(const sw_outcome *outcome, int64_t decisions) {
  return outcome->solved || outcome->decisions > decisions;
}

int64_t sw_count_alive(const sw_outcome *outcomes, int64_t count,
                       int64_t decisions) {
  int64_t alive = 0;
  for (int64_t i = 0; i < count; i++)
    alive += sw_outcome_alive(&outcomes[i], decisions);
  return alive;
}

/* Counters of a store may be anything; a sum stays at the end of the range. */
static void add_to(int64_t *sum, int64_t count) {
  if (__builtin_add_overflow(*sum, count, sum))
    *sum = count > 0 ? INT64_MAX : INT64_MIN;
}

static double rate(int64_t part, int64_t whole) {
  return whole > 0 ? (double)part / (double)whole : 0.0;
}

void sw_summarize(const sw_outcome *outcomes, int64_t count,
                  sw_summary *summary) {
  SW_ASSERT(count >= 0 && (outcomes || !count));
  SW_ASSERT(summary);
  memset(summary, 0, sizeof *summary);
  summary->n = count;
  for (int64_t i = 0; i < count; i++) {
    const sw_outcome *o = &outcomes[i];
    summary->solved += o->solved;
    summary->timeouts += sw_outcome_timed_out(o);
    summary->verifier_seconds += o->verifier_seconds;
#define X(name, since, text) add_to(&summary->name, o->name);
    SW_OUTCOME_COUNTERS(X)
#undef X
  }
  summary->solve_rate = rate(summary->solved, count);
  sw_interval interval = sw_wilson(summary->solved, count, SW_Z95);
  summary->ci_low = interval.low;
  summary->ci_high = interval.high;
  summary->timeout_rate = rate(summary->timeouts, count);
  summary->mean_decisions = rate(summary->decisions, count);
  int64_t backs = summary->backs;
  add_to(&backs, summary->silent_backs);
  summary->mean_backs = rate(backs, count);
  summary->repeat_rate = rate(summary->repeats, summary->retry_queries);
  summary->missed_conflict_rate =
      rate(summary->missed_conflicts, summary->conflict_queries);
  summary->false_prune_rate =
      rate(summary->false_prunes, summary->viable_queries);
}

double sw_solved_within(const sw_outcome *outcomes, int64_t count,
                        int64_t decisions) {
  int64_t solved = 0;
  for (int64_t i = 0; i < count; i++)
    solved += outcomes[i].solved && outcomes[i].decisions <= decisions;
  return rate(solved, count);
}

#ifdef SW_DEBUG
const char *sw_outcome_check(const sw_outcome *o) {
  if (!o || o->instance < 0) return "no instance";
#define X(name, ...) \
  if (o->name < 0) return #name " below 0";
  SW_OUTCOME_COUNTERS(X)
#undef X
  if (o->right_pads + o->malformed_pads > o->pads) return "more pads than all";
  return NULL;
}
#endif
