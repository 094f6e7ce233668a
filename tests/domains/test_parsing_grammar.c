/* Grammar files: the shipped one is the compiled-in one and has the published
 * ids; a grammar of one's own works end to end; errors name their line. */
#include "parsing_support.h"

#include <pthread.h>
#include <unistd.h>

#include "base/file.h"
#include "domains/produce.h"
#include "domains/produced.h"

static void shipped_is_built_in(void **state) {
  (void)state;
  char *text;
  size_t bytes;
  sw_err err;
  assert_int_equal(
      sw_read_file("examples/paper.grammar", 0, &text, &bytes, &err), SW_OK);
  assert_string_equal(text, sw_grammar_published);
  free(text);
}

/* Sections 2 and 5. */
static void published_ids(void **state) {
  (void)state;
  static const char *const symbols[] = {
      "expr", "call",    "index",    "tuple", "paren",  "neg",
      "atom", "arglist", "exprlist", "IDENT", "NUMBER", "(",
      ")",    "[",       "]",        ",",     "-"};
  sw_grammar *g;
  sw_err err;
  assert_int_equal(sw_grammar_load(&g, NULL, &err), SW_OK);
  assert_int_equal(g->inputs, 42);
  assert_int_equal(g->symbols, 17);
  assert_int_equal(g->choices, 6);
  for (int i = 0; i < 17; i++)
    assert_string_equal(g->symbol[i].name, symbols[i]);
  assert_string_equal(g->input[0], "a");
  assert_string_equal(g->input[26], "0");
  assert_string_equal(g->input[36], "(");
  assert_string_equal(g->input[41], "-");
  uint64_t names = (1ull << 26) - 1, digits = ((1ull << 10) - 1) << 26;
  uint64_t open = 1ull << 36, minus = 1ull << 41;
  const uint64_t want[6] = {names, names, open, open, minus, names | digits};
  for (int a = 0; a < 6; a++)
    assert_true(g->alt[g->rule[0].first + a].starts == want[a]);
  free(g);
}

static void own_grammar(void **state) {
  (void)state;
  sw_domain_options o = parsing_options(0, "tried");
  sw_rules open = {0};
  sw_stream *stream;
  sw_env *env;
  sw_trace trace;
  sw_err err;
  int backs = 0;
  sw_parsing_own_edit(&o)->grammar = "examples/words.grammar";
  sw_trace_init(&trace);
  assert_int_equal(
      sw_domain_parsing.stream_new(&stream, &o, 1, SW_SPLIT_TRAIN, &err),
      SW_OK);
  assert_int_equal(sw_domain_parsing.search->env_new(&env, &o, &open, &err),
                   SW_OK);
  for (int i = 0; i < 200; i++) {
    sw_instance *instance;
    assert_int_equal(sw_domain_parsing.stream_next(stream, &instance, &err),
                     SW_OK);
    assert_true(instance->length >= 3 && instance->length <= 15);
    parsing_run r =
        run_rule(env, instance, SW_PARSING_RULE_LOWEST, NULL, 500, &trace);
    assert_true(r.solved);
    backs += r.backs > 0;
    assert_int_equal(
        sw_domain_parsing.write_trace(instance, &o, NULL, &trace, &err), SW_OK);
    for (int64_t t = 0; t < trace.length; t++)
      assert_true(trace.token[t] >= 0 &&
                  trace.token[t] < sw_domain_parsing.vocab_size(&o));
    sw_domain_parsing.instance_free(instance);
  }
  assert_true(backs > 20 && backs < 200);
  sw_domain_parsing.search->env_free(env);
  sw_domain_parsing.stream_free(stream);
  sw_trace_free(&trace);
}

