/* Conversations: a search told in words (domains/lexicon.h), as messages that
 * a model behind an endpoint answers with the number of a choice, and the way
 * back from such messages to tokens.
 *
 * A trace is cut at the tokens that answered a question. Each user message
 * holds what was written since the last answer, under these headings, and ends
 * with the question:
 *
 *   Problem      the prefix (first message only)
 *   Then         the rest of the block that was open at the last answer
 *   New situation  the same, where the answer itself began a block
 *   Situation    a block, from its beginning
 *   Choices      the numbered candidates
 *
 * The assistant's messages are numbers: what was *done* at that question. So a
 * conversation says exactly what the trace and the list of questions say, and
 * reading it back gives both again. Used by the remote guide (writing), the
 * endpoint (reading) and the audit. */
#ifndef SW_SEARCH_WORDS_H
#define SW_SEARCH_WORDS_H
#include "domains/domain.h"

typedef enum { SW_SYSTEM, SW_USER, SW_ASSISTANT } sw_role;
const char *sw_role_name(sw_role role); /* "system", "user", "assistant" */

typedef struct sw_message {
  sw_role role;
  char *text; /* malloc'd, NUL-terminated */
} sw_message;
typedef struct sw_messages {
  sw_message *item;
  int32_t count, room;
  int failed; /* out of memory: later additions are ignored */
} sw_messages;
void sw_messages_free(sw_messages *messages); /* empty afterwards */
void sw_messages_add(sw_messages *messages, sw_role role, const char *text,
                     size_t bytes);
/* All of them as one prompt, for endpoints without roles, malloc'd (NULL: out
 * of memory): "### User\n...\n### Assistant\n". And the way back. */
char *sw_messages_flat(const sw_messages *messages);
int sw_messages_split(sw_messages *messages, const char *prompt, sw_err *err);

/* Questions asked so far: where in the trace, and among which tokens. */
typedef struct sw_asked {
  int64_t *position;
  int32_t *first; /* its candidates: token[first[i] .. first[i + 1]) */
  int32_t *token;
  int32_t count, room, first_room, token_room;
} sw_asked;
void sw_asked_free(sw_asked *asked);
void sw_asked_clear(sw_asked *asked);
/* A question at the end of a trace of `position` tokens. 0: out of memory. */
int sw_asked_note(sw_asked *asked, int64_t position, const sw_cand *cands,
                  int count);

typedef struct sw_told {
  const sw_domain *domain;
  const sw_domain_options *options;
  const sw_trace *trace; /* ends where the question is asked */
  const sw_asked *asked; /* NULL: no earlier question is known */
  int rebuilt;           /* 1: problem and current block only */
  int reversed;          /* 1: every list of choices, last one first */
  const sw_cand *cand;   /* the question */
  int32_t count;
} sw_told;
int sw_words_write(const sw_told *told, sw_messages *out, sw_err *err);

/* Reading. A language is the phrases of one domain, sorted for the greedy
 * reader. */
typedef struct sw_language sw_language;
int sw_language_new(sw_language **language, const sw_domain *domain,
                    const sw_domain_options *options, sw_err *err);
void sw_language_free(sw_language *language);
/* Tokens of a text, appended to *trace (its open block). SW_DATA names what
 * could not be read. */
int sw_language_read(const sw_language *language, const char *text,
                     size_t bytes, sw_trace *trace, sw_err *err);
/* The whole conversation: trace and the last question's candidate tokens (at
 * most SW_WORDS_CHOICES). The system message may be missing; if it is there it
 * must be the domain's rules. */
enum { SW_WORDS_CHOICES = 4096 };
int sw_words_read(const sw_language *language, const sw_messages *messages,
                  sw_trace *trace, int32_t *candidate, int32_t *count,
                  sw_err *err);
/* Is the system message of these messages this language's? Chooses among
 * several models when a client names none. */
int sw_language_owns(const sw_language *language, const sw_messages *messages);

#endif
