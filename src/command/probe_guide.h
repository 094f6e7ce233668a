/* The probes of an endpoint, for the commands that are given --guide. */
#ifndef SW_COMMAND_PROBE_GUIDE_H
#define SW_COMMAND_PROBE_GUIDE_H
#include "command/command.h"

/* `probe guide` where --guide is among the arguments, else NULL. */
const sw_command *sw_probe_guide_instead(int *argc, char **argv);

#endif
