/* The choice that a text names (see answers.h): a label or the choice's words,
 * behind a mark ("Answer:"), on the last line, or as the only one anywhere. A
 * text that repeats the list of choices names none. */
#include <string.h>
#include "audit/answers.h"
#include "base/text.h"

static size_t spaces(const char *text) {
  size_t n = 0;
  while (sw_is_space(text[n])) n++;
  return n;
}

static int in_word(char c) {
  return sw_is_letter(c) || sw_is_digit(c) || c == '_';
}

static int same_text(const char *a, const char *b, size_t length) {
  for (size_t i = 0; i < length; i++)
    if (sw_lower(a[i]) != sw_lower(b[i])) return 0;
  return 1;
}

/* Does `what` stand here, as a word of its own? Its length. */
static size_t stands(const char *text, const char *begin, const char *what) {
  size_t length = strlen(what);
  if (!same_text(text, what, strnlen(text, length)) ||
      strnlen(text, length) < length)
    return 0;
  if (text > begin && in_word(what[0]) &&
      (in_word(text[-1]) || strchr(".-+", text[-1])))
    return 0;
  char after = text[length];
  if (in_word(what[length - 1]) && in_word(after)) return 0;
  if (sw_is_digit(what[length - 1]) && (after == '.' || after == ',') &&
      sw_is_digit(text[length + 1]))
    return 0;
  return length;
}

/* The one word of the list that stands in text[0..bytes); -1: none or several.
 * A choice inside a longer one does not count beside it. */
static int only_one(const char *text, size_t bytes, const char *const *word,
                    int count) {
  int found = -1;
  for (size_t at = 0; at < bytes;) {
    int best = -1;
    size_t longest = 0;
    for (int i = 0; i < count; i++) {
      size_t n = stands(text + at, text, word[i]);
      if (n > longest && at + n <= bytes) {
        longest = n;
        best = i;
      }
    }
    if (best >= 0 && found >= 0 && best != found) return -1;
    if (best >= 0) found = best;
    at += longest ? longest : 1;
  }
  return found;
}

/* The word that stands first behind `text`, past signs that set it off. */
static int first_of(const char *text, const char *const *word, int count) {
  int best = -1;
  size_t longest = 0;
  text += strspn(text, " \t\r\n*_`\"'(:#[{$");
  for (int i = 0; i < count; i++) {
    size_t n = stands(text, text, word[i]);
    if (n > longest) {
      longest = n;
      best = i;
    }
  }
  return best;
}

static int either(const char *text, const char *const *label,
                  const char *const *choice, int count) {
  int found = first_of(text, label, count);
  return found >= 0 ? found : first_of(text, choice, count);
}

/* Behind the last `mark` (any case); -2: it is not there. */
static int behind_mark(const char *text, const char *mark,
                       const char *const *label, const char *const *choice,
                       int count) {
  size_t length = strlen(mark);
  const char *last = NULL;
  for (const char *at = text; *at; at++)
    if (strnlen(at, length) == length && same_text(at, mark, length)) last = at;
  if (!last) return -2;
  const char *rest = last + length;
  rest += strspn(rest, " \t*_`");
  if (same_text(rest, "is", strnlen(rest, 2)) && strnlen(rest, 3) > 2 &&
      !in_word(rest[2]))
    rest += 2;
  return either(rest, label, choice, count);
}

static const char *last_line(const char *text, size_t *bytes) {
  size_t end = strlen(text);
  while (end && sw_is_space(text[end - 1])) end--;
  size_t begin = end;
  while (begin && text[begin - 1] != '\n') begin--;
  *bytes = end - begin;
  return text + begin;
}

/* Do two lines or more begin with different labels? Then the choices were
 * repeated, not answered. */
static int is_list(const char *text, const char *const *label, int count) {
  int first = -1;
  while (*text) {
    int found = first_of(text, label, count);
    if (found >= 0 && first >= 0 && found != first) return 1;
    if (found >= 0) first = found;
    text += strcspn(text, "\n");
    text += strspn(text, "\n");
  }
  return 0;
}

int sw_said_choice(const char *text, const char *const *label,
                   const char *const *choice, int count) {
  static const char *const marks[] = {"\\boxed{", "answer:", "answer is",
                                      "answer**:", "choice:"};
  size_t bytes;
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
    int found = behind_mark(text, marks[i], label, choice, count);
    if (found >= 0) return found;
  }
  if (is_list(text, label, count)) return -1;
  const char *line = last_line(text, &bytes);
  int single = line == text + spaces(text); /* it is one line */
  if (single || bytes <= 40) {
    int found = either(line, label, choice, count);
    if (found >= 0 && (single || only_one(line, bytes, label, count) == found ||
                       only_one(line, bytes, choice, count) == found))
      return found;
  }
  int found = only_one(line, bytes, choice, count);
  if (found < 0) found = only_one(line, bytes, label, count);
  if (found < 0) found = only_one(text, strlen(text), label, count);
  return found;
}
