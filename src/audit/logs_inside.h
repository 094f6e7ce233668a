/* Inside src/audit: recorded messages in one shape, and members of .eval files.
 */
#ifndef SW_AUDIT_LOGS_INSIDE_H
#define SW_AUDIT_LOGS_INSIDE_H
#include <stddef.h>
#include "audit/logs.h"

/* A message as the chat API has it, from that or from what LangChain and
 * Inspect write: {"type": "human"}, {"lc": 1, "kwargs": {...}}, {"data":
 * {...}}, calls as {"name", "args"} or {"function": "name", "arguments":
 * {...}}. A new reference; NULL: it is no message, or memory ran out. */
json_t *sw_log_message(const json_t *recorded);
/* The name of the first tool a message calls, or NULL. */
const char *sw_log_tool(const json_t *message);

/* Calls `take` for each member of a zip file whose name ends in .json. Stored
 * and deflated members are read; others are an error. */
typedef int (*sw_zip_take)(void *context, const char *name, const char *text,
                           size_t bytes, sw_err *err);
int sw_zip_is(const char *data, size_t bytes);
int sw_zip_each(const char *path, const char *data, size_t bytes,
                sw_zip_take take, void *context, sw_err *err);

#endif
