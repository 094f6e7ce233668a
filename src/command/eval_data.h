/* `statewise eval --data FILE`: recorded searches instead of the closed loop,
 * with options of its own. */
#ifndef SW_COMMAND_EVAL_DATA_H
#define SW_COMMAND_EVAL_DATA_H
#include "command/command.h"

const sw_command *sw_eval_data_instead(int *argc, char **argv);

#endif
