/* The pages of kept results: DIR/ID.html for every DIR/ID.json (an experiment,
 * docs/formats.md) and DIR/index.html, which shows the whole list at a glance:
 * cells, how many agree with the paper, how many do not and why. Made from the
 * JSON alone. Called by `repro --pages`. */
#ifndef SW_REPORT_KEPT_PAGES_H
#define SW_REPORT_KEPT_PAGES_H
#include <jansson.h>
#include <stdio.h>
#include "base/err.h"

/* What may be kept; `file` is ID.json's ID, `aliases` the paper's names of it
 * ("T8 tab:verifier-swap"), `state` in a word, `seeds` how many models a row
 * has when all are there. */
typedef struct sw_kept_entry {
  const char *file, *section, *place, *title, *aliases, *state;
  int seeds;
} sw_kept_entry;

int sw_kept_pages(const char *directory, const sw_kept_entry *entry, int count,
                  sw_err *err);

/* kept_index.c; inside src/report. `kept`: one object an entry, or NULL. */
typedef struct sw_kept_tally { /* cells, counted */
  int cells, done, compared, agree, seeds;
} sw_kept_tally;
sw_kept_tally sw_kept_count(const json_t *kept);
void sw_kept_index(const sw_kept_entry *entry, int count, json_t *const *kept,
                   FILE *out);
void sw_kept_head(FILE *out, const char *title, const char *style);

#endif
