/* Ordered-choice grammars: rules, token classes and what follows from them
 * (first and second tokens), read from a grammar file (docs/parsing.md).
 *
 * A rule is a choice (two or more alternatives), a sequence (one alternative)
 * or a list (items with a separator). Ids follow the order in the file: input
 * words (members of classes, then literals as they first appear), symbols
 * (rules, classes, literals), alternatives. The published grammar gets the
 * published token ids that way. Read-only once loaded. */
#ifndef SW_PARSING_GRAMMAR_H
#define SW_PARSING_GRAMMAR_H
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/rng.h"

enum {
  SW_GRAMMAR_INPUTS = 50,
  SW_GRAMMAR_SYMBOLS = 40,
  SW_GRAMMAR_RULES = 40,
  SW_GRAMMAR_CHOICES = 20,
  SW_GRAMMAR_ALTS = 128,
  SW_GRAMMAR_ITEMS = 512,
  SW_GRAMMAR_NAME = 24
};

typedef enum { SW_RULE_SEQUENCE, SW_RULE_CHOICE, SW_RULE_LIST } sw_rule_kind;
typedef struct sw_grammar_alt {
  int first, count; /* items[first ..] are symbols */
  uint64_t starts;  /* input words that can start it */
  uint64_t seconds; /* ... that can come second inside it */
  int short_form;   /* it can be one word long */
  int height;       /* of the lowest derivation */
} sw_grammar_alt;
typedef struct sw_grammar_rule {
  sw_rule_kind kind;
  int first, count; /* alts[first ..]; a list has one: item, separator */
  int low, high;    /* list: lengths that are drawn */
  int line;
  int weighted; /* entries of order/share, in walking order */
  int order[SW_GRAMMAR_CHOICES];
  double share[SW_GRAMMAR_CHOICES]; /* cumulative */
  uint64_t starts, seconds;
  int short_form, height;
} sw_grammar_rule;
typedef struct sw_grammar_symbol {
  char name[SW_GRAMMAR_NAME];
  int rule;       /* index into rules, or -1 for a terminal */
  uint64_t words; /* terminal: input words it matches */
} sw_grammar_symbol;

typedef struct sw_grammar {
  int inputs, symbols, rules, alts, items, start, depth;
  int choices; /* alternatives of the largest choice */
  char input[SW_GRAMMAR_INPUTS][SW_GRAMMAR_NAME];
  sw_grammar_symbol symbol[SW_GRAMMAR_SYMBOLS]; /* rules come first */
  sw_grammar_rule rule[SW_GRAMMAR_RULES];
  sw_grammar_alt alt[SW_GRAMMAR_ALTS];
  int16_t item[SW_GRAMMAR_ITEMS];
} sw_grammar;

enum { SW_GRAMMAR_BYTES = 1 << 20 }; /* of the largest file */
/* `path` NULL or "": the published grammar. Free with free(). */
int sw_grammar_load(sw_grammar **grammar, const char *path, sw_err *err);
int sw_grammar_read(sw_grammar **grammar, const char *path, const char *text,
                    sw_err *err);
extern const char sw_grammar_published[]; /* the text of the default */
/* Fills in starts, seconds, heights and shares; refuses left recursion and
 * rules without a finite sentence. (grammar_sets.c, called by the reader.) */
int sw_grammar_finish(sw_grammar *grammar, const char *path, sw_err *err);
int sw_grammar_find_input(const sw_grammar *grammar, const char *word,
                          size_t length); /* -1: unknown */

/* Draws a sentence as input words. Returns its length, which may exceed
 * `room` (only the first `room` words are stored then). */
int64_t sw_grammar_draw(const sw_grammar *grammar, sw_mt *mt, int16_t *words,
                        int64_t room);

#endif
