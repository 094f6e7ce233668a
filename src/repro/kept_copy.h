/* Copies what one row keeps of a model to another row of another experiment's
 * kept object. Inside src/repro only (kept_share.c says when it may). */
#ifndef SW_REPRO_KEPT_COPY_H
#define SW_REPRO_KEPT_COPY_H
#include <jansson.h>
#include "repro/kept.h"

/* A row that keeps the same as another asks. */
typedef struct sw_kept_source {
  const sw_experiment *e;
  const sw_repro_row *row;
  const json_t *kept;
  int *column; /* for each column of the other: the one here that answers it;
                  -1: it is not asked there */
} sw_kept_source;

/* An object to copy to: that of `kept` with a list of its runs, or (NULL) an
 * empty one. NULL: out of memory. */
json_t *sw_kept_copy_begin(const sw_experiment *e, const json_t *kept,
                           sw_scale scale);
/* Is the row, or a column that it asks, kept under settings that are others by
 * now? Then what was kept under them goes when something is copied. */
int sw_kept_copy_drops(const json_t *to, const sw_experiment *e,
                       const sw_repro_row *row);
int sw_kept_copy(json_t *to, const sw_experiment *e, const sw_repro_row *row,
                 int64_t seed, const sw_kept_source *from, sw_err *err);

#endif
