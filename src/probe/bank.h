/* A state bank: labelled states ("probes"), each reached by several histories,
 * with the tokens a model is shown. Built by bank_release.c (the published
 * construction) or bank_fair.c (the repaired one), stored as one safetensors
 * file (docs/probes.md), scored by bank_eval.c.
 *
 * Everything is in flat columns, one table below, so that saving, loading and
 * freeing are loops. Invariants (checked on loading): every *_start column
 * ascends from 0 to the length of what it indexes; a history's first block
 * starts at 0; its state starts inside its last block; instances, labels and
 * tokens are in range. */
#ifndef SW_PROBE_BANK_H
#define SW_PROBE_BANK_H
#include <stdint.h>
#include "base/err.h"
#include "base/json.h"
#include "trace/trace.h"

/* column, element type, safetensors type, what it is */
/* clang-format off */
#define SW_BANK_COLUMNS(X)                                                      \
  X(prefix_tokens, int32_t, I32, "problem prefixes of all instances")           \
  X(prefix_start, int64_t, I64, "first prefix token of each instance, + end")   \
  X(tokens, int32_t, I32, "tokens after the prefix, history after history")     \
  X(history_start, int64_t, I64, "first token of each history, + end")          \
  X(block_start, int64_t, I64, "block starts, relative to the history")         \
  X(history_block, int64_t, I64, "first block of each history, + end")          \
  X(state_start, int64_t, I64, "where the current state begins, relative")      \
  X(history_trace, int32_t, I32, "rollout a history comes from")                \
  X(probe_history, int64_t, I64, "first history of each state, + end")          \
  X(instance, int64_t, I64, "instance of each state")                           \
  X(label, uint8_t, U8, "0 viable, 1 conflict")                                 \
  X(retry, uint8_t, U8, "1: a decision is being retried")                       \
  X(depth, int32_t, I32, "depth of each state")                                 \
  X(size, int32_t, I32, "unassigned variables (or what stands for them)")       \
  X(allowed, int32_t, I32, "tokens that mean going on, state after state")      \
  X(probe_allowed, int64_t, I64, "first such token of each state, + end")       \
  X(action, int32_t, I32, "variable, value (-1 or 1): published construction")  \
  X(probe_action, int64_t, I64, "first action number of each state, + end")     \
  X(probe_id, uint8_t, U8, "20 bytes each: SHA-1 of domain:instance:signature")
/* clang-format on */

typedef enum {
#define X(name, type, dtype, text) SW_BANK_COL_##name,
  SW_BANK_COLUMNS(X)
#undef X
      SW_BANK_COLS
} sw_bank_col;

typedef struct sw_bank {
#define X(name, type, dtype, text) type *name;
  SW_BANK_COLUMNS(X)
#undef X
  int64_t count[SW_BANK_COLS], room[SW_BANK_COLS];
  int failed; /* an append ran out of memory */
  int64_t instances, states, histories;
  int32_t back_token;
  char domain[64], construction[16], format[32];
  char *options;        /* JSON of how it was built; malloc'd */
  char *domain_options; /* of its states, as sw_domain_options_json writes them;
                           malloc'd; NULL: not known (the published
                           construction, files of before) */
} sw_bank;

/* Comparing histories takes memory and time by their pairs, which grow with
 * the square of a state's histories. A bank with more pairs than this is
 * refused. */
enum { SW_BANK_PAIRS = 1 << 27 };

void sw_bank_init(sw_bank *bank, const char *domain, const char *construction,
                  const char *format, int32_t back_token);
void sw_bank_free(sw_bank *bank);

/* Building: instances first or interleaved; a state is begun, given its
 * histories and ended. `id_text` is hashed into probe_id. */
int64_t sw_bank_add_instance(sw_bank *bank, const int32_t *prefix,
                             int64_t count);
void sw_bank_begin_state(sw_bank *bank, int64_t instance, int label, int retry,
                         int32_t depth, int32_t size, const char *id_text);
/* The history of block `block` of a trace: everything after the prefix up to
 * token `last` (the query position), blocks as in the trace. */
void sw_bank_add_history(sw_bank *bank, const sw_trace *trace, int64_t block,
                         int64_t last, int32_t rollout);
void sw_bank_allow(sw_bank *bank, int32_t token);
void sw_bank_add_action(sw_bank *bank, int32_t var, int32_t value);
void sw_bank_end_state(sw_bank *bank);
int sw_bank_check(const sw_bank *bank, sw_err *err); /* memory and invariants */

int sw_bank_save(const sw_bank *bank, const char *path, sw_err *err);
int sw_bank_load(sw_bank *bank, const char *path, sw_err *err);
/* Can a model of the domain that reads states written with `options` be asked
 * about the bank? A loaded bank must not be used before this check of its
 * domain, format and token of going back. Where the bank names its domain
 * options, those that change a block's tokens must equal the model's. Sizes and
 * families of instances may differ. */
struct sw_domain;
struct sw_domain_options;
int sw_bank_suits(const sw_bank *bank, const struct sw_domain *domain,
                  const struct sw_domain_options *options, sw_err *err);

/* Only the check of options: SW_OK where none of them changes a block's tokens
 * against `written` (as sw_domain_options_json writes them), else SW_USAGE
 * names the first that does. */
int sw_bank_alike(const char *written, const struct sw_domain *domain,
                  const struct sw_domain_options *options, sw_err *err);

/* A history as the model is shown it: cumulative (rebuilt 0), or prefix and
 * current state only (rebuilt 1). */
int sw_bank_input(const sw_bank *bank, int64_t state, int64_t history,
                  int rebuilt, sw_trace *out, sw_err *err);
int sw_bank_same_history(const sw_bank *bank, int64_t a, int64_t b);

typedef struct sw_bank_stats {
  int64_t instances, states, viable, conflicts, retries, pairs, distinct_pairs;
  int64_t inputs;          /* distinct (instance, state tokens) */
  int64_t histories_of[5]; /* states with 2, 3, 4 and more histories */
  double mean_history;     /* tokens before the state, over all histories */
  double depth_quartile[3], size_quartile[3];
  double mean_size[2]; /* by label; fair: retries, which are kept apart,
                          do not count */
  char id_hash[41];    /* SHA-1 of the ordered ids joined by commas */
} sw_bank_stats;
int sw_bank_stats_of(const sw_bank *bank, sw_bank_stats *out, sw_err *err);
void sw_bank_id_hex(const sw_bank *bank, int64_t state, char hex[41]);

#endif
