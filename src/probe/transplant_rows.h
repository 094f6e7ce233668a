/* Full-path logits of the chosen states' points: one forward pass over each
 * rollout answers all its queries (one pass a query under a leaky mask, where
 * a row sees later tokens). Internal to transplant.c. */
#ifndef SW_PROBE_TRANSPLANT_ROWS_H
#define SW_PROBE_TRANSPLANT_ROWS_H
#include "probe/transplant.h"

typedef struct sw_transplant_rows {
  int64_t *slot; /* [points] row number, or -1: not asked or did not fit */
  float *logits; /* [rows][vocab] */
  int64_t rows;
  int32_t vocab;
} sw_transplant_rows;

/* Group numbers of the states used: most histories first, then order of
 * occurrence; returned ascending. malloc'd. */
int sw_transplant_choose(const sw_states *states, int64_t most,
                         int64_t **chosen, int64_t *count, sw_err *err);
int sw_transplant_rows_fill(sw_transplant_rows *rows, const sw_states *states,
                            const int64_t *chosen, int64_t count,
                            sw_asker *full, int leaky, sw_progress_fn progress,
                            void *context, sw_err *err);
void sw_transplant_rows_free(sw_transplant_rows *rows);
/* Logits of a point, or NULL when it did not fit. */
const float *sw_transplant_row(const sw_transplant_rows *rows, int64_t point);
/* The dialogue up to and including a point's state. */
int sw_transplant_cut(const sw_states *states, int64_t point, sw_trace *out,
                      sw_err *err);

#endif
