/* Own searches: a data set of every domain goes out and in again with the same
 * tokens and targets; what is refused, and how; groups, parts, states met
 * twice, and what a word gives away. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../tiny_run.h"
#include "base/file.h"
#include "domains/own/import.h"
#include "domains/produce.h"

static char *dir, lines[300], data[300], first[300];

static int begin(void **state) {
  (void)state;
  dir = tiny_run_directory();
  if (!dir) return -1;
  snprintf(lines, sizeof lines, "%s/searches.jsonl", dir);
  snprintf(data, sizeof data, "%s/own.safetensors", dir);
  snprintf(first, sizeof first, "%s/first.safetensors", dir);
  return 0;
}

static int end(void **state) {
  (void)state;
  unlink(lines), unlink(data), unlink(first);
  int left = rmdir(dir); /* a temporary that is left fails the group */
  free(dir);
  return left;
}

static void must(int code, const sw_err *err) {
  if (code) fail_msg("%s (%s)", err->text, err->hint);
}

static sw_import_options plain_options(void) {
  static const char *file[] = {lines};
  return (sw_import_options){.file = file,
                             .files = 1,
                             .output = data,
                             .test_share = 0.1,
                             .valid_share = 0.1,
                             .seed = 42};
}

static int import_text(const char *text, sw_import_stats *stats, sw_err *err) {
  sw_import_options o = plain_options();
  must(sw_write_file(lines, text, strlen(text), err), err);
  return sw_import(&o, NULL, stats, err);
}

/* ---- the five domains ---- */

/* 0: the preset has no such format. */
static int make_set(const char *name, const char *preset, const char *format,
                    int viability) {
  sw_err err;
  sw_domain_options options;
  sw_produce_stats stats;
  const sw_domain *domain = sw_domain_find(name);
  sw_domain_defaults(domain, &options);
  must(sw_domain_set(domain, "preset", preset, &options, &err), &err);
  must(sw_domain_set(domain, "format", format, &options, &err), &err);
  must(sw_domain_set(domain, "max-tokens", "0", &options, &err), &err);
  if (domain->resolve(&options, &err)) return 0;
  sw_produce_options how = {
      .count = 12, .seed = 5, .threads = 1, .viability = viability};
  must(sw_produce(domain, &options, &how, first, NULL, &stats, &err), &err);
  return 1;
}

#define SAME_COLUMN(a, b, column, count) \
  assert_memory_equal((a)->column, (b)->column, sizeof *(a)->column *(count))

static void same_sets(const sw_dataset *a, const sw_dataset *b) {
  assert_int_equal(a->traces, b->traces);
  assert_int_equal(a->blocks, b->blocks);
  assert_int_equal(a->length, b->length);
  size_t traces = (size_t)a->traces, length = (size_t)a->length;
  SAME_COLUMN(a, b, tokens, length);
  SAME_COLUMN(a, b, supervised, length);
  SAME_COLUMN(a, b, trace_start, traces + 1);
  SAME_COLUMN(a, b, block_start, (size_t)a->blocks + 1);
  SAME_COLUMN(a, b, n, traces);
  SAME_COLUMN(a, b, terminal, traces);
  SAME_COLUMN(a, b, decisions, traces);
  SAME_COLUMN(a, b, conflicts, traces);
  assert_int_equal(!a->viability, !b->viability);
  if (!a->viability) return;
  SAME_COLUMN(a, b, viability, (size_t)a->blocks);
  SAME_COLUMN(a, b, query, (size_t)a->blocks);
}

/* A word that some step begins with. */
static int is_target(const sw_dataset *set, int32_t token) {
  for (int64_t b = 0; b < set->blocks; b++) {
    int64_t i = set->block_start[b], end = set->block_start[b + 1];
    while (i < end && !set->supervised[i]) i++;
    if (i < end && i > set->block_start[b] && set->tokens[i] == token) return 1;
  }
  return 0;
}

/* The data set `first`; by the words of `given`, or by words numbered as they
 * come. */
static void goes_round(int given) {
  sw_err err;
  sw_words words, again;
  sw_dataset a, b;
  int64_t searches;
  sw_import_stats stats;
  sw_import_options o = plain_options();
  must(sw_export(first, lines, NULL, &searches, &err), &err);
  assert_int_equal(searches, 12);
  must(sw_words_of_file(first, &words, &err), &err);
  if (given) o.vocabulary = &words, o.vocabulary_path = first;
  else o.back = sw_words_text(&words, sw_words_back(&words));
  must(sw_dataset_open(&a, first, &err), &err);
  if (!is_target(&a, sw_words_back(&words))) o.back = NULL;
  must(sw_import(&o, NULL, &stats, &err), &err);
  must(sw_dataset_open(&b, data, &err), &err);
  if (given) {
    same_sets(&a, &b);
  } else {
    must(sw_dataset_words(&b, data, &again, &err), &err);
    assert_int_equal(a.length, b.length);
    for (int64_t i = 0; i < a.length; i++)
      assert_string_equal(sw_words_text(&words, a.tokens[i]),
                          sw_words_text(&again, b.tokens[i]));
    SAME_COLUMN(&a, &b, supervised, (size_t)a.length);
    SAME_COLUMN(&a, &b, block_start, (size_t)a.blocks + 1);
    sw_words_free(&again);
  }
  assert_string_equal(sw_dataset_meta(&b, "domain"), "own");
  sw_dataset_close(&a);
  sw_dataset_close(&b);
  sw_words_free(&words);
}

