/* The lexer of PDDL text (see pddl_lex.h). */
#include "domains/blocks/pddl_lex.h"

#include "base/text.h"

void sw_pddl_lex_start(sw_pddl_lexer *lexer, const char *path, const char *text,
                       size_t bytes) {
  lexer->path = path;
  lexer->at = text;
  lexer->end = text + bytes;
  lexer->line = 1;
  lexer->kind = SW_PDDL_END;
  lexer->word[0] = 0;
}

sw_pddl_kind sw_pddl_lex(sw_pddl_lexer *x) {
  while (x->at < x->end) {
    unsigned char c = (unsigned char)*x->at;
    x->line += sw_counts_line(x->at, x->end);
    if (c == ';')
      while (x->at < x->end && !sw_is_line_end(*x->at)) x->at++;
    else if (sw_is_space((char)c)) x->at++;
    else break;
  }
  if (x->at >= x->end) return x->kind = SW_PDDL_END;
  if (*x->at == '(') return x->at++, x->kind = SW_PDDL_OPEN;
  if (*x->at == ')') return x->at++, x->kind = SW_PDDL_CLOSE;
  size_t length = 0;
  while (x->at < x->end) {
    unsigned char c = (unsigned char)*x->at;
    if (sw_is_space((char)c) || c == '(' || c == ')' || c == ';') break;
    /* Names come back in plans and messages: no control characters. */
    size_t n = sw_plain_length(x->at, (size_t)(x->end - x->at));
    if (!n || length + n >= SW_PDDL_WORD_MAX) {
      x->word[length] = 0;
      return x->kind = SW_PDDL_BAD;
    }
    for (; n; n--) x->word[length++] = sw_lower(*x->at++);
  }
  x->word[length] = 0;
  return x->kind = SW_PDDL_WORD;
}

int sw_pddl_skip(sw_pddl_lexer *x) {
  for (int depth = 1; depth > 0;) {
    sw_pddl_kind kind = sw_pddl_lex(x);
    if (kind == SW_PDDL_END || kind == SW_PDDL_BAD) return 0;
    if (kind == SW_PDDL_OPEN) depth++;
    if (kind == SW_PDDL_CLOSE) depth--;
  }
  return 1;
}
