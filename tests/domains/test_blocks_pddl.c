/* PDDL problems: spellings, errors with their lines, plans replayed by the
 * checker, the checker itself, shortest plans against breadth-first search,
 * and mangled files. */
#include "blocks_support.h"

#include "base/file.h"

static sw_pddl *read_text(const char *text) {
  sw_pddl *p = NULL;
  sw_err err;
  if (sw_pddl_read(&p, "p.pddl", text, strlen(text), &err))
    fail_msg("%s", err.text);
  return p;
}

#define HEAD "(define (problem p) (:domain d)\n"

static void spellings(void **state) {
  (void)state;
  static const char *const same[] = {
      HEAD
      "(:objects a b c)\n(:init (on c a) (ontable a) (ontable b) (clear c)"
      "(clear b) (handempty))\n(:goal (and (on a b) (on b c))))",
      HEAD
      "(:OBJECTS A b C - block)\n(:INIT (ON C A) (onTable A) (on-table B) "
      "(CLEAR C) (clear b) (arm-empty))\n(:goal (AND (on A b) (on b c))))",
      HEAD
      "(:requirements :strips)(:objects a - block b c - (either x y))\n"
      "(:init (= (total-cost) 0) (block a) (on c a) (on_table a) (ontable b)"
      "(clear c)(clear b)(hand-empty))\n(:goal (and (on a b)(on b c)))"
      "(:metric minimize (total-cost)) (:length (:serial 9)))",
      HEAD
      "(:objects a b c table)(:init (on c a)(on a table)(on b table)"
      "(clear c)(clear b)(clear table))(:goal (and (on a b)(on b c)))) ; x",
      "; comment (with (parens\n" HEAD
      "(:objects a b c)(:init (emptyhand)(gripper-empty)(on c a)(ontable a)"
      "(ontable b)(clear c)(clear b))(:goal (and (on a b) (on b c))))"};
  for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
    sw_pddl *p = read_text(same[i]);
    assert_int_equal(p->n, 3);
    assert_string_equal(p->name[2], "c");
    assert_int_equal(p->init[0], SW_PDDL_TABLE);
    assert_int_equal(p->init[1], SW_PDDL_TABLE);
    assert_int_equal(p->init[2], 0);
    assert_int_equal(p->goal[0], 1);
    assert_int_equal(p->goal[1], 2);
    assert_int_equal(p->goal[2], SW_PDDL_ANY);
    sw_pddl_free(p);
  }
}

