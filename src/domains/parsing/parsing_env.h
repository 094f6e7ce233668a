/* The parsing environment behind sw_domain (domains/domain.h): prompts are the
 * machine's choices and failures, written as
 *   STATE input with CURSOR COLON stack [COLON failed alternatives] SEP action
 * (the bracketed part in format `tried`). */
#ifndef SW_PARSING_ENV_H
#define SW_PARSING_ENV_H
#include "domains/domain.h"
#include "domains/parsing/machine.h"
#include "domains/parsing/parsing_options.h"
#include "domains/parsing/reach.h"

/* clang-format off */
#define SW_PARSING_WORDS(X)                                              \
  X(PAD, 0)                                                              \
  X(BOS, 1) X(EOS, 2) X(SEP, 3) X(STATE, 4) X(BACKTRACK, 5) X(CURSOR, 6) \
      X(COLON, 7)
/* clang-format on */
enum {
#define X(name, id) SW_PARSING_##name = id,
  SW_PARSING_WORDS(X)
#undef X
      SW_PARSING_INPUT = 10,
  SW_PARSING_SYMBOL = 60,
  SW_PARSING_ALT = 100,
  SW_PARSING_VOCAB = 120
};

/* Policies without a model: alternatives in order of preference (others come
 * behind in ascending order), then the ones that are no order. */
#define SW_PARSING_RULES(X)                                \
  X(LOWEST, "lowest", {0, 1, 2, 3, 4, 5}) /* the expert */ \
  X(INDEX_FIRST, "index-first", {1, 0, 5, 2, 3, 4})        \
  X(ATOM_SECOND, "atom-before-index", {0, 5, 1, 2, 3, 4})  \
  X(CALL_LAST, "call-last", {1, 5, 0, 2, 3, 4})            \
  X(ATOM_FIRST, "atom-first", {5, 0, 1, 2, 3, 4})          \
  X(PAREN_FIRST, "paren-first", {0, 1, 5, 3, 2, 4})        \
  X(NEVER_BACK, "never-back", {0, 1, 2, 3, 4, 5})          \
  X(RANDOM, "random", {0, 1, 2, 3, 4, 5})                  \
  X(LOOK_AHEAD, "look-ahead", {0, 1, 2, 3, 4, 5})
enum {
#define X(id, name, ...) SW_PARSING_RULE_##id,
  SW_PARSING_RULES(X)
#undef X
};

/* Counters since reset, in the order of sw_domain.extra_names. A choice is
 * hopeful when the expert's order, continued from it, parses the input. */
#define SW_PARSING_COUNTERS(X)                                           \
  X(choices, "choice-prompts")                                           \
  X(hopeful, "hopeful-choices") /* open loop only */                     \
  X(failures, "failure-prompts")                                         \
  X(taken, "alternatives-taken")                                         \
  X(invalid, "invalid-alternatives")                                     \
  X(missed, "missed-conflicts")                                          \
  X(false_prunes, "false-prunes") /* went back: it could be completed */ \
  X(early, "early-backtracks")    /* went back at another choice */
typedef struct sw_parsing_counters {
#define X(field, name) int64_t field;
  SW_PARSING_COUNTERS(X)
#undef X
} sw_parsing_counters;

struct sw_instance {
  int32_t length;
  int16_t *word;
};

struct sw_env {
  sw_grammar *grammar;
  sw_rules rules;
  int show_tried;
  const sw_instance *instance;
  sw_parse_machine machine, scratch;
  sw_parse_reach reach; /* the ground truth of this sentence */
  sw_env_status status;
  const char *reason;
  int executed;    /* sw_search_ops.executed */
  int hope;        /* of the current choice; -1: not known yet */
  int trouble;     /* sw_search_ops.trouble */
  uint64_t key[2]; /* of the tokens of the last prompt */
  int64_t backs;
  sw_parsing_counters count;
  sw_cands cands;
};

int sw_parsing_env_new(sw_env **env, const sw_domain_options *options,
                       const sw_rules *rules, sw_err *err);
int sw_parsing_env_reset(sw_env *env, const sw_instance *instance, sw_err *err);
void sw_parsing_env_free(sw_env *env);
void sw_parsing_write_prefix(sw_env *env, sw_trace *out);
sw_env_status sw_parsing_prompt(sw_env *env, sw_trace *out);
const sw_cand *sw_parsing_candidates(sw_env *env, int *count);
int sw_parsing_in_conflict(const sw_env *env);
int sw_parsing_at_root(const sw_env *env);
sw_env_status sw_parsing_feed(sw_env *env, int32_t token, sw_trace *out);
sw_env_status sw_parsing_go_back(sw_env *env, sw_trace *out);
int sw_parsing_doomed(sw_env *env);
int sw_parsing_trouble(const sw_env *env, sw_err *err);
int32_t sw_parsing_expert_choice(sw_env *env);
int32_t sw_parsing_rule_choice(sw_env *env, int rule, sw_mt *mt);

/* Instances and streams (stream.c). */
typedef struct sw_parsing_draws {
  int64_t draws, too_long, excluded, choice_free;
} sw_parsing_draws;
int sw_parsing_stream_new(sw_stream **stream, const sw_domain_options *options,
                          uint64_t seed, sw_split split, sw_err *err);
int sw_parsing_stream_next(sw_stream *stream, sw_instance **instance,
                           sw_err *err);
void sw_parsing_stream_free(sw_stream *stream);
const sw_parsing_draws *sw_parsing_stream_draws(const sw_stream *stream);
int sw_parsing_instance_new(sw_instance **instance, const int16_t *words,
                            int32_t length, sw_err *err);
/* sw_domain.file.verify and .as_read (parsing_verify.c). */
int sw_parsing_verify(const char *text, size_t bytes,
                      const sw_domain_options *options, const char *answer,
                      sw_err *err);
void sw_parsing_as_read(sw_domain_options *options,
                        const sw_domain_options *read_with);
int sw_parsing_instance_parse(sw_instance **instance, const char *path,
                              const char *text, size_t bytes,
                              const sw_domain_options *options, sw_err *err);
void sw_parsing_instance_free(sw_instance *instance);
uint64_t sw_parsing_instance_hash(const sw_instance *instance);
/* As sw_domain.write_trace, in a given environment (writing_trace rules). */
int sw_parsing_write_trace(sw_env *env, const sw_instance *instance,
                           const sw_domain_options *options, sw_trace *trace,
                           sw_err *err);

extern const sw_lexicon sw_parsing_lexicon; /* domain.h: lexicon */

#endif
