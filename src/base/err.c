/* Error values: filling, hints, context and the table of codes. Used by every
 * layer; nothing here allocates, prints or exits. */
#include "base/err.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/text.h"

/* With err == NULL the code still has to come back from sw_hint and
 * sw_context, which return what the sw_fail before them returned. */
static _Thread_local int last_code = SW_INTERNAL;

/* Messages quote file content, so they are cleaned as by sw_clean_text; but
 * what ended a line or a word becomes a blank. */
static void one_line(char *text) {
  for (char *p = text; *p; p++)
    if ((unsigned char)*p < 0x20 || *p == 0x7f) *p = ' ';
  char clean[sizeof((sw_err *)0)->text];
  sw_clean_text(clean, sizeof clean, text);
  memcpy(text, clean, strlen(clean) + 1); /* never longer */
}

int sw_fail(sw_err *err, int code, const char *format, ...) {
  last_code = code;
  if (!err) return code;
  va_list args;
  va_start(args, format);
  vsnprintf(err->text, sizeof err->text, format, args);
  va_end(args);
  one_line(err->text);
  err->hint[0] = 0;
  return err->code = code;
}

int sw_no_memory(sw_err *err) {
  return sw_fail(err, SW_MEMORY, "out of memory");
}

int sw_no_memory_for(sw_err *err, const char *format, ...) {
  char what[sizeof err->text];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  return sw_fail(err, SW_MEMORY, "out of memory for %.*s",
                 (int)(sizeof what - 32), what);
}

int sw_hint(sw_err *err, const char *format, ...) {
  if (!err) return last_code;
  va_list args;
  va_start(args, format);
  vsnprintf(err->hint, sizeof err->hint, format, args);
  va_end(args);
  one_line(err->hint);
  return err->code;
}

int sw_context(sw_err *err, const char *format, ...) {
  if (!err) return last_code;
  char before[sizeof err->text];
  memcpy(before, err->text, sizeof before);
  va_list args;
  va_start(args, format);
  int used = vsnprintf(err->text, sizeof err->text, format, args);
  va_end(args);
  size_t at = used < 0 ? 0 : (size_t)used;
  if (at + 3 < sizeof err->text)
    snprintf(err->text + at, sizeof err->text - at, ": %.*s",
             (int)(sizeof err->text - at - 3), before);
  one_line(err->text);
  return err->code;
}

const char *sw_error_name(int code) {
  switch (code) {
#define X(name, value, exit_code, text) \
  case value:                           \
    return text;
    SW_ERROR_CODES(X)
#undef X
  }
  return "unknown error";
}

void sw_error_code(int code, char text[16]) {
  const char *name = "internal";
  switch (code) {
#define X(id, value, exit_code, what) \
  case value:                         \
    name = #id;                       \
    break;
    SW_ERROR_CODES(X)
#undef X
  }
  snprintf(text, 16, "%s", name);
  for (char *p = text; *p; p++) *p = sw_lower(*p);
}

int sw_error_exit_code(int code) {
  switch (code) {
#define X(name, value, exit_code, text) \
  case value:                           \
    return exit_code;
    SW_ERROR_CODES(X)
#undef X
  }
  return 70;
}
