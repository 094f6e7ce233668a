/* The training loop: batches of whole traces, one gradient addition a trace in
 * a fixed order, AdamW, validation by instance, checkpoints, exact resume.
 * Reports through hooks; prints nothing. */
#ifndef SW_TRAIN_TRAINER_H
#define SW_TRAIN_TRAINER_H
#include "base/hooks.h"
#include "train/checkpoint.h"
#include "model/item.h"
#include "train/config.h"
#include "train/feed.h"

/* Of the losses of one kind; 0: none was asked for. */
typedef struct sw_loss_mean {
  double loss, accuracy;
} sw_loss_mean;

typedef struct sw_train_report {
  int64_t step, steps;
  int64_t tokens;  /* so far */
  double loss;     /* mean over the step's targets */
  double accuracy; /* argmax hits among them */
  double grad_norm, lr;
  double tokens_per_s, peak_fraction; /* over the last moments */
  double seconds, left;               /* so far, estimated rest */
  double valid_loss;                  /* < 0: no validation at this step */
  double valid_accuracy;
  /* Each kind of loss by itself; valid_loss counts the verify head's with its
   * weight. */
  sw_loss_mean mean[SW_LOSS_KINDS], valid[SW_LOSS_KINDS];
  int is_best;
  sw_train_ending ending; /* --until flat: set once the decay has begun */
} sw_train_report;

typedef struct sw_train_floors {
  double uniform; /* ln(vocabulary) */
  double unigram; /* entropy of the targets' frequencies */
} sw_train_floors;

typedef struct sw_train_hooks {
  void *context;
  void (*started)(void *context, const sw_train_plan *plan,
                  const sw_train_floors *floors, int64_t resumed_step,
                  double peak_gflops, const sw_net *net);
  void (*step)(void *context, const sw_train_report *report);
  sw_stop_fn stop; /* 1: checkpoint and return SW_STOPPED */
} sw_train_hooks;

typedef struct sw_train_result {
  int64_t steps, tokens, parameters;
  double train_loss, valid_loss, seconds;
  /* steps, flat, plateau or cap; diverged (and an infinite loss) with
   * SW_DIVERGED */
  sw_train_ending ending;
  int falling; /* fixed steps ended while the validation loss still fell */
  int already_done;
} sw_train_result;

/* Resolves options against the data set. */
int sw_train_plan_make(sw_train_plan *plan, const sw_train_options *options,
                       const sw_dataset *set, sw_err *err);
/* Trains into options->output, or goes on with what is there. On success the
 * directory holds model.safetensors (best validation loss, or
 * plan.keep_last), run.json with
 * "status": "done" and metrics.jsonl. SW_STOPPED: stopped with a checkpoint.
 * SW_DIVERGED: a number is not finite; the last checkpoint stays. */
int sw_train(const sw_train_options *options, const sw_train_hooks *hooks,
             sw_train_result *result, sw_err *err);

#endif
