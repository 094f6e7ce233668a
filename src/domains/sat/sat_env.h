/* The SAT environment behind sw_env (domain.h): the dialogue of blocks over a
 * search. Internal to src/domains/sat: env.c drives it, expert.c and rules.c
 * read it, trace.c writes traces with it. */
#ifndef SW_DOMAINS_SAT_ENV_H
#define SW_DOMAINS_SAT_ENV_H
#include "domains/domain.h"
#include "domains/sat/oracle.h"
#include "domains/sat/sat_format.h"
#include "domains/sat/sat_options.h"
#include "domains/sat/sat_pad.h"
#include "domains/sat/sat_search.h"

extern const sw_shown_ops sw_sat_shown; /* sat_shown.c */
extern const sw_state_ops sw_sat_state; /* sat_features.c */

#define SW_SAT_EXPERTS(X)                                               \
  X(CLAUSE, "clause", "makes a literal of the clause shown true")       \
  X(VSIDS, "vsids", "most active variable, true first (the release's)") \
  X(JW, "jw", "two-sided Jeroslow-Wang")                                \
  X(SOLUTION, "solution", "follows a known solution")
typedef enum {
#define X(id, name, text) SW_SAT_EXPERT_##id,
  SW_SAT_EXPERTS(X)
#undef X
      SW_SAT_EXPERT_COUNT
} sw_sat_expert;
int sw_sat_expert_find(const char *name); /* -1: unknown */

typedef enum {
  SW_SAT_ASK_PAD, /* the next token of a scratchpad */
  SW_SAT_ASK_VARIABLE,
  SW_SAT_ASK_VALUE,
  SW_SAT_BETWEEN,
  SW_SAT_ENDED
} sw_sat_asking;

struct sw_env {
  const sw_sat_format *format;
  int retry_mark, reread;
  int fair; /* preset: a step cap is a cut, not a FAILED */
  sw_sat_expert expert;
  sw_rules rules;
  sw_sat_search search;
  const sw_instance *instance;
  sw_sat_asking asking;
  sw_env_status status; /* of an ended environment */
  const char *reason;
  int32_t key_clause; /* of the current block; -1: not looked for yet */
  int64_t decisions, conflicts, explicit_back, silent_back;
  int executed;     /* sw_search_ops.executed */
  int8_t *solution; /* [room] for the expert `solution` */
  int has_solution;
  sw_cands cands;
  sw_cands any;          /* every token of the vocabulary */
  int64_t prefix_tokens; /* written before the first block */
  sw_sat_view view;      /* of the current block */
  sw_sat_pad pad;        /* its scratchpad, in formats that have one */
  int64_t pads[SW_PADS_COUNTS];
  sw_sat_oracle oracle;
  double *score; /* [2 room] Jeroslow-Wang weights by literal */
  int32_t room;
};

int sw_sat_env_new(sw_env **env, const sw_domain_options *options,
                   const sw_rules *rules, sw_err *err);
int sw_sat_env_reset(sw_env *env, const sw_instance *instance, sw_err *err);
void sw_sat_env_free(sw_env *env);
void sw_sat_env_prefix(sw_env *env, sw_trace *out);
sw_env_status sw_sat_env_prompt(sw_env *env, sw_trace *out);
const sw_cand *sw_sat_env_candidates(sw_env *env, int *count);
int sw_sat_env_in_conflict(const sw_env *env);
int sw_sat_env_at_root(const sw_env *env);
sw_env_status sw_sat_env_feed(sw_env *env, int32_t token, sw_trace *out);
sw_env_status sw_sat_env_go_back(sw_env *env, sw_trace *out);
int sw_sat_env_is_retry(const sw_env *env);
int sw_sat_env_executed(const sw_env *env);
int sw_sat_env_writes(const sw_env *env);
int sw_sat_env_doomed(sw_env *env);
int sw_sat_env_trouble(const sw_env *env, sw_err *err);
int sw_sat_env_refute(sw_env *env, int32_t token, int64_t conflicts,
                      int64_t *spent);

/* The clause shown (or that would be shown) at the current state. */
int32_t sw_sat_env_key_clause(sw_env *env);
/* First unassigned literal of the key clause, or -1. */
int32_t sw_sat_key_literal(sw_env *env);
/* Variable with the largest two-sided Jeroslow-Wang weight (smallest index);
 * *value is its heavier side. */
int32_t sw_sat_jeroslow_wang(sw_env *env, int *value);
/* Unassigned variable of largest activity, smallest index. */
int32_t sw_sat_most_active(const sw_sat_search *search);

int32_t sw_sat_expert_choice(sw_env *env);
int32_t sw_sat_rule_choice(sw_env *env, int rule, sw_mt *mt);
extern const char *const sw_sat_rule_names[];

char *sw_sat_state_words(sw_env *env); /* domain.h: state_words */

int sw_sat_write_trace(const sw_instance *instance,
                       const sw_domain_options *options, sw_mt *mt,
                       sw_trace *trace, sw_err *err);

extern const sw_lexicon sw_sat_lexicon; /* domain.h: lexicon */

/* sat_sizes.c */
extern const char *const sw_sat_size_names[];
double sw_sat_env_size(const sw_env *env, int which);

#endif
