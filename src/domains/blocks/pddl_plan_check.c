/* The plan checker: replays a plan's text by the operators' own preconditions
 * and effects, from nothing but the problem. It shares no code with the
 * search or the plan writer, only the lexer. */
#include <stdlib.h>
#include <string.h>

#include "domains/blocks/pddl.h"
#include "domains/blocks/pddl_lex.h"

typedef struct world {
  const sw_pddl *p;
  int32_t *below;  /* block, SW_PDDL_TABLE or SW_PDDL_HELD */
  int32_t *on_top; /* how many blocks are directly on it */
  int32_t *sorted; /* block numbers by name */
  int32_t held;    /* -1: the hand is empty */
} world;

/* Operators: name, number of arguments, meaning. */
/* clang-format off */
#define OPERATORS(X)                                                        \
  X("pick-up", 1, PICK_UP)                                                  \
  X("pickup", 1, PICK_UP)                                                   \
  X("put-down", 1, PUT_DOWN) X("putdown", 1, PUT_DOWN) X("stack", 2, STACK) \
      X("unstack", 2, UNSTACK) X("move", 3, MOVE) X("move-b-to-b", 3, MOVE) \
          X("move-to-table", 2, TO_TABLE) X("move-b-to-t", 2, TO_TABLE)     \
              X("move-t-to-b", 2, FROM_TABLE)
/* clang-format on */
typedef enum {
  PICK_UP,
  PUT_DOWN,
  STACK,
  UNSTACK,
  MOVE,
  TO_TABLE,
  FROM_TABLE,
  NO_OPERATOR
} operator_id;

static operator_id find_operator(const char *word, int *args) {
#define X(name, count, id) \
  if (!strcmp(word, name)) return *args = count, id;
  OPERATORS(X)
#undef X
  return NO_OPERATOR;
}

static int is_clear(const world *w, int32_t block) {
  return w->below[block] != SW_PDDL_HELD && w->on_top[block] == 0;
}

static void place(world *w, int32_t block, int32_t below) {
  if (w->below[block] >= 0) w->on_top[w->below[block]]--;
  if (below >= 0) w->on_top[below]++;
  w->below[block] = below;
}

/* What the action needs and does not find, or NULL when it is done. */
static const char *lift(world *w, int32_t block, int32_t from) {
  if (w->held >= 0) return "the hand is not empty";
  if (!is_clear(w, block)) return "the block is not clear";
  if (w->below[block] != from)
    return from < 0 ? "the block is not on the table"
                    : "the block is not on that block";
  place(w, block, SW_PDDL_HELD);
  w->held = block;
  return NULL;
}

static const char *drop(world *w, int32_t block, int32_t to) {
  if (w->held != block) return "the hand does not hold the block";
  if (to >= 0 && (to == block || !is_clear(w, to)))
    return "the block below is not clear";
  place(w, block, to);
  w->held = -1;
  return NULL;
}

static const char *carry(world *w, int32_t block, int32_t from, int32_t to) {
  const char *wrong = lift(w, block, from);
  return wrong ? wrong : drop(w, block, to);
}

static const char *act(world *w, operator_id id, const int32_t *a) {
  switch (id) {
    case PICK_UP:
      return lift(w, a[0], SW_PDDL_TABLE);
    case PUT_DOWN:
      return drop(w, a[0], SW_PDDL_TABLE);
    case STACK:
      return drop(w, a[0], a[1]);
    case UNSTACK:
      return lift(w, a[0], a[1]);
    case MOVE:
      return carry(w, a[0], a[1], a[2]);
    case TO_TABLE:
      return carry(w, a[0], a[1], SW_PDDL_TABLE);
    case FROM_TABLE:
      return carry(w, a[0], SW_PDDL_TABLE, a[1]);
    default:
      return "unknown operator";
  }
}

static int by_name(const void *a, const void *b, void *context) {
  const sw_pddl *p = context;
  return strcmp(p->name[*(const int32_t *)a], p->name[*(const int32_t *)b]);
}

