/* A training step over the ranks of a job. Every rank has all weights and
 * takes a contiguous slice of the step's traces; the gradients are added trace
 * by trace through the ranks in the order of the traces (sw_ranks_fold), so the
 * sum has the bits of one process. Each rank then steps its own part of the
 * parameters, whose optimizer state no other rank keeps, and all get the new
 * weights. Alone it is a batch and an optimizer step, nothing else.
 *
 * Memory: ranks other than the first hold one gradient a trace of their slice
 * until the sum comes by. */
#ifndef SW_TRAIN_SPREAD_H
#define SW_TRAIN_SPREAD_H
#include "model/family.h"
#include "model/optim.h"

typedef struct sw_spread sw_spread;
/* Rank 0 keeps the state of all parameters, for checkpoints. */
int sw_spread_new(sw_spread **spread, sw_net *net, sw_optim *optim,
                  sw_team *team, sw_err *err);
void sw_spread_free(sw_spread *spread);

/* sw_work_batch over ranks: losses and counts of all items are on every rank
 * afterwards; `gradient` (NULL: none) is added up by the next two. A loss that
 * is not finite is SW_DIVERGED alone, and NAN in an item over ranks. */
int sw_spread_loss(sw_spread *spread, sw_work *work, sw_item *item,
                   int32_t count, float *gradient, sw_err *err);
/* Sum, optimizer step and new weights on every rank; `gradient` is zeroed. */
int sw_spread_step(sw_spread *spread, float *gradient, double *norm, double *lr,
                   sw_err *err);

/* The parts of sw_spread_loss, for objectives that are not a batch's: this
 * rank's items of `count`; where its next trace's gradient is to be added (a
 * new array of zeros, on rank 0 `gradient` itself); and everyone's results. */
void sw_spread_slice(sw_spread *spread, const double *cost, int32_t count,
                     int32_t *from, int32_t *to);
int sw_spread_part(sw_spread *spread, float *gradient, float **part,
                   sw_err *err);
int sw_spread_results(sw_spread *spread, void *results, size_t size,
                      sw_err *err);

/* Sends weights, step count and moments of rank 0 to all ranks. */
int sw_spread_from_first(sw_spread *spread, sw_err *err);
/* Collects the moments of all ranks on rank 0. */
int sw_spread_to_first(sw_spread *spread, sw_err *err);

#endif
