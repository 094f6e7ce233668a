/* Safe writing (temporary, sync, rename), mapping and small path helpers.
 * A temporary is called TARGET.PID-N.tmp and is locked (flock) while its
 * writer lives, so the next writer of the same target can tell and remove
 * what a killed one left behind. Reading is in file_read.c. */
#include "base/file.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int sw_fail_errno(sw_err *err, const char *path, const char *doing) {
  int cause = errno, code = cause == ENOMEM ? SW_MEMORY : SW_IO;
  sw_fail(err, code, "%s: cannot %s: %s", path, doing, strerror(cause));
  if (cause == ENOENT || cause == ENOTDIR)
    sw_hint(err, "create the directory first");
  if (cause == EACCES || cause == EROFS)
    sw_hint(err, "choose a place you may write to");
  if (cause == ENOSPC || cause == EDQUOT || cause == EFBIG)
    sw_hint(err, "free some space; nothing was replaced");
  return code;
}

static void split_path(const char *path, char *directory, size_t room,
                       const char **name) {
  const char *slash = strrchr(path, '/');
  *name = slash ? slash + 1 : path;
  if (!slash) snprintf(directory, room, ".");
  else if (slash == path) snprintf(directory, room, "/");
  else snprintf(directory, room, "%.*s", (int)(slash - path), path);
}

/* NAME.<digits>-<digits>.[something.]tmp */
static int is_temporary_of(const char *entry, const char *name) {
  size_t length = strlen(name), whole = strlen(entry);
  if (strncmp(entry, name, length) != 0 || entry[length] != '.') return 0;
  const char *p = entry + length + 1;
  size_t digits = strspn(p, "0123456789");
  if (!digits || p[digits] != '-') return 0;
  p += digits + 1;
  digits = strspn(p, "0123456789");
  return digits && p[digits] == '.' && strcmp(entry + whole - 4, ".tmp") == 0;
}

static void remove_abandoned(const char *path) {
  char directory[1024];
  const char *name;
  split_path(path, directory, sizeof directory, &name);
  DIR *dir = opendir(directory);
  if (!dir) return;
  for (struct dirent *entry; (entry = readdir(dir));) {
    if (!is_temporary_of(entry->d_name, name)) continue;
    int fd = openat(dirfd(dir), entry->d_name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) continue;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
      unlinkat(dirfd(dir), entry->d_name, 0);
    close(fd);
  }
  closedir(dir);
}

/* Creates and locks a temporary; -1 with errno. A cleaner may win the race
 * between creation and lock: the file has no name then, and we try again. */
static int create_temporary(sw_out_file *file) {
  static _Atomic unsigned counter;
  for (;;) {
    unsigned n = atomic_fetch_add(&counter, 1);
    snprintf(file->temp, sizeof file->temp, "%s.%d-%u.tmp", file->path,
             (int)getpid(), n);
    int fd = open(file->temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EEXIST) continue;
    if (fd < 0) return -1;
    struct stat status;
    (void)flock(fd, LOCK_EX | LOCK_NB);
    if (fstat(fd, &status) == 0 && status.st_nlink > 0) return fd;
    close(fd);
  }
}

int sw_out_open(sw_out_file *file, const char *path, sw_err *err) {
  memset(file, 0, sizeof *file);
  if (!path || !*path)
    return sw_fail(err, SW_USAGE, "an empty name cannot be written to");
  if (strlen(path) >= sizeof file->path)
    return sw_fail(err, SW_LIMIT, "%.60s...: the name is longer than %zu bytes",
                   path, sizeof file->path - 1);
  snprintf(file->path, sizeof file->path, "%s", path);
  struct stat status;
  int exists = stat(path, &status) == 0;
  if (exists && S_ISDIR(status.st_mode))
    return sw_fail(err, SW_IO, "%s: is a directory, cannot be written", path);
  int fd;
  if (exists && !S_ISREG(status.st_mode)) {
    fd = open(path, O_WRONLY | O_CLOEXEC); /* /dev/stdout, /dev/null, a pipe */
  } else {
    remove_abandoned(path);
    fd = create_temporary(file);
  }
  if (fd < 0) return sw_fail_errno(err, path, "create the file");
  file->stream = fdopen(fd, "w");
  if (!file->stream) {
    close(fd);
    sw_out_abort(file);
    return sw_fail(err, SW_MEMORY, "%s: out of memory", path);
  }
  return SW_OK;
}

/* The rename is durable once the directory is synced. */
static void sync_directory(const char *path) {
  char directory[1024];
  const char *name;
  split_path(path, directory, sizeof directory, &name);
  int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  (void)fsync(fd);
  close(fd);
}

int sw_out_commit(sw_out_file *file, sw_err *err) {
  errno = 0;
  int bad = ferror(file->stream) || fflush(file->stream);
  if (!bad && file->temp[0] && fsync(fileno(file->stream))) bad = 1;
  if (!bad && file->temp[0] && rename(file->temp, file->path)) bad = 1;
  if (bad) {
    if (!errno) errno = EIO;
    int code = sw_fail_errno(err, file->path, "write");
    sw_out_abort(file);
    return code;
  }
  fclose(file->stream); /* already flushed: this only lets go */
  file->stream = NULL;
  if (file->temp[0]) sync_directory(file->path);
  file->temp[0] = 0;
  return SW_OK;
}

void sw_out_abort(sw_out_file *file) {
  if (file->temp[0]) unlink(file->temp);
  file->temp[0] = 0;
  if (file->stream) fclose(file->stream);
  file->stream = NULL;
}

int sw_write_file(const char *path, const void *data, size_t bytes,
                  sw_err *err) {
  sw_out_file file;
  SW_TRY(sw_out_open(&file, path, err));
  if (bytes) fwrite(data, 1, bytes, file.stream); /* commit reports failure */
  return sw_out_commit(&file, err);
}

int sw_map_open(sw_map *map, const char *path, sw_err *err) {
  *map = (sw_map){NULL, 0};
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (fd < 0) return sw_fail(err, SW_NOFILE, "%s: %s", path, strerror(errno));
  if (fstat(fd, &status) || !S_ISREG(status.st_mode)) {
    close(fd);
    return sw_fail(
        err, SW_NOFILE, "%s: is %s", path,
        sw_is_directory(path) ? "a directory" : "not a regular file");
  }
  size_t bytes = (size_t)status.st_size;
  void *data = bytes ? mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
  int cause = errno;
  close(fd);
  if (data == MAP_FAILED)
    return sw_fail(err, SW_IO, "%s: cannot map: %s", path, strerror(cause));
  *map = (sw_map){data, bytes};
  return SW_OK;
}

void sw_map_close(sw_map *map) {
  if (map->data) munmap((void *)(uintptr_t)map->data, map->bytes);
  *map = (sw_map){NULL, 0};
}

int sw_make_dirs(const char *path, sw_err *err) {
  char part[1024];
  if (strlen(path) >= sizeof part)
    return sw_fail(err, SW_LIMIT, "%.60s...: the name is too long", path);
  snprintf(part, sizeof part, "%s", path);
  for (char *p = part + 1;; p++) {
    if (*p && *p != '/') continue;
    char held = *p;
    *p = 0;
    if (mkdir(part, 0777) && errno != EEXIST)
      return sw_fail_errno(err, part, "create the directory");
    *p = held;
    if (!held) break;
  }
  if (!sw_is_directory(path))
    return sw_fail(err, SW_IO, "%s: exists and is not a directory", path);
  return SW_OK;
}

int sw_path_exists(const char *path) {
  struct stat status;
  return stat(path, &status) == 0;
}

int sw_is_directory(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}
