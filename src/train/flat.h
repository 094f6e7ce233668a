/* Training until it stops improving (`--until flat`). The rate stays constant
 * after the warm-up until the best validation loss has improved by less than
 * one per cent (or less than `least`: a loss that goes to zero gains in per
 * cent for ever) over the last fifth of the steps taken; then it falls to zero
 * over a tail of a fifth of those steps. The rule first applies after a third
 * of the cap, and never to a fifth in which the rate was still rising.
 * Validations of the curriculum do not count: before a model is shown the
 * prefix, or while it is asked for facts, its loss levels off without meaning.
 * A run that never goes flat begins its tail where the cap still holds it, so
 * that a capped model is decayed too.
 *
 * A level loss says that the recipe has stopped, not that the model is at its
 * end. Where another model reached a lower loss on the same traces and targets,
 * such a run is a plateau (sw_ending_beside).
 *
 * The decision is a function of the validations so far, which a checkpoint
 * keeps, so a resumed run ends at the same step. */
#ifndef SW_TRAIN_FLAT_H
#define SW_TRAIN_FLAT_H
#include <stdint.h>
#include "base/err.h"

/* Why a run ended; the names are those of run.json and the tables. */
#define SW_TRAIN_ENDINGS(X) \
  X(STEPS, "steps")         \
  X(FLAT, "flat")           \
  X(CAP, "cap")             \
  X(PLATEAU, "plateau")     \
  X(DIVERGED, "diverged") /* without a model */
typedef enum {
#define X(id, name) SW_ENDED_##id,
  SW_TRAIN_ENDINGS(X)
#undef X
} sw_train_ending;
const char *sw_ending_name(sw_train_ending ending);
sw_train_ending sw_ending_from_name(
    const char *name); /* NULL, unknown: steps */

/* How a run ended, once it is known that some model reached the validation loss
 * `best` on the same traces and targets (0 or less: not known). `flat` becomes
 * `plateau` where the run's own loss is more than a tenth and more than .05
 * above it: seeds and positions that solve the same differ by .02 at most,
 * models that have missed a rule by .08 and more (docs/reproduce.md). A plateau
 * at `best` is flat again; other endings stay. */
sw_train_ending sw_ending_beside(sw_train_ending ending, double loss,
                                 double best);

typedef struct sw_flat_point {
  int64_t step;
  double best; /* lowest validation loss up to this step */
} sw_flat_point;

typedef struct sw_flat {
  int64_t cap;        /* most steps, the tail included */
  int64_t shown;      /* last step of the curriculum: what comes after counts */
  int64_t not_before; /* the first step at which a look counts */
  int64_t warm;       /* steps of the warm-up; 0 after init */
  double least;       /* gains below it do not count; 0 after init */
  int watch;          /* 1: steps are fixed: points are noted, nothing ends */
  int64_t tail_begin; /* -1: still at the constant rate */
  sw_train_ending ending;
  sw_flat_point *point; /* one a validation, ascending steps; malloc'd */
  int64_t count, room;
} sw_flat;

/* `curriculum`: share of the cap that the curriculum takes. */
void sw_flat_init(sw_flat *flat, int64_t cap, double curriculum);
void sw_flat_free(sw_flat *flat);
/* Steps of the tail that begins at `begin`, and of the whole run (the cap while
 * the tail has not begun). */
int64_t sw_flat_tail(int64_t begin);
int64_t sw_flat_end(const sw_flat *flat);
/* Notes a validation, or (loss < 0) a step without one, and begins the tail
 * when it is time: 1 when it begins now. -1: out of memory. */
int sw_flat_step(sw_flat *flat, int64_t step, double loss);
/* Did the loss still fall over the last fifth of the steps taken, by more than
 * .01 (a rate that decays always gains a little)? 0 where there are too few
 * validations to say. */
int sw_flat_falling(const sw_flat *flat);

/* As text for a checkpoint ("tail_begin ending step:best ..."), malloc'd; and
 * back. A text that is not of this form is SW_DATA. */
char *sw_flat_text(const sw_flat *flat);
int sw_flat_read(sw_flat *flat, const char *text, sw_err *err);

#endif
