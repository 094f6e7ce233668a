/* The candidates of a query: a list that grows, so that a domain may offer its
 * whole vocabulary. An environment owns one and hands it out until its next
 * call (domain.h: candidates). */
#ifndef SW_DOMAINS_CANDS_H
#define SW_DOMAINS_CANDS_H
#include <stdint.h>

/* Candidate kinds. */
typedef enum {
  SW_CAND_CONTINUE, /* a legal continuation */
  SW_CAND_BACK,     /* going back */
  SW_CAND_REPEAT,   /* illegal or already failed value: offered, not legal */
  SW_CAND_MISSED    /* a continuation at a conflict state: a missed conflict */
} sw_cand_kind;
typedef struct sw_cand {
  int32_t token;
  int32_t kind;
} sw_cand;

typedef struct sw_cands {
  sw_cand *item;
  int32_t count, room;
} sw_cands;

/* Adds a candidate. Out of memory it leaves the list empty for good, so that
 * the caller meets a query without candidates and not one with too few. */
void sw_cands_put(sw_cands *list, int32_t token, int kind);
void sw_cands_clear(sw_cands *list);
void sw_cands_free(sw_cands *list);
/* Index of a token, or -1. */
int sw_cands_find(const sw_cand *item, int count, int32_t token);

#endif
