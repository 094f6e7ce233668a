/* The data set writer. Each column streams to its own locked temporary beside
 * the target (base/file.h), so memory does not grow with the data set; finish
 * hashes the columns, assembles them into one file and renames it into place.
 * Whatever goes wrong before that leaves the old target as it was. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "base/hash.h"
#include "trace/dataset.h"

enum {
#define X(name, dtype, type) COL_##name,
  SW_DATASET_COLUMNS(X)
#undef X
      REQUIRED,
  BEFORE_OPTIONAL = REQUIRED - 1,
#define X(name, dtype, type) COL_##name,
  SW_DATASET_OPTIONAL(X) SW_DATASET_GROUPED(X)
#undef X
      COLUMNS
};

struct sw_dataset_writer {
  char path[1024];
  sw_out_file column[COLUMNS];
  int64_t elements[COLUMNS];
  int64_t length, blocks; /* tokens and blocks of the traces so far */
  int judged;             /* the traces have verdicts; all of them, or none */
  const uint8_t *part;    /* of the caller; NULL: not grouped */
  const int32_t *group;
  int failed;
};

int sw_dataset_create(sw_dataset_writer **out, const char *path, sw_err *err) {
  *out = NULL;
  sw_dataset_writer *writer = calloc(1, sizeof *writer);
  if (!writer) return sw_no_memory_for(err, "%s", path);
  snprintf(writer->path, sizeof writer->path, "%s", path);
  for (int c = 0; c < COLUMNS; c++) {
    int code = sw_out_open(&writer->column[c], path, err);
    if (!code && !writer->column[c].temp[0])
      code =
          sw_fail(err, SW_USAGE, "%s: a data set needs a regular file", path);
    if (code) {
      sw_dataset_abort(writer);
      return code;
    }
  }
  *out = writer;
  return SW_OK;
}

void sw_dataset_abort(sw_dataset_writer *writer) {
  if (!writer) return;
  for (int c = 0; c < COLUMNS; c++) sw_out_abort(&writer->column[c]);
  free(writer);
}

static void put(sw_dataset_writer *writer, int column, const void *data,
                size_t size, int64_t count) {
  if (count == 0) return;
  if (fwrite(data, size, (size_t)count, writer->column[column].stream) !=
      (size_t)count)
    writer->failed =
        writer->column[column].failure ? writer->column[column].failure : EIO;
  writer->elements[column] += count;
}

static int report(sw_dataset_writer *writer, sw_err *err) {
  if (!writer->failed) return SW_OK;
  errno = writer->failed;
  return sw_fail_errno(err, writer->path, "write");
}

int sw_dataset_append(sw_dataset_writer *writer, const sw_trace *trace,
                      sw_err *err) {
  if (trace->failed) return sw_no_memory_for(err, "a trace that is written");
  if (trace->blocks < 1 || trace->block_start[0] != 0)
    return sw_fail(err, SW_INTERNAL, "a trace without a prefix block");
  if (writer->blocks > 0 && writer->judged != trace->judged)
    return sw_fail(err, SW_INTERNAL, "only some of the traces are judged");
  writer->judged = trace->judged;
  SW_TRY(report(writer, err));
  put(writer, COL_tokens, trace->token, sizeof *trace->token, trace->length);
  put(writer, COL_supervised, trace->supervised, 1, trace->length);
  put(writer, COL_trace_start, &writer->length, 8, 1);
  put(writer, COL_trace_block, &writer->blocks, 8, 1);
  for (int64_t b = 0; b < trace->blocks; b++) {
    int64_t start = writer->length + trace->block_start[b];
    put(writer, COL_block_start, &start, 8, 1);
  }
  put(writer, COL_n, &trace->n, 4, 1);
  put(writer, COL_terminal, &trace->terminal, 4, 1);
  put(writer, COL_decisions, &trace->decisions, 4, 1);
  put(writer, COL_conflicts, &trace->conflicts, 4, 1);
  if (trace->judged) {
    put(writer, COL_viability, trace->verdict, 1, trace->blocks);
    put(writer, COL_query, trace->query, 4, trace->blocks);
  }
  writer->length += trace->length;
  writer->blocks += trace->blocks;
  return report(writer, err);
}

