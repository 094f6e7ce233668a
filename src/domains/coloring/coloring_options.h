/* What only graph colouring understands among the options of a task
 * (task_options.h). */
#ifndef SW_DOMAINS_COLORING_OPTIONS_H
#define SW_DOMAINS_COLORING_OPTIONS_H
#include "domains/task_options.h"

/* clang-format off */
#define SW_COL_OPTIONS(X)                                                      \
  X(family, TEXT, "family", "", 0, 0, "", "instance family: planted mixture")  \
  X(colors, INT, "colors", "-1", -1, 64, "", "number of colours")              \
  X(density, REAL, "density", "-1", -1, 1, "", "edge probability")             \
  X(error, REAL, "error", "-1", -1, 1, "", "probability of an injected expert error") \
  X(loss, TEXT, "loss", "", 0, 0, "", "supervised tokens: all, trace (after the prefix) or action") \
  X(reading, CHOICE, "reading", "normal", 0, 0, "relaxed|normal|pedantic", "how strictly a problem file is read")
/* clang-format on */
SW_OWN_OPTIONS(sw_col_options, SW_COL_OPTIONS, sw_col_own)

#endif
