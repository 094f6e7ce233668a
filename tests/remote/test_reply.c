/* Reading what endpoints say: the number in a text, log-probabilities that fit
 * it and those that do not, replies of another shape, and error bodies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "remote/reply.h"

static void numbers_in_texts(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int choices, number;
  } cases[] = {
      {"3", 5, 3},
      {" 3\n", 5, 3},
      {"3.", 5, 3},
      {"**3**", 5, 3},
      {"(3) go back", 5, 3},
      {"3 because 2 has failed", 5, 3},
      {"I choose 4.", 5, 4},
      {"Choice: 4, that is v7", 5, 4},
      {"v3 looks best, so 2", 5, 2},
      {"The answer is 2, yes 2.", 5, 2},
      {"Between 2 and 4", 5, 0},
      {"6", 5, 0},
      {"0", 5, 0},
      {"-3", 5, 0},
      {"2.5", 5, 0},
      {"1,000", 5, 0},
      {"99999999999999999999", 5, 0},
      {"12", 12, 12},
      {"12", 5, 0},
      {"go back", 5, 0},
      {"", 5, 0},
      {"one", 5, 0},
      {"x2y", 5, 0},
      {"6 or rather 2", 5, 2}, /* 6 is no choice: one is left */
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int got = sw_reply_choice(cases[i].text, cases[i].choices);
    if (got != cases[i].number)
      fail_msg("`%s` of %d: %d, not %d", cases[i].text, cases[i].choices, got,
               cases[i].number);
  }
}

static int read(const char *body, int chat, sw_remote_answer *a) {
  char text[200];
  int64_t tokens = -1;
  sw_err err = {0};
  return sw_reply_read(body, strlen(body), chat, 3, a, &tokens, text,
                       sizeof text, &err);
}

#define CHAT(content, logprobs)                         \
  "{\"choices\": [{\"message\": {\"content\": " content \
  "}, \"logprobs\": " logprobs "}], \"usage\": {\"prompt_tokens\": 7}}"
#define FIRST(token, top) \
  "{\"content\": [{\"token\": \"" token "\", \"top_logprobs\": [" top "]}]}"
#define T(token, p) "{\"token\": \"" token "\", \"logprob\": " p "}"

static void log_probabilities(void **state) {
  (void)state;
  static const struct {
    const char *body;
    int choice, believed;
  } cases[] = {
      {CHAT("\"2\"", FIRST("2", T("2", "-0.1") "," T("1", "-2.5"))), 2, 1},
      {CHAT("\" 2\"", FIRST(" 2", T(" 2", "-0.1") "," T("2", "-3.0"))), 2, 1},
      {CHAT("\"2\"", "null"), 2, 0},
      {CHAT("\"2\"", FIRST("2", "")), 2, 0},
      {CHAT("\"2\"", FIRST("2", T("2", "0.5"))), 2, 0},    /* no log of p */
      {CHAT("\"2\"", FIRST("2", T("2", "\"-1\""))), 2, 0}, /* no number */
      {CHAT("\"2\"", FIRST("2", T("2", "-3") "," T("1", "-0.1"))), 2, 0},
      {CHAT("\"2\"", FIRST("2", T("2", "-0.1") "," T("1", "-0.1"))), 2, 0},
      {CHAT("\"2\"", FIRST("The", T("The", "-0.1"))), 2, 0},
      {CHAT("\"I say 2\"", FIRST("I", T("I", "0"))), 2, 0},
      {CHAT("\"perhaps\"", FIRST("2", T("2", "-0.1"))), 0, 0},
      {CHAT("\"2\"", "17"), 2, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sw_remote_answer a;
    if (read(cases[i].body, 1, &a)) fail_msg("case %d does not read", (int)i);
    assert_int_equal(a.prompt_tokens, 7);
    if (a.choice != cases[i].choice || a.has_logprobs != cases[i].believed)
      fail_msg("case %d: choice %d, believed %d", (int)i, a.choice,
               a.has_logprobs);
  }
  sw_remote_answer a;
  assert_int_equal(read(cases[0].body, 1, &a), SW_OK);
  assert_true(a.log_p[1] == -0.1 && a.log_p[0] == -2.5 && isinf(a.log_p[2]));
  assert_int_equal(
      read(
          "{\"choices\": [{\"text\": \"3\", \"logprobs\": {\"tokens\": [\"3\"],"
          " \"top_logprobs\": [{\"3\": -0.2, \"1\": -2.0}]}}]}",
          0, &a),
      SW_OK);
  assert_true(a.choice == 3 && a.has_logprobs && a.log_p[2] == -0.2);
}

/* What an endpoint counts is summed up, and prose is sent back to it. */
static void large_counts_and_long_prose(void **state) {
  (void)state;
  sw_remote_answer a;
  sw_err err = {0};
  int64_t tokens;
  char body[400] =
      "{\"choices\": [{\"message\": {\"content\": \"\u00e9\u00e9\u00e9\"}}],"
      " \"usage\": {\"prompt_tokens\": 9223372036854775807,"
      " \"completion_tokens\": -3}}";
  for (size_t room = 1; room < 8; room++) {
    char text[8];
    assert_int_equal(
        sw_reply_read(body, strlen(body), 1, 3, &a, &tokens, text, room, &err),
        SW_OK);
    assert_int_equal(strlen(text), (room - 1) / 2 * 2);
  }
  assert_true(a.prompt_tokens > 0 && a.prompt_tokens < INT32_MAX);
  assert_int_equal(tokens, 0);
}

static void other_shapes(void **state) {
  (void)state;
  static const char *const bodies[] = {"",
                                       "{}",
                                       "[]",
                                       "null",
                                       "<html>",
                                       "{\"choices\": []}",
                                       "{\"choices\": [{}]}",
                                       "{\"choices\": [{\"message\": {}}]}",
                                       CHAT("17", "null"),
                                       "{\"choices\": [{\"message\": {\"conte"};
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
    sw_remote_answer a;
    if (read(bodies[i], 1, &a) != SW_DATA) fail_msg("`%s` reads", bodies[i]);
  }
  char message[64], code[32];
  static const char body[] =
      "{\"error\": {\"message\": \"too much\", \"code\": \"full\"}}";
  sw_reply_trouble(body, strlen(body), message, sizeof message, code,
                   sizeof code);
  assert_string_equal(message, "too much");
  assert_string_equal(code, "full");
  sw_reply_trouble("oops", 4, message, sizeof message, code, sizeof code);
  assert_string_equal(message, "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_in_texts),
      cmocka_unit_test(log_probabilities),
      cmocka_unit_test(large_counts_and_long_prose),
      cmocka_unit_test(other_shapes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
