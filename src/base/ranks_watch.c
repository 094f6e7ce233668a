/* The watch over the other ranks: a thread that looks up five times a second.
 * MPI by itself may wait for hours for a machine that is gone. Three signs tell
 * that a rank is lost, and whoever sees one tells all the others:
 *   - its process is on this machine and no longer exists,
 *   - it is a neighbour in the ring of ranks and its pulse, sent every second
 *     by the same thread over there, has stopped (STATEWISE_SILENCE seconds),
 *   - it said itself that it gives up.
 * Time in which this process was itself suspended does not count. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/clock.h"
#include "base/ranks.h"
#include "base/ranks_link.h"

enum {
  TICKS = 5,       /* a second */
  DEAD_AT_END = 2, /* seconds: ranks leave at slightly different times */
  SILENCE = 10     /* seconds, unless STATEWISE_SILENCE says otherwise */
};

typedef struct pulse {
  int rank, silent; /* ticks since the last beat */
  char in, out;
  sw_link_op from, to;
} pulse;

static struct {
  int me, count, pulses, limit;
  const sw_rank_info *info;
  pulse neighbour[2];
  sw_err told; /* by a farewell */
  sw_link_op farewell;
  int *missing; /* [count] ticks since the process is not there */
  sw_err lost;
  _Atomic int is_lost, ending, stop;
  void (*on_loss)(const sw_err *err);
  pthread_t thread;
  int running;
} watch;

void sw_watch_on_loss(void (*fn)(const sw_err *err)) { watch.on_loss = fn; }

int sw_watch_is_heard(void) { return watch.on_loss != NULL; }

int sw_watch_lost(sw_err *err) {
  if (!atomic_load(&watch.is_lost)) return 0;
  if (err) *err = watch.lost;
  return 1;
}

static void rest(double seconds) {
  struct timespec t = {(time_t)seconds,
                       (long)((seconds - (double)(time_t)seconds) * 1e9)};
  nanosleep(&t, NULL);
}

/* A second for messages that can still arrive. */
void sw_watch_farewell(const sw_err *err) {
  sw_err said = *err;
  sw_link_op *op = calloc((size_t)watch.count, sizeof *op);
  snprintf(said.text, sizeof said.text, "%s: %.640s", sw_ranks_name(watch.me),
           err->text);
  sw_link_lock();
  for (int r = 0; op && r < watch.count; r++)
    if (r != watch.me)
      sw_link_send(r, SW_CHANNEL_FAREWELL, &said, sizeof said, &op[r]);
  sw_link_unlock();
  for (int i = 0, open = 1; op && open && i < 100; i++) {
    open = 0;
    sw_link_lock();
    for (int r = 0; r < watch.count; r++)
      open += op[r].open > 0 && sw_link_test(&op[r]) == 0;
    sw_link_unlock();
    rest(0.01);
  }
  free(op);
}

/* Another rank's process on this machine ended. */
static int look_for_processes(sw_err *err) {
  const sw_rank_info *me = &watch.info[watch.me];
  for (int r = 0; r < watch.count; r++) {
    const sw_rank_info *i = &watch.info[r];
    if (r == watch.me || strcmp(i->host, me->host) || i->space != me->space)
      continue;
    int gone = kill((pid_t)i->pid, 0) && errno == ESRCH;
    watch.missing[r] = gone ? watch.missing[r] + 1 : 0;
    if (gone && (!atomic_load(&watch.ending) ||
                 watch.missing[r] > DEAD_AT_END * TICKS)) {
      sw_fail(err, SW_LOST, "%s has died (process %ld)", sw_ranks_name(r),
              i->pid);
      return 1;
    }
  }
  return 0;
}

