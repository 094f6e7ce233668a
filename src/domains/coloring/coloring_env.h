/* The colouring environment: the dialogue of decision blocks (domain.h) over
 * the forward-checking state, in every trace format. Split over
 *   format.c    the table of trace formats
 *   sections.c  what is written: prefix, tried pairs, state part
 *   env.c       the dialogue: prompt, candidates, feed, go_back
 *   policy.c    who decides: the expert and the rules without a model
 * Three layouts share them: training traces (writing_trace), the fair closed
 * loops (same layout, open or masked), and the release's closed loop. */
#ifndef SW_DOMAINS_COLORING_ENV_H
#define SW_DOMAINS_COLORING_ENV_H
#include "domains/coloring/coloring_state.h"
#include "domains/coloring/tried.h"
#include "domains/coloring/vocab.h"
#include "domains/domain.h"

/* How a format lists the state, marks a node's colours, and what it trains. */
typedef enum { SW_LIST_SIZES, SW_LIST_PLAIN, SW_LIST_EXPLICIT } sw_col_list;
typedef enum { SW_MARK_NONE, SW_MARK_RAW, SW_MARK_LEFT } sw_col_mark;
typedef enum { SW_LOSS_ALL, SW_LOSS_TRACE, SW_LOSS_ACTION } sw_col_loss;
/* Which colours are gone before choosing: silently popped when none is left
 * (paper), refuted at this depth (tried, explicit), or only those of the shown
 * list, checked after the node is chosen (structural and its kin). */
typedef enum { SW_LEFT_SILENT, SW_LEFT_DEPTH, SW_LEFT_SHOWN } sw_col_left;

typedef struct sw_col_format {
  const char *name;
  sw_col_list list;
  sw_col_mark mark; /* M token after the node */
  sw_col_left left;
  int ok_first;   /* OK between the state part and the node */
  int shadow;     /* `OK N C` after the decision instead of OK */
  int cf_block;   /* a bare CF is a block of its own */
  int legal_list; /* LOCAL_LEGAL C* SEP before the first OK */
  sw_col_loss loss;
  int32_t max_tokens; /* release: longer traces are dropped */
} sw_col_format;
extern const sw_col_format sw_col_formats[];
/* NULL: unknown. */
const sw_col_format *sw_col_format_find(const char *name);

/* Where a sequence is written otherwise than described (src/release has those
 * of the published programs); all 0 as a rule. */
typedef struct sw_col_layout {
  int32_t (*token)(int32_t token);  /* the id that is written; NULL: the same */
  int32_t (*mask)(unsigned colors); /* the id of a mask; NULL: its own */
  int tried_apart;       /* the tried pairs form a block of their own */
  int only_failed_tried; /* release layout: list failed pairs only */
} sw_col_layout;

typedef enum {
  SW_PHASE_BLOCK,   /* between blocks */
  SW_PHASE_VERDICT, /* CF or STATE, before the state part */
  SW_PHASE_NODE,
  SW_PHASE_COLOR,
  SW_PHASE_ENDED
} sw_col_phase;

struct sw_env {
  const sw_col_format *format;
  sw_rules rules;
  sw_col_layout layout;
  sw_col_loss loss;
  int64_t budget; /* tokens; 0: none */
  sw_col_state state;
  sw_tried tried;
  const sw_tried_entry *shown; /* tried at the current prefix, or NULL */
  uint8_t tried_colors[SW_COL_NODES_MAX]; /* of *shown, per node */
  int open_pending;                       /* the next token opens a block */
  sw_col_phase phase;
  sw_env_status status;
  const char *reason;
  int executed;   /* sw_search_ops.executed */
  int32_t node;   /* chosen, in SW_PHASE_COLOR */
  int32_t listed; /* uncoloured nodes, in list order */
  int32_t order[SW_COL_NODES_MAX];
  int64_t explicit_back, silent_back, conflicts, decisions;
  int64_t revisited, repeats, exposed; /* extra counters */
  int first_listed; /* the expert takes the first listed node, not DSATUR's */
  /* Expert with injected errors; mt NULL: none. */
  sw_mt *mt;
  double error;
  int32_t planned; /* its colour for the chosen node */
  int32_t forced_errors;
  /* Tokens of the current block, for the rule that reads only these. */
  int32_t block[2048];
  int32_t block_length;
  uint8_t witness[SW_COL_NODES_MAX]; /* a colouring found by doomed.c */
  int has_witness;
  int trouble; /* sw_search_ops.trouble */
  sw_cands cands;
};

