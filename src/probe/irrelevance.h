/* Linear history-irrelevance test on traces (docs/probes.md): can a linear
 * classifier tell conflict blocks from decision blocks by the state (T), and
 * does the history (H) add anything? Features as published, without the block
 * number inside T unless asked for; balanced accuracy and AUROC beside accuracy
 * and the majority rate. */
#ifndef SW_PROBE_IRRELEVANCE_H
#define SW_PROBE_IRRELEVANCE_H
#include "base/figure.h"
#include "domains/domain.h"
#include "probe/logistic.h"
#include "trace/dataset.h"

typedef struct sw_irrelevance_options {
  int64_t traces;          /* first so many; 0: all */
  int64_t max_blocks;      /* samples used; 0: all */
  int block_number;        /* 1: as published, the block number is part of T */
  uint64_t seed;           /* split of traces: 80 % train */
  const sw_domain *domain; /* has `shown` */
} sw_irrelevance_options;

enum { SW_HISTORY_FEATURES = 8 };
typedef struct sw_irrelevance_result {
  int64_t traces, samples, conflicts, features;
  sw_linear_score state, history, both; /* T, H, (T, H) */
} sw_irrelevance_result;
int sw_irrelevance(const sw_dataset *set, const sw_irrelevance_options *options,
                   sw_irrelevance_result *out, sw_err *err);
extern const sw_figure sw_irrelevance_figures[];

#endif
