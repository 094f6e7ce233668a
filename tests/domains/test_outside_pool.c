/* Environments in a process of their own: the protocol as it should go, and
 * everything that a program can do wrong on its way (misbehave.py), each a
 * clear error that shows request and reply, with no process left behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "domains/outside/process.h"
#include "domains/outside/protocol.h"

#define PROGRAM "exec python3 -S tests/domains/misbehave.py "
static char scratch[] = "/tmp/sw-outside-XXXXXX";

static int open_kind(sw_pool **pool, const char *kind, double seconds,
                     const char *log, sw_err *err) {
  char command[300];
  sw_pool_options options = {.seconds = seconds, .log = log, .most = 2};
  memset(err, 0, sizeof *err);
  snprintf(command, sizeof command, PROGRAM "'%s' %s/child", kind, scratch);
  return sw_pool_open(pool, command, &options, err);
}

/* new, take "one". */
static int begin_and_take(sw_pool *pool, sw_err *err) {
  const statewise_environment *e = sw_pool_table(pool);
  const statewise_task task = {.problem = "N 7"};
  statewise_problem problem;
  const char *refused = NULL;
  void *search;
  statewise_error *error = (statewise_error *)(void *)err;
  int code = e->start(e->context, &task, &search, &problem, error);
  if (code) return code;
  assert_string_equal(problem.problem, "N 7");
  assert_string_equal(problem.id, "n7");
  code = e->take(search, "one", &refused, error);
  e->end(search);
  return code;
}

static const struct {
  const char *kind;
  int code;
  const char *says, *shows; /* in the error; shows: of the reply */
  double seconds;
} mistakes[] = {
    {"dies", SW_IO, "ended (exit code 3)", NULL, 20},
    {"killed", SW_IO, "killed by signal 11", NULL, 20},
    {"hangs", SW_IO, "did not answer within 2 seconds", NULL, 2},
    {"half a line", SW_IO, "ended (exit code 0) in the middle of a line",
     "reply: [{}, ", 20},
    {"half and hangs", SW_IO, "did not answer within", "reply: [{}, ", 2},
    {"flood", SW_LIMIT, "more than 16 MiB", "reply: xxxx", 60},
    {"garbage", SW_DATA, "not JSON", "reply: Traceback (most", 20},
    {"empty line", SW_DATA, "not JSON", "reply: )", 20},
    {"invalid UTF-8", SW_DATA, "not JSON", "reply: [{\"x-a\": \"??\"}", 20},
    {"NUL", SW_DATA, "NUL byte", "reply: [{}, {\"state\": \"A", 20},
    {"escaped NUL", SW_DATA, "not JSON", "A\\u0000", 20},
    {"deep", SW_DATA, "maximum parsing depth", "reply: [[[[", 20},
    {"closes output", SW_IO, "closed its output and runs on", NULL, 20},
    {"slow drip", SW_IO, "did not answer within", "reply: [", 2},
    {"duplicate", SW_DATA, "duplicate object key", "AT 2", 20},
    {"nonsense tail", SW_DATA, "not JSON", "and so on", 20},
    {"object for a list", SW_DATA, "list of 2", "reply: {}", 20},
    {"short list", SW_DATA, "list of 2", "reply: [{}]", 20},
    {"long list", SW_DATA, "list of 2", "reply: [{}, {}, {}]", 20},
    {"number", SW_DATA, "not JSON", "reply: 7", 20},
    {"null in list", SW_DATA, "not an object", "[null, null]", 20},
    {"error", SW_DATA, "reports an error: my search is broken", NULL, 20},
    {"one error", SW_DATA, "reports an error: all of it is broken", NULL, 20},
    {"error of no text", SW_DATA, "reports an error: (no text)", NULL, 20},
    {"wrong type", SW_DATA, "`state`, which is not a text", "5", 20},
    {"choices of numbers", SW_DATA, "`choices`, which is not a list of texts",
     "[1, 2]", 20},
    {"no state", SW_DATA, "without `state`", "{\"choices\": []}", 20},
    {"no choices", SW_DATA, "without `choices`", "AT 1", 20},
    {"unknown member", SW_DATA, "`choises`", "reply: [{}", 20},
    {"other search", SW_DATA, "of another search", "99", 20},
    {"unknown end", SW_DATA, "over as `won`", "won", 20},
    {"conflict of text", SW_DATA, "`conflict`, which is not true or false",
     "no", 20},
    {"swapped", SW_DATA, "`state`, which is not a member", "AT 1", 20},
};

static void every_mistake_is_a_clear_error(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    sw_pool *pool;
    sw_err err;
    assert_int_equal(
        open_kind(&pool, mistakes[i].kind, mistakes[i].seconds, NULL, &err),
        SW_OK);
    int code = begin_and_take(pool, &err);
    if (code != mistakes[i].code || !strstr(err.text, mistakes[i].says) ||
        !strstr(err.text, "\"take\": ") ||
        (mistakes[i].shows && !strstr(err.text, mistakes[i].shows)))
      fail_msg("%s: code %d: %s", mistakes[i].kind, code, err.text);
    for (const char *p = err.text; *p; p++) assert_true(*p != '\n');
    /* The next question says the same, and does not wait. */
    if (code == SW_IO) assert_int_equal(begin_and_take(pool, &err), SW_IO);
    sw_pool_close(pool);
  }
}

