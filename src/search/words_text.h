/* The fixed text of conversations, shared by words.c and words_read.c only. */
#ifndef SW_SEARCH_WORDS_TEXT_H
#define SW_SEARCH_WORDS_TEXT_H
#include "domains/domain.h"

#define SW_HEAD_PROBLEM "Problem"
#define SW_HEAD_SITUATION "Situation"
#define SW_HEAD_THEN "Then"
#define SW_HEAD_OPENED "New situation"
#define SW_HEAD_CHOICES "Choices"
#define SW_WORDS_ASK "Answer with one number."
#define SW_WORDS_MANNER                                                     \
  "\nEvery question ends with a numbered list of choices. Answer with the " \
  "number of one choice and nothing else."

/* The system message: the domain's rules and how to answer, malloc'd. */
int sw_words_rules(const sw_domain *domain, const sw_domain_options *options,
                   char **text, sw_err *err);

#endif
