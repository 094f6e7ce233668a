/* Inside src/audit: what all readers of logs share: messages in one shape,
 * conversations as they are collected, members of .eval files. */
#ifndef SW_AUDIT_LOGS_INSIDE_H
#define SW_AUDIT_LOGS_INSIDE_H
#include <stddef.h>
#include "audit/logs.h"

/* A message as the chat API has it, from that or from what LangChain and
 * Inspect write: {"type": "human"}, {"lc": 1, "kwargs": {...}}, {"data":
 * {...}}, calls as {"name", "args"} or {"function": "name", "arguments":
 * {...}}. A new reference; NULL: it is no message, or memory ran out. */
json_t *sw_log_message(const json_t *recorded);
/* The definition of a tool as the chat API has it, from that or from {"name",
 * "description", "parameters"}. A new reference or NULL. */
json_t *sw_log_definition(const json_t *recorded);
/* A message that calls tools, told as text, for where their results are cut
 * off; other messages as text of the user. A new reference. */
json_t *sw_log_told(const json_t *message);
/* The name of the first tool a message calls, or NULL. */
const char *sw_log_tool(const json_t *message);

/* Was this message the assistant's? */
int sw_log_is_assistant(const json_t *message);

/* list: {"messages": [...], "tools": [definitions], "id": text, "group": text,
 * "last": only the last message is a decision} */
typedef struct sw_log_collected {
  json_t *list, *tools, *texts; /* tools, texts: objects used as sets */
  json_t *seen; /* messages by the hash of what was recorded: each is held once,
                   however many conversations it stands in */
  json_t *ends; /* groups by the hash of a whole conversation */
  int64_t messages; /* in all conversations */
  sw_log_counts *counts;
  const char *path;
} sw_log_collected;

/* A conversation to be collected. */
typedef struct sw_log_conversation {
  const json_t *messages, *tools;
  const json_t *answer;      /* the one decision; NULL: each of the assistant's
                                messages is one */
  const json_t *attachments; /* texts by name, for "attachment://NAME" */
  const char *id;
  const char *group; /* NULL: that of the conversation which it goes on from */
} sw_log_conversation;
/* 1: it was one. */
int sw_log_collect(sw_log_collected *c, const sw_log_conversation *one);

/* The decisions of one of Inspect's samples (log_inspect.c). */
void sw_log_add_sample(sw_log_collected *c, const json_t *sample);

/* Cuts every decision of what was collected; counts what cannot be cut. */
int sw_log_cut_cases(sw_audit_cases *cases, const sw_log_collected *collected,
                     const sw_log_options *options, sw_err *err);

/* Calls `take` for each member of a zip file whose name ends in .json. Members
 * that are stored, deflated or (where the system has its library) packed by
 * zstd are read; for others `text` is NULL and `why` says the reason. */
typedef struct sw_zip_member {
  const char *name, *text, *why;
  size_t bytes;
} sw_zip_member;
typedef int (*sw_zip_take)(void *context, const sw_zip_member *member,
                           sw_err *err);
int sw_zip_is(const char *data, size_t bytes);
int sw_zip_each(const char *path, const char *data, size_t bytes,
                sw_zip_take take, void *context, sw_err *err);

#endif
