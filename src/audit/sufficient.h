/* Does a situation hold all that the right answer depends on? Only there is a
 * change of the answer a fault. The user says it (of all cases, or one by one)
 * or a judge: another model, which is shown the situation without its history
 * and asked in both orders of the answers. Where its two answers differ, or
 * cannot be read, the case stays open. The judge is not asked about cases that
 * the user has marked. */
#ifndef SW_AUDIT_SUFFICIENT_H
#define SW_AUDIT_SUFFICIENT_H
#include "audit/survey.h"

typedef struct sw_sufficiency {
  char judge[256]; /* its model; "": none was asked */
  int64_t enough, lacking, open;
  int64_t unreadable;   /* of the judge's answers */
  sw_audit_cases cases; /* what the judge is asked */
  sw_survey survey;
} sw_sufficiency;

/* Marks all cases. */
void sw_sufficient_all(sw_audit_cases *cases);
/* Marks from JSON Lines, {"id": "...", "sufficient": true} a line. Other
 * members are ignored; null marks nothing. SW_DATA names file and line. */
int sw_sufficient_read(sw_audit_cases *cases, const char *path, sw_err *err);
/* The same from bytes in memory (not owned): the fuzz entry. */
int sw_sufficient_parse(sw_audit_cases *cases, const char *name,
                        const char *text, size_t bytes, sw_err *err);
/* Asks about the cases without a mark. `options` gives progress, stop and
 * sample (a dry run marks nothing). */
int sw_sufficient_ask(sw_sufficiency *out, sw_audit_cases *cases,
                      const sw_survey_options *options, sw_client *judge,
                      sw_err *err);
/* Counts the marks; after the others. */
void sw_sufficient_count(sw_sufficiency *out, const sw_audit_cases *cases);
void sw_sufficiency_free(sw_sufficiency *sufficiency);
/* The marks, as sw_sufficient_read takes them, with the situations' texts. */
int sw_sufficient_write(const sw_audit_cases *cases, const char *path,
                        sw_err *err);

#endif
