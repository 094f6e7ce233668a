/* The families there are, one row each. A new family is a folder with its
 * functions and one row here (docs/families.md says how). */
#ifndef SW_MODEL_FAMILIES_H
#define SW_MODEL_FAMILIES_H
#include "model/family.h"

#define SW_FAMILIES(X)      \
  X(sw_family_slot_decoder) \
  X(sw_family_lstm)         \
  X(sw_family_linear)       \
  X(sw_family_mlp)          \
  X(sw_family_factor_gnn)   \
  X(sw_family_literal)

#define X(family) extern const sw_family family;
SW_FAMILIES(X)
#undef X

#endif