static void all_domains_go_round(void **state) {
  (void)state;
  static const char *const presets[] = {"fair", "release"};
  int made = 0;
  for (int i = 0; sw_domains[i]; i++)
    for (int p = 0; p < 2; p++)
      for (int f = 0; sw_domains[i]->formats[f]; f++) {
        if (!make_set(sw_domains[i]->name, presets[p],
                      sw_domains[i]->formats[f], 0))
          continue;
        goes_round(1);
        goes_round(0);
        made++;
      }
  assert_true(made > 20);
  print_message("%d sets\n", made);
  assert_true(make_set("sat", "fair", "", 1)); /* judged */
  goes_round(1);
}

/* ---- what is refused ---- */

static void refuses(void **state) {
  (void)state;
#define STEPS "\"steps\": [{\"state\": \"s\", \"action\": \"a\"}]"
#define GOOD "{\"problem\": \"p\", " STEPS "}\n"
  static const struct {
    const char *text, *error, *hint;
  } bad[] = {
      {"", "no search in it", ""},
      {"\n \n", "no search in it", ""},
      {GOOD "nonsense\n", ":2: not JSON", ""},
      {GOOD GOOD "{\"problem\": \"p\"", ":3: not JSON", ""},
      {"[1]\n", ":1: is not a JSON object", ""},
      {"{" STEPS "}", ":1: \"problem\" is missing", ""},
      {"{\"problem\": 5, " STEPS "}", "\"problem\" is no text", ""},
      {"{\"problem\": \" \", " STEPS "}", "\"problem\" has no words", ""},
      {"{\"problem\": [\"a b\"], " STEPS "}", "\"a b\" has a blank", ""},
      {"{\"problem\": [\"a\", 1], " STEPS "}", "\"problem\"[1]", ""},
      {"{\"problem\": \"p\"}", "\"steps\" is missing", ""},
      {"{\"problem\": \"p\", \"steps\": {}}", "\"steps\" is not a list", ""},
      {"{\"problem\": \"p\", \"step\": []}", "unknown member \"step\"",
       "did you mean \"steps\""},
      {"{\"problem\": \"p\", \"problem\": \"q\"}", "duplicate", ""},
      {"{\"problem\": \"p\", \"steps\": [7]}", "step 1: is not an object", ""},
      {"{\"problem\": \"p\", \"steps\": [{\"stat\": \"s\"}]}",
       "step 1: unknown member \"stat\"", "\"state\""},
      {"{\"problem\": \"p\", \"steps\": [{\"state\": \"s\"}]}",
       "step 1: \"action\" is missing", ""},
      {"{\"problem\": \"p\", \"steps\": [{\"state\": \"\", \"action\": "
       "\"a\"}]}",
       "step 1: \"state\" has no words", "NONE"},
      {"{\"problem\": \"p\", \"steps\": [{\"state\": \"s\", \"action\": \"a\", "
       "\"viable\": 1}]}",
       "\"viable\" is not", ""},
      {"{\"problem\": \"p\", \"steps\": [{\"words\": \"s a\", \"targets\": "
       "[2]}]}",
       "\"targets\"[0] is not a place among 2 words", ""},
      {"{\"problem\": \"p\", \"steps\": [{\"words\": \"s a\"}]}",
       "\"targets\" is not a list", ""},
      {"{\"problem\": \"p\", \"steps\": [{\"words\": \"s a\", \"state\": "
       "\"s\"}]}",
       "beside state or action", ""},
      {"{\"problem\": \"p\", " STEPS ", \"part\": \"exam\"}", "\"part\"", ""},
      {"{\"problem\": \"p\", " STEPS ", \"group\": []}", "\"group\"", ""},
      {"{\"problem\": \"p\", " STEPS ", \"n\": -1}", "\"n\"", ""},
      {"{\"problem\": \"p\", " STEPS ", \"terminal\": \"tired\"}",
       "\"terminal\"", "solved"},
      {"{\"problem\": \"p\", " STEPS
       ", \"solved\": true, \"terminal\": \"cut\"}",
       "disagree", ""},
      {"{\"problem\": \"p\", " STEPS ", \"part\": \"test\"}\n" GOOD
       "{\"problem\": \"p\", " STEPS ", \"part\": \"train\"}\n",
       "search 3 says another `part`", "never split"},
      {"{\"problem\": \"p\xff\", " STEPS "}", ":1: not JSON", ""}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    sw_import_stats stats;
    sw_err err = {0};
    unlink(data);
    assert_int_equal(import_text(bad[i].text, &stats, &err), SW_DATA);
    if (!strstr(err.text, bad[i].error) || !strstr(err.hint, bad[i].hint))
      fail_msg("%zu: %s (%s)", i, err.text, err.hint);
    assert_false(sw_path_exists(data));
  }
}