static void answers(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int verdict;
    const char *answer;
  } want[] = {{"a", 10, "v (expr (atom a))\n"},
              {"f ( - 1 , x )", 10,
               "v (expr (call f ( (arglist (expr (neg - (expr (atom 1)))) , "
               "(expr (atom "
               "x))) )))\n"},
              {"( a", 20, NULL},
              {"a b", 20, NULL}};
  sw_domain_options o = parsing_options(0, "tried");
  for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
    sw_instance *instance = sentence(want[i].text, &o);
    char note[200], *text;
    int verdict;
    sw_err err;
    assert_int_equal(
        sw_domain_parsing.file.solve(instance, &o, 600, &verdict, &text, note,
                                     sizeof note, &err),
        SW_OK);
    assert_int_equal(verdict, want[i].verdict);
    if (want[i].answer) assert_string_equal(text, want[i].answer);
    else assert_null(text);
    free(text);
    sw_domain_parsing.instance_free(instance);
  }
}

static void errors(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } want[] = {
      {"", "g: no rule"},
      {"hello\n", "g:1: unknown statement `hello`"},
      {"rule a : \"x\"\nrule a : \"y\"\n", "g:2: declared twice: `a`"},
      {"rule a : b\n", "g:1: unknown rule or class `b`"},
      {"rule a : \"x\" |\n", "g:1: an alternative is empty"},
      {"rule a : | \"x\"\n", "g:1: an alternative is empty"},
      {"rule a \"x\"\n", "g:1: expected `:`"},
      {"rule a :\n", "g:1: an alternative is empty"},
      {"\nrule a : \"x\n", "g:2: a word is too long, empty or not closed"},
      {"rule a : \"\"\n", "not closed"},
      {"rule a : \"x\xc2\x9b"
       "2J\"\n",
       "g:1: a word is too long, empty or not "
       "closed, or has a control character"},
      {"rule a\x7f : \"x\"\n", "control character"},
      {"class C : x\x9b\nrule a : C\n", "control character"},
      {"rule \xe2\x80\xa8 : \"x\"\n", "control character"},
      {"class C :\nrule a : C\n", "g:1: a class without words: `C`"},
      {"class C : x x\nrule a : C\n", "g:1: input word used twice: `x`"},
      {"rule a : a \"x\" | \"y\"\n", "g:1: `a` can start with itself"},
      {"rule a : b \"x\" | \"y\"\nrule b : a | \"z\"\n",
       "can start with itself"},
      {"rule a : \"x\" a\n", "g:1: `a` has no finite sentence"},
      {"list a : \"x\" b\nrule b : \"y\"\n",
       "g:1: the separator must be a terminal, not `b`"},
      {"list a : \"x\" \",\" 0 3\n", "g:1: `0` is not a number in 1..16"},
      {"list a : \"x\" \",\" 4 3\n", "g:1: `3` is not a number in 4..16"},
      {"rule a : \"x\" | \"y\"\nweights a : 2 0.5\n",
       "is not a number in 0..1"},
      {"rule a : \"x\" | \"y\"\nweights a : 0 z\n", "not a weight: `z`"},
      {"rule a : \"x\" | \"y\"\nweights a : 0 0\n", "all weights are zero"},
      {"rule a : \"x\"\nstart b\n", "g:2: unknown rule `b`"},
      {"rule a : \"x\"\ndepth 99\n", "is not a number in 0..12"},
  };
  for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
    sw_grammar *g;
    sw_err err;
    assert_int_not_equal(sw_grammar_read(&g, "g", want[i].text, &err), SW_OK);
    assert_null(g);
    if (!strstr(err.text, want[i].message))
      fail_msg("`%s` does not contain `%s`", err.text, want[i].message);
  }
  sw_instance *instance;
  sw_err err;
  sw_domain_options o = parsing_options(0, "tried");
  assert_int_equal(
      sw_domain_parsing.file.parse(&instance, "s", "a\n&", 3, &o, &err),
      SW_DATA);
  assert_non_null(strstr(err.text, "s:2: `&` is not a word of the grammar"));
}

/* Limits are refused, not overrun; mangled files are errors or grammars whose
 * sentences can be drawn and parsed. */
