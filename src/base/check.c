/* The end of a program that broke a contract (see check.h). */
#include "base/check.h"

#ifdef SW_DEBUG
#include <stdio.h>
#include <stdlib.h>

void sw_contract_broken(const char *function, const char *file, int line,
                        const char *condition, const char *why) {
  fprintf(stderr, "%s:%d: %s: contract broken: %s%s%s\n", file, line, function,
          condition, *why ? ": " : "", why);
  abort();
}
#endif
