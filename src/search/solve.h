/* Solving one problem file. A model guides a complete search: it picks the
 * branching variable and value, the environment propagates, detects conflicts
 * and goes back, so every prune is proven by propagation and "exhausted" is a
 * proof. Where the model does not fit, or its budget ends, the domain's direct
 * solver takes over (and proves in its own way). An answer is checked against
 * the instance before it is returned. */
#ifndef SW_SEARCH_SOLVE_H
#define SW_SEARCH_SOLVE_H
#include "base/hooks.h"
#include "search/evaluate.h"

typedef struct sw_solve_limits {
  double seconds;    /* wall time of the whole call; 0: none */
  int64_t decisions; /* of the guided search */
  int64_t tokens;    /* shown to the model in all; 0: none */
  int guided_only;   /* 1: never use the direct solver */
  int rule;          /* >= 0: this rule guides instead of the model */
} sw_solve_limits;

typedef struct sw_solution {
  int verdict;        /* 10 solved, 20 impossible, 0 unknown */
  char *answer;       /* malloc'd text when solved */
  char guide[96];     /* what answered: the model, or the direct solver */
  char note[256];     /* why the model was not used or did not finish */
  sw_outcome outcome; /* of the guided search */
  double seconds;
} sw_solution;

/* `loaded` may be NULL (direct only, or a rule). `options` are as given by the
 * user (defaults unresolved), so that the direct solver sees what was asked. */
int sw_solve(const sw_domain *domain, const sw_instance *instance,
             const sw_domain_options *options, const sw_loaded *loaded,
             const sw_solve_limits *limits, sw_team *team, sw_stop_fn stop,
             sw_solution *solution, sw_err *err);

#endif
