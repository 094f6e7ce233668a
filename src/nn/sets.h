/* The list of kernel sets, best first (the order nn_select tries them in).
 * X(name, table, function that says whether the CPU has it). */
#ifndef SW_NN_SETS_H
#define SW_NN_SETS_H
#include "nn/nn.h"

#define NN_SETS(X) X("portable", nn_portable, any_cpu)
#define NN_SET_NAMES "portable"

extern const nn_kernels nn_portable;

#endif
