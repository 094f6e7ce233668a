/* A family of a test's own: the bag of a block's tokens. One file and one row
 * (toy_family), added to the table of families at run time; nothing else knows
 * of it. */
#ifndef TESTS_TOY_FAMILY_H
#define TESTS_TOY_FAMILY_H
#include "model/family.h"

extern const sw_family toy_family; /* "toy-bag" */

#endif
