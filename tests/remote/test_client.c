/* The client against a server of this test that answers what a case tells it:
 * addresses and keys that are refused, a key that comes back, replies and
 * headers without measure, long pauses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/file.h"
#include "remote/client.h"
#include "remote/transfer.h"

#define KEY "sesame/open-17"

/* ---- the server: one reply to every request ---- */

static struct {
  int listener;
  char address[64];
  char *reply;
  size_t bytes;
  pthread_mutex_t replying; /* held while the reply is sent or replaced */
  _Atomic int requests;
  pthread_t thread;
} server = {.replying = PTHREAD_MUTEX_INITIALIZER};

static void read_request(int fd) {
  char text[65536];
  size_t used = 0, want = 0;
  while (used + 1 < sizeof text) {
    ssize_t got = read(fd, text + used, sizeof text - 1 - used);
    if (got <= 0) return;
    used += (size_t)got;
    text[used] = 0;
    const char *end = strstr(text, "\r\n\r\n");
    const char *length = strstr(text, "Content-Length:");
    if (!end) continue;
    want = (size_t)(end + 4 - text) +
           (length && length < end ? (size_t)atoi(length + 15) : 0);
    if (used >= want) return;
  }
}

static void *serve(void *unused) {
  for (;;) {
    int fd = accept(server.listener, NULL, NULL);
    if (fd < 0) return unused;
    read_request(fd);
    server.requests++;
    pthread_mutex_lock(&server.replying);
    for (size_t done = 0; done < server.bytes;) {
      ssize_t sent =
          send(fd, server.reply + done, server.bytes - done, MSG_NOSIGNAL);
      if (sent <= 0) break;
      done += (size_t)sent;
    }
    pthread_mutex_unlock(&server.replying);
    shutdown(fd, SHUT_WR);
    char rest[1024]; /* so that no reset takes the reply back */
    while (read(fd, rest, sizeof rest) > 0) continue;
    close(fd);
  }
}

static int start(void **state) {
  struct sockaddr_in at = {.sin_family = AF_INET,
                           .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof at;
  server.listener = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(server.listener, (struct sockaddr *)&at, size) ||
      listen(server.listener, 16) ||
      getsockname(server.listener, (struct sockaddr *)&at, &size))
    return -1;
  snprintf(server.address, sizeof server.address, "http://127.0.0.1:%d/v1",
           ntohs(at.sin_port));
  *state = NULL;
  return pthread_create(&server.thread, NULL, serve, NULL);
}

static int end(void **state) {
  (void)state;
  shutdown(server.listener, SHUT_RDWR);
  pthread_join(server.thread, NULL);
  close(server.listener);
  free(server.reply);
  return 0;
}

/* `fill` bytes made of `piece` stand where the body has %s. */
static void answer(const char *head, const char *body, const char *piece,
                   size_t fill) {
  const char *gap = strstr(body, "%s");
  size_t before = gap ? (size_t)(gap - body) : strlen(body), at = 0;
  size_t step = piece ? strlen(piece) : 1;
  fill = fill / step * step;
  pthread_mutex_lock(&server.replying);
  free(server.reply);
  server.reply = malloc(strlen(head) + strlen(body) + fill + 200);
  at = (size_t)sprintf(server.reply,
                       "%s\r\nConnection: close\r\nContent-Length: %zu\r\n\r\n",
                       head, strlen(body) - (gap ? 2 : 0) + fill);
  memcpy(server.reply + at, body, before);
  at += before;
  for (size_t i = 0; i < fill; i += step, at += step)
    memcpy(server.reply + at, piece, step);
  if (gap) {
    strcpy(server.reply + at, gap + 2);
    at += strlen(gap + 2);
  }
  server.bytes = at;
  server.requests = 0;
  pthread_mutex_unlock(&server.replying);
}

static sw_remote_options options(void) {
  sw_remote_options o;
  sw_options_defaults(sw_remote_table, sw_remote_table_count, &o);
  o.guide = server.address;
  o.guide_cache = "none";
  o.guide_retries = 1;
  o.guide_pause = 0;
  o.guide_timeout = 20;
  o.guide_parallel = 1;
  o.guide_key = "TEST_CLIENT_KEY";
  return o;
}

