/* A domain made of an environment's table (include/statewise.h): its problems
 * and states are texts of words, its tokens are the words that hello()
 * announced. Behind the table stands a pool of processes (`exec:COMMAND`,
 * protocol.h) or the caller's own functions; the code here cannot tell which.
 *
 *   outside.c        opening: hello, words, the table of the domain
 *   outside_task.c   options, streams, problems as text, instances
 *   outside_env.c    the dialogue: prompt, candidates, feed, go back
 *   outside_look.c   one situation, read and checked
 *   outside_play.c   expert, rules, traces
 *   outside_words.c  the domain in English: it has words already
 *
 * A decision block is the state's words and then the action's, or the word of
 * going back, as targets: the layout of imported traces (own/import.h). A
 * choice of several words is asked token by token. What an environment says is
 * checked before it is used: an unannounced word, a choice that begins another
 * and the like are errors that show the request and what was replied. */
#ifndef SW_DOMAINS_OUTSIDE_OUTSIDE_H
#define SW_DOMAINS_OUTSIDE_OUTSIDE_H
#include "domains/domain.h"
#include "domains/outside/protocol.h"
#include "domains/registry.h"

/* clang-format off */
#define SW_OUTSIDE_OPTIONS(X)                                                  \
  X(problems, TEXT, "problems", "", 0, 0, "", "file with a problem a line, instead of those that the environment makes") \
  X(problems_hash, LONG, "problems-hash", "0", 0, 9e15, "", "what that file holds, as a number; filled in, so that a file that was edited is another one") \
  X(hello_hash, LONG, "hello-hash", "0", 0, 9e15, "", "what the environment says of itself, as a number; filled in")
/* clang-format on */
SW_OWN_OPTIONS(sw_outside_options, SW_OUTSIDE_OPTIONS, sw_outside_own)
/* The table of every such domain, and the domain that stands for all in help.
 */
extern const sw_option sw_outside_table[];
enum { SW_OUTSIDE_TABLE_COUNT = 10 };
extern const sw_domain sw_outside_kind;

/* The domain behind `exec:COMMAND` and one of a caller's functions. Both are
 * registered, and the caller holds them (registry.h). */
int sw_outside_command(const char *command, const sw_domain **domain,
                       sw_err *err);
int sw_outside_register(const statewise_environment *environment,
                        const sw_domain **domain, sw_err *err);

/* Is it a domain of an environment? NULL is none. */
int sw_outside_is(const sw_domain *domain);

/* ---- between the files of this folder ---- */

typedef struct sw_outside {
  sw_domain domain; /* its self is this */
  sw_search_ops search;
  statewise_environment calls; /* members that are not there are NULL */
  sw_pool *pool;               /* owned; NULL: a caller's functions */
  sw_words words;
  char *name, *rules; /* rules: NULL, none were said */
  int seeded, verdict_shown;
  int64_t decisions, tokens, instances; /* limits; 0: usual */
  int64_t hash;                         /* of all that hello() said */
} sw_outside;

static inline const sw_outside *sw_outside_of(const sw_domain *domain) {
  return domain->self;
}

struct sw_instance {
  const sw_outside *of;
  sw_split split; /* of a problem that the environment makes, */
  uint64_t seed;
  int64_t index;
  char *text;     /* or the text that is handed to it */
  int32_t *token; /* the problem's words */
  int32_t tokens, room;
  char *id;
  uint64_t hash; /* of the id */
};

typedef struct sw_choice {
  int32_t first, tokens; /* token[first ...] */
  int32_t text;          /* at this place of `texts`, as it was offered */
  int32_t next;          /* the next one with the same first token, or -1 */
  int tried;
} sw_choice;

/* A situation in tokens. Lists keep their memory from look to look. */
typedef struct sw_seen {
  sw_env_status over; /* SW_ENV_QUERY: it goes on */
  int conflict;
  int32_t choices, open; /* how many; open: of them not tried */
  uint64_t key[2];
  sw_choice *choice;
  int32_t choice_room;
  int32_t *token;
  int32_t tokens, token_room, state; /* the first `state` are the state */
  char *texts;
  int64_t text_bytes, text_room;
  int32_t *first; /* [vocabulary] a choice that begins with the word, plus 1 */
} sw_seen;

