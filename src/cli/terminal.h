/* What a command tells (command/io.h), on standard error: one redrawn line on a
 * terminal, a plain line every few seconds elsewhere, nothing or JSON lines on
 * request. */
#ifndef SW_CLI_TERMINAL_H
#define SW_CLI_TERMINAL_H
#include "command/io.h"

typedef struct sw_terminal {
  double shown; /* when the last line of progress was */
  int drawn;    /* a line is on the terminal */
} sw_terminal;

/* `tell` of a sw_command_io; the context is the sw_terminal. */
void sw_terminal_tell(void *terminal, const sw_event *event);

#endif
