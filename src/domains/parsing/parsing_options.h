/* What only parsing understands among the options of a task
 * (task_options.h). */
#ifndef SW_DOMAINS_PARSING_OPTIONS_H
#define SW_DOMAINS_PARSING_OPTIONS_H
#include "domains/task_options.h"

#define SW_PARSING_OPTIONS(X) \
  X(grammar, TEXT, "grammar", "", 0, 0, "", "grammar file")
SW_OWN_OPTIONS(sw_parsing_options, SW_PARSING_OPTIONS, sw_parsing_own)

#endif
