/* The checker of printed colourings. It reads the `v` lines and the graph's
 * text again and shares no code with the reader, the search or the writer.
 * `solve` prints no answer that it rejects. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "domains/coloring/coloring_options.h"
#include "domains/coloring/dsatur.h"

/* What stands between words on a line, as in the reader: to it a vertical tab
 * or a form feed is part of a word. */
static int is_blank(char c) { return c == ' ' || c == '\t'; }

/* The numbers of a line "X a b": the letter, '?' where the first word is longer
 * than one letter, or 0 at the end of the text. Words that are no numbers are
 * passed over (`p edge 3 2`). */
static char next_line(const char **at, const char *end, int64_t number[2]) {
  while (*at < end && (is_blank(**at) || sw_is_line_end(**at))) ++*at;
  if (*at >= end) return 0;
  const char *next = *at + 1;
  int alone = next == end || is_blank(*next) || sw_is_line_end(*next);
  char letter = alone ? **at : '?', before = '\n';
  int count = 0;
  number[0] = number[1] = 0;
  while (*at < end && !sw_is_line_end(**at)) {
    if (count < 2 && sw_is_digit(**at) && is_blank(before)) {
      while (*at < end && sw_is_digit(**at) && number[count] < INT32_MAX)
        number[count] = 10 * number[count] + (*(*at)++ - '0');
      count++;
      before = '0';
    } else {
      before = *(*at)++;
    }
  }
  return letter;
}

static int wrong(sw_err *err, const char *what, int64_t a, int64_t b) {
  return sw_fail(err, SW_INTERNAL,
                 "a wrong answer was not printed: %s %lld, %lld", what,
                 (long long)a, (long long)b);
}

static int read_colors(const char *answer, int64_t n, int64_t most,
                       int32_t *color, sw_err *err) {
  const char *end = answer + strlen(answer);
  int64_t pair[2], count = 0;
  for (char letter; (letter = next_line(&answer, end, pair));) {
    if (letter != 'v') continue;
    if (pair[0] < 1 || pair[0] > n || pair[1] < 1 || pair[1] > most ||
        color[pair[0]])
      return wrong(err, "node and colour", pair[0], pair[1]);
    color[pair[0]] = (int32_t)pair[1];
    count++;
  }
  return count == n ? SW_OK : wrong(err, "nodes, coloured", n, count);
}

int sw_col_verify(const char *text, size_t bytes,
                  const sw_domain_options *options, const char *answer,
                  sw_err *err) {
  const char *at = text, *end = text + bytes;
  int64_t pair[2], n = -1, k = sw_col_own(options)->colors;
  char letter;
  while (n < 0 && (letter = next_line(&at, end, pair)))
    if (letter == 'p') n = pair[0];
  if (n < 0 || n > SW_COL_FILE_NODES) return wrong(err, "nodes", n, 0);
  int32_t *color = calloc((size_t)n + 2, sizeof *color);
  if (!color) return sw_no_memory(err);
  int code = read_colors(answer, n, k > 0 ? k : n, color, err);
  while (!code && (letter = next_line(&at, end, pair))) {
    if (letter != 'e' && letter != 'a') continue;
    if (pair[0] < 1 || pair[0] > n || pair[1] < 1 || pair[1] > n ||
        color[pair[0]] == color[pair[1]])
      code = wrong(err, "one colour for the ends of edge", pair[0], pair[1]);
  }
  free(color);
  return code;
}
