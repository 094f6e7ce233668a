/* The DIMACS reader: one small file per oddity and per syntax error, at each
 * level of strictness, and every SATLIB file of the reference data. */
#include "sat_support.h"
#include <dirent.h>
#include "domains/sat/dimacs.h"

#define DATA "tests/data/sat/dimacs/"

/* What a level answers: NULL when read, else a part of the message; note: a
 * part of the remark when read. */
typedef struct answer {
  const char *error, *note;
  int line;
} answer;
typedef struct row {
  const char *file;
  answer level[3]; /* relaxed, normal, pedantic */
  int n, m, literals;
} row;
#define READ \
  { NULL, NULL, 0 }
#define NOTE(line, text) \
  { NULL, text, line }
#define BAD(line, text) \
  { text, NULL, line }
#define ALL_BAD(line, text) \
  {BAD(line, text), BAD(line, text), BAD(line, text)}, 0, 0, 0

static const row rows[] = {
    {"plain.cnf", {READ, READ, READ}, 3, 2, 5},
    {"packed.cnf.gz", {READ, READ, READ}, 3, 2, 5},
    {"packed.cnf.xz", {READ, READ, READ}, 3, 2, 5},
    {"satlib-percent.cnf", {READ, READ, BAD(5, "'%' is not part")}, 3, 2, 6},
    {"several-lines.cnf", {READ, READ, READ}, 3, 2, 5},
    {"one-line.cnf", {READ, READ, READ}, 3, 3, 5},
    {"comment-anywhere.cnf",
     {READ, READ, BAD(3, "comment below the header")},
     3,
     2,
     5},
    {"crlf.cnf", {READ, READ, BAD(1, "a carriage return")}, 3, 2, 5},
    {"cr.cnf", {READ, READ, BAD(1, "a carriage return")}, 1, 2, 2},
    {"byte-order-mark.cnf", {READ, READ, BAD(1, "byte order mark")}, 1, 1, 1},
    {"tabs-no-newline.cnf", {READ, READ, READ}, 2, 1, 2},
    {"repeated-literal.cnf",
     {NOTE(2, "literal 1 occurs twice"), NOTE(2, "literal 1 occurs twice"),
      BAD(2, "literal 1 occurs twice")},
     2,
     1,
     2},
    {"tautology.cnf", {READ, READ, BAD(2, "holds 1 and -1")}, 2, 1, 3},
    {"empty-clause.cnf", {READ, READ, READ}, 2, 2, 2},
    {"no-clauses.cnf", {READ, READ, READ}, 2, 0, 0},
    {"unused-variables.cnf", {READ, READ, READ}, 9, 1, 2},
    {"long-clause.cnf", {READ, READ, READ}, 6, 1, 6},
    {"missing-header.cnf",
     {NOTE(1, "before the header"), BAD(1, "before the header"),
      BAD(1, "before the header")},
     2,
     2,
     3},
    {"empty.cnf",
     {NOTE(1, "no header"), BAD(1, "no header"), BAD(1, "no header")},
     0,
     0,
     0},
    {"comments-only.cnf",
     {NOTE(2, "no header"), BAD(2, "no header"), BAD(2, "no header")},
     0,
     0,
     0},
    {"too-few-clauses.cnf",
     {NOTE(4, "promises 3 clauses, the file has 2"),
      BAD(4, "promises 3 clauses, the file has 2"),
      BAD(4, "promises 3 clauses, the file has 2")},
     3,
     2,
     5},
    {"too-many-clauses.cnf",
     {NOTE(4, "promises 1 clauses, the file has 2"),
      BAD(4, "promises 1 clauses, the file has 2"),
      BAD(4, "promises 1 clauses, the file has 2")},
     3,
     2,
     5},
    {"variable-too-large.cnf",
     {NOTE(2, "variable 3, but the header promises 2"),
      BAD(2, "variable 3, but the header promises 2"),
      BAD(2, "variable 3, but the header promises 2")},
     3,
     1,
     2},
    {"no-final-zero.cnf",
     {NOTE(3, "the last clause has no 0"), BAD(3, "the last clause has no 0"),
      BAD(3, "the last clause has no 0")},
     2,
     1,
     2},
    {"header-extra.cnf",
     {NOTE(1, "left out: something follows"), BAD(1, "something follows"),
      BAD(1, "something follows")},
     1,
     1,
     1},
    {"text-after-percent.cnf",
     {NOTE(4, "left out: text after the '%'"), BAD(4, "text after the '%'"),
      BAD(3, "'%' is not part")},
     2,
     1,
     2},
    /* what is left out may not be clauses that the header promises */
    {"clauses-after-percent.cnf",
     {BAD(4, "without it there are 1 clauses"), BAD(4, "text after the '%'"),
      BAD(3, "'%' is not part")},
     0,
     0,
     0},
    {"clauses-in-header.cnf",
     {BAD(1, "without it there are 0 clauses"), BAD(1, "something follows"),
      BAD(1, "something follows")},
     0,
     0,
     0},
    {"percent-in-clause.cnf",
     {BAD(3, "inside a clause"), BAD(3, "inside a clause"),
      BAD(3, "'%' is not part")},
     0,
     0,
     0},
    {"header-after-clause.cnf",
     {BAD(2, "after clauses"), BAD(1, "before the header"),
      BAD(1, "before the header")},
     0,
     0,
     0},
    {"second-header.cnf", ALL_BAD(2, "a second header")},
    {"wrong-format.cnf", ALL_BAD(1, "the header must be 'p cnf")},
    {"header-one-number.cnf", ALL_BAD(1, "number of clauses expected")},
    {"header-not-number.cnf",
     ALL_BAD(1, "number of variables expected, found 't'")},
    {"header-negative.cnf", ALL_BAD(1, "negative number in the header")},
    {"header-huge.cnf", ALL_BAD(1, "number of variables is too large")},
    {"header-too-big.cnf", ALL_BAD(1, "2000000000 variables")},
    {"letter-in-clause.cnf", ALL_BAD(2, "expected, found 'x'")},
    {"number-glued.cnf", ALL_BAD(2, "literal expected, found 'a'")},
    {"lone-minus.cnf", ALL_BAD(2, "literal expected, found 0x20")},
    {"huge-literal.cnf", ALL_BAD(2, "literal is too large")},
    {"nul-byte.cnf", ALL_BAD(2, "expected, found 0x00")},
    {"p-inside-line.cnf", ALL_BAD(2, "'p' in the middle of a line")},
};

