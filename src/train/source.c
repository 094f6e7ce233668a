/* The table of sources (see source.h). */
#include "train/source.h"
#include <string.h>

enum { ADDED_MAX = 8 };
static const sw_source_ops *added[ADDED_MAX];
static int added_count;
static const sw_source_ops *const table[] = {
#define X(source) &source,
    SW_SOURCES(X)
#undef X
};
enum { TABLE = sizeof table / sizeof *table };

static const sw_source_ops *find(const char *name) {
  for (int i = 0; i < TABLE; i++)
    if (!strcmp(table[i]->name, name)) return table[i];
  for (int i = 0; i < added_count; i++)
    if (!strcmp(added[i]->name, name)) return added[i];
  return NULL;
}

int sw_source_for(const sw_source_ops **ops, const sw_family *family,
                  sw_err *err) {
  *ops = find(family->reads);
  if (*ops) return SW_OK;
  return sw_fail(err, SW_USAGE,
                 "models of the family %s read %s, which nothing makes of a "
                 "data set",
                 family->name, family->reads);
}

int sw_source_add(const sw_source_ops *ops) {
  if (added_count == ADDED_MAX || find(ops->name)) return -1;
  added[added_count++] = ops;
  return 0;
}
