/* Files. Every write goes to a temporary name in the same directory, is
 * synced, and is renamed over the target only when complete; a failed or
 * killed writer leaves the old target as it was. Reads take the whole file
 * into memory, so that nothing changes under a reader, with a size limit where
 * the input may be hostile. A pipe is waited for, but no longer than
 * base/stop.h allows. */
#ifndef SW_BASE_FILE_H
#define SW_BASE_FILE_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include "base/err.h"

/* Must stay where it is between open and commit or abort: the stream writes
 * through it, and remembers in `failure` (an errno) what went wrong first. */
typedef struct sw_out_file {
  FILE *stream;
  int fd, failure;
  char path[1024], temp[1088];
} sw_out_file;
int sw_out_open(sw_out_file *file, const char *path, sw_err *err);
/* Flush, fsync, rename; the file is closed whatever happens. */
int sw_out_commit(sw_out_file *file, sw_err *err);
void sw_out_abort(sw_out_file *file); /* removes the temporary */
/* Hands what is buffered to the system; SW_IO with the reason. */
int sw_out_flush(sw_out_file *file, sw_err *err);
int sw_write_file(const char *path, const void *data, size_t bytes,
                  sw_err *err);

/* Closes a stream of open_memstream (NULL: there was no memory for it). 1: the
 * text is whole; 0: memory ran out on the way, which neither fclose() nor the
 * text alone would tell, and the text is freed and NULL. */
int sw_memory_close(FILE *stream, char **text);

/* The error of a failed system call on `path`, from errno, with a hint. */
int sw_fail_errno(sw_err *err, const char *path, const char *doing);

/* Whole file into a malloc'd, NUL-terminated buffer (free() it). Transparent
 * .gz and .xz by content. `limit` 0 means 1 GiB after decompression. */
int sw_read_file(const char *path, size_t limit, char **data, size_t *bytes,
                 sw_err *err);

/* The same on bytes in memory (not owned). */
int sw_unpack(const char *path, const void *data, size_t bytes, size_t limit,
              char **text, size_t *length, sw_err *err);

/* For readers of streams. The first opens without waiting for the other end of
 * a pipe (*waits: the file is a pipe) and returns the descriptor, or -1. The
 * second waits until a descriptor can be read or it is time to stop. */
int sw_open_to_read(const char *path, int *waits, sw_err *err);
int sw_wait_readable(int fd, const char *path, sw_err *err);

/* A regular file as it is, in 64-byte aligned memory. */
typedef struct sw_content {
  const unsigned char *data; /* NULL when the file is empty */
  size_t bytes;
} sw_content;
int sw_content_read(sw_content *content, const char *path, sw_err *err);
void sw_content_free(sw_content *content);

/* Opens a log for appending, or for reading and cutting. Refuses symbolic links
 * and everything but regular files. */
int sw_append_open(FILE **stream, const char *path, sw_err *err);
int sw_update_open(FILE **stream, const char *path, sw_err *err);
/* Syncs a log to the disk. */
int sw_log_sync(FILE *stream, const char *path, sw_err *err);
/* Cuts a log behind its first `keep` bytes, on the disk too. A kill leaves the
 * whole or the cut one. */
int sw_log_cut(FILE *stream, off_t keep, const char *path, sw_err *err);
/* Opens or creates a lock file (close the descriptor to let go). SW_USAGE when
 * another process holds it. */
int sw_lock_file(int *fd, const char *path, sw_err *err);
/* Removes temporaries that killed writers left in a directory of ours. */
void sw_remove_temporaries(const char *directory);

/* mkdir -p; new directories are on the disk before anything is put into them.
 */
int sw_make_dirs(const char *path, sw_err *err);
/* A new name is durable once the directory that holds it is synced. */
void sw_sync_parent(const char *path);
/* The directories above the file `path`. */
int sw_make_parents(const char *path, sw_err *err);
int sw_path_exists(const char *path);
int sw_is_directory(const char *path);
int sw_is_regular(const char *path); /* no pipe, no device */
/* The names in a directory, in byte order, and their number; free() each and
 * the list. A directory that is missing or unreadable has none. */
struct dirent;
int sw_list_directory(const char *path, struct dirent ***entry, int *count,
                      sw_err *err);

#endif
