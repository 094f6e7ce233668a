/* Collective functions over the sends and receives of ranks_link.h. Sizes are
 * known on both sides, so a message carries data only. See ranks.h. */
#include "base/ranks.h"
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/hash.h"
#include "base/clock.h"
#include "base/ranks_link.h"
#include "base/ranks_wait.h"
#include "base/threads.h"

enum { SMALL = 1 << 15 }; /* bytes */

/* One process is one rank of one job, so this is process-wide. */
static struct {
  int me, count; /* of the job; count 0: not started */
  int alone;     /* works by itself for now */
  sw_rank_info *info;
  char (*name)[128];
  double seconds;
} job;

static pthread_mutex_t link_mutex = PTHREAD_MUTEX_INITIALIZER;
void sw_link_lock(void) { pthread_mutex_lock(&link_mutex); }
void sw_link_unlock(void) { pthread_mutex_unlock(&link_mutex); }

int sw_ranks_me(void) { return job.alone ? 0 : job.me; }
int sw_ranks_count(void) { return job.count && !job.alone ? job.count : 1; }
void sw_ranks_work_alone(void) { job.alone = 1; }
void sw_ranks_on_loss(sw_ranks_lost_fn fn) { sw_watch_on_loss(fn); }
double sw_ranks_seconds(void) { return job.seconds; }
const char *sw_ranks_name(int rank) {
  return job.name && rank >= 0 && rank < job.count ? job.name[rank]
                                                   : "this process";
}

/* ---- waiting ---- */

void sw_wait_send(int to, int channel, const void *data, size_t bytes,
                  sw_link_op *op) {
  sw_link_lock();
  sw_link_send(to, channel, data, bytes, op);
  sw_link_unlock();
}

void sw_wait_receive(int from, int channel, void *data, size_t bytes,
                     sw_link_op *op) {
  sw_link_lock();
  sw_link_receive(from, channel, data, bytes, op);
  sw_link_unlock();
}

int sw_wait_test(sw_link_op *op) {
  sw_link_lock();
  int done = sw_link_test(op);
  sw_link_unlock();
  return done;
}

static void rest(double seconds) {
  struct timespec t = {0, (long)(seconds * 1e9)};
  nanosleep(&t, NULL);
}

/* The handler of a lost rank ends the process, so no other message follows. */
static int lost(sw_err *err) {
  while (sw_watch_lost(err) && sw_watch_is_heard()) rest(0.5);
  if (sw_watch_lost(err)) return SW_LOST;
  return sw_fail(err, SW_LOST, "the connection to another rank was lost");
}

/* Waits for one of them. A waiter stays awake for a moment, because what it
 * waits for is mostly on its way, and then leaves the core to those that
 * compute. limit 0: none; SW_LIMIT: it has passed. */
int sw_wait_within(sw_link_op *op, double limit, sw_err *err) {
  double begin = sw_now();
  for (int i = 0;; i++) {
    int done = sw_wait_test(op);
    if (done > 0) break;
    if (done < 0 || sw_watch_lost(NULL)) return lost(err);
    double waited = i % 16 ? 0 : sw_now() - begin;
    if (limit > 0 && waited > limit) return SW_LIMIT;
    if (i > 4000) rest(1e-4);
    else sched_yield();
  }
  return SW_OK;
}

int sw_wait(sw_link_op *op, sw_err *err) { return sw_wait_within(op, 0, err); }

static int send_now(int to, const void *data, size_t bytes, sw_err *err) {
  const char *at = data;
  for (size_t done = 0, step; done < bytes; done += step) {
    sw_link_op op;
    step = bytes - done < SW_LINK_MOST ? bytes - done : SW_LINK_MOST;
    sw_wait_send(to, SW_CHANNEL_DATA, at + done, step, &op);
    SW_TRY(sw_wait(&op, err));
  }
  return SW_OK;
}

