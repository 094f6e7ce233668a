/* The shape of the source tree: includes point downward between layers, no
 * source file grows past 600 lines, and nothing outside src/cli prints or
 * exits. Run from the project's root. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file.h"

/* Layer, and the layers it may include besides itself. */
static const struct {
  const char *layer, *may_use;
} edges[] = {
    {"base", ""},
    {"nn", "base"},
    {"trace", "base"},
    {"model", "nn base trace/mask.h trace/reading.h"},
    {"domains", "trace base"},
    {"train", "domains model nn trace base"},
    {"search", "train domains model nn trace base"},
    {"probe", "search train domains model nn trace base"},
    /* A report presents: nothing here can run a model. */
    {"report", "trace base search/outcome.h"},
    {"repro", "report probe search train domains model nn trace base"},
    {"serve", "repro report probe search train domains model nn trace base"},
    {"api", "repro report probe search train domains model nn trace base"},
    {"cli",
     "api serve repro report probe search train domains model nn trace base"},
};
enum { LAYERS = sizeof edges / sizeof *edges };

static int problems, files;

static const char *allowed_of(const char *layer, size_t length) {
  for (int i = 0; i < LAYERS; i++)
    if (strlen(edges[i].layer) == length &&
        strncmp(edges[i].layer, layer, length) == 0)
      return edges[i].may_use;
  return NULL;
}

/* Is `word` among the blank-separated words of `list`? */
static int listed(const char *list, const char *word, size_t length) {
  for (const char *p = list; p && *p; p += strcspn(p, " "), p += *p == ' ')
    if (strcspn(p, " ") == length && strncmp(p, word, length) == 0) return 1;
  return 0;
}

static void check_include(const char *path, int line, const char *layer,
                          size_t layer_length, const char *included) {
  size_t length = strcspn(included, "/\""), whole = strcspn(included, "\"");
  const char *allowed = allowed_of(layer, layer_length);
  if (included[length] != '/') return; /* include/statewise.h */
  if (length == layer_length && strncmp(included, layer, length) == 0) return;
  if (allowed &&
      (listed(allowed, included, length) || listed(allowed, included, whole)))
    return;
  problems++;
  print_error("%s:%d: %.*s may not include %.*s\n", path, line,
              (int)layer_length, layer, (int)whole, included);
}

/* A call of one of these outside src/cli prints or ends the process. */
static void check_calls(const char *path, int line, const char *text) {
  static const char *const forbidden[] = {"printf(", "puts(",  "putchar(",
                                          "exit(",   "abort(", "perror("};
  for (size_t i = 0; i < sizeof forbidden / sizeof *forbidden; i++) {
    const char *at = strstr(text, forbidden[i]);
    int is_name =
        at && at > text && (at[-1] == '_' || (at[-1] >= 'a' && at[-1] <= 'z'));
    if (!at || is_name) continue;
    problems++;
    print_error("%s:%d: the library calls %s...)\n", path, line, forbidden[i]);
  }
}

static void check_line(const char *path, int line, const char *text) {
  static const char marker[] = "#include \"";
  const char *layer = path + strlen("src/");
  size_t length = strcspn(layer, "/");
  if (strncmp(text, marker, sizeof marker - 1) == 0)
    check_include(path, line, layer, length, text + sizeof marker - 1);
  if (strncmp(layer, "cli/", 4) != 0) check_calls(path, line, text);
}

static int visit(const char *path, const struct stat *status, int type,
                 struct FTW *walk) {
  (void)status;
  (void)walk;
  size_t length = strlen(path);
  if (type != FTW_F || length < 2 || path[length - 2] != '.' ||
      !strchr("ch", path[length - 1]))
    return 0;
  char *text;
  size_t bytes;
  if (sw_read_file(path, 0, &text, &bytes, NULL)) return -1;
  files++;
  int line = 0;
  for (char *at = text, *end; *at; at = end) {
    end = at + strcspn(at, "\n");
    if (*end) *end++ = 0;
    line++;
    if (strncmp(path, "src/", 4) == 0) check_line(path, line, at);
  }
  if (line > 600) {
    problems++;
    print_error("%s: %d lines, at most 600\n", path, line);
  }
  if (strncmp(text, "/*", 2) != 0) {
    problems++;
    print_error("%s: does not begin by saying what it is\n", path);
  }
  free(text);
  return 0;
}

static void the_tree_keeps_its_rules(void **state) {
  (void)state;
  assert_int_equal(nftw("src", visit, 16, FTW_PHYS), 0);
  assert_int_equal(nftw("tests", visit, 16, FTW_PHYS), 0);
  assert_true(files > 50);
  assert_int_equal(problems, 0);
}

/* The checker finds what it is there to find. */
static void the_checker_can_fail(void **state) {
  (void)state;
  problems = 0;
  check_line("src/base/x.c", 1, "#include \"trace/trace.h\"");
  check_line("src/model/x.c", 1, "#include \"trace/dataset.h\"");
  check_line("src/domains/sat/x.c", 1, "#include \"model/decoder/model.h\"");
  check_line("src/unknown/x.c", 1, "#include \"base/err.h\"");
  check_line("src/nn/x.c", 1, "  printf(\"x\");");
  check_line("src/nn/x.c", 1, "  exit(1);");
  check_line("src/report/x.c", 1, "#include \"model/decoder/model.h\"");
  check_line("src/report/x.c", 1, "#include \"search/evaluate.h\"");
  check_line("src/report/x.c", 1, "#include \"probe/case.h\"");
  assert_int_equal(problems, 9);
  check_line("src/model/x.c", 1, "#include \"trace/mask.h\"");
  check_line("src/cli/x.c", 1, "#include \"probe/bank.h\"");
  check_line("src/cli/x.c", 1, "  printf(\"x\");");
  check_line("src/nn/x.c", 1, "  snprintf(x, 1, \"\"); team_exit(3);");
  check_line("src/report/x.c", 1, "#include \"search/outcome.h\"");
  assert_int_equal(problems, 9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_tree_keeps_its_rules),
      cmocka_unit_test(the_checker_can_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
