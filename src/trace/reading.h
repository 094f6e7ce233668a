/* A reading: how a model that reads tokens reads a trace. Who may see whom (the
 * mask), how tokens are numbered (the positions) and the window of the masks
 * that have one. Training, sessions, probes and files all carry this one
 * struct; here is its parser, its printer, and the only place that gives out
 * position ids, which is also the only place that checks that the model's
 * position table holds them. */
#ifndef SW_TRACE_READING_H
#define SW_TRACE_READING_H
#include "base/safetensors.h"
#include "trace/mask.h"

/* Position kinds: an id is a first number plus the token's rank in its block.
 *   X(id, name, how ids enter the model, first id of the prefix, what a block
 *     counts on from, longest block (0: any), text)
 * A block counts on from its place in the SEQUENCE, from the PREFIX's length,
 * from ZERO, or as the MASK does by itself: from the prefix's length where
 * blocks do not see each other, else from the sequence. Only counting from the
 * sequence depends on what came before the block.
 * Ids enter as rows of a learned TABLE that are added to the tokens; as two
 * rows of TWO tables, of the id and of the token's rank in its block; as a
 * ROTATION of queries and keys; or NOT at all. */
enum { SW_POS_BLOCK_ROOM = 512 };
typedef enum {
  SW_FROM_SEQUENCE,
  SW_FROM_PREFIX,
  SW_FROM_ZERO,
  SW_FROM_MASK
} sw_counts_from;
typedef enum {
  SW_ENTERS_TABLE,
  SW_ENTERS_TWO,
  SW_ENTERS_ROTATION,
  SW_ENTERS_NOT
} sw_position_enters;
/* clang-format off */
#define SW_POSITION_KINDS(X)                                                                                       \
  X(STANDARD, "standard", TABLE, 0, SEQUENCE, 0, "the place in the sequence")                                      \
  X(BLOCK_RELATIVE, "block-relative", TABLE, 0, PREFIX, 0, "every block counts on from the prefix's length")       \
  X(BLOCK_FIRST, "block-first", TABLE, SW_POS_BLOCK_ROOM, ZERO, SW_POS_BLOCK_ROOM, "every block counts from 0 and the prefix from 512, so that a block's ids do not depend on the problem's length") \
  X(ROTARY, "rotary", ROTATION, 0, MASK, 0, "queries and keys are rotated by their place, so that only distances count") \
  X(BOTH, "both", TWO, 0, SEQUENCE, 0, "the place in the sequence and the place in the block, a table each")       \
  X(NONE, "none", NOT, 0, ZERO, 0, "no positions: order is known from the mask alone")
/* clang-format on */
typedef enum {
#define X(id, name, enters, prefix, from, room, text) SW_POS_##id,
  SW_POSITION_KINDS(X)
#undef X
      SW_POS_COUNT
} sw_position_kind;
typedef struct sw_position_row {
  const char *name;
  sw_position_enters enters;
  int64_t prefix_first;
  sw_counts_from block_from;
  int64_t block_room;
  const char *text;
} sw_position_row;
const sw_position_row *sw_position_row_of(sw_position_kind kind);
const char *sw_position_name(sw_position_kind kind);
int sw_position_from_name(const char *name); /* -1: unknown */
/* All names with blanks between them, for messages and help. */
const char *sw_position_names(void);

typedef struct sw_reading {
  sw_mask_kind mask;
  sw_position_kind positions;
  int32_t window;
} sw_reading;

enum { SW_READING_WINDOW = 256 }; /* the default window */
const char *sw_reading_check(const sw_reading *reading); /* base/check.h */
/* A mask with the positions it is usually read with: block-relative where
 * blocks do not see each other, standard where they do. */
sw_reading sw_reading_of(sw_mask_kind mask);
/* Replaces what is named; NULL leaves it as it is. SW_USAGE: unknown name. */
int sw_reading_parse(sw_reading *reading, const char *mask,
                     const char *positions, sw_err *err);
/* From the metadata of a weight file (mask, position_kind, window). */
int sw_reading_load(sw_reading *reading, const sw_st_file *file,
                    const char *path, sw_err *err);
/* The same metadata, for writing: key, value, key, value, ... */
enum { SW_READING_PAIRS = 3 };
typedef struct sw_reading_meta {
  const char *pair[2 * SW_READING_PAIRS];
  char window[16];
} sw_reading_meta;
void sw_reading_save(const sw_reading *reading, sw_reading_meta *meta);
/* In words: "mask ssa, positions block-relative", and the window if it has
 * one. */
void sw_reading_print(const sw_reading *reading, char *text, size_t room);
/* 1: the ids of a block do not depend on the blocks before it. */
int sw_reading_ids_local(const sw_reading *reading);
/* 1: what a block is shown as does not depend on the blocks before it. */
int sw_reading_block_local(const sw_reading *reading);
/* The reading of a model with this many rows in its table of positions and of
 * places, rotating or not: SW_USAGE when these positions are not the model's.
 */
int sw_reading_suits(const sw_reading *reading, int32_t positions,
                     int32_t places, int rotary, sw_err *err);

/* ---- position ids ---- */
/* The id of the next of `count` tokens, of which the first has rank `rank` in
 * block `block` (0: the prefix) that starts at `start` of the sequence;
 * SW_LIMIT when a table of `table` rows (0: any) does not hold them all. */
int sw_reading_next(const sw_reading *reading, int64_t prefix, int64_t block,
                    int64_t start, int64_t rank, int64_t count, int64_t table,
                    int64_t *id, sw_err *err);
/* Rows that a table needs for a trace; SW_LIMIT when a block is longer than
 * the positions allow, whatever the table. */
int sw_reading_need(const sw_reading *reading, int64_t length,
                    const int64_t *block_start, int64_t blocks, int64_t *rows,
                    sw_err *err);
/* SW_LIMIT when a table of `table` rows (0: any) does not hold the trace. */
int sw_reading_fits(const sw_reading *reading, int64_t length,
                    const int64_t *block_start, int64_t blocks, int64_t table,
                    sw_err *err);
/* Ids of all tokens of a trace (slots have none), and behind them, for kinds
 * with two tables, their ranks in their blocks: sw_reading_ids(reading, length)
 * entries in all. `pad_shift` is the release's
 * error of counting padding as prefix (block-relative only); what it pushes
 * over the end gets the last row, as it does there. Everything else that does
 * not fit is SW_LIMIT. */
int64_t sw_reading_ids(const sw_reading *reading, int64_t length);
int sw_reading_positions(const sw_reading *reading, int64_t length,
                         const int64_t *block_start, int64_t blocks,
                         int32_t pad_shift, int32_t table, int32_t *position,
                         sw_err *err);

#endif
