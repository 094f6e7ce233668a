/* Inside src/base only: beginning and awaiting a send or a receive, with the
 * lock, the patience and the watch of ranks.c. */
#ifndef SW_BASE_RANKS_WAIT_H
#define SW_BASE_RANKS_WAIT_H
#include "base/ranks_link.h"

void sw_wait_send(int to, int channel, const void *data, size_t bytes,
                  sw_link_op *op);
void sw_wait_receive(int from, int channel, void *data, size_t bytes,
                     sw_link_op *op);
int sw_wait_test(sw_link_op *op);         /* as sw_link_test */
int sw_wait(sw_link_op *op, sw_err *err); /* SW_LOST: the other rank is gone */
/* ... limit 0: none; SW_LIMIT: it has passed. */
int sw_wait_within(sw_link_op *op, double limit, sw_err *err);
/* Brackets of what counts as time in communication. */
double sw_wait_begin(void);
void sw_wait_end(double from);

#endif
