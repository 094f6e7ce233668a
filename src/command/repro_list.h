/* `statewise repro --list`: the experiments, or what is still to be made. */
#ifndef SW_COMMAND_REPRO_LIST_H
#define SW_COMMAND_REPRO_LIST_H
#include "command/io.h"
#include "repro/todo.h"

/* `answers`: what is kept; `count` experiments `only`, 0: all. */
int sw_repro_list_json(sw_command_io *io, const sw_answers *answers,
                       const sw_experiment *const *only, int count,
                       sw_err *err);
int sw_repro_list_text(sw_command_io *io, const sw_answers *answers,
                       const sw_experiment *const *only, int count,
                       sw_err *err);
void sw_repro_list_plan(sw_command_io *io, const sw_todo *plan, sw_scale scale,
                        int json);

#endif
