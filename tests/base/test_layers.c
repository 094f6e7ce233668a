/* The shape of the source tree: includes point downward between layers, what
 * works for every domain includes none of them, no source file grows past 600
 * lines, and nothing outside src/cli prints or exits. Run from the project's
 * root. */
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
    {"model",
     "nn base trace/mask.h trace/reading.h trace/factor_graph.h "
     "trace/state_layout.h"},
    {"domains", "trace base"},
    {"release", "domains trace base"},
    {"train", "release domains model nn trace base"},
    {"search", "train domains model nn trace base"},
    {"probe", "search train release domains model nn trace base"},
    /* A report presents: nothing here can run a model. */
    {"report", "trace base search/outcome.h probe/figures.h"},
    {"repro", "report probe search train release domains model nn trace base"},
    {"remote", "search train domains model nn trace base"},
    {"audit", "remote report probe search train domains model nn trace base"},
    {"serve", "probe search train domains model nn trace base"},
    {"command",
     "audit remote repro report probe search train release domains model nn "
     "trace base"},
    {"api",
     "command repro report probe search train domains model nn trace base"},
    {"cli",
     "api command audit remote serve repro report probe search train release "
     "domains model nn trace base"},
};
enum { LAYERS = sizeof edges / sizeof *edges };

/* Layers that may include the folder of a single domain, and which ("": any).
 * The others know domains by domains/domain.h alone. */
static const struct {
  const char *layer, *domain;
} knows[] = {{"domains", ""},   {"release", ""},    {"command", ""},
             {"cli", ""},       {"api", "outside"}, /* environments that a
                                                       caller brings */
             {"probe", "trees"}}; /* trees_*: its models have no search */

static int problems, files, includes; /* includes: .inc files */

static int may_know(const char *layer, size_t length, const char *domain) {
  for (size_t i = 0; i < sizeof knows / sizeof *knows; i++)
    if (strlen(knows[i].layer) == length &&
        strncmp(knows[i].layer, layer, length) == 0 &&
        strncmp(knows[i].domain, domain, strlen(knows[i].domain)) == 0)
      return 1;
  return 0;
}

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
  const char *below = included + length + 1;
  if (strncmp(included, "domains/", 8) == 0 && memchr(below, '/', whole - 8) &&
      !may_know(layer, layer_length, below))
    allowed = NULL;
  if (length == layer_length && strncmp(included, layer, length) == 0) return;
  if (allowed &&
      (listed(allowed, included, length) || listed(allowed, included, whole)))
    return;
  problems++;
  print_error("%s:%d: %.*s may not include %.*s\n", path, line,
              (int)layer_length, layer, (int)whole, included);
}

static int is_name(char c) {
  return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9');
}

/* The streams of the process are the command line's, however they are used:
 * fprintf(stderr, ...), fputs(text, stdout). */
static void check_streams(const char *path, int line, const char *text) {
  static const char *const streams[] = {"stderr", "stdout"};
  for (int i = 0; i < 2; i++)
    for (const char *at = text; (at = strstr(at, streams[i])); at += 6) {
      int named = at > text && (is_name(at[-1]) || at[-1] == '/');
      if (named || is_name(at[6])) continue; /* "/dev/stdout" is a path */
      problems++;
      print_error("%s:%d: the library uses %s\n", path, line, streams[i]);
    }
}

/* A call of one of these outside src/cli prints or ends the process. */
static void check_calls(const char *path, int line, const char *text) {
  static const char *const forbidden[] = {"printf(", "puts(",  "putchar(",
                                          "exit(",   "abort(", "perror("};
  for (size_t i = 0; i < sizeof forbidden / sizeof *forbidden; i++) {
    const char *at = strstr(text, forbidden[i]);
    while (at && at > text && is_name(at[-1]))
      at = strstr(at + 1, forbidden[i]);
    if (!at) continue;
    problems++;
    print_error("%s:%d: the library calls %s...)\n", path, line, forbidden[i]);
  }
}

