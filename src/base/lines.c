/* Lines of streams (see lines.h): bytes are read or taken from memory, pass one
 * of three decoders and are gathered until a line is whole. */
#include "base/lines.h"
#include <errno.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include "base/file.h"
#include "base/stop.h"

enum { SLICE = 1 << 16, XZ_MEMORY = 128 << 20, MAGIC = 6 };

typedef enum { PLAIN, GZIP, XZ } packing;

struct sw_lines {
  char path[1024];
  int fd, waits; /* fd -1: from memory */
  const unsigned char *from;
  size_t from_left, most;
  unsigned char in[SLICE];
  size_t in_at, in_bytes;
  int in_ended, ended; /* no more bytes; nothing more to decode */
  packing kind;
  int between; /* gzip: at the end of a member */
  z_stream gzip;
  lzma_stream xz;
  char *text; /* decoded, from `at` not handed out; searched up to `seen` */
  size_t at, seen, bytes, room;
  int64_t number;
};

/* Bytes as they come; 0 of them: the end. */
static int fetch(sw_lines *l, unsigned char *to, size_t room, size_t *got,
                 sw_err *err) {
  *got = 0;
  if (l->fd < 0) {
    *got = l->from_left < room ? l->from_left : room;
    if (*got) memcpy(to, l->from, *got);
    l->from += *got;
    l->from_left -= *got;
    return SW_OK;
  }
  for (;;) {
    if (l->waits) SW_TRY(sw_wait_readable(l->fd, l->path, err));
    if (sw_time_to_stop()) return sw_fail_stopped(err, l->path);
    ssize_t n = read(l->fd, to, room);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n < 0) return sw_fail_errno(err, l->path, "read");
    *got = (size_t)n;
    return SW_OK;
  }
}

static int refill(sw_lines *l, sw_err *err) {
  size_t got;
  SW_TRY(fetch(l, l->in, SLICE, &got, err));
  l->in_at = 0;
  l->in_bytes = got;
  if (!got) l->in_ended = 1;
  return SW_OK;
}

static int no_memory(const sw_lines *l, sw_err *err) {
  return sw_no_memory_for(err, "%s", l->path);
}

static int begin(sw_lines *l, sw_err *err) {
  static const char xz_magic[MAGIC] = {'\xfd', '7', 'z', 'X', 'Z', 0};
  while (l->in_bytes < MAGIC && !l->in_ended) {
    size_t got;
    SW_TRY(fetch(l, l->in + l->in_bytes, SLICE - l->in_bytes, &got, err));
    l->in_bytes += got;
    if (!got) l->in_ended = 1;
  }
  if (l->in_bytes >= 2 && memcmp(l->in, "\x1f\x8b", 2) == 0) {
    if (inflateInit2(&l->gzip, 15 + 16) != Z_OK) return no_memory(l, err);
    l->kind = GZIP;
  } else if (l->in_bytes >= MAGIC && memcmp(l->in, xz_magic, MAGIC) == 0) {
    l->xz = (lzma_stream)LZMA_STREAM_INIT;
    if (lzma_stream_decoder(&l->xz, XZ_MEMORY, LZMA_CONCATENATED))
      return no_memory(l, err);
    l->kind = XZ;
  }
  return SW_OK;
}

static int make(sw_lines **lines, const char *label, size_t most, sw_err *err) {
  sw_lines *l = *lines = calloc(1, sizeof *l);
  if (!l) return sw_no_memory_for(err, "%s", label);
  size_t length = strlen(label), room = sizeof l->path - 1;
  memcpy(l->path, label, length < room ? length : room);
  l->fd = -1;
  l->most = most;
  return SW_OK;
}

static int begun(sw_lines **lines, sw_err *err) {
  int code = begin(*lines, err);
  if (code) {
    sw_lines_close(*lines);
    *lines = NULL;
  }
  return code;
}

int sw_lines_open(sw_lines **lines, const char *path, size_t most,
                  sw_err *err) {
  sw_err why = {0};
  SW_TRY(make(lines, path, most, err));
  (*lines)->fd = sw_open_to_read(path, &(*lines)->waits, &why);
  if ((*lines)->fd >= 0) return begun(lines, err);
  sw_lines_close(*lines);
  *lines = NULL;
  if (err) *err = why;
  return why.code;
}

int sw_lines_memory(sw_lines **lines, const char *label, const void *data,
                    size_t bytes, size_t most, sw_err *err) {
  SW_TRY(make(lines, label, most, err));
  (*lines)->from = data;
  (*lines)->from_left = bytes;
  return begun(lines, err);
}

void sw_lines_close(sw_lines *l) {
  if (!l) return;
  if (l->kind == GZIP) inflateEnd(&l->gzip);
  if (l->kind == XZ) lzma_end(&l->xz);
  if (l->fd >= 0) close(l->fd);
  free(l->text);
  free(l);
}