static int32_t find_object(const world *w, const char *word) {
  int32_t low = 0, high = w->p->n;
  while (low < high) {
    int32_t middle = low + (high - low) / 2;
    int order = strcmp(word, w->p->name[w->sorted[middle]]);
    if (!order) return w->sorted[middle];
    if (order < 0) high = middle;
    else low = middle + 1;
  }
  return -1;
}

static int read_action(world *w, sw_pddl_lexer *x, sw_err *err) {
  int32_t a[3];
  int args = 0;
  if (sw_pddl_lex(x) != SW_PDDL_WORD)
    return sw_fail(err, SW_DATA, "%s:%d: expected an operator", x->path,
                   x->line);
  operator_id id = find_operator(x->word, &args);
  if (id == NO_OPERATOR)
    return sw_fail(err, SW_DATA, "%s:%d: unknown operator `%s`", x->path,
                   x->line, x->word);
  for (int i = 0; i < args; i++) {
    if (sw_pddl_lex(x) != SW_PDDL_WORD)
      return sw_fail(err, SW_DATA, "%s:%d: an object is missing", x->path,
                     x->line);
    a[i] = find_object(w, x->word);
    if (a[i] < 0)
      return sw_fail(err, SW_DATA, "%s:%d: unknown object `%s`", x->path,
                     x->line, x->word);
  }
  if (sw_pddl_lex(x) != SW_PDDL_CLOSE)
    return sw_fail(err, SW_DATA, "%s:%d: expected `)`", x->path, x->line);
  const char *wrong = act(w, id, a);
  if (wrong)
    return sw_fail(err, SW_DATA, "%s:%d: %s (`%s`)", x->path, x->line, wrong,
                   w->p->name[a[0]]);
  return SW_OK;
}

static int goal_holds(const world *w, const char *path, sw_err *err) {
  const sw_pddl *p = w->p;
  if (p->impossible)
    return sw_fail(err, SW_DATA, "%s: no plan can reach this goal: %s", path,
                   p->why);
  for (int32_t b = 0; b < p->n; b++) {
    if (p->goal[b] != SW_PDDL_ANY && p->goal[b] != w->below[b])
      return sw_fail(err, SW_DATA,
                     "%s: after the plan `%s` is not in its place", path,
                     p->name[b]);
    if (p->goal_clear[b] && !is_clear(w, b))
      return sw_fail(err, SW_DATA, "%s: after the plan `%s` is not clear", path,
                     p->name[b]);
  }
  if (p->goal_hand_empty && w->held >= 0)
    return sw_fail(err, SW_DATA, "%s: after the plan the hand holds `%s`", path,
                   p->name[w->held]);
  return SW_OK;
}

int sw_pddl_plan_check(const sw_pddl *problem, const char *path,
                       const char *text, size_t bytes, int64_t *actions,
                       sw_err *err) {
  world w = {.p = problem, .held = -1};
  sw_pddl_lexer x;
  int code = SW_OK;
  size_t n = (size_t)problem->n;
  w.below = calloc(3 * n + 1, sizeof *w.below);
  if (!w.below) return sw_no_memory(err);
  w.on_top = w.below + n;
  w.sorted = w.on_top + n;
  for (int32_t b = 0; b < problem->n; b++) {
    w.below[b] = SW_PDDL_TABLE;
    w.sorted[b] = b;
  }
  for (int32_t b = 0; b < problem->n; b++) {
    place(&w, b, problem->init[b]);
    if (w.below[b] == SW_PDDL_HELD) w.held = b;
  }
  qsort_r(w.sorted, n, sizeof *w.sorted, by_name, (void *)(uintptr_t)problem);
  *actions = 0;
  sw_pddl_lex_start(&x, path, text, bytes);
  while (!code && sw_pddl_lex(&x) != SW_PDDL_END) {
    /* Words between actions are times and costs of other planners. */
    if (x.kind == SW_PDDL_WORD) continue;
    if (x.kind != SW_PDDL_OPEN)
      code = sw_fail(err, SW_DATA, "%s:%d: expected an action", path, x.line);
    else code = read_action(&w, &x, err);
    if (!code) ++*actions;
  }
  if (!code) code = goal_holds(&w, path, err);
  free(w.below);
  return code;
}
