/* The contrastive objective (see contrastive.h). Logits arrive as floats; all
 * arithmetic on them is double. */
#include "train/contrastive.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void sw_contrastive_rows_free(sw_contrastive_rows *r) {
  free(r->source_row); /* one block, see make_room */
  memset(r, 0, sizeof *r);
}

static int make_room(sw_contrastive_rows *r, int64_t targets, sw_err *err) {
  if (targets <= r->room) return 0;
  int32_t *block = malloc(sizeof *block * (size_t)targets * 6);
  if (!block) return sw_no_memory_for(err, "contrastive targets");
  sw_contrastive_rows_free(r);
  r->room = (int32_t)targets;
  r->source_row = block;
  r->source_target = block + targets;
  r->source_partner = block + 2 * targets;
  r->pair_row = block + 3 * targets;
  r->pair_target = block + 4 * targets;
  r->pair_partner = block + 5 * targets;
  return 0;
}

static int selected(const sw_trace *t, int64_t i, sw_token_set actions) {
  return i > 0 && t->supervised[i] && t->token[i] != 0 &&
         (!actions || actions(t->token[i]));
}

/* Appends the selected targets of one block of the pair. */
static void select_pair(sw_contrastive_rows *r, const sw_trace *t,
                        int64_t block, sw_token_set actions) {
  for (int64_t i = t->block_start[block]; i < sw_trace_block_end(t, block);
       i++) {
    if (!selected(t, i, actions)) continue;
    r->pair_row[r->pair] = (int32_t)(i - 1);
    r->pair_target[r->pair++] = t->token[i];
  }
}

int sw_contrastive_select(sw_contrastive_rows *r, const sw_trace *source,
                          const sw_trace *pair, int64_t current,
                          sw_token_set actions, sw_err *err) {
  r->source = r->pair = 0;
  if (current < 1 || current >= source->blocks || current >= pair->blocks)
    return sw_fail(err, SW_USAGE,
                   "contrastive block %" PRId64 " of %" PRId64 " and %" PRId64,
                   current, source->blocks, pair->blocks);
  SW_TRY(make_room(
      r, source->length > pair->length ? source->length : pair->length, err));
  select_pair(r, pair, current, actions);
  int32_t matched = 0;
  int64_t first = actions ? source->block_start[current] : 1;
  int64_t last = actions ? sw_trace_block_end(source, current) : source->length;
  for (int64_t i = first; i < last; i++) {
    if (!selected(source, i, actions)) continue;
    int inside = i >= source->block_start[current] &&
                 i < sw_trace_block_end(source, current);
    int32_t at = r->source++;
    r->source_row[at] = (int32_t)(i - 1);
    r->source_target[at] = source->token[i];
    r->source_partner[at] = -1;
    if (!inside) continue;
    if (matched == r->pair || r->pair_target[matched] != source->token[i])
      return sw_fail(err, SW_DATA,
                     "the two histories of a pair end in different targets");
    r->source_partner[at] = matched;
    r->pair_partner[matched++] = at;
  }
  if (matched != r->pair)
    return sw_fail(err, SW_DATA,
                   "the two histories of a pair end in different targets");
  return 0;
}

double sw_contrastive_value(const sw_contrastive_sums *s,
                            const sw_contrastive_weights *w) {
  return w->ce_source * s->ce_source + w->ce_pair * s->ce_pair +
         w->skl * s->skl;
}

/* ---- one row ---- */

static double log_sum_exp(const double *z, int32_t n) {
  double top = z[0], sum = 0;
  for (int32_t i = 1; i < n; i++)
    if (z[i] > top) top = z[i];
  for (int32_t i = 0; i < n; i++) sum += exp(z[i] - top);
  return top + log(sum);
}

