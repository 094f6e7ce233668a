/* What a training tells: a banner with what the run really uses, a line a step,
 * and the "is it learning" hint. Shared by train, quickstart and repro. */
#ifndef SW_COMMAND_TRAIN_VIEW_H
#define SW_COMMAND_TRAIN_VIEW_H
#include "command/io.h"
#include "train/trainer.h"

/* Runs sw_train with its progress reported to `io` and written to
 * DIR/train.log. */
int sw_train_shown(const sw_command_io *io, const sw_train_options *options,
                   sw_progress_mode mode, sw_train_result *result, sw_err *err);

#endif
