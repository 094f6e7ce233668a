/* Directories, logs and locks (see file.h). Logs and locks are opened without
 * following symbolic links: a run directory may be writable by others. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/file.h"

/* A regular file of this very name, created when it is not there; -1 with the
 * error filled in. */
static int open_own(const char *path, int flags, sw_err *err) {
  int fd =
      open(path, flags | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  struct stat status;
  if (fd < 0 && errno == ELOOP)
    return sw_fail(err, SW_IO, "%s: is a symbolic link; it is not followed",
                   path),
           -1;
  if (fd < 0) return sw_fail_errno(err, path, "open"), -1;
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) return fd;
  close(fd);
  return sw_fail(err, SW_IO, "%s: is not a regular file", path), -1;
}

static int open_stream(FILE **stream, const char *path, int flags,
                       const char *mode, sw_err *err) {
  *stream = NULL;
  int fd = open_own(path, flags, err);
  if (fd < 0) return err ? err->code : SW_IO;
  *stream = fdopen(fd, mode);
  if (*stream) return SW_OK;
  close(fd);
  return sw_no_memory_for(err, "%s", path);
}

int sw_append_open(FILE **stream, const char *path, sw_err *err) {
  return open_stream(stream, path, O_WRONLY | O_APPEND, "a", err);
}

int sw_update_open(FILE **stream, const char *path, sw_err *err) {
  return open_stream(stream, path, O_RDWR, "r+", err);
}

int sw_log_sync(FILE *stream, const char *path, sw_err *err) {
  while (fsync(fileno(stream)))
    if (errno != EINTR) return sw_fail_errno(err, path, "write");
  return SW_OK;
}

int sw_log_cut(FILE *stream, off_t keep, const char *path, sw_err *err) {
  struct stat status;
  if (fstat(fileno(stream), &status)) return sw_fail_errno(err, path, "read");
  if (status.st_size == keep) return SW_OK;
  while (ftruncate(fileno(stream), keep))
    if (errno != EINTR) return sw_fail_errno(err, path, "write");
  return sw_log_sync(stream, path, err);
}

int sw_lock_file(int *lock, const char *path, sw_err *err) {
  int fd = open_own(path, O_RDWR, err);
  *lock = -1;
  if (fd < 0) return err ? err->code : SW_IO;
  if (flock(fd, LOCK_EX | LOCK_NB)) {
    close(fd);
    return sw_fail(err, SW_USAGE, "%s: another process holds the lock", path);
  }
  *lock = fd;
  return SW_OK;
}

int sw_make_dirs(const char *path, sw_err *err) {
  char part[1024];
  if (!*path) return sw_fail(err, SW_USAGE, "an empty name is not a directory");
  if (strlen(path) >= sizeof part)
    return sw_fail(err, SW_LIMIT, "%.60s...: the name is too long", path);
  snprintf(part, sizeof part, "%s", path);
  for (char *p = part + 1;; p++) {
    if (*p && *p != '/') continue;
    char held = *p;
    *p = 0;
    /* A parent may exist where we may not create (EROFS, EACCES). */
    if (!mkdir(part, 0777)) {
      sw_sync_parent(part);
    } else if (errno != EEXIST) {
      int cause = errno;
      if (!sw_is_directory(part)) {
        errno = cause;
        return sw_fail_errno(err, part, "create the directory");
      }
    }
    *p = held;
    if (!held) break;
  }
  if (!sw_is_directory(path))
    return sw_fail(err, SW_IO, "%s: exists and is not a directory", path);
  return SW_OK;
}

int sw_make_parents(const char *path, sw_err *err) {
  char parent[1024];
  const char *slash = strrchr(path, '/');
  if (!slash || slash == path) return SW_OK; /* here, or / */
  size_t length = (size_t)(slash - path);
  if (length >= sizeof parent)
    return sw_fail(err, SW_LIMIT, "%.60s...: the name is too long", path);
  memcpy(parent, path, length);
  parent[length] = 0;
  return sw_make_dirs(parent, err);
}

int sw_path_exists(const char *path) {
  struct stat status;
  return stat(path, &status) == 0;
}

int sw_is_regular(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

int sw_is_directory(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static int by_bytes(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

int sw_list_directory(const char *path, struct dirent ***entry, int *count,
                      sw_err *err) {
  *entry = NULL;
  *count = scandir(path, entry, NULL, by_bytes);
  if (*count >= 0) return SW_OK;
  *count = 0;
  if (errno == ENOENT || errno == ENOTDIR || errno == EACCES) return SW_OK;
  return sw_fail_errno(err, path, "read the directory");
}