/* Called with the lock. */
static int feel_pulse(pulse *p, int tick, int counts, sw_err *err) {
  int came = sw_link_test(&p->from);
  if (came > 0) {
    p->silent = 0;
    sw_link_receive(p->rank, SW_CHANNEL_PULSE, &p->in, 1, &p->from);
  }
  p->silent = counts ? p->silent + 1 : 0;
  int sent = tick % TICKS ? 0 : sw_link_test(&p->to);
  if (sent > 0) sw_link_send(p->rank, SW_CHANNEL_PULSE, &p->out, 1, &p->to);
  if (came < 0 || sent < 0) {
    sw_fail(err, SW_LOST, "the connection to %s was lost",
            sw_ranks_name(p->rank));
    return 1;
  }
  if (p->silent <= watch.limit * TICKS) return 0;
  sw_fail(err, SW_LOST,
          "%s has not answered for %d seconds: the machine or the connection "
          "to it is down",
          sw_ranks_name(p->rank), watch.limit);
  return 1;
}

/* 1: a rank is lost; *said: all ranks have been told. */
static int look(int tick, int counts, sw_err *err, int *said) {
  int found = look_for_processes(err);
  sw_link_lock();
  int told = sw_link_test(&watch.farewell);
  if (told > 0) {
    *err = watch.told;
    err->text[sizeof err->text - 1] = err->hint[sizeof err->hint - 1] = 0;
    *said = found = 1;
  }
  for (int i = 0; i < watch.pulses && !found; i++)
    found = feel_pulse(&watch.neighbour[i], tick, counts, err);
  sw_link_unlock();
  return found;
}

static void *keep_watch(void *unused) {
  (void)unused;
  for (int tick = 0; !atomic_load(&watch.stop); tick++) {
    sw_err err = {0};
    int said = 0;
    double begin = sw_now();
    rest(1.0 / TICKS);
    if (!look(tick, sw_now() - begin < 1, &err, &said)) continue;
    if (!err.hint[0])
      sw_hint(&err,
              "nothing is lost up to the last checkpoint or stored result: "
              "give the same command again to go on");
    watch.lost = err;
    atomic_store(&watch.is_lost, 1);
    if (!said) sw_watch_farewell(&err);
    if (watch.on_loss) watch.on_loss(&err);
    return NULL;
  }
  return NULL;
}

static int limit_of(const char *text) {
  long seconds = text ? strtol(text, NULL, 10) : 0;
  return seconds > 0 && seconds < 1000000 ? (int)seconds : SILENCE;
}

int sw_watch_start(int me, int count, const sw_rank_info *info, sw_err *err) {
  sigset_t all, before;
  watch.me = me;
  watch.count = count;
  watch.info = info;
  watch.limit = limit_of(getenv("STATEWISE_SILENCE"));
  watch.missing = calloc((size_t)count, sizeof *watch.missing);
  if (!watch.missing) return sw_no_memory_for(err, "%d ranks", count);
  watch.pulses = count > 2 ? 2 : 1;
  watch.neighbour[0].rank = (me + 1) % count;
  watch.neighbour[1].rank = (me + count - 1) % count;
  sw_link_lock();
  sw_link_receive(-1, SW_CHANNEL_FAREWELL, &watch.told, sizeof watch.told,
                  &watch.farewell);
  for (int i = 0; i < watch.pulses; i++)
    sw_link_receive(watch.neighbour[i].rank, SW_CHANNEL_PULSE,
                    &watch.neighbour[i].in, 1, &watch.neighbour[i].from);
  sw_link_unlock();
  sigfillset(&all); /* signals are the main thread's */
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int code = pthread_create(&watch.thread, NULL, keep_watch, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  watch.running = !code;
  return code ? sw_fail(err, SW_MEMORY, "cannot start the watching thread")
              : SW_OK;
}

void sw_watch_ending(void) { atomic_store(&watch.ending, 1); }

void sw_watch_stop(void) {
  if (!watch.running) return;
  atomic_store(&watch.stop, 1);
  pthread_join(watch.thread, NULL);
  watch.running = 0;
  sw_link_lock();
  sw_link_cancel(&watch.farewell);
  for (int i = 0; i < watch.pulses; i++) {
    sw_link_cancel(&watch.neighbour[i].from);
    for (int k = 0; k < 100 && !sw_link_test(&watch.neighbour[i].to); k++)
      rest(0.001);
  }
  sw_link_unlock();
  free(watch.missing);
  watch.missing = NULL;
}
