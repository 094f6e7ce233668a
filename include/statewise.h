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
  STATEWISE_USAGE = 1,   /* the request itself is wrong */
  STATEWISE_DATA = 2,    /* an input's content is wrong */
  STATEWISE_NOFILE = 3,  /* an input cannot be opened */
  STATEWISE_MEMORY = 4,  /* out of memory */
  STATEWISE_IO = 5,      /* reading or writing failed */
  STATEWISE_STOPPED = 6, /* stopped before the end */
  STATEWISE_LIMIT = 7,   /* the input does not fit the model */
  STATEWISE_INTERNAL = 8 /* a broken invariant: please report it */
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

/* ---- logits, for people who move weights between programs ---- */

/* Full-vocabulary logits after every token: out is [count][vocabulary].
 * block[i] is the block id of token i: 0 for the problem prefix, ascending.
 * STATEWISE_USAGE for a model that reads no tokens. */
STATEWISE_API int statewise_logits(statewise *model, const int32_t *token,
                                   const int32_t *block, int32_t count,
                                   float *out, statewise_error *error);

#ifdef __cplusplus
}
#endif
#endif