static void check_answer(const row *r, int level) {
  char path[256], place[300];
  const answer *want = &r->level[level];
  sw_instance *f;
  sw_err err = {0};
  snprintf(path, sizeof path, DATA "%s", r->file);
  int code = sw_dimacs_read(&f, path, (sw_dimacs_level)level, &err);
  if (want->error) {
    assert_true(code == SW_DATA || code == SW_LIMIT);
    assert_null(f);
    snprintf(place, sizeof place, "%s:%d: ", path, want->line);
    if (strncmp(err.text, place, strlen(place)) != 0 ||
        !strstr(err.text, want->error))
      fail_msg("level %d: wanted \"%s...%s\", got \"%s\"", level, place,
               want->error, err.text);
    return;
  }
  if (code) fail_msg("level %d: %s", level, err.text);
  assert_int_equal(f->n, r->n);
  assert_int_equal(f->m, r->m);
  assert_int_equal(f->start[f->m], r->literals);
  if (want->note) {
    snprintf(place, sizeof place, "line %d: ", want->line);
    assert_int_equal(strncmp(f->note, place, strlen(place)), 0);
    assert_non_null(strstr(f->note, want->note));
  } else {
    assert_string_equal(f->note, "");
  }
  sw_sat_instance_free(f);
}

static void test_small_files(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    for (int level = 0; level < 3; level++) check_answer(&rows[i], level);
}

/* Every file in the directory has its row. */
static void test_no_file_forgotten(void **state) {
  (void)state;
  DIR *dir = opendir(DATA);
  assert_non_null(dir);
  struct dirent *entry;
  while ((entry = readdir(dir))) {
    int found = entry->d_name[0] == '.';
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
      found |= strcmp(rows[i].file, entry->d_name) == 0;
    if (!found) fail_msg("%s is in no row", entry->d_name);
  }
  closedir(dir);
}

static void test_clause_content(void **state) {
  (void)state;
  static const int32_t want[] = {1, -2, 3, -1, 2};
  sw_instance *f;
  assert_int_equal(
      sw_dimacs_read(&f, DATA "several-lines.cnf", SW_DIMACS_NORMAL, NULL),
      SW_OK);
  for (int i = 0; i < 5; i++)
    assert_int_equal(sw_sat_to_dimacs(f->literal[i]), want[i]);
  assert_int_equal(f->start[1], 3);
  sw_sat_instance_free(f);
  sw_err err = {0};
  assert_int_equal(
      sw_dimacs_read(&f, DATA "absent.cnf", SW_DIMACS_NORMAL, &err), SW_NOFILE);
}

static void test_hint_names_the_level(void **state) {
  (void)state;
  sw_instance *f;
  sw_err err = {0};
  sw_dimacs_read(&f, DATA "too-few-clauses.cnf", SW_DIMACS_NORMAL, &err);
  assert_non_null(strstr(err.hint, "--reading relaxed"));
  sw_dimacs_read(&f, DATA "satlib-percent.cnf", SW_DIMACS_PEDANTIC, &err);
  assert_non_null(strstr(err.hint, "--reading normal"));
}