static void limits_and_mangled(void **state) {
  (void)state;
  char text[4096] = "rule a : \"x\"";
  sw_grammar *g;
  sw_err err;
  for (int i = 0; i < 25; i++) strcat(text, " | \"x\"");
  assert_int_equal(sw_grammar_read(&g, "g", text, &err), SW_LIMIT);
  strcpy(text, "rule a : C\nclass C :");
  for (int i = 0; i < 60; i++) sprintf(text + strlen(text), " w%d", i);
  assert_int_equal(sw_grammar_read(&g, "g", text, &err), SW_LIMIT);
  strcpy(text, "");
  for (int i = 0; i < 45; i++)
    sprintf(text + strlen(text), "rule r%d : \"x\"\n", i);
  assert_int_equal(sw_grammar_read(&g, "g", text, &err), SW_LIMIT);
  sw_mt mt;
  int good = 0;
  sw_mt_seed(&mt, 8);
  for (int k = 0; k < 3000; k++) {
    strcpy(text, sw_grammar_published);
    for (uint32_t hits = 1 + sw_mt_below(&mt, 3); hits--;) {
      size_t at = sw_mt_below(&mt, (uint32_t)strlen(text));
      text[at] = sw_mt_below(&mt, 2) ? (char)(1 + sw_mt_below(&mt, 255))
                                     : "\":|# \n*a"[sw_mt_below(&mt, 8)];
    }
    if (sw_grammar_read(&g, "g", text, &err)) continue;
    int16_t words[40];
    int64_t length = sw_grammar_draw(g, &mt, words, 40);
    if (length <= 40) {
      sw_parse_machine m;
      sw_parse_init(&m, g, 0);
      sw_parse_start(&m, words, (int32_t)length);
      /* Ordered choice may refuse a sentence of a mangled grammar. */
      if (sw_parse_finish(&m, 10000)) assert_true(sw_parse_derive(&m, NULL));
      assert_int_equal(sw_parse_any(&m), 1);
      assert_true(sw_parse_derive(&m, NULL));
      sw_parse_free(&m);
    }
    good++;
    free(g);
  }
  assert_true(good > 100 && good < 3000);
}

/* What comes second in a rule that ends with itself, once and more often. */
static void second_words(void **state) {
  (void)state;
  static const char text[] =
      "class A : a b\nclass B : c\nstart row\n"
      "rule row : A row | B\n"
      "rule pair : B pair | A A\n";
  sw_grammar *g;
  sw_err err;
  if (sw_grammar_read(&g, "x", text, &err)) fail_msg("%s", err.text);
  for (int r = 0; r < g->rules; r++) {
    uint64_t a = g->symbol[g->rules].words, b = g->symbol[g->rules + 1].words;
    int row = !strcmp(g->symbol[r].name, "row");
    assert_int_equal(g->rule[r].starts, a | b);
    /* row: a row starts with A or B; pair: after B a pair starts with both */
    assert_int_equal(g->rule[r].seconds, a | b);
    assert_int_equal(g->alt[g->rule[r].first].seconds, a | b);
    assert_int_equal(g->alt[g->rule[r].first + 1].seconds, row ? 0 : a);
  }
  free(g);
}

/* Rules inside each other once a word, through forty rules in between: neither
 * parsing nor printing takes the program's stack for it. */
static void *parse_deep(void *grammar_text) {
  enum { WORDS = 4096 };
  static int16_t words[WORDS]; /* all the first word */
  sw_grammar *g;
  sw_parse_machine m;
  sw_err err;
  if (sw_grammar_read(&g, "g", grammar_text, &err)) return NULL;
  sw_parse_init(&m, g, 0);
  sw_parse_start(&m, words, WORDS);
  FILE *out = fopen("/dev/null", "w");
  int good = sw_parse_finish(&m, 100000) && sw_parse_derive(&m, NULL) && out &&
             sw_parse_derive(&m, out);
  if (out) fclose(out);
  sw_parse_free(&m);
  free(g);
  return good ? grammar_text : NULL;
}

