/* Curves over the rows of an experiment as JSON; called by kept.c. */
#ifndef SW_REPRO_CURVE_H
#define SW_REPRO_CURVE_H
#include "base/json.h"
#include "repro/runner.h"

/* One object a curve, into the open array of figures. */
void sw_curves_json(const sw_repro_result *result, sw_json *json);

#endif