/* Asks one question; the code, and what was said about it. */
static int ask(const sw_remote_options *o, sw_remote_answer *a, sw_err *err) {
  sw_client *client;
  sw_messages m = {0};
  memset(err, 0, sizeof *err);
  int code = sw_client_new(&client, o, NULL, err);
  if (code) return code;
  sw_messages_add(&m, SW_USER, "1 or 2?", 7);
  code = sw_client_ask(client, 0, &m, 2, a, err);
  sw_messages_free(&m);
  sw_client_free(client);
  return code;
}

#define OK "HTTP/1.1 200 OK"
#define SAYS(text) "{\"choices\": [{\"message\": {\"content\": \"" text "\"}}]}"

static void addresses(void **state) {
  (void)state;
  static const char *const bad[] = {"",           "http:",      "http://",
                                    "https://",   "http://///", "http:///x",
                                    "https:////", "ftp://a/v1", "127.0.0.1:1",
                                    "http://a?b", "http://a#b"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    sw_remote_options o = options();
    sw_remote_answer a;
    sw_err err;
    o.guide = bad[i];
    if (ask(&o, &a, &err) != SW_USAGE) fail_msg("`%s` is taken", bad[i]);
    assert_true(err.text[0] && err.hint[0]);
  }
}

static void keys_with_line_ends(void **state) {
  (void)state;
  static const char *const bad[] = {KEY "\n", KEY "\r\nX-Other: 1", "a\x01" KEY,
                                    KEY "\x7f"};
  answer(OK, SAYS("2"), NULL, 0);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    sw_remote_options o = options();
    sw_remote_answer a;
    sw_err err;
    o.guide_model = "x";
    setenv("TEST_CLIENT_KEY", bad[i], 1);
    assert_int_equal(ask(&o, &a, &err), SW_USAGE);
    assert_null(strstr(err.text, "sesame"));
    assert_non_null(strstr(err.text, "TEST_CLIENT_KEY"));
  }
  assert_int_equal(server.requests, 0); /* nothing was sent */
  unsetenv("TEST_CLIENT_KEY");
}