static void errors(void **state) {
  (void)state;
#define OBJ HEAD "(:objects a b)\n"
#define INI OBJ "(:init (on a b) (ontable b) (clear a))\n"
  static const struct {
    const char *text, *message;
  } want[] = {
      {"", "p.pddl:1: the file ends too early"},
      {"(define (domain d))", "p.pddl:1: expected a problem, found a `domain`"},
      {"x", "p.pddl:1: expected `(define`"},
      {OBJ "(:init (on a b) (ontable b) (clear a))", "ends inside (define"},
      {INI ")", "no :goal section"},
      {OBJ "(:init (on a q)))", "p.pddl:3: unknown object `q`"},
      {OBJ "(:init (over a b)))", "p.pddl:3: unknown predicate `over`"},
      {OBJ "(:init (on a)))", "p.pddl:3: expected an object"},
      {OBJ "(:init (ontable a b)))", "p.pddl:3: expected `)`"},
      {OBJ "(:init (on a b)\n(ontable a)))", "p.pddl:4: two places for `a`"},
      {OBJ "(:init (on a a)))", "p.pddl:3: on itself: `a`"},
      {HEAD "(:objects a b\na))", "p.pddl:3: object declared twice: `a`"},
      {HEAD "(:init))", "p.pddl:2: :init comes before :objects"},
      {HEAD "(:objects a))(:objects b)", "no :init section"},
      {OBJ "(:init (on a b) (on b a)) (:goal (on a b)))", "above itself"},
      {OBJ "(:init (ontable a) (clear a)) (:goal (on a b)))",
       "`b` has no place in :init"},
      {OBJ "(:init (ontable a) (ontable b) (clear a)) (:goal (on a b)))",
       "nothing is on `b`, but it is not clear"},
      {OBJ "(:init (on a b) (ontable b) (clear a) (clear b)) (:goal (on a b)))",
       "p.pddl:3: `b` is clear but `a` is on it"},
      {HEAD "(:objects a b c)(:init (on a c)(on b c)(ontable c)(clear a)"
            "(clear b))(:goal (on a b)))",
       "two blocks on `c`"},
      {OBJ "(:init (holding a)(holding b))(:goal (on a b)))", "the hand holds"},
      {OBJ
       "(:init (holding a)(handempty)(ontable b)(clear b))(:goal (on a b)))",
       "is empty"},
      {INI "(:goal (not (on a b))))", "p.pddl:4: goal not understood: `not`"},
      {INI "(:goal (= a b)))", "p.pddl:4: goal not understood: `=`"},
      {INI "(:goal (and (on a b)\n(= a b))))",
       "p.pddl:5: goal not understood: `=`"},
      {INI "(:goal (and (= (total-cost) 0) (on a b))))",
       "p.pddl:4: goal not understood: `=`"},
      {INI "(:goal (not (= a b))))", "p.pddl:4: goal not understood: `not`"},
      {INI "(:goal (and (block a) (on a b))))",
       "p.pddl:4: goal not understood: `block`"},
      {INI "(:goal (object a)))", "p.pddl:4: goal not understood: `object`"},
      {INI "(:goal (on a b))\n(:constraints (always (on a b))))",
       "p.pddl:5: section not understood: `:constraints`"},
      {INI "(:goal (and (on a b) x)))", "p.pddl:4: expected a fact in :goal"},
      {INI "(:goal (on a b) (on b a)))",
       "p.pddl:4: expected `)` after the goal"},
      {HEAD "(:objects a\x01))", "expected an object's name"},
      {HEAD "(:objects a\xc2\x9b"
            "2J))",
       "expected an object's name"},
      {HEAD "(:objects a\x9b"
            "2J))",
       "expected an object's name"},
      {HEAD "(:objects a\xc2", "expected an object's name"},
  };
  for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
    sw_pddl *p;
    sw_err err;
    assert_int_not_equal(
        sw_pddl_read(&p, "p.pddl", want[i].text, strlen(want[i].text), &err),
        SW_OK);
    assert_null(p);
    if (!strstr(err.text, want[i].message))
      fail_msg("`%s` does not contain `%s`", err.text, want[i].message);
  }
}

static void impossible_goals(void **state) {
  (void)state;
  static const char *const goals[] = {"(and (on a b) (on b a))",
                                      "(and (on a b) (ontable a))",
                                      "(on a a)",
                                      "(and (on a b) (clear b))",
                                      "(and (holding a) (handempty))",
                                      "(and (holding a) (holding b))",
                                      "(and (holding a) (clear a))"};
  for (size_t i = 0; i < sizeof goals / sizeof *goals; i++) {
    char text[512], note[200];
    sw_instance *instance;
    sw_domain_options o = blocks_resolved(0, 5);
    sw_err err;
    int verdict;
    char *answer;
    snprintf(text, sizeof text, INI "(:goal %s))", goals[i]);
    assert_int_equal(sw_domain_blocks.file.parse(&instance, "p.pddl", text,
                                                 strlen(text), &o, &err),
                     SW_OK);
    assert_int_equal(
        sw_domain_blocks.file.solve(instance, &o, 600, &verdict, &answer, note,
                                    sizeof note, &err),
        SW_OK);
    assert_int_equal(verdict, 20);
    assert_null(answer);
    assert_int_equal(
        sw_domain_blocks.instance_fits(instance, &o, note, sizeof note), 0);
    sw_domain_blocks.instance_free(instance);
  }
}

