/* A condition: who searches what, and how. Guide, verifier, protocol, budgets,
 * instances and seeds are put together here and nowhere else, from one table of
 * options, for `eval`, `repro`, `quickstart` and the probes; the key of the
 * result store (results.h) is made of the same. */
#ifndef SW_SEARCH_CONDITION_H
#define SW_SEARCH_CONDITION_H
#include "search/guide.h"
#include "search/loop.h"

/* clang-format off */
#define SW_CONDITION_OPTIONS(X)                                                \
  X(instances, LONG, "instances", "-1", -1, 1e9, "", "instances; -1: the domain's test size") \
  SW_SEED_ROW(X, "42", "seed of the instance stream")      \
  X(split, CHOICE, "split", "test", 0, 0, "train|valid|test", "which stream the instances come from") \
  X(shared_draws, FLAG, "shared-draws", "0", 0, 0, "", "one random stream through all instances, as the release does (they are then played one after the other, from the first)") \
  X(width, INT, "width", "0", 0, 4096, "", "games in lock-step; 0: 64 for a model, 1 for a rule")                   \
  X(memory, REAL, "memory-limit", "0", 0, 1e6, "", "GiB for what a model keeps of its games: fewer run at once where it is short; 0: a quarter of what is free")
/* clang-format on */

typedef struct sw_condition_options {
  SW_LOOP_OPTIONS(SW_OPTION_FIELD)
  SW_CONDITION_OPTIONS(SW_OPTION_FIELD)
} sw_condition_options;
/* All of them, for parsing and for settings by name. */
extern const sw_option sw_condition_table[];
extern const int sw_condition_table_count;

typedef struct sw_condition {
  const sw_domain *domain;
  sw_domain_options options;       /* resolved */
  sw_loop_options loop;            /* budgets filled in */
  sw_guide *guide;                 /* not owned */
  char verifier[SW_VERIFIER_TEXT]; /* canonical */
  uint64_t seed;                   /* of the instance stream */
  sw_split split;
  int shared_draws; /* 1: one MT(seed) through all instances (the release); 0:
                       MT(seed + index) for each */
  int64_t instances;
  int32_t width;  /* games in lock-step; 0: what suits the guide */
  int64_t memory; /* bytes for what the guide keeps of games; 0: a quarter of
                     what is free */
} sw_condition;

/* `domain_options` need not be resolved. The condition borrows the texts that
 * it is given. SW_USAGE: an option is unknown to the domain, or two of them
 * contradict each other. */
int sw_condition_make(sw_condition *condition,
                      const sw_condition_options *options, sw_guide *guide,
                      const sw_domain_options *domain_options, sw_err *err);
/* 1: its outcomes depend on random draws, so that it matters whether instances
 * share a stream. */
int sw_condition_draws(const sw_condition *condition);
const char *sw_condition_check(const sw_condition *c); /* base/check.h */

/* ---- the key of a result: one table (columns of `conditions`) ----
 * X(name, TYPE, value in stores older than the column). */
/* Version of the counters (docs/results.md). 1: false prunes were told from
 * early backs in colouring and parsing only. 2: in SAT too, in colouring up to
 * a limit; states with only one way on left were not counted as asked. 3:
 * repeats counted what is not allowed at any choice, a move in Blocks World was
 * four retries, and decisions left out what was given up or failed at. */
enum { SW_COUNTING = 4 };
/* clang-format off */
#define SW_CONDITION_KEY(X)                                                    \
  X(domain, TEXT) \
  X(policy, TEXT) \
  X(model_hash, TEXT) \
  X(format, TEXT) \
  X(protocol, TEXT) \
  X(loop, TEXT) \
  X(on_error, TEXT) \
  X(mask, TEXT) \
  X(positions, TEXT) \
  X(options, TEXT) \
  X(split, TEXT) \
  X(n, INTEGER) \
  X(seed, INTEGER) \
  X(train_seed, INTEGER) \
  X(max_decisions, INTEGER) \
  X(max_tokens, INTEGER) \
  X(guide, TEXT) \
  X(verifier, TEXT) \
  X(variables, TEXT) \
  X(layout, TEXT) \
  X(draws, TEXT) \
  X(counting, INTEGER)
/* clang-format on */

typedef const char *sw_key_TEXT;
typedef int64_t sw_key_INTEGER;
typedef struct sw_condition_key {
#define X(name, TYPE) sw_key_##TYPE name;
  SW_CONDITION_KEY(X)
#undef X
  char *owned; /* `options`, malloc'd: freed by sw_condition_key_free */
  char text[SW_VERIFIER_TEXT + 80]; /* behind `loop` */
} sw_condition_key;
int sw_condition_key_of(const sw_condition *condition, sw_condition_key *key,
                        sw_err *err);
void sw_condition_key_free(sw_condition_key *key);

/* Every option's default. */
void sw_condition_defaults(sw_condition_options *options);

#endif
