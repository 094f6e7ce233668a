/* Cases: situations with the histories that led to them, which is what an audit
 * asks about. A file of cases is JSON Lines (docs/audit.md):
 *
 *   {"id", "system": [messages], "situation": [messages],
 *    "histories": [{"name": "own", "messages": [messages], "count": 2}],
 *    "choices": ["go on", "back"], "right": "back", "sufficient": true,
 *    "group", "tools": [...]}
 *
 * Messages are those of the chat API and are passed on as they are. Whatever
 * makes cases (a file, recorded conversations, searches of ours) fills the same
 * struct; all that is asked and counted works on it alone. */
#ifndef SW_AUDIT_CASES_H
#define SW_AUDIT_CASES_H
#include <jansson.h>
#include <stdint.h>
#include "base/err.h"

enum { SW_CASE_CHOICES = 60, SW_CASE_HISTORIES = 64, SW_CASE_ORDERS = 2 };

/* The messages before the situation. Where the choices' order is part of the
 * conversation (searches of ours) each order has its own; else [1] is NULL and
 * [0] serves for both. */
typedef struct sw_history {
  char *name;
  json_t *messages[SW_CASE_ORDERS];  /* arrays */
  json_t *situation[SW_CASE_ORDERS]; /* replaces the case's; NULL: the case's */
  double count; /* of the turns that end in the action that --dose is about;
                   NaN: not said */
} sw_history;

typedef struct sw_audit_case {
  char *id, *group; /* group: what stands or falls together; the id if none */
  json_t *system, *situation, *tools; /* arrays; tools may be NULL */
  sw_history *history;
  int histories;
  char **choice;
  int choices;
  uint8_t *right; /* [choices]; NULL: not known */
  int sufficient; /* the situation holds all that the answer depends on: 1 yes,
                     -1 no, 0 not said */
} sw_audit_case;

typedef struct sw_audit_cases {
  sw_audit_case *item;
  int64_t count, room;
  int64_t *other;  /* [count]: the case whose history `other` takes, -1: none;
                      NULL: looked up each time (arms.h) */
  int words;       /* 1: a choice is answered by its words, not its number */
  const char *ask; /* the text after the situation; NULL: the list of choices */
} sw_audit_cases;

void sw_audit_cases_free(sw_audit_cases *cases);
/* A new case, all empty, owned by `cases`; NULL: out of memory. */
sw_audit_case *sw_audit_cases_add(sw_audit_cases *cases);
sw_history *sw_audit_case_history(sw_audit_case *c, const char *name);
int sw_audit_case_choose(sw_audit_case *c,
                         const char *choice); /* adds one; 0: no memory */
void sw_audit_case_free(sw_audit_case *c);
const sw_history *sw_audit_case_find(const sw_audit_case *c,
                                     const char *name); /* or NULL */
/* Groups as numbers, in order of appearance, [count], malloc'd. */
int sw_audit_cases_groups(const sw_audit_cases *cases, int64_t **group,
                          sw_err *err);

/* SW_DATA names file, line and member. */
int sw_audit_cases_parse(sw_audit_cases *cases, const char *path,
                         const char *text, size_t bytes, sw_err *err);
int sw_audit_cases_load(sw_audit_cases *cases, const char *path, sw_err *err);

/* Is this a list of chat messages? SW_DATA says what is wrong with it. */
int sw_messages_check(const json_t *list, sw_err *err);
json_t *sw_message_json(const char *role, const char *text);

#endif
