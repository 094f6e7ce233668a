/* DIMACS CNF reader (dimacs.h): one pass over the text, one token at a time. */
#include "domains/sat/dimacs.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/stop.h"
#include "base/text.h"

enum { MAX_VARS = 1 << 22, MAX_LITERALS = 1 << 28 };

typedef struct reader {
  const char *path, *at, *end;
  sw_dimacs_level level;
  int line;
  sw_err *err;
  int has_header;
  int32_t n, promised;      /* from the header */
  int32_t largest;          /* largest variable seen */
  int32_t *start, *literal; /* clauses so far; start[m] closes the last */
  int32_t m, total, start_room, literal_room;
  int32_t *seen, seen_room; /* per literal: 1 + last clause it was in */
  char note[160];
  int left_out; /* line of what the note says is left out; 0: nothing is */
} reader;

static int bad(reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static int bad(reader *r, const char *format, ...) {
  char text[200];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return sw_fail(r->err, SW_DATA, "%s:%d: %s", r->path, r->line, text);
}

/* Something the level lets pass: remembered (the first one). */
static void remark(reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void remark(reader *r, const char *format, ...) {
  if (r->note[0]) return;
  int used = snprintf(r->note, sizeof r->note, "line %d: ", r->line);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(r->note + used, sizeof r->note - (size_t)used, format, arguments);
  va_end(arguments);
}

/* What the relaxed level leaves out of the formula. It is reported before any
 * other remark, and only where the header's count of clauses is right without
 * it. */
static int leave_out(reader *r, const char *what, size_t bytes) {
  char raw[48], shown[48];
  if (r->level > SW_DIMACS_RELAXED) {
    bad(r, "%s", what);
    return sw_hint(r->err,
                   "--reading relaxed leaves it out, where the header's"
                   " count of clauses is right without it");
  }
  if (r->left_out) return SW_OK;
  snprintf(raw, sizeof raw, "%.*s", bytes < 40 ? (int)bytes : 40, r->at);
  sw_clean_text(shown, sizeof shown, raw);
  snprintf(r->note, sizeof r->note, "line %d: left out: %s: \"%s\"%s", r->line,
           what, shown, bytes > 40 ? "..." : "");
  r->left_out = r->line;
  return SW_OK;
}

/* Refused unless relaxed, where it is only remarked. */
#define RELAXED_ONLY(r, ...)                                    \
  do {                                                          \
    if ((r)->level > SW_DIMACS_RELAXED) {                       \
      bad((r), __VA_ARGS__);                                    \
      return sw_hint((r)->err, "--reading relaxed accepts it"); \
    }                                                           \
    remark((r), __VA_ARGS__);                                   \
  } while (0)
/* Refused only when pedantic. */
#define NOT_PEDANTIC(r, ...)                                   \
  do {                                                         \
    if ((r)->level == SW_DIMACS_PEDANTIC) {                    \
      bad((r), __VA_ARGS__);                                   \
      return sw_hint((r)->err, "--reading normal accepts it"); \
    }                                                          \
  } while (0)

static int grow(int32_t **array, int32_t *room, int32_t needed) {
  if (needed <= *room) return 0;
  int64_t next = *room ? 2 * (int64_t)*room : 1024;
  if (next < needed) next = needed;
  int32_t *bigger = realloc(*array, sizeof **array * (size_t)next);
  if (!bigger) return 1;
  memset(bigger + *room, 0, sizeof *bigger * (size_t)(next - *room));
  *array = bigger;
  *room = (int32_t)next;
  return 0;
}

static int no_memory(reader *r) {
  return sw_no_memory_for(r->err, "the clauses of %s, line %d", r->path,
                          r->line);
}

/* Blanks inside a line. */
static void skip_blanks(reader *r) {
  while (r->at < r->end && (*r->at == ' ' || *r->at == '\t')) r->at++;
}

/* Bytes to the end of the line; a CR alone ends it too. */
static size_t rest_of_line(const reader *r) {
  const char *at = r->at;
  while (at < r->end && !sw_is_line_end(*at)) at++;
  return (size_t)(at - r->at);
}

static void skip_line(reader *r) { r->at += rest_of_line(r); }

/* What a stray byte looks like in a message. */
static void show_byte(const reader *r, char out[8]) {
  unsigned char byte = (unsigned char)*r->at;
  snprintf(out, 8, byte > 32 && byte < 127 ? "'%c'" : "0x%02x", byte);
}

/* A decimal number with an optional minus; ends at a blank or line end. */
static int read_number(reader *r, const char *what, int64_t *number) {
  const char *start = r->at;
  int negative = r->at < r->end && *r->at == '-';
  char byte[8];
  if (negative) r->at++;
  *number = 0;
  while (r->at < r->end && *r->at >= '0' && *r->at <= '9') {
    *number = *number * 10 + (*r->at++ - '0');
    if (*number > INT32_MAX)
      return bad(r, "%s is too large: %.*s...", what, (int)(r->at - start),
                 start);
  }
  if (r->at == start + negative ||
      (r->at < r->end && !strchr(" \t\r\n", *r->at))) {
    if (r->at >= r->end) return bad(r, "%s expected, the file ends here", what);
    show_byte(r, byte);
    return bad(r, "%s expected, found %s", what, byte);
  }
  if (negative) *number = -*number;
  return SW_OK;
}

static int read_header(reader *r) {
  int64_t n, m;
  if (r->has_header) return bad(r, "a second header line");
  if (r->m > 0 || r->total > 0) return bad(r, "the header comes after clauses");
  r->at++;
  skip_blanks(r);
  if (r->end - r->at < 3 || memcmp(r->at, "cnf", 3) != 0)
    return bad(r, "the header must be 'p cnf VARIABLES CLAUSES'");
  r->at += 3;
  if (r->at < r->end && *r->at != ' ' && *r->at != '\t')
    return bad(r, "the header must be 'p cnf VARIABLES CLAUSES'");
  skip_blanks(r);
  SW_TRY(read_number(r, "number of variables", &n));
  skip_blanks(r);
  SW_TRY(read_number(r, "number of clauses", &m));
  if (n < 0 || m < 0) return bad(r, "negative number in the header");
  if (n > MAX_VARS || m > MAX_LITERALS)
    return sw_fail(
        r->err, SW_LIMIT,
        "%s:%d: %lld variables, %lld clauses; at most %d and %d are read",
        r->path, r->line, (long long)n, (long long)m, MAX_VARS, MAX_LITERALS);
  skip_blanks(r);
  if (rest_of_line(r))
    SW_TRY(leave_out(r, "something follows the header's two numbers",
                     rest_of_line(r)));
  skip_line(r);
  r->has_header = 1;
  r->n = (int32_t)n;
  r->promised = (int32_t)m;
  return SW_OK;
}

static int add_literal(reader *r, int32_t number) {
  int32_t var = abs(number) - 1;
  if (r->has_header && var >= r->n)
    RELAXED_ONLY(r, "variable %d, but the header promises %d", var + 1, r->n);
  if (var >= MAX_VARS)
    return sw_fail(r->err, SW_LIMIT, "%s:%d: variable %d; at most %d are read",
                   r->path, r->line, var + 1, MAX_VARS);
  if (r->total >= MAX_LITERALS)
    return sw_fail(r->err, SW_LIMIT, "%s:%d: more than %d literals", r->path,
                   r->line, MAX_LITERALS);
  int32_t literal = sw_sat_from_dimacs(number); /* fits: var is small now */
  if (grow(&r->seen, &r->seen_room, 2 * (var + 1)) ||
      grow(&r->literal, &r->literal_room, r->total + 1))
    return no_memory(r);
  if (var + 1 > r->largest) r->largest = var + 1;
  if (r->seen[literal ^ 1] == r->m + 1)
    NOT_PEDANTIC(r, "the clause holds %d and %d", -number, number);
  if (r->seen[literal] == r->m + 1) {
    NOT_PEDANTIC(r, "literal %d occurs twice in a clause", number);
    remark(r, "literal %d occurs twice in a clause; kept once", number);
    return SW_OK;
  }
  r->seen[literal] = r->m + 1;
  r->literal[r->total++] = literal;
  return SW_OK;
}

static int end_clause(reader *r) {
  if (grow(&r->start, &r->start_room, r->m + 2)) return no_memory(r);
  r->start[++r->m] = r->total;
  return SW_OK;
}

/* SATLIB ends its files with "%", "0" and an empty line. */
static int read_percent(reader *r) {
  NOT_PEDANTIC(r, "'%%' is not part of the format");
  if (r->total > r->start[r->m])
    return bad(r, "'%%' inside a clause that has no 0 yet");
  r->at++;
  for (; r->at < r->end; r->at++) {
    if (!strchr("0 \t\r\n", *r->at) || !*r->at)
      SW_TRY(leave_out(r, "text after the '%' that ends the formula",
                       (size_t)(r->end - r->at)));
    r->line += sw_counts_line(r->at, r->end);
  }
  return SW_OK;
}

static int read_token(reader *r, int line_start) {
  char byte[8];
  int64_t number;
  switch (*r->at) {
    case 'c':
      if (r->has_header || !line_start)
        NOT_PEDANTIC(r, "a comment below the header");
      skip_line(r);
      return SW_OK;
    case 'p':
      if (!line_start) return bad(r, "'p' in the middle of a line");
      return read_header(r);
    case '%':
      return read_percent(r);
    default:
      if (*r->at != '-' && (*r->at < '0' || *r->at > '9')) {
        show_byte(r, byte);
        return bad(r, "a literal, 0 or a comment expected, found %s", byte);
      }
  }
  if (!r->has_header)
    RELAXED_ONLY(r, "a clause before the header 'p cnf VARIABLES CLAUSES'");
  SW_TRY(read_number(r, "literal", &number));
  return number ? add_literal(r, (int32_t)number) : end_clause(r);
}

/* Pedantic: carriage returns are looked for first, so that the message names
 * them and not what they break. */
static int refuse_carriage_returns(reader *r) {
  int line = 1;
  for (const char *at = r->at; at < r->end; at++) {
    if (*at == '\r') {
      r->line = line;
      NOT_PEDANTIC(r, "a carriage return");
    }
    line += *at == '\n';
  }
  return SW_OK;
}

static int read_all(reader *r) {
  int line_start = 1;
  if (r->level == SW_DIMACS_PEDANTIC) SW_TRY(refuse_carriage_returns(r));
  if (r->end - r->at >= 3 && memcmp(r->at, "\xef\xbb\xbf", 3) == 0) {
    NOT_PEDANTIC(r, "a byte order mark");
    r->at += 3;
  }
  while (skip_blanks(r), r->at < r->end) {
    if (sw_is_line_end(*r->at)) {
      r->line += sw_counts_line(r->at++, r->end);
      line_start = 1;
      if (r->line % 65536 == 0 && sw_time_to_stop())
        return sw_fail_stopped(r->err, r->path);
      continue;
    }
    SW_TRY(read_token(r, line_start));
    line_start = 0;
  }
  return SW_OK;
}

/* Checks that need the whole file. */
static int check_counts(reader *r) {
  if (r->total > r->start[r->m]) {
    RELAXED_ONLY(r, "the last clause has no 0");
    SW_TRY(end_clause(r));
  }
  if (r->left_out && (!r->has_header || r->m != r->promised))
    return sw_fail(
        r->err, SW_DATA,
        "%s:%d: %s; without it there are %d clauses and the header %s", r->path,
        r->left_out, strchr(r->note, ':') + 2, r->m,
        r->has_header ? "promises another number" : "is missing");
  if (!r->has_header) {
    RELAXED_ONLY(r, "no header 'p cnf VARIABLES CLAUSES'");
    r->promised = r->m;
  }
  if (r->m != r->promised)
    RELAXED_ONLY(r, "the header promises %d clauses, the file has %d",
                 r->promised, r->m);
  if (r->largest > r->n) r->n = r->largest;
  return SW_OK;
}

int sw_dimacs_parse(sw_instance **instance, const char *path, const char *text,
                    size_t bytes, sw_dimacs_level level, sw_err *err) {
  reader r = {.path = path,
              .at = text,
              .end = text + bytes,
              .level = level,
              .line = 1,
              .err = err};
  *instance = NULL;
  int code = grow(&r.start, &r.start_room, 2) ? no_memory(&r) : read_all(&r);
  if (code == SW_OK) code = check_counts(&r);
  if (code == SW_OK)
    code =
        sw_sat_instance_new(instance, r.n, r.m, r.start, r.literal, NULL, err);
  if (code == SW_OK) memcpy((*instance)->note, r.note, sizeof r.note);
  free(r.start);
  free(r.literal);
  free(r.seen);
  return code;
}

int sw_dimacs_read(sw_instance **instance, const char *path,
                   sw_dimacs_level level, sw_err *err) {
  char *text;
  size_t bytes;
  *instance = NULL;
  SW_TRY(sw_read_file(path, 0, &text, &bytes, err));
  int code = sw_dimacs_parse(instance, path, text, bytes, level, err);
  free(text);
  return code;
}

static int ends_with(const char *text, const char *tail) {
  size_t a = strlen(text), b = strlen(tail);
  return a >= b && strcmp(text + a - b, tail) == 0;
}

int sw_dimacs_recognises(const sw_domain *domain, const char *path,
                         const char *text, size_t bytes) {
  (void)domain;
  if (path && (ends_with(path, ".cnf") || ends_with(path, ".cnf.gz") ||
               ends_with(path, ".cnf.xz") || ends_with(path, ".dimacs")))
    return 1;
  const char *at = text, *end = text + bytes;
  while (at < end && (*at == 'c' || sw_is_line_end(*at))) {
    while (at < end && !sw_is_line_end(*at)) at++;
    if (at < end) at++;
  }
  return end - at >= 5 && memcmp(at, "p cnf", 5) == 0;
}
