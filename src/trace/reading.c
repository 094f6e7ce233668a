/* Readings: names, files and position ids (see reading.h). Every id comes from
 * first_id and passes through check_ids. */
#include "trace/reading.h"
#include "base/check.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const sw_position_row table[SW_POS_COUNT] = {
#define X(id, name, enters, prefix, from, room, text) \
  {name, SW_ENTERS_##enters, prefix, SW_FROM_##from, room, text},
    SW_POSITION_KINDS(X)
#undef X
};

const sw_position_row *sw_position_row_of(sw_position_kind kind) {
  return (unsigned)kind < SW_POS_COUNT ? &table[kind] : NULL;
}

const char *sw_position_name(sw_position_kind kind) {
  return (unsigned)kind < SW_POS_COUNT ? table[kind].name : "unknown";
}

int sw_position_from_name(const char *name) {
  for (int i = 0; i < SW_POS_COUNT; i++)
    if (!strcmp(table[i].name, name)) return i;
  return -1;
}

const char *sw_position_names(void) {
  static const char names[] = ""
#define X(id, name, enters, prefix, from, room, text) name " "
      SW_POSITION_KINDS(X)
#undef X
      ;
  static _Thread_local char text[sizeof names];
  memcpy(text, names, sizeof names - 2); /* without the last blank */
  return text;
}

static sw_counts_from counts_from(const sw_reading *r) {
  sw_counts_from from = table[r->positions].block_from;
  if (from != SW_FROM_MASK) return from;
  return sw_mask_block_local(r->mask) ? SW_FROM_PREFIX : SW_FROM_SEQUENCE;
}

int sw_reading_ids_local(const sw_reading *r) {
  SW_CHECK(sw_reading_check(r));
  return counts_from(r) != SW_FROM_SEQUENCE;
}

sw_reading sw_reading_of(sw_mask_kind mask) {
  return (sw_reading){.mask = mask,
                      .positions = sw_mask_block_local(mask)
                                       ? SW_POS_BLOCK_RELATIVE
                                       : SW_POS_STANDARD,
                      .window = SW_READING_WINDOW};
}

int sw_reading_parse(sw_reading *r, const char *mask, const char *positions,
                     sw_err *err) {
  int kind = mask ? sw_mask_from_name(mask) : (int)r->mask;
  if (kind < 0) {
    sw_fail(err, SW_USAGE, "unknown mask `%.60s`", mask);
    return sw_hint(err, "masks: %s", sw_mask_names());
  }
  r->mask = (sw_mask_kind)kind;
  kind = positions ? sw_position_from_name(positions) : (int)r->positions;
  if (kind < 0) {
    sw_fail(err, SW_USAGE, "unknown positions `%.60s`", positions);
    return sw_hint(err, "positions: %s", sw_position_names());
  }
  r->positions = (sw_position_kind)kind;
  return SW_OK;
}

int sw_reading_load(sw_reading *r, const sw_st_file *file, const char *path,
                    sw_err *err) {
  static const char *const keys[2] = {"mask", "position_kind"};
  const char *value[2], *window = sw_st_meta(file, "window");
  sw_err inner = {0};
  for (int i = 0; i < 2; i++) {
    value[i] = sw_st_meta(file, keys[i]);
    if (value[i]) continue;
    sw_fail(err, SW_DATA, "%s: the metadata has no `%s`", path, keys[i]);
    return sw_hint(err, "train with `statewise train`, which writes it");
  }
  r->window = SW_READING_WINDOW;
  if (sw_reading_parse(r, value[0], value[1], &inner)) {
    sw_fail(err, SW_DATA, "%s: %s", path, inner.text);
    return sw_hint(err, "%s", inner.hint);
  }
  if (!window) return SW_OK;
  char *end;
  errno = 0;
  long rows = strtol(window, &end, 10);
  if (errno || *end || end == window || rows < 1 || rows > INT32_MAX)
    return sw_fail(err, SW_DATA,
                   "%s: metadata window = \"%.40s\" is not a width", path,
                   window);
  r->window = (int32_t)rows;
  return SW_OK;
}

void sw_reading_save(const sw_reading *r, sw_reading_meta *meta) {
  snprintf(meta->window, sizeof meta->window, "%" PRId32, r->window);
  const char *pair[] = {"mask",          sw_mask_name(r->mask),
                        "position_kind", sw_position_name(r->positions),
                        "window",        meta->window};
  memcpy(meta->pair, pair, sizeof pair);
}

void sw_reading_print(const sw_reading *r, char *text, size_t room) {
  SW_CHECK(sw_reading_check(r));
  SW_ASSERT(text && room);
  const sw_mask_row *row = sw_mask_row_of(r->mask);
  int used = snprintf(text, room, "mask %s, positions %s",
                      sw_mask_name(r->mask), sw_position_name(r->positions));
  if (row && row->windowed && used > 0 && (size_t)used < room)
    snprintf(text + used, room - (size_t)used, ", window %" PRId32, r->window);
}

int sw_reading_block_local(const sw_reading *r) {
  SW_CHECK(sw_reading_check(r));
  return sw_mask_block_local(r->mask) && sw_reading_ids_local(r);
}

