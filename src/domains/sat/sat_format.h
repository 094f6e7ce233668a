/* Trace formats of SAT: one serializer, the format as a row of data. The same
 * functions write training traces and closed-loop contexts. A view is all the
 * serializer may look at, so a test can hand it any state. */
#ifndef SW_DOMAINS_SAT_FORMAT_H
#define SW_DOMAINS_SAT_FORMAT_H
#include <stdint.h>
#include "domains/sat/sat_instance.h"
#include "trace/trace.h"

/* What the list between STATE and SEP holds. */
typedef enum {
  SW_SAT_LIST_PAIRS,    /* unassigned variables, each with T, F or U */
  SW_SAT_LIST_PLAIN,    /* the same, but always U (retry mark: T or F) */
  SW_SAT_LIST_HIDDEN,   /* the same, but always ? */
  SW_SAT_LIST_IDS,      /* unassigned variables only */
  SW_SAT_LIST_RESIDUAL, /* shortest unsatisfied clauses, free literals only */
  SW_SAT_LIST_ALL       /* every variable: signed literal, or v with T/F/U */
} sw_sat_list;
/* What follows SEP. */
typedef enum {
  SW_SAT_SHOW_NOTHING,
  SW_SAT_SHOW_SCRATCH,  /* clause, its literals' truth, a verdict */
  SW_SAT_SHOW_EVIDENCE, /* clause and its literals' truth, no verdict */
  SW_SAT_SHOW_TOUCHED,  /* the clauses that are closest to falsified, bare */
  SW_SAT_SHOW_SELF,     /* [PROP]; the policy writes one clause with marks */
  SW_SAT_SHOW_SCAN      /* [PROP]; it writes clause after clause with marks */
} sw_sat_show;
/* Where an open decision's remaining value goes when retry marks are on. */
typedef enum {
  SW_SAT_MARK_LIST,  /* the list shows it anyway */
  SW_SAT_MARK_COLON, /* ": v d" before SEP */
  SW_SAT_MARK_FREE   /* "FREE v d" at the end of the state part */
} sw_sat_mark;

typedef struct sw_sat_format {
  const char *name;
  sw_sat_list list;
  sw_sat_show show;
  sw_sat_mark mark;
  int by_activity; /* list order: activity, else index */
  int key_clause;  /* CONFLICT names the lowest falsified clause, not the
                      one propagation found first */
  int supervise_ok, supervise_level;
  const char *expert; /* whose actions are a function of the block */
  int shows_verdict;  /* a token of the block is the verdict */
} sw_sat_format;

enum { SW_SAT_RESIDUAL_CLAUSES = 25, SW_SAT_TOUCHED_CLAUSES = 8 };
const sw_sat_format *sw_sat_format_find(const char *name); /* NULL: unknown */
static inline int sw_sat_writes_pad(const sw_sat_format *format) {
  return format->show == SW_SAT_SHOW_SELF || format->show == SW_SAT_SHOW_SCAN;
}

typedef struct sw_sat_view {
  const sw_instance *formula;
  const int8_t *value;  /* [2n] by literal: +1, -1, 0 */
  const int32_t *order; /* [n] activity order */
  int32_t open_var;     /* re-opened decision, or -1 */
  int32_t open_value;   /* its remaining value 0/1 */
  int32_t key_clause;   /* sw_sat_key_clause of the state */
  int retry_mark;
  int reread; /* the block holds the formula, behind the state */
} sw_sat_view;

/* Opens block 0: the formula, or nothing of it where blocks re-read it. */
void sw_sat_put_prefix(const sw_instance *formula, int reread, sw_trace *out);
/* Opens a block: STATE ... up to the query position. */
void sw_sat_put_state(const sw_sat_format *format, const sw_sat_view *view,
                      sw_trace *out);
/* What an exact solver writes behind the [PROP] of a scratchpad. */
void sw_sat_put_pad(const sw_sat_format *format, const sw_sat_view *view,
                    sw_trace *out);
/* OK and the unsupervised copy of the action. */
void sw_sat_put_ok(const sw_sat_format *format, int32_t var, int value,
                   sw_trace *out);
void sw_sat_put_conflict(const sw_sat_format *format, int32_t clause,
                         int32_t level, sw_trace *out);

/* sw_domain.token.facts (sat_facts.c). */
void sw_sat_facts(const sw_domain *domain, const sw_trace *trace,
                  int32_t *fact);
/* sw_domain.token.problem_span and .parts (sat_parts.c). */
int sw_sat_problem_span(const sw_domain *domain, const int32_t *token,
                        int64_t count, int64_t *from, int64_t *to);
int32_t sw_sat_parts(const sw_domain *domain, const sw_trace *trace,
                     sw_part *part);

#endif
