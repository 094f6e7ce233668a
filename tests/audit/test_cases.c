/* Cases, conditions, answers and logs: what is read, what is refused and with
 * which words, and what a question looks like under each condition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/answers.h"
#include "audit/arms.h"
#include "audit/logs.h"

#define CASE(id, more)                                                       \
  "{\"id\":\"" id "\",\"system\":\"Rules.\",\"situation\":\"Now " id         \
  "?\",\"choices\":[\"on\",\"go back\"],\"histories\":[{\"name\":\"own\","   \
  "\"messages\":[{\"role\":\"user\",\"content\":\"a\"},{\"role\":"           \
  "\"assistant\",\"content\":\"1\"},{\"role\":\"user\",\"content\":\"b\"},{" \
  "\"role\":\"assistant\",\"content\":\"2\"}]}]" more "}\n"

static int parse(sw_audit_cases *cases, const char *text, sw_err *err) {
  memset(cases, 0, sizeof *cases);
  memset(err, 0, sizeof *err);
  return sw_audit_cases_parse(cases, "f", text, strlen(text), err);
}

/* ---- the file ---- */

static void reads(void **state) {
  (void)state;
  sw_audit_cases c;
  sw_err err;
  assert_int_equal(parse(&c,
                         CASE("x", ",\"right\":\"on\",\"x-mine\":3") "\n" CASE(
                             "y",
                             ",\"right\":[\"on\",\"go back\"],"
                             "\"group\":\"g\""),
                         &err),
                   SW_OK);
  assert_int_equal(c.count, 2);
  assert_true(c.item[0].right[0] == 1 && c.item[0].right[1] == 0);
  assert_true(c.item[1].right[0] == 1 && c.item[1].right[1] == 1);
  assert_string_equal(c.item[0].group, "x");
  assert_string_equal(c.item[1].group, "g");
  assert_true(isnan(c.item[0].history[0].count));
  sw_audit_cases_free(&c);
}

