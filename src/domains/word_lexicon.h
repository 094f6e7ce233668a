/* English for domains whose tokens are words already (trace/words.h): a phrase
 * is a blank and the word; no word has a blank. */
#ifndef SW_DOMAINS_WORD_LEXICON_H
#define SW_DOMAINS_WORD_LEXICON_H
#include "domains/domain.h"

/* sw_lexicon.phrase and .choice, and sw_domain.token_text. */
int sw_word_phrase(const sw_domain *domain, int32_t token, char *buffer,
                   size_t room);
int sw_word_text(const sw_domain *domain, int32_t token, char *buffer,
                 size_t room);
/* The given rules; NULL: general rules for any such domain. */
void sw_word_rules(const sw_domain *domain, const char *rules, FILE *out);
/* The words of tokens, malloc'd; NULL: out of memory. */
char *sw_word_sentence(const sw_words *words, const int32_t *token,
                       int64_t count);

#endif
