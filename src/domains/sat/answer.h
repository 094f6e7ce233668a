/* Answers of SAT (sw_search_ops.tell.answer and sw_domain.file.solve). Every
 * assignment is checked against all clauses before it becomes text. */
#ifndef SW_DOMAINS_SAT_ANSWER_H
#define SW_DOMAINS_SAT_ANSWER_H
#include "domains/domain.h"
#include "domains/sat/sat_search.h"

/* 0/1 per variable, 2 where the search left it unassigned. */
void sw_sat_assignment(const sw_sat_search *search, int8_t *assignment);
/* "v 1 -2 ... 0" lines, malloc'd; unassigned variables print as true. */
int sw_sat_format_answer(const sw_instance *formula, const int8_t *assignment,
                         char **text, sw_err *err);
int sw_sat_answer(const sw_env *env, char **text, sw_err *err);
/* sw_domain.file.verify (sat_verify.c). */
int sw_sat_verify(const char *text, size_t bytes,
                  const sw_domain_options *options, const char *answer,
                  sw_err *err);
int sw_sat_solve_direct(const sw_instance *formula,
                        const sw_domain_options *options, double seconds,
                        int *verdict, char **text, char *note, size_t room,
                        sw_err *err);

#endif
