/* The contrastive invariance objective (docs/probes.md): a trace and the same
 * trace with another trace's history must give the same distributions.
 *   release  loss = CE_source + CE_pair + lambda * SKL, each a mean over the
 *            selected targets A: variable, T, F and BJ tokens of the last
 *            supervised block (so going back is never a target)
 *   ours     the ordinary loss of the whole source + lambda * SKL over all
 *            supervised tokens of a randomly chosen block
 * SKL is half of KL(pair || source) + KL(source || pair) over the full
 * vocabulary; gradients flow through both branches. The trainer calls
 * sw_contrastive_pass once an item; sums, not means, so that a batch's
 * normalisation is the caller's. */
#ifndef SW_TRAIN_CONTRASTIVE_H
#define SW_TRAIN_CONTRASTIVE_H
#include "model/family.h"
#include "release/actions.h"
#include "trace/trace.h"

/* Rows that answer the selected targets, in both traces. rows[i] predicts
 * target[i]; partner[i] is the same target's row in the other list, or -1. */
typedef struct sw_contrastive_rows {
  int32_t *source_row, *source_target, *source_partner;
  int32_t *pair_row, *pair_target;
  int32_t source, pair; /* counts; every pair row has a source partner */
  int32_t *pair_partner;
  int32_t room;
} sw_contrastive_rows;
void sw_contrastive_rows_free(sw_contrastive_rows *rows);
/* Selects targets. `current` is the block's number in both traces. `actions`
 * (release/actions.h): only these tokens of the block, as published; NULL: all
 * supervised ones. SW_DATA when the two traces' selected targets differ. */
int sw_contrastive_select(sw_contrastive_rows *rows, const sw_trace *source,
                          const sw_trace *pair, int64_t current,
                          sw_token_set actions, sw_err *err);

typedef struct sw_contrastive_weights {
  double ce_source, ce_pair, skl; /* per selected row */
} sw_contrastive_weights;
typedef struct sw_contrastive_sums {
  double ce_source, ce_pair, skl; /* unweighted sums over rows */
  int64_t hits;                   /* argmax hits of the source rows */
} sw_contrastive_sums;
/* Value of the weighted objective from sums. */
double sw_contrastive_value(const sw_contrastive_sums *sums,
                            const sw_contrastive_weights *weights);

/* One item: three forward and two backward passes (the source's answers must
 * be known to the pair and the pair's to the source). The gradients of the two
 * are added to `of_pair` and then to `of_source`, which may be one array; NULL:
 * values only. Source and pair should draw different dropout (options.trace);
 * the source's is the same in its two passes. Sums are added to. */
int sw_contrastive_pass(sw_work *work, sw_item *source, sw_item *pair,
                        const sw_contrastive_rows *rows,
                        const sw_contrastive_weights *weights, float *of_pair,
                        float *of_source, sw_contrastive_sums *sums,
                        sw_err *err);

/* The objective of one row as a function of its logits, and its gradient with
 * respect to `z` (own branch): ce * CE(z, target) + skl * SKL(z, other).
 * `other` NULL: cross-entropy only. gradient may be NULL. */
void sw_contrastive_row(const double *z, const double *other, int32_t vocab,
                        int32_t target, double ce, double skl, double *ce_value,
                        double *skl_value, double *gradient);

#endif