static void checker_refuses(void **state) {
  (void)state;
  sw_pddl *p =
      read_text(HEAD
                "(:objects a b c)(:init (on c a)(ontable a)(ontable b)(clear c)"
                "(clear b)(handempty))(:goal (and (on a b) (on b c))))");
  static const struct {
    const char *plan, *message;
  } want[] = {
      {"", "after the plan `a` is not in its place"},
      {"(pick-up a)", "plan:1: the block is not clear (`a`)"},
      {"(unstack c a)\n(pick-up b)", "plan:2: the hand is not empty"},
      {"(unstack c b)", "plan:1: the block is not on that block"},
      {"(pick-up c)", "plan:1: the block is not on the table"},
      {"(put-down b)", "plan:1: the hand does not hold the block"},
      {"(pick-up b) (stack b a)", "plan:1: the block below is not clear"},
      {"(pick-up b) (stack b b)", "plan:1: the block below is not clear"},
      {"(fly b)", "plan:1: unknown operator `fly`"},
      {"(pick-up q)", "plan:1: unknown object `q`"},
      {"(stack b)", "plan:1: an object is missing"},
      {"(pick-up b c)", "plan:1: expected `)`"},
      {")", "plan:1: expected an action"},
      {"(unstack c a)(put-down c)(pick-up b)(stack b c)(pick-up a)",
       "is not in its place"}};
  int64_t actions;
  sw_err err;
  for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
    assert_int_equal(sw_pddl_plan_check(p, "plan", want[i].plan,
                                        strlen(want[i].plan), &actions, &err),
                     SW_DATA);
    if (!strstr(err.text, want[i].message))
      fail_msg("`%s` does not contain `%s`", err.text, want[i].message);
  }
  static const char *const good[] = {
      "(unstack c a)(put-down c)(pick-up b)(stack b c)(pick-up a)(stack a b)",
      "; plan\n0.0: (UNSTACK C A) [1]\n1.0: (PUT-DOWN C)\n(pickup b)(stack b c)"
      "(pickup a)(stack a b)",
      "(move-b-to-t c a)(move-t-to-b b c)(move-t-to-b a b)",
      "(move-to-table c a)(move-t-to-b b c)(move-t-to-b a b)"};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    assert_int_equal(
        sw_pddl_plan_check(p, "plan", good[i], strlen(good[i]), &actions, &err),
        SW_OK);
    assert_int_equal(actions, i < 2 ? 6 : 3);
  }
  sw_pddl_free(p);
}

/* The shipped examples, and that a small one is searched on stacks too. */
static void examples(void **state) {
  (void)state;
  static const struct {
    const char *path;
    int64_t actions;
    int fits;
  } want[] = {{"examples/sussman.pddl", 6, 1},
              {"examples/sort-ten.pddl", 30, 0},
              {"examples/swap-towers.pddl", 30, 0}};
  for (int i = 0; i < 3; i++) {
    sw_domain_options o = blocks_resolved(0, 5);
    sw_instance *instance;
    sw_err err;
    char *text, *answer, note[200];
    size_t bytes;
    int verdict;
    int64_t actions;
    assert_int_equal(sw_read_file(want[i].path, 0, &text, &bytes, &err), SW_OK);
    assert_true(sw_domain_blocks.file.recognises(&sw_domain_blocks,
                                                 want[i].path, text, bytes));
    assert_int_equal(sw_domain_blocks.file.parse(&instance, want[i].path, text,
                                                 bytes, &o, &err),
                     SW_OK);
    assert_int_equal(
        sw_domain_blocks.instance_fits(instance, &o, note, sizeof note),
        want[i].fits);
    assert_int_equal(
        sw_domain_blocks.file.solve(instance, &o, 600, &verdict, &answer, note,
                                    sizeof note, &err),
        SW_OK);
    assert_int_equal(verdict, 10);
    assert_int_equal(sw_pddl_plan_check(instance->problem, "plan", answer,
                                        strlen(answer), &actions, &err),
                     SW_OK);
    assert_int_equal(actions, want[i].actions);
    assert_non_null(strstr(note, "shortest"));
    free(answer);
    sw_rules open = {0};
    sw_env *env;
    assert_int_equal(sw_domain_blocks.search->env_new(&env, &o, &open, &err),
                     SW_OK);
    if (want[i].fits) {
      sw_trace trace;
      sw_trace_init(&trace);
      blocks_run r = run_fair(env, instance, SW_BLOCKS_RULE_FIRST_UNTRIED, NULL,
                              500, 0, &trace);
      assert_true(r.solved);
      assert_int_equal(sw_domain_blocks.search->tell.answer(env, &answer, &err),
                       SW_OK);
      assert_int_equal(sw_pddl_plan_check(instance->problem, "plan", answer,
                                          strlen(answer), &actions, &err),
                       SW_OK);
      free(answer);
      sw_trace_free(&trace);
    } else {
      assert_int_equal(sw_domain_blocks.search->env_reset(env, instance, &err),
                       SW_LIMIT);
    }
    sw_domain_blocks.search->env_free(env);
    sw_domain_blocks.instance_free(instance);
    free(text);
  }
}

/* A random problem as text; places are drawn so that no cycle can arise. The
 * hand may hold a block (1: at the start, 2: in the end, 3: at both times). */