static void redacting(void **state) {
  (void)state;
  static const struct {
    const char *text, *key, *left;
  } cases[] = {
      {"a " KEY " b " KEY, KEY, "a [key] b [key]"},
      {"sesame\\/open-17", KEY, "[key]"},
      {"\\u0073es\\u0061me/open-1\\u0037", KEY, "[key]"},
      {"sesame/open-1", KEY, "sesame/open-1"},
      {"sesame/sesame/open-17", KEY, "sesame/[key]"},
      {"\\u00e9 \\u12", KEY, "\\u00e9 \\u12"},
      {"the index", "index", "the index"}, /* too short to be one */
      {"x", NULL, "x"},
      {"", KEY, ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[100];
    size_t bytes = strlen(cases[i].text);
    strcpy(text, cases[i].text);
    sw_redact(text, &bytes, cases[i].key);
    assert_string_equal(text, cases[i].left);
    assert_int_equal(bytes, strlen(text));
  }
}

/* An error, a list of models, an answer and its file in the cache. */
static void a_key_that_comes_back(void **state) {
  (void)state;
  char folder[] = "/tmp/test_client.XXXXXX", command[200];
  sw_remote_options o = options();
  sw_remote_answer a;
  sw_err err = {0};
  assert_non_null(mkdtemp(folder));
  setenv("TEST_CLIENT_KEY", KEY, 1);
  answer("HTTP/1.1 401 No",
         "{\"error\": {\"message\": \"bad key " KEY "\", \"code\": \"no\"}}",
         NULL, 0);
  o.guide_model = "x";
  assert_int_equal(ask(&o, &a, &err), SW_USAGE);
  assert_non_null(strstr(err.text, "bad key [key]"));
  answer("HTTP/1.1 401 No", "{\"error\": \"bad key \\u0073esame\\/open-17\"}",
         NULL, 0);
  assert_int_equal(ask(&o, &a, &err), SW_USAGE);
  assert_non_null(strstr(err.text, "bad key [key]"));
  answer(OK " \r\nX: y", SAYS("2 is what " KEY " said"), NULL, 0);
  o.guide_cache = folder;
  assert_int_equal(ask(&o, &a, &err), SW_OK);
  assert_int_equal(a.choice, 2);
  snprintf(command, sizeof command,
           "! grep -rq sesame %s && grep -rq 'what .key. said' %s", folder,
           folder);
  assert_int_equal(system(command), 0);
  answer(OK, "{\"data\": [{\"id\": \"m-" KEY "\"}]}", NULL, 0);
  o.guide_model = NULL;
  sw_client *client;
  assert_int_equal(sw_client_new(&client, &o, NULL, &err), SW_OK);
  assert_string_equal(sw_client_model(client), "m-[key]");
  sw_client_free(client);
  unsetenv("TEST_CLIENT_KEY");
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
}

/* A pipe in the place of a kept answer is asked past, not waited for. */
static void a_pipe_in_the_cache(void **state) {
  (void)state;
  char folder[] = "/tmp/test_client.XXXXXX", command[300];
  sw_remote_options o = options();
  sw_remote_answer a;
  sw_err err = {0};
  assert_non_null(mkdtemp(folder));
  answer(OK, SAYS("2"), NULL, 0);
  o.guide_model = "x";
  o.guide_cache = folder;
  assert_int_equal(ask(&o, &a, &err), SW_OK);
  snprintf(command, sizeof command,
           "for f in %s/*/*.json; do rm $f && mkfifo $f; done", folder);
  assert_int_equal(system(command), 0);
  alarm(30); /* against waiting for ever */
  assert_int_equal(ask(&o, &a, &err), SW_OK);
  alarm(0);
  assert_int_equal(a.choice, 2);
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
}

static long peak_kb(void) {
  struct rusage use;
  getrusage(RUSAGE_SELF, &use);
  return use.ru_maxrss;
}

/* 12 MB of empty objects were 3.65 GB in memory. */
static void many_values(void **state) {
  (void)state;
  sw_remote_options o = options();
  sw_remote_answer a;
  sw_err err = {0};
  long before = peak_kb();
  o.guide_model = "x";
  answer(OK, "{\"choices\": [{}%s]}", ",{}", 12 << 20);
  assert_int_equal(ask(&o, &a, &err), SW_STOPPED);
  assert_non_null(strstr(err.text, "too many values"));
  assert_int_equal(server.requests, 2);
  answer("HTTP/1.1 400 No", "{\"error\": [{}%s]}", ",{}", 12 << 20);
  assert_int_equal(ask(&o, &a, &err), SW_DATA);
  o.guide_model = NULL;
  answer(OK, "{\"data\": [{}%s]}", ",{}", 12 << 20);
  assert_int_equal(ask(&o, &a, &err), SW_USAGE);
  assert_true(peak_kb() - before < 300 * 1024);
}

static void without_measure(void **state) {
  (void)state;
  sw_remote_options o = options();
  sw_remote_answer a;
  sw_err err = {0};
  o.guide_model = "x";
  answer(OK, "{\"choices\": \"%s\"}", "a", 17 << 20);
  assert_int_equal(ask(&o, &a, &err), SW_STOPPED);
  assert_non_null(strstr(err.text, "larger than 16 MiB"));
  size_t room = 2 << 20;
  char *head = malloc(room + 100);
  sprintf(head, OK "\r\nX-Long: ");
  memset(head + strlen(head), 'h', room);
  head[sizeof OK "\r\nX-Long: " - 1 + room] = 0;
  answer(head, SAYS("2"), NULL, 0);
  free(head);
  assert_int_equal(ask(&o, &a, &err), SW_STOPPED);
  assert_null(strstr(err.text, "memory"));
  assert_non_null(strstr(err.text, "header"));
}

/* What an endpoint asks for is kept: beyond ten minutes the run ends, and does
 * not ask again after one. */
static void a_pause_of_a_day(void **state) {
  (void)state;
  sw_remote_options o = options();
  sw_remote_answer a;
  sw_err err = {0};
  answer("HTTP/1.1 429 No\r\nRetry-After: 86400", "{}", NULL, 0);
  for (int listed = 0; listed < 2; listed++) {
    o.guide_model = listed ? NULL : "x";
    server.requests = 0;
    o.guide_retries = 6;
    assert_int_equal(ask(&o, &a, &err), SW_STOPPED);
    assert_non_null(strstr(err.text, "86400 s"));
    assert_int_equal(server.requests, 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(addresses),
      cmocka_unit_test(keys_with_line_ends),
      cmocka_unit_test(redacting),
      cmocka_unit_test(a_key_that_comes_back),
      cmocka_unit_test(a_pipe_in_the_cache),
      cmocka_unit_test(many_values),
      cmocka_unit_test(without_measure),
      cmocka_unit_test(a_pause_of_a_day),
  };
  return cmocka_run_group_tests(tests, start, end);
}
