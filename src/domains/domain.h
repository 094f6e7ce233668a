/* The domain interface: all that the trace writer, the closed loop, the probes
 * and `solve` need of a domain, so that none of them tests a domain's name.
 *
 * An environment (sw_env) walks a search as a dialogue of decision blocks:
 *
 *   prompt    the environment writes the state part of the next block, or says
 *             that the search has ended (solved, exhausted, ...)
 *   query     it offers candidate tokens: going back, and continuations; an
 *             action may take several queries (SAT: variable, then value)
 *   feed      the chosen token is appended and, when the action is complete,
 *             executed (with propagation); closing tokens are written
 *   go_back   the block is closed as "go back" in the layout of the rules,
 *             the environment backtracks one level and cascades silently
 *
 * The same calls write training traces (the expert chooses), run the closed
 * loop (a model or a rule chooses) and collect probe states (a random policy
 * chooses), so all three have the same layout by construction. Environments
 * allocate nothing per step once warm. One environment is used by one thread
 * at a time; instances and domains are read-only after creation.
 *
 * A domain is compiled in or made at run time (registry.h); callers
 * cannot tell which. One set of functions may serve many domain objects:
 * each gets its domain, the domain's options (which name it: options->domain),
 * or an instance, stream or environment that the domain made.
 *
 * An environment may stand for a program that dies. It keeps the failure of an
 * operation that returns no error code: until the next env_reset prompt, feed
 * and go_back return SW_ENV_ERROR, the others an empty answer (no candidates,
 * 0, token -1), and trouble() names the failure. So code asks sw_domain_trouble
 * before it keeps what an environment said. */
#ifndef SW_DOMAINS_DOMAIN_H
#define SW_DOMAINS_DOMAIN_H
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/rng.h"
#include "domains/cands.h"
#include "domains/lexicon.h"
#include "domains/state_ops.h"
#include "domains/task_options.h"
#include "trace/trace.h"
#include "trace/words.h"

typedef struct sw_domain sw_domain;
typedef struct sw_instance sw_instance; /* opaque, per domain */
typedef struct sw_env sw_env;           /* opaque, per domain */
typedef struct sw_stream sw_stream;     /* opaque instance generator */

/* Which instances: training, validation and test draw from disjoint streams
 * under `fair` (seed, seed + 2^33, seed + 2^32), from one under `release`. */
typedef enum { SW_SPLIT_TRAIN, SW_SPLIT_VALID, SW_SPLIT_TEST } sw_split;

/* Layout and rules an environment follows.
 *
 * Training layout: prompt() returns SW_ENV_QUERY at conflict states too, going
 * back is always among the candidates of a block's first query, and the caller
 * that runs the search decides which of them may be chosen.
 * Release layouts: what is offered, and who goes back, is what the published
 * evaluators did: in most domains the environment itself, inside feed(), so
 * that prompt() never shows a conflict state. */
typedef enum {
  SW_LAYOUT_TRAINING,
  SW_LAYOUT_RELEASE,     /* the published evaluator goes back at conflicts */
  SW_LAYOUT_RELEASE_OPEN /* the published one whose policy goes back */
} sw_layout;
typedef struct sw_rules {
  int release_layout;   /* a published evaluator's layout and strictness, or
                           0: the training layout (sw_layout) */
  int writing_trace;    /* 1: training layout with expert bookkeeping */
  int64_t token_budget; /* release layout only, 0: none. A chunk is appended
                          whole or not at all; one that does not fit ends the
                          environment as SW_ENV_FAILED with reason "budget".
                          In other layouts the caller counts tokens. */
} sw_rules;

/* State of an environment after prompt/feed/go_back. */
typedef enum {
  SW_ENV_QUERY,     /* candidates() applies */
  SW_ENV_BLOCK_END, /* the block is complete; call prompt() */
  SW_ENV_SOLVED,
  SW_ENV_EXHAUSTED,
  SW_ENV_FAILED, /* reason() tells */
  SW_ENV_ERROR   /* no outcome: the environment broke; trouble() tells */
} sw_env_status;

