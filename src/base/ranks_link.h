/* Inside src/base only: sends and receives of bytes between ranks, all of them
 * begun here and finished later. ranks_mpi.c has them from MPI, ranks_alone.c
 * has none; a program is linked with one of the two. Not thread-safe: callers
 * hold one lock around every call. */
#ifndef SW_BASE_RANKS_LINK_H
#define SW_BASE_RANKS_LINK_H
#include <stddef.h>
#include "base/err.h"

/* Messages of different channels do not overtake or match each other. */
enum {
  SW_CHANNEL_DATA = 1, /* collective functions */
  SW_CHANNEL_TOTAL,    /* totals of a fold */
  SW_CHANNEL_POST,     /* sw_ranks_post */
  SW_CHANNEL_END,      /* sw_ranks_settle */
  SW_CHANNEL_PULSE,
  SW_CHANNEL_FAREWELL
};
enum { SW_LINK_MOST = 1 << 26 }; /* bytes of one message */

typedef struct sw_link_op {
  unsigned char handle[16];
  int open; /* begun and not finished */
} sw_link_op;

int sw_link_start(int *me, int *count, sw_err *err);
/* from -1: any rank. */
void sw_link_send(int to, int channel, const void *data, size_t bytes,
                  sw_link_op *op);
void sw_link_receive(int from, int channel, void *data, size_t bytes,
                     sw_link_op *op);
/* 1: finished, 0: not yet, -1: the other side is lost. */
int sw_link_test(sw_link_op *op);
void sw_link_cancel(sw_link_op *op); /* a receive whose message will not come */
void sw_link_stop(void);
void sw_link_abort(int exit_code);

/* What ranks_watch.c needs of ranks.c. */
typedef struct sw_rank_info {
  char host[64];
  long pid;
  unsigned long space; /* process-number space of that pid */
  unsigned long cpus;  /* digest of the processors it may run on */
} sw_rank_info;
void sw_link_lock(void);
void sw_link_unlock(void);
/* Starts and stops the watching thread; `name` texts live as long. */
int sw_watch_start(int me, int count, const sw_rank_info *info, sw_err *err);
void sw_watch_ending(void); /* ranks may now leave one after the other */
void sw_watch_stop(void);
/* 1: a rank was lost, *err says which. */
int sw_watch_lost(sw_err *err);
void sw_watch_on_loss(void (*fn)(const sw_err *err));
int sw_watch_is_heard(void); /* a handler of lost ranks is set */
/* Tells every other rank that this one gives up. */
void sw_watch_farewell(const sw_err *err);
/* Forgets messages that no rank will read (ranks_post.c). */
void sw_post_stop(void);

#endif
