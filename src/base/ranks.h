/* The processes of one job: ranks 0 to count - 1, started by mpirun or srun. A
 * process that was started alone, and every process of a build without MPI, is
 * rank 0 of 1, and nothing here then costs anything.
 *
 * All functions that move data are called by every rank in the same order.
 * Each returns 0, or fills *err when another rank was lost; a rank that fails
 * by itself tells the others (sw_ranks_settle), so none of them waits for ever.
 * No sum depends on the number of ranks: what is added is added rank after
 * rank, each adding its own items in their order (sw_ranks_fold).
 *
 *   ranks.c        what is below, over sends and receives of bytes
 *   ranks_watch.c  notices within seconds that a rank has died
 *   ranks_alone.c  no sends and receives (ranks_link.h)
 *   ranks_mpi.c    those of MPI; the only file that includes mpi.h */
#ifndef SW_BASE_RANKS_H
#define SW_BASE_RANKS_H
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

/* Joins the job. Called once, before threads are started; SW_USAGE when the
 * launcher started several processes that do not know of each other. */
int sw_ranks_start(sw_err *err);
int sw_ranks_me(void);    /* 0 .. count - 1 */
int sw_ranks_count(void); /* 1: alone */
/* "rank 2 of 4 on host"; valid until the job ends. */
const char *sw_ranks_name(int rank);
/* From now on this process counts as alone, until sw_ranks_settle. */
void sw_ranks_work_alone(void);

/* Called by the watching thread when a rank was lost or gave up; does not
 * return. Without one, the next function that waits fails instead. */
typedef void (*sw_ranks_lost_fn)(const sw_err *err);
void sw_ranks_on_loss(sw_ranks_lost_fn fn);
/* Every rank comes here at its end with its own error, or NULL. Returns the
 * rank whose error is to be shown (the first that has one), or -1 when all
 * went well. When the others do not come within seconds of an error they are
 * told of it, *others_wait is 1, and the caller shows it and calls
 * sw_ranks_abort; otherwise it calls sw_ranks_leave. */
int sw_ranks_settle(const sw_err *failure, int *others_wait);
void sw_ranks_leave(void); /* returns when all have come */
/* Has the launcher end all processes of the job; may not return. */
void sw_ranks_abort(int exit_code);

/* The bits that any rank has set. */
int sw_ranks_agree(unsigned mine, unsigned *all, sw_err *err);
/* SW_USAGE on all ranks, naming the first that differs from rank 0. */
int sw_ranks_same(const char *what, uint64_t mine, sw_err *err);
/* `bytes` of rank `from` to all. */
int sw_ranks_share(void *data, size_t bytes, int from, sw_err *err);
/* Pieces begin[r] .. begin[r + 1] of an array of items of `size` bytes, each
 * right on rank r: all of them to rank 0, or to all ranks; and from rank 0 to
 * each its own. */
int sw_ranks_collect(void *data, size_t size, const size_t *begin, sw_err *err);
int sw_ranks_join(void *data, size_t size, const size_t *begin, sw_err *err);
int sw_ranks_deal(void *data, size_t size, const size_t *begin, sw_err *err);
/* `bytes` of every rank, one after the other, in a new block on rank 0 (free()
 * it; *total bytes); NULL on the others. */
int sw_ranks_gather(const void *mine, size_t bytes, char **all, size_t *total,
                    sw_err *err);

/* One sum through all ranks. Rank 0 comes with `sum` as it is to begin; every
 * other rank gets what the ranks before it made of it, piece by piece, and
 * adds its own items to a piece by fold(context, from, to). The total of
 * begin[r] .. begin[r + 1] ends on rank r, all of it on the last rank. Pieces
 * follow each other through the chain, so all links are busy at once. */
typedef void (*sw_fold_fn)(void *context, size_t from, size_t to);
int sw_ranks_fold(float *sum, const size_t *begin, sw_fold_fn fold,
                  void *context, sw_err *err);

/* Messages at any time, of at most SW_POST_MOST bytes: posting never waits, and
 * those from one rank arrive in order. sw_ranks_poll: 1 when one had come, 0
 * when none has, -1 on an error. Whoever posts makes sure that all is read. */
enum { SW_POST_MOST = 2048 };
int sw_ranks_post(int to, const void *data, size_t bytes, sw_err *err);
int sw_ranks_poll(void *data, size_t bytes, sw_err *err);

/* Seconds that this process has spent in the functions above. */
double sw_ranks_seconds(void);

/* Splits `count` items in order into contiguous slices, one a part, so that
 * the dearest slice costs as little as possible. begin has parts + 1 entries.
 */
void sw_slices(const double *cost, size_t count, int parts, size_t *begin);

#endif
