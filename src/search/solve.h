/* Solving one problem file. A guide leads a complete search: it picks the
 * branching variable and value, the environment propagates, the verifier goes
 * back. With the verifier `exact` every prune is proven by propagation, so that
 * "exhausted" is a proof; with one that may be wrong it is none. Where the
 * model does not fit, or its budget ends, the domain's direct solver takes over
 * (and proves in its own way). An answer is checked against the instance before
 * it is returned. */
#ifndef SW_SEARCH_SOLVE_H
#define SW_SEARCH_SOLVE_H
#include "search/guide.h"
#include "search/outcome.h"

typedef struct sw_solve_limits {
  double seconds;       /* wall time of the whole call; 0: none */
  int64_t decisions;    /* of the guided search */
  int64_t tokens;       /* shown to the model in all; 0: none */
  int guided_only;      /* 1: never use the direct solver */
  const char *verifier; /* NULL: exact */
  int verdict_shown;    /* 1: a guide whose own word counts may be shown the
                           verdict */
} sw_solve_limits;

typedef struct sw_solution {
  int verdict;        /* 10 solved, 20 impossible, 0 unknown */
  char *answer;       /* malloc'd text when solved */
  char guide[96];     /* what answered: the model, or the direct solver */
  char note[256];     /* why the model was not used or did not finish */
  sw_outcome outcome; /* of the guided search */
  double seconds;
} sw_solution;

/* `guide` may be NULL (direct only). `options` are as given by the user
 * (defaults unresolved), so that the direct solver sees what was asked;
 * `guide_options` are those the guide was made for, with the user's above them
 * (NULL: the user's alone). */
int sw_solve(const sw_domain *domain, const sw_instance *instance,
             const sw_domain_options *options, sw_guide *guide,
             const sw_domain_options *guide_options,
             const sw_solve_limits *limits, int (*stop)(void *),
             sw_solution *solution, sw_err *err);

#endif
