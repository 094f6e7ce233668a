/* Probes over ranks (see spread.h). */
#include "probe/spread.h"
#include <stdlib.h>

int sw_spread_join(void *items, size_t size, int64_t count, sw_err *err) {
  int ranks = sw_ranks_count();
  if (ranks == 1) return SW_OK;
  size_t *begin = malloc(sizeof *begin * ((size_t)ranks + 1));
  if (!begin) return sw_no_memory_for(err, "the ranks");
  for (int r = 0; r <= ranks; r++) begin[r] = (size_t)(count * r / ranks);
  int code = sw_ranks_join(items, size, begin, err);
  free(begin);
  return code;
}

int sw_spread_add(int64_t *counts, int64_t count, sw_err *err) {
  char *bytes = NULL;
  size_t total;
  if (sw_ranks_count() == 1) return SW_OK;
  SW_TRY(sw_ranks_gather(counts, sizeof *counts * (size_t)count, &bytes, &total,
                         err));
  const int64_t *all = (const int64_t *)(const void *)bytes;
  for (int64_t i = count; all && i < count * sw_ranks_count(); i++)
    counts[i % count] += all[i];
  free(bytes);
  return SW_OK;
}
