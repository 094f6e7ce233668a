/* Masks: who may see whom. A mask is a short list of spans (base/spans.h),
 * never a T x T tensor. Rows are numbered slots first (0..slots-1), then the
 * tokens of the trace (slots..slots+length-1). There are three regions: slots,
 * prefix, blocks; a row of the table below says what the rows of each region
 * read, and everything else follows from it: the spans, whether blocks are
 * independent of each other, whether tokens leak, what `show mask` and
 * docs/masks.md say. A new mask is one row (and, when it is no list of
 * segments, one function that draws it). */
#ifndef SW_TRACE_MASK_H
#define SW_TRACE_MASK_H
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/spans.h"

/* What the rows of a region read.
 *   slots of   slots    S slots, P prefix, L everything else, later or not;
 *                       0: the mask is for models without slots
 *   of         prefix   S slots, O the prefix so far, L all of the prefix
 *   of         block    S slots, P prefix, O its own block so far, E the
 *                       earlier blocks too
 * L is a leak: a token sees later ones, directly or through the slots. */
typedef enum {
  SW_READS_SLOTS = 1,
  SW_READS_PREFIX = 2,
  SW_READS_OWN = 4,
  SW_READS_EARLIER = 8,
  SW_READS_LATER = 16
} sw_reads;

/* X(id, name, slots read, prefix reads, block reads, windowed, draw, text).
 * Windowed: a block sees of the blocks only the last `window` tokens. */
/* clang-format off */
#define SW_MASKS(X)                                                                                            \
  X(SSA, "ssa", S | P, S | O, S | P | O, 0, NULL, "each block sees slots, prefix and itself")                  \
  X(CAUSAL, "causal", S | P, S | O, S | P | O | E, 0, NULL, "each block sees slots and everything before it")  \
  X(CAUSAL_NOSLOT, "causal-noslot", 0, O, P | O | E, 0, NULL, "plain causal, no slots")                        \
  X(CAUSAL_RELEASE, "causal-release", S | P | L, S | O, S | P | O | E, 0, NULL, "causal; slots read everything") \
  X(BLANKET, "blanket", S | P, S | O, S | O, 0, NULL, "each block sees slots and itself")                      \
  X(BLOCK_ONLY, "block-only", S | P, S | O, O, 0, NULL, "each block sees only itself")                         \
  X(SWA_PREFIX, "swa-prefix", S | P, S | O, S | P | O | E, 1, NULL, "slots, prefix and a sliding window")      \
  X(SWA_PREFIX_RELEASE, "swa-prefix-release", S | P | L, S | L, S | P | O | E, 1, NULL, "window; slots leak")  \
  X(REVERSE, "reverse", S | P, S | O, S | O | E, 0, NULL, "slots and all blocks so far, no prefix")            \
  X(SWA, "swa", S | P, S | O, S | O | E, 1, NULL, "slots and a sliding window of the blocks, no prefix")         \
  X(RANDOM_MATCHED, "random-matched", S | P | L, S | O, S | P | O | E, 0, sw_mask_draw_matched, "as many keys as ssa, at random")
/* clang-format on */
typedef enum {
#define X(id, name, slots, prefix, block, windowed, draw, text) SW_MASK_##id,
  SW_MASKS(X)
#undef X
      SW_MASK_COUNT /* of the table; kinds from here on are added ones */
} sw_mask_kind;

/* Every row belongs to exactly one span and sees at least one key (itself, or
 * the slots). */
typedef struct sw_mask {
  sw_mask_kind kind;
  int32_t slots, length; /* rows = slots + length */
  int32_t spans, room;
  sw_span *span;  /* malloc'd, reused by the next build */
  uint8_t *dense; /* drawn masks only: rows x rows, else NULL */
  size_t dense_room;
  int32_t window;
  uint64_t seed; /* of drawn masks */
} sw_mask;

enum { SW_MASK_DENSE_ROWS = 16384 }; /* longest drawn mask */

typedef struct sw_mask_row {
  const char *name;
  unsigned slots, prefix, block; /* sw_reads of each region */
  int windowed;
  /* NULL: the columns are the mask. Otherwise fills mask->dense (zeroed, rows
   * x rows, 1: sees); the columns then say what it may draw from. */
  int (*draw)(sw_mask *mask, const int64_t *block_start, int64_t blocks,
              sw_err *err);
  const char *text;
} sw_mask_row;

/* ---- the table ---- */
int sw_mask_count(void);
const sw_mask_row *sw_mask_row_of(sw_mask_kind kind); /* NULL: no such mask */
/* Adds a mask of the caller's own for the rest of the process and returns its
 * kind, or -1 when there is no room or the name is taken. `row` must stay
 * where it is. Not while other threads use masks. */
int sw_mask_add(const sw_mask_row *row);
const char *sw_mask_name(sw_mask_kind kind);
int sw_mask_from_name(const char *name); /* -1: unknown */
/* All names with blanks between them, for messages and help. */
const char *sw_mask_names(void);
/* Does some token see a later one? The command line warns. */
int sw_mask_leaks(sw_mask_kind kind);
/* Is block t of a trace bit-identical to (prefix, block t) alone? */
int sw_mask_block_local(sw_mask_kind kind);
int sw_mask_has_slots(sw_mask_kind kind); /* 0: models without slots only */
/* What a region reads, in words: "slots, prefix, itself so far". */
typedef enum { SW_REGION_SLOTS, SW_REGION_PREFIX, SW_REGION_BLOCK } sw_region;
void sw_mask_words(sw_mask_kind kind, sw_region region, char *text,
                   size_t room);

/* ---- a mask over a trace ---- */
/* The table in spans: fills span->runs and span->run for the rows
 * [span->begin, span->end) of one region (for block-local masks one block, for
 * the others any rows of blocks). `rows` = slots + length matters to the leaky
 * masks only. Training and cached inference both get their runs here. Not for
 * drawn masks. */
void sw_mask_region(sw_mask_kind kind, sw_region region, int32_t slots,
                    int32_t prefix, int32_t rows, int32_t window,
                    sw_span *span);

void sw_mask_init(sw_mask *mask);
void sw_mask_free(sw_mask *mask);
/* Base/check.h: spans that follow one another over all rows. */
const char *sw_mask_check(const sw_mask *mask);
/* block_start as in sw_trace (block 0 = prefix, ascending, blocks entries).
 * Errors (SW_USAGE/SW_DATA): slots with a mask for models without, a window
 * below 1 for a windowed mask, starts that do not ascend from 0 or run past
 * `length`. */
int sw_mask_build(sw_mask *mask, sw_mask_kind kind, int32_t slots,
                  int64_t length, const int64_t *block_start, int64_t blocks,
                  int32_t window, uint64_t seed, sw_err *err);
int sw_mask_sees(const sw_mask *mask, int32_t query, int32_t key); /* oracle */
int64_t sw_mask_pairs(const sw_mask *mask); /* unmasked (query, key) pairs */
/* The keys that `query` sees, ascending, into key[rows] (NULL: only counted);
 * returns their number. Not for drawn masks. */
int32_t sw_mask_keys(const sw_mask *mask, int32_t query, int32_t *key);

/* mask_random.c: the draw of random-matched. */
int sw_mask_draw_matched(sw_mask *mask, const int64_t *block_start,
                         int64_t blocks, sw_err *err);

#endif
