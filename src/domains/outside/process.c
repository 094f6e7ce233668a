/* A program that answers line by line (see process.h). */
#include "domains/outside/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/grow.h"
#include "base/stop.h"
#include "base/text.h"

extern char **environ;

enum {
  SLICE_MS = 100,   /* a wait looks this often whether it is time to stop */
  GRACE_MS = 500,   /* a program may need this long to end by itself */
  CHUNK = 64 << 10, /* read at once */
  SHOWN = 200       /* bytes of a request or reply that an error shows */
};

struct sw_process {
  pid_t pid;
  int to, from, lifeline; /* our ends, or -1 */
  int broken;
  sw_err failure; /* why it is broken */
  double seconds;
  FILE *log;
  int number;
  char *buffer; /* what was read */
  int64_t held, room;
  int64_t begin; /* where the bytes begin that no reply has taken yet */
};

/* The first line of a text, harmless, "..." where it is cut. */
static void cut_line(const char *text, char out[SHOWN]) {
  char line[SHOWN + 1];
  size_t length = strcspn(text, "\n");
  snprintf(line, sizeof line, "%.*s", (int)(length < SHOWN ? length : SHOWN),
           text);
  sw_clean_text(out, SHOWN - 3, line);
  if (length > strlen(out)) strcat(out, "...");
}

int sw_process_fail(sw_err *err, int code, const char *request,
                    const char *reply, const char *format, ...) {
  char why[320], asked[SHOWN], said[SHOWN];
  va_list list;
  va_start(list, format);
  vsnprintf(why, sizeof why, format, list);
  va_end(list);
  cut_line(request ? request : "", asked);
  cut_line(reply ? reply : "", said);
  if (!reply)
    return sw_fail(err, code, "the environment %s (request: %s)", why, asked);
  return sw_fail(err, code, "the environment %s (request: %s; reply: %s)", why,
                 asked, said);
}

/* ---- starting ---- */

/* The shell runs the command ($1); beside it, in the same group, a watcher
 * reads the lifeline (descriptor 3), whose end means that we are gone. */
static const char watched[] =
    "(trap '' HUP INT TERM PIPE; read line <&3; kill -KILL 0) "
    "</dev/null >/dev/null 2>&1 & exec 3<&-; exec /bin/sh -c \"$1\"";