/* *hash becomes the digest of the file's bytes, seeded with *hash. */
static int hash_file(const char *path, uint64_t *hash, sw_err *err) {
  static const size_t room = (size_t)1 << 18;
  sw_xxh digest;
  sw_xxh_init(&digest, *hash);
  FILE *in = fopen(path, "rbe");
  if (!in) return sw_fail_errno(err, path, "read back");
  char *buffer = malloc(room);
  size_t got = 0;
  while (buffer && (got = fread(buffer, 1, room, in)) > 0)
    sw_xxh_update(&digest, buffer, got);
  int code = !buffer      ? sw_no_memory_for(err, "%s", path)
             : ferror(in) ? sw_fail_errno(err, path, "read back")
                          : SW_OK;
  free(buffer);
  fclose(in);
  *hash = sw_xxh_end(&digest);
  return code;
}

void sw_dataset_grouped(sw_dataset_writer *writer, const uint8_t *part,
                        const int32_t *group) {
  writer->part = part;
  writer->group = group;
}

void sw_dataset_unjudge(sw_dataset_writer *writer) { writer->judged = 0; }

/* The optional columns come in pairs. */
static int is_there(const sw_dataset_writer *writer, int column) {
  if (column >= COL_part) return writer->part != NULL;
  return column < REQUIRED || writer->judged;
}

/* Flushes the columns and chains their hashes. */
static int hash_columns(sw_dataset_writer *writer, uint64_t *hash,
                        sw_err *err) {
  *hash = 0;
  for (int c = 0; c < COLUMNS; c++) {
    if (!is_there(writer, c)) continue;
    SW_TRY(sw_out_flush(&writer->column[c], err));
    SW_TRY(hash_file(writer->column[c].temp, hash, err));
  }
  return SW_OK;
}

static int assemble(sw_dataset_writer *writer, const char *const *meta,
                    int pairs, char content_hash[17], sw_err *err) {
  uint64_t hash;
  put(writer, COL_trace_start, &writer->length, 8, 1);
  put(writer, COL_trace_block, &writer->blocks, 8, 1);
  put(writer, COL_block_start, &writer->length, 8, 1);
  if (writer->part) {
    put(writer, COL_part, writer->part, 1, writer->elements[COL_n]);
    put(writer, COL_group, writer->group, 4, writer->elements[COL_n]);
  }
  SW_TRY(report(writer, err));
  SW_TRY(hash_columns(writer, &hash, err));
  snprintf(content_hash, 17, "%016llx", (unsigned long long)hash);
  static const char *const names[] = {
#define X(name, dtype, type) #name,
      SW_DATASET_COLUMNS(X) SW_DATASET_OPTIONAL(X) SW_DATASET_GROUPED(X)
#undef X
  };
  static const sw_st_dtype dtypes[] = {
#define X(name, dtype, type) SW_ST_##dtype,
      SW_DATASET_COLUMNS(X) SW_DATASET_OPTIONAL(X) SW_DATASET_GROUPED(X)
#undef X
  };
  sw_st_spec spec[COLUMNS];
  int count = 0;
  for (int c = 0; c < COLUMNS; c++)
    if (is_there(writer, c))
      spec[count++] = (sw_st_spec){names[c], dtypes[c],
                                   1,        {writer->elements[c]},
                                   NULL,     writer->column[c].temp};
    else sw_out_abort(&writer->column[c]);
  const char **all = calloc((size_t)pairs * 2 + 4, sizeof *all);
  if (!all) return sw_no_memory_for(err, "%s", writer->path);
  all[0] = "format_version", all[1] = "statewise-dataset-1";
  all[2] = "content_hash", all[3] = content_hash;
  for (int i = 0; i < 2 * pairs; i++) all[4 + i] = meta[i];
  int code = sw_st_write(writer->path, spec, count, all, pairs + 2, err);
  free(all);
  return code;
}

int sw_dataset_finish(sw_dataset_writer *writer, const char *const *meta,
                      int meta_pairs, char content_hash[17], sw_err *err) {
  char unused[17];
  int code = assemble(writer, meta, meta_pairs,
                      content_hash ? content_hash : unused, err);
  sw_dataset_abort(writer); /* only the column temporaries are left */
  return code;
}
