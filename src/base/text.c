/* Locale-free text (see text.h). The C locale object is made once; should that
 * fail (out of memory), the thread's own locale is used, which is the C locale
 * in every program that has not asked for another. */
#include "base/text.h"
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static locale_t plain;

static void make_plain(void) { plain = newlocale(LC_ALL_MASK, "C", NULL); }

static locale_t plain_locale(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_plain);
  return plain;
}

double sw_text_real(const char *text, char **end) {
  locale_t c = plain_locale();
  return c ? strtod_l(text, end, c) : strtod(text, end);
}

int sw_text_is_real(const char *text, double *value) {
  char *end;
  if (!text || !*text || sw_is_space(*text)) return 0;
  double number = sw_text_real(text, &end);
  if (*end || end == text || !isfinite(number)) return 0;
  *value = number;
  return 1;
}

int sw_text_integer(const char *text, int64_t low, int64_t high,
                    int64_t *value) {
  char *end;
  if (!text || !(sw_is_digit(*text) || (*text == '-' && sw_is_digit(text[1]))))
    return 0;
  errno = 0;
  long long number = strtoll(text, &end, 10);
  if (*end || errno == ERANGE || number < low || number > high) return 0;
  *value = number;
  return 1;
}

void sw_real_text(char *buffer, size_t room, int digits, double value) {
  locale_t c = plain_locale(), before = c ? uselocale(c) : (locale_t)0;
  snprintf(buffer, room, "%.*g", digits, value);
  if (before) uselocale(before);
}

size_t sw_utf8_length(const unsigned char *p) {
  size_t n = p[0] < 0x80                    ? 1
             : p[0] >= 0xC2 && p[0] <= 0xDF ? 2
             : p[0] >= 0xE0 && p[0] <= 0xEF ? 3
             : p[0] >= 0xF0 && p[0] <= 0xF4 ? 4
                                            : 0;
  for (size_t i = 1; i < n; i++)
    if ((p[i] & 0xC0) != 0x80) return 0;
  if (n == 3 &&
      ((p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xED && p[1] > 0x9F)))
    return 0;
  if (n == 4 &&
      ((p[0] == 0xF0 && p[1] < 0x90) || (p[0] == 0xF4 && p[1] > 0x8F)))
    return 0;
  return n;
}

/* C0, DEL, and the C1 block and line separators in UTF-8: a terminal or a line
 * reader may act on them. */
static int is_control(const unsigned char *p, size_t n) {
  if (n == 1) return p[0] < 0x20 || p[0] == 0x7f;
  if (n == 2) return p[0] == 0xC2 && p[1] < 0xA0;
  return n == 3 && p[0] == 0xE2 && p[1] == 0x80 &&
         (p[2] == 0xA8 || p[2] == 0xA9 || (p[2] >= 0xAA && p[2] <= 0xAE));
}

size_t sw_plain_length(const char *text, size_t bytes) {
  unsigned char p[5] = {0}; /* the longest character and a NUL */
  for (size_t i = 0; i < 4 && i < bytes && text[i]; i++)
    p[i] = (unsigned char)text[i];
  size_t n = sw_utf8_length(p);
  return n && !is_control(p, n) ? n : 0;
}

void sw_clean_text(char *out, size_t room, const char *text) {
  size_t used = 0;
  if (!room) return;
  for (const unsigned char *p = (const unsigned char *)text; *p;) {
    size_t n = sw_utf8_length(p);
    int bad = !n || is_control(p, n);
    size_t put = bad ? 1 : n;
    if (used + put >= room) break;
    if (bad) out[used] = '?';
    else memcpy(out + used, p, n);
    used += put;
    p += n ? n : 1;
  }
  out[used] = 0;
}
