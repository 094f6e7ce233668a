/* What only parsing understands among the options of a task
 * (task_options.h). */
#ifndef SW_DOMAINS_PARSING_OPTIONS_H
#define SW_DOMAINS_PARSING_OPTIONS_H
#include "domains/task_options.h"

/* clang-format off */
#define SW_PARSING_OPTIONS(X)                                                  \
  X(grammar, TEXT, "grammar", "", 0, 0, "", "grammar file")                    \
  X(grammar_hash, LONG, "grammar-hash", "0", 0, 9e15, "", "what the grammar file holds, as a number; filled in, so that a file that was edited is another one")
/* clang-format on */
SW_OWN_OPTIONS(sw_parsing_options, SW_PARSING_OPTIONS, sw_parsing_own)

#endif
