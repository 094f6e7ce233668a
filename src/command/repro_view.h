/* The progress of an experiment, for `repro` and `quickstart`. */
#ifndef SW_COMMAND_REPRO_VIEW_H
#define SW_COMMAND_REPRO_VIEW_H
#include "command/io.h"
#include "repro/runner.h"

typedef struct sw_repro_view {
  const sw_command_io *io;
  sw_progress_mode mode;
  sw_progress line;
} sw_repro_view;

/* Hooks that tell by `view`, which must outlive them. */
sw_repro_hooks sw_repro_view_hooks(sw_repro_view *view);

#endif
