/* The data set reader: takes in the file, checks every column's type and length
 * and every index once, and verifies the content hash, so that the users of a
 * sw_dataset need no check. Columns that are not aligned in the file are
 * copied. Views are in dataset_view.c. */
#include "trace/dataset.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "base/hash.h"
#include "trace/dataset_extra.h"

static int column(sw_dataset *set, const char *label, const char *name,
                  sw_st_dtype dtype, size_t align, const void **data,
                  int64_t *count, uint64_t *hash, sw_err *err) {
  const sw_st_tensor *t = sw_st_find(set->file, name);
  if (!t) {
    sw_fail(err, SW_DATA, "%s: no column \"%s\"", label, name);
    return sw_hint(err, "is it a data set? statewise gen writes them");
  }
  if (t->dtype != dtype || t->dims != 1)
    return sw_fail(err, SW_DATA,
                   "%s: column \"%s\" is %s with %d dimensions, expected %s[]",
                   label, name, sw_st_dtype_name(t->dtype), t->dims,
                   sw_st_dtype_name(dtype));
  *count = t->count;
  *hash = sw_xxh64(t->data, t->bytes, *hash);
  *data = t->data;
  if ((uintptr_t)t->data % align == 0) return SW_OK;
  void *copy = sw_arena_alloc(&set->extra->arena, t->bytes);
  if (!copy) return sw_no_memory_for(err, "%s", label);
  memcpy(copy, t->data, t->bytes);
  *data = copy;
  return SW_OK;
}

/* Counts of the columns in table order. */
typedef struct counts {
#define X(name, dtype, type) int64_t name;
  SW_DATASET_COLUMNS(X) SW_DATASET_OPTIONAL(X) SW_DATASET_GROUPED(X)
#undef X
} counts;