static void depth_needs_no_stack(void **state) {
  (void)state;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  assert_int_equal(pthread_attr_setstacksize(&attributes, 256 << 10), 0);
  for (int lists = 0; lists < 2; lists++) {
    char text[4096] = "rule r0 : \"x\" r1 | \"x\"\n";
    for (int i = 1; i < 37; i++)
      sprintf(text + strlen(text),
              lists ? "list r%d : r%d \",\"\n" : "rule r%d : r%d\n", i,
              (i + 1) % 37);
    pthread_t thread;
    void *good = NULL;
    assert_int_equal(pthread_create(&thread, &attributes, parse_deep, text), 0);
    assert_int_equal(pthread_join(thread, &good), 0);
    assert_non_null(good);
  }
  pthread_attr_destroy(&attributes);
}

/* ---- a file that is edited is another grammar ---- */

static void write_grammar(const char *path, const char *text) {
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  fputs(text, out);
  assert_int_equal(fclose(out), 0);
}

static void resolved_with(const char *grammar, sw_domain_options *o) {
  sw_err err = {0};
  sw_domain_defaults(&sw_domain_parsing, o);
  sw_parsing_own_edit(o)->grammar = grammar;
  o->exclude = 0;
  if (sw_domain_parsing.resolve(o, &err)) fail_msg("%s", err.text);
}

static void an_edited_file(void **state) {
  (void)state;
  char dir[] = "/tmp/statewise-grammar-XXXXXX", path[64], set[64], more[64];
  assert_non_null(mkdtemp(dir));
  snprintf(path, sizeof path, "%s/g", dir);
  snprintf(set, sizeof set, "%s/set", dir);
  snprintf(more, sizeof more, "%s/more", dir);
  sw_domain_options before, after;
  sw_produce_options produce = {.count = 4, .seed = 1, .threads = 1};
  sw_produce_stats stats;
  sw_produced_want want = {.count = 4};
  sw_err err = {0};
  write_grammar(path, "rule s : a \"x\" | a s\nrule a : \"y\" | \"y\" \"z\"\n");
  resolved_with(path, &before);
  assert_int_equal(sw_produce(&sw_domain_parsing, &before, &produce, set, NULL,
                              &stats, &err),
                   SW_OK);
  assert_int_equal(
      sw_produced_check(&sw_domain_parsing, &before, &want, set, &err), SW_OK);
  write_grammar(path, "rule s : a \"x\" | a s\nrule a : \"y\" \"z\" | \"y\"\n");
  resolved_with(path, &after);
  char *old_key = sw_domain_options_json(&sw_domain_parsing, &before);
  char *new_key = sw_domain_options_json(&sw_domain_parsing, &after);
  assert_string_not_equal(old_key, new_key);
  free(old_key);
  free(new_key);
  assert_int_equal(
      sw_produced_check(&sw_domain_parsing, &after, &want, set, &err), SW_DATA);
  produce.seed = 2;
  produce.before = set;
  assert_int_equal(sw_produce(&sw_domain_parsing, &after, &produce, more, NULL,
                              &stats, &err),
                   SW_USAGE);
  assert_non_null(strstr(err.text, "edited"));
  /* A file that a model names is not read: the number that is kept stays. */
  sw_parsing_own_edit(&after)->grammar = SW_PATH_WITHHELD;
  int64_t kept = sw_parsing_own(&after)->grammar_hash;
  assert_int_equal(sw_domain_parsing.resolve(&after, &err), SW_OK);
  assert_true(kept > 0 && sw_parsing_own(&after)->grammar_hash == kept);
  unlink(path);
  unlink(set);
  rmdir(dir);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shipped_is_built_in),
      cmocka_unit_test(published_ids),
      cmocka_unit_test(own_grammar),
      cmocka_unit_test(answers),
      cmocka_unit_test(errors),
      cmocka_unit_test(limits_and_mangled),
      cmocka_unit_test(second_words),
      cmocka_unit_test(depth_needs_no_stack),
      cmocka_unit_test(an_edited_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
