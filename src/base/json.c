/* The streaming JSON writer: one line per top-level value, members separated
 * by ", ". Strings are made valid UTF-8 (a byte that is not becomes U+FFFD).
 * first[depth] is 1 while the open object or array is still empty; its bit 1
 * remembers which of the two it is. */
#include "base/json.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"

enum { FIRST = 1, IS_ARRAY = 2, DEPTH_MAX = 64 };

void sw_json_to_file(sw_json *json, FILE *stream) {
  memset(json, 0, sizeof *json);
  json->stream = stream;
}

void sw_json_to_text(sw_json *json) { memset(json, 0, sizeof *json); }

void sw_json_free(sw_json *json) {
  free(json->text);
  json->text = NULL;
}

static void put(sw_json *json, const char *text, size_t bytes) {
  if (json->failed) return;
  if (json->stream) {
    if (fwrite(text, 1, bytes, json->stream) != bytes) json->failed = 1;
    return;
  }
  if (json->room - json->length <= bytes) {
    size_t room = (json->room + bytes + 64) * 2;
    char *grown = realloc(json->text, room);
    if (!grown) {
      json->failed = 1;
      return;
    }
    json->text = grown;
    json->room = room;
  }
  memcpy(json->text + json->length, text, bytes);
  json->length += bytes;
  json->text[json->length] = 0;
}

static void put_text(sw_json *json, const char *text) {
  put(json, text, strlen(text));
}

/* A byte that a string shows as it is. */
static int is_plain(unsigned char c) {
  return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

static void put_quoted(sw_json *json, const char *text) {
  put(json, "\"", 1);
  for (const unsigned char *p = (const unsigned char *)text; *p;) {
    char escape[8];
    size_t plain = 0;
    while (is_plain(p[plain])) plain++;
    if (plain) {
      put(json, (const char *)p, plain);
      p += plain;
    } else if (*p == '"' || *p == '\\') {
      snprintf(escape, sizeof escape, "\\%c", *p++);
      put_text(json, escape);
    } else if (*p == '\n' || *p == '\t') {
      put_text(json, *p++ == '\n' ? "\\n" : "\\t");
    } else if (*p < 0x20 || *p == 0x7f) {
      snprintf(escape, sizeof escape, "\\u%04x", (unsigned)*p++);
      put_text(json, escape);
    } else {
      size_t n = sw_utf8_length(p);
      if (!n) snprintf(escape, sizeof escape, "\\ufffd");
      else if (sw_plain_length((const char *)p, n)) escape[0] = 0;
      else /* a control: of two bytes, or three */
        snprintf(escape, sizeof escape, "\\u%04x",
                 n == 2 ? (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu)
                        : (p[0] & 0xfu) << 12 | (p[1] & 0x3fu) << 6 |
                              (p[2] & 0x3fu));
      if (escape[0]) put_text(json, escape);
      else put(json, (const char *)p, n);
      p += n ? n : 1;
    }
  }
  put(json, "\"", 1);
}

static void member(sw_json *json, const char *key) {
  if (json->depth > 0) {
    unsigned char *flags = &json->first[json->depth - 1];
    if (!(*flags & FIRST)) put(json, ", ", 2);
    *flags &= (unsigned char)~FIRST;
  }
  if (key) {
    put_quoted(json, key);
    put(json, ": ", 2);
  }
}

/* A top-level value written to a stream ends its line. */
static void value_done(sw_json *json) {
  if (json->depth == 0 && json->stream) put(json, "\n", 1);
}

static void open_nested(sw_json *json, const char *key, unsigned char flags) {
  member(json, key);
  if (json->depth >= DEPTH_MAX) {
    json->failed = 1;
    return;
  }
  put(json, flags & IS_ARRAY ? "[" : "{", 1);
  json->first[json->depth++] = flags;
}

void sw_json_object(sw_json *json, const char *key) {
  open_nested(json, key, FIRST);
}

void sw_json_array(sw_json *json, const char *key) {
  open_nested(json, key, FIRST | IS_ARRAY);
}

void sw_json_end(sw_json *json) {
  if (json->depth == 0) {
    json->failed = 1;
    return;
  }
  json->depth--;
  put(json, json->first[json->depth] & IS_ARRAY ? "]" : "}", 1);
  value_done(json);
}

static void plain(sw_json *json, const char *key, const char *text) {
  member(json, key);
  put_text(json, text);
  value_done(json);
}

void sw_json_string(sw_json *json, const char *key, const char *value) {
  if (!value) {
    sw_json_null(json, key);
    return;
  }
  member(json, key);
  put_quoted(json, value);
  value_done(json);
}

void sw_json_int(sw_json *json, const char *key, int64_t value) {
  char text[32];
  snprintf(text, sizeof text, "%lld", (long long)value);
  plain(json, key, text);
}

static void number(sw_json *json, const char *key, double value, int digits) {
  char text[40];
  if (!isfinite(value)) {
    sw_json_null(json, key);
    return;
  }
  /* The shortest form that reads back as the same number. */
  for (int d = digits < 15 ? digits : 15; d <= digits; d++) {
    sw_real_text(text, sizeof text, d, value);
    if (sw_text_real(text, NULL) == value) break;
  }
  plain(json, key, text);
}

void sw_json_real(sw_json *json, const char *key, double value) {
  number(json, key, value, 17);
}

void sw_json_float9(sw_json *json, const char *key, double value) {
  number(json, key, value, 9);
}

void sw_json_bool(sw_json *json, const char *key, int value) {
  plain(json, key, value ? "true" : "false");
}

void sw_json_null(sw_json *json, const char *key) { plain(json, key, "null"); }
