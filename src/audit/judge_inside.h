/* Inside src/audit: the gate's measurement, for judge.c. */
#ifndef SW_AUDIT_JUDGE_INSIDE_H
#define SW_AUDIT_JUDGE_INSIDE_H
#include "audit/judge.h"

int sw_gate_measure(sw_gate *gate, const sw_survey *survey,
                    const sw_measured *measured, sw_err *err);

#endif
