/* Whole-file reading with transparent gzip and xz, by content rather than by
 * name, under limits on the size in memory (inputs may be hostile: a small
 * archive can unpack to anything). A pipe may be named too: it is waited for
 * until base/stop.h says that it is enough. */
#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include "base/arena.h"
#include "base/file.h"
#include "base/stop.h"

/* An archive may always unpack to UNPACKED_FREE bytes, and to more only when it
 * is not smaller than UNPACKED_RATIO allows: problem files, which repeat
 * themselves, shrink 5 to 100 times. Text is unpacked SLICE bytes at a time,
 * with a look at the clock in between. */
enum {
  UNPACKED_FREE = 64 << 20,
  UNPACKED_RATIO = 400,
  XZ_MEMORY = 128 << 20,
  SLICE = 1 << 20,
  CONTENT_SLICE = 64 << 20,
  FILE_LIMIT = 1 << 30
};

typedef struct buffer {
  char *data;
  size_t bytes, room, limit;
  const char *path;
} buffer;

/* Makes room for more output (and the NUL); doubles, up to the limit + 1. */
static int grow(buffer *b, sw_err *err) {
  if (b->bytes > b->limit) {
    sw_fail(err, SW_LIMIT, "%s: more than %zu bytes", b->path, b->limit);
    return sw_hint(err, "is this the right file?");
  }
  if (b->room > b->bytes + 1) return SW_OK;
  size_t room = b->room ? b->room * 2 : (size_t)1 << 16;
  if (room > b->limit + 2) room = b->limit + 2;
  char *data = realloc(b->data, room);
  if (!data) return sw_no_memory_for(err, "%s", b->path);
  b->data = data;
  b->room = room;
  return SW_OK;
}

int sw_wait_readable(int fd, const char *path, sw_err *err) {
  struct pollfd one = {.fd = fd, .events = POLLIN};
  while (poll(&one, 1, 50) <= 0)
    if (sw_time_to_stop()) {
      sw_fail_stopped(err, path);
      return sw_hint(err, "nothing has been written to this pipe");
    }
  return SW_OK;
}

static int read_raw(int fd, int may_wait, buffer *b, sw_err *err) {
  for (;;) {
    SW_TRY(grow(b, err));
    if (may_wait) SW_TRY(sw_wait_readable(fd, b->path, err));
    /* a writer that never ends, a device, a disk far away */
    if (sw_time_to_stop()) return sw_fail_stopped(err, b->path);
    size_t space = b->room - b->bytes - 1;
    ssize_t got = read(fd, b->data + b->bytes, space > SLICE ? SLICE : space);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) return sw_fail_errno(err, b->path, "read");
    if (got == 0) return SW_OK;
    b->bytes += (size_t)got;
  }
}

static int damaged(const char *path, const char *kind, sw_err *err) {
  return sw_fail(err, SW_DATA, "%s: damaged or truncated %s data", path, kind);
}

static int unpack_gzip(const buffer *in, buffer *out, sw_err *err) {
  z_stream z = {0};
  if (inflateInit2(&z, 15 + 16) != Z_OK)
    return sw_no_memory_for(err, "%s", in->path);
  int code = SW_OK, status = Z_OK;
  size_t taken = 0;
  while (!code) {
    if ((code = grow(out, err))) break;
    size_t feed = in->bytes - taken, space = out->room - out->bytes - 1;
    if (feed > SLICE) feed = SLICE;
    if (space > SLICE) space = SLICE;
    if (sw_time_to_stop()) {
      code = sw_fail_stopped(err, in->path);
      break;
    }
    z.next_in = (Bytef *)in->data + taken;
    z.avail_in = (uInt)feed;
    z.next_out = (Bytef *)out->data + out->bytes;
    z.avail_out = (uInt)space;
    status = inflate(&z, Z_NO_FLUSH);
    taken += feed - z.avail_in;
    out->bytes += space - z.avail_out;
    if (status == Z_STREAM_END) {
      size_t rest =
          taken; /* tapes and tar pad with zero bytes, as gzip knows */
      while (rest < in->bytes && !in->data[rest]) rest++;
      if (rest == in->bytes) break;
      inflateReset2(&z, 15 + 16); /* concatenated members */
    } else if (status == Z_MEM_ERROR) {
      code = sw_no_memory_for(err, "%s", in->path);
    } else if (status != Z_OK) {
      code = damaged(in->path, "gzip", err);
    }
  }
  inflateEnd(&z);
  return code;
}

static int unpack_xz(const buffer *in, buffer *out, sw_err *err) {
  lzma_stream z = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&z, XZ_MEMORY, LZMA_CONCATENATED))
    return sw_no_memory_for(err, "%s", in->path);
  z.next_in = (const uint8_t *)in->data;
  z.avail_in = in->bytes;
  int code = SW_OK;
  while (!code) {
    if ((code = grow(out, err))) break;
    size_t space = out->room - out->bytes - 1;
    if (space > SLICE) space = SLICE;
    if (sw_time_to_stop()) {
      code = sw_fail_stopped(err, in->path);
      break;
    }
    z.next_out = (uint8_t *)out->data + out->bytes;
    z.avail_out = space;
    lzma_ret status = lzma_code(&z, LZMA_FINISH);
    out->bytes += space - z.avail_out;
    if (status == LZMA_STREAM_END) break;
    if (status == LZMA_MEM_ERROR) code = sw_no_memory_for(err, "%s", in->path);
    else if (status == LZMA_MEMLIMIT_ERROR)
      code = sw_fail(err, SW_LIMIT, "%s: unpacking needs more than %d MiB",
                     in->path, XZ_MEMORY >> 20);
    else if (status != LZMA_OK) code = damaged(in->path, "xz", err);
  }
  lzma_end(&z);
  return code;
}

