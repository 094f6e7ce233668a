/* statewise.h - learned backtracking search from C.
 *
 * A solver that searches with backtracking decides at every step: go on, or go
 * back. Statewise runs small transformers that make this decision from the
 * current state alone, on an ordinary CPU. This header is the manual.
 *
 *     #include <statewise.h>
 *
 *     statewise_error error;
 *     statewise *model;
 *     statewise_search *search;
 *     if (statewise_open(&model, "models/sat.safetensors", 0, &error) ||
 *         statewise_search_open(&search, model, "problem.cnf", &error))
 *       ...error.text says what is wrong, error.hint what to do...
 *     statewise_query query;
 *     while (statewise_search_next(search, &query, &error) == 1)
 *       statewise_search_choose(search, query.best, &error);
 *     if (statewise_search_status(search) == STATEWISE_SOLVED)
 *       puts(statewise_search_answer(search));
 *     statewise_search_close(search);
 *     statewise_close(model);
 *
 * Compile with `cc program.c $(pkg-config --cflags --libs statewise)`; a
 * complete program is examples/step_search.c.
 *
 * States of a search:
 *
 *     open --next--> QUERY --choose--> QUERY ... --next--> SOLVED
 *                      |                                   EXHAUSTED
 *                      +--(you may choose otherwise)       FAILED
 *
 * Rules: every function returns 0 on success unless it says otherwise, and
 * fills the caller-owned error (which may be NULL). Nothing prints or exits. A
 * model may be shared by searches of one thread; use one model for each thread.
 * Objects are closed by the function named for it, searches before their
 * model; closing NULL is allowed, and asking NULL gives NULL, 0 or FAILED. Text
 * and arrays that a call returns belong to the object and stay valid until its
 * next call. */
#ifndef STATEWISE_H
#define STATEWISE_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STATEWISE_API __attribute__((visibility("default")))

/* ---- errors ---- */

/* Codes are stable; new ones are appended. */
enum {
  STATEWISE_OK = 0,
  STATEWISE_USAGE = 1,    /* the request itself is wrong */
  STATEWISE_DATA = 2,     /* an input's content is wrong */
  STATEWISE_NOFILE = 3,   /* an input cannot be opened */
  STATEWISE_MEMORY = 4,   /* out of memory */
  STATEWISE_IO = 5,       /* reading or writing failed */
  STATEWISE_STOPPED = 6,  /* stopped before the end */
  STATEWISE_LIMIT = 7,    /* the input does not fit the model */
  STATEWISE_INTERNAL = 8, /* a broken invariant: please report it */
  STATEWISE_LOST = 9,     /* another process of the job was lost */
  STATEWISE_DIVERGED = 10 /* training diverged: a number is not finite */
};
typedef struct statewise_error {
  int code;
  char text[768]; /* one line: file, line and value where there are any */
  char hint[256]; /* may be empty */
} statewise_error;

STATEWISE_API const char *statewise_version(void);

/* ---- models ---- */

typedef struct statewise statewise;

/* Opens a run directory of `statewise train` or a model.safetensors, with its
 * domain, format, mask and positions. `threads` 0 uses all cores; no result
 * depends on it. */
STATEWISE_API int statewise_open(statewise **model, const char *path,
                                 int threads, statewise_error *error);
STATEWISE_API void statewise_close(statewise *model);
STATEWISE_API const char *statewise_domain(const statewise *model);
/* The family: slot-decoder, lstm, linear, mlp, factor-gnn. All of them can be
 * searched with; those that read a state instead of tokens have neither a mask
 * ("") nor a vocabulary (0). */
STATEWISE_API const char *statewise_architecture(const statewise *model);
STATEWISE_API const char *statewise_mask(const statewise *model);
STATEWISE_API int64_t statewise_parameters(const statewise *model);
STATEWISE_API int32_t statewise_vocabulary(const statewise *model);

/* ---- searches ---- */

typedef struct statewise_search statewise_search;

