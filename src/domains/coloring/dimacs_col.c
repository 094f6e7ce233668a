/* Reader of DIMACS .col graphs as they occur in the world: `p col`, `p edge`
 * and their spellings, edges in one or both directions, repeated edges, extra
 * fields after the numbers, comments and blank lines anywhere, node and
 * descriptor lines (n d v x), CR LF, CR alone, a last line without newline,
 * counts that do not match. What is overlooked is told in the instance's note;
 * `pedantic` makes it an error, `relaxed` also skips lines of unknown kinds.
 * Self-loops are always an error: such a graph has no colouring. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "base/stop.h"
#include "base/text.h"
#include "domains/coloring/graph.h"

enum { RELAXED, NORMAL, PEDANTIC };

typedef struct reader {
  const char *path, *at, *end; /* of the current line */
  int64_t line;
  int reading;
  int32_t n;
  int64_t declared, count, room, unknown;
  int has_p;
  sw_edge *list;
  sw_err *err;
} reader;

static int is_blank(char c) { return c == ' ' || c == '\t'; }

/* Next word of the line, length 0 at its end. */
static size_t next_word(reader *r, const char **word) {
  while (r->at < r->end && is_blank(*r->at)) r->at++;
  *word = r->at;
  while (r->at < r->end && !is_blank(*r->at)) r->at++;
  return (size_t)(r->at - *word);
}

/* A non-negative decimal number of at most 12 digits; `what` for errors. */
static int next_number(reader *r, const char *what, int64_t *value) {
  const char *word;
  size_t length = next_word(r, &word);
  if (length == 0)
    return sw_fail(r->err, SW_DATA, "%s:%lld: %s is missing", r->path,
                   (long long)r->line, what);
  int shown = length > 40 ? 40 : (int)length;
  *value = 0;
  for (size_t i = 0; i < length; i++) {
    if (word[i] < '0' || word[i] > '9')
      return sw_fail(r->err, SW_DATA, "%s:%lld: %s '%.*s' is not a number",
                     r->path, (long long)r->line, what, shown, word);
    if (i >= 12)
      return sw_fail(r->err, SW_LIMIT, "%s:%lld: %s '%.*s' is too large",
                     r->path, (long long)r->line, what, shown, word);
    *value = 10 * *value + (word[i] - '0');
  }
  return SW_OK;
}

static int extra_fields(reader *r) {
  const char *word;
  if (r->reading != PEDANTIC || next_word(r, &word) == 0) return SW_OK;
  return sw_fail(r->err, SW_DATA, "%s:%lld: extra field after the numbers",
                 r->path, (long long)r->line);
}

static int read_p(reader *r) {
  static const char *const kinds[] = {"col",   "edge",     "edges",
                                      "color", "coloring", "graph"};
  const char *word;
  size_t length = next_word(r, &word);
  int known = 0;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    known |= strlen(kinds[i]) == length && !memcmp(word, kinds[i], length);
  if (!known) {
    sw_fail(r->err, SW_DATA, "%s:%lld: problem kind '%.*s' is not a graph",
            r->path, (long long)r->line, length > 40 ? 40 : (int)length, word);
    return sw_hint(r->err, "expected 'p edge NODES EDGES'");
  }
  if (r->has_p)
    return sw_fail(r->err, SW_DATA, "%s:%lld: a second 'p' line", r->path,
                   (long long)r->line);
  int64_t n;
  SW_TRY(next_number(r, "the number of nodes", &n));
  SW_TRY(next_number(r, "the number of edges", &r->declared));
  if (n > SW_COL_FILE_NODES)
    return sw_fail(r->err, SW_LIMIT, "%s:%lld: %lld nodes, at most %d are read",
                   r->path, (long long)r->line, (long long)n,
                   SW_COL_FILE_NODES);
  r->n = (int32_t)n;
  r->has_p = 1;
  return extra_fields(r);
}

static int check_end(reader *r, int64_t value) {
  if (value >= 1 && value <= r->n) return SW_OK;
  sw_fail(r->err, SW_DATA, "%s:%lld: node %lld is outside 1..%d", r->path,
          (long long)r->line, (long long)value, r->n);
  return value == 0 ? sw_hint(r->err, "DIMACS numbers nodes from 1") : SW_DATA;
}

static int read_e(reader *r) {
  int64_t a, b;
  if (!r->has_p)
    return sw_fail(r->err, SW_DATA, "%s:%lld: an edge before the 'p' line",
                   r->path, (long long)r->line);
  SW_TRY(next_number(r, "the first node", &a));
  SW_TRY(next_number(r, "the second node", &b));
  SW_TRY(check_end(r, a));
  SW_TRY(check_end(r, b));
  if (a == b) {
    sw_fail(r->err, SW_DATA, "%s:%lld: node %lld is joined to itself", r->path,
            (long long)r->line, (long long)a);
    return sw_hint(r->err, "a graph with a self-loop has no colouring");
  }
  SW_TRY(extra_fields(r));
  if (!sw_grow64(&r->list, &r->room, r->count + 1, sizeof *r->list))
    return sw_no_memory_for(r->err, "the edges of %s", r->path);
  r->list[r->count++] = (sw_edge){(int32_t)a - 1, (int32_t)b - 1};
  return SW_OK;
}

