/* The checker of printed SAT answers. It reads the `v` lines and the formula's
 * text again, a clause at a time, and shares no code with the reader, the
 * search or the writer. `solve` prints no answer that it rejects. */
#include <stdlib.h>

#include "base/grow.h"
#include "base/text.h"
#include "domains/sat/answer.h"

/* No file with a larger variable is read. */
enum { LARGEST = 1 << 22 };

typedef struct words {
  const char *at, *end;
  int line_start;
} words;

/* The next whole number; 0: there is none (*word: where it stopped). Comment
 * and header lines are passed over, `%` ends the text as the reader has it. */
static int next_number(words *w, int64_t *number) {
  for (;;) {
    while (w->at < w->end && sw_is_space(*w->at)) w->at++;
    if (w->at >= w->end || *w->at == '%') return 0;
    if (*w->at != 'c' && *w->at != 'p' && *w->at != 'v') break;
    if (*w->at == 'v') {
      w->at++;
      continue;
    }
    while (w->at < w->end && !sw_is_line_end(*w->at)) w->at++;
  }
  int negative = *w->at == '-';
  w->at += negative;
  *number = 0;
  if (w->at >= w->end || !sw_is_digit(*w->at)) return 0;
  for (; w->at < w->end && sw_is_digit(*w->at); w->at++)
    if (*number <= LARGEST) *number = 10 * *number + (*w->at - '0');
  if (negative) *number = -*number;
  return 1;
}

static int wrong(sw_err *err, const char *what, int64_t number) {
  return sw_fail(err, SW_INTERNAL, "a wrong answer was not printed: %s %lld",
                 what, (long long)number);
}

/* value[v]: 1 true, -1 false, 0 not said. */
static int read_values(words *w, int8_t **value, int32_t *room, sw_err *err) {
  int64_t number = 0;
  while (next_number(w, &number) && number) {
    if (number > LARGEST || number < -LARGEST)
      return wrong(err, "a value for variable", number);
    int32_t variable = (int32_t)(number < 0 ? -number : number);
    int32_t before = *room;
    if (!sw_grow(value, room, variable + 1, sizeof **value))
      return sw_no_memory(err);
    for (int32_t v = before; v < *room; v++) (*value)[v] = 0;
    int8_t says = number < 0 ? -1 : 1;
    if ((*value)[variable] == -says)
      return wrong(err, "two values for variable", variable);
    (*value)[variable] = says;
  }
  return number ? wrong(err, "the values have no end after", number) : SW_OK;
}

int sw_sat_verify(const char *text, size_t bytes,
                  const sw_domain_options *options, const char *answer,
                  sw_err *err) {
  (void)options;
  int8_t *value = NULL;
  int32_t room = 0;
  size_t length = 0;
  while (answer[length]) length++;
  words said = {answer, answer + length, 1}, formula = {text, text + bytes, 1};
  if (bytes >= 3 && (unsigned char)text[0] == 0xef) formula.at += 3; /* BOM */
  int code = read_values(&said, &value, &room, err);
  int64_t number, clause = 1;
  int open = 0, holds = 0;
  while (!code && next_number(&formula, &number)) {
    if (number) {
      int64_t variable = number < 0 ? -number : number;
      open = 1;
      holds |= variable < room && value[variable] == (number < 0 ? -1 : 1);
    } else if (!holds) {
      code = wrong(err, "it leaves a clause false, clause", clause);
    } else {
      open = holds = 0;
      clause++;
    }
  }
  if (!code && open && !holds)
    code = wrong(err, "it leaves a clause false, clause", clause);
  free(value);
  return code;
}