static char *random_problem(sw_mt *mt, int n, int partial, int hands) {
  size_t room = 4096 + (size_t)n * 128, length = 0;
  char *text = malloc(room);
  int32_t *order = malloc((size_t)n * sizeof *order);
#define PUT(...) \
  length += (size_t)snprintf(text + length, room - length, __VA_ARGS__)
  for (int i = 0; i < n; i++) order[i] = i;
  PUT("(define (problem r) (:objects");
  for (int i = 0; i < n; i++) PUT(" x%d", i);
  for (int goal = 0; goal < 2; goal++) {
    int held = hands >> goal & 1;
    PUT(goal ? "(:goal (and " : ") (:init ");
    if (!goal && !held) PUT("(handempty) ");
    sw_mt_shuffle_i32(mt, order, (size_t)n);
    if (held) PUT("(holding x%d)", order[n - 1]);
    for (int i = 0; i < n - held; i++) {
      int base = i == 0 || sw_mt_below(mt, 4) == 0;
      int top = i + 1 == n - held;
      int say = !goal || !partial || sw_mt_below(mt, 2);
      if (base && i > 0 && !goal) PUT("(clear x%d)", order[i - 1]);
      if (base && say) PUT("(ontable x%d)", order[i]);
      if (!base && say) PUT("(on x%d x%d)", order[i], order[i - 1]);
      if (top && (!goal || say)) PUT("(clear x%d)", order[i]);
      if (goal && partial && !top && !say && !sw_mt_below(mt, 3))
        PUT("(clear x%d)", order[i]);
    }
    PUT(goal ? ")))\n" : ")\n");
  }
#undef PUT
  free(order);
  return text;
}

enum { IN_HAND = SW_BLOCKS_TABLE - 1 };

/* Does the state satisfy the goal? A held block is not clear. */
static int is_goal(const sw_pddl *p, const uint16_t *now, const int *covered) {
  for (int b = 0; b < p->n; b++) {
    int at = now[b] == SW_BLOCKS_TABLE ? SW_PDDL_TABLE
             : now[b] == IN_HAND       ? SW_PDDL_HELD
                                       : now[b];
    if (p->goal[b] != SW_PDDL_ANY && p->goal[b] != at) return 0;
    if (p->goal_clear[b] && (covered[b] || at == SW_PDDL_HELD)) return 0;
    if (p->goal_hand_empty && at == SW_PDDL_HELD) return 0;
  }
  return 1;
}

/* The fewest actions by breadth-first search over single actions, with an
 * unlimited table. */
static int brute_force(const sw_pddl *p) {
  int n = p->n;
  sw_blocks_table table;
  int *far = calloc(20000, sizeof *far), found = -1;
  uint16_t key[8];
  sw_blocks_table_init(&table, n);
  for (int b = 0; b < n; b++)
    key[b] = (uint16_t)(p->init[b] == SW_PDDL_HELD ? IN_HAND
                        : p->init[b] < 0           ? SW_BLOCKS_TABLE
                                                   : p->init[b]);
  sw_blocks_table_add(&table, key);
  for (int id = 0; id < table.count && found < 0; id++) {
    uint16_t now[8];
    int covered[8] = {0}, held = -1;
    memcpy(now, table.keys + id * n, sizeof *now * (size_t)n);
    for (int b = 0; b < n; b++)
      if (now[b] == IN_HAND) held = b;
      else if (now[b] != SW_BLOCKS_TABLE) covered[now[b]] = 1;
    if (is_goal(p, now, covered)) found = far[id];
    for (int b = 0; b < n; b++)
      for (int to = -1; to < n && !covered[b]; to++) {
        if (held >= 0 && (b != held || to == b || (to >= 0 && covered[to])))
          continue; /* put the held block down, on something clear */
        memcpy(key, now, sizeof *key * (size_t)n);
        key[b] = (uint16_t)(held < 0 ? IN_HAND : to < 0 ? SW_BLOCKS_TABLE : to);
        int known = table.count, next = sw_blocks_table_add(&table, key);
        if (next == known) far[next] = far[id] + 1;
      }
  }
  sw_blocks_table_free(&table);
  free(far);
  return found;
}

