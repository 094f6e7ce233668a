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

/* Was this message the assistant's? */
int sw_log_is_assistant(const json_t *message);

/* {"messages": [...], "tools": [names], "id": text, "last": only the last
 * message is a decision} */
typedef struct sw_log_collected {
  json_t *list, *tools, *texts; /* tools, texts: objects used as sets */
  sw_log_counts *counts;
  const char *path;
} sw_log_collected;
/* Cuts every decision of what was collected; counts what cannot be cut. */
int sw_log_cut_cases(sw_audit_cases *cases, const sw_log_collected *collected,
                     const sw_log_options *options, sw_err *err);

/* Calls `take` for each member of a zip file whose name ends in .json. Stored
 * and deflated members are read; others are an error. */
typedef int (*sw_zip_take)(void *context, const char *name, const char *text,
                           size_t bytes, sw_err *err);
int sw_zip_is(const char *data, size_t bytes);
int sw_zip_each(const char *path, const char *data, size_t bytes,
                sw_zip_take take, void *context, sw_err *err);

#endif
