/* How training looks: one redrawn line on a terminal, plain lines elsewhere
 * and in DIR/train.log, a banner with what the run really uses, and the "is it
 * learning" hint. Shared by train and quickstart. */
#ifndef SW_CLI_TRAIN_VIEW_H
#define SW_CLI_TRAIN_VIEW_H
#include <stdio.h>
#include "base/progress.h"
#include "train/trainer.h"

typedef struct sw_train_view {
  sw_progress_mode mode;
  FILE *log;             /* DIR/train.log, or NULL */
  sw_train_floors floors;
  double shown, logged;  /* seconds */
  double smooth_loss;
  int drawn, hinted;
  const char *label;
  int quiet_banner;
} sw_train_view;

void sw_train_view_begin(sw_train_view *view, sw_progress_mode mode,
                         const char *directory, sw_train_hooks *hooks);
void sw_train_view_end(sw_train_view *view, int code,
                       const sw_train_result *result);

#endif
