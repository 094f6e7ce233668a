/* The thread team. The caller of sw_team_run is rank 0; the others wait at the
 * team's barrier between regions. One barrier serves everything: a region is
 * barrier, fn, barrier, so members always meet in the same order. A waiter
 * spins for a few microseconds and then sleeps; it never spins when there are
 * more members than cores. */
#include "base/threads.h"
#include "base/check.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/stop.h"

struct sw_team {
  _Atomic int size; /* changes only when a member could not be started */
  int spin;
  _Atomic int arrived;
  _Atomic unsigned generation;
  pthread_mutex_t mutex;
  pthread_cond_t wake;
  sw_team_fn fn; /* NULL: the team ends */
  void *context;
  const sw_stop_scope *stop; /* of the thread that runs the region */
  int started;               /* helper threads that exist */
  int wanted;                /* the size it was made with */
  unsigned forks;            /* how often the process had forked then */
  pthread_t *thread;
};
typedef struct member {
  sw_team *team;
  int rank;
} member;

/* fork() copies only the thread that calls it: in the child every team has lost
 * its members. The count tells such a team from one made in this process. */
static _Atomic unsigned forks;
static void count_fork(void) { forks++; }
static void watch_forks(void) { pthread_atfork(NULL, NULL, count_fork); }

static int cpu_sharing = 1;
void sw_cpu_divide(int processes) {
  SW_ASSERT(processes > 0);
  cpu_sharing = processes;
}

int sw_cpu_count(void) {
  cpu_set_t set;
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
    count = CPU_COUNT(&set);
  return count > cpu_sharing ? (int)(count / cpu_sharing) : 1;
}

static void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

void sw_team_barrier(sw_team *team) {
  if (team->size == 1) return;
  unsigned seen = atomic_load(&team->generation);
  int place = atomic_fetch_add(&team->arrived, 1) + 1;
  if (place == team->size) { /* read after arriving: see sw_team_new */
    atomic_store(&team->arrived, 0);
    pthread_mutex_lock(&team->mutex);
    atomic_fetch_add(&team->generation, 1);
    pthread_cond_broadcast(&team->wake);
    pthread_mutex_unlock(&team->mutex);
    return;
  }
  for (int i = 0; i < team->spin; i++) {
    if (atomic_load_explicit(&team->generation, memory_order_acquire) != seen)
      return;
    relax();
  }
  pthread_mutex_lock(&team->mutex);
  while (atomic_load(&team->generation) == seen)
    pthread_cond_wait(&team->wake, &team->mutex);
  pthread_mutex_unlock(&team->mutex);
}

static void *member_main(void *argument) {
  member self = *(member *)argument;
  free(argument);
  for (;;) {
    sw_team_barrier(self.team);
    if (!self.team->fn) return NULL;
    sw_stop_adopt(self.team->stop);
    self.team->fn(self.team->context, self.rank, self.team->size);
    sw_team_barrier(self.team);
  }
}

static int start_member(sw_team *team, int rank) {
  member *self = malloc(sizeof *self);
  if (!self) return -1;
  *self = (member){team, rank};
  if (pthread_create(&team->thread[rank - 1], NULL, member_main, self)) {
    free(self);
    return -1;
  }
  return 0;
}

/* Starts the members of a team that has none; `size` becomes the number that
 * run. */
static void start_members(sw_team *team) {
  team->forks = forks;
  team->arrived = 0;
  team->generation = 0;
  team->started = 0;
  team->size = team->wanted;
  pthread_mutex_init(&team->mutex, NULL);
  pthread_cond_init(&team->wake, NULL);
  for (int rank = 1; rank < team->wanted; rank++, team->started++)
    if (start_member(team, rank)) {
      /* Those that exist meet among themselves: a member that still reads the
       * old size has arrived before the caller does. */
      team->size = team->started + 1;
      return;
    }
}

int sw_team_new(sw_team **out, int size, sw_err *err) {
  SW_ASSERT(out);
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (size == 0) size = sw_cpu_count();
  if (size < 1 || size > 1024)
    return sw_fail(err, SW_USAGE, "%d threads: 1 to 1024 are possible", size);
  *out = NULL;
  sw_team *team = calloc(1, sizeof *team);
  pthread_t *thread = calloc((size_t)size, sizeof *thread);
  if (!team || !thread) {
    free(team);
    free(thread);
    return sw_no_memory_for(err, "%d threads", size);
  }
  pthread_once(&once, watch_forks);
  team->wanted = size;
  team->spin = size <= sw_cpu_count() ? 2000 : 0;
  team->thread = thread;
  start_members(team);
  if (team->started + 1 < size) {
    sw_team_free(team);
    return sw_fail(err, SW_MEMORY, "cannot start all of %d threads", size);
  }
  *out = team;
  return SW_OK;
}

static int is_orphan(const sw_team *team) { return team->forks != forks; }

void sw_team_free(sw_team *team) {
  if (!team) return;
  /* After a fork the members and the waiters do not exist, so there is nothing
   * to end. */
  if (!is_orphan(team)) {
    team->fn = NULL;
    sw_team_barrier(team);
    for (int i = 0; i < team->started; i++) pthread_join(team->thread[i], NULL);
    pthread_cond_destroy(&team->wake);
    pthread_mutex_destroy(&team->mutex);
  }
  free(team->thread);
  free(team);
}

int sw_team_size(const sw_team *team) {
  SW_ASSERT(team);
  return team->wanted;
}

void sw_team_run(sw_team *team, sw_team_fn fn, void *context) {
  SW_ASSERT(team && fn);
  SW_CHECK(sw_team_check(team));
  if (is_orphan(team)) start_members(team);
  team->fn = fn;
  team->context = context;
  team->stop = sw_stop_current();
  sw_team_barrier(team);
  fn(context, 0, team->size);
  sw_team_barrier(team);
}

void sw_share(size_t count, size_t grain, int rank, int size, size_t *begin,
              size_t *end) {
  SW_ASSERT(size > 0);
  SW_ASSERT(rank >= 0 && rank < size);
  SW_ASSERT(begin && end);
  if (grain == 0) grain = 1;
  size_t units = count / grain + (count % grain != 0);
  size_t each = units / (size_t)size, extra = units % (size_t)size;
  size_t r = (size_t)rank;
  size_t first = each * r + (r < extra ? r : extra);
  size_t last = first + each + (r < extra);
  *begin = first * grain < count ? first * grain : count;
  *end = last * grain < count ? last * grain : count;
}

#ifdef SW_DEBUG
const char *sw_team_check(const sw_team *team) {
  if (!team) return "no team";
  if (team->wanted < 1 || team->size < 1) return "a team without members";
  if (team->size > team->wanted) return "more members than it was made with";
  if (!is_orphan(team) && team->started + 1 < team->size)
    return "members that were never started";
  return NULL;
}
#endif