/* What was there stays where an import fails. */
static void keeps_the_old_set(void **state) {
  (void)state;
  sw_import_stats stats;
  sw_err err;
  sw_dataset set;
  must(import_text(GOOD, &stats, &err), &err);
  assert_int_equal(import_text(GOOD "{", &stats, &err), SW_DATA);
  must(sw_dataset_open(&set, data, &err), &err);
  assert_int_equal(set.traces, 1);
  sw_dataset_close(&set);
}

static void own_members_and_lists_are_taken(void **state) {
  (void)state;
  sw_import_stats stats;
  sw_err err;
  must(import_text("{\"x-note\": {\"any\": 1}, \"problem\": [\"p\", \"q\"], "
                   "\"steps\": [{\"state\": [\"s\"], \"action\": [\"a\", "
                   "\"b\"], \"x-time\": 5, \"viable\": false}], "
                   "\"solved\": true}\n\n",
                   &stats, &err),
       &err);
  assert_int_equal(stats.tokens, 5);
  assert_int_equal(stats.targets, 2);
  assert_int_equal(stats.dead, 1);
  assert_int_equal(stats.solved, 1);
}

/* ---- the vocabulary ---- */

static void a_given_vocabulary_is_closed(void **state) {
  (void)state;
  sw_import_stats stats;
  sw_err err;
  sw_words words;
  must(import_text(GOOD, &stats, &err), &err);
  must(sw_words_of_file(data, &words, &err), &err);
  assert_int_equal(words.count, 3); /* p s a */
  sw_import_options o = plain_options();
  o.vocabulary = &words;
  o.vocabulary_path = "other";
  static const char next[] =
      "{\"problem\": \"p p\", " STEPS
      "}\n"
      "{\"problem\": \"p\", \"steps\": [{\"state\": \"s\", \"action\": "
      "\"a\"}, {\"state\": \"s new\", \"action\": \"a\"}]}";
  must(sw_write_file(lines, next, sizeof next - 1, &err), &err);
  assert_int_equal(sw_import(&o, NULL, &stats, &err), SW_DATA);
  assert_non_null(strstr(err.text,
                         "searches.jsonl:2: step 2: the word \"new\" "
                         "is not in the vocabulary of other"));
  sw_words_free(&words);
  o.vocabulary = NULL;
  o.back = "UNDO";
  assert_int_equal(sw_import(&o, NULL, &stats, &err), SW_USAGE);
  o.back = "s"; /* a word of states only */
  assert_int_equal(sw_import(&o, NULL, &stats, &err), SW_USAGE);
  assert_non_null(strstr(err.text, "no action begins with this word"));
}

/* ---- groups and parts ---- */

static void splits_by_group(void **state) {
  (void)state;
  char *text = NULL;
  size_t bytes;
  sw_import_stats stats;
  sw_err err;
  sw_dataset set;
  FILE *out = open_memstream(&text, &bytes);
  for (int i = 0; i < 200; i++) /* 50 problems; names join them in pairs */
    fprintf(out, "{\"problem\": \"p%d\", \"group\": %d, " STEPS "}\n", i % 50,
            i % 50 / 2);
  fclose(out);
  must(import_text(text, &stats, &err), &err);
  free(text);
  assert_int_equal(stats.groups, 25);
  must(sw_dataset_open(&set, data, &err), &err);
  int part[50], parts[3] = {0};
  for (int i = 0; i < 200; i++) {
    if (i < 50) part[i] = set.part[i];
    assert_int_equal(set.part[i], part[i % 50]);
    assert_int_equal(set.part[i], part[i % 50 / 2 * 2]);
    assert_int_equal(set.group[i], i % 50 / 2);
    parts[set.part[i]]++;
  }
  assert_int_equal(parts[SW_PART_TEST], 2 * 8); /* 2.5 groups, to even */
  assert_int_equal(parts[SW_PART_VALID], 2 * 8);
  assert_int_equal(parts[SW_PART_TRAIN], stats.train);
  sw_dataset_close(&set);
}

