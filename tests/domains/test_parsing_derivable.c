/* Which sentences a grammar has: the table against trying everything, on random
 * grammars and all short sentences; and what `solve` says of a sentence on
 * which ordered choice commits itself to the wrong alternative. */
#include "parsing_support.h"

#include <unistd.h>

/* Can what is to be matched (symbols; -1 - rule: the rest of a list), last item
 * first, be the words from here on? `least`: of them that are no rests. */
static int brute(const sw_grammar *g, const int *todo, int count, int least,
                 const int16_t *word, int left) {
  int next[64], top;
  if (!count) return !left;
  if (least > left || count > 48) return 0;
  memcpy(next, todo, sizeof *next * (size_t)--count);
  top = todo[count];
  if (top < 0) {
    const int16_t *item = &g->item[g->alt[g->rule[-1 - top].first].first];
    if (brute(g, next, count, least, word, left)) return 1;
    next[count] = top;
    next[count + 1] = item[0];
    next[count + 2] = item[1];
    return brute(g, next, count + 3, least + 2, word, left);
  }
  const sw_grammar_symbol *s = &g->symbol[top];
  if (s->rule < 0)
    return left && (s->words >> *word & 1) &&
           brute(g, next, count, least - 1, word + 1, left - 1);
  const sw_grammar_rule *rule = &g->rule[s->rule];
  for (int a = 0; a < rule->count; a++) {
    const sw_grammar_alt *alt = &g->alt[rule->first + a];
    int list = rule->kind == SW_RULE_LIST, at = count;
    if (list) next[at++] = -1 - s->rule;
    for (int i = list ? 0 : alt->count - 1; i >= 0; i--)
      next[at++] = g->item[alt->first + i];
    if (brute(g, next, at, least - 1 + (list ? 1 : alt->count), word, left))
      return 1;
  }
  return 0;
}

static void put_symbol(sw_mt *mt, char *text) {
  static const char *const symbols[] = {"\"x\"", "\"y\"", "\",\"",
                                        "r0",    "r1",    "r2"};
  sprintf(text + strlen(text), " %s", symbols[sw_mt_below(mt, 6)]);
}

/* Three rules; most have left recursion or no finite sentence. */
static sw_grammar *random_grammar(sw_mt *mt, char *text) {
  for (;;) {
    sw_grammar *g;
    text[0] = 0;
    for (int r = 0; r < 3; r++) {
      int list = sw_mt_below(mt, 4) == 0, alts = 1 + (int)sw_mt_below(mt, 3);
      sprintf(text + strlen(text), "%s r%d :", list ? "list" : "rule", r);
      for (int a = 0; a < (list ? 1 : alts); a++) {
        if (a) strcat(text, " |");
        for (int i = 1 + (int)sw_mt_below(mt, list ? 1 : 3); i--;)
          put_symbol(mt, text);
      }
      strcat(text, list ? " \",\"\n" : "\n");
    }
    if (!sw_grammar_read(&g, "g", text, NULL)) return g;
  }
}

static void as_trying_everything(void **state) {
  (void)state;
  enum { GRAMMARS = 600, LONGEST = 6 };
  int sentences = 0, derivable = 0, ordered = 0;
  sw_mt mt;
  sw_mt_seed(&mt, 12);
  for (int k = 0; k < GRAMMARS; k++) {
    char text[512];
    sw_grammar *g = random_grammar(&mt, text);
    sw_parse_machine m;
    sw_parse_init(&m, g, 0);
    for (int32_t length = 1; length <= LONGEST; length++) {
      int all = 1;
      for (int i = 0; i < length; i++) all *= g->inputs;
      for (int which = 0; which < all; which++, sentences++) {
        int16_t word[LONGEST];
        for (int i = 0, rest = which; i < length; i++, rest /= g->inputs)
          word[i] = (int16_t)(rest % g->inputs);
        int can = brute(g, &g->start, 1, 1, word, length);
        sw_parse_start(&m, word, length);
        int by_order = sw_parse_finish(&m, 1000);
        int found = sw_parse_any(&m);
        if (found != can || by_order > can)
          fail_msg("sentence %d of length %d: %d, not %d; ordered %d; of\n%s",
                   which, (int)length, found, can, by_order, text);
        if (found) assert_true(sw_parse_derive(&m, NULL));
        derivable += found;
        ordered += by_order;
      }
    }
    sw_parse_free(&m);
    free(g);
  }
  print_message("%d sentences, %d derivable, %d by ordered choice\n", sentences,
                derivable, ordered);
  assert_true(sentences > 100000 && derivable > 1500);
  assert_true(ordered > 1000 && ordered < derivable - 200);
}