static void check_fit(const char *text, const char *part) {
  char why[200];
  sw_instance *f;
  assert_int_equal(
      sw_dimacs_parse(&f, "x", text, strlen(text), SW_DIMACS_NORMAL, NULL),
      SW_OK);
  assert_int_equal(sw_domain_sat.instance_fits(f, NULL, why, sizeof why),
                   part == NULL);
  if (part && !strstr(why, part))
    fail_msg("wanted \"%s\" in \"%s\"", part, why);
  sw_sat_instance_free(f);
}

static void test_fits(void **state) {
  (void)state;
  char many[8192] = "p cnf 3 1201\n";
  for (int i = 0; i < 1201; i++) strcat(many, "1 2 0\n");
  check_fit("p cnf 200 1\n1 -200 0\n", NULL);
  check_fit("p cnf 201 1\n1 2 0\n",
            "201 variables; the vocabulary names at most 200");
  check_fit(many, "1201 clauses; the vocabulary names at most 1200");
  check_fit("p cnf 4 1\n1 2 3 4 0\n", "a clause of 4 literals");
  check_fit("p cnf 4 2\n1 2 3 0 0\n", "clause 2 is empty");
}

static void test_recognises(void **state) {
  (void)state;
  const char *cnf = "c x\n\np cnf 1 1\n1 0\n", *col = "c x\np edge 3 1\n";
  assert_true(sw_dimacs_recognises(NULL, "a.cnf", col, strlen(col)));
  assert_true(sw_dimacs_recognises(NULL, "a.cnf.xz", "", 0));
  assert_true(sw_dimacs_recognises(NULL, "stdin", cnf, strlen(cnf)));
  assert_false(sw_dimacs_recognises(NULL, "graph", col, strlen(col)));
  assert_false(sw_dimacs_recognises(NULL, NULL, "c", 1));
}

/* Any prefix and any one-byte change of a file is answered, never crashed on.
 */
static void test_hostile_bytes(void **state) {
  (void)state;
  const char *text = "c a\np cnf 3 3\n1 -2 3 0\n-1 2 0\nc b\n3 0\n%\n0\n";
  size_t bytes = strlen(text);
  int read = 0, refused = 0;
  for (size_t cut = 0; cut <= bytes; cut++)
    for (int byte = 0; byte < 256; byte++) {
      char *copy = malloc(bytes + 1);
      memcpy(copy, text, bytes);
      if (cut < bytes) copy[cut] = (char)byte;
      size_t length = byte == 0 ? cut : bytes;
      for (int level = 0; level < 3; level++) {
        sw_instance *f;
        sw_err err = {0};
        int code = sw_dimacs_parse(&f, "x", copy, length,
                                   (sw_dimacs_level)level, &err);
        if (code) {
          refused++;
          assert_int_equal(strncmp(err.text, "x:", 2), 0);
        } else {
          read++;
          sw_sat_instance_free(f);
        }
      }
      free(copy);
    }
  assert_true(read > 1000 && refused > 1000);
}

/* Every file of a folder has so many variables and clauses, or is a
 * colouring instance whose name says how many. */
static int read_folder(const char *path, int n, int m) {
  DIR *dir = opendir(path);
  struct dirent *entry;
  int count = 0;
  if (!dir) fail_msg("%s: no such folder", path);
  while ((entry = readdir(dir))) {
    char file[1024];
    sw_instance *f;
    sw_err err = {0};
    if (!strstr(entry->d_name, ".cnf")) continue;
    snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
    if (sw_dimacs_read(&f, file, SW_DIMACS_NORMAL, &err))
      fail_msg("%s", err.text);
    /* flatN: N nodes, three colours */
    int nodes = 0;
    if (sscanf(entry->d_name, "flat%d", &nodes) == 1)
      assert_int_equal(f->n, 3 * nodes);
    else assert_true(f->n == n && f->m == m);
    sw_sat_instance_free(f);
    count++;
  }
  closedir(dir);
  return count;
}

static void test_satlib(void **state) {
  (void)state;
  static const struct {
    const char *name;
    int n, m, files;
  } folder[] = {{"uf20-91", 20, 91, 8},
                {"uf50-218", 50, 218, 8},
                {"uuf50-218", 50, 218, 8},
                {"other", 75, 325, 6}};
  for (int i = 0; i < 4; i++) {
    char path[256];
    snprintf(path, sizeof path, "tests/data/satlib/%s", folder[i].name);
    assert_int_equal(read_folder(path, folder[i].n, folder[i].m),
                     folder[i].files);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_small_files),
      cmocka_unit_test(test_no_file_forgotten),
      cmocka_unit_test(test_clause_content),
      cmocka_unit_test(test_hint_names_the_level),
      cmocka_unit_test(test_fits),
      cmocka_unit_test(test_recognises),
      cmocka_unit_test(test_hostile_bytes),
      cmocka_unit_test(test_satlib)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
