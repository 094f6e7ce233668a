/* Recorded conversations as cases, without code: every decision of an agent in
 * its log is a situation, with the conversation before it as its history. Two
 * kinds of log are read: lists of chat messages (JSON Lines, or one list a
 * file) and logs of Inspect (JSON or .eval), whose model events hold input,
 * tools and output. */
#ifndef SW_AUDIT_LOGS_H
#define SW_AUDIT_LOGS_H
#include "audit/cases.h"

/* What of a conversation is the situation. */
typedef enum {
  SW_STATE_LAST_USER,   /* the last message of the user and what follows */
  SW_STATE_LAST_TOOL,   /* the last call of a tool with its result */
  SW_STATE_SYSTEM_LAST, /* the last message alone */
  SW_STATE_POINTER      /* a JSON pointer into the last message */
} sw_log_state;

typedef struct sw_log_options {
  sw_log_state state;
  const char *pointer;
  int64_t most; /* cases at most; 0: all */
} sw_log_options;

typedef struct sw_log_counts {
  int64_t files, conversations, decisions;
  int64_t cut;        /* decisions that became cases */
  int64_t no_history; /* nothing stands before the situation */
  int64_t no_state;   /* the situation could not be found */
  int64_t no_choice;  /* neither tools nor several answers to choose from */
} sw_log_counts;

int sw_log_state_parse(sw_log_options *options, const char *text, sw_err *err);
/* `path` is a file or a directory. */
int sw_logs_load(sw_audit_cases *cases, const char *path,
                 const sw_log_options *options, sw_log_counts *counts,
                 sw_err *err);
/* The bytes of one file. */
int sw_logs_parse(sw_audit_cases *cases, const char *path, const char *text,
                  size_t bytes, const sw_log_options *options,
                  sw_log_counts *counts, sw_err *err);

#endif
