/* The pages of kept results: DIR/ID.html for every DIR/ID.json (an experiment,
 * docs/formats.md) and DIR/index.html, which shows the whole list at a glance:
 * cells, how many agree with the paper, how many do not and why. Made from the
 * JSON alone. Called by `repro --pages` and `repro ID --keep`. */
#ifndef SW_REPORT_KEPT_PAGES_H
#define SW_REPORT_KEPT_PAGES_H
#include "base/err.h"

/* What may be kept; `file` is ID.json's ID. */
typedef struct sw_kept_entry {
  const char *file, *section, *place, *title;
} sw_kept_entry;

int sw_kept_pages(const char *directory, const sw_kept_entry *entry, int count,
                  sw_err *err);

#endif
