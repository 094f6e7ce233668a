/* Members of a zip file (see logs_inside.h), from its central directory. Every
 * offset and size is checked before it is used. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "audit/logs_inside.h"

enum { END = 22, CENTRAL = 46, LOCAL = 30 };
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

typedef struct member {
  uint32_t method, packed, size, at;
  char name[256];
} member;

static int take_member(const char *path, const char *data, size_t bytes,
                       const member *m, sw_zip_take take, void *context,
                       sw_err *err) {
  if ((size_t)m->at + LOCAL > bytes || memcmp(data + m->at, "PK\3\4", 4))
    return damaged(path, err);
  size_t from =
      (size_t)m->at + LOCAL + u16(data + m->at + 26) + u16(data + m->at + 28);
  if (from + m->packed > bytes) return damaged(path, err);
  if (m->method != 0 && m->method != 8) {
    sw_fail(err, SW_DATA, "%s: %s is packed in way %u", path, m->name,
            (unsigned)m->method);
    return sw_hint(err,
                   "write the log as JSON (inspect log convert --to json)");
  }
  if (m->size > MEMBER_LIMIT || (m->method == 0 && m->size != m->packed) ||
      m->size / 1100 > m->packed)
    return damaged(path, err);
  char *text = malloc((size_t)m->size + 1);
  if (!text) return sw_fail(err, SW_MEMORY, "out of memory");
  int whole = m->method ? inflate_to(text, m->size, data + from, m->packed)
                        : (memcpy(text, data + from, m->size), 1);
  text[m->size] = 0;
  int code =
      whole ? take(context, m->name, text, m->size, err) : damaged(path, err);
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