static void close_end(int *fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

/* Ends [0], [1]: its input; [2], [3]: its output; [4], [5]: the lifeline. All
 * stand above the standard ones and 3, so that a copy onto those never meets
 * one. */
static int make_pipes(int fd[6]) {
  for (int i = 0; i < 6; i++) fd[i] = -1;
  for (int i = 0; i < 6; i += 2) {
    if (pipe2(fd + i, O_CLOEXEC)) return 0;
    for (int k = i; k < i + 2; k++) {
      if (fd[k] > 3) continue;
      int above = fcntl(fd[k], F_DUPFD_CLOEXEC, 4);
      if (above < 0) return 0;
      close(fd[k]);
      fd[k] = above;
    }
  }
  return 1;
}

static int spawn(pid_t *pid, const char *command, const int fd[6]) {
  char shell[] = "/bin/sh", flag[] = "-c", script[sizeof watched];
  memcpy(script, watched, sizeof watched);
  char *text = strdup(command);
  char *argv[] = {shell, flag, script, shell, text, NULL};
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  sigset_t none, usual;
  sigemptyset(&none);
  sigfillset(&usual);
  if (!text) return ENOMEM;
  int failed = posix_spawn_file_actions_init(&files);
  if (failed) {
    free(text);
    return failed;
  }
  failed = posix_spawnattr_init(&attributes);
  if (!failed) {
    posix_spawn_file_actions_adddup2(&files, fd[0], 0);
    posix_spawn_file_actions_adddup2(&files, fd[3], 1);
    posix_spawn_file_actions_adddup2(&files, fd[4], 3);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP |
                                              POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETSIGDEF);
    failed = posix_spawn(pid, shell, &files, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&files);
  free(text);
  return failed;
}

static int open_log(sw_process *p, const sw_process_options *options,
                    sw_err *err) {
  if (!options->log) return SW_OK;
  SW_TRY(sw_append_open(&p->log, options->log, err));
  int fd = fileno(p->log);
  fcntl(fd, F_SETFD, fcntl(fd, F_GETFD) | FD_CLOEXEC);
  return SW_OK;
}

static int start(sw_process *p, const char *command, sw_err *err) {
  int fd[6], failed = make_pipes(fd) ? 0 : errno;
  if (!failed) failed = spawn(&p->pid, command, fd);
  if (!failed && fcntl(fd[1], F_SETFL, O_NONBLOCK)) failed = errno;
  if (!failed && fcntl(fd[2], F_SETFL, O_NONBLOCK)) failed = errno;
  for (int i = 0; i < 6; i++) {
    if (!failed && (i == 1 || i == 2 || i == 5)) continue; /* our ends */
    close_end(&fd[i]);
  }
  p->to = fd[1];
  p->from = fd[2];
  p->lifeline = fd[5];
  if (!failed) return SW_OK;
  return sw_fail(err, failed == ENOMEM ? SW_MEMORY : SW_IO,
                 "cannot start the environment: %s", strerror(failed));
}

int sw_process_start(sw_process **process, const char *command,
                     const sw_process_options *options, sw_err *err) {
  sw_process *p = *process = calloc(1, sizeof *p);
  if (!p) return sw_no_memory(err);
  p->to = p->from = p->lifeline = -1;
  p->seconds = options->seconds;
  p->number = options->number;
  int code = open_log(p, options, err);
  if (!code) code = start(p, command, err);
  if (!code) return SW_OK;
  sw_process_end(p);
  *process = NULL;
  return code;
}

/* ---- ending ---- */

static void sleep_ms(int ms) {
  struct timespec time = {ms / 1000, 1000000L * (ms % 1000)};
  nanosleep(&time, NULL);
}

/* Its status once it has ended, after at most `ms`. 0: it still runs. */
static int ended(sw_process *p, int ms, int *status) {
  for (int waited = 0;; waited += 5) {
    pid_t got = waitpid(p->pid, status, WNOHANG);
    if (got == p->pid) return 1;
    if (got < 0 && errno != EINTR) {
      *status = 0; /* collected by someone else: how it ended is not known */
      return 1;
    }
    if (waited >= ms) return 0;
    sleep_ms(5);
  }
}

/* Waits for the leader and kills what is left of its group. The group's number
 * cannot be reused while one of its members, the watcher, lives. */
static void stop_group(sw_process *p, int grace) {
  int status;
  if (p->pid <= 0) return;
  int over = ended(p, grace, &status);
  kill(-p->pid, SIGKILL);
  if (!over) waitpid(p->pid, &status, 0);
  p->pid = 0;
}

void sw_process_end(sw_process *p) {
  if (!p) return;
  close_end(&p->to);
  stop_group(p, p->broken ? 0 : GRACE_MS);
  close_end(&p->from);
  close_end(&p->lifeline);
  if (p->log) fclose(p->log);
  free(p->buffer);
  free(p);
}

/* How it ended. 0: it still runs after `grace` milliseconds. */
static int how_it_ended(sw_process *p, int grace, char *text, size_t room) {
  int status;
  if (!ended(p, grace, &status)) return 0;
  kill(-p->pid, SIGKILL);
  p->pid = 0;
  if (WIFSIGNALED(status))
    snprintf(text, room, "was killed by signal %d", WTERMSIG(status));
  else snprintf(text, room, "ended (exit code %d)", WEXITSTATUS(status));
  return 1;
}

/* ---- asking ---- */

static int fail(sw_process *p, int code, const char *request, const char *why,
                sw_err *err) {
  if (p->held == p->begin)
    return sw_process_fail(err, code, request, NULL, "%s", why);
  p->buffer[p->held] = 0;
  return sw_process_fail(err, code, request, p->buffer + p->begin, "%s", why);
}

/* writev() without SIGPIPE, whatever the process does about that signal: it is
 * held back in this thread, and taken away before it is let through again. */
static ssize_t write_quietly(int fd, const struct iovec *part, int parts) {
  sigset_t pipe_set, before, pending;
  const struct timespec at_once = {0, 0};
  sigemptyset(&pipe_set);
  sigaddset(&pipe_set, SIGPIPE);
  sigpending(&pending);
  int was_pending = sigismember(&pending, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe_set, &before);
  ssize_t wrote = writev(fd, part, parts);
  int failed = errno;
  if (wrote < 0 && failed == EPIPE && !was_pending)
    while (sigtimedwait(&pipe_set, NULL, &at_once) < 0 && errno == EINTR)
      ;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = failed;
  return wrote;
}

/* Reads what is there. 1: something came or nothing is there yet; 0: its output
 * is closed; -1: no memory. */
static int read_some(sw_process *p) {
  if (p->begin == p->held) p->begin = p->held = 0;
  if (p->begin > CHUNK) {
    memmove(p->buffer, p->buffer + p->begin, (size_t)(p->held - p->begin));
    p->held -= p->begin;
    p->begin = 0;
  }
  if (!sw_grow64(&p->buffer, &p->room, p->held + CHUNK + 1, 1)) return -1;
  ssize_t got = read(p->from, p->buffer + p->held, CHUNK);
  if (got > 0) p->held += got;
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  return got > 0;
}

/* One question on its way. */
typedef struct exchange {
  const char *line;
  size_t bytes, sent; /* with the newline */
  int64_t searched;   /* of the reply, without a newline */
  double until;       /* 0: no limit */
} exchange;

static int send_some(sw_process *p, exchange *x) {
  char newline[] = "\n";
  size_t text = x->bytes - 1; /* the line; its newline comes from here */
  struct iovec part[2] = {{(void *)(uintptr_t)(x->line + x->sent), 0},
                          {newline, 1}};
  if (x->sent < text) part[0].iov_len = text - x->sent;
  int first = x->sent == text;
  ssize_t wrote = write_quietly(p->to, part + first, 2 - first);
  if (wrote > 0) x->sent += (size_t)wrote;
  if (wrote >= 0 || errno == EAGAIN || errno == EINTR) return 1;
  return 0;
}

static int late(sw_process *p, const exchange *x, sw_err *err) {
  char why[80];
  if (sw_asked_to_stop())
    return sw_fail_stopped(err, "waiting for the environment");
  if (x->until <= 0 || sw_now() < x->until) return SW_OK;
  snprintf(why, sizeof why, "did not %s within %g seconds",
           x->sent < x->bytes ? "read its request" : "answer", p->seconds);
  fail(p, SW_IO, x->line, why, err);
  return sw_hint(err, "--domain-timeout SECONDS allows more");
}

/* Where the reply's newline is, or NULL. */
static char *line_end(const sw_process *p, exchange *x) {
  int64_t have = p->held - p->begin;
  if (have <= x->searched) return NULL;
  char *end = memchr(p->buffer + p->begin + x->searched, '\n',
                     (size_t)(have - x->searched));
  x->searched = have;
  return end;
}

/* Called when its pipes are closed, or (grace 0) silent: its children may hold
 * the pipes after it has ended. SW_OK: it still runs. */
static int gone(sw_process *p, const exchange *x, int grace, sw_err *err) {
  char how[60] = "closed its output and runs on", why[120];
  if (!how_it_ended(p, grace, how, sizeof how) && !grace) return SW_OK;
  snprintf(why, sizeof why, "%s%s", how,
           p->held > p->begin ? " in the middle of a line" : "");
  fail(p, SW_IO, x->line, why, err);
  return sw_hint(err, "what it wrote to standard error says more");
}

/* One wait and what comes of it. */
static int move_on(sw_process *p, exchange *x, sw_err *err) {
  struct pollfd fds[2] = {{p->from, POLLIN, 0}, {p->to, POLLOUT, 0}};
  int ready = poll(fds, x->sent < x->bytes ? 2 : 1, SLICE_MS);
  if (ready < 0 && errno != EINTR)
    return fail(p, SW_IO, x->line, "cannot be waited for", err);
  if (ready == 0) SW_TRY(gone(p, x, 0, err));
  if (fds[1].revents && x->sent < x->bytes && !send_some(p, x)) {
    while (read_some(p) > 0 && p->held - p->begin < CHUNK && fds[0].revents)
      fds[0].revents = 0; /* what it said last belongs into the error */
    return gone(p, x, GRACE_MS, err);
  }
  if (fds[0].revents) {
    int more = read_some(p);
    if (more < 0) return sw_no_memory(err);
    if (!more) return gone(p, x, GRACE_MS, err);
  }
  if (p->held - p->begin > SW_PROCESS_LINE_MAX)
    return fail(p, SW_LIMIT, x->line, "wrote a reply of more than 16 MiB", err);
  return late(p, x, err);
}

static void note(sw_process *p, char direction, const char *text,
                 size_t bytes) {
  if (!p->log) return;
  flockfile(p->log);
  fprintf(p->log, "%d %c ", p->number, direction);
  fwrite(text, 1, bytes, p->log);
  putc_unlocked('\n', p->log);
  fflush(p->log);
  funlockfile(p->log);
}

static int exchange_lines(sw_process *p, exchange *x, char **reply,
                          size_t *length, sw_err *err) {
  char *end = NULL;
  while (!end) {
    SW_TRY(move_on(p, x, err));
    end = line_end(p, x);
    if (end && x->sent < x->bytes)
      return fail(p, SW_DATA, x->line,
                  "answered before it had read the request", err);
  }
  *end = 0;
  *reply = p->buffer + p->begin;
  *length = (size_t)(end - *reply);
  p->begin += (int64_t)*length + 1;
  note(p, '<', *reply, *length);
  return memchr(*reply, 0, *length)
             ? sw_process_fail(err, SW_DATA, x->line, *reply,
                               "wrote a NUL byte")
             : SW_OK;
}

static int ask(sw_process *p, const char *line, size_t bytes, char **reply,
               size_t *length, sw_err *err) {
  exchange x = {.line = line, .bytes = bytes + 1};
  if (p->seconds > 0) x.until = sw_now() + p->seconds;
  note(p, '>', line, bytes);
  if (p->held == p->begin && read_some(p) < 0) return sw_no_memory(err);
  if (p->held > p->begin)
    return fail(p, SW_DATA, line, "wrote more than was asked for", err);
  return exchange_lines(p, &x, reply, length, err);
}

int sw_process_ask(sw_process *p, const char *line, size_t bytes, char **reply,
                   size_t *length, sw_err *err) {
  if (!p->broken && !ask(p, line, bytes, reply, length, &p->failure))
    return SW_OK;
  p->broken = 1;
  if (err) *err = p->failure;
  return p->failure.code;
}