static void random_problems(void **state) {
  (void)state;
  sw_mt mt;
  int one_hand = 0, ends_full = 0;
  sw_mt_seed(&mt, 4);
  for (int k = 0; k < 1600; k++) {
    int n = k < 1500 ? 1 + k % 5 : 10 + 3 * (k - 1500), optimal;
    char *text = random_problem(&mt, n, k % 2, k < 300 ? 0 : k / 5 % 4);
    char *plan_text;
    sw_pddl *p = read_text(text);
    sw_pddl_plan plan = {0};
    sw_err err;
    int64_t actions;
    if (p->impossible) { /* what is not said here may contradict what is */
      free(text);
      sw_pddl_free(p);
      continue;
    }
    assert_int_equal(sw_blocks_plan(p, k % 3 ? (n > 5 ? 500 : 20000) : 0, &plan,
                                    &optimal, &err),
                     SW_OK);
    assert_true(plan.count <= 2 * n + 2);
    assert_int_equal(sw_pddl_plan_text(p, &plan, &plan_text, &err), SW_OK);
    if (sw_pddl_plan_check(p, "plan", plan_text, strlen(plan_text), &actions,
                           &err))
      fail_msg("%s\n%s\n%s", err.text, text, plan_text);
    if (n <= 5) {
      int fewest = brute_force(p);
      if (optimal ? actions != fewest : actions < fewest)
        fail_msg("%d actions, %d would do:\n%s\n%s", (int)actions, fewest, text,
                 plan_text);
      assert_int_equal(optimal, k % 3 != 0);
      one_hand += optimal && actions % 2;
      ends_full += optimal && plan.count > 0 &&
                   plan.move[plan.count - 1].to == SW_PDDL_HELD;
    }
    sw_pddl_plan_free(&plan);
    sw_pddl_free(p);
    free(plan_text);
    free(text);
  }
  assert_true(one_hand > 100 && ends_full > 100);
}

static void holding(void **state) {
  (void)state;
  static const struct {
    const char *init, *goal;
    int64_t actions;
  } want[] = {
      {"(holding a)(ontable b)(clear b)", "(on a b)", 1},
      {"(on a b)(ontable b)(clear a)(handempty)", "(clear b)", 1},
      {"(on a b)(ontable b)(clear a)", "(and (clear b) (handempty))", 2},
      {"(on a b)(ontable b)(clear a)(handempty)", "(holding b)", 3},
      {"(on a b)(ontable b)(clear a)", "(and (holding b) (ontable a))", 3},
      {"(holding a)(ontable b)(clear b)", "(holding a)", 0},
      {"(holding a)(ontable b)(clear b)", "(and (on b a) (handempty))", 3}};
  for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
    char text[512], *plan_text;
    sw_pddl_plan plan = {0};
    sw_err err;
    int optimal;
    int64_t actions;
    snprintf(text, sizeof text, OBJ "(:init %s) (:goal %s))", want[i].init,
             want[i].goal);
    sw_pddl *p = read_text(text);
    assert_int_equal(sw_blocks_plan(p, 1000, &plan, &optimal, &err), SW_OK);
    assert_int_equal(sw_pddl_plan_text(p, &plan, &plan_text, &err), SW_OK);
    if (sw_pddl_plan_check(p, "plan", plan_text, strlen(plan_text), &actions,
                           &err))
      fail_msg("%s\n%s", err.text, plan_text);
    assert_int_equal(actions, want[i].actions);
    assert_true(optimal);
    sw_pddl_plan_free(&plan);
    sw_pddl_free(p);
    free(plan_text);
  }
}

/* Mangled files: an error or a problem, never anything else. */
static void mangled(void **state) {
  (void)state;
  sw_mt mt;
  int errors_seen = 0;
  sw_mt_seed(&mt, 6);
  for (int k = 0; k < 3000; k++) {
    char *text = random_problem(&mt, 1 + k % 9, k % 2, 0);
    size_t bytes = strlen(text);
    for (uint32_t hits = 1 + sw_mt_below(&mt, 4); hits--;) {
      size_t at = sw_mt_below(&mt, (uint32_t)bytes);
      uint32_t how = sw_mt_below(&mt, 3);
      if (how == 0) text[at] = (char)sw_mt_below(&mt, 256);
      else if (how == 1) text[at] = "() ;x"[sw_mt_below(&mt, 5)];
      else bytes = at + 1;
    }
    sw_pddl *p;
    sw_err err;
    sw_pddl_plan plan = {0};
    int optimal;
    int code = sw_pddl_read(&p, "p.pddl", text, bytes, &err);
    if (code) errors_seen++;
    else if (!p->impossible)
      assert_int_equal(sw_blocks_plan(p, 2000, &plan, &optimal, &err), SW_OK);
    sw_pddl_plan_free(&plan);
    sw_pddl_free(p);
    free(text);
  }
  assert_true(errors_seen > 1000 && errors_seen < 3000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spellings),        cmocka_unit_test(errors),
      cmocka_unit_test(impossible_goals), cmocka_unit_test(checker_refuses),
      cmocka_unit_test(examples),         cmocka_unit_test(random_problems),
      cmocka_unit_test(holding),          cmocka_unit_test(mangled),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
