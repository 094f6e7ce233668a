/* Word lists: what is a word, finding, JSON and back, limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "trace/words.h"

static void finds_what_was_added(void **state) {
  (void)state;
  sw_words words = {0};
  sw_err err;
  char word[32];
  assert_int_equal(sw_words_find(&words, "w0", 2), -1);
  for (int i = 0; i < 5000; i++) {
    int bytes = snprintf(word, sizeof word, "w%d", i);
    assert_int_equal(sw_words_add(&words, word, (size_t)bytes, &err), 0);
  }
  for (int i = 0; i < 5000; i++) {
    int32_t token;
    int bytes = snprintf(word, sizeof word, "w%d", i);
    assert_int_equal(sw_words_find(&words, word, (size_t)bytes), i);
    assert_string_equal(sw_words_text(&words, i), word);
    assert_int_equal(sw_words_intern(&words, word, (size_t)bytes, &token, &err),
                     0);
    assert_int_equal(token, i);
  }
  assert_int_equal(words.count, 5000);
  assert_int_equal(sw_words_find(&words, "w5000", 5), -1);
  assert_int_equal(sw_words_find(&words, "w12", 2), 1); /* the bytes count */
  assert_null(sw_words_text(&words, 5000));
  assert_null(sw_words_text(&words, -1));
  assert_int_equal(sw_words_add(&words, "w7", 2, &err), SW_DATA);
  assert_non_null(strstr(err.text, "\"w7\" is there twice"));
  sw_words_free(&words);
}

static void refuses_what_is_no_word(void **state) {
  (void)state;
  static const struct {
    const char *word;
    size_t bytes;
    const char *why;
  } bad[] = {{"", 0, "empty"},
             {"a b", 3, "a blank at byte 2"},
             {"a\tb", 3, "control character"},
             {"a\0b", 3, "control character"},
             {"\xff", 1, "invalid UTF-8"},
             {"a\xc3", 2, "invalid UTF-8"},
             {"\xed\xa0\x80", 3, "invalid UTF-8"},
             {"\xc2\xa0", 2, "a blank at byte 1"},
             {"x\xe3\x80\x80", 4, "a blank at byte 2"},
             {"\xef\xbb\xbf"
              "a",
              4, "a blank at byte 1"},
             {"\xe2\x80\xa8", 3, "control character"}};
  sw_err err;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    sw_words words = {0};
    assert_int_equal(sw_words_add(&words, bad[i].word, bad[i].bytes, &err),
                     SW_DATA);
    if (!strstr(err.text, bad[i].why)) fail_msg("%zu: %s", i, err.text);
    assert_int_equal(words.count, 0);
    sw_words_free(&words);
  }
  char longest[SW_WORD_BYTES + 2];
  memset(longest, 'x', sizeof longest);
  assert_int_equal(sw_word_check(longest, SW_WORD_BYTES, &err), 0);
  assert_int_equal(sw_word_check(longest, SW_WORD_BYTES + 1, &err), SW_LIMIT);
  assert_int_equal(sw_word_check("gr\xc3\xbc\xc3\x9f", 6, &err), 0);
}

static void keeps_its_limits(void **state) {
  (void)state;
  sw_words words = {0};
  sw_err err;
  char word[300];
  for (int i = 0; i < SW_WORDS_MAX; i++) {
    int bytes = snprintf(word, sizeof word, "%x", i);
    if (sw_words_add(&words, word, (size_t)bytes, &err)) fail_msg("%d", i);
  }
  assert_int_equal(sw_words_add(&words, "more", 4, &err), SW_LIMIT);
  sw_words_free(&words);
  int code = 0;
  int64_t bytes = 0;
  for (int i = 0; !code; i++) {
    snprintf(word, sizeof word, "%0*d", SW_WORD_BYTES, i);
    code = sw_words_add(&words, word, SW_WORD_BYTES, &err);
    bytes += code ? 0 : SW_WORD_BYTES + 1;
  }
  assert_int_equal(code, SW_LIMIT);
  assert_int_equal(bytes, SW_WORDS_BYTES);
  sw_words_free(&words);
}

static void goes_through_json(void **state) {
  (void)state;
  static const char *const list[] = {"EDGE", "a=?",      "\"q\\",
                                     "BACK", "\xc3\xa9", "</script>"};
  sw_words words = {0}, again, copy;
  sw_err err;
  char one[17], two[17];
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    assert_int_equal(sw_words_add(&words, list[i], strlen(list[i]), &err), 0);
  assert_int_equal(sw_words_back(&words), -1);
  assert_int_equal(sw_words_set_back(&words, "back", &err), SW_DATA);
  assert_int_equal(sw_words_set_back(&words, "BACK", &err), 0);
  assert_int_equal(sw_words_back(&words), 3);
  char *json = sw_words_json(&words);
  assert_non_null(json);
  assert_int_equal(sw_words_parse(&again, json, "BACK", "x", &err), 0);
  assert_true(sw_words_same(&words, &again));
  sw_words_hash(&words, one);
  sw_words_hash(&again, two);
  assert_string_equal(one, two);
  sw_words_free(&again);
  assert_int_equal(sw_words_parse(&again, json, NULL, "x", &err), 0);
  assert_false(sw_words_same(&words, &again));
  assert_int_equal(sw_words_difference(&words, &again), -1);
  sw_words_hash(&again, two);
  assert_string_not_equal(one, two);
  sw_words_free(&again);
  assert_int_equal(sw_words_copy(&copy, &words, &err), 0);
  assert_true(sw_words_same(&words, &copy));
  assert_int_equal(sw_words_add(&copy, "new", 3, &err), 0);
  assert_int_equal(sw_words_difference(&words, &copy), words.count);
  assert_false(sw_words_same(&words, &copy));
  sw_words_free(&copy);
  sw_words_free(&words);
  free(json);
}

static void refuses_other_json(void **state) {
  (void)state;
  static const char *const bad[][2] = {{"", "not JSON"},
                                       {"{}", "not a list"},
                                       {"[]", "without a word"},
                                       {"[\"a\", 1]", "word 1 is not a text"},
                                       {"[\"a\", \"a\"]", "twice"},
                                       {"[\"a b\"]", "a blank"},
                                       {"[\"a\"", "not JSON"},
                                       {"[\"b\"]", "not among the words"}};
  sw_words words;
  sw_err err;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_int_equal(sw_words_parse(&words, bad[i][0], "a", "file.x", &err),
                     SW_DATA);
    if (!strstr(err.text, bad[i][1]) || strncmp(err.text, "file.x: words", 13))
      fail_msg("%zu: %s", i, err.text);
    assert_int_equal(words.count, 0);
    assert_null(words.text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(finds_what_was_added),
                                     cmocka_unit_test(refuses_what_is_no_word),
                                     cmocka_unit_test(keeps_its_limits),
                                     cmocka_unit_test(goes_through_json),
                                     cmocka_unit_test(refuses_other_json)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