static void refuses(void **state) {
  (void)state;
  static const struct {
    const char *text, *says;
  } bad[] = {
      {"", "there is no case"},
      {"{", "f:1: no JSON"},
      {CASE("x", "") "[]\n", "f:2: a case is a JSON object"},
      {CASE("x", "") CASE("x", ""), "f:2: there are two cases `x`"},
      {CASE("x", ",\"colour\":1"), "no member `colour`"},
      {CASE("x", ",\"right\":\"off\""), "`right` says `off`"},
      {CASE("x", ",\"right\":[]"), "`right` is empty"},
      {"{\"id\":\"x\",\"histories\":[],\"choices\":[\"a\",\"b\"]}",
       "needs `situation`"},
      {"{\"id\":\"x\",\"situation\":\"s\",\"histories\":[],\"choices\":[\"a\"]"
       "}",
       "2 to 60 texts"},
      {"{\"id\":\"x\",\"situation\":\"s\",\"histories\":[],\"choices\":[\"a\","
       "\"a\"]}",
       "appears twice"},
      {"{\"id\":\"x\",\"situation\":[],\"histories\":[],\"choices\":[\"a\","
       "\"b\"]}",
       "`situation` is empty"},
      {"{\"id\":\"x\",\"situation\":[{\"role\":\"cat\",\"content\":\"m\"}],"
       "\"histories\":[],\"choices\":[\"a\",\"b\"]}",
       "needs a role"},
      {"{\"id\":\"x\",\"situation\":\"s\",\"histories\":[{\"name\":\"own\","
       "\"messages\":[{\"role\":\"user\"}]}],\"choices\":[\"a\",\"b\"]}",
       "has no content"},
      {"{\"id\":\"x\",\"id\":\"y\"}", "no JSON"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    sw_audit_cases c;
    sw_err err;
    assert_int_equal(parse(&c, bad[i].text, &err), SW_DATA);
    if (!strstr(err.text, bad[i].says))
      fail_msg("\"%s\" does not say \"%s\"", err.text, bad[i].says);
    sw_audit_cases_free(&c);
  }
}

/* ---- conditions ---- */

/* All messages as "role:content|". */
static char *told(const char *arm_name, const sw_audit_cases *c, int order) {
  static char text[4000];
  sw_arm arm;
  sw_err err = {0};
  json_t *list, *m;
  size_t i;
  text[0] = 0;
  assert_int_equal(sw_arm_parse(&arm, arm_name, &err), SW_OK);
  assert_true(sw_arm_applies(&arm, c, 0));
  assert_int_equal(sw_arm_messages(&arm, c, 0, order, &list, &err), SW_OK);
  json_array_foreach(list, i, m) {
    size_t used = strlen(text);
    const char *said = json_string_value(json_object_get(m, "content"));
    snprintf(text + used, sizeof text - used, "%.1s:%s|",
             json_string_value(json_object_get(m, "role")),
             said ? said : "(none)");
  }
  json_decref(list);
  return text;
}

#define Q(id) \
  "u:Now " id "?\n\nChoices\n1. on\n2. go back\nAnswer with one number.|"
static void conditions(void **state) {
  (void)state;
  sw_audit_cases c;
  sw_err err;
  assert_int_equal(
      parse(&c,
            CASE("x", ",\"right\":\"on\"") CASE("y", ",\"right\":\"go back\"")
                CASE("z", ",\"right\":\"on\"")
                    CASE("w", ",\"right\":\"go back\"")
                        CASE("v", ",\"right\":\"on\""),
            &err),
      SW_OK);
  assert_string_equal(told("own", &c, 0), "s:Rules.|u:a|a:1|u:b|a:2|" Q("x"));
  assert_string_equal(told("none", &c, 0), "s:Rules.|" Q("x"));
  assert_string_equal(told("last:2", &c, 0), "s:Rules.|u:b|a:2|" Q("x"));
  assert_string_equal(told("other", &c, 0), "s:Rules.|u:a|a:1|u:b|a:2|" Q("x"));
  assert_string_equal(
      told("none", &c, 1),
      "s:Rules.|u:Now x?\n\nChoices\n1. go back\n2. on\nAnswer with one "
      "number.|");
  assert_string_equal(told("concat", &c, 0),
                      "s:Rules.|u:What happened so far:\n\nuser: a\n\n"
                      "assistant: 1\n\nuser: b\n\nassistant: 2\n\n"
                      "Now x?\n\nChoices\n1. on\n2. go back\nAnswer with one "
                      "number.|");
  /* as often one choice as the other */
  assert_string_equal(told("demo:4", &c, 0),
                      "s:Rules.|" Q("z") "a:1|" Q("y") "a:2|" Q("v") "a:1|" Q(
                          "w") "a:2|" Q("x"));
  sw_arm arm;
  assert_int_equal(sw_arm_parse(&arm, "own2", &err), SW_OK);
  assert_false(sw_arm_applies(&arm, &c, 0));
  static const char *const bad[] = {
      "owl", "last", "last:0", "demo:3", "none:1", "clear_tool_uses:hold=3"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_int_equal(sw_arm_parse(&arm, bad[i], &err), SW_USAGE);
  sw_audit_cases_free(&c);
}

#define CALL(n)                                                               \
  "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"c" n    \
  "\",\"type\":\"function\",\"function\":{\"name\":\"find\",\"arguments\":\"" \
  "{}\"}}]},{\"role\":\"tool\",\"tool_call_id\":\"c" n                        \
  "\",\"content\":\"result " n "\"}"
static void tool_uses(void **state) {
  (void)state;
  sw_audit_cases c;
  sw_err err;
  assert_int_equal(
      parse(&c,
            "{\"id\":\"x\",\"situation\":\"s\",\"choices\":[\"a\",\"b\"],"
            "\"histories\":[{\"name\":\"own\",\"messages\":[{\"role\":\"user\","
            "\"content\":\"go\"}," CALL("1") "," CALL("2") "," CALL("3") "]}]}",
            &err),
      SW_OK);
  char *text = told("clear_tool_uses:keep=1", &c, 0);
  assert_non_null(strstr(text,
                         "t:[cleared]|a:(none)|t:[cleared]|a:(none)|"
                         "t:result 3|"));
  text = told("clear_tool_uses:keep=1,trigger=100000", &c, 0);
  assert_null(strstr(text, "cleared"));
  /* a result is not left without its call */
  assert_null(strstr(told("last:3", &c, 0), "result 2"));
  assert_non_null(strstr(told("last:3", &c, 0), "u:s"));
  sw_audit_cases_free(&c);
}

#define TOOLED(id, calls)                                               \
  "{\"id\":\"" id "\",\"situation\":\"s " id                            \
  "\",\"choices\":[\"a\",\"b\"],\"sufficient\":true,\"histories\":[{"   \
  "\"name\":\"own\",\"messages\":[{\"role\":\"user\",\"content\":\"" id \
  "\"}," calls "]}]}\n"
#define READ                                                                 \
  "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"r\","  \
  "\"type\":\"function\",\"function\":{\"name\":\"read\",\"arguments\":\"{}" \
  "\"}}]},{\"role\":\"tool\",\"tool_call_id\":\"r\",\"content\":\"text\"}"
/* Another history is of the same tools first, then of the same length. */
static void of_the_same_form(void **state) {
  (void)state;
  sw_audit_cases c;
  sw_err err;
  assert_int_equal(
      parse(&c,
            TOOLED("x", CALL("1")) TOOLED("y", READ)
                TOOLED("z", CALL("1") "," CALL("2")) TOOLED("w", CALL("3")),
            &err),
      SW_OK);
  assert_true(c.item[0].sufficient);
  for (int prepared = 0; prepared < 2; prepared++) {
    if (prepared) assert_int_equal(sw_arm_prepare(&c, &err), SW_OK);
    char *text = told("other", &c, 0);
    assert_non_null(strstr(text, "u:w|")); /* not y's tools, not z's length */
  }
  sw_audit_cases_free(&c);
}

/* ---- answers ---- */

static void prose(void **state) {
  (void)state;
  static const char *const label[] = {"1", "2", "3"};
  static const char *const choice[] = {"go on", "go back", "v3"};
  static const struct {
    const char *text;
    int choice; /* from 1; 0: none */
  } row[] = {{"2", 2},
             {" 3.", 3},
             {"**2**", 2},
             {"2. go back", 2},
             {"go back", 2},
             {"Go back.", 2},
             {"I think we should go back.", 2},
             {"Choices:\n1. go on\n2. go back\n3. v3", 0},
             {"First 1, then 2.\nAnswer: 3", 3},
             {"The answer is 2.", 2},
             {"so \\boxed{3} it is, not 1", 3},
             {"It is 1 or 2.", 0},
             {"Clause 12 is false, 1.5 times", 0},
             {"Reasons: 3 of them.\nMore reasons.\n\n2", 2},
             {"", 0},
             {"Hello!", 0}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    int got = sw_said_choice(row[i].text, label, choice, 3) + 1;
    if (got != row[i].choice)
      fail_msg("`%s` is read as %d, not %d", row[i].text, got, row[i].choice);
  }
}

static sw_said read_reply(const sw_audit_cases *c, int order,
                          const char *reply) {
  sw_manner manner = {.form = SW_FORM_PLAIN, .top = 20, .max_tokens = 16};
  sw_said said;
  sw_err err = {0};
  int code = sw_said_read(reply, strlen(reply), &manner, c, c->item, order,
                          &said, &err);
  if (code) fail_msg("%s", err.text);
  return said;
}

#define TOP(a, pa, b, pb)                                                      \
  "\"top_logprobs\":[{\"token\":\"" a "\",\"logprob\":" pa "},{\"token\":\"" b \
  "\",\"logprob\":" pb "}]"
static void replies(void **state) {
  (void)state;
  sw_audit_cases c;
  sw_err err;
  assert_int_equal(parse(&c, CASE("x", ""), &err), SW_OK);
  sw_said s = read_reply(
      &c, 0,
      "{\"choices\":[{\"message\":{\"content\":\"1\"},\"logprobs\":{\"content\""
      ":[{\"token\":\"1\",\"logprob\":-0.1," TOP("1", "-0.1", " 2", "-2.5")
      "}]}}],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":1,"
      "\"prompt_tokens_details\":{\"cached_tokens\":5}}}");
  assert_true(s.choice == 0 && s.graded && !s.floored);
  assert_true(fabs(s.log_p[0] - s.log_p[1] - 2.4) < 1e-12);
  assert_true(s.prompt_tokens == 7 && s.cached_tokens == 5);
  /* the other order: the label 1 is the other choice */
  s = read_reply(&c, 1, "{\"choices\":[{\"message\":{\"content\":\"1\"}}]}");
  assert_true(s.choice == 1 && !s.graded && s.p[1] == 1);
  /* behind its thinking, and at the token that says it */
  s = read_reply(
      &c, 0,
      "{\"choices\":[{\"message\":{\"content\":\"<think>1 or 2? 1!</think>\\n2"
      "\"},\"logprobs\":{\"content\":[{\"token\":\"1\"," TOP(
          "1", "-0.01", "2", "-5") "},{\"token\":\"2\"," TOP("2", "-0.5", "1",
                                                             "-1") "}]}}]}");
  assert_true(s.choice == 1 && s.graded && s.log_p[1] == -0.5);
  /* it never came to an answer */
  s = read_reply(&c, 0,
                 "{\"choices\":[{\"message\":{\"content\":\"<think>1 is\"}}]}");
  assert_int_equal(s.choice, -1);
  /* a tool that was called, JSON that was asked for */
  s = read_reply(&c, 0,
                 "{\"choices\":[{\"message\":{\"content\":null,\"tool_calls\":["
                 "{\"function\":{\"name\":\"answer\",\"arguments\":"
                 "\"{\\\"answer\\\":\\\"2\\\"}\"}}]}}]}");
  assert_int_equal(s.choice, 1);
  /* log-probabilities that are none */
  s = read_reply(
      &c, 0,
      "{\"choices\":[{\"message\":{\"content\":\"1\"},\"logprobs\":{"
      "\"content\":[{\"token\":\"1\"," TOP("1", "0.7", "2", "-1") "}]}}]}");
  assert_true(s.choice == 0 && !s.graded);
  sw_audit_cases_free(&c);
}

/* ---- logs ---- */

static int log_of(sw_audit_cases *c, const char *text, const char *how,
                  sw_log_counts *n) {
  sw_log_options o = {0};
  sw_err err = {0};
  memset(c, 0, sizeof *c);
  assert_int_equal(sw_log_state_parse(&o, how, &err), SW_OK);
  return sw_logs_parse(c, "log", text, strlen(text), &o, n, &err);
}

static void logs(void **state) {
  (void)state;
  sw_audit_cases c;
  sw_log_counts n;
  /* LangChain's serialisation, two decisions: a call, then an answer */
  static const char chain[] =
      "[{\"lc\":1,\"type\":\"constructor\",\"id\":[\"langchain_core\","
      "\"messages\",\"HumanMessage\"],\"kwargs\":{\"content\":\"find it\"}},"
      "{\"lc\":1,\"type\":\"constructor\",\"id\":[\"x\",\"AIMessage\"],"
      "\"kwargs\":{\"content\":\"\",\"tool_calls\":[{\"name\":\"find\","
      "\"args\":{\"q\":1},\"id\":\"c1\"}]}},{\"lc\":1,\"type\":"
      "\"constructor\",\"id\":[\"x\",\"ToolMessage\"],\"kwargs\":{\"content\":"
      "\"there\",\"tool_call_id\":\"c1\"}},{\"type\":\"ai\",\"content\":"
      "\"done\"}]";
  assert_int_equal(log_of(&c, chain, "last-tool", &n), SW_OK);
  assert_true(n.decisions == 2 && n.cut == 1 && n.no_state == 1);
  assert_int_equal(json_array_size(c.item[0].situation), 2);
  assert_int_equal(c.item[0].choices, 2);
  assert_string_equal(c.item[0].choice[0], "call find");
  const json_t *call = json_array_get(
      json_object_get(json_array_get(c.item[0].situation, 0), "tool_calls"), 0);
  assert_string_equal(json_string_value(json_object_get(
                          json_object_get(call, "function"), "arguments")),
                      "{\"q\":1}");
  sw_audit_cases_free(&c);
  assert_int_equal(log_of(&c, chain, "last-user", &n), SW_DATA);
  assert_int_equal(n.no_history, 2);
  sw_audit_cases_free(&c);
  /* Inspect: the model event is a finished decision */
  assert_int_equal(
      log_of(&c,
             "{\"samples\":[{\"id\":7,\"events\":[{\"event\":\"model\","
             "\"input\":[{\"role\":\"user\",\"content\":\"a\"},{\"role\":"
             "\"assistant\",\"content\":\"\",\"tool_calls\":[{\"id\":\"1\","
             "\"function\":\"bash\",\"arguments\":{\"cmd\":\"ls\"}}]},{"
             "\"role\":\"tool\",\"content\":[{\"type\":\"text\",\"text\":"
             "\"x\"}]}],\"tools\":[{\"name\":\"bash\"},{\"name\":\"submit\"}],"
             "\"output\":{\"choices\":[{\"message\":{\"role\":\"assistant\","
             "\"content\":\"ok\"}}]}}]}]}",
             "system+last", &n),
      SW_OK);
  assert_true(n.decisions == 1 && n.cut == 1 && c.item[0].choices == 3);
  assert_string_equal(json_string_value(json_object_get(
                          json_array_get(c.item[0].situation, 0), "content")),
                      "x");
  sw_audit_cases_free(&c);
}

#define USER(t) "{\"role\":\"user\",\"content\":\"" t "\"}"
#define SAID(t) "{\"role\":\"assistant\",\"content\":\"" t "\"}"
#define REQUEST(messages, answer)         \
  "{\"request\":{\"messages\":[" messages \
  "]},\"response\":{\"choices\":[{\"message\":" answer "}]}}\n"
/* A request that begins with another's messages and its answer is of the same
 * conversation; one that only begins alike is not. */
static void recorded_requests(void **state) {
  (void)state;
  sw_audit_cases c;
  sw_log_counts n;
  assert_int_equal(
      log_of(&c,
             REQUEST(USER("a") "," SAID("x") "," USER("b"), SAID("on")) REQUEST(
                 USER("a") "," SAID("x") "," USER("b") "," SAID("on") "," USER(
                     "c"),
                 SAID("off")) REQUEST(USER("a") "," SAID("x") "," USER("b"),
                                      SAID("off")) "{\"request\":{\"messages\":"
                                                   "[" USER("d") "]}}\n{}\n",
             "last-user", &n),
      SW_OK);
  assert_true(n.decisions == 3 && n.cut == 3 && n.no_answer == 1 &&
              n.strange == 1);
  assert_string_equal(c.item[0].group, c.item[1].group);
  assert_string_not_equal(c.item[0].group, c.item[2].group);
  assert_string_not_equal(c.item[0].id, c.item[1].id);
  sw_audit_cases_free(&c);
}

/* Messages once, and events that name places among them. */
static void pools(void **state) {
  (void)state;
  static const struct {
    const char *refs;
    int whole;
  } row[] = {{"[[0,2],[2,3]]", 1}, {"[[0,4]]", 0}, {"[[-1,2]]", 0},
             {"[0,1]", 0},         {"[]", 0},      {"[[\"0\",3]]", 0}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    sw_audit_cases c;
    sw_log_counts n;
    char text[1000];
    snprintf(
        text, sizeof text,
        "{\"id\":1,\"epoch\":1,\"events_data\":{\"messages\":[%s,%s,%s]},"
        "\"attachments\":{\"h\":\"long\"},\"events\":[{\"event\":\"model\","
        "\"input\":[],\"input_refs\":%s,\"tools\":[{\"name\":\"t\"}],"
        "\"output\":{\"choices\":[{\"message\":%s}]}}]}",
        USER("attachment://h"), SAID("y"), USER("z"), row[i].refs, SAID("ok"));
    assert_int_equal(log_of(&c, text, "last-user", &n),
                     row[i].whole ? SW_OK : SW_DATA);
    assert_int_equal(n.cut, row[i].whole);
    assert_int_equal(n.no_answer, !row[i].whole);
    if (row[i].whole) {
      json_t *first = json_array_get(c.item[0].history[0].messages[0], 0);
      assert_string_equal(json_string_value(json_object_get(first, "content")),
                          "long");
      assert_string_equal(c.item[0].choice[0], "call t");
      assert_int_equal(json_array_size(c.item[0].tools), 1);
    }
    sw_audit_cases_free(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(reads),
                                     cmocka_unit_test(refuses),
                                     cmocka_unit_test(conditions),
                                     cmocka_unit_test(tool_uses),
                                     cmocka_unit_test(of_the_same_form),
                                     cmocka_unit_test(prose),
                                     cmocka_unit_test(replies),
                                     cmocka_unit_test(logs),
                                     cmocka_unit_test(recorded_requests),
                                     cmocka_unit_test(pools)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
