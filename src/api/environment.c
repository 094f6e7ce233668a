/* Environments of a caller's: registered in the process, or answered for over
 * two descriptors (include/statewise.h). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "domains/outside/outside.h"

enum { CHUNK = 1 << 16, LINE_MAX_BYTES = 16 << 20 };

typedef struct server {
  sw_answerer *answerer;
  int in, out;
  char *text;
  int64_t held, room;
} server;

static int write_all(int fd, const char *text, size_t bytes, sw_err *err) {
  while (bytes) {
    ssize_t wrote = write(fd, text, bytes);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0)
      return sw_fail(err, SW_IO, "cannot answer: %s", strerror(errno));
    text += wrote;
    bytes -= (size_t)wrote;
  }
  return SW_OK;
}

static int answer_line(server *s, const char *line, size_t bytes, sw_err *err) {
  const char *reply;
  size_t length;
  SW_TRY(sw_answerer_line(s->answerer, line, bytes, &reply, &length, err));
  return write_all(s->out, reply, length, err);
}

/* Answers the whole lines that are there, and keeps what is behind them. */
static int answer_lines(server *s, int64_t searched, sw_err *err) {
  int64_t begin = 0;
  for (;;) {
    int64_t from = searched > begin ? searched : begin;
    const char *end = memchr(s->text + from, '\n', (size_t)(s->held - from));
    if (!end) break;
    int64_t at = end - s->text;
    SW_TRY(answer_line(s, s->text + begin, (size_t)(at - begin), err));
    begin = at + 1;
  }
  memmove(s->text, s->text + begin, (size_t)(s->held - begin));
  s->held -= begin;
  if (s->held <= LINE_MAX_BYTES) return SW_OK;
  return sw_fail(err, SW_LIMIT, "a request of more than 16 MiB");
}

static int serve(server *s, sw_err *err) {
  for (;;) {
    if (!sw_grow64(&s->text, &s->room, s->held + CHUNK, 1))
      return sw_no_memory(err);
    ssize_t got = read(s->in, s->text + s->held, CHUNK);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      return sw_fail(err, SW_IO, "cannot read a request: %s", strerror(errno));
    if (!got) return SW_OK;
    s->held += got;
    SW_TRY(answer_lines(s, s->held - got, err));
  }
}

int statewise_environment_serve(const statewise_environment *environment,
                                int in, int out, statewise_error *error) {
  server s = {.in = in, .out = out};
  sw_err *err = (sw_err *)(void *)error;
  if (error) memset(error, 0, sizeof *error);
  if (!environment)
    return sw_fail(err, SW_USAGE,
                   "statewise_environment_serve: argument 1 is NULL");
  int code = sw_answerer_new(&s.answerer, environment, err);
  if (!code) code = serve(&s, err);
  sw_answerer_free(s.answerer);
  free(s.text);
  return code;
}

int statewise_environment_register(const statewise_environment *environment,
                                   statewise_error *error) {
  const sw_domain *domain;
  sw_err *err = (sw_err *)(void *)error;
  if (environment) return sw_outside_register(environment, &domain, err);
  if (error) memset(error, 0, sizeof *error);
  return sw_fail(err, SW_USAGE,
                 "statewise_environment_register: argument 1 is NULL");
}

void statewise_environment_remove(const char *name) {
  const sw_domain *domain = name ? sw_domain_find(name) : NULL;
  if (sw_outside_is(domain)) sw_domain_release(domain);
}
