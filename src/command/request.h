/* A command as JSON: {"command": "eval", "args": ["word"], "options":
 * {"domain": "sat", "instances": 20}}. The command's own parser reads the
 * options, so they are checked as those of the program are. */
#ifndef SW_COMMAND_REQUEST_H
#define SW_COMMAND_REQUEST_H
#include "command/command.h"

typedef struct sw_request {
  const sw_command *command;
  int argc;
  char **argv; /* a command may drop some of them */
  char **text; /* [count] what argv points to */
  int count, room;
} sw_request;

/* Options: a flag is true or false, a list an array (of one: its value; of
 * name=value texts: an object), null as if it were not given. */
int sw_request_parse(sw_request *request, const char *json, sw_err *err);
void sw_request_free(sw_request *request);

#endif