static int unpack(const buffer *in, buffer *out, sw_err *err) {
  static const char xz_magic[] = {'\xfd', '7', 'z', 'X', 'Z', 0};
  size_t most = in->bytes > SIZE_MAX / UNPACKED_RATIO
                    ? SIZE_MAX / 2
                    : in->bytes * UNPACKED_RATIO;
  if (most < UNPACKED_FREE) most = UNPACKED_FREE;
  if (out->limit > most) out->limit = most;
  int code;
  if (in->bytes >= 2 && memcmp(in->data, "\x1f\x8b", 2) == 0) {
    code = unpack_gzip(in, out, err);
  } else if (in->bytes >= sizeof xz_magic &&
             memcmp(in->data, xz_magic, sizeof xz_magic) == 0) {
    code = unpack_xz(in, out, err);
  } else {
    *out = *in;
    return SW_OK;
  }
  free(in->data);
  return code;
}

int sw_unpack(const char *path, const void *data, size_t bytes, size_t limit,
              char **text, size_t *length, sw_err *err) {
  buffer in = {.limit = limit ? limit : FILE_LIMIT, .path = path}, out = in;
  *text = NULL;
  *length = 0;
  in.data = malloc(bytes + 1);
  if (!in.data) return sw_no_memory_for(err, "%s", path);
  if (bytes) memcpy(in.data, data, bytes);
  in.bytes = bytes;
  in.room = bytes + 1;
  int code = unpack(&in, &out, err);
  if (code) {
    free(out.data);
    return code;
  }
  out.data[out.bytes] = 0;
  *text = out.data;
  *length = out.bytes;
  return SW_OK;
}

int sw_open_to_read(const char *path, int *waits, sw_err *err) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    int cause = errno;
    sw_fail(err, cause == ENOMEM ? SW_MEMORY : SW_NOFILE, "%s: %s", path,
            strerror(cause));
    if (cause == ENOENT || cause == ENOTDIR)
      sw_hint(err, "check the path; relative ones begin in this directory");
    if (cause == EACCES) sw_hint(err, "choose a file you may read");
    return -1;
  }
  struct stat status;
  if (fstat(fd, &status) || S_ISDIR(status.st_mode)) {
    close(fd);
    sw_fail(err, SW_NOFILE, "%s: is a directory", path);
    return -1;
  }
  *waits = !S_ISREG(status.st_mode);
  return fd;
}

int sw_read_file(const char *path, size_t limit, char **data, size_t *bytes,
                 sw_err *err) {
  *data = NULL;
  *bytes = 0;
  int waits, fd = sw_open_to_read(path, &waits, err);
  if (fd < 0) return err ? err->code : SW_NOFILE;
  buffer in = {.limit = limit ? limit : FILE_LIMIT, .path = path}, out = in;
  int code = read_raw(fd, waits, &in, err);
  close(fd);
  if (code) free(in.data);
  else code = unpack(&in, &out, err);
  if (code) {
    free(out.data);
    return code;
  }
  out.data[out.bytes] = 0;
  *data = out.data;
  *bytes = out.bytes;
  return SW_OK;
}

/* Exactly the bytes that were there when it was opened. */
static int read_exactly(int fd, unsigned char *data, size_t bytes,
                        const char *path, sw_err *err) {
  for (size_t done = 0; done < bytes;) {
    size_t want = bytes - done < CONTENT_SLICE ? bytes - done : CONTENT_SLICE;
    ssize_t got = read(fd, data + done, want);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return sw_fail_errno(err, path, "read");
    if (got == 0)
      return sw_fail(err, SW_IO, "%s: became shorter while it was read", path);
    if (sw_time_to_stop()) return sw_fail_stopped(err, path);
    done += (size_t)got;
  }
  return SW_OK;
}

static int same_file(int fd, const struct stat *before) {
  struct stat now;
  return fstat(fd, &now) == 0 && now.st_size == before->st_size &&
         now.st_mtim.tv_sec == before->st_mtim.tv_sec &&
         now.st_mtim.tv_nsec == before->st_mtim.tv_nsec;
}

int sw_content_read(sw_content *content, const char *path, sw_err *err) {
  *content = (sw_content){NULL, 0};
  int special;
  struct stat status;
  int fd = sw_open_to_read(path, &special, err);
  if (fd < 0) return err ? err->code : SW_NOFILE;
  int code = SW_OK;
  unsigned char *data = NULL;
  if (special || fstat(fd, &status))
    code = sw_fail(err, SW_NOFILE, "%s: is not a regular file", path);
  if (!code && status.st_size > 0) {
    data = sw_aligned_alloc((size_t)status.st_size);
    if (!data) {
      code = sw_no_memory_for(err, "%s: %lld bytes", path,
                              (long long)status.st_size);
    } else {
      code = read_exactly(fd, data, (size_t)status.st_size, path, err);
      if (!code && !same_file(fd, &status))
        code = sw_fail(err, SW_IO, "%s: changed while it was read", path);
    }
  }
  close(fd);
  if (code) {
    sw_aligned_free(data);
    return code;
  }
  *content = (sw_content){data, data ? (size_t)status.st_size : 0};
  return SW_OK;
}

void sw_content_free(sw_content *content) {
  sw_aligned_free((void *)(uintptr_t)content->data);
  *content = (sw_content){NULL, 0};
}
