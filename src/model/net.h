/* Inside src/model only: what net.c offers to families and to net_file.c. */
#ifndef SW_MODEL_NET_H
#define SW_MODEL_NET_H
#include "model/family.h"

/* Room for the weights of a net whose table is laid out. */
int sw_net_allocate(sw_net *net, sw_err *err);
/* First values of all weights. */
void sw_net_start(sw_net *net, const void *start, uint64_t seed);

#endif
