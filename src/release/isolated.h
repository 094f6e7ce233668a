/* The published experiment on verification alone, in graph colouring: a rule or
 * a model answers at the end of each block with a colour or with CF, and the
 * infrastructure does the rest. Kept as published, because its numbers must
 * come out exactly: the next node is DSATUR's, which passes over nodes whose
 * colours are all refuted, so that only an empty list of legal colours is ever
 * a reason to go back; and what was about to be asked is counted before it is
 * known that the block still fits. `repair` selects such nodes too. The
 * experiment `isolated-verification` uses states of equal size instead. Called
 * by its tests. */
#ifndef SW_RELEASE_ISOLATED_H
#define SW_RELEASE_ISOLATED_H
#include <stdint.h>
#include "base/err.h"
#include "domains/domain.h"

typedef struct sw_isolated_options {
  int64_t max_steps, budget; /* published: 500 and 2048 tokens */
  int repair;
} sw_isolated_options;

/* How a run ended. */
#define SW_ISOLATED_ENDS(X) \
  X(solved)                 \
  X(no_selectable_node)     \
  X(unsat_root)             \
  X(budget)                 \
  X(steps)
typedef enum {
#define X(name) SW_ISOLATED_##name,
  SW_ISOLATED_ENDS(X)
#undef X
      SW_ISOLATED_END_COUNT
} sw_isolated_end;

/* Sums over instances. */
typedef struct sw_isolated_sums {
  int64_t ended[SW_ISOLATED_END_COUNT];
  int64_t open, untried;         /* a colour is left; one of those was taken */
  int64_t false_back;            /* CF though a colour was left */
  int64_t exhausted, right_back; /* none is left; CF was said */
  int64_t retries, repeats;      /* a legal colour was tried; it was taken */
} sw_isolated_sums;

/* The answer to a block, which ends with OK: a token id. */
typedef int32_t (*sw_isolated_answer)(void *context, const int32_t *block,
                                      int32_t length);
/* Reads the block only: the smallest legal colour that was not tried, else
 * CF. */
int32_t sw_isolated_rule(void *context, const int32_t *block, int32_t length);

/* Plays one graph; adds to *sums. */
int sw_isolated_play(const sw_instance *graph,
                     const sw_isolated_options *options,
                     sw_isolated_answer answer, void *context,
                     sw_isolated_sums *sums, sw_err *err);

#endif
