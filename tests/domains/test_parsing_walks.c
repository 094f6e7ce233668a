/* Random answers, right and wrong, against the published simulator written as
 * plain recursive descent and re-run from the beginning at every step; and
 * every parse the expert claims, accepted by an independent recogniser.
 * STATEWISE_LONG makes the walks long. */
#include "parsing_support.h"
#include "plain_walk.h"

typedef enum {
  NEED_CHOICE,
  NEED_BACK,
  PARSED,
  FAILED_REST,
  FAILED_PARSE,
  BAD_ACTION
} verdict;

typedef struct sim {
  const char *in; /* one character a word */
  int n;
  const int *act; /* alternatives, or -1: go back */
  int acts, at;
  int stopped; /* a request is due: unwind */
  verdict what;
  int cursor;      /* of the request or the failure */
  char stack[512]; /* blank-separated, top first */
  int available;   /* set */
  int tried;       /* set of failed ones at a choice */
  int open;        /* choices open around this point */
} sim;

static int is_name(char c) { return c >= 'a' && c <= 'z'; }
static int is_digit(char c) { return c >= '0' && c <= '9'; }

static int parse_expr(sim *s, int *c, const char *rest);

static void put(sim *s, int cursor, const char *first, const char *rest) {
  s->cursor = cursor;
  snprintf(s->stack, sizeof s->stack, "%s %s", first, rest);
}

/* A terminal: I(DENT), N(UMBER) or itself; `rest` starts behind it. */
static int match(sim *s, int *c, char kind, const char *rest) {
  char word = *c < s->n ? s->in[*c] : 0;
  if (kind == 'I'   ? is_name(word)
      : kind == 'N' ? is_digit(word)
                    : word == kind && word) {
    ++*c;
    return 1;
  }
  char name[8];
  snprintf(name, sizeof name, "%s",
           kind == 'I'   ? "IDENT"
           : kind == 'N' ? "NUMBER"
                         : (char[]){kind, 0});
  put(s, *c, name, rest);
  return 0;
}

static char *join(const char *first, const char *rest) {
  char *text = malloc(strlen(first) + strlen(rest) + 2);
  sprintf(text, "%s %s", first, rest);
  return text;
}

static int expr_with(sim *s, int *c, const char *first, const char *rest) {
  char *text = join(first, rest);
  int ok = parse_expr(s, c, text);
  free(text);
  return ok;
}

static int match_with(sim *s, int *c, char kind, const char *first,
                      const char *rest) {
  char *text = join(first, rest);
  int ok = match(s, c, kind, text);
  free(text);
  return ok;
}

static int parse_list(sim *s, int *c, const char *name, const char *first,
                      const char *rest) {
  char *more = join(name, first), *text = join(more, rest);
  int ok = parse_expr(s, c, text);
  while (ok && *c < s->n && s->in[*c] == ',') {
    ++*c;
    ok = parse_expr(s, c, text);
  }
  free(more);
  free(text);
  return ok;
}

static int attempt(sim *s, int a, int *c, const char *rest) {
  switch (a) {
    case 0:
      return match_with(s, c, 'I', "( arglist )", rest) &&
             match_with(s, c, '(', "arglist )", rest) &&
             parse_list(s, c, "arglist", ")", rest) && match(s, c, ')', rest);
    case 1:
      return match_with(s, c, 'I', "[ expr ]", rest) &&
             match_with(s, c, '[', "expr ]", rest) &&
             expr_with(s, c, "]", rest) && match(s, c, ']', rest);
    case 2:
      return match_with(s, c, '(', "expr , exprlist )", rest) &&
             expr_with(s, c, ", exprlist )", rest) &&
             match_with(s, c, ',', "exprlist )", rest) &&
             parse_list(s, c, "exprlist", ")", rest) && match(s, c, ')', rest);
    case 3:
      return match_with(s, c, '(', "expr )", rest) &&
             expr_with(s, c, ")", rest) && match(s, c, ')', rest);
    case 4:
      return match_with(s, c, '-', "expr", rest) && parse_expr(s, c, rest);
    default:
      return match(s, c, is_digit(s->in[*c]) ? 'N' : 'I', rest);
  }
}

/* The next answer, or a request when there is none. */
static int take_action(sim *s, verdict need) {
  if (s->at < s->acts) return s->act[s->at++];
  s->stopped = 1;
  s->what = need;
  return -2;
}

static int parse_expr(sim *s, int *c, const char *rest) {
  int start = *c, viable = 0, failed = 0;
  char word = start < s->n ? s->in[start] : 0;
  if (is_name(word)) viable = 1 << 0 | 1 << 1 | 1 << 5;
  else if (is_digit(word)) viable = 1 << 5;
  else if (word == '(') viable = 1 << 2 | 1 << 3;
  else if (word == '-') viable = 1 << 4;
  if (!viable) return put(s, start, "expr", rest), 0;
  if (!(viable & (viable - 1)))
    return attempt(s, __builtin_ctz((unsigned)viable), c, rest);
  s->open++;
  while (viable & ~failed) {
    put(s, start, "expr", rest);
    s->available = viable & ~failed;
    s->tried = failed;
    int a = take_action(s, NEED_CHOICE);
    if (s->stopped) return 0;
    if (a < 0) break; /* the open loop gives the choice up */
    *c = start;
    if (attempt(s, a, c, rest)) {
      s->open--;
      return 1;
    }
    if (s->stopped) return 0;
    s->available = 0;
    s->tried = 0;
    take_action(s, NEED_BACK);
    if (s->stopped) return 0;
    failed |= 1 << a;
  }
  s->open--;
  *c = start;
  return put(s, start, "expr", rest), 0;
}

