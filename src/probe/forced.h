/* Teacher-forced evaluation on recorded searches (`eval --data`): at every step
 * the model is shown what the search had done, and answers the step's targets,
 * each after the right ones before it. Under every protocol (search/loop.h):
 *
 *   cumulative        everything that the search had done
 *   rebuilt           problem and state alone
 *   rebuilt-in-place  the same at the positions of cumulative
 *   foreign           as cumulative, but the blocks before are those of
 * searches of other groups
 *
 * The verdict of a step is whether its first target is going back. Its score is
 * the probability of going back among the first targets that the data has
 * anywhere. Asked step by step as in the closed loop (model/family.h: seats),
 * so the answers have the same bits there. Families that read states see no
 * history, so their answers are those of one protocol. */
#ifndef SW_PROBE_FORCED_H
#define SW_PROBE_FORCED_H
#include "base/hooks.h"
#include "base/stats.h"
#include "base/threads.h"
#include "probe/data.h"
#include "search/loop.h"

enum { SW_FORCED_VIEWS = 4 }; /* as sw_protocol counts them */

/* The outcome of a step under one protocol. */
typedef struct sw_forced_answer {
  int32_t targets, hits; /* 0 targets: not asked (did not fit) */
  int32_t choice;        /* the model's first word */
  double back;           /* probability of going back */
  uint64_t bits;         /* hash of the scores that the choice was made from */
} sw_forced_answer;

/* A step with a state before it. */
typedef struct sw_forced_step {
  int64_t trace, block, cluster;
  int32_t right; /* its first target */
  int32_t depth; /* steps on minus steps back so far, at least 0 */
  uint8_t back;  /* goes back */
  uint8_t viability;
  uint8_t told; /* what the telling word says: goes back */
} sw_forced_step;

typedef struct sw_forced_steps {
  sw_forced_step *step;
  int64_t count, skipped; /* skipped: their first target has no state */
  int64_t targets, backs;
} sw_forced_steps;
int sw_forced_steps_list(sw_forced_steps *steps, const sw_probe_data *data,
                         sw_err *err);
void sw_forced_steps_free(sw_forced_steps *steps);

/* Asks every step under one protocol into answer[steps->count]. SW_USAGE: the
 * protocol is foreign, and no search of another group can lend its blocks. */
typedef struct sw_forced_how {
  const sw_loaded *loaded;
  sw_reading reading;
  sw_protocol protocol;
  sw_team *team;
  sw_progress_fn progress; /* may be NULL */
  void *context;
} sw_forced_how;
/* 1: for every search there is one of another group that can lend blocks. */
int sw_forced_lends(const sw_probe_data *data);
int sw_forced_ask(const sw_probe_data *data, const sw_forced_steps *steps,
                  const sw_forced_how *how, sw_forced_answer *answer,
                  sw_err *err);

/* ---- figures ---- */

/* Upper ends, inclusive, of depths and of steps before. */
#define SW_FORCED_DEPTHS \
  { 0, 1, 2, 4, 8, 16, 32, INT64_MAX }
#define SW_FORCED_LENGTHS \
  { 0, 1, 3, 7, 15, 31, 63, INT64_MAX }
enum { SW_FORCED_BINS = 8 };

typedef struct sw_forced_cell {
  int64_t steps, right;           /* the first word is */
  int64_t backs, backs_right;     /* verdicts of steps that go back, */
  int64_t onwards, onwards_right; /* and of the others */
} sw_forced_cell;

/* X(name): figures with intervals, resampled by group. */
#define SW_FORCED_FIGURES(X)                               \
  X(target_accuracy)                                       \
  X(step_accuracy)     /* all targets of the step right */ \
  X(choice_accuracy)   /* the first one */                 \
  X(verdict_accuracy)  /* go back or not */                \
  X(balanced_accuracy) /* the same, mean of the two */     \
  X(auroc)             /* of the probability of going back */

typedef struct sw_forced_view {
  int asked;
  int64_t steps, skipped; /* skipped: did not fit the position table */
#define X(name) sw_interval name;
  SW_FORCED_FIGURES(X)
#undef X
  double ece, brier;
  double viable_auroc; /* against the recorded truth; NaN: none recorded */
  int64_t judged;
  sw_forced_cell by_depth[SW_FORCED_BINS], by_history[SW_FORCED_BINS];
} sw_forced_view;

/* Cumulative beside rebuilt, on steps that both answered. */
typedef struct sw_forced_gap {
  int64_t steps;
  sw_interval choice_accuracy; /* cumulative minus rebuilt */
  sw_interval same_choice;     /* share */
  double largest_back;         /* difference of the probability */
  double exact_equal;          /* share of the same bits */
} sw_forced_gap;

/* Without a model. */
typedef struct sw_forced_floors {
  double onward_verdict;              /* always go on: verdicts right */
  double usual_choice;                /* always the usual word */
  double told_verdict, told_balanced; /* by the telling word; NaN: none */
} sw_forced_floors;
void sw_forced_floors_of(const sw_probe_data *data,
                         const sw_forced_steps *steps, sw_forced_floors *out);

/* `back`: the token of going back, -1: there are no verdicts. */
int sw_forced_view_of(const sw_forced_steps *steps,
                      const sw_forced_answer *answer, int32_t back,
                      int64_t resamples, uint64_t seed, sw_forced_view *out,
                      sw_err *err);
int sw_forced_gap_of(const sw_forced_steps *steps, const sw_forced_answer *with,
                     const sw_forced_answer *without, int64_t resamples,
                     uint64_t seed, sw_forced_gap *out, sw_err *err);

#endif
