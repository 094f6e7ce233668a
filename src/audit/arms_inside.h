/* Inside src/audit: whose history the condition `other` takes. */
#ifndef SW_AUDIT_ARMS_INSIDE_H
#define SW_AUDIT_ARMS_INSIDE_H
#include <stddef.h>
#include "audit/arms.h"

/* Bytes of the messages' texts. */
size_t sw_arm_bytes(const json_t *list);
/* A case of another group; -1: none has a history. */
int64_t sw_arm_other(const sw_audit_cases *cases, int64_t at);

#endif
