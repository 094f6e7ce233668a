/* Safe writing: temporary, sync, rename. A temporary is called
 * TARGET.PID-N.tmp and is locked (flock) while its writer lives, so the next
 * writer of the same target can tell and remove what a killed one left behind.
 * The stream is our own (fopencookie), so that the reason of a failed write is
 * still known when the file is committed. Reading is in file_read.c, paths,
 * logs and locks are in file_path.c. */
#include "base/file.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/stop.h"

int sw_fail_errno(sw_err *err, const char *path, const char *doing) {
  int cause = errno, code = cause == ENOMEM ? SW_MEMORY : SW_IO;
  sw_fail(err, code, "%s: cannot %s: %s", path, doing,
          cause == ENOSPC   ? "the disk is full"
          : cause == EDQUOT ? "the quota is used up"
          : cause == EFBIG  ? "the file would be larger than allowed"
                            : strerror(cause));
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

/* NAME.<digits>-<digits>.tmp; of any NAME when it is NULL. */
static int is_temporary_of(const char *entry, const char *name) {
  size_t length = strlen(entry);
  if (name && strncmp(entry, name, strlen(name)) != 0) return 0;
  if (length < 4 || strcmp(entry + length - 4, ".tmp") != 0) return 0;
  const char *p = entry + length - 4, *end = p;
  while (p > entry && p[-1] >= '0' && p[-1] <= '9') p--;
  if (p == end || p == entry || *--p != '-') return 0;
  end = p;
  while (p > entry && p[-1] >= '0' && p[-1] <= '9') p--;
  if (p == end || p == entry || *--p != '.') return 0;
  return name ? p == entry + strlen(name) : p > entry;
}

static void remove_abandoned(const char *directory, const char *name) {
  DIR *dir = opendir(directory);
  if (!dir) return;
  for (struct dirent *entry; (entry = readdir(dir));) {
    if (!is_temporary_of(entry->d_name, name)) continue;
    int fd = openat(dirfd(dir), entry->d_name,
                    O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) continue;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
      unlinkat(dirfd(dir), entry->d_name, 0);
    close(fd);
  }
  closedir(dir);
}

void sw_remove_temporaries(const char *directory) {
  remove_abandoned(directory, NULL);
}

/* Creates and locks a temporary; -1 with errno. A cleaner may win the race
 * between creation and lock: it has taken the file's name, or is about to where
 * it holds the lock, and we try again. A file system without locks has no
 * cleaners either. */
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
    int taken = flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;
    if (!taken && fstat(fd, &status) == 0 && status.st_nlink > 0) return fd;
    close(fd);
  }
}

/* Writes all bytes, in as many calls as the system needs. A signal interrupts
 * only the wait for a pipe's reader. */
static ssize_t put(void *cookie, const char *data, size_t bytes) {
  sw_out_file *file = cookie;
  for (size_t done = 0; done < bytes && !file->failure;) {
    ssize_t wrote = write(file->fd, data + done, bytes - done);
    if (wrote > 0) done += (size_t)wrote;
    else if (wrote == 0) file->failure = EIO;
    else if (errno != EINTR || (!file->temp[0] && sw_asked_to_stop()))
      file->failure = errno;
  }
  return file->failure ? 0 : (ssize_t)bytes;
}

/* Not /dev/stdout and the like: a pipe without a reader is waited for. */
static int open_special(const char *path) {
  for (;;) {
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0) {
      int flags = fcntl(fd, F_GETFL);
      if (flags >= 0) (void)fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
      return fd;
    }
    if (errno != ENXIO || sw_time_to_stop()) return -1;
    struct timespec moment = {0, 20 * 1000 * 1000};
    nanosleep(&moment, NULL);
  }
}

int sw_out_open(sw_out_file *file, const char *path, sw_err *err) {
  memset(file, 0, sizeof *file);
  file->fd = -1;
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
  if (exists && !S_ISREG(status.st_mode)) {
    file->fd = open_special(path); /* /dev/stdout, /dev/null, a pipe */
  } else {
    char directory[1024];
    const char *name;
    split_path(path, directory, sizeof directory, &name);
    remove_abandoned(directory, name);
    file->fd = create_temporary(file);
  }
  if (file->fd < 0) {
    file->temp[0] = 0; /* another process owns the file of that name */
    return sw_fail_errno(err, path, "create the file");
  }
  file->stream = fopencookie(file, "w", (cookie_io_functions_t){.write = put});
  if (!file->stream) {
    close(file->fd);
    sw_out_abort(file);
    return sw_no_memory_for(err, "%s", path);
  }
  return SW_OK;
}

void sw_sync_parent(const char *path) {
  char directory[1024];
  const char *name;
  split_path(path, directory, sizeof directory, &name);
  int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  (void)fsync(fd);
  close(fd);
}

int sw_out_flush(sw_out_file *file, sw_err *err) {
  errno = 0;
  if (!fflush(file->stream) && !ferror(file->stream)) return SW_OK;
  if (!file->failure) file->failure = errno ? errno : EIO;
  errno = file->failure;
  return sw_fail_errno(err, file->path, "write");
}

/* Syncs the temporary and closes its first descriptor, to see late errors. A
 * second descriptor keeps the lock until the rename, so that no other writer
 * takes the file for abandoned. */
static int settle(sw_out_file *file) {
  while (fsync(file->fd))
    if (errno != EINTR) return -1;
  int hold = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
  if (hold < 0) return -1;
  int closed = close(file->fd);
  file->fd = hold;
  if (closed && errno != EINTR) return -1;
  return rename(file->temp, file->path);
}

int sw_out_commit(sw_out_file *file, sw_err *err) {
  int code = sw_out_flush(file, err);
  if (!code && file->temp[0]) {
    if (settle(file)) code = sw_fail_errno(err, file->path, "write");
    else {
      file->temp[0] = 0; /* it has become the target */
      sw_sync_parent(file->path);
    }
  }
  sw_out_abort(file);
  return code;
}

void sw_out_abort(sw_out_file *file) {
  if (file->temp[0]) unlink(file->temp);
  file->temp[0] = 0;
  if (file->stream) {
    if (!file->failure) file->failure = ECANCELED; /* the rest is dropped */
    fclose(file->stream);
    if (file->fd >= 0) close(file->fd);
  }
  file->stream = NULL;
  file->fd = -1;
}

int sw_memory_close(FILE *stream, char **text) {
  int whole = stream && !ferror(stream);
  if (stream && fclose(stream)) whole = 0;
  if (whole && *text) return 1;
  if (stream) free(*text);
  *text = NULL;
  return 0;
}

int sw_write_file(const char *path, const void *data, size_t bytes,
                  sw_err *err) {
  sw_out_file file;
  SW_TRY(sw_out_open(&file, path, err));
  if (bytes) fwrite(data, 1, bytes, file.stream); /* commit reports failure */
  return sw_out_commit(&file, err);
}
