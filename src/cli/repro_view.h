/* The progress of an experiment on standard error, for `repro` and
 * `quickstart`. */
#ifndef SW_CLI_REPRO_VIEW_H
#define SW_CLI_REPRO_VIEW_H
#include "cli/progress.h"
#include "repro/runner.h"

typedef struct sw_repro_view {
  sw_progress_mode mode;
  sw_progress line;
} sw_repro_view;

/* Hooks that draw on `view`, which must outlive them. */
sw_repro_hooks sw_repro_view_hooks(sw_repro_view *view);

#endif
