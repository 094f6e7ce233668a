/* A domain in English: what each token reads like in a sentence, what a choice
 * is called, and the rules of the game for a reader who has never seen it. A
 * model behind an endpoint is shown this text instead of tokens, and our own
 * endpoint reads it back (search/words.h).
 *
 * Phrases bring their own blanks and line ends, so that a block's tokens,
 * phrase after phrase, are its text. Reading is greedy: the longest phrase that
 * fits is the token. For that to be the inverse no phrase is empty or starts
 * with a digit or a line end, every phrase is one token's alone, and none
 * consists of a shorter phrase and the beginning of another
 * (tests/search/test_words.c tries them all). */
#ifndef SW_DOMAINS_LEXICON_H
#define SW_DOMAINS_LEXICON_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "base/json.h"

struct sw_domain;
struct sw_domain_options;
struct sw_env;

typedef struct sw_lexicon {
  /* The token inside a sentence; returns the length as snprintf does. */
  int (*phrase)(const struct sw_domain *domain, int32_t token, char *buffer,
                size_t room);
  /* The token as a choice ("go back", "v3", "true"); the same rule. */
  int (*choice)(const struct sw_domain *domain, int32_t token, char *buffer,
                size_t room);
  /* The rules of the game, a paragraph. */
  void (*rules)(const struct sw_domain_options *options, FILE *out);
  /* The problem with its current state, as members of the open JSON object:
   * `kind` and what the page needs to draw it. */
  void (*picture)(const struct sw_env *env, sw_json *json);
} sw_lexicon;

enum { SW_PHRASE_ROOM = 64 };

#endif