/* These read the host's locale; base/text.h has what does not. */
static void check_locale(const char *path, int line, const char *text) {
  static const char *const forbidden[] = {
      "isspace(", "isdigit(", "isalpha(", "isalnum(", "isprint(",  "tolower(",
      "toupper(", "strtod(",  "strtof(",  "atof(",    "setlocale("};
  if (!strncmp(path, "src/base/text.", 14)) return;
  for (size_t i = 0; i < sizeof forbidden / sizeof *forbidden; i++) {
    const char *at = strstr(text, forbidden[i]);
    if (!at || (at > text && is_name(at[-1]))) continue;
    problems++;
    print_error("%s:%d: %s...) depends on the locale\n", path, line,
                forbidden[i]);
  }
}

static void check_line(const char *path, int line, const char *text) {
  static const char marker[] = "#include \"";
  const char *layer = path + strlen("src/");
  size_t length = strcspn(layer, "/");
  if (strncmp(text, marker, sizeof marker - 1) == 0)
    check_include(path, line, layer, length, text + sizeof marker - 1);
  if (strncmp(layer, "cli/", 4) == 0) return;
  /* Debug builds only: a broken contract ends the program, a log prints. */
  if (strcmp(layer, "base/check.c") == 0 || strcmp(layer, "base/log.c") == 0)
    return;
  check_calls(path, line, text);
  check_streams(path, line, text);
  check_locale(path, line, text);
}

static int visit(const char *path, const struct stat *status, int type,
                 struct FTW *walk) {
  (void)status;
  (void)walk;
  const char *end_of_name = strrchr(path, '.');
  if (type != FTW_F || !end_of_name ||
      (strcmp(end_of_name, ".c") && strcmp(end_of_name, ".h") &&
       strcmp(end_of_name, ".inc")))
    return 0;
  includes += strcmp(end_of_name, ".inc") == 0;
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
  assert_true(includes > 5);
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
  check_line("src/nn/x.inc", 1, "  fprintf(stderr, \"x\");");
  check_line("src/trace/x.c", 1, "  fputs(text, stdout);");
  check_line("src/nn/x.c", 1, "  snprintf(x, 1, \"\"); printf(\"x\");");
  check_line("src/train/x.c", 1, "#include \"domains/sat/tokens.h\"");
  check_line("src/probe/x.c", 1, "#include \"domains/sat/tokens.h\"");
  check_line("src/search/x.c", 1, "#include \"domains/trees/tree.h\"");
  check_line("src/report/x.c", 1, "#include \"release/rollouts.h\"");
  check_line("src/release/x.c", 1, "#include \"train/config.h\"");
  assert_int_equal(problems, 17);
  check_line("src/remote/x.c", 1, "  while (isspace(*p)) p++;");
  check_line("src/search/x.c", 1, "  x = strtod(text, &end);");
  assert_int_equal(problems, 19);
  check_line("src/command/x.c", 1, "  printf(\"solved\\n\");");
  check_line("src/command/x.c", 1, "  sw_json_to_file(&json, stdout);");
  check_line("src/command/x.c", 1, "#include \"cli/terminal.h\"");
  check_line("src/command/x.c", 1, "#include \"api/inner.h\"");
  assert_int_equal(problems, 23);
  problems = 9;
  check_line("src/search/x.c", 1, "  x = sw_strtod(text, &end);");
  check_line("src/cli/x.c", 1, "  x = strtod(text, &end);");
  check_line("src/model/x.c", 1, "#include \"trace/mask.h\"");
  check_line("src/cli/x.c", 1, "#include \"probe/bank.h\"");
  check_line("src/cli/x.c", 1, "  fprintf(stderr, \"x\");");
  check_line("src/base/x.c", 1, "  open(\"/dev/stdout\"); my_stderr(1);");
  check_line("src/probe/x.c", 1, "#include \"domains/trees/tree.h\"");
  check_line("src/release/x.c", 1, "#include \"domains/sat/tokens.h\"");
  check_line("src/train/x.c", 1, "#include \"domains/domain.h\"");
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
