/* Files. Every write goes to a temporary name in the same directory, is
 * synced, and is renamed over the target only when complete; a failed or
 * killed writer leaves the old target as it was. Reads are whole-file or
 * memory-mapped, with a size limit where the input may be hostile. */
#ifndef SW_BASE_FILE_H
#define SW_BASE_FILE_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "base/err.h"

typedef struct sw_out_file {
  FILE *stream;
  char path[1024], temp[1088];
} sw_out_file;
int sw_out_open(sw_out_file *file, const char *path, sw_err *err);
int sw_out_commit(sw_out_file *file, sw_err *err); /* flush, fsync, rename */
void sw_out_abort(sw_out_file *file);              /* removes the temporary */
int sw_write_file(const char *path, const void *data, size_t bytes,
                  sw_err *err);

/* The error of a failed system call on `path`, from errno, with a hint. */
int sw_fail_errno(sw_err *err, const char *path, const char *doing);

/* Whole file into a malloc'd, NUL-terminated buffer (free() it). Transparent
 * .gz and .xz by content. `limit` 0 means 1 GiB after decompression. */
int sw_read_file(const char *path, size_t limit, char **data, size_t *bytes,
                 sw_err *err);

typedef struct sw_map {
  const unsigned char *data;
  size_t bytes;
} sw_map;
int sw_map_open(sw_map *map, const char *path, sw_err *err);
void sw_map_close(sw_map *map);

int sw_make_dirs(const char *path, sw_err *err); /* mkdir -p */
int sw_path_exists(const char *path);
int sw_is_directory(const char *path);

#endif
