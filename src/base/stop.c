/* Scopes of stopping (see stop.h): a thread-local chain. */
#include "base/stop.h"
#include <stddef.h>
#include "base/clock.h"

static _Thread_local const sw_stop_scope *current;

void sw_stop_enter(sw_stop_scope *scope, double seconds,
                   int (*asked)(void *context), void *context) {
  scope->deadline = seconds > 0 ? sw_now() + seconds : 0;
  scope->asked = asked;
  scope->context = context;
  scope->outer = current;
  current = scope;
}

void sw_stop_leave(sw_stop_scope *scope) { current = scope->outer; }

int sw_asked_to_stop(void) {
  for (const sw_stop_scope *s = current; s; s = s->outer)
    if (s->asked && s->asked(s->context)) return 1;
  return 0;
}

int sw_stop_asked(void *unused) {
  (void)unused;
  return sw_asked_to_stop();
}

double sw_time_left(double otherwise) {
  double left = otherwise, now = -1;
  int limited = 0;
  for (const sw_stop_scope *s = current; s; s = s->outer) {
    if (s->deadline <= 0) continue;
    if (now < 0) now = sw_now();
    double here = s->deadline > now ? s->deadline - now : 0;
    if (!limited || here < left) left = here;
    limited = 1;
  }
  return left;
}

int sw_time_to_stop(void) {
  if (!current) return 0;
  return sw_asked_to_stop() || sw_time_left(1) <= 0;
}

int sw_fail_stopped(sw_err *err, const char *what) {
  if (sw_asked_to_stop())
    return sw_fail(err, SW_STOPPED, "%s: stopped on request", what);
  return sw_fail(err, SW_STOPPED, "%s: stopped at the time limit", what);
}

const sw_stop_scope *sw_stop_current(void) { return current; }

void sw_stop_adopt(const sw_stop_scope *scope) { current = scope; }
