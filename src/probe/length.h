/* Length out of distribution (docs/probes.md): teacher-forced accuracy of whole
 * actions against the block's number, on fresh expert traces of a held-out
 * stream. A block is exact when every supervised token is the argmax given what
 * stands before it. Recorded searches can take the place of the expert's. */
#ifndef SW_PROBE_LENGTH_H
#define SW_PROBE_LENGTH_H
#include "base/hooks.h"
#include "search/ask.h"
#include "domains/domain.h"
#include "probe/data.h"

/* Bins of block numbers and of context lengths, upper ends inclusive. */
#define SW_LENGTH_BLOCK_BINS \
  { 8, 16, 24, 32, 48, 64, INT64_MAX }
#define SW_LENGTH_TOKEN_BINS \
  { 1024, 2048, 4096, 8192, INT64_MAX }
enum { SW_LENGTH_BLOCKS = 7, SW_LENGTH_TOKENS = 5 };

typedef struct sw_length_cell {
  int64_t blocks, exact; /* all supervised tokens right */
  int64_t targets, hits;
  int64_t choices, right; /* the first supervised token: go back or which way */
} sw_length_cell;

typedef struct sw_length_result {
  int64_t traces, skipped_blocks; /* beyond the position table */
  sw_length_cell by_block[SW_LENGTH_BLOCKS], by_tokens[SW_LENGTH_TOKENS], all;
} sw_length_result;

typedef struct sw_length_options {
  const sw_domain *domain;
  sw_domain_options domain_options; /* resolved */
  uint64_t seed;
  sw_split split;
  int64_t traces;
  const sw_probe_data *data; /* recorded searches instead; NULL: the expert's */
  int leaky;                 /* 1: one pass a block, cut at its end */
} sw_length_options;
int sw_length(sw_asker *asker, const sw_length_options *options,
              sw_progress_fn progress, void *context, sw_length_result *out,
              sw_err *err);

#endif
