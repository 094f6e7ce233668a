/* Members of a zip file (see logs_inside.h), from its central directory. Every
 * offset and size is checked before it is used. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "audit/logs_inside.h"

enum { END = 22, CENTRAL = 46, LOCAL = 30 };
enum { STORED = 0, DEFLATED = 8, ZSTD = 93 };
static const size_t MEMBER_LIMIT = (size_t)1 << 28;

static uint32_t u16(const char *p) {
  const unsigned char *b = (const unsigned char *)p;
  return b[0] | (uint32_t)b[1] << 8;
}

static uint32_t u32(const char *p) { return u16(p) | u16(p + 2) << 16; }

int sw_zip_is(const char *data, size_t bytes) {
  return bytes >= END && !memcmp(data, "PK\3\4", 4);
}

static int damaged(const char *path, sw_err *err) {
  return sw_fail(err, SW_DATA, "%s: damaged zip file", path);
}

static int inflate_to(char *out, size_t room, const char *data, size_t bytes) {
  z_stream z = {.next_in = (Bytef *)(uintptr_t)data,
                .avail_in = (uInt)bytes,
                .next_out = (Bytef *)out,
                .avail_out = (uInt)room};
  if (inflateInit2(&z, -15) != Z_OK) return 0;
  int code = inflate(&z, Z_FINISH);
  inflateEnd(&z);
  return code == Z_STREAM_END && z.total_out == room;
}

/* zstd is not needed for anything else, so its library is looked for when a
 * file asks for it. -1: this system has none. */
static int unzstd_to(char *out, size_t room, const char *data, size_t bytes) {
  union {
    void *found;
    size_t (*call)(void *, size_t, const void *, size_t);
  } unpack;
  void *library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return -1;
  unpack.found = dlsym(library, "ZSTD_decompress");
  int whole = unpack.found ? unpack.call(out, room, data, bytes) == room : -1;
  dlclose(library);
  return whole;
}

/* 1: all of it; 0: damaged; -1: there is no library for it. */
static int unpack_to(char *out, size_t room, const char *data, size_t bytes,
                     uint32_t method) {
  if (method == DEFLATED) return inflate_to(out, room, data, bytes);
  if (method == ZSTD) return unzstd_to(out, room, data, bytes);
  memcpy(out, data, room);
  return 1;
}

typedef struct member {
  uint32_t method, packed, size, at;
  char name[256];
} member;

/* A member that cannot be unpacked is reported to the reader, which counts
 * it. */
static int refuse(const member *m, const char *why, sw_zip_take take,
                  void *context, sw_err *err) {
  sw_zip_member told = {.name = m->name, .why = why};
  return take(context, &told, err);
}

static int take_member(const char *path, const char *data, size_t bytes,
                       const member *m, sw_zip_take take, void *context,
                       sw_err *err) {
  char why[96];
  if ((size_t)m->at + LOCAL > bytes || memcmp(data + m->at, "PK\3\4", 4))
    return damaged(path, err);
  size_t from =
      (size_t)m->at + LOCAL + u16(data + m->at + 26) + u16(data + m->at + 28);
  if (from + m->packed > bytes) return damaged(path, err);
  if (m->method != STORED && m->method != DEFLATED && m->method != ZSTD) {
    snprintf(why, sizeof why, "it is packed by method %u", (unsigned)m->method);
    return refuse(m, why, take, context, err);
  }
  if (m->size > MEMBER_LIMIT)
    return refuse(m, "it is larger than 256 MiB", take, context, err);
  if ((m->method == STORED && m->size != m->packed) ||
      (m->method == DEFLATED && m->size / 1100 > m->packed))
    return damaged(path, err);
  char *text = malloc((size_t)m->size + 1);
  if (!text) return sw_no_memory(err);
  int whole = unpack_to(text, m->size, data + from, m->packed, m->method);
  text[m->size] = 0;
  sw_zip_member told = {.name = m->name, .text = text, .bytes = m->size};
  int code = whole > 0   ? take(context, &told, err)
             : whole < 0 ? refuse(m,
                                  "it is packed by zstd, and this system has "
                                  "no libzstd.so.1",
                                  take, context, err)
                         : damaged(path, err);
  free(text);
  return code;
}

static int ends_with_json(const char *name) {
  size_t n = strlen(name);
  return n > 5 && !strcmp(name + n - 5, ".json");
}

int sw_zip_each(const char *path, const char *data, size_t bytes,
                sw_zip_take take, void *context, sw_err *err) {
  size_t end = bytes < END ? 0 : bytes - END,
         stop = end > 65535 ? end - 65535 : 0;
  while (end > stop && memcmp(data + end, "PK\5\6", 4)) end--;
  if (bytes < END || memcmp(data + end, "PK\5\6", 4)) return damaged(path, err);
  size_t at = u32(data + end + 16);
  for (uint32_t left = u16(data + end + 10); left; left--) {
    member m = {0};
    if (at + CENTRAL > end || memcmp(data + at, "PK\1\2", 4))
      return damaged(path, err);
    const char *p = data + at;
    size_t name = u16(p + 28);
    if (at + CENTRAL + name > end) return damaged(path, err);
    m.method = u16(p + 10);
    m.packed = u32(p + 20);
    m.size = u32(p + 24);
    m.at = u32(p + 42);
    if (name < sizeof m.name) memcpy(m.name, p + CENTRAL, name);
    if (ends_with_json(m.name))
      SW_TRY(take_member(path, data, bytes, &m, take, context, err));
    at += CENTRAL + name + u16(p + 30) + u16(p + 32);
  }
  return SW_OK;
}