static void solve_says_what_it_knows(void **state) {
  (void)state;
  static const struct {
    const char *grammar, *text;
    int verdict;
    const char *answer;
  } want[] = {
      {"rule s : a \"x\"\nrule a : \"y\" | \"y\" \"x\"\n", "y x x", 10,
       "v (s (a y x) x)\n"},
      {"rule s : a \"x\"\nrule a : \"y\" | \"y\" \"x\"\n", "y x", 10,
       "v (s (a y) x)\n"},
      {"rule s : a \"x\"\nrule a : \"y\" | \"y\" \"x\"\n", "y x x x", 20, NULL},
      /* a name that the judge cannot tell from a word and an end */
      {"rule ) : \"x\"\n", "x", 10, "v () x)\n"},
      /* words remain behind what was chosen first */
      {"rule s : \"y\" | \"y\" \"x\"\n", "y x", 10, "v (s y x)\n"},
      /* the last separator is not the list's */
      {"rule s : l \",\" \"x\"\nlist l : \"a\" \",\"\n", "a , a , x", 10,
       "v (s (l a , a) , x)\n"},
      {"rule s : l \",\" \"x\"\nlist l : \"a\" \",\"\n", "a , a ,", 20, NULL}};
  for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
    const char *directory = getenv("TMPDIR");
    char path[1024], note[200], *text;
    snprintf(path, sizeof path, "%s/grammarXXXXXX",
             directory ? directory : "/tmp");
    sw_domain_options o = parsing_options(0, "tried");
    int verdict, file = mkstemp(path);
    sw_err err;
    assert_true(file >= 0);
    assert_int_equal(write(file, want[i].grammar, strlen(want[i].grammar)),
                     strlen(want[i].grammar));
    close(file);
    sw_parsing_own_edit(&o)->grammar = path;
    sw_instance *instance = sentence(want[i].text, &o);
    assert_int_equal(
        sw_domain_parsing.file.solve(instance, &o, 600, &verdict, &text, note,
                                     sizeof note, &err),
        SW_OK);
    assert_int_equal(verdict, want[i].verdict);
    if (want[i].answer) {
      assert_string_equal(text, want[i].answer);
      assert_int_equal(sw_domain_parsing.file.verify(
                           want[i].text, strlen(want[i].text), &o, text, &err),
                       SW_OK);
    } else {
      assert_null(text);
    }
    free(text);
    sw_domain_parsing.instance_free(instance);
    unlink(path);
  }
}

/* Exponential for ordered choice, which would have to give up. */
static void nested_parentheses(void **state) {
  (void)state;
  char text[1024] = "", note[200], *answer;
  for (int i = 0; i < 100; i++) strcat(text, "( ");
  strcat(text, "a");
  for (int i = 0; i < 100; i++) strcat(text, " )");
  sw_domain_options o = parsing_options(0, "tried");
  sw_instance *instance = sentence(text, &o);
  int verdict;
  sw_err err;
  assert_int_equal(
      sw_domain_parsing.file.solve(instance, &o, 600, &verdict, &answer, note,
                                   sizeof note, &err),
      SW_OK);
  assert_int_equal(verdict, 10);
  assert_int_equal(
      sw_domain_parsing.file.verify(text, strlen(text), &o, answer, &err),
      SW_OK);
  free(answer);
  sw_domain_parsing.instance_free(instance);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_trying_everything),
      cmocka_unit_test(solve_says_what_it_knows),
      cmocka_unit_test(nested_parentheses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