static const struct {
  const char *kind;
  int code;
  const char *says;
} starts[] = {
    {"silent", SW_IO, "did not answer within 2 seconds"},
    {"h limit", SW_DATA, "`limits`, which is not an object of whole numbers"},
    {"h limit name", SW_DATA, "`limits`"},
    {"h has", SW_DATA, "`has`, which is not a list of texts"},
    {"chatter", SW_DATA, "Welcome to my environment!"},
};

static void a_bad_start_is_a_clear_error(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
    sw_pool *pool;
    sw_err err;
    int code = open_kind(&pool, starts[i].kind, i == 0 ? 2 : 20, NULL, &err);
    if (code != starts[i].code || !strstr(err.text, starts[i].says))
      fail_msg("%s: code %d: %s", starts[i].kind, code, err.text);
    assert_null(pool);
  }
  sw_pool_options options = {.seconds = 20, .most = 1};
  sw_pool *pool;
  sw_err err;
  assert_int_equal(sw_pool_open(&pool, "/no/such/program", &options, &err),
                   SW_IO);
  assert_non_null(strstr(err.text, "exit code 127"));
}

/* What it says unasked is found at the next question at the latest. */
static void unasked_lines_are_an_error(void **state) {
  (void)state;
  static const char *const kinds[] = {"two replies", "closes input"};
  for (int i = 0; i < 2; i++) {
    sw_pool *pool;
    sw_err err;
    assert_int_equal(open_kind(&pool, kinds[i], 20, NULL, &err), SW_OK);
    int code = begin_and_take(pool, &err);
    for (int k = 0; k < 3 && !code; k++) code = begin_and_take(pool, &err);
    assert_true(code == SW_DATA || code == SW_IO);
    sw_pool_close(pool);
  }
}

/* A request that is never read ends at the time limit too, however long. */
static void what_is_never_read_ends(void **state) {
  (void)state;
  sw_pool *pool;
  sw_err err;
  assert_int_equal(open_kind(&pool, "never reads", 2, NULL, &err), SW_OK);
  size_t bytes = 1 << 20;
  char *text = malloc(bytes);
  memset(text, 'x', bytes);
  text[bytes - 1] = 0;
  const statewise_environment *e = sw_pool_table(pool);
  const statewise_task task = {.problem = text};
  statewise_problem problem;
  void *search;
  assert_int_equal(e->start(e->context, &task, &search, &problem,
                            (statewise_error *)(void *)&err),
                   SW_IO);
  assert_non_null(strstr(err.text, "did not read its request within"));
  assert_non_null(strstr(err.text, "..."));
  sw_pool_close(pool);
  free(text);
}

static int is_running(pid_t pid) { return kill(pid, 0) == 0; }

/* One that is dead and not yet collected (its parent is init) counts as gone.
 */
static int is_zombie(pid_t pid) {
  char path[64], *text, *at;
  size_t bytes;
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  if (sw_read_file(path, 0, &text, &bytes, NULL)) return 1;
  at = strrchr(text, ')');
  int dead = at && at[1] && at[2] == 'Z';
  free(text);
  return dead;
}

static void no_child_is_left(void **state) {
  (void)state;
  sw_pool *pool;
  sw_err err;
  char path[80], *text;
  size_t bytes;
  assert_int_equal(open_kind(&pool, "leaves a child", 20, NULL, &err), SW_OK);
  assert_int_equal(begin_and_take(pool, &err), SW_IO);
  assert_non_null(strstr(err.text, "ended (exit code 5)"));
  sw_pool_close(pool);
  snprintf(path, sizeof path, "%s/child", scratch);
  assert_int_equal(sw_read_file(path, 0, &text, &bytes, &err), SW_OK);
  pid_t child = (pid_t)atoi(text);
  free(text);
  assert_true(child > 1);
  for (int i = 0; i < 200 && is_running(child) && !is_zombie(child); i++)
    usleep(10000);
  assert_true(!is_running(child) || is_zombie(child));
}

/* Killing us, without a chance to clean up, ends the environment too. */
static void it_never_outlives_us(void **state) {
  (void)state;
  int ends[2];
  char byte;
  assert_int_equal(pipe(ends), 0);
  pid_t us = fork();
  assert_true(us >= 0);
  if (!us) { /* the command keeps the pipe's end open as long as it lives */
    sw_pool *pool;
    sw_err err;
    sw_pool_options options = {.most = 1};
    char command[200];
    snprintf(command, sizeof command,
             "(trap '' HUP TERM; sleep 60) & " PROGRAM "well; sleep 60");
    if (sw_pool_open(&pool, command, &options, &err)) _exit(1);
    if (write(ends[1], "x", 1) != 1) _exit(1);
    for (;;) pause();
  }
  close(ends[1]);
  assert_int_equal(read(ends[0], &byte, 1), 1);
  kill(us, SIGKILL);
  /* The end of the pipe comes when the last of them is gone. */
  assert_int_equal(read(ends[0], &byte, 1), 0);
  close(ends[0]);
}

