/* Scratchpads of SAT: what a policy writes for itself between state and
 * decision in the formats `self` and `self-scan`, and what is counted of it.
 * Any token may be written and nothing is put right; the pad ends with [/PROP]
 * or at its limit. Used by the environment (sat_env.c). */
#ifndef SW_DOMAINS_SAT_PAD_H
#define SW_DOMAINS_SAT_PAD_H
#include "domains/domain.h"
#include "domains/sat/sat_format.h"

typedef struct sw_sat_pad {
  const sw_sat_format *format;
  sw_trace exact; /* what an exact solver would write, [/PROP] included */
  int64_t written, most; /* tokens so far; the limit */
  int differs;           /* from the exact one */
  int malformed;
  int found; /* a falsified clause is written, every literal marked false */
  /* Reading what is written: */
  int next;               /* what the grammar expects (sat_pad.c) */
  int32_t clause;         /* being written, */
  int32_t literals;       /* so many of its literals are right in order, */
  int matches, all_false; /* all of them; and all marks are F */
  int entries;
} sw_sat_pad;

/* Longest pad when `shown` tokens of problem and state stand before it: room
 * for one clause, or for a scan of all clauses and some more; 0: the format
 * has none. */
int64_t sw_sat_pad_limit(const sw_sat_format *format, int64_t shown);

void sw_sat_pad_init(sw_sat_pad *pad);
void sw_sat_pad_free(sw_sat_pad *pad);
void sw_sat_pad_begin(sw_sat_pad *pad, const sw_sat_format *format,
                      const sw_sat_view *view, int64_t shown);
/* The exact writer's next token. */
int32_t sw_sat_pad_exact(const sw_sat_pad *pad);
/* Takes a token; 1: the pad is over. */
int sw_sat_pad_take(sw_sat_pad *pad, const sw_sat_view *view, int32_t token);
/* Counts a pad that is over (domain.h: SW_PADS). */
void sw_sat_pad_count(const sw_sat_pad *pad, int conflict, int64_t *count);

#endif