static int receive_now(int from, void *data, size_t bytes, sw_err *err) {
  char *at = data;
  for (size_t done = 0, step; done < bytes; done += step) {
    sw_link_op op;
    step = bytes - done < SW_LINK_MOST ? bytes - done : SW_LINK_MOST;
    sw_wait_receive(from, SW_CHANNEL_DATA, at + done, step, &op);
    SW_TRY(sw_wait(&op, err));
  }
  return SW_OK;
}

/* ---- from one to all, from all to one ---- */

/* A binomial tree: in round k the first 2^k ranks, counted from `from`, each
 * serve one more. */
static int share(void *data, size_t bytes, int from, sw_err *err) {
  int n = job.count, me = (job.me - from + n) % n, top = 1;
  while (top < n) top *= 2;
  for (int half = top / 2; half >= 1; half /= 2) {
    if (me % (2 * half) == 0 && me + half < n)
      SW_TRY(send_now((me + half + from) % n, data, bytes, err));
    else if (me % (2 * half) == half)
      SW_TRY(receive_now((me - half + from) % n, data, bytes, err));
  }
  return SW_OK;
}

static int collect(void *data, size_t size, const size_t *begin, sw_err *err) {
  char *at = data;
  if (job.me)
    return send_now(0, at + begin[job.me] * size,
                    (begin[job.me + 1] - begin[job.me]) * size, err);
  for (int r = 1; r < job.count; r++)
    SW_TRY(receive_now(r, at + begin[r] * size,
                       (begin[r + 1] - begin[r]) * size, err));
  return SW_OK;
}

static int deal(void *data, size_t size, const size_t *begin, sw_err *err) {
  char *at = data;
  if (job.me)
    return receive_now(0, at + begin[job.me] * size,
                       (begin[job.me + 1] - begin[job.me]) * size, err);
  for (int r = 1; r < job.count; r++)
    SW_TRY(send_now(r, at + begin[r] * size, (begin[r + 1] - begin[r]) * size,
                    err));
  return SW_OK;
}

/* One stage of the ring: a piece to the right, one from the left. */
static int pass_on(char *send, size_t send_bytes, char *receive,
                   size_t receive_bytes, sw_err *err) {
  int right = (job.me + 1) % job.count;
  int left = (job.me + job.count - 1) % job.count;
  while (send_bytes || receive_bytes) {
    sw_link_op out = {.open = 0}, in = {.open = 0};
    size_t s = send_bytes < SW_LINK_MOST ? send_bytes : SW_LINK_MOST;
    size_t r = receive_bytes < SW_LINK_MOST ? receive_bytes : SW_LINK_MOST;
    if (r) sw_wait_receive(left, SW_CHANNEL_DATA, receive, r, &in);
    if (s) sw_wait_send(right, SW_CHANNEL_DATA, send, s, &out);
    SW_TRY(sw_wait(&in, err));
    SW_TRY(sw_wait(&out, err));
    send += s, send_bytes -= s;
    receive += r, receive_bytes -= r;
  }
  return SW_OK;
}

static int join(void *data, size_t size, const size_t *begin, sw_err *err) {
  char *at = data;
  int n = job.count;
  if (begin[n] * size < SMALL) { /* fewer hops count for more than bytes */
    SW_TRY(collect(data, size, begin, err));
    return share(data, begin[n] * size, 0, err);
  }
  for (int stage = 0; stage < n - 1; stage++) {
    int mine = (job.me - stage + n) % n, next = (job.me - stage - 1 + n) % n;
    SW_TRY(pass_on(
        at + begin[mine] * size, (begin[mine + 1] - begin[mine]) * size,
        at + begin[next] * size, (begin[next + 1] - begin[next]) * size, err));
  }
  return SW_OK;
}

double sw_wait_begin(void) { return sw_now(); }
void sw_wait_end(double from) { job.seconds += sw_now() - from; }

/* Seconds count, success or not. */
#define TIMED(call)                      \
  do {                                   \
    if (sw_ranks_count() == 1) return 0; \
    double timed_from = sw_wait_begin(); \
    int timed_code = (call);             \
    sw_wait_end(timed_from);             \
    return timed_code;                   \
  } while (0)