/* d/dz of KL(q||p) is p - q; of KL(p||q) it is p (ln p - ln q - KL(p||q)). */
void sw_contrastive_row(const double *z, const double *other, int32_t vocab,
                        int32_t target, double ce, double skl, double *ce_value,
                        double *skl_value, double *gradient) {
  double own = log_sum_exp(z, vocab),
         theirs = other ? log_sum_exp(other, vocab) : 0;
  double forward = 0, backward = 0; /* KL(p||q), KL(q||p) */
  *ce_value = own - z[target];
  for (int32_t i = 0; other && i < vocab; i++) {
    double lp = z[i] - own, lq = other[i] - theirs;
    forward += exp(lp) * (lp - lq);
    backward += exp(lq) * (lq - lp);
  }
  *skl_value = 0.5 * (forward + backward);
  if (!gradient) return;
  for (int32_t i = 0; i < vocab; i++) {
    double lp = z[i] - own, p = exp(lp);
    gradient[i] = ce * (p - (i == target));
    if (!other) continue;
    double lq = other[i] - theirs;
    gradient[i] += skl * 0.5 * (p - exp(lq) + p * (lp - lq - forward));
  }
}

/* ---- one item ---- */

typedef struct branch {
  const sw_contrastive_rows *rows;
  const sw_contrastive_weights *weights;
  float *mine, *other; /* captured logits of this branch and of the other */
  int is_source, capture;
  double *scratch; /* [3][vocab]: own, other, gradient */
  sw_contrastive_sums *sums;
} branch;

static void widen(const float *from, int32_t n, double *to) {
  for (int32_t i = 0; i < n; i++) to[i] = from[i];
}

/* The callback of a branch: keeps the logits, or turns them into gradients. */
static int branch_rows(void *context, float *logits, int32_t count,
                       int32_t vocab, sw_err *err) {
  branch *b = context;
  const sw_contrastive_rows *r = b->rows;
  if (count != (b->is_source ? r->source : r->pair))
    return sw_fail(err, SW_INTERNAL, "a contrastive pass lost rows");
  size_t width = (size_t)vocab;
  memcpy(b->mine, logits, sizeof *logits * width * (size_t)count);
  if (b->capture) return 0;
  double *z = b->scratch, *o = z + width, *g = o + width;
  for (int32_t i = 0; i < count; i++) {
    int32_t partner = b->is_source ? r->source_partner[i] : r->pair_partner[i];
    int32_t target = b->is_source ? r->source_target[i] : r->pair_target[i];
    float *row = logits + (size_t)i * width;
    double ce, skl;
    widen(row, vocab, z);
    if (partner >= 0) widen(b->other + (size_t)partner * width, vocab, o);
    sw_contrastive_row(
        z, partner >= 0 ? o : NULL, vocab, target,
        b->is_source ? b->weights->ce_source : b->weights->ce_pair,
        b->weights->skl, &ce, &skl, g);
    int32_t best = 0;
    for (int32_t v = 1; v < vocab; v++)
      if (row[v] > row[best]) best = v;
    for (int32_t v = 0; v < vocab; v++) row[v] = (float)g[v];
    if (b->is_source) {
      b->sums->ce_source += ce;
      b->sums->skl += skl; /* symmetric: counted once */
      b->sums->hits += best == target;
    } else {
      b->sums->ce_pair += ce;
    }
  }
  return 0;
}

int sw_contrastive_pass(sw_work *work, sw_item *source, sw_item *pair,
                        const sw_contrastive_rows *rows,
                        const sw_contrastive_weights *weights, float *of_pair,
                        float *of_source, sw_contrastive_sums *sums,
                        sw_err *err) {
  if (rows->source == 0) return 0;
  size_t vocab = (size_t)work->net->outputs;
  float *zs = malloc(sizeof *zs * vocab * (size_t)rows->source);
  float *zp = malloc(sizeof *zp * vocab * (size_t)(rows->pair + 1));
  double *scratch = malloc(sizeof *scratch * vocab * 3);
  int code =
      zs && zp && scratch ? 0 : sw_no_memory_for(err, "contrastive pass");
  branch s = {rows, weights, zs, zp, 1, rows->pair > 0, scratch, sums};
  branch p = {rows, weights, zp, zs, 0, 0, scratch, sums};
  if (!code && rows->pair > 0)
    code = sw_work_custom(work, source, rows->source_row, rows->source,
                          branch_rows, &s, NULL, err);
  if (!code && rows->pair > 0)
    code = sw_work_custom(work, pair, rows->pair_row, rows->pair, branch_rows,
                          &p, of_pair, err);
  s.capture = 0;
  if (!code)
    code = sw_work_custom(work, source, rows->source_row, rows->source,
                          branch_rows, &s, of_source, err);
  free(zs);
  free(zp);
  free(scratch);
  return code;
}
