/* Conditions: what stands before a situation, named as users configure it.
 *
 * own: the case's first history. own2: its second one, the same situation
 * reached otherwise. history:NAME: the history of that name.
 *
 * none: nothing; every decision has a clear context. last:N: the last N
 * messages of the first history. concat: the first history as text in one
 * message.
 *
 * clear_tool_uses:keep=K: results of tools but the last K are replaced by a
 * placeholder (",trigger=T": only where the history has more than T tokens,
 * four bytes each).
 *
 * other: the history of another case, as long as this one's. demo:N: N answered
 * questions of other cases, each choice equally often the right one.
 */
#ifndef SW_AUDIT_ARMS_H
#define SW_AUDIT_ARMS_H
#include "audit/cases.h"

typedef enum {
  SW_ARM_HISTORY,
  SW_ARM_NONE,
  SW_ARM_LAST,
  SW_ARM_CLEAR,
  SW_ARM_CONCAT,
  SW_ARM_OTHER,
  SW_ARM_DEMO
} sw_arm_kind;

enum { SW_ARM_NAME = 64, SW_ARMS = 32, SW_DEMO_LEAST = 4 };
typedef struct sw_arm {
  sw_arm_kind kind;
  char name[SW_ARM_NAME];    /* as given; stable in JSON and CSV */
  char history[SW_ARM_NAME]; /* SW_ARM_HISTORY by name; "" by number */
  int which;                 /* SW_ARM_HISTORY: 0 or 1 */
  int64_t count, trigger;    /* last, keep, demonstrations */
} sw_arm;

/* SW_USAGE names the conditions there are. */
int sw_arm_parse(sw_arm *arm, const char *text, sw_err *err);
/* Finds the history that `other` takes for every case, once, as
 * cases->other. */
int sw_arm_prepare(sw_audit_cases *cases, sw_err *err);
/* Can the case be asked under this condition? */
int sw_arm_applies(const sw_arm *arm, const sw_audit_cases *cases, int64_t at);

/* All messages of a question: system, what the condition leaves, situation and
 * the choices in this order (1: reversed). A new array. */
int sw_arm_messages(const sw_arm *arm, const sw_audit_cases *cases, int64_t at,
                    int order, json_t **messages, sw_err *err);
/* The question of the turn before has this many leading bytes in common with
 * this one; a prefix cache need not read them again. */
int64_t sw_arm_cacheable(const sw_arm *arm, const sw_audit_cases *cases,
                         int64_t at);
/* What the answer with that choice looks like: its number or its words. */
void sw_choice_label(const sw_audit_cases *cases, const sw_audit_case *c,
                     int choice, int order, char *text, size_t room);

#endif