/* Tokens that are names (of variables, of clauses): the i-th name's are
 * first[r] + i. Where `signs`, ranges 0 and 1 are the two signs of one thing.
 */
typedef struct sw_names {
  const char *text; /* "variables" */
  int ranges, signs;
  int32_t first[3], count;
} sw_names;

/* What is counted of scratchpads: formats in which the policy writes for itself
 * before it decides. */
typedef enum {
  SW_PADS_WRITTEN,
  SW_PADS_RIGHT,     /* what an exact solver would have written */
  SW_PADS_MALFORMED, /* not of the format's form, or cut off at the limit */
  SW_PADS_MISSED,    /* at a conflict: do not show it */
  SW_PADS_COUNTS
} sw_pads;

/* ---- the search of a domain: what its environments can do ----
 * The tables are split by caller. In a table whose comment begins with
 * "Optional" every member may be NULL; its comment says what then holds. */

/* Optional: policies without a model (guide_rule.c, `eval`, repro). */
typedef struct sw_rule_ops {
  const char *const *names; /* NULL-terminated */
  /* The choice of a rule by index into `names`; mt for random ones. */
  int32_t (*choose)(sw_env *env, int rule, sw_mt *mt);
  const char *exact; /* the policy that is exact by definition: the imitator's
                        ceiling */
  /* What else stands beside a model: the policy that does nothing clever, the
   * best one that never goes back (played with the verifier `never`), and the
   * best of the domain, the task's ceiling. */
  const char *trivial, *onward, *best;
} sw_rule_ops;

/* Optional: ground truth and what judges go by (loop.c, verifiers, probes).
 * Without it early backs cannot be told from false prunes, and the verifiers
 * that need it are refused. */
typedef struct sw_truth_ops {
  /* Ground truth: 1 when the current state, in which no conflict is exposed,
   * cannot be extended to a solution. Going back there counts as `early`, not
   * as a false prune. */
  int (*doomed)(sw_env *env);
  /* A complete solver with a limit: is the state, with `token` of the current
   * query taken (-1: as it stands), proven dead within `conflicts` conflicts
   * (0: by propagation alone; -1: no limit, so that 0 means viable)? The
   * verdict is a function of the state, not of earlier calls. Adds the
   * conflicts used to *spent. */
  int (*refute)(sw_env *env, int32_t token, int64_t conflicts, int64_t *spent);
  /* Sizes of a state, for judging by: at most six names, NULL-terminated, and
   * the value of one; each the larger the likelier the state is dead. */
  const char *const *size_names;
  double (*size)(const sw_env *env, int which);
} sw_truth_ops;

/* Optional: scratchpads, which the policy writes before its verdict (loop.c,
 * bank_ask.c). */
typedef struct sw_pad_ops {
  /* 1 when the query asks for the next token of one: any token of the
   * vocabulary may be fed, nothing is checked, and the verdict is asked for
   * when it is over; expert and rules write what an exact solver would. */
  int (*writes)(const sw_env *env);
  /* What was counted since reset, [SW_PADS_COUNTS]. */
  void (*counts)(const sw_env *env, int64_t *count);
  /* The most tokens of one behind `shown` tokens of problem and state, and the
   * token that ends it; 0: the format has none. */
  int64_t (*limit)(const sw_domain_options *options, int64_t shown,
                   int32_t *end);
} sw_pad_ops;

/* Optional: what a person is told (solve, serve, report). */
typedef struct sw_tell_ops {
  /* The printed answer of a solved environment (`v` lines, a plan), malloc'd;
   * checked against the instance before it is returned. NULL: files are not
   * solved by search. */
  int (*answer)(const sw_env *env, char **text, sw_err *err);
  /* The current state, a few sentences, malloc'd (NULL: out of memory). */
  char *(*state)(sw_env *env);
  /* Further counters since reset, for reports: NULL-terminated names. */
  const char *const *extra_names;
  void (*extra)(const sw_env *env, int64_t *values);
} sw_tell_ops;

/* The walk itself, called by everything that plays, writes or replays a
 * search. */