int sw_ranks_share(void *data, size_t bytes, int from, sw_err *err) {
  TIMED(share(data, bytes, from, err));
}
int sw_ranks_collect(void *data, size_t size, const size_t *begin,
                     sw_err *err) {
  TIMED(collect(data, size, begin, err));
}
int sw_ranks_join(void *data, size_t size, const size_t *begin, sw_err *err) {
  TIMED(join(data, size, begin, err));
}
int sw_ranks_deal(void *data, size_t size, const size_t *begin, sw_err *err) {
  TIMED(deal(data, size, begin, err));
}

/* One item of every rank, on all of them. */
static int everyone(void *items, size_t size, sw_err *err) {
  size_t *begin = malloc(sizeof *begin * (size_t)(job.count + 1));
  if (!begin) return sw_no_memory_for(err, "the ranks");
  for (int r = 0; r <= job.count; r++) begin[r] = (size_t)r;
  int code = collect(items, size, begin, err);
  if (!code) code = share(items, size * (size_t)job.count, 0, err);
  free(begin);
  return code;
}

static int gather(const void *mine, size_t bytes, char **all, size_t *total,
                  sw_err *err) {
  size_t n = (size_t)job.count;
  size_t *size = calloc(n, sizeof *size), *begin = calloc(n + 1, sizeof *begin);
  int code = size && begin ? SW_OK : sw_no_memory_for(err, "ranks");
  if (!code) {
    size[job.me] = bytes;
    code = everyone(size, sizeof *size, err);
  }
  for (size_t r = 0; r < n && !code; r++) begin[r + 1] = begin[r] + size[r];
  if (!code && job.me) code = send_now(0, mine, bytes, err);
  if (!code && !job.me) {
    *total = begin[n];
    *all = malloc(*total + 1);
    if (!*all) code = sw_no_memory_for(err, "%zu bytes", *total);
    if (!code && bytes) memcpy(*all, mine, bytes);
    if (!code) code = collect(*all, 1, begin, err);
  }
  free(size);
  free(begin);
  return code;
}

int sw_ranks_gather(const void *mine, size_t bytes, char **all, size_t *total,
                    sw_err *err) {
  *all = NULL;
  *total = 0;
  if (sw_ranks_count() > 1) TIMED(gather(mine, bytes, all, total, err));
  *total = bytes;
  *all = malloc(bytes + 1);
  if (!*all) return sw_no_memory_for(err, "%zu bytes", bytes);
  if (bytes) memcpy(*all, mine, bytes);
  return SW_OK;
}

static int agree(unsigned mine, unsigned *all, sw_err *err) {
  unsigned *bits = calloc((size_t)job.count, sizeof *bits);
  if (!bits) return sw_no_memory_for(err, "the ranks");
  bits[job.me] = mine;
  int code = everyone(bits, sizeof *bits, err);
  for (int r = 0; r < job.count; r++) *all |= bits[r];
  free(bits);
  return code;
}

int sw_ranks_agree(unsigned mine, unsigned *all, sw_err *err) {
  *all = mine;
  TIMED(agree(mine, all, err));
}

static int same(const char *what, uint64_t mine, sw_err *err) {
  uint64_t *all = calloc((size_t)job.count, sizeof *all);
  if (!all) return sw_no_memory_for(err, "the ranks");
  all[job.me] = mine;
  int code = everyone(all, sizeof *all, err);
  for (int r = 1; r < job.count && !code; r++)
    if (all[r] != all[0]) {
      code = sw_fail(err, SW_USAGE, "%s differs: %016llx on %s, %016llx on %s",
                     what, (unsigned long long)all[r], job.name[r],
                     (unsigned long long)all[0], job.name[0]);
      sw_hint(err, "all ranks need the same program, options and files");
    }
  free(all);
  return code;
}

int sw_ranks_same(const char *what, uint64_t mine, sw_err *err) {
  TIMED(same(what, mine, err));
}

/* ---- the job's begin and end ---- */

