/* The table of masks and what follows from a row (see mask.h). Masks that a
 * program adds at run time come after the rows of the table. */
#include <stdio.h>
#include <string.h>
#include "trace/mask.h"

enum {
  S = SW_READS_SLOTS,
  P = SW_READS_PREFIX,
  O = SW_READS_OWN,
  E = SW_READS_EARLIER,
  L = SW_READS_LATER
};
static const sw_mask_row table[SW_MASK_COUNT] = {
#define X(id, name, slots, prefix, block, windowed, draw, text) \
  {name, slots, prefix, block, windowed, draw, text},
    SW_MASKS(X)
#undef X
};
enum { ADDED_MAX = 32 };
static const sw_mask_row *added[ADDED_MAX];
static int added_count;

int sw_mask_count(void) { return SW_MASK_COUNT + added_count; }

const sw_mask_row *sw_mask_row_of(sw_mask_kind kind) {
  unsigned index = (unsigned)kind;
  if (index < SW_MASK_COUNT) return &table[index];
  index -= SW_MASK_COUNT;
  return index < (unsigned)added_count ? added[index] : NULL;
}

int sw_mask_add(const sw_mask_row *row) {
  if (added_count == ADDED_MAX || sw_mask_from_name(row->name) >= 0) return -1;
  added[added_count] = row;
  return SW_MASK_COUNT + added_count++;
}

const char *sw_mask_name(sw_mask_kind kind) {
  const sw_mask_row *row = sw_mask_row_of(kind);
  return row ? row->name : "unknown";
}

int sw_mask_from_name(const char *name) {
  for (int i = 0; i < sw_mask_count(); i++)
    if (!strcmp(sw_mask_name((sw_mask_kind)i), name)) return i;
  return -1;
}

const char *sw_mask_names(void) {
  static _Thread_local char text[1024];
  size_t used = 0;
  text[0] = 0;
  for (int i = 0; i < sw_mask_count() && used < sizeof text; i++) {
    int more = snprintf(text + used, sizeof text - used, "%s%s", i ? " " : "",
                        sw_mask_name((sw_mask_kind)i));
    used += more > 0 ? (size_t)more : 0;
  }
  return text;
}

int sw_mask_leaks(sw_mask_kind kind) {
  const sw_mask_row *row = sw_mask_row_of(kind);
  return row && (row->slots | row->prefix | row->block) & L ? 1 : 0;
}

int sw_mask_block_local(sw_mask_kind kind) {
  const sw_mask_row *row = sw_mask_row_of(kind);
  return row && !row->draw && !(row->block & E) && !sw_mask_leaks(kind);
}

int sw_mask_has_slots(sw_mask_kind kind) {
  const sw_mask_row *row = sw_mask_row_of(kind);
  return row && row->slots;
}

static void add_words(char *text, size_t room, const char *words) {
  size_t used = strlen(text);
  snprintf(text + used, room - used, "%s%s", used ? ", " : "", words);
}

static void block_words(const sw_mask_row *row, char *text, size_t room) {
  unsigned reads = row->block;
  int all = reads & P && reads & E && !row->windowed;
  if (reads & S) add_words(text, room, "slots");
  if (reads & P && !all) add_words(text, room, "prefix");
  if (!(reads & E)) add_words(text, room, "itself so far");
  else if (row->windowed) add_words(text, room, "the last W tokens");
  else
    add_words(text, room, all ? "everything before it" : "all blocks so far");
}

void sw_mask_words(sw_mask_kind kind, sw_region region, char *text,
                   size_t room) {
  const sw_mask_row *row = sw_mask_row_of(kind);
  text[0] = 0;
  if (!row) return;
  switch (region) {
    case SW_REGION_SLOTS:
      if (!row->slots) add_words(text, room, "(no slots)");
      else if (row->slots & L) add_words(text, room, "everything");
      else {
        if (row->slots & S) add_words(text, room, "slots");
        if (row->slots & P) add_words(text, room, "prefix");
      }
      break;
    case SW_REGION_PREFIX:
      if (row->prefix & S) add_words(text, room, "slots");
      add_words(text, room, row->prefix & L ? "all of it" : "itself so far");
      break;
    case SW_REGION_BLOCK:
      block_words(row, text, room);
      break;
  }
}
