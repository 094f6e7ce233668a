/* How a state is laid out as a vector of numbers: which columns, for how large
 * an instance, and the classes of the answer. Kept in the config of models that
 * read states (model/family.h), so that a weight file says what its inputs are;
 * filled in by a domain (domains/state_ops.h). */
#ifndef SW_TRACE_STATE_LAYOUT_H
#define SW_TRACE_STATE_LAYOUT_H
#include <stdint.h>

/* Which columns: everything the rules depend on, those of the published
 * baseline (3-SAT only), and for models that judge and do not play (3-SAT
 * only): the nine of a choice, a literal that could be made true; figures of a
 * state that name no variable, counted, or with every value tried as well. */
#define SW_FEATURE_SETS "state|published|choice|counts|lookahead"
typedef enum {
  SW_FEATURES_STATE,
  SW_FEATURES_PUBLISHED,
  SW_FEATURES_CHOICE,
  SW_FEATURES_COUNTS,
  SW_FEATURES_LOOKAHEAD
} sw_feature_set;
static inline int sw_features_judge(int32_t set) {
  return set >= SW_FEATURES_CHOICE;
}
enum { SW_HEAD_VERDICT, SW_HEAD_ITEM, SW_HEAD_VALUE, SW_STATE_HEADS };

/* n and m are the largest instance that has room: variables and clauses,
 * nodes and colours, blocks and stacks. */
typedef struct sw_state_layout {
  int32_t set;  /* sw_feature_set */
  int32_t step; /* 1: with the step counter, which is history */
  int32_t n, m;
  /* filled in by `layout` */
  int32_t features;
  int32_t classes[SW_STATE_HEADS];
} sw_state_layout;

#endif