static void simulate(sim *s) {
  int c = 0;
  s->at = s->stopped = s->open = s->available = s->tried = 0;
  int ok = parse_expr(s, &c, "");
  if (s->stopped) return;
  s->what = !ok ? FAILED_PARSE : c == s->n ? PARSED : FAILED_REST;
}

/* Symbols of a machine's shown stack as the simulator prints them. */
static void machine_stack(const sw_env *env, char *text) {
  *text = 0;
  for (int32_t i = 0; i < env->machine.shown_count; i++) {
    strcat(text, env->grammar->symbol[env->machine.shown[i]].name);
    strcat(text, " ");
  }
}

static void expect_prompt(const sim *s, sw_env *env, const sw_trace *trace) {
  char shown[1024];
  machine_stack(env, shown);
  /* The simulator joins with single and trailing blanks: compare by words. */
  const char *a = shown, *b = s->stack;
  for (;;) {
    while (*a == ' ') a++;
    while (*b == ' ') b++;
    assert_int_equal(*a, *b);
    if (!*a) break;
    while (*a && *a != ' ') assert_int_equal(*a++, *b++);
  }
  assert_int_equal(env->machine.shown_cursor, s->cursor);
  assert_int_equal(sw_parse_available(&env->machine), s->available);
  assert_int_equal(sw_parse_failed(&env->machine), s->tried);
  assert_int_equal(sw_domain_parsing.search->in_conflict(env),
                   s->what == NEED_BACK);
  assert_int_equal(sw_domain_parsing.search->depth(env), s->open);
  const int32_t *t = trace->token + trace->block_start[trace->blocks - 1];
  assert_int_equal(t[0], 4);
  assert_int_equal(t[1 + s->cursor], 6);
  assert_int_equal(trace->token[trace->length - 1], 3);
  int listed = s->tried ? 1 + __builtin_popcount((unsigned)s->tried) : 0;
  assert_int_equal(trace->length - trace->block_start[trace->blocks - 1],
                   s->n + 4 + env->machine.shown_count + listed);
}

static void random_input(sw_mt *mt, const sw_grammar *g, char *in, int *n,
                         int16_t *words) {
  static const char letters[] = "abz07()[],-";
  static const char *known = "abcdefghijklmnopqrstuvwxyz0123456789()[],-";
  if (sw_mt_below(mt, 3)) {
    do {
      *n = (int)sw_grammar_draw(g, mt, words, 30);
    } while (*n > 30);
    for (int i = 0; i < *n; i++) in[i] = known[words[i]];
    if (sw_mt_below(mt, 3) == 0) /* one word wrong */
      in[sw_mt_below(mt, (uint32_t)*n)] = letters[sw_mt_below(mt, 11)];
  } else {
    *n = 1 + (int)sw_mt_below(mt, 12);
    for (int i = 0; i < *n; i++) in[i] = letters[sw_mt_below(mt, 11)];
  }
  in[*n] = 0;
  for (int i = 0; i < *n; i++)
    words[i] = (int16_t)(strchr(known, in[i]) - known);
}

static int64_t walk_one(sw_env *env, sw_mt *mt, sw_trace *trace) {
  const sw_domain *d = &sw_domain_parsing;
  char in[64];
  int16_t words[64];
  int act[400];
  sw_instance *instance;
  sim s = {.in = in, .act = act};
  int64_t answers = 0;
  random_input(mt, env->grammar, in, &s.n, words);
  assert_int_equal(sw_parsing_instance_new(&instance, words, s.n, NULL), SW_OK);
  assert_int_equal(d->search->env_reset(env, instance, NULL), SW_OK);
  sw_trace_clear(trace);
  d->search->write_prefix(env, trace);
  sw_env_status status = SW_ENV_BLOCK_END;
  for (;;) {
    simulate(&s);
    if (status == SW_ENV_BLOCK_END) status = d->search->prompt(env, trace);
    if (s.what == PARSED || s.what == FAILED_REST || s.what == FAILED_PARSE) {
      assert_int_equal(status,
                       s.what == PARSED ? SW_ENV_SOLVED : SW_ENV_FAILED);
      assert_string_equal(d->search->reason(env), s.what == PARSED ? "parsed"
                                                  : s.what == FAILED_REST
                                                      ? "input_remaining"
                                                      : "parse_failed");
      if (s.what == PARSED) assert_true(d->search->check_solution(env));
      break;
    }
    assert_int_equal(status, SW_ENV_QUERY);
    expect_prompt(&s, env, trace);
    if (s.acts == 399) break;
    answers++;
    uint32_t kind = sw_mt_below(mt, 100);
    if (kind < 4) { /* wrong: an alternative where none is due */
      int32_t token = SW_PARSING_ALT + (int32_t)sw_mt_below(mt, 22) - 1;
      int right = s.what == NEED_CHOICE && token >= 100 &&
                  (s.available >> (token - 100) & 1);
      if (right) continue;
      assert_int_equal(d->search->feed(env, token, trace), SW_ENV_FAILED);
      assert_string_equal(d->search->reason(env), s.what == NEED_BACK
                                                      ? "missed_conflict"
                                                      : "invalid_alt");
      break;
    }
    if (s.what == NEED_BACK || (kind < 8 && s.open > 1)) {
      act[s.acts++] = -1;
      status = d->search->go_back(env, trace);
    } else {
      int left = s.available;
      for (uint32_t skip =
               sw_mt_below(mt, (uint32_t)__builtin_popcount((unsigned)left));
           skip--;)
        left &= left - 1;
      act[s.acts++] = __builtin_ctz((unsigned)left);
      status = d->search->feed(env, SW_PARSING_ALT + act[s.acts - 1], trace);
    }
  }
  d->instance_free(instance);
  return answers + 1;
}

