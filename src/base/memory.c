/* What is left of the machine, of its control group and of the process's own
 * limit (see memory.h). A figure that cannot be read sets no limit. */
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* The number behind `key` in a file of lines "key number ..."; -1: none. */
static int64_t number_in(const char *path, const char *key) {
  char line[256];
  int64_t found = -1;
  FILE *file = fopen(path, "r");
  if (!file) return -1;
  while (found < 0 && fgets(line, sizeof line, file)) {
    if (strncmp(line, key, strlen(key))) continue;
    char *end, *from = line + strlen(key);
    long long value = strtoll(from, &end, 10);
    if (end != from) found = value;
  }
  fclose(file);
  return found;
}

static void at_most(int64_t *least, int64_t value) {
  if (value < 0) value = 0;
  if (value < *least) *least = value;
}

int64_t sw_memory_left(void) {
  int64_t least = INT64_MAX;
  int64_t machine = number_in("/proc/meminfo", "MemAvailable:");
  if (machine >= 0) at_most(&least, machine * 1024);
  /* version 2 in a container, then version 1 */
  int64_t most = number_in("/sys/fs/cgroup/memory.max", "");
  int64_t used = number_in("/sys/fs/cgroup/memory.current", "");
  if (most < 0 || used < 0) {
    most = number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes", "");
    used = number_in("/sys/fs/cgroup/memory/memory.usage_in_bytes", "");
  }
  /* usage counts the page cache, which the kernel frees on demand */
  int64_t cache = number_in("/sys/fs/cgroup/memory.stat", "inactive_file ");
  if (most >= 0 && used >= 0)
    at_most(&least, most - used + (cache > 0 ? cache : 0));
  struct rlimit own;
  int64_t pages = number_in("/proc/self/statm", "");
  if (!getrlimit(RLIMIT_AS, &own) && own.rlim_cur != RLIM_INFINITY &&
      own.rlim_cur < INT64_MAX && pages >= 0)
    at_most(&least, (int64_t)own.rlim_cur - pages * sysconf(_SC_PAGESIZE));
  return least;
}
