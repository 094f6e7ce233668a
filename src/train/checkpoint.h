/* Checkpoints of a run directory. A checkpoint is two files named by step
 * (weights and optimizer) and becomes current when the marker LATEST, written
 * last, names it; a kill at any moment leaves the previous one current.
 *   DIR/step-00001200.model.safetensors   weights
 *   DIR/step-00001200.optim.safetensors   m, v, step, best loss so far
 *   DIR/LATEST                            "1200"
 *   DIR/model.safetensors                 the best weights so far
 *   DIR/metrics.jsonl, DIR/run.json       curve and run card */
#ifndef SW_TRAIN_CHECKPOINT_H
#define SW_TRAIN_CHECKPOINT_H
#include "train/config.h"
#include "train/flat.h"

typedef struct sw_progress_state {
  int64_t step;      /* optimizer steps done */
  int64_t tokens;    /* seen so far */
  double train_loss; /* of the last step */
  double best_loss;  /* validation, of the weights kept; HUGE_VAL: none */
  int64_t best_step;
  double seconds; /* of training so far, over all runs */
  uint64_t init;  /* hash of the weights it began with; 0: none, unknown */
  sw_flat flat;   /* --until flat; owns its points */
} sw_progress_state;

/* *step: that of the current checkpoint, or -1 when there is none. A marker
 * that names no step is SW_DATA: starting again would throw the run away. */
int sw_checkpoint_latest(const char *directory, int64_t *step, sw_err *err);
int sw_checkpoint_save(const char *directory, const sw_net *net,
                       const sw_optim *optim, const sw_progress_state *state,
                       uint64_t fingerprint, sw_err *err);
/* Replaces the net's weights; refuses another run's fingerprint, and to go on
 * with other kernels (SW_USAGE). */
int sw_checkpoint_load(const char *directory, int64_t step, sw_net *net,
                       sw_optim *optim, sw_progress_state *state,
                       uint64_t fingerprint, sw_err *err);
/* Removes the files of every other step, which a process killed while saving
 * leaves behind. */
void sw_checkpoint_keep_only(const char *directory, int64_t step);
/* Keeps the lines of metrics.jsonl up to `step`, so that a resumed run does
 * not log a step twice. Line by line and cut in place: the curve of a long run
 * may be larger than memory. */
int sw_metrics_trim(const char *directory, int64_t step, sw_err *err);

#endif
