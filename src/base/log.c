/* Writing the log (see log.h). */
#include "base/log.h"

#include "base/check.h"

#ifdef SW_DEBUG
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int sw_log_wants(const char *topic) {
  const char *topics = getenv("STATEWISE_LOG");
  return topics && (!strcmp(topics, "all") || strstr(topics, topic));
}

void sw_log(const char *topic, const char *format, ...) {
  char line[512];
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  fprintf(stderr, "%s: %s\n", topic, line); /* one write: threads may log */
}
#endif
