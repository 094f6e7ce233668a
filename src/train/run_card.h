/* What a run leaves behind: the weights with the metadata that `eval`, `solve`
 * and the probes need, and the run card (JSON: effective options, seeds,
 * hashes, machine, compiler, time, tokens). */
#ifndef SW_TRAIN_RUN_CARD_H
#define SW_TRAIN_RUN_CARD_H
#include <stdio.h>
#include "train/trainer.h"

/* Writes DIR/model.safetensors, or with `copy` DIR/at-STEP.safetensors, which
 * has *copy as the validation loss of these very weights (< 0: none). */
int sw_run_save_model(const sw_train_plan *plan, const sw_dataset *set,
                      const sw_net *net, const sw_progress_state *state,
                      const double *copy, sw_err *err);
/* A line of metrics.jsonl. */
int sw_metrics_write(FILE *out, const sw_train_plan *plan,
                     const sw_train_report *report, int64_t tokens,
                     sw_err *err);
/* Before a checkpoint counts, the curve up to it is on the disk. */
int sw_metrics_sync(FILE *out, const sw_train_plan *plan, sw_err *err);
int sw_run_card_write(const sw_train_plan *plan, const sw_dataset *set,
                      const sw_net *net, const sw_train_result *result,
                      sw_err *err);
/* 1 when the directory holds a finished run of exactly these options. */
int sw_run_card_done(const sw_train_options *options, sw_train_result *result);
/* Of the weights in a file or run directory; 0: they cannot be read, or `path`
 * is NULL. The only error is SW_MEMORY. */
int sw_run_init_hash(const char *path, uint64_t *hash, sw_err *err);
/* Weights of the same shape from a file or run directory. */
int sw_run_init_weights(sw_net *net, const char *path, sw_err *err);
/* GFLOP/s of the whole team running FMA chains at once. */
double sw_run_peak_gflops(sw_team *team);

#endif
