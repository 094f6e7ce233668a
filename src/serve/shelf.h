/* The models a server offers. Each has an id (its file or directory name), its
 * language (search/words.h) and a session with a few sequences that remember
 * what they were shown last, so that the next question of the same search
 * computes only what is new. Answers never depend on what is remembered. */
#ifndef SW_SERVE_SHELF_H
#define SW_SERVE_SHELF_H
#include <pthread.h>
#include "base/threads.h"
#include "search/loaded.h"
#include "search/words.h"

enum { SW_BOOK_SEATS = 12 };

typedef struct sw_book {
  char id[64];
  sw_loaded loaded;
  sw_language *language;
  sw_team *team;
  sw_seats *session;
  sw_trace seen[SW_BOOK_SEATS]; /* what each sequence was shown */
  int64_t used[SW_BOOK_SEATS];  /* clock of the last use; 0: empty */
  int64_t clock;
  pthread_mutex_t lock; /* around sw_book_ask and what it returns */
} sw_book;

typedef struct sw_shelf {
  sw_book **book;
  int32_t count, room;
} sw_shelf;

/* Opens a model and gives it an id of its own. */
int sw_shelf_add(sw_shelf *shelf, const char *path, int threads, sw_err *err);
void sw_shelf_free(sw_shelf *shelf);
sw_book *sw_shelf_find(const sw_shelf *shelf, const char *id); /* or NULL */

/* Logits after the last token of a trace (prefix and at least one block);
 * *seat names the sequence that holds it. Call with the book locked; logits
 * are valid until it is unlocked. SW_LIMIT: the trace does not fit. */
int sw_book_ask(sw_book *book, const sw_trace *trace, const float **logits,
                int *seat, sw_err *err);
/* Log-probabilities over the candidates (softmax in double), and the best of
 * them: the highest logit, the lowest token among equals. */
int sw_book_choice(const float *logits, const int32_t *candidate, int32_t count,
                   double *log_p);

#endif
