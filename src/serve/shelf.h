/* The models a server offers. Each has an id (its file or directory name), its
 * language (search/words.h) and an asker with a few seats that remember
 * what they were shown last, so that the next question of the same search
 * computes only what is new. Answers never depend on what is remembered. */
#ifndef SW_SERVE_SHELF_H
#define SW_SERVE_SHELF_H
#include <pthread.h>
#include "base/threads.h"
#include "search/ask.h"
#include "search/loaded.h"
#include "search/words.h"

enum { SW_OFFERED_SEATS = 12 };

typedef struct sw_offered_model {
  char id[64];
  sw_loaded loaded;
  sw_language *language;
  sw_team *team;
  sw_asker *asker;
  pthread_mutex_t lock; /* held for sw_offered_ask and its result */
} sw_offered_model;

typedef struct sw_shelf {
  sw_offered_model **offered;
  int32_t count, room;
} sw_shelf;

/* Opens a model and gives it an id of its own. */
int sw_shelf_add(sw_shelf *shelf, const char *path, int threads, sw_err *err);
void sw_shelf_free(sw_shelf *shelf);
sw_offered_model *sw_shelf_find(const sw_shelf *shelf,
                                const char *id); /* or NULL */

/* Logits after the last token of a trace (prefix and at least one block). Call
 * with the model locked; logits are valid until it is unlocked. SW_LIMIT: the
 * trace does not fit; SW_INTERNAL: the model has no answer. */
int sw_offered_ask(sw_offered_model *offered, const sw_trace *trace,
                   const float **logits, sw_err *err);

#endif
