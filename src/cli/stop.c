/* Signals as a flag (see stop.h). */
#include "cli/stop.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include "base/stop.h"

static volatile sig_atomic_t requested;

static void note_signal(int number) {
  (void)number;
  requested = 1;
}

void sw_stop_on_signals(void) {
  static sw_stop_scope whole_command;
  if (!whole_command.asked)
    sw_stop_enter(&whole_command, 0, sw_stop_requested, NULL);
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
  return requested;
}
