/* Words and parentheses of PDDL text with their lines: lower-cased, comments
 * (from ; to the end of the line) left out. For the problem reader and the
 * plan checker. */
#ifndef SW_BLOCKS_PDDL_LEX_H
#define SW_BLOCKS_PDDL_LEX_H
#include <stddef.h>

enum { SW_PDDL_WORD_MAX = 128 };
typedef enum {
  SW_PDDL_END,
  SW_PDDL_OPEN,
  SW_PDDL_CLOSE,
  SW_PDDL_WORD,
  SW_PDDL_BAD
} sw_pddl_kind;
typedef struct sw_pddl_lexer {
  const char *path, *at, *end;
  int line; /* of the current word */
  sw_pddl_kind kind;
  char word[SW_PDDL_WORD_MAX]; /* lower case, NUL-terminated */
} sw_pddl_lexer;
void sw_pddl_lex_start(sw_pddl_lexer *lexer, const char *path, const char *text,
                       size_t bytes);
/* The next word. SW_PDDL_BAD: a control character, invalid UTF-8, or an
 * overlong word. */
sw_pddl_kind sw_pddl_lex(sw_pddl_lexer *lexer);
/* After an opening parenthesis: skips to behind its partner. 0: none. */
int sw_pddl_skip(sw_pddl_lexer *lexer);

#endif