int sw_reading_suits(const sw_reading *r, int32_t positions, int32_t places,
                     int rotary, sw_err *err) {
  const sw_position_row *row = &table[r->positions];
  int needs_table =
      row->enters == SW_ENTERS_TABLE || row->enters == SW_ENTERS_TWO;
  if (needs_table == (positions > 0) &&
      (row->enters == SW_ENTERS_TWO) == (places > 0) &&
      (row->enters == SW_ENTERS_ROTATION) == (rotary != 0))
    return SW_OK;
  const char *own = rotary          ? "rotary"
                    : places > 0    ? "both"
                    : positions > 0 ? "standard, block-relative or block-first"
                                    : "none";
  sw_fail(err, SW_USAGE, "the model does not read positions `%s`", row->name);
  return sw_hint(err, "it was trained with %s", own);
}

/* ---- position ids ---- */

static int64_t first_id(const sw_reading *r, int64_t prefix, int64_t block,
                        int64_t start) {
  sw_counts_from from = counts_from(r);
  if (block == 0) return table[r->positions].prefix_first;
  if (from == SW_FROM_SEQUENCE) return start;
  return from == SW_FROM_PREFIX ? prefix : 0;
}

/* Ids [id, id + count) of one block: do its room and the table hold them? */
static int check_ids(const sw_position_row *row, int64_t block, int64_t id,
                     int64_t count, int64_t rows, sw_err *err) {
  if (block > 0 && row->block_room && id + count > row->block_room) {
    sw_fail(err, SW_LIMIT,
            "%" PRId64 " tokens at position %" PRId64
            " of a block: positions %s end a block at %" PRId64,
            count, id, row->name, row->block_room);
    return sw_hint(err, "positions block-relative have no such limit");
  }
  if (rows > 0 && id + count > rows)
    return sw_fail(err, SW_LIMIT,
                   "%" PRId64 " more tokens at position %" PRId64
                   ": the position table has %" PRId64 " rows",
                   count, id, rows);
  return SW_OK;
}

int sw_reading_next(const sw_reading *r, int64_t prefix, int64_t block,
                    int64_t start, int64_t rank, int64_t count, int64_t rows,
                    int64_t *id, sw_err *err) {
  SW_CHECK(sw_reading_check(r));
  SW_ASSERT(block >= 0 && rank >= 0 && count >= 0);
  SW_ASSERT(id);
  const sw_position_row *row = &table[r->positions];
  *id = first_id(r, prefix, block, start) + rank;
  return check_ids(row, block, *id, count, rows, err);
}

/* The most rows that a block needs, each checked against `limit`. */
static int walk(const sw_reading *r, int64_t length, const int64_t *block_start,
                int64_t blocks, int64_t limit, int64_t *rows, sw_err *err) {
  const sw_position_row *row = &table[r->positions];
  int64_t prefix = blocks > 1 ? block_start[1] - block_start[0] : length;
  *rows = 0;
  for (int64_t b = 0; b < blocks || b == 0; b++) {
    int64_t start = b ? block_start[b] - block_start[0] : 0;
    int64_t end = b + 1 < blocks ? block_start[b + 1] - block_start[0] : length;
    int64_t id = first_id(r, prefix, b, start);
    SW_TRY(check_ids(row, b, id, end - start, limit, err));
    if (id + end - start > *rows) *rows = id + end - start;
  }
  return SW_OK;
}

int sw_reading_need(const sw_reading *r, int64_t length,
                    const int64_t *block_start, int64_t blocks, int64_t *rows,
                    sw_err *err) {
  return walk(r, length, block_start, blocks, 0, rows, err);
}

int sw_reading_fits(const sw_reading *r, int64_t length,
                    const int64_t *block_start, int64_t blocks, int64_t rows,
                    sw_err *err) {
  int64_t need;
  return walk(r, length, block_start, blocks, rows, &need, err);
}

int64_t sw_reading_ids(const sw_reading *r, int64_t length) {
  SW_ASSERT(length >= 0);
  return table[r->positions].enters == SW_ENTERS_TWO ? 2 * length : length;
}

int sw_reading_positions(const sw_reading *r, int64_t length,
                         const int64_t *block_start, int64_t blocks,
                         int32_t pad_shift, int32_t rows, int32_t *position,
                         sw_err *err) {
  SW_CHECK(sw_reading_check(r));
  SW_ASSERT(position || !length);
  const sw_position_row *row = &table[r->positions];
  SW_TRY(sw_reading_fits(r, length, block_start, blocks, rows, err));
  int64_t prefix = blocks > 1 ? block_start[1] : length, block = 0;
  for (int64_t i = 0; i < length; i++) {
    while (block + 1 < blocks && block_start[block + 1] <= i) block++;
    int64_t start = blocks > 0 ? block_start[block] : 0;
    int64_t id = first_id(r, prefix, block, start) + i - start;
    if (block > 0 && counts_from(r) == SW_FROM_PREFIX) id += pad_shift;
    if (row->enters == SW_ENTERS_TWO)
      position[length + i] = (int32_t)(i - start);
    if (rows > 0 && id > rows - 1) id = rows - 1;
    position[i] = (int32_t)(id < 0 ? 0 : id);
  }
  return SW_OK;
}

#ifdef SW_DEBUG
const char *sw_reading_check(const sw_reading *reading) {
  if (!reading) return "no reading";
  if (!sw_mask_row_of(reading->mask)) return "no such mask";
  if ((unsigned)reading->positions >= SW_POS_COUNT) return "no such positions";
  return reading->window < 0 ? "a window below 0" : NULL;
}
#endif