typedef struct sw_search_ops {
  int back_counts; /* 1: going back spends a decision of the budget too */
  int back_midway; /* 1: go_back() works at the later queries of a block too,
                      though candidates() does not list it there: the action
                      that was begun is dropped */
  /* Limits of the evaluation presets. */
  void (*budgets)(const sw_domain_options *options, int64_t *decisions,
                  int64_t *tokens, int64_t *instances);

  int (*env_new)(sw_env **env, const sw_domain_options *options,
                 const sw_rules *rules, sw_err *err);
  int (*env_reset)(sw_env *env, const sw_instance *instance, sw_err *err);
  void (*env_free)(sw_env *env);
  void (*write_prefix)(sw_env *env, sw_trace *out);    /* opens block 0 */
  sw_env_status (*prompt)(sw_env *env, sw_trace *out); /* opens a block */
  /* What may be chosen now; the environment's own list, good until the next
   * call. 0 of them: nothing can be chosen; -1: memory ran out. */
  const sw_cand *(*candidates)(sw_env *env, int *count);
  int (*in_conflict)(const sw_env *env); /* conflict state */
  int (*at_root)(const sw_env *env);     /* nothing to go back to */
  sw_env_status (*feed)(sw_env *env, int32_t token, sw_trace *out);
  /* At the root of a viable state there is nothing to go back to: go_back
   * writes nothing and returns SW_ENV_QUERY (the caller counts it). */
  sw_env_status (*go_back)(sw_env *env, sw_trace *out);
  /* At a retry: 1 when the current query is one whose repeat is an error. Where
   * a choice takes several of them, it is one retry all the same. */
  int (*is_retry)(const sw_env *env);
  const char *(*reason)(const sw_env *env); /* of an ended environment */
  /* Counters since reset: silent (cascade) and explicit backtracks. */
  void (*counters)(const sw_env *env, int64_t *explicit_back,
                   int64_t *silent_back);
  /* Is the claimed solution right? Independent of the environment's flags. */
  int (*check_solution)(const sw_env *env);
  /* Canonical key of the current state: same key = same state whatever the
   * history. Returns a 128-bit hash in key[2]. */
  void (*state_key)(const sw_env *env, uint64_t key[2]);
  int32_t (*depth)(const sw_env *env);
  /* The expert's choice at the current query (a candidate token). */
  int32_t (*expert_choice)(sw_env *env);

  /* ---- optional ---- */
  /* After a feed() that ended as SW_ENV_FAILED: 1 when the action was carried
   * out and the failure is what it led to; 0 when it was refused. NULL: what
   * fails was refused. */
  int (*executed)(const sw_env *env);
  /* 1 when the query asks for the verdict alone: go back, or go on to the
   * question what to do. NULL: verdict and action are one question. */
  int (*asks_verdict)(const sw_env *env);
  /* 1 when the format shows the verdict itself, so that going back in the
   * right places proves nothing. NULL: none does. */
  int (*shows_verdict)(const sw_domain_options *options);
  /* What has gone wrong since the reset: SW_OK, or a code and its text in *err
   * (which may be NULL). In a compiled-in domain doomed(), refute(), a policy
   * or a counter that searches ran out of memory (SW_MEMORY) or was stopped
   * (SW_STOPPED). It returned 0 then, and what was counted or written from that
   * must not be kept. NULL: nothing can go wrong. */
  int (*trouble)(const sw_env *env, sw_err *err);
  sw_rule_ops rule;
  sw_truth_ops truth;
  sw_pad_ops pad;
  sw_tell_ops tell;
} sw_search_ops;

/* ---- a written block as numbers, for linear tests on traces ---- */
/* What a block decides, told by its first supervised token. */
typedef enum {
  SW_BLOCK_FORWARD,
  SW_BLOCK_BACK,
  SW_BLOCK_SOLVED,
  SW_BLOCK_FAILED,
  SW_BLOCK_OTHER,
  SW_BLOCK_KINDS
} sw_block_kind;
typedef struct sw_shown_ops {
  sw_block_kind (*kind)(const sw_domain *domain, int32_t token);
  /* Features of a state of size n; -1: traces with these tokens are not of
   * this domain. */
  int64_t (*width)(const sw_domain *domain, int32_t n, int32_t max_token);
  /* The features of a state part, added into zeroed x[width]. */
  void (*features)(const sw_domain *domain, const int32_t *token, int64_t count,
                   int32_t n, double *x);
} sw_shown_ops;

