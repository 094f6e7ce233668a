/* Signals as a flag (see stop.h). */
#include "cli/stop.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
/* Atomic, not only sig_atomic_t: a team's threads ask while another one is
 * interrupted. Free of locks, so a handler may write it. */
static atomic_int requested;
_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "written by a signal handler");

static void note_signal(int number) {
  (void)number;
  atomic_store_explicit(&requested, 1, memory_order_relaxed);
}

void sw_stop_on_signals(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = note_signal;
  action.sa_flags = (int)SA_RESETHAND;
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGUSR1, &action, NULL);
}

int sw_stop_requested(void *unused) {
  (void)unused;
  return atomic_load_explicit(&requested, memory_order_relaxed);
}
