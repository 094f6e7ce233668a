/* DIMACS CNF reader with three levels of strictness.
 *   pedantic  the format to the letter: comments only above the header, exact
 *             counts, no `%`, no repeated literal, no tautology, no CR
 *   normal    real files that are unambiguous: comments anywhere, clauses over
 *             several lines, SATLIB's `%` ending, CR LF, repeated literals
 *             (dropped); a wrong count or a missing end is refused with the
 *             numbers
 *   relaxed   whatever still has one meaning: no header, wrong counts, a last
 *             clause without its 0; each is remarked in the instance's note
 * Errors name file and line. The text is treated as hostile. */
#ifndef SW_DOMAINS_SAT_DIMACS_H
#define SW_DOMAINS_SAT_DIMACS_H
#include <stddef.h>
#include "base/err.h"
#include "domains/sat/sat_instance.h"

typedef enum {
  SW_DIMACS_RELAXED,
  SW_DIMACS_NORMAL,
  SW_DIMACS_PEDANTIC
} sw_dimacs_level; /* as the option "reading" */

int sw_dimacs_parse(sw_instance **instance, const char *path, const char *text,
                    size_t bytes, sw_dimacs_level level, sw_err *err);
/* Reads a file (plain, gz or xz). */
int sw_dimacs_read(sw_instance **instance, const char *path,
                   sw_dimacs_level level, sw_err *err);
/* Does the name or the content look like DIMACS CNF? */
int sw_dimacs_recognises(const sw_domain *domain, const char *path,
                         const char *text, size_t bytes);

#endif
