/* How training looks: one redrawn line on a terminal, plain lines elsewhere
 * and in DIR/train.log, a banner with what the run really uses, and the "is it
 * learning" hint. Shared by train,
 * quickstart and repro. */
#ifndef SW_CLI_TRAIN_VIEW_H
#define SW_CLI_TRAIN_VIEW_H
#include "cli/progress.h"
#include "train/trainer.h"

/* sw_train, shown on standard error and in DIR/train.log. */
int sw_train_shown(const sw_train_options *options, sw_progress_mode mode,
                   sw_train_result *result, sw_err *err);

#endif