typedef enum {
  STATEWISE_RUNNING = 0,
  STATEWISE_SOLVED = 1,    /* statewise_search_answer has the checked answer */
  STATEWISE_EXHAUSTED = 2, /* nothing is left to try */
  STATEWISE_FAILED = 3     /* statewise_search_reason tells why */
} statewise_status;

/* What choosing a candidate means. */
typedef enum {
  STATEWISE_GO_ON = 0,   /* a legal continuation */
  STATEWISE_GO_BACK = 1, /* undo the last decision */
  STATEWISE_REPEAT = 2,  /* a value that has failed here, or is not allowed */
  STATEWISE_MISSED = 3   /* going on although propagation shows a conflict */
} statewise_kind;

typedef struct statewise_candidate {
  int32_t token; /* of the domain's vocabulary */
  statewise_kind kind;
  float logit;   /* the model's score */
  char text[32]; /* the token as it is printed */
} statewise_candidate;

typedef struct statewise_query {
  int count;
  const statewise_candidate *candidate; /* `count` of them */
  int best;             /* the model's choice: the highest logit */
  int best_legal;       /* its best GO_ON candidate; -1: there is none */
  int in_conflict;      /* propagation has exposed a contradiction */
  int depth;            /* open decisions */
  const int32_t *token; /* the whole dialogue so far, */
  int64_t tokens;       /* its length, */
  int64_t block;        /* and where the current block begins in it */
} statewise_query;

/* Opens a search on a problem file of the model's domain (DIMACS .cnf, DIMACS
 * .col, PDDL; also .gz and .xz), or on problem text in memory. The loop is
 * open: at every state the candidates are going back and every continuation.
 * At each query the model is shown the problem and the current state, not the
 * history (the protocol `rebuilt` of `statewise eval`).
 * STATEWISE_LIMIT: the problem does not fit the model; the text says why. */
STATEWISE_API int statewise_search_open(statewise_search **search,
                                        statewise *model, const char *path,
                                        statewise_error *error);
STATEWISE_API int statewise_search_text(statewise_search **search,
                                        statewise *model, const char *text,
                                        size_t bytes, statewise_error *error);
STATEWISE_API void statewise_search_close(statewise_search *search);

/* Who says when to go back, chosen before the first statewise_search_next, as
 * in `statewise eval --verifier`: "model" (the default) leaves it to you, as
 * one of the candidates; with "exact" the search goes back by itself when
 * propagation has exposed a conflict, with "oracle" as soon as the state is
 * lost (which may take long to find out), with "never" not at all;
 * "noise:FP,FN:INNER" errs at given rates. With
 * any of these GO_BACK is not among the candidates. Those that look at the
 * model's scores (model, sidecar:C, head:TAU, and whatever one of them stands
 * in) have their say in query.best. One that is refused (head:TAU needs a model
 * with a verify head) leaves the search with the one it had. */
STATEWISE_API int statewise_search_verifier(statewise_search *search,
                                            const char *verifier,
                                            statewise_error *error);

/* Runs to the next query: 1 with *query filled, 0 when the search has ended, or
 * a negative error code (-STATEWISE_...). States with a single candidate are
 * passed silently. Calling it again before choosing gives the same query. */
STATEWISE_API int statewise_search_next(statewise_search *search,
                                        statewise_query *query,
                                        statewise_error *error);
/* Takes candidate `index` of the last query. REPEAT and MISSED end the search
 * as FAILED, as in `statewise eval --on-error fail`. */
STATEWISE_API int statewise_search_choose(statewise_search *search, int index,
                                          statewise_error *error);
STATEWISE_API statewise_status
statewise_search_status(const statewise_search *search);
/* "solved", "exhausted", "repeat", "missed_conflict", ...; "" while running. */
STATEWISE_API const char *statewise_search_reason(
    const statewise_search *search);
/* The checked answer in the domain's printed form, or NULL. */
STATEWISE_API const char *statewise_search_answer(
    const statewise_search *search);

/* Whether a state you go back from was lost is found out for the counters in
 * at most a second; what is not settled then counts as a false prune. */
