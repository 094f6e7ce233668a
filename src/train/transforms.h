/* History reductions as data transforms (docs/probes.md): what a training item
 * shows of the blocks before the current one. The trainer creates one
 * sw_history for its training traces and asks for items; validation never goes
 * through here. An item is a pure function of (options.seed, epoch, index), so
 * data order, threads and resume change nothing.
 *
 * Two versions of every reduction:
 *   release  (matched 0) one item a trace; the current block is the last
 *            supervised one, so most reductions leave one supervised block
 *   matched  (matched 1) one item a supervised block t: the trace is cut after
 *            t, the reduction applies to blocks 1..t-1 and only block t is
 *            supervised, so every reduction sees the same actions once
 * In the matched version `prefix-only` is state-only training. */
#ifndef SW_TRAIN_TRANSFORMS_H
#define SW_TRAIN_TRANSFORMS_H
#include <stdint.h>
#include "base/err.h"
#include "trace/dataset.h"
#include "trace/trace.h"

/* clang-format off */
#define SW_HISTORIES(X)                                                        \
  X(FULL, "full", "everything before the block")                               \
  X(BLOCK_DROPOUT, "block-dropout", "each other block is blanked with prob. p") \
  X(SLIDING_WINDOW, "sliding-window", "only the last k blocks, others blanked") \
  X(NULL, "null", "other blocks become a placeholder token")                   \
  X(PREFIX_ONLY, "prefix-only", "prefix and current block only")               \
  X(TRANSPLANT_FULL, "transplant", "the history of another trace, with prob. p") \
  X(TRANSPLANT_PARTIAL, "transplant-partial", "each earlier block of another trace with prob. p")
/* clang-format on */
typedef enum {
#define X(id, name, text) SW_HISTORY_##id,
  SW_HISTORIES(X)
#undef X
      SW_HISTORY_COUNT
} sw_history_kind;
const char *sw_history_name(sw_history_kind kind);
int sw_history_from_name(const char *name); /* -1: unknown */

typedef struct sw_history_options {
  sw_history_kind kind;
  int matched;         /* see above */
  double probability;  /* block-dropout and the transplants */
  int64_t window;      /* sliding-window: blocks kept, the current included */
  int32_t pad;         /* token that blanks a block (0) */
  int32_t placeholder; /* null: token id, usually one above the vocabulary */
  int64_t max_tokens;  /* transplants may not exceed it; 0: no limit */
  int64_t max_blocks;  /* decision blocks kept of every trace; 0: all */
  uint64_t seed;
} sw_history_options;

typedef struct sw_history sw_history;
/* `traces` (copied; NULL: all) are the data set's training traces: sources and
 * donors. The data set must stay open. */
int sw_history_new(sw_history **history, const sw_dataset *set,
                   const int64_t *traces, int64_t count,
                   const sw_history_options *options, sw_err *err);
void sw_history_free(sw_history *history);
int64_t sw_history_items(const sw_history *history);
/* Item `index` as of `epoch`; `trace` (may be NULL) receives its source. */
int sw_history_item(const sw_history *history, int64_t index, int64_t epoch,
                    sw_trace *out, int64_t *trace, sw_err *err);
/* Source and full transplant (probability 1) for the contrastive objective; an
 * item is a trace (matched must be 0). release 1: the current block is the last
 * supervised one and the pair keeps what follows it; release 0: a supervised
 * block drawn by (seed, epoch, index), the source stays whole and fully
 * supervised, the pair ends with the current block. `current` is the block's
 * number in both. When no donor fits, the pair keeps the source's history. */
int sw_history_pair(const sw_history *history, int release, int64_t index,
                    int64_t epoch, sw_trace *source, sw_trace *pair,
                    int64_t *current, sw_err *err);

/* ---- the reductions themselves, on one trace ---- */
/* Draws are a pure function of this key: u64 number k of the item. */
typedef struct sw_draw {
  uint64_t seed, stream, next;
} sw_draw;
double sw_draw_unit(sw_draw *draw);
uint64_t sw_draw_below(sw_draw *draw, uint64_t bound);

/* Last block with a supervised token (the last block when there is none); 0
 * when there is no decision block. */
int64_t sw_current_block(const sw_trace *trace);
/* Blanks, empties or deletes in place (FULL, BLOCK_DROPOUT, SLIDING_WINDOW,
 * NULL, PREFIX_ONLY). A trace with at most one decision block is unchanged. */
int sw_reduce_history(sw_trace *trace, int64_t current,
                      const sw_history_options *options, sw_draw *draw,
                      sw_err *err);
/* Source prefix, the donor's first `current - 1` decision blocks, the source
 * from its current block on; donor tokens are not supervised. */
int sw_transplant_history(const sw_trace *source, int64_t current,
                          const sw_trace *donor, sw_trace *out, sw_err *err);

/* Training on the first K blocks at a matched token budget: round-half-even of
 * epochs * mean supervised tokens (full) / mean supervised tokens (cut). */
int64_t sw_matched_epochs(int64_t epochs, int64_t supervised_full,
                          int64_t supervised_cut);
/* Supervised tokens of the given traces (NULL: all) within max_blocks. */
int64_t sw_supervised_tokens(const sw_dataset *set, const int64_t *traces,
                             int64_t count, int64_t max_blocks);

#endif
