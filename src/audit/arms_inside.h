/* Inside src/audit: histories as text, and the case whose history the condition
 * `other` takes. */
#ifndef SW_AUDIT_ARMS_INSIDE_H
#define SW_AUDIT_ARMS_INSIDE_H
#include <stddef.h>
#include <stdio.h>
#include "audit/arms.h"

/* Bytes of the messages' texts. */
size_t sw_arm_bytes(const json_t *list);
/* Messages for reading: texts, and JSON where there are none. */
void sw_arm_write_plain(FILE *out, const json_t *messages);
/* A case of another group; -1: none has a history. */
int64_t sw_arm_other(const sw_audit_cases *cases, int64_t at);

#endif