typedef struct statewise_counters {
  int64_t decisions, backtracks, silent_backtracks;
  int64_t false_prunes; /* went back from a state that could be completed */
  int64_t missed_conflicts, repeats; /* chose MISSED; chose REPEAT */
  int64_t early_backs; /* went back from a lost one that showed no conflict */
} statewise_counters;
STATEWISE_API void statewise_search_counters(const statewise_search *search,
                                             statewise_counters *counters);

/* ---- your own environment ---- */

/* A search of your own: the calls below say what its problems and states are in
 * words. It stands wherever a domain's name stands, once it is registered, and
 * the same calls serve training traces, evaluation and probes. The program that
 * `exec:COMMAND` starts answers the same questions over a pipe
 * (docs/your-own.md); examples/environment.c does both.
 *
 * Text is words separated by blanks; every word is one that hello() lists. A
 * take() is one level and back() undoes the last one; at depth 0 back() is not
 * called. The state's words must say all that a decision depends on, also what
 * has been tried there. Functions return 0, or another code with error->text
 * filled. Text and lists that a call hands out stay valid until the next call
 * with the same search. Different searches may be called from different threads
 * at the same time; one search from one thread at a time. */
typedef struct statewise_hello {
  const char *name;         /* none of the compiled-in domains */
  const char *const *words; /* the vocabulary, NULL-terminated */
  const char *back;         /* the word that means going back */
  int seeded; /* 1: start() makes a problem from split, seed and index */
  int expert, doomed, check; /* 1: the function below can be called */
  const char *rules; /* what an asked language model is told; may be NULL */
  int64_t decisions, tokens, instances; /* limits of an evaluation; 0: usual */
  int verdict_shown; /* 1: a word of the state tells the verdict */
} statewise_hello;

/* Which problem: made from (split, seed, index), or given as text. */
typedef struct statewise_task {
  const char *split; /* "train", "valid", "test"; NULL: `problem` is given */
  uint64_t seed;
  int64_t index;
  const char *problem;
} statewise_task;

typedef struct statewise_problem {
  const char *problem; /* its words */
  const char *id;      /* a name or hash: what has the same id is the same */
} statewise_problem;

typedef struct statewise_situation {
  const char *over; /* "solved", "exhausted", "failed"; NULL: it goes on */
  const char *state;
  const char *const *choices; /* NULL-terminated; none begins another */
  const char *const *tried;   /* what failed here before; may be NULL */
  int conflict;    /* 1: going back is right; choices would be mistakes */
  const char *key; /* which states are the same; NULL: problem and state */
} statewise_situation;

/* The answer of check(). */
typedef struct statewise_checked {
  int right;
  const char *answer; /* text for a person; may be NULL */
} statewise_checked;

/* The table grows only at its end; `size` says which members it has. */
typedef struct statewise_environment {
  size_t size;   /* sizeof(statewise_environment) */
  void *context; /* handed to hello() and start() */
  int (*hello)(void *context, statewise_hello *hello, statewise_error *error);
  int (*start)(void *context, const statewise_task *task, void **search,
               statewise_problem *problem, statewise_error *error);
  int (*look)(void *search, statewise_situation *situation,
              statewise_error *error);
  /* *refused: why the choice cannot be taken; left NULL where it was taken. */
  int (*take)(void *search, const char *choice, const char **refused,
              statewise_error *error);
  /* *silent: further levels that were undone without asking, usually 0. */
  int (*back)(void *search, int *silent, statewise_error *error);
  void (*end)(void *search);
  /* These may be NULL. */
  int (*expert)(void *search, const char **choice, statewise_error *error);
  int (*doomed)(void *search, int *doomed, statewise_error *error);
  int (*check)(void *search, statewise_checked *checked,
               statewise_error *error);
} statewise_environment;

/* From here on models and data sets of this name are those of the environment,
 * and searches of such a model (statewise_search_text) are its searches. The
 * table is copied; its context lives until statewise_environment_remove, which
 * is called when models and searches of that name are closed. STATEWISE_USAGE:
 * the name is taken by other words or a domain of the program. */
STATEWISE_API int statewise_environment_register(
    const statewise_environment *environment, statewise_error *error);
