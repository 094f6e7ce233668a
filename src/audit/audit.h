/* The audit of a model behind an endpoint: does it decide by the state or by
 * the story, and what would clearing the context gain? The endpoint's model
 * plays the same searches and answers the same probes as three players whose
 * place is known: the exact rule, a random player, and one of our SSA models.
 *
 *   solve     every instance once with the whole conversation, once with
 *             problem and state only
 *   probes    probe/by_guide.h
 *   spent     tokens each way, as the endpoint counts them
 *
 * Nothing is kept but what the client caches, so an audit that was interrupted
 * is run again: every question that was answered is answered from the cache. */
#ifndef SW_AUDIT_AUDIT_H
#define SW_AUDIT_AUDIT_H
#include "base/threads.h"
#include "probe/by_guide.h"
#include "remote/guide_remote.h"
#include "search/loaded.h"
#include "search/score.h"

/* Players, in the order of the page. */
#define SW_AUDIT_PLAYERS(X)                            \
  X(REMOTE, "remote", "the model behind the endpoint") \
  X(SSA, "ssa", "our SSA model")                       \
  X(EXACT, "exact", "exact rule")                      \
  X(RANDOM, "random", "random player")
typedef enum {
#define X(id, name, text) SW_AUDIT_##id,
  SW_AUDIT_PLAYERS(X)
#undef X
      SW_AUDIT_COUNT
} sw_audit_player_id;

typedef struct sw_audit_way {
  sw_score_row row;               /* outcomes */
  int64_t prompt_tokens, answers; /* remote only */
} sw_audit_way;

typedef struct sw_audit_player {
  int played;
  const char *key;
  char name[96];
  sw_audit_way way[2]; /* by sw_protocol: cumulative, rebuilt */
  sw_by_guide_result probes;
  sw_interval gap; /* solved without minus with, over the same instances */
} sw_audit_player;

typedef struct sw_audit_options {
  const sw_domain *domain;
  sw_domain_options task; /* resolved; n is the size */
  int64_t instances, decisions, states;
  int histories;
  uint64_t seed;
  const sw_loaded *ssa; /* NULL: left out */
  sw_team *team;
  sw_client *client;
  sw_results *results; /* rows go here; NULL: nowhere */
  sw_progress_fn progress;
  sw_stop_fn stop;
  void *context;
} sw_audit_options;

typedef struct sw_audit {
  char address[1024], model[256];
  const sw_domain *domain;
  sw_domain_options task;
  int64_t instances, decisions;
  uint64_t seed;
  sw_audit_player player[SW_AUDIT_COUNT];
  sw_remote_spent spent;
  char *example; /* one conversation, malloc'd */
} sw_audit;

int sw_audit_run(sw_audit *audit, const sw_audit_options *options, sw_err *err);
void sw_audit_free(sw_audit *audit);

/* What it comes to. */
typedef enum {
  SW_AUDIT_BY_STATE,  /* the same choice after every other history */
  SW_AUDIT_ENTANGLED, /* it changes its mind, and history matters */
  SW_AUDIT_UNDECIDED  /* too little was asked */
} sw_audit_finding;
sw_audit_finding sw_audit_find(const sw_audit_player *player);
/* One or two sentences: the finding, and what clearing the context would do. */
void sw_audit_words(const sw_audit_player *player, char *text, size_t room);
void sw_audit_saving(const sw_audit *audit, char *text, size_t room);

/* audit.json (docs/audit.md) and the page. */
void sw_audit_json(const sw_audit *audit, sw_json *json);
int sw_audit_page(const sw_audit *audit, const char *path, sw_err *err);

#endif
