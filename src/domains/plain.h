/* A domain in ten functions. A plain domain is a search in which a choice is
 * one token, a state is a few plain bytes, and going back restores the bytes of
 * the state before. Its maker says what the problems, states and choices are;
 * everything else that a domain must be able to do stands here: options,
 * streams of instances, the dialogue of decision blocks, what was tried,
 * traces, rules, ground truth, English, answers and their check.
 * docs/domains.md makes one step by step. What does not fit (propagation,
 * actions of several tokens, scratchpads, features) takes the tables of
 * domain.h.
 *
 * A block is the state's tokens, `tried` and a token for each choice that has
 * failed here, and then the choice as the target, or `back`. A state with no
 * choice left is a conflict; at the first state it ends the search.
 *
 * All functions are called from several threads at the same time, and their
 * results depend on their arguments alone. */
#ifndef SW_DOMAINS_PLAIN_H
#define SW_DOMAINS_PLAIN_H
#include "domains/domain.h"

enum { SW_PLAIN_CHOICES = 64 /* of one state, at most */ };

typedef struct sw_plain {
  const char *name, *summary;
  /* Token i is words[i]; NULL-terminated. `back` and `tried` come behind. */
  const char *const *words;
  const char *rules; /* of the game: a paragraph for a reader who has never seen
                      * it */
  int n, most;       /* --n: the default and the largest */
  size_t problem_bytes,
      state_bytes; /* for any n; zeroed before they are made */

  /* ---- required ---- */
  void (*draw)(void *problem, int n, sw_xoshiro *random);
  void (*show_problem)(const void *problem, sw_trace *out);
  void (*start)(const void *problem, void *state);
  void (*show_state)(const void *problem, const void *state, sw_trace *out);
  /* The tokens that can be chosen, in a fixed order; how many. */
  int (*choices)(const void *problem, const void *state,
                 int32_t token[SW_PLAIN_CHOICES]);
  void (*take)(const void *problem, void *state, int32_t token);
  int (*solved)(const void *problem, const void *state);

  /* ---- optional ---- */
  /* The expert's choice of those that are open, an index. NULL: the first. */
  int (*expert)(const void *problem, const void *state, const int32_t *open,
                int count);
  /* A problem file; SW_DATA says what is wrong. NULL: problems have no files.
   */
  int (*parse)(void *problem, const char *text, sw_err *err);
  /* Further words about an instance for a person, a line or several. */
  void (*draw_picture)(const void *problem, const void *state, FILE *out);
} sw_plain;

/* Registers the domain (registry.h), which the caller then holds. `plain` must
 * stay as long as it is open. */
int sw_plain_register(const sw_plain *plain, const sw_domain **domain,
                      sw_err *err);

#endif