static int damaged(const sw_lines *l, sw_err *err) {
  return sw_fail(err, SW_DATA, "%s: damaged or truncated %s data", l->path,
                 l->kind == XZ ? "xz" : "gzip");
}

static int from_gzip(sw_lines *l, char *to, size_t room, size_t *got,
                     sw_err *err) {
  int all_in = l->in_ended && l->in_at == l->in_bytes;
  if (all_in && l->between) {
    l->ended = 1;
    return SW_OK;
  }
  l->between = 0;
  l->gzip.next_in = l->in + l->in_at;
  l->gzip.avail_in = (uInt)(l->in_bytes - l->in_at);
  l->gzip.next_out = (Bytef *)to;
  l->gzip.avail_out = (uInt)room;
  int status = inflate(&l->gzip, Z_NO_FLUSH);
  l->in_at = l->in_bytes - l->gzip.avail_in;
  *got = room - l->gzip.avail_out;
  if (status == Z_MEM_ERROR) return no_memory(l, err);
  if (status == Z_STREAM_END) {
    inflateReset2(&l->gzip, 15 + 16); /* concatenated members */
    l->between = 1;
  } else if (status != Z_OK && (status != Z_BUF_ERROR || all_in)) {
    return damaged(l, err);
  }
  return SW_OK;
}

static int from_xz(sw_lines *l, char *to, size_t room, size_t *got,
                   sw_err *err) {
  l->xz.next_in = l->in + l->in_at;
  l->xz.avail_in = l->in_bytes - l->in_at;
  l->xz.next_out = (uint8_t *)to;
  l->xz.avail_out = room;
  lzma_ret status = lzma_code(&l->xz, l->in_ended ? LZMA_FINISH : LZMA_RUN);
  l->in_at = l->in_bytes - l->xz.avail_in;
  *got = room - l->xz.avail_out;
  if (status == LZMA_STREAM_END) l->ended = 1;
  else if (status == LZMA_MEM_ERROR) return no_memory(l, err);
  else if (status == LZMA_MEMLIMIT_ERROR)
    return sw_fail(err, SW_LIMIT, "%s: unpacking needs more than %d MiB",
                   l->path, XZ_MEMORY >> 20);
  else if (status != LZMA_OK) return damaged(l, err);
  return SW_OK;
}

static int from_plain(sw_lines *l, char *to, size_t room, size_t *got) {
  size_t left = l->in_bytes - l->in_at;
  *got = left < room ? left : room;
  if (*got) memcpy(to, l->in + l->in_at, *got);
  l->in_at += *got;
  if (l->in_ended && l->in_at == l->in_bytes) l->ended = 1;
  return SW_OK;
}

/* Decodes some more behind what is there. */
static int more(sw_lines *l, sw_err *err) {
  if (l->at) { /* what was handed out makes room */
    memmove(l->text, l->text + l->at, l->bytes - l->at);
    l->bytes -= l->at;
    l->seen -= l->at;
    l->at = 0;
  }
  if (l->room < l->bytes + SLICE + 1) {
    size_t room = l->room * 2 > SLICE * 2 ? l->room * 2 : SLICE * 2;
    char *text = realloc(l->text, room);
    if (!text) return no_memory(l, err);
    l->text = text;
    l->room = room;
  }
  if (l->in_at == l->in_bytes && !l->in_ended) SW_TRY(refill(l, err));
  if (sw_time_to_stop()) return sw_fail_stopped(err, l->path);
  size_t got = 0;
  char *to = l->text + l->bytes;
  SW_TRY(l->kind == GZIP ? from_gzip(l, to, SLICE, &got, err)
         : l->kind == XZ ? from_xz(l, to, SLICE, &got, err)
                         : from_plain(l, to, SLICE, &got));
  l->bytes += got;
  return SW_OK;
}

int sw_lines_next(sw_lines *l, const char **line, size_t *bytes, sw_err *err) {
  char *end = NULL;
  *line = NULL;
  *bytes = 0;
  for (;;) {
    if (l->bytes > l->seen)
      end = memchr(l->text + l->seen, '\n', l->bytes - l->seen);
    l->seen = l->bytes;
    size_t length = (end ? (size_t)(end - l->text) : l->bytes) - l->at;
    if (length > l->most)
      return sw_fail(err, SW_LIMIT, "%s:%lld: a line of more than %zu bytes",
                     l->path, (long long)l->number + 1, l->most);
    if (end || l->ended) break;
    SW_TRY(more(l, err));
  }
  if (!end && l->bytes == l->at) return SW_OK;
  if (!end) end = l->text + l->bytes;
  *end = 0; /* there is room for it behind the last byte */
  *line = l->text + l->at;
  *bytes = (size_t)(end - *line);
  l->at += *bytes + (end < l->text + l->bytes);
  l->seen = l->at;
  l->number++;
  return SW_OK;
}

int64_t sw_lines_number(const sw_lines *l) { return l->number; }