/* sections.c. Each appends a whole section, or ends the environment with
 * reason "budget" and returns 0. */
typedef enum {
  SW_PART_PREFIX,
  SW_PART_STATE,
  SW_PART_ACTION,
  SW_PART_SHADOW,
  SW_PART_CLOSE
} sw_col_part;
void sw_col_write_prefix(sw_env *env, sw_trace *out);
void sw_col_open_block(sw_env *env, sw_trace *out);
int sw_col_put(sw_env *env, sw_trace *out, int32_t token, sw_col_part part);
int sw_col_put_mask(sw_env *env, sw_trace *out, unsigned colors);
int sw_col_put_shadow(sw_env *env, sw_trace *out, int32_t v, int32_t c);
int sw_col_put_tried(sw_env *env, sw_trace *out);
int sw_col_put_state(sw_env *env, sw_trace *out);
int sw_col_put_legal(sw_env *env, sw_trace *out, int32_t v);
/* Tokens that are left out when they do not fit. */
void sw_col_put_end(sw_env *env, sw_trace *out, int32_t token);
sw_env_status sw_col_end(sw_env *env, sw_env_status status, const char *reason);

/* env.c */
int sw_col_env_new(sw_env **env, const sw_domain_options *options,
                   const sw_rules *rules, sw_err *err);
int sw_col_env_reset(sw_env *env, const sw_instance *instance, sw_err *err);
void sw_col_env_free(sw_env *env);
sw_env_status sw_col_prompt(sw_env *env, sw_trace *out);
const sw_cand *sw_col_candidates(sw_env *env, int *count);
int sw_col_asks_verdict(const sw_env *env);
int sw_col_in_conflict(const sw_env *env);
sw_env_status sw_col_feed(sw_env *env, int32_t token, sw_trace *out);
sw_env_status sw_col_go_back(sw_env *env, sw_trace *out);
int sw_col_is_retry(const sw_env *env);
int sw_col_executed(const sw_env *env);
/* Colours that decide which node may be chosen, and those it may take. */
unsigned sw_col_choosable(const sw_env *env, int32_t v);
unsigned sw_col_takeable(const sw_env *env, int32_t v);

/* doomed.c: 1 when the colouring so far, in which no conflict is exposed,
 * cannot be completed; 0 also when it was time to stop before that was known.
 */
int sw_col_env_doomed(sw_env *env);
int sw_col_env_trouble(const sw_env *env, sw_err *err);
/* 1: the colouring can be completed, and state->color is; 0: it cannot; -1: it
 * was time to stop. The search may visit `nodes` before a solver is asked. */
int sw_col_complete(sw_col_state *state, int64_t nodes);

/* coloring_sizes.c: sw_search_ops.truth.size. */
extern const char *const sw_col_size_names[];
double sw_col_env_size(const sw_env *env, int which);

/* policy.c */
extern const char *const sw_col_rules[];
/* DSATUR: fewest colours left, then most saturated, then lowest index; -1 when
 * no node may be chosen. */
int32_t sw_col_dsatur(const sw_env *env);
/* The lowest colour, or with probability `error` another of the set. */
int32_t sw_col_expert_color(sw_env *env, unsigned colors);
int32_t sw_col_expert_choice(sw_env *env);
int32_t sw_col_rule_choice(sw_env *env, int rule, sw_mt *mt);

/* write.c: the expert's trace. */
int sw_col_write_trace(const sw_instance *instance,
                       const sw_domain_options *options, sw_mt *mt,
                       sw_trace *trace, sw_err *err);
/* The same in a layout and with an iteration limit (0: the format's own). */
int sw_col_write_trace_as(const sw_instance *instance,
                          const sw_domain_options *options,
                          const sw_col_layout *layout, int64_t iterations,
                          sw_mt *mt, sw_trace *trace, sw_err *err);

extern const sw_lexicon sw_coloring_lexicon; /* domain.h: lexicon */
extern const sw_state_ops sw_coloring_state; /* coloring_features.c */

#endif
