/* The items of a step over a team of threads, for families whose items are
 * small: a member takes whole items, each item's gradient is computed by itself
 * and added in the order of the items. So nothing depends on the number of
 * threads, and the sum is the one that family.h promises. Used by the families
 * that read states; inside src/model only. */
#ifndef SW_MODEL_ITEM_TEAM_H
#define SW_MODEL_ITEM_TEAM_H
#include "model/family.h"

/* Loss, targets, hits and flops of an item by one member; its gradient, each
 * part times its weight, overwrites part[trained] (NULL: none). */
typedef int (*sw_item_fn)(void *context, int member, sw_item *item, float *part,
                          sw_err *err);

typedef struct sw_item_team {
  const sw_net *net;
  sw_team *team;
  sw_item_fn fn;
  void *context;
  float *space; /* [members][stride] gradients */
  size_t stride;
} sw_item_team;

/* sw_family.batch and .parts by `fn`. */
int sw_item_team_batch(sw_item_team *t, sw_item *item, int32_t count,
                       float *gradient, sw_err *err);
int sw_item_team_parts(sw_item_team *t, sw_item *item, int32_t count,
                       float *const *part, sw_err *err);
void sw_item_team_free(sw_item_team *t);

#endif
