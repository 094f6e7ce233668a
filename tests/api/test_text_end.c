/* A problem given to the C API as text ends where its length says: no reader
 * looks at the byte behind it. The text is put at the end of a page that is
 * followed by one that may not be read, so a look ends the process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "statewise.h"

static const char *const problems[][2] = {
    {"models/sat.safetensors", "p cnf 3 2\n1 2 3 0\n-1 -2 0"},
    {"models/coloring.safetensors", "p edge 4 3\ne 1 2\ne 2 3\ne 3 4"},
    {"models/blocks.safetensors",
     "(define (problem p) (:objects a b) (:init (on a b) (ontable b) (clear a)"
     " (handempty)) (:goal (and (on b a) (ontable a))))"},
    {"models/parsing.safetensors", "f ( a , ( b ) )"}};

static void nothing_behind_a_text_is_read(void **state) {
  (void)state;
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *room = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(room != MAP_FAILED);
  assert_int_equal(mprotect(room + page, page, PROT_NONE), 0);
  for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
    statewise *model;
    statewise_error error = {0};
    if (statewise_open(&model, problems[i][0], 1, &error))
      fail_msg("%s", error.text);
    size_t whole = strlen(problems[i][1]);
    for (size_t length = 0; length <= whole; length++) {
      char *text = room + page - length;
      statewise_search *search;
      memcpy(text, problems[i][1], length);
      int code = statewise_search_text(&search, model, text, length, &error);
      if (code && length == whole) fail_msg("%s", error.text);
      if (!code) statewise_search_close(search);
    }
    statewise_close(model);
  }
  munmap(room, 2 * page);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_behind_a_text_is_read)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
