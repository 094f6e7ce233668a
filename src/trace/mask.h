/* Masks and positions. A mask is a short list of segments, never a T x T
 * tensor. Rows are numbered slots first (0..slots-1), then the tokens of the
 * trace (slots..slots+length-1). For each range of query rows (a span) the
 * visible keys are a few runs of consecutive rows in the order slots, prefix,
 * blocks; a run is full, or causal (key row <= query row), and may have a
 * window (query row - key row < window).
 *
 *   name                 slots read        prefix reads       block reads
 *   ssa                  slots, prefix     slots, self-causal slots, prefix,
 * own block (causal) causal               slots, prefix     slots, self-causal
 * slots, causal over the sequence causal-noslot        (no slots) self-causal
 * causal over the sequence causal-release  !    everything        slots, causal
 * slots, causal over the sequence blanket              slots, prefix     slots,
 * self-causal slots, own block block-only           slots, prefix     slots,
 * self-causal own block swa-prefix           slots, prefix     slots,
 * self-causal slots, prefix, last W tokens swa-prefix-release ! everything
 * slots, all prefix, last W   slots, prefix, last W reverse              slots,
 * prefix     slots, self-causal slots, causal over all blocks random-matched  !
 * as many keys as ssa, drawn from causal-release's (dense reference path)
 * `!` leaks future tokens: sw_mask_leaks() is 1 and the command line warns. */
#ifndef SW_TRACE_MASK_H
#define SW_TRACE_MASK_H
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

#define SW_MASKS(X)                                                        \
  X(SSA, "ssa", 0, "each block sees slots, prefix and itself")             \
  X(CAUSAL, "causal", 0, "each block sees slots and everything before it") \
  X(CAUSAL_NOSLOT, "causal-noslot", 0, "plain causal, no slots")           \
  X(CAUSAL_RELEASE, "causal-release", 1, "causal; slots read everything")  \
  X(BLANKET, "blanket", 0, "each block sees slots and itself")             \
  X(BLOCK_ONLY, "block-only", 0, "each block sees only itself")            \
  X(SWA_PREFIX, "swa-prefix", 0, "slots, prefix and a sliding window")     \
  X(SWA_PREFIX_RELEASE, "swa-prefix-release", 1, "window; slots leak")     \
  X(REVERSE, "reverse", 0, "slots and all blocks so far, no prefix")       \
  X(RANDOM_MATCHED, "random-matched", 1, "as many keys as ssa, at random")
typedef enum {
#define X(id, name, leaks, text) SW_MASK_##id,
  SW_MASKS(X)
#undef X
      SW_MASK_COUNT
} sw_mask_kind;

/* Position ids. standard: the place in the sequence. block-relative: every
 * block counts on from the prefix's length. block-first (ours): every block
 * counts from 0 and the prefix from SW_POS_BLOCK_ROOM, so a block's ids do not
 * depend on how long the problem is; for models that serve many sizes. */
#define SW_POSITION_KINDS(X)          \
  X(STANDARD, "standard")             \
  X(BLOCK_RELATIVE, "block-relative") \
  X(BLOCK_FIRST, "block-first")
typedef enum {
#define X(id, name) SW_POS_##id,
  SW_POSITION_KINDS(X)
#undef X
      SW_POS_COUNT
} sw_position_kind;
enum { SW_POS_BLOCK_ROOM = 512 }; /* longest block of block-first */
const char *sw_position_name(sw_position_kind kind);
int sw_position_from_name(const char *name); /* -1: unknown */
/* Id of token `rank` of the prefix (block 0) or of a later block. `start` is
 * where the block begins in the sequence, `prefix` the prefix's length. */
int64_t sw_position_id(sw_position_kind kind, int64_t prefix, int64_t block,
                       int64_t start, int64_t rank);

enum { SW_RUNS_MAX = 4 };
typedef struct sw_run {
  int32_t begin, end; /* key rows [begin, end) */
  int32_t causal;     /* 1: only keys <= query row */
  int32_t window;     /* 0: none; else query row - key row < window */
} sw_run;
typedef struct sw_span {
  int32_t begin, end; /* query rows [begin, end) */
  int32_t runs;
  sw_run run[SW_RUNS_MAX];
} sw_span;

/* Runs of one span never overlap and ascend; every row belongs to exactly one
 * span and sees at least one key (itself, or the slots). */
typedef struct sw_mask {
  sw_mask_kind kind;
  int32_t slots, length; /* rows = slots + length */
  int32_t spans, room;
  sw_span *span;  /* malloc'd, reused by the next build */
  uint8_t *dense; /* random-matched only: rows x rows, else NULL */
  size_t dense_room;
  int32_t window;
  uint64_t seed; /* random-matched */
} sw_mask;

enum { SW_MASK_DENSE_ROWS = 16384 }; /* longest random-matched mask */

/* The table above in code: fills span->runs and span->run for the rows
 * [span->begin, span->end) of one region (for block-local masks one block, for
 * the others any rows of blocks). `rows` = slots + length matters to the leaky
 * masks only. Training and cached inference both get their runs here. Not for
 * random-matched. */
typedef enum { SW_REGION_SLOTS, SW_REGION_PREFIX, SW_REGION_BLOCK } sw_region;
void sw_mask_region(sw_mask_kind kind, sw_region region, int32_t slots,
                    int32_t prefix, int32_t rows, int32_t window,
                    sw_span *span);

void sw_mask_init(sw_mask *mask);
void sw_mask_free(sw_mask *mask);
/* block_start as in sw_trace (block 0 = prefix, ascending, blocks entries).
 * Errors (SW_USAGE/SW_DATA): slots with causal-noslot, a window < 1 for the
 * swa masks, starts that do not ascend from 0 or run past `length`. */
int sw_mask_build(sw_mask *mask, sw_mask_kind kind, int32_t slots,
                  int64_t length, const int64_t *block_start, int64_t blocks,
                  int32_t window, uint64_t seed, sw_err *err);
int sw_mask_sees(const sw_mask *mask, int32_t query, int32_t key); /* oracle */
int64_t sw_mask_pairs(const sw_mask *mask); /* unmasked (query, key) pairs */
int sw_mask_leaks(sw_mask_kind kind);
const char *sw_mask_name(sw_mask_kind kind);
int sw_mask_from_name(const char *name); /* -1: unknown */
/* Is block t of a trace bit-identical to (prefix, block t) alone? */
int sw_mask_block_local(sw_mask_kind kind);

/* Position ids of the tokens (slots have none). block-relative: prefix tokens
 * 0..p-1, a token of rank r in its block p + pad_shift + r. Ids are clamped to
 * [0, table-1] when table > 0. `pad_shift` is the release's padding error. */
void sw_positions(sw_position_kind kind, int64_t length,
                  const int64_t *block_start, int64_t blocks, int32_t pad_shift,
                  int32_t table, int32_t *position);

#endif
