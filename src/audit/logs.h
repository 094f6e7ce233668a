/* Recorded conversations as cases, without code: every decision of an agent in
 * its log is a situation, with the conversation before it as its history. Three
 * kinds of log are read: lists of chat messages (JSON Lines, or one list a
 * file), recorded requests with their response, and logs of Inspect (JSON or
 * .eval, log_inspect.c). What cannot be read or cut is counted. */
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

/* The counts of a log; each is a member of the JSON and of sw_log_say. */
#define SW_LOG_COUNTS(X)                                                      \
  X(files)                                                                    \
  X(conversations)                                                            \
  X(decisions)                                                                \
  X(cut)        /* decisions that became cases */                             \
  X(no_history) /* nothing stands before the situation */                     \
  X(no_state)   /* the situation could not be found */                        \
  X(no_choice)  /* neither tools nor several answers to choose from */        \
  X(not_taken)  /* beyond the most that were asked for */                     \
  X(unread)     /* samples that could not be unpacked */                      \
  X(no_answer)  /* calls of a model without an answer */                      \
  X(lost)       /* messages of an unknown kind, left out of a conversation */ \
  X(strange)    /* JSON values that hold no conversation */

typedef struct sw_log_counts {
#define X(name) int64_t name;
  SW_LOG_COUNTS(X)
#undef X
  char unread_why[300]; /* of the first that could not be unpacked */
} sw_log_counts;

/* The counts as sentences; zero counts are left out. */
void sw_log_say(const sw_log_counts *counts, char *text, size_t room);

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