static void describe(sw_rank_info *info) {
  struct stat space;
  cpu_set_t cpus;
  memset(info, 0, sizeof *info);
  if (gethostname(info->host, sizeof info->host - 1))
    snprintf(info->host, sizeof info->host, "unknown host");
  info->pid = (long)getpid();
  if (!stat("/proc/self/ns/pid", &space)) info->space = space.st_ino;
  if (!sched_getaffinity(0, sizeof cpus, &cpus))
    info->cpus = (unsigned long)sw_xxh64(&cpus, sizeof cpus, 0);
}

/* Ranks that were given the same processors share them. */
static void divide_cpus(void) {
  const sw_rank_info *me = &job.info[job.me];
  int sharing = 0;
  for (int r = 0; r < job.count; r++)
    sharing +=
        !strcmp(job.info[r].host, me->host) && job.info[r].cpus == me->cpus;
  sw_cpu_divide(sharing);
}

static int meet(sw_err *err) {
  job.info = calloc((size_t)job.count, sizeof *job.info);
  job.name = calloc((size_t)job.count, sizeof *job.name);
  if (!job.info || !job.name)
    return sw_no_memory_for(err, "%d ranks", job.count);
  describe(&job.info[job.me]);
  SW_TRY(everyone(job.info, sizeof *job.info, err));
  for (int r = 0; r < job.count; r++) {
    job.info[r].host[sizeof job.info[r].host - 1] = 0;
    snprintf(job.name[r], sizeof job.name[r], "rank %d of %d on %s", r,
             job.count, job.info[r].host);
  }
  divide_cpus();
  return sw_watch_start(job.me, job.count, job.info, err);
}

int sw_ranks_start(sw_err *err) {
  int me = 0, count = 1;
  SW_TRY(sw_link_start(&me, &count, err));
  job.me = me;
  job.count = count;
  return count > 1 ? meet(err) : SW_OK;
}

/* Rank 0 hears of every rank's end and answers with the first that failed. */
static int settle(int failed, int *first, double limit, sw_err *err) {
  int mine = failed ? job.me : job.count, other;
  sw_link_op op;
  *first = mine;
  if (job.me) {
    sw_wait_send(0, SW_CHANNEL_END, &mine, sizeof mine, &op);
    SW_TRY(sw_wait_within(&op, limit, err));
    sw_wait_receive(0, SW_CHANNEL_END, first, sizeof *first, &op);
    return sw_wait_within(&op, limit, err);
  }
  for (int r = 1; r < job.count; r++) {
    sw_wait_receive(r, SW_CHANNEL_END, &other, sizeof other, &op);
    SW_TRY(sw_wait_within(&op, limit, err));
    if (other < *first) *first = other;
  }
  for (int r = 1; r < job.count; r++) {
    sw_wait_send(r, SW_CHANNEL_END, first, sizeof *first, &op);
    SW_TRY(sw_wait_within(&op, limit, err));
  }
  return SW_OK;
}

int sw_ranks_settle(const sw_err *failure, int *others_wait) {
  enum { PATIENCE = 2 }; /* seconds for the others to fail too */
  int first = 0;
  *others_wait = 0;
  job.alone = 0;
  if (sw_ranks_count() == 1) return failure ? 0 : -1;
  sw_watch_ending();
  if (settle(failure != NULL, &first, failure ? PATIENCE : 0, NULL)) {
    *others_wait = 1;
    if (failure) sw_watch_farewell(failure);
    return job.me;
  }
  return first == job.count ? -1 : first;
}

void sw_ranks_leave(void) {
  int unused;
  if (job.count > 1) {
    settle(0, &unused, 5, NULL); /* no rank ends before rank 0 has answered */
    sw_post_stop();
    sw_watch_stop();
  }
  sw_link_stop();
  free(job.info);
  free(job.name);
  memset(&job, 0, sizeof job);
}

void sw_ranks_abort(int exit_code) {
  struct timespec soon;
  alarm(3); /* a launcher that is out of reach cannot be waited for */
  clock_gettime(CLOCK_REALTIME, &soon);
  soon.tv_sec++;
  pthread_mutex_timedlock(&link_mutex, &soon);
  sw_link_abort(exit_code);
}