/* What a token belongs to, for probes of what a model looks at. Items are what
 * a problem consists of and what a state can run out of choices for (SAT:
 * clauses, whose literals are the choices). */
enum { SW_PART_DONE = -1 };
typedef struct sw_part {
  int32_t item; /* counted from 0 as they are shown; -1: none */
  int32_t left; /* choices left of the item in the state that the last block
                   shows; 0: the contradiction; SW_PART_DONE: satisfied */
  int32_t home, wide; /* where the state tells the token's own value, and by how
                         many tokens; -1: it has none */
} sw_part;

/* Optional: problem files (solve, serve, verify). */
typedef struct sw_file_ops {
  /* Sniffs name and content. NULL: only --domain says that a file is one. */
  int (*recognises)(const sw_domain *domain, const char *path, const char *text,
                    size_t bytes);
  int (*parse)(sw_instance **instance, const char *path, const char *text,
               size_t bytes, const sw_domain_options *options, sw_err *err);
  /* What the reader had to overlook, or NULL: one line. */
  const char *(*note)(const sw_instance *instance);
  /* The checker of printed answers: SW_OK when `answer` solves the problem that
   * `text` (as parse read it) poses, by code of its own. NULL: the
   * environment's own check is used. */
  int (*verify)(const char *text, size_t bytes,
                const sw_domain_options *options, const char *answer,
                sw_err *err);
  /* Copies into the model's options what the file was read with (a grammar),
   * which then holds whatever the model's options say. */
  void (*as_read)(sw_domain_options *options,
                  const sw_domain_options *read_with);
  /* Solves an instance of any size without a model. *verdict: 10 solved (text
   * is the checked answer, malloc'd), 20 impossible, 0 gave up after about
   * `seconds`; note (one line) says how. */
  int (*solve)(const sw_instance *instance, const sw_domain_options *options,
               double seconds, int *verdict, char **text, char *note,
               size_t note_room, sw_err *err);
} sw_file_ops;

/* Optional: what tokens mean, for training objectives and probes. */
typedef struct sw_token_ops {
  /* Facts on the way to a decision: fact[i] becomes the token that says what
   * token i of a decision block amounts to in the state that the block shows;
   * entries without a fact are left alone. */
  void (*facts)(const sw_domain *domain, const sw_trace *trace, int32_t *fact);
  /* Where the problem stands among the tokens of a prefix or of a block: 1, and
   * it is from .. to - 1; 0: not there. NULL: the prefix is the problem. */
  int (*problem_span)(const sw_domain *domain, const int32_t *token,
                      int64_t count, int64_t *from, int64_t *to);
  /* The parts of all tokens of a trace, [length], in the state that its last
   * block shows. How many items; 0: the problem and the whole state are not
   * both shown. */
  int32_t (*parts)(const sw_domain *domain, const sw_trace *trace,
                   sw_part *part);
  /* Which tokens are names; the last kind has no ranges. */
  const sw_names *names;
} sw_token_ops;

/* ---- the task: instances, prefix, tokens ---- */
struct sw_domain {
  const char *name; /* command-line name */
  /* Of a domain made at run time: what its maker keeps of it, the words that
   * its tokens are, and what closes it after its last release (registry.h). */
  void *self;
  const sw_words *words;
  void (*close)(const sw_domain *domain);
  const char *summary;        /* one line */
  const char *const *formats; /* NULL-terminated; first = fair default */
  const char *const *experts; /* NULL-terminated; first = fair default */
  const sw_option *options;   /* its table (task_options.h) */
  int option_count;
  int32_t (*vocab_size)(const sw_domain_options *options);

