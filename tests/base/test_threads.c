/* The team in a child of fork(): the members exist in the parent only. Without
 * the restart the child waits for them for ever; the alarm then ends it. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/threads.h"

enum { MEMBERS = 3, ITEMS = 1000 };

typedef struct {
  sw_team *team;
  int item[ITEMS], half[ITEMS];
} work;

static void fill(void *context, int rank, int size) {
  work *w = context;
  size_t begin, end;
  sw_share(ITEMS, 1, rank, size, &begin, &end);
  for (size_t i = begin; i < end; i++) w->item[i] = (int)i;
  sw_team_barrier(w->team); /* then each reads what the others wrote */
  for (size_t i = begin; i < end; i++) w->half[i] = w->item[ITEMS - 1 - i];
}

static int works(work *w) {
  for (int i = 0; i < ITEMS; i++) w->item[i] = w->half[i] = -1;
  sw_team_run(w->team, fill, w);
  for (int i = 0; i < ITEMS; i++)
    if (w->half[i] != ITEMS - 1 - i) return 0;
  return 1;
}

static void end_child(int fine) { _exit(fine ? 0 : 1); }

static void child_ends_well(void) {
  int status;
  assert_true(wait(&status) > 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status))
    fail_msg("the child ended with status 0x%x (0x%x: it hung)", status,
             SIGALRM);
}

#ifdef __SANITIZE_THREAD__
#define LEAVE_OUT() skip() /* it ends a child that starts threads */
#else
#define LEAVE_OUT() (void)state
#endif

static void test_child_runs_a_region(void **state) {
  LEAVE_OUT();
  work w;
  assert_int_equal(sw_team_new(&w.team, MEMBERS, NULL), SW_OK);
  assert_true(works(&w));
  if (!fork()) {
    alarm(20);
    int fine = works(&w) && works(&w);
    if (!fork()) { /* a grandchild likewise */
      alarm(20);
      fine = works(&w);
      sw_team_free(w.team);
      end_child(fine);
    }
    int status;
    wait(&status);
    sw_team_free(w.team);
    end_child(fine && WIFEXITED(status) && !WEXITSTATUS(status));
  }
  child_ends_well();
  assert_true(works(&w)); /* the parent's own members are as before */
  sw_team_free(w.team);
}

static void test_child_frees_an_unused_team(void **state) {
  LEAVE_OUT();
  work w;
  assert_int_equal(sw_team_new(&w.team, MEMBERS, NULL), SW_OK);
  assert_true(works(&w));
  if (!fork()) {
    alarm(20);
    sw_team_free(w.team);
    end_child(sw_team_new(&w.team, MEMBERS, NULL) == SW_OK && works(&w));
  }
  child_ends_well();
  assert_int_equal(sw_team_size(w.team), MEMBERS);
  sw_team_free(w.team);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_child_runs_a_region),
      cmocka_unit_test(test_child_frees_an_unused_team)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
