/* The commands as data: what the C API and Python make functions of. */
#ifndef SW_COMMAND_DESCRIBE_H
#define SW_COMMAND_DESCRIBE_H
#include "base/json.h"
#include "command/command.h"

/* An array of options under `key`. */
void sw_describe_options(const char *key, const sw_option *table, int count,
                         sw_json *json);
/* {"version", "commands": [{"name", "usage", "words", "summary", "details",
 * "takes_task", "options": [{"name", "kind", "default", ...}]}], "domains":
 * [{"name", "summary", "options"}]} */
void sw_commands_json(const sw_command *const *table, sw_json *json);

#endif