static int read_line(reader *r) {
  const char *word;
  size_t length = next_word(r, &word);
  if (length == 0 || word[0] == 'c') return SW_OK;
  if (length == 1 && word[0] == 'p') return read_p(r);
  if (length == 1 && (word[0] == 'e' || word[0] == 'a')) return read_e(r);
  if (length == 1 && strchr("ndvx", word[0]))
    return SW_OK; /* weights and coordinates: no meaning for a colouring */
  if (r->reading == RELAXED) {
    r->unknown++;
    return SW_OK;
  }
  sw_fail(r->err, SW_DATA, "%s:%lld: '%.*s' does not start a DIMACS line",
          r->path, (long long)r->line, length > 40 ? 40 : (int)length, word);
  return sw_hint(r->err,
                 "lines start with c, p or e; binary .col.b files "
                 "have to be converted first");
}

/* The end of the line that begins here. */
static const char *line_end(const char *at, const char *stop) {
  while (at < stop && !sw_is_line_end(*at)) at++;
  return at;
}

static int read_lines(reader *r, const char *text, size_t bytes) {
  const char *stop = text + bytes;
  const char *zero = memchr(text, 0, bytes);
  if (zero)
    return sw_fail(r->err, SW_DATA, "%s: a zero byte at offset %lld", r->path,
                   (long long)(zero - text));
  while (text < stop) {
    const char *newline = line_end(text, stop);
    r->at = text;
    r->end = newline;
    r->line++;
    SW_TRY(read_line(r));
    if (newline < stop && !sw_counts_line(newline, stop)) newline++; /* CR LF */
    if (r->line % 65536 == 0 && sw_time_to_stop())
      return sw_fail_stopped(r->err, r->path);
    text = newline < stop ? newline + 1 : stop;
  }
  if (!r->has_p) {
    sw_fail(r->err, SW_DATA, "%s:%lld: no 'p' line", r->path,
            (long long)r->line);
    return sw_hint(r->err, "expected 'p edge NODES EDGES'");
  }
  return SW_OK;
}

/* Compares the counts: declared, edge lines read, different edges. */
static int take_note(reader *r, sw_instance *g) {
  long long lines = (long long)r->count, kept = (long long)g->edges;
  if (lines == 2 * kept && kept > 0)
    snprintf(g->note, sizeof g->note,
             "each of %lld edges is given twice; %lld declared", kept,
             (long long)r->declared);
  else if (lines != kept)
    snprintf(g->note, sizeof g->note, "%lld repeated edges; %lld declared",
             lines - kept, (long long)r->declared);
  else if (r->declared == 2 * kept && kept > 0)
    snprintf(g->note, sizeof g->note,
             "%lld edges, twice as many declared (both directions counted)",
             kept);
  else if (r->declared != lines)
    snprintf(g->note, sizeof g->note, "%lld edges, %lld declared", lines,
             (long long)r->declared);
  if (r->unknown) { /* lines that were left out are reported first */
    char other[sizeof g->note];
    snprintf(other, sizeof other, "%s", g->note);
    snprintf(g->note, sizeof g->note,
             "left out: %lld lines of unknown kind%s%.80s",
             (long long)r->unknown, other[0] ? "; " : "", other);
  }
  if (r->reading == PEDANTIC && g->note[0])
    return sw_fail(r->err, SW_DATA, "%s: %s", r->path, g->note);
  return SW_OK;
}

int sw_col_parse(sw_instance **instance, const char *path, const char *text,
                 size_t bytes, const sw_domain_options *options, sw_err *err) {
  reader r = {0};
  r.path = path;
  int colors = sw_col_own(options)->colors;
  r.reading = sw_col_own(options)->reading;
  r.err = err;
  *instance = NULL;
  int code = read_lines(&r, text, bytes);
  if (!code)
    code = sw_graph_new(instance, r.n, colors > 0 ? colors : 0, r.list, r.count,
                        err);
  free(r.list);
  if (!code && (code = take_note(&r, *instance))) {
    sw_graph_free(*instance);
    *instance = NULL;
  }
  return code;
}

int sw_col_recognises(const sw_domain *domain, const char *path,
                      const char *text, size_t bytes) {
  (void)domain;
  size_t length = strlen(path);
  static const char *const endings[] = {".col", ".col.gz", ".col.xz"};
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    size_t ending = strlen(endings[i]);
    if (length > ending && !strcmp(path + length - ending, endings[i]))
      return 1;
  }
  for (size_t i = 0; i + 5 < bytes;) { /* the first `p` line decides */
    if (text[i] == 'p' && is_blank(text[i + 1])) {
      while (is_blank(text[i + 1]) && i + 5 < bytes) i++;
      return !memcmp(text + i + 1, "col", 3) ||
             !memcmp(text + i + 1, "edge", 4);
    }
    i = (size_t)(line_end(text + i, text + bytes) - text) + 1;
  }
  return 0;
}