/* The calls of one search of "N n", from its hello to its end. */
static void play(const statewise_environment *e, int n, int takes) {
  char text[16];
  statewise_problem problem;
  statewise_situation s;
  statewise_checked checked;
  statewise_error error;
  const char *refused = NULL, *choice;
  void *search;
  int silent = 7, doomed = 7;
  snprintf(text, sizeof text, "N %d", n);
  const statewise_task task = {.problem = text};
  assert_int_equal(e->start(e->context, &task, &search, &problem, &error), 0);
  assert_string_equal(problem.problem, text);
  int taken = 0;
  for (;; taken++) {
    assert_int_equal(e->look(search, &s, &error), 0);
    if (s.over) break;
    if (s.conflict) {
      assert_int_equal(e->back(search, &silent, &error), 0);
      assert_int_equal(silent, 0);
      continue;
    }
    assert_null(s.key);
    assert_non_null(s.choices[0]);
    assert_int_equal(e->doomed(search, &doomed, &error), 0);
    assert_int_equal(doomed, 0);
    assert_int_equal(e->expert(search, &choice, &error), 0);
    char word[16];
    snprintf(word, sizeof word, "%s", choice);
    assert_int_equal(e->take(search, word, &refused, &error), 0);
    assert_null(refused);
  }
  assert_string_equal(s.over, n % 3 ? "solved" : "exhausted");
  assert_int_equal(taken, takes);
  assert_int_equal(e->check(search, &checked, &error), 0);
  assert_int_equal(checked.right, n % 3 != 0);
  e->end(search);
}

static void a_whole_search(void **state) {
  (void)state;
  sw_pool *pool;
  sw_err err;
  statewise_hello hello;
  char log[80], *text;
  size_t bytes;
  snprintf(log, sizeof log, "%s/log", scratch);
  assert_int_equal(open_kind(&pool, "well", 20, log, &err), SW_OK);
  const statewise_environment *e = sw_pool_table(pool);
  assert_int_equal(e->hello(e->context, &hello, NULL), 0);
  assert_string_equal(hello.name, "steps");
  assert_string_equal(hello.words[3], "BACK");
  assert_null(hello.words[46]);
  assert_true(hello.seeded && hello.expert && hello.doomed && hello.check);
  assert_int_equal(hello.decisions, 100);
  assert_int_equal(hello.tokens, 0);
  assert_int_equal(hello.verdict_shown, 0);
  play(e, 4, 5); /* one one one BACK two(=4): with the visit of 3 */
  play(e, 5, 6);
  sw_pool_close(pool);
  assert_int_equal(sw_read_file(log, 0, &text, &bytes, &err), SW_OK);
  assert_non_null(strstr(text, "1 > {\"hello\": 1}\n1 < {\"name\": \"steps\""));
  assert_non_null(strstr(text,
                         "[{\"take\": 1, \"choice\": \"one\"}, "
                         "{\"look\": 1}]\n1 < [{}, {\"state\": \"AT 1\""));
  /* An end is said with the next line. */
  assert_non_null(
      strstr(text, "1 > [{\"end\": 1}, {\"new\": 2, \"problem\": \"N 5\"}, "));
  free(text);
}

static void *play_many(void *of) {
  for (int i = 0; i < 20; i++) play(of, 4 + 3 * (i & 1), i & 1 ? 9 : 5);
  return NULL;
}

/* Threads share the processes; every search is what it is alone. */
static void threads_share_processes(void **state) {
  (void)state;
  sw_pool *pool;
  sw_err err;
  pthread_t thread[4];
  assert_int_equal(open_kind(&pool, "well", 20, NULL, &err), SW_OK);
  for (int i = 0; i < 4; i++)
    assert_int_equal(pthread_create(&thread[i], NULL, play_many,
                                    (void *)(uintptr_t)sw_pool_table(pool)),
                     0);
  for (int i = 0; i < 4; i++) pthread_join(thread[i], NULL);
  sw_pool_close(pool);
}

static int make_scratch(void **state) {
  (void)state;
  return mkdtemp(scratch) == NULL;
}

static int remove_scratch(void **state) {
  (void)state;
  char command[100];
  snprintf(command, sizeof command, "rm -r %s", scratch);
  return system(command);
}

int main(void) {
  signal(SIGPIPE, SIG_DFL); /* a write to a dead program must not end us */
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_whole_search),
      cmocka_unit_test(threads_share_processes),
      cmocka_unit_test(every_mistake_is_a_clear_error),
      cmocka_unit_test(a_bad_start_is_a_clear_error),
      cmocka_unit_test(unasked_lines_are_an_error),
      cmocka_unit_test(what_is_never_read_ends),
      cmocka_unit_test(no_child_is_left),
      cmocka_unit_test(it_never_outlives_us),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