STATEWISE_API void statewise_environment_remove(const char *name);

/* Answers the requests of the exec: protocol that come in on one descriptor, on
 * the other, until the input ends: all that the main() of such a program does.
 */
STATEWISE_API int statewise_environment_serve(
    const statewise_environment *environment, int in, int out,
    statewise_error *error);

/* ---- what a model computes over tokens of your own ---- */

/* Sizes of a model; 0: it has none of the kind. */
typedef struct statewise_shape {
  int32_t layers, heads;
  int32_t width;     /* of a hidden state */
  int32_t slots;     /* learned rows in front of the tokens */
  int32_t positions; /* rows of its table of positions */
} statewise_shape;
STATEWISE_API int statewise_shape_of(const statewise *model,
                                     statewise_shape *shape,
                                     statewise_error *error);

/* Full-vocabulary logits after every token: out is [count][vocabulary].
 * block[i] is the block id of token i: 0 for the problem prefix, ascending.
 * STATEWISE_USAGE for a model that reads no tokens. */
STATEWISE_API int statewise_logits(statewise *model, const int32_t *token,
                                   const int32_t *block, int32_t count,
                                   float *out, statewise_error *error);
/* Final hidden states, from which the logits are read: [count][width]. */
STATEWISE_API int statewise_hidden(statewise *model, const int32_t *token,
                                   const int32_t *block, int32_t count,
                                   float *out, statewise_error *error);
/* What each token looks at when it is the last one, by one head: out is
 * [count][slots + count], weights over the slots and then the tokens. A row
 * sums to 1; what a token may not see gets 0. STATEWISE_USAGE for a model
 * without attention, or with a drawn mask. */
STATEWISE_API int statewise_attention(statewise *model, int32_t layer,
                                      int32_t head, const int32_t *token,
                                      const int32_t *block, int32_t count,
                                      float *out, statewise_error *error);

/* ---- masks, for models of your own ---- */

/* All names with blanks between them. */
STATEWISE_API const char *statewise_mask_names(void);
typedef struct statewise_mask_options {
  const char *name;
  int32_t slots;  /* rows in front of the tokens */
  int32_t window; /* of the masks that have one; 0: the default of 256 */
  uint64_t seed;  /* of drawn masks */
} statewise_mask_options;
/* Who may see whom: out is [slots + count][slots + count], row by row, 1 where
 * the row (query) sees the column (key). block as above. */
STATEWISE_API int statewise_mask_matrix(const statewise_mask_options *options,
                                        const int32_t *block, int32_t count,
                                        uint8_t *out, statewise_error *error);

/* ---- data sets ---- */

/* One trace: a problem (block 0) and the decision blocks behind it. */
typedef struct statewise_trace {
  const int32_t *token;
  const uint8_t *target; /* 1: predicted from the token before */
  int64_t tokens;
  const int64_t *block_start; /* of each block; the first is 0 */
  int64_t blocks;
  int32_t n;        /* size of the instance */
  int32_t terminal; /* 1 solved, 2 without a solution, 3 cut, 4 step limit */
  int32_t decisions, conflicts;
  /* NULL: unknown. Of each block: can its state be completed (0 unknown, 1
   * yes, 2 no), and how many of its tokens show the state. */
  const uint8_t *viability;
  const int32_t *query;
} statewise_trace;

/* A data set is written trace by trace and appears under its name when it is
 * finished; until then, and after an abort, what was there stays. Finish and
 * abort free the writer, also where they fail; a failed append leaves it.
 * `meta` is key, value, key, value, ...: `domain`, `vocab` (the number of
 * tokens), and whatever you want to keep (docs/formats.md). The format's
 * version and the content hash are written by the library; `hash` (NULL: not
 * wanted) gets the latter. */
typedef struct statewise_writer statewise_writer;
STATEWISE_API int statewise_data_create(statewise_writer **writer,
                                        const char *path,
                                        statewise_error *error);
STATEWISE_API int statewise_data_append(statewise_writer *writer,
                                        const statewise_trace *trace,
                                        statewise_error *error);
