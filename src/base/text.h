/* Characters and numbers in text, the same in every locale: a host program may
 * have set one in which isspace() takes more bytes or a number has a comma. */
#ifndef SW_BASE_TEXT_H
#define SW_BASE_TEXT_H
#include <stddef.h>
#include <stdint.h>

static inline int sw_is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}
/* LF, CR LF or CR alone: what stands between lines of files that people write.
 * Both bytes of CR LF end a line; a count of lines takes the pair once. */
static inline int sw_is_line_end(char c) { return c == '\n' || c == '\r'; }
static inline int sw_counts_line(const char *at, const char *end) {
  return *at == '\n' || (*at == '\r' && !(at + 1 < end && at[1] == '\n'));
}
static inline int sw_is_digit(char c) { return c >= '0' && c <= '9'; }
static inline int sw_is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
static inline char sw_lower(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* strtod() of the C locale. */
double sw_text_real(const char *text, char **end);
/* A finite number and nothing else; 0: it is none. */
int sw_text_is_real(const char *text, double *value);
/* A decimal whole number between low and high, and nothing else (no blanks, no
 * plus, no leading text); 0: it is none. NULL is none. */
int sw_text_integer(const char *text, int64_t low, int64_t high,
                    int64_t *value);
/* "%.<digits>g" of the C locale. */
void sw_real_text(char *buffer, size_t room, int digits, double value);
/* Copies text as one harmless line: control bytes and invalid UTF-8 become
 * '?', what does not fit is cut between characters. */
void sw_clean_text(char *out, size_t room, const char *text);
/* Length of the character at `text` if such a line has it as it is, or 0. Reads
 * at most `bytes` bytes and nothing behind a NUL. */
size_t sw_plain_length(const char *text, size_t bytes);
/* Length of the valid UTF-8 sequence at `text` (NUL-terminated), or 0. */
size_t sw_utf8_length(const unsigned char *text);

#endif
