/* Printed forms of the SAT vocabulary, both ways. Used by `show`, by tests and
 * by the reports; nothing on a hot path. */
#include "domains/sat/tokens.h"

#include <stdio.h>
#include <string.h>

static const char *const fixed_text[] = {
#define X(name, id, text) [id] = text,
    SW_SAT_FIXED_TOKENS(X)
#undef X
};

/* Numbered ranges: what is printed before the number. */
static const struct range {
  const char *before;
  int32_t first, count;
} ranges[] = {{"+v", SW_SAT_POSITIVE, SW_SAT_MAX_VARS},
              {"-v", SW_SAT_NEGATIVE, SW_SAT_MAX_VARS},
              {"C", SW_SAT_CLAUSE, SW_SAT_MAX_CLAUSES},
              {"L", SW_SAT_LEVEL, SW_SAT_MAX_LEVELS},
              {"v", SW_SAT_VARIABLE, SW_SAT_MAX_VARS}};
enum {
  RANGES = sizeof ranges / sizeof ranges[0],
  FIXED = sizeof fixed_text / sizeof fixed_text[0]
};

int sw_sat_token_text(const struct sw_domain *domain, int32_t token,
                      char *buffer, size_t room) {
  (void)domain;
  if (token >= 0 && token < FIXED)
    return snprintf(buffer, room, "%s", fixed_text[token]);
  for (int i = 0; i < RANGES; i++)
    if (token >= ranges[i].first && token < ranges[i].first + ranges[i].count)
      return snprintf(buffer, room, "%s%d", ranges[i].before,
                      (int)(token - ranges[i].first));
  return snprintf(buffer, room, "<%d>", (int)token);
}

static int32_t parse_number(const char *digits, size_t length, int32_t limit) {
  int32_t number = 0;
  if (length == 0 || length > 5) return -1;
  for (size_t i = 0; i < length; i++) {
    if (digits[i] < '0' || digits[i] > '9') return -1;
    number = number * 10 + (digits[i] - '0');
  }
  return number < limit ? number : -1;
}

int32_t sw_sat_token_parse(const char *word, size_t length) {
  for (int32_t id = 0; id < FIXED; id++)
    if (strlen(fixed_text[id]) == length &&
        memcmp(fixed_text[id], word, length) == 0)
      return id;
  for (int i = 0; i < RANGES; i++) {
    size_t skip = strlen(ranges[i].before);
    if (length <= skip || memcmp(word, ranges[i].before, skip) != 0) continue;
    int32_t number = parse_number(word + skip, length - skip, ranges[i].count);
    if (number >= 0) return ranges[i].first + number;
  }
  return -1;
}