static void random_walks(void **state) {
  (void)state;
  int64_t answers = getenv("STATEWISE_LONG") ? 2000000 : 100000;
  sw_domain_options o = parsing_options(0, "tried");
  sw_rules open = {0};
  sw_env *env;
  sw_trace trace;
  sw_mt mt;
  sw_trace_init(&trace);
  sw_mt_seed(&mt, 3);
  assert_int_equal(sw_domain_parsing.search->env_new(&env, &o, &open, NULL),
                   SW_OK);
  while (answers > 0) answers -= walk_one(env, &mt, &trace);
  sw_domain_parsing.search->env_free(env);
  sw_trace_free(&trace);
}

/* Many answers without a reference: promises kept, no memory error. */
static void plain_walks(void **state) {
  (void)state;
  int64_t answers = getenv("STATEWISE_LONG") ? 1000000 : 40000;
  for (int k = 0; k < 8; k++) {
    sw_domain_options o = parsing_options(k % 2, k & 2 ? "tried" : "paper");
    sw_rules rules = {.release_layout = k < 4   ? SW_LAYOUT_TRAINING
                                        : k & 1 ? SW_LAYOUT_RELEASE_OPEN
                                                : SW_LAYOUT_RELEASE,
                      .token_budget = k >> 2 ? 1000 : 0};
    if (k == 6) sw_parsing_own_edit(&o)->grammar = "examples/words.grammar";
    plain_walk(&sw_domain_parsing, &o, &rules, answers, (uint64_t)(k + 1));
  }
}

/* A recogniser with look-ahead: the language is unambiguous, so one word more
 * always decides. Returns the end of the expression, or -1. */
static int accepts(const char *in, int n, int at) {
  int c = at;
  if (c >= n) return -1;
  if (is_digit(in[c])) return c + 1;
  if (in[c] == '-') return accepts(in, n, c + 1);
  char close = 0;
  if (is_name(in[c])) {
    if (c + 1 >= n || (in[c + 1] != '(' && in[c + 1] != '[')) return c + 1;
    close = in[++c] == '(' ? ')' : ']';
  } else if (in[c] == '(') {
    close = ')';
  } else {
    return -1;
  }
  do {
    c = accepts(in, n, c + 1);
    if (c < 0) return -1;
  } while (c < n && in[c] == ',' && close == ')');
  return c < n && in[c] == close ? c + 1 : -1;
}

static void expert_against_recogniser(void **state) {
  (void)state;
  sw_domain_options o = parsing_options(0, "tried");
  sw_rules writing = {.writing_trace = 1};
  sw_env *env;
  sw_trace trace;
  sw_mt mt;
  int yes = 0, no = 0;
  o.max_blocks = 0;
  sw_trace_init(&trace);
  sw_mt_seed(&mt, 9);
  assert_int_equal(sw_domain_parsing.search->env_new(&env, &o, &writing, NULL),
                   SW_OK);
  for (int i = 0; i < 3000; i++) {
    char in[64];
    int16_t words[64];
    int n;
    sw_instance *instance;
    random_input(&mt, env->grammar, in, &n, words);
    assert_int_equal(sw_parsing_instance_new(&instance, words, n, NULL), SW_OK);
    assert_int_equal(sw_parsing_write_trace(env, instance, &o, &trace, NULL),
                     SW_OK);
    int parsed = trace.terminal == SW_TRACE_SOLVED;
    assert_int_equal(parsed, accepts(in, n, 0) == n);
    assert_int_equal(parsed, sw_domain_parsing.search->check_solution(env));
    yes += parsed;
    no += !parsed;
    sw_domain_parsing.instance_free(instance);
  }
  assert_true(yes > 500 && no > 500);
  sw_domain_parsing.search->env_free(env);
  sw_trace_free(&trace);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_walks),
      cmocka_unit_test(plain_walks),
      cmocka_unit_test(expert_against_recogniser),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
