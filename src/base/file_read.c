/* Whole-file reading with transparent gzip and xz, by content rather than by
 * name, under a limit on the size in memory (inputs may be hostile: a small
 * archive can unpack to anything). */
#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include "base/file.h"

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
  if (!data) return sw_fail(err, SW_MEMORY, "%s: out of memory", b->path);
  b->data = data;
  b->room = room;
  return SW_OK;
}

static int read_raw(int fd, buffer *b, sw_err *err) {
  for (;;) {
    SW_TRY(grow(b, err));
    ssize_t got = read(fd, b->data + b->bytes, b->room - b->bytes - 1);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return sw_fail(err, SW_IO, "%s: %s", b->path, strerror(errno));
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
    return sw_fail(err, SW_MEMORY, "%s: out of memory", in->path);
  int code = SW_OK, status = Z_OK;
  size_t taken = 0;
  while (!code) {
    if ((code = grow(out, err))) break;
    size_t feed = in->bytes - taken, space = out->room - out->bytes - 1;
    if (feed > 1u << 30) feed = 1u << 30;
    if (space > 1u << 30) space = 1u << 30;
    z.next_in = (Bytef *)in->data + taken;
    z.avail_in = (uInt)feed;
    z.next_out = (Bytef *)out->data + out->bytes;
    z.avail_out = (uInt)space;
    status = inflate(&z, Z_NO_FLUSH);
    taken += feed - z.avail_in;
    out->bytes += space - z.avail_out;
    if (status == Z_STREAM_END) {
      if (taken == in->bytes) break;
      inflateReset2(&z, 15 + 16); /* concatenated members */
    } else if (status != Z_OK) {
      code = damaged(in->path, "gzip", err);
    }
  }
  inflateEnd(&z);
  return code;
}

static int unpack_xz(const buffer *in, buffer *out, sw_err *err) {
  lzma_stream z = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&z, (uint64_t)256 << 20, LZMA_CONCATENATED))
    return sw_fail(err, SW_MEMORY, "%s: out of memory", in->path);
  z.next_in = (const uint8_t *)in->data;
  z.avail_in = in->bytes;
  int code = SW_OK;
  while (!code) {
    if ((code = grow(out, err))) break;
    size_t space = out->room - out->bytes - 1;
    z.next_out = (uint8_t *)out->data + out->bytes;
    z.avail_out = space;
    lzma_ret status = lzma_code(&z, LZMA_FINISH);
    out->bytes += space - z.avail_out;
    if (status == LZMA_STREAM_END) break;
    if (status != LZMA_OK) code = damaged(in->path, "xz", err);
  }
  lzma_end(&z);
  return code;
}

static int unpack(const buffer *in, buffer *out, sw_err *err) {
  int code;
  if (in->bytes >= 2 && memcmp(in->data, "\x1f\x8b", 2) == 0) {
    code = unpack_gzip(in, out, err);
  } else if (in->bytes >= 6 && memcmp(in->data,
                                      "\xfd"
                                      "7zXZ",
                                      6) == 0) {
    code = unpack_xz(in, out, err);
  } else {
    *out = *in;
    return SW_OK;
  }
  free(in->data);
  return code;
}

int sw_read_file(const char *path, size_t limit, char **data, size_t *bytes,
                 sw_err *err) {
  if (limit == 0) limit = (size_t)1 << 30;
  *data = NULL;
  *bytes = 0;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return sw_fail(err, SW_NOFILE, "%s: %s", path, strerror(errno));
  struct stat status;
  if (fstat(fd, &status) == 0 && S_ISDIR(status.st_mode)) {
    close(fd);
    return sw_fail(err, SW_NOFILE, "%s: is a directory", path);
  }
  buffer in = {.limit = limit, .path = path}, out = in;
  int code = read_raw(fd, &in, err);
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