static void takes_the_parts_that_are_said(void **state) {
  (void)state;
  sw_import_stats stats;
  sw_err err;
  static const char text[] =
      "{\"problem\": \"a\", \"steps\": [{\"state\": \"s\", \"action\": \"x\"},"
      "{\"state\": \"t\", \"action\": \"x\"}], \"part\": \"test\"}\n"
      "{\"problem\": \"b\", " STEPS
      ", \"part\": \"valid\"}\n"
      "{\"problem\": \"c\", " STEPS
      "}\n"
      "{\"problem\": \"a\", " STEPS "}\n";
  must(import_text(text, &stats, &err), &err);
  assert_int_equal(stats.test, 2); /* the fourth is of the first's group */
  assert_int_equal(stats.valid, 1);
  assert_int_equal(stats.train, 1);
  assert_int_equal(stats.test_states, 2);
  assert_int_equal(stats.test_states_seen, 0);
  assert_int_equal(stats.test_words, 2);
  assert_int_equal(stats.test_words_seen, 1); /* s */
}

/* ---- states met twice, and what a word gives away ---- */

static void finds_states_met_twice(void **state) {
  (void)state;
  sw_import_stats stats;
  sw_err err;
#define STEP(s, a) "{\"state\": \"" s "\", \"action\": \"" a "\"}"
  static const char text[] =
      "{\"problem\": \"p\", \"steps\": [" STEP("0", "x") ", " STEP("1", "y")
      "]}\n{\"problem\": \"p\", \"steps\": [" STEP("0", "z") ", " STEP("1", "y")
      "]}\n{\"problem\": \"q\", \"steps\": [" STEP("2", "x") ", " STEP("1", "y")
      "]}\n";
  must(import_text(text, &stats, &err), &err);
  assert_int_equal(stats.states, 4);           /* p0 p1 q2 q1 */
  assert_int_equal(stats.states_met_twice, 1); /* p1 */
  assert_int_equal(stats.states_both_ways, 0);
}

static void finds_states_that_go_both_ways(void **state) {
  (void)state;
  sw_import_stats stats;
  sw_err err;
  static const char text[] =
      "{\"problem\": \"p\", \"steps\": [" STEP("0", "x") ", " STEP("1", "BACK")
      "]}\n{\"problem\": \"p\", \"steps\": [" STEP("0", "z") ", " STEP("1", "y")
      "]}\n{\"problem\": \"q\", \"steps\": [" STEP("1", "x") "]}\n";
  must(import_text(text, &stats, &err), &err);
  assert_int_equal(stats.states, 3);           /* p0 p1 q1 */
  assert_int_equal(stats.states_both_ways, 1); /* p1 */
}

static void tells_what_a_word_gives_away(void **state) {
  (void)state;
  sw_import_stats stats;
  sw_err err;
  static const char shown[] = "{\"problem\": \"p\", \"steps\": [" STEP(
      "a", "x") ", " STEP("b CONFLICT", "BACK") ", " STEP("c", "x") "]}\n";
  static const char absent[] = "{\"problem\": \"p\", \"steps\": [" STEP(
      "a OK", "x") ", " STEP("b", "BACK") ", " STEP("c OK", "x") "]}\n";
  static const char hidden[] =
      "{\"problem\": \"p\", \"steps\": [" STEP("a", "x") ", " STEP(
          "a b", "BACK") ", " STEP("b", "x") ", " STEP("b a", "BACK") ", " STEP(
          "c", "x") ", " STEP("a c b", "x") "]}\n";
  must(import_text(shown, &stats, &err), &err);
  assert_true(stats.gives.shown);
  assert_true(stats.gives.balanced == 1);
  must(import_text(absent, &stats, &err), &err);
  assert_true(stats.gives.shown && stats.gives.absent);
  assert_string_equal(stats.gives.word, "OK");
  must(import_text(hidden, &stats, &err), &err);
  assert_false(stats.gives.shown);
  assert_true(stats.gives.balanced ==
              0.75); /* a: both, and 2 of the 4 others */
  sw_dataset set;
  must(sw_dataset_open(&set, data, &err), &err);
  assert_null(sw_dataset_meta(&set, "verdict_shown"));
  assert_string_equal(sw_dataset_meta(&set, "back"), "BACK");
  sw_dataset_close(&set);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_domains_go_round),
      cmocka_unit_test(refuses),
      cmocka_unit_test(keeps_the_old_set),
      cmocka_unit_test(own_members_and_lists_are_taken),
      cmocka_unit_test(a_given_vocabulary_is_closed),
      cmocka_unit_test(splits_by_group),
      cmocka_unit_test(takes_the_parts_that_are_said),
      cmocka_unit_test(finds_states_met_twice),
      cmocka_unit_test(finds_states_that_go_both_ways),
      cmocka_unit_test(tells_what_a_word_gives_away)};
  return cmocka_run_group_tests(tests, begin, end);
}
