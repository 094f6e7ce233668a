/* The frame around the server's handlers: what one client may hold. Hard
 * requests take turns and hold up no other request, trickled requests end, and
 * a request names its server once and plainly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "serve/http.h"

enum { HARD = 2, WAITING = 5, CLIENTS = 24 };

static struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int open, inside, most; /* hard requests: may they end; now; most at once */
} hard = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .changed = PTHREAD_COND_INITIALIZER};

static void easy_request(void *context, const sw_request *request,
                         sw_reply *reply) {
  (void)context;
  (void)request;
  sw_reply_text(reply, 200, "easy\n");
}

static void hard_request(void *context, const sw_request *request,
                         sw_reply *reply) {
  (void)context;
  (void)request;
  pthread_mutex_lock(&hard.lock);
  hard.inside++;
  if (hard.inside > hard.most) hard.most = hard.inside;
  pthread_cond_broadcast(&hard.changed);
  while (!hard.open) pthread_cond_wait(&hard.changed, &hard.lock);
  hard.inside--;
  pthread_mutex_unlock(&hard.lock);
  sw_reply_text(reply, 200, "hard\n");
}

static const sw_route routes[] = {{"GET", "/easy", easy_request, 0, 0},
                                  {"GET", "/hard", hard_request, 0, 1},
                                  {NULL, NULL, NULL, 0, 0}};

static sw_http *start(double read_seconds) {
  sw_http *http;
  sw_err err = {0};
  sw_http_options o = {.address = "127.0.0.1",
                       .body_limit = 1000,
                       .read_seconds = read_seconds,
                       .send_seconds = 60,
                       .hard_at_once = HARD,
                       .hard_waiting = WAITING,
                       .connections = 64,
                       .routes = routes};
  if (sw_http_start(&http, &o, &err)) fail_msg("%s", err.text);
  return http;
}

static int dial(const sw_http *http) {
  struct sockaddr_in to = {.sin_family = AF_INET,
                           .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                           .sin_port = htons((uint16_t)sw_http_port(http))};
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
  return fd;
}

static int say(int fd, const char *text) {
  return send(fd, text, strlen(text), MSG_NOSIGNAL) == (ssize_t)strlen(text);
}

/* The status of the answer that comes within a minute; 0: the connection ended
 * without one; -1: nothing comes. */
static int hear(int fd) {
  char text[512] = "";
  struct pollfd one = {.fd = fd, .events = POLLIN};
  if (poll(&one, 1, 60000) <= 0) return -1;
  ssize_t got = recv(fd, text, sizeof text - 1, 0);
  return got <= 0 ? 0 : atoi(text + sizeof "HTTP/1.1");
}

static int ask(const sw_http *http, const char *text) {
  int fd = dial(http);
  say(fd, text);
  int status = hear(fd);
  close(fd);
  return status;
}

#define GET(path) "GET " path " HTTP/1.1\r\nHost: localhost\r\n\r\n"

static void hard_requests_take_turns(void **state) {
  (void)state;
  sw_http *http = start(60);
  int fd[CLIENTS], answered = 0, refused = 0;
  for (int i = 0; i < CLIENTS; i++) {
    fd[i] = dial(http);
    say(fd[i], GET("/hard"));
  }
  pthread_mutex_lock(&hard.lock);
  while (hard.inside < HARD) pthread_cond_wait(&hard.changed, &hard.lock);
  pthread_mutex_unlock(&hard.lock);
  /* all of them are inside or wait, and none will end: others are answered */
  for (int i = 0; i < 8; i++) assert_int_equal(ask(http, GET("/easy")), 200);
  pthread_mutex_lock(&hard.lock);
  hard.open = 1;
  pthread_cond_broadcast(&hard.changed);
  pthread_mutex_unlock(&hard.lock);
  for (int i = 0; i < CLIENTS; i++) {
    int status = hear(fd[i]);
    answered += status == 200;
    refused += status == 503;
    close(fd[i]);
  }
  assert_int_equal(hard.most, HARD);
  assert_true(answered >= HARD + WAITING);
  assert_int_equal(answered + refused, CLIENTS);
  sw_http_stop(http);
}

/* Byte by byte, never a pause long enough to be called idle. */
static void trickled_requests_end(void **state) {
  (void)state;
  static const char *const begins[] = {
      "", "GET /easy HTTP/1.1\r\nHost: localhost\r\nX: ",
      "POST /easy HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
      "application/json\r\nContent-Length: 900\r\n\r\n{"};
  sw_http *http = start(0.4);
  for (int i = 0; i < 3; i++) {
    int fd = dial(http), sent = 0;
    say(fd, begins[i]);
    /* 20 seconds of trickling; it is cut off long before */
    while (sent < 200 && say(fd, i ? "x" : "")) {
      struct pollfd one = {.fd = fd, .events = POLLIN};
      if (poll(&one, 1, 100) > 0) break;
      sent++;
    }
    assert_true(sent < 200);
    assert_int_equal(hear(fd) == 200, 0);
    close(fd);
  }
  assert_int_equal(ask(http, GET("/easy")), 200);
  sw_http_stop(http);
}

static void one_plain_host(void **state) {
  (void)state;
  sw_http *http = start(60);
  static const struct {
    const char *head;
    int status;
  } want[] = {{"Host: localhost", 200},
              {"Host: localhost:1", 200},
              {"Host: [::1]:80", 200},
              {"Host: localhost\r\nHost: localhost", 400},
              {"Host: localhost\r\nhost: evil.example", 400},
              {"Host: me@localhost", 403},
              {"Host: localhost:80@evil.example", 403},
              {"Host: localhost:x", 403},
              {"Host: [::1]evil.example", 403},
              {"Host: localhost\r\nOrigin: http://localhost", 200},
              {"Host: localhost\r\nOrigin: https://localhost", 403},
              {"Host: localhost\r\nOrigin: ftp://localhost", 403},
              {"Host: localhost\r\nOrigin: localhost", 403}};
  for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
    char text[300];
    snprintf(text, sizeof text, "GET /easy HTTP/1.1\r\n%s\r\n\r\n",
             want[i].head);
    int status = ask(http, text);
    if (status != want[i].status)
      fail_msg("%s: %d, not %d", want[i].head, status, want[i].status);
  }
  sw_http_stop(http);
  /* a tunnel may speak https for a name that was allowed */
  static const char *const hosts[] = {"sw.test", NULL};
  const sw_http_options o = {.address = "127.0.0.1", .hosts = hosts};
  assert_null(sw_http_foreign(&o, "sw.test", "https://sw.test", NULL));
  assert_non_null(sw_http_foreign(&o, "localhost", "https://localhost", NULL));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hard_requests_take_turns),
      cmocka_unit_test(trickled_requests_end),
      cmocka_unit_test(one_plain_host),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