typedef enum { SW_OUT_ENDED, SW_OUT_BETWEEN, SW_OUT_ASKING } sw_out_asking;

struct sw_env {
  const sw_outside *of;
  sw_rules rules;
  const sw_instance *instance;
  void *search; /* the environment's; NULL: none is open */
  sw_err *trouble;
  sw_seen now;
  sw_out_asking asking;
  sw_env_status status;
  const char *reason;
  int32_t *action; /* tokens of the action that was begun */
  int32_t begun, action_room;
  int expert; /* index of the expert's choice here plus 1; -1: back; 0: ? */
  int executed;
  int32_t depth;
  int64_t decisions, conflicts, explicit_back, silent_back;
  char *path; /* texts of the decisions that stand, each with a NUL behind */
  int64_t path_bytes, path_room;
  int64_t *level; /* [depth] where each begins */
  int64_t level_room;
  sw_cands cands;
  int32_t *stamp; /* [vocabulary] places of candidates plus 1, maybe old */
};

/* Words of a text, appended to a list. `asked` and `text` are shown where a
 * word was not announced. */
int sw_outside_tokens(const sw_outside *of, const char *asked, const char *text,
                      int32_t **token, int32_t *count, int32_t *room,
                      sw_err *err);
/* Names the environment and the call in an error of the table's functions. */
int sw_outside_failed(int code, const char *call, sw_err *err);

/* Functions of the domain's tables. */
int sw_outside_resolve(sw_domain_options *options, sw_err *err);
void sw_outside_budgets(const sw_domain_options *options, int64_t *decisions,
                        int64_t *tokens, int64_t *instances);
int sw_outside_stream_new(sw_stream **stream, const sw_domain_options *options,
                          uint64_t seed, sw_split split, sw_err *err);
int sw_outside_stream_next(sw_stream *stream, sw_instance **instance,
                           sw_err *err);
int sw_outside_stream_skip(sw_stream *stream, sw_err *err);
void sw_outside_stream_free(sw_stream *stream);
int64_t sw_outside_left_out(const sw_stream *stream);
int sw_outside_parse(sw_instance **instance, const char *path, const char *text,
                     size_t bytes, const sw_domain_options *options,
                     sw_err *err);
void sw_outside_instance_free(sw_instance *instance);
/* Begins the instance's search. */
int sw_outside_start(const sw_instance *instance, void **search,
                     statewise_problem *problem, sw_err *err);

/* Asks for the situation and checks it. */
int sw_outside_look(sw_env *env, sw_err *err);
void sw_outside_seen_free(sw_seen *seen);
/* Does the choice begin with the action that was begun, and then the token? */
int sw_outside_fits(const sw_env *env, const sw_choice *choice, int32_t token);

int sw_outside_env_new(sw_env **env, const sw_domain_options *options,
                       const sw_rules *rules, sw_err *err);
int sw_outside_env_reset(sw_env *env, const sw_instance *instance, sw_err *err);
void sw_outside_env_free(sw_env *env);
void sw_outside_prefix(sw_env *env, sw_trace *out);
sw_env_status sw_outside_prompt(sw_env *env, sw_trace *out);
const sw_cand *sw_outside_candidates(sw_env *env, int *count);
sw_env_status sw_outside_feed(sw_env *env, int32_t token, sw_trace *out);
sw_env_status sw_outside_go_back(sw_env *env, sw_trace *out);
/* Keeps an error: the environment is broken until it is reset. */
sw_env_status sw_outside_break(sw_env *env, const sw_err *err);

extern const char *const sw_outside_rules[];
int32_t sw_outside_expert(sw_env *env);
int32_t sw_outside_rule(sw_env *env, int rule, sw_mt *mt);
int sw_outside_write_trace(const sw_instance *instance,
                           const sw_domain_options *options, sw_mt *mt,
                           sw_trace *trace, sw_err *err);
char *sw_outside_state_words(sw_env *env);
int sw_outside_answer(const sw_env *env, char **text, sw_err *err);
extern const sw_lexicon sw_outside_lexicon;

#endif
