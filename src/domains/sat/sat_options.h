/* What only SAT understands among the options of a task (task_options.h). */
#ifndef SW_DOMAINS_SAT_OPTIONS_H
#define SW_DOMAINS_SAT_OPTIONS_H
#include "domains/task_options.h"

/* clang-format off */
#define SW_SAT_OPTIONS(X)                                                      \
  X(ratio, REAL, "ratio", "-1", -1, 100, "", "clauses per variable")           \
  X(family, TEXT, "family", "", 0, 0, "", "instance family: planted random phase unsat mixture small") \
  X(retry_mark, INT, "retry-mark", "-1", -1, 1, "", "1: show the open choice's remaining value where a format hides it") \
  X(error, REAL, "error", "-1", -1, 1, "", "probability of an injected expert error") \
  X(layout, CHOICE, "layout", "prefix", 0, 0, "prefix|reread", "where the problem stands: once in front, or in every block behind the state (use --mask block-only)") \
  X(reading, CHOICE, "reading", "normal", 0, 0, "relaxed|normal|pedantic", "how strictly a problem file is read")
/* clang-format on */
SW_OWN_OPTIONS(sw_sat_options, SW_SAT_OPTIONS, sw_sat_own)

#endif