static int columns(sw_dataset *set, const char *label, counts *c, sw_err *err) {
  uint64_t hash = 0;
  const void *data;
#define X(name, dtype, type)                                             \
  SW_TRY(column(set, label, #name, SW_ST_##dtype, _Alignof(type), &data, \
                &c->name, &hash, err));                                  \
  set->name = data;
  SW_DATASET_COLUMNS(X)
#undef X
#define X(name, dtype, type)                                               \
  if (sw_st_find(set->file, #name)) {                                      \
    SW_TRY(column(set, label, #name, SW_ST_##dtype, _Alignof(type), &data, \
                  &c->name, &hash, err));                                  \
    set->name = data;                                                      \
  }
  SW_DATASET_OPTIONAL(X)
  SW_DATASET_GROUPED(X)
#undef X
  snprintf(set->hash, sizeof set->hash, "%016llx", (unsigned long long)hash);
  const char *stored = sw_st_meta(set->file, "content_hash");
  if (stored && strcmp(stored, set->hash) != 0) {
    sw_fail(err, SW_DATA, "%s: content hash %s, its metadata says %.40s", label,
            set->hash, stored);
    return sw_hint(err, "the file is damaged or was edited; generate it again");
  }
  return SW_OK;
}

static int check_counts(sw_dataset *set, const counts *c, const char *label,
                        sw_err *err) {
  set->traces = c->n;
  set->length = c->tokens;
  set->blocks = c->block_start - 1;
  int ok = c->supervised == c->tokens && c->trace_start == c->n + 1 &&
           c->trace_block == c->n + 1 && c->block_start >= 1 &&
           c->terminal == c->n && c->decisions == c->n &&
           c->conflicts == c->n && !set->viability == !set->query &&
           (!set->viability ||
            (c->viability == set->blocks && c->query == set->blocks)) &&
           !set->part == !set->group &&
           (!set->part || (c->part == c->n && c->group == c->n));
  return ok ? SW_OK
            : sw_fail(err, SW_DATA, "%s: the columns' lengths do not agree",
                      label);
}

/* starts[0] = 0, starts[count] = total, never descending. */
static int check_starts(const int64_t *starts, int64_t count, int64_t total,
                        const char *label, const char *name, sw_err *err) {
  int64_t bad = starts[0] != 0 ? 0 : starts[count] != total ? count : -1;
  for (int64_t i = 0; bad < 0 && i < count; i++)
    if (starts[i + 1] < starts[i]) bad = i + 1;
  if (bad < 0) return SW_OK;
  return sw_fail(err, SW_DATA, "%s: %s[%lld] = %lld is out of order", label,
                 name, (long long)bad, (long long)starts[bad]);
}

static int check_traces(const sw_dataset *set, const char *label, sw_err *err) {
  for (int64_t i = 0; i < set->traces; i++) {
    int64_t first = set->trace_block[i];
    if (set->trace_block[i + 1] <= first ||
        set->block_start[first] != set->trace_start[i])
      return sw_fail(err, SW_DATA, "%s: trace %lld does not start with a block",
                     label, (long long)i);
    if (set->trace_start[i + 1] - set->trace_start[i] > INT32_MAX)
      return sw_fail(err, SW_LIMIT, "%s: trace %lld has more than 2^31 tokens",
                     label, (long long)i);
  }
  return SW_OK;
}

static int check_tokens(sw_dataset *set, const char *label, sw_err *err) {
  int32_t highest = -1, lowest = 0;
  unsigned flags = 0;
  for (int64_t i = 0; i < set->length; i++) {
    int32_t token = set->tokens[i];
    highest = token > highest ? token : highest;
    lowest = token < lowest ? token : lowest;
    flags |= set->supervised[i];
  }
  set->max_token = highest;
  if (lowest < 0)
    return sw_fail(err, SW_DATA, "%s: token %d is negative", label, lowest);
  if (flags > 1)
    return sw_fail(err, SW_DATA, "%s: supervised has values other than 0 and 1",
                   label);
  return SW_OK;
}

static int check_verdicts(const sw_dataset *set, const char *label,
                          sw_err *err) {
  for (int64_t b = 0; set->viability && b < set->blocks; b++)
    if (set->viability[b] >= SW_VIABILITIES)
      return sw_fail(err, SW_DATA, "%s: viability[%lld] = %d is not a verdict",
                     label, (long long)b, set->viability[b]);
    else if (set->query[b] < 0 ||
             set->query[b] > set->block_start[b + 1] - set->block_start[b])
      return sw_fail(err, SW_DATA, "%s: query[%lld] = %d is outside its block",
                     label, (long long)b, set->query[b]);
  return SW_OK;
}

const char *sw_part_name(int part) {
  static const char *const names[] = {"train", "valid", "test"};
  return part >= 0 && part < SW_PARTS ? names[part] : "unknown";
}

static int check_parts(const sw_dataset *set, const char *label, sw_err *err) {
  for (int64_t i = 0; set->part && i < set->traces; i++) {
    if (set->part[i] >= SW_PARTS)
      return sw_fail(err, SW_DATA, "%s: part[%lld] = %d is not a part", label,
                     (long long)i, set->part[i]);
    if (set->group[i] < 0)
      return sw_fail(err, SW_DATA, "%s: group[%lld] = %d is negative", label,
                     (long long)i, set->group[i]);
  }
  return SW_OK;
}

static int check(sw_dataset *set, const char *label, sw_err *err) {
  counts c = {0};
  SW_TRY(sw_st_check_format(set->file, "dataset", label, err));
  SW_TRY(columns(set, label, &c, err));
  SW_TRY(check_counts(set, &c, label, err));
  SW_TRY(check_starts(set->trace_start, set->traces, set->length, label,
                      "trace_start", err));
  SW_TRY(check_starts(set->block_start, set->blocks, set->length, label,
                      "block_start", err));
  SW_TRY(check_starts(set->trace_block, set->traces, set->blocks, label,
                      "trace_block", err));
  SW_TRY(check_traces(set, label, err));
  SW_TRY(check_tokens(set, label, err));
  SW_TRY(check_verdicts(set, label, err));
  SW_TRY(check_parts(set, label, err));
  return sw_dataset_index(set, err);
}

static int adopt(sw_dataset *set, sw_st_file *file, const char *label,
                 sw_err *err) {
  memset(set, 0, sizeof *set);
  set->file = file;
  set->extra = calloc(1, sizeof *set->extra);
  if (set->extra) sw_arena_init(&set->extra->arena, 0);
  int code =
      set->extra ? check(set, label, err) : sw_no_memory_for(err, "%s", label);
  if (code) sw_dataset_close(set);
  return code;
}

int sw_dataset_open(sw_dataset *set, const char *path, sw_err *err) {
  sw_st_file *file;
  memset(set, 0, sizeof *set);
  SW_TRY(sw_st_open(&file, path, err));
  return adopt(set, file, path, err);
}

int sw_dataset_parse(sw_dataset *set, const void *bytes, size_t length,
                     const char *label, sw_err *err) {
  sw_st_file *file;
  memset(set, 0, sizeof *set);
  SW_TRY(sw_st_parse(&file, bytes, length, label, err));
  return adopt(set, file, label, err);
}

void sw_dataset_close(sw_dataset *set) {
  sw_st_close(set->file);
  if (set->extra) sw_arena_free(&set->extra->arena);
  free(set->extra);
  memset(set, 0, sizeof *set);
}

const char *sw_dataset_meta(const sw_dataset *set, const char *key) {
  return sw_st_meta(set->file, key);
}

int sw_unigram_floor(const sw_dataset *set, int32_t vocab, int64_t traces,
                     double *floor, sw_err *err) {
  int64_t *count = calloc((size_t)vocab, sizeof *count), total = 0;
  if (!count) return sw_no_memory(err);
  if (traces > set->traces) traces = set->traces;
  for (int64_t i = 0; i < set->trace_start[traces]; i++)
    if (set->supervised[i] && set->tokens[i] < vocab) {
      count[set->tokens[i]]++;
      total++;
    }
  double entropy = 0;
  for (int32_t v = 0; v < vocab; v++)
    if (count[v]) {
      double p = (double)count[v] / (double)total;
      entropy -= p * log(p);
    }
  free(count);
  *floor = entropy;
  return SW_OK;
}
