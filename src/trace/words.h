/* A vocabulary as a list of words: word i is token i. Data sets and weights of
 * domains that are not compiled in carry theirs in the metadata: `words`, a
 * JSON list of texts, and `back`, the word that means going back (absent: no
 * word does). Word: 1 to SW_WORD_BYTES bytes of UTF-8 without blanks and
 * control characters; no two are the same. A zeroed list is empty. Filled by
 * one thread; read by any number. */
#ifndef SW_TRACE_WORDS_H
#define SW_TRACE_WORDS_H
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

enum {
  SW_WORD_BYTES = 255,
  SW_WORDS_MAX = 1 << 16,
  SW_WORDS_BYTES = 1 << 21 /* of all words, so that metadata can hold them */
};

typedef struct sw_words {
  int32_t count;
  int32_t back; /* the token of going back plus one; 0: no word means it */
  char *text;   /* all words, each with a NUL behind it */
  int64_t text_bytes, text_room;
  int64_t *start; /* [count] of each in text */
  int64_t start_room;
  int32_t *slot; /* hash table of tokens plus one; 0: empty */
  int32_t slots;
} sw_words;

void sw_words_free(sw_words *words); /* empty afterwards */

/* SW_OK when these bytes are a word, else SW_DATA that says what is wrong. */
int sw_word_check(const char *word, size_t bytes, sw_err *err);
/* The token of a word, -1: it is not in the list. */
int32_t sw_words_find(const sw_words *words, const char *word, size_t bytes);
/* A token's word; good until the next addition. NULL: there is no such token.
 */
const char *sw_words_text(const sw_words *words, int32_t token);
/* Appends a word (SW_DATA: it is in the list already, or is not a word) ... */
int sw_words_add(sw_words *words, const char *word, size_t bytes, sw_err *err);
/* ... or finds it, and appends it where it is new. */
int sw_words_intern(sw_words *words, const char *word, size_t bytes,
                    int32_t *token, sw_err *err);
/* Says which word means going back; it must be in the list. */
int sw_words_set_back(sw_words *words, const char *word, sw_err *err);
/* The token of going back, -1: none. */
int32_t sw_words_back(const sw_words *words);

/* The list as a JSON text, malloc'd (NULL: out of memory), and the way back;
 * `back` NULL: no word means going back. `label` says in errors whose list it
 * is. *words is empty unless SW_OK. */
char *sw_words_json(const sw_words *words);
int sw_words_parse(sw_words *words, const char *json, const char *back,
                   const char *label, sw_err *err);
/* A copy; SW_MEMORY. */
int sw_words_copy(sw_words *to, const sw_words *from, sw_err *err);
/* Same words in the same order, and the same word for going back. */
int sw_words_same(const sw_words *a, const sw_words *b);
/* The first token whose words differ, -1: none (the word for going back may
 * still differ). */
int32_t sw_words_difference(const sw_words *a, const sw_words *b);
/* A hash of all that sw_words_same compares, as 16 hexadecimal digits. */
void sw_words_hash(const sw_words *words, char hash[17]);

#endif
