/* `statewise repro --list`: the experiments, or what is still to be made. */
#ifndef SW_CLI_REPRO_LIST_H
#define SW_CLI_REPRO_LIST_H
#include "repro/todo.h"

/* `results`: the directory of what is kept; `count` experiments `only`, 0: all.
 */
void sw_repro_list_json(const char *results, const sw_experiment *const *only,
                        int count);
void sw_repro_list_text(const char *results, const sw_experiment *const *only,
                        int count);
void sw_repro_list_plan(const sw_todo *plan, sw_scale scale, int json);

#endif
