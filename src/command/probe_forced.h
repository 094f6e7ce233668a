/* `eval --data` is `probe forced`: sw_command.instead. */
#ifndef SW_COMMAND_PROBE_FORCED_H
#define SW_COMMAND_PROBE_FORCED_H
#include "command/command.h"

const sw_command *sw_eval_data_instead(int *argc, char **argv);

#endif
