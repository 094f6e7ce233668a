/* Deadlines of connections and turns of hard requests (see guard.h). */
#include "serve/guard.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include "base/clock.h"

struct sw_seat {
  sw_seat *next, *before;
  int socket;
  double deadline; /* of sw_now(); 0: none */
};

struct sw_guard {
  pthread_mutex_t lock;
  pthread_cond_t turn;    /* a hard request has ended */
  pthread_cond_t changed; /* there are deadlines, or it is the end */
  pthread_t watcher;
  sw_seat *first;
  int at_once, most_waiting; /* limits */
  int at_work, waiting;
  int stopping;
};

/* Shuts down overdue connections; returns the time of the next deadline, or
 * 0. The thread that reads or writes there sees the end and closes the
 * connection. */
static double shut_overdue(sw_guard *g, double now) {
  double next = 0;
  for (sw_seat *s = g->first; s; s = s->next) {
    if (s->deadline <= 0) continue;
    if (s->deadline <= now) {
      shutdown(s->socket, SHUT_RDWR);
      s->deadline = 0;
    } else if (next <= 0 || s->deadline < next) {
      next = s->deadline;
    }
  }
  return next;
}

static void *watch(void *context) {
  sw_guard *g = context;
  pthread_mutex_lock(&g->lock);
  while (!g->stopping) {
    double now = sw_now(), next = shut_overdue(g, now);
    if (next <= 0) {
      pthread_cond_wait(&g->changed, &g->lock);
      continue;
    }
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    double wait = next - now < 0.01 ? 0.01 : next - now;
    until.tv_sec += (time_t)wait;
    until.tv_nsec += (long)((wait - (double)(time_t)wait) * 1e9);
    if (until.tv_nsec >= 1000000000) {
      until.tv_sec++;
      until.tv_nsec -= 1000000000;
    }
    pthread_cond_timedwait(&g->changed, &g->lock, &until);
  }
  pthread_mutex_unlock(&g->lock);
  return NULL;
}

int sw_guard_new(sw_guard **guard, int at_once, int waiting, sw_err *err) {
  sw_guard *g = calloc(1, sizeof *g);
  *guard = NULL;
  if (!g) return sw_no_memory(err);
  g->at_once = at_once;
  g->most_waiting = waiting;
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_mutex_init(&g->lock, NULL);
  pthread_cond_init(&g->turn, NULL);
  pthread_cond_init(&g->changed, &monotonic);
  pthread_condattr_destroy(&monotonic);
  if (pthread_create(&g->watcher, NULL, watch, g)) {
    free(g);
    return sw_fail(err, SW_MEMORY, "no thread for the server's deadlines");
  }
  *guard = g;
  return SW_OK;
}

void sw_guard_stop(sw_guard *g) {
  pthread_mutex_lock(&g->lock);
  g->stopping = 1;
  pthread_cond_broadcast(&g->turn);
  pthread_cond_broadcast(&g->changed);
  pthread_mutex_unlock(&g->lock);
}

void sw_guard_free(sw_guard *g) {
  if (!g) return;
  sw_guard_stop(g);
  pthread_join(g->watcher, NULL);
  pthread_cond_destroy(&g->turn);
  pthread_cond_destroy(&g->changed);
  pthread_mutex_destroy(&g->lock);
  free(g);
}

sw_seat *sw_guard_admit(sw_guard *g, int socket) {
  sw_seat *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->socket = socket;
  pthread_mutex_lock(&g->lock);
  s->next = g->first;
  if (g->first) g->first->before = s;
  g->first = s;
  pthread_mutex_unlock(&g->lock);
  return s;
}

void sw_guard_dismiss(sw_guard *g, sw_seat *s) {
  if (!s) return;
  pthread_mutex_lock(&g->lock);
  if (s->next) s->next->before = s->before;
  if (s->before) s->before->next = s->next;
  else g->first = s->next;
  pthread_mutex_unlock(&g->lock);
  free(s);
}

void sw_guard_allow(sw_guard *g, sw_seat *s, double seconds) {
  if (!s) return;
  pthread_mutex_lock(&g->lock);
  s->deadline = seconds > 0 ? sw_now() + seconds : 0;
  pthread_cond_signal(&g->changed);
  pthread_mutex_unlock(&g->lock);
}

int sw_guard_take(sw_guard *g) {
  pthread_mutex_lock(&g->lock);
  int turn = g->waiting < g->most_waiting || g->at_work < g->at_once;
  if (turn) {
    g->waiting++;
    while (g->at_work >= g->at_once && !g->stopping)
      pthread_cond_wait(&g->turn, &g->lock);
    g->waiting--;
    turn = !g->stopping;
    g->at_work += turn;
  }
  pthread_mutex_unlock(&g->lock);
  return turn;
}

void sw_guard_done(sw_guard *g) {
  pthread_mutex_lock(&g->lock);
  g->at_work--;
  pthread_cond_signal(&g->turn);
  pthread_mutex_unlock(&g->lock);
}