  /* Fills every -1/empty field with the preset's default and checks ranges. */
  int (*resolve)(sw_domain_options *options, sw_err *err);

  /* Instance streams. next() returns SW_LIMIT when a filter found none. */
  int (*stream_new)(sw_stream **stream, const sw_domain_options *options,
                    uint64_t seed, sw_split split, sw_err *err);
  int (*stream_next)(sw_stream *stream, sw_instance **instance, sw_err *err);
  void (*stream_free)(sw_stream *stream);
  /* Instances passed over so far because they were trained on. NULL: not
   * counted. */
  int64_t (*stream_left_out)(const sw_stream *stream);
  /* Passes over one instance as next() would, without building it. NULL: it
   * must be drawn to know where the next one begins (sw_stream_skip). */
  int (*stream_skip)(sw_stream *stream, sw_err *err);
  void (*instance_free)(sw_instance *instance);
  uint64_t (*instance_hash)(const sw_instance *instance); /* for exclusion */
  int32_t (*instance_size)(const sw_instance *instance);  /* n of the trace */
  /* 1 when the vocabulary and a position table can hold it, else 0 + reason */
  int (*instance_fits)(const sw_instance *instance,
                       const sw_domain_options *options, char *why,
                       size_t room);

  /* Trace of the expert, from scratch; `mt` drives error injection. In
   * `release` it is one stream for the whole data set, so traces are written
   * one after the other; in `fair` the caller seeds it for each trace from
   * (seed, index), so they can be written in any order. SW_LIMIT: the trace was
   * too long and too_long=drop (counted by the caller). */
  int (*write_trace)(const sw_instance *instance,
                     const sw_domain_options *options, sw_mt *mt,
                     sw_trace *trace, sw_err *err);

  /* Tokens to text: writes the printed form, returns its length. */
  int (*token_text)(const sw_domain *domain, int32_t token, char *buffer,
                    size_t room);
  int32_t back_token; /* the token that means "go back" */
  int32_t pad_end;    /* ends a scratchpad: a block's decision stands behind the
                         last of them; 0: no format has one */
  /* What can be searched; NULL: there is nothing to search (trees), only
   * traces to write and to learn. */
  const sw_search_ops *search;

  /* ---- optional: may be NULL ---- */
  sw_file_ops file;
  sw_token_ops token;
  /* The tokens in English (lexicon.h). */
  const sw_lexicon *lexicon;
  const sw_shown_ops *shown;
  /* A state as numbers, for models that read no tokens (state_ops.h). */
  const sw_state_ops *state;
};

/* The compiled-in domains, NULL-terminated. */
extern const sw_domain *const sw_domains[];
/* One by name, compiled in or registered (registry.h); NULL: unknown. This is
 * how the name in a file is looked up: it never opens anything. */
const sw_domain *sw_domain_find(const char *name);
/* What a user names, with an error that names the domains there are. A name
 * with a prefix (`exec:COMMAND`) is opened (registry.h: sw_domain_scope). */
int sw_domain_named(const char *name, const sw_domain **domain, sw_err *err);
/* Passes over `count` instances of a stream, as cheaply as the domain can. */
int sw_stream_skip(const sw_domain *domain, sw_stream *stream, int64_t count,
                   sw_err *err);
/* SW_OK when the domain can be searched, else SW_USAGE with a hint. */
int sw_domain_searchable(const sw_domain *domain, sw_err *err);
/* What the query offers; SW_MEMORY where the list could not be made. */
int sw_domain_candidates(const sw_domain *domain, sw_env *env,
                         const sw_cand **candidate, int *count, sw_err *err);
/* 1 when the format has a scratchpad, which the policy writes. */
int sw_domain_has_pads(const sw_domain *domain,
                       const sw_domain_options *options);
/* What went wrong in an environment since its reset (sw_search_ops.trouble);
 * SW_OK where nothing can. */
int sw_domain_trouble(const sw_domain *domain, const sw_env *env, sw_err *err);
/* The text of a trouble that has only a code: SW_MEMORY or SW_STOPPED. */
int sw_trouble_told(int trouble, sw_err *err);
#endif