STATEWISE_API int statewise_data_finish(statewise_writer *writer,
                                        const char *const *meta, int pairs,
                                        char hash[17], statewise_error *error);
STATEWISE_API void statewise_data_abort(statewise_writer *writer);
/* Is the file a whole data set whose traces have the hash that it says? */
STATEWISE_API int statewise_data_check(const char *path, char hash[17],
                                       statewise_error *error);

/* ---- your own policy ---- */

/* A state that a policy is asked about. */
typedef struct statewise_question {
  int64_t instance;     /* which one of the evaluation's */
  const int32_t *token; /* what the protocol shows: the problem and the current
                         * block, or everything so far */
  int64_t tokens;       /* how many */
  int64_t block;        /* where the current block begins */
  int count;            /* candidates: */
  const int32_t *candidate; /* their tokens, */
  const char *const *text;  /* and these as they are printed */
  float *score; /* [count], to be filled: the highest wins, the first of equals
                   with the lowest token */
} statewise_question;

typedef struct statewise_policy {
  const char *name;    /* letters, digits, `-`, `_`, `.`; as tables show it */
  const char *version; /* changes when its answers may: stored outcomes of this
                        * version are taken again. NULL: they never are */
  int width;           /* searches that are asked together; 0: 32 */
  void *context;
  /* Answers `count` questions; a code with error->text filled ends the run. */
  int (*score)(void *context, const statewise_question *question, int count,
               statewise_error *error);
} statewise_policy;

/* From here on `eval --policies NAME`, `solve --rule NAME` and `probe guide
 * --policy NAME` know it, in this process. A run asks in the thread that it
 * works in. The struct is copied. STATEWISE_USAGE: the name is taken. */
STATEWISE_API int statewise_policy_add(const statewise_policy *policy,
                                       statewise_error *error);
/* Forgets it; once runs that know it have ended. */
STATEWISE_API void statewise_policy_remove(const char *name);

/* ---- commands ---- */

/* Every command of the program but `serve`, `help` and `bench` (which measures
 * the machine): what it prints with --json comes back as text.
 *
 *     char *result;
 *     if (!statewise_run("{\"command\": \"eval\", \"options\":"
 *                        " {\"domain\": \"sat\", \"instances\": 20}}",
 *                        NULL, NULL, NULL, &result, &error))
 *       puts(result);
 *     statewise_free(result);
 *
 * A request has `command` ("gen", "probe transplant", ...), `args`, an array of
 * what the command takes without a dash, and `options` by their names without
 * dashes: a text, number, true or false; an array for one that may be repeated;
 * null as if it were not given. Names, types and ranges are checked as the
 * program checks them, and `statewise COMMAND --help` explains them.
 *
 * Runs of several threads do not meet, not even in one directory: each file is
 * written whole. A run ends early with STATEWISE_STOPPED soon after *stop has
 * become something else than 0; a training has a checkpoint then, and the same
 * request goes on. */

/* Tells how far a run is, as a JSON object that is gone after the call. `event`
 * says of what: begin, progress, end (`what`, `done`, `total`, `seconds`), step
 * (of a training: `step`, `loss`, `lr`, `tokens`, `valid_loss` where there was
 * a validation, ...), line and note (`text`), error (what failed while the rest
 * goes on). Calls come one at a time but from any thread; it may set *stop. */
typedef void (*statewise_progress)(void *context, const char *event);

/* `progress`, `context` and `stop` may be NULL. *result is freed by
 * statewise_free; it is NULL after an error. */
STATEWISE_API int statewise_run(const char *request,
                                statewise_progress progress, void *context,
                                const int *stop, char **result,
                                statewise_error *error);
/* The commands with their options, types, ranges, defaults and help, the
 * domains with theirs, and the shipped models with the preset that makes each,
 * as a JSON object. */
STATEWISE_API int statewise_commands(char **result, statewise_error *error);
/* Frees a text that one of these two has given; NULL is allowed. */
STATEWISE_API void statewise_free(char *text);

#ifdef __cplusplus
}
#endif
#endif
