/* Inside src/audit: the parts of a study's page. */
#ifndef SW_AUDIT_STUDY_INSIDE_H
#define SW_AUDIT_STUDY_INSIDE_H
#include <stdio.h>
#include "audit/study.h"

/* The dose curve with its table. */
void sw_study_curve(const sw_study *study, FILE *out);
/* The cases that move most, the two prompts side by side. */
int sw_study_movers(const sw_study *study, FILE *out, sw_err *err);

#endif
