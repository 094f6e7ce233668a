/* Where the time of kernels goes. After nn_profile_start, nn_select hands out
 * sets whose every entry calls the real kernel and adds the time it took, the
 * useful FLOPs and the elements to a row: one row a kernel, shape and epilogue.
 * Models made before keep the plain set and cost nothing. For `bench`; a
 * process starts it once and never stops. */
#ifndef SW_NN_PROFILE_H
#define SW_NN_PROFILE_H
#include <stdint.h>
#include "nn/nn.h"

typedef struct nn_profile_row {
  const char *kernel; /* the entry's name in nn_kernels */
  const char *with;   /* what is done besides ("bias", "dropout"), or "" */
  int n, k;           /* products: columns and depth; else 0 */
  int64_t calls;
  double seconds;  /* summed over threads */
  double flops;    /* useful ones: 2 a multiply-add, unmasked pairs only */
  double elements; /* rows * columns, of kernels that are no products */
} nn_profile_row;

void nn_profile_start(void);
/* The rows so far, costliest first, at most `room`; returns how many. No thread
 * may be inside a kernel. */
int nn_profile_read(nn_profile_row *row, int room);
void nn_profile_clear(void);
/* The counting set in front of `set`, when started; else `set` itself. */
const nn_kernels *nn_profile_wrap(const nn_kernels *set);

#endif
