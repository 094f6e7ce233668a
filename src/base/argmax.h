/* The place of the largest value, one rule everywhere: the first of equals. */
#ifndef SW_BASE_ARGMAX_H
#define SW_BASE_ARGMAX_H
#include <stdint.h>

/* n > 0; 0 when no value is a number. */
int32_t sw_argmax(const float *x, int32_t n);

#endif
