/* `statewise repro --list`: the experiments, or what is still to be made. */
#ifndef SW_CLI_REPRO_LIST_H
#define SW_CLI_REPRO_LIST_H
#include "repro/todo.h"

/* `results`: the directory of what is kept. */
void sw_repro_list_json(const char *results);
void sw_repro_list_text(const char *results);
void sw_repro_list_plan(const sw_todo *plan, sw_scale scale, int json);

#endif
