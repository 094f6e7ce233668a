/* The Blocks World environment behind sw_domain (domains/domain.h), its
 * tokens, and the expert's trace. */
#ifndef SW_BLOCKS_ENV_H
#define SW_BLOCKS_ENV_H
#include "domains/blocks/blocks_instance.h"
#include "domains/blocks/blocks_options.h"
#include "domains/blocks/blocks_search.h"
#include "domains/blocks/walk.h"
#include "domains/domain.h"

/* The model's vocabulary: 50 ids for 10 blocks and 10 stacks, as published;
 * a block b >= 10 has the id 40 + b behind them. */
/* clang-format off */
#define SW_BLOCKS_WORDS(X)                                                    \
  X(PAD, 0)                                                                   \
  X(BOS, 1) X(EOS, 2) X(SEP, 3) X(STATE, 4) X(GOAL, 5) X(MOVE, 6)             \
      X(BACKTRACK, 7) X(SOLVED, 8) X(FAILED, 9) X(TRIED, 10) X(END_TRIED, 11) \
          X(STACK, 12) X(EMPTY, 13)
/* clang-format on */
enum {
#define X(name, id) SW_BLOCKS_##name = id,
  SW_BLOCKS_WORDS(X)
#undef X
      SW_BLOCKS_FIRST_BLOCK = 20,
  SW_BLOCKS_FIRST_STACK = 30,
  SW_BLOCKS_VOCAB = 50,
  SW_BLOCKS_VOCAB_BLOCKS = 10
};
int32_t sw_blocks_block_token(int32_t block);
int sw_blocks_token_text(const sw_domain *domain, int32_t token, char *buffer,
                         size_t room);

/* Policies without a model; the order is that of the names. */
#define SW_BLOCKS_RULES(X)            \
  X(FIRST_LEGAL, "first-legal")       \
  X(RANDOM_LEGAL, "random-legal")     \
  X(RANDOM_UNTRIED, "random-untried") \
  X(FIRST_UNTRIED, "first-untried")   \
  X(GOAL_AWARE, "goal-aware")
enum {
#define X(id, name) SW_BLOCKS_RULE_##id,
  SW_BLOCKS_RULES(X)
#undef X
};

/* Counters since reset, in the order of sw_domain.extra_names. */
#define SW_BLOCKS_COUNTERS(X)                                                  \
  X(prompts, "prompts")           /* blocks begun */                           \
  X(chosen, "chosen")             /* actions begun: MOVE, BACKTRACK, SOLVED */ \
  X(revisits, "revisits")         /* prompts at a state seen before */         \
  X(listed, "listed")             /* prompts that show a TRIED list */         \
  X(repeat_moves, "repeat-moves") /* executed moves that were in the list */   \
  X(premature, "premature-solved")
typedef struct sw_blocks_counters {
#define X(field, name) int64_t field;
  SW_BLOCKS_COUNTERS(X)
#undef X
} sw_blocks_counters;

typedef enum {
  SW_BLOCKS_ASK_ACTION,
  SW_BLOCKS_ASK_BLOCK,
  SW_BLOCKS_ASK_FROM,
  SW_BLOCKS_ASK_TO
} sw_blocks_stage;

struct sw_env {
  sw_rules rules;
  int goal_expert;
  const sw_instance *instance;
  sw_blocks_walk walk;
  sw_blocks_search *search;        /* created when first needed */
  int32_t *canon_now, *canon_goal; /* [canon_room] scratch of the search */
  int32_t canon_room;
  sw_env_status status;
  const char *reason;
  sw_blocks_stage stage;
  sw_blocks_move pending; /* what of the move is chosen */
  int planned;            /* the rule's choice for this block is made */
  sw_blocks_move plan;    /* block -1: go back */
  int unsupervised;       /* the next action is no target */
  uint64_t key[2];        /* of the tokens of the last prompt */
  int trouble;            /* sw_search_ops.trouble */
  int64_t backs;
  sw_blocks_counters count;
  sw_cands cands;
};

int sw_blocks_env_new(sw_env **env, const sw_domain_options *options,
                      const sw_rules *rules, sw_err *err);
int sw_blocks_env_reset(sw_env *env, const sw_instance *instance, sw_err *err);
void sw_blocks_env_free(sw_env *env);
void sw_blocks_write_prefix(sw_env *env, sw_trace *out);
sw_env_status sw_blocks_prompt(sw_env *env, sw_trace *out);
const sw_cand *sw_blocks_candidates(sw_env *env, int *count);
int sw_blocks_in_conflict(const sw_env *env);
int sw_blocks_at_root(const sw_env *env);
sw_env_status sw_blocks_feed(sw_env *env, int32_t token, sw_trace *out);
sw_env_status sw_blocks_go_back(sw_env *env, sw_trace *out);

/* 1: from this state, in which a move is left to try, the goal cannot be
 * reached through states not yet visited (policy.c). */
int sw_blocks_doomed(sw_env *env);
int sw_blocks_trouble(const sw_env *env, sw_err *err);
/* Policies (policy.c). */
int32_t sw_blocks_expert_choice(sw_env *env);
int32_t sw_blocks_rule_choice(sw_env *env, int rule, sw_mt *mt);

/* The expert's trace within max_steps moves and goings back, whatever its
 * length; terminal SW_TRACE_SOLVED, _LIMIT (max_steps) or _CUT (max_blocks,
 * max_tokens of `options` when too_long is "cut"). */
enum { SW_BLOCKS_EXPERT_STEPS = 500 };
int sw_blocks_expert_trace(sw_env *env, const sw_instance *instance,
                           const sw_domain_options *options, int64_t max_steps,
                           sw_mt *mt, sw_trace *trace, sw_err *err);
/* As sw_domain.write_trace, in a given environment (writing_trace rules). */
int sw_blocks_write_trace(sw_env *env, const sw_instance *instance,
                          const sw_domain_options *options, sw_mt *mt,
                          sw_trace *trace, sw_err *err);

extern const sw_lexicon sw_blocks_lexicon;         /* domain.h: lexicon */
extern const sw_state_ops sw_blocks_state_numbers; /* blocks_features.c */

#endif
