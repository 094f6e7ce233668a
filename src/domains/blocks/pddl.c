/* The reader of PDDL problems (see pddl.h for the subset). Every message names
 * the file and the line. */
#include "domains/blocks/pddl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/text.h"
#include "domains/blocks/pddl_lex.h"

enum { OBJECTS_MAX = 20000 };
enum { IS_TABLE = -4 }; /* an object or constant called `table` */

typedef struct reader {
  sw_pddl_lexer x;
  sw_pddl *p;
  sw_err *err;
  size_t names_length, names_room;
  size_t *name_at; /* offsets while `names` still grows */
  int32_t name_room;
  int32_t *sorted;         /* block numbers by name */
  int32_t *clear_line;     /* [n] line of (clear b) in :init, 0: none */
  int objects, init, goal; /* sections seen */
  int hand_empty_line;
} reader;

static int bad(reader *r, const char *what) {
  return sw_fail(r->err, SW_DATA, "%s:%d: %s", r->x.path, r->x.line, what);
}

static int bad_word(reader *r, const char *what, const char *word) {
  return sw_fail(r->err, SW_DATA, "%s:%d: %s `%s`", r->x.path, r->x.line, what,
                 word);
}

static int memory(reader *r) { return sw_no_memory(r->err); }

static int expect(reader *r, sw_pddl_kind kind, const char *what) {
  if (sw_pddl_lex(&r->x) == kind) return SW_OK;
  if (r->x.kind == SW_PDDL_END) return bad(r, "the file ends too early");
  return sw_fail(r->err, SW_DATA, "%s:%d: expected %s", r->x.path, r->x.line,
                 what);
}

static int skip_rest(reader *r) {
  if (sw_pddl_skip(&r->x)) return SW_OK;
  return bad(r, "a parenthesis is never closed");
}

static int add_object(reader *r) {
  sw_pddl *p = r->p;
  size_t length = strlen(r->x.word) + 1;
  if (!strcmp(r->x.word, "table")) return SW_OK;
  if (p->n >= OBJECTS_MAX)
    return sw_fail(r->err, SW_LIMIT, "%s:%d: more than %d objects", r->x.path,
                   r->x.line, OBJECTS_MAX);
  if (!sw_grow(&r->name_at, &r->name_room, p->n + 1, sizeof *r->name_at))
    return memory(r);
  if (r->names_length + length > r->names_room) {
    size_t room = (r->names_length + length) * 2;
    char *grown = realloc(p->names, room);
    if (!grown) return memory(r);
    p->names = grown;
    r->names_room = room;
  }
  memcpy(p->names + r->names_length, r->x.word, length);
  r->name_at[p->n++] = r->names_length;
  r->names_length += length;
  return SW_OK;
}

static int by_name(const void *a, const void *b, void *context) {
  const char *const *name = context;
  return strcmp(name[*(const int32_t *)a], name[*(const int32_t *)b]);
}

/* After the last object: fixed arrays, sorted names, duplicates refused. */
static int close_objects(reader *r) {
  sw_pddl *p = r->p;
  size_t n = (size_t)p->n + 1;
  p->name = calloc(n, sizeof *p->name);
  p->init = calloc(n, sizeof *p->init);
  p->goal = calloc(n, sizeof *p->goal);
  p->goal_clear = calloc(n, 1);
  r->sorted = calloc(n, sizeof *r->sorted);
  r->clear_line = calloc(n, sizeof *r->clear_line);
  if (!p->name || !p->init || !p->goal || !p->goal_clear || !r->sorted ||
      !r->clear_line)
    return memory(r);
  for (int32_t b = 0; b < p->n; b++) {
    p->name[b] = p->names + r->name_at[b];
    p->init[b] = p->goal[b] = SW_PDDL_ANY;
    r->sorted[b] = b;
  }
  qsort_r(r->sorted, (size_t)p->n, sizeof *r->sorted, by_name, (void *)p->name);
  for (int32_t i = 1; i < p->n; i++)
    if (!strcmp(p->name[r->sorted[i]], p->name[r->sorted[i - 1]]))
      return bad_word(r, "object declared twice:", p->name[r->sorted[i]]);
  return SW_OK;
}

static int read_objects(reader *r) {
  if (r->objects++) return bad(r, "a second :objects section");
  for (;;) {
    sw_pddl_kind kind = sw_pddl_lex(&r->x);
    if (kind == SW_PDDL_CLOSE) return close_objects(r);
    if (kind != SW_PDDL_WORD) return bad(r, "expected an object's name");
    if (strcmp(r->x.word, "-")) {
      SW_TRY(add_object(r));
      continue;
    }
    kind = sw_pddl_lex(&r->x); /* a type, or (either ...) */
    if (kind == SW_PDDL_OPEN) SW_TRY(skip_rest(r));
    else if (kind != SW_PDDL_WORD) return bad(r, "expected a type after -");
  }
}

static int find_block(reader *r, int32_t *block) {
  int32_t low = 0, high = r->p->n - 1;
  if (!strcmp(r->x.word, "table")) return *block = IS_TABLE, SW_OK;
  while (low <= high) {
    int32_t middle = (low + high) / 2, b = r->sorted[middle];
    int order = strcmp(r->x.word, r->p->name[b]);
    if (!order) return *block = b, SW_OK;
    if (order < 0) high = middle - 1;
    else low = middle + 1;
  }
  return bad_word(r, "unknown object", r->x.word);
}

/* clang-format off */
#define PREDICATES(X)                                                  \
  X("on", ON)                                                          \
  X("ontable", ON_TABLE)                                               \
  X("on-table", ON_TABLE) X("on_table", ON_TABLE) X("clear", CLEAR)    \
      X("holding", HOLDING) X("handempty", HAND_EMPTY)                 \
          X("hand-empty", HAND_EMPTY) X("hand_empty", HAND_EMPTY)      \
              X("emptyhand", HAND_EMPTY) X("arm-empty", HAND_EMPTY)    \
                  X("arm_empty", HAND_EMPTY) X("armempty", HAND_EMPTY) \
                      X("gripper-empty", HAND_EMPTY) X("=", IGNORED)   \
                          X("block", IGNORED) X("object", IGNORED)
/* clang-format on */
typedef enum {
  ON,
  ON_TABLE,
  CLEAR,
  HOLDING,
  HAND_EMPTY,
  IGNORED,
  UNKNOWN
} predicate;

static predicate find_predicate(const char *word) {
#define X(name, id) \
  if (!strcmp(word, name)) return id;
  PREDICATES(X)
#undef X
  return UNKNOWN;
}

static void contradict(reader *r, const char *what, int32_t b) {
  sw_pddl *p = r->p;
  if (!p->impossible)
    snprintf(p->why, sizeof p->why, "line %d: %s `%.60s`", r->x.line, what,
             p->name[b]);
  p->impossible = 1;
}

/* A fact about a block's place. In :goal a second, different place makes the
 * goal impossible; in :init it is an error. */
static int set_place(reader *r, int in_goal, int32_t b, int32_t place) {
  int32_t *at = in_goal ? &r->p->goal[b] : &r->p->init[b];
  if (*at != SW_PDDL_ANY && *at != place) {
    if (!in_goal) return bad_word(r, "two places for", r->p->name[b]);
    contradict(r, "two places for", b);
  }
  if (place == b) {
    if (!in_goal) return bad_word(r, "on itself:", r->p->name[b]);
    contradict(r, "on itself:", b);
    place = SW_PDDL_ANY;
  }
  *at = place;
  return SW_OK;
}

/* One fact, its opening parenthesis already read. */
static int read_fact(reader *r, int in_goal) {
  int32_t arg[2] = {IS_TABLE, IS_TABLE};
  SW_TRY(expect(r, SW_PDDL_WORD, "a predicate"));
  predicate id = find_predicate(r->x.word);
  /* Costs and types carry no facts in :init. In a goal they are errors: a goal
   * that is skipped would be one that no plan has to reach. */
  if (id == UNKNOWN || (id == IGNORED && in_goal)) {
    bad_word(r, in_goal ? "goal not understood:" : "unknown predicate",
             r->x.word);
    return sw_hint(r->err,
                   "known are on, ontable, clear, handempty, holding "
                   "and their common spellings");
  }
  if (id == IGNORED) return skip_rest(r);
  int args = id == ON ? 2 : id == HAND_EMPTY ? 0 : 1;
  for (int i = 0; i < args; i++) {
    SW_TRY(expect(r, SW_PDDL_WORD, "an object"));
    SW_TRY(find_block(r, &arg[i]));
  }
  SW_TRY(expect(r, SW_PDDL_CLOSE, "`)` after the fact's objects"));
  if (id == HAND_EMPTY) {
    if (in_goal) r->p->goal_hand_empty = 1;
    else r->hand_empty_line = r->x.line;
    return SW_OK;
  }
  if (arg[0] == IS_TABLE)
    return id == CLEAR ? SW_OK : bad(r, "the table cannot be moved");
  if (id == CLEAR) {
    if (in_goal) r->p->goal_clear[arg[0]] = 1;
    else r->clear_line[arg[0]] = r->x.line;
    return SW_OK;
  }
  if (id == HOLDING) return set_place(r, in_goal, arg[0], SW_PDDL_HELD);
  return set_place(
      r, in_goal, arg[0],
      id == ON_TABLE || arg[1] == IS_TABLE ? SW_PDDL_TABLE : arg[1]);
}

static int read_init(reader *r) {
  if (!r->objects) return bad(r, ":init comes before :objects");
  if (r->init++) return bad(r, "a second :init section");
  for (;;) {
    sw_pddl_kind kind = sw_pddl_lex(&r->x);
    if (kind == SW_PDDL_CLOSE) return SW_OK;
    if (kind != SW_PDDL_OPEN) return bad(r, "expected a fact in :init");
    SW_TRY(read_fact(r, 0));
  }
}

static int read_goal(reader *r) {
  if (!r->objects) return bad(r, ":goal comes before :objects");
  if (r->goal++) return bad(r, "a second :goal section");
  SW_TRY(expect(r, SW_PDDL_OPEN, "a goal"));
  sw_pddl_lexer here = r->x;
  if (sw_pddl_lex(&r->x) == SW_PDDL_CLOSE) /* (:goal ()) asks for nothing */
    return expect(r, SW_PDDL_CLOSE, "`)` after the goal");
  if (r->x.kind == SW_PDDL_WORD && !strcmp(r->x.word, "and")) {
    for (;;) {
      sw_pddl_kind kind = sw_pddl_lex(&r->x);
      if (kind == SW_PDDL_CLOSE) break;
      if (kind != SW_PDDL_OPEN) return bad(r, "expected a fact in :goal");
      SW_TRY(read_fact(r, 1));
    }
  } else {
    r->x = here;
    SW_TRY(read_fact(r, 1));
  }
  return expect(r, SW_PDDL_CLOSE, "`)` after the goal");
}

/* Fills at[] with the block directly on each block (-1: none). *twice: a block
 * with two blocks on it, or -1. Returns a block on a cycle, or -1 (at[] follows
 * `place`). */
static int32_t check_places(const int32_t *place, int32_t n, int32_t *on,
                            int32_t *twice) {
  *twice = -1;
  for (int32_t b = 0; b < n; b++) on[b] = -1;
  for (int32_t b = 0; b < n; b++)
    if (place[b] >= 0) {
      if (on[place[b]] >= 0) *twice = place[b];
      on[place[b]] = b;
    }
  /* Walk every tower up from its lowest known block; what is left over is on a
   * cycle. */
  int32_t seen = 0;
  if (*twice >= 0) return -1;
  for (int32_t b = 0; b < n; b++)
    if (place[b] < 0)
      for (int32_t c = b; c >= 0; c = on[c]) seen++;
  if (seen == n) return -1;
  for (int32_t b = 0; b < n; b++) {
    int32_t c = b, steps = 0;
    while (place[c] >= 0 && steps <= n) c = place[c], steps++;
    if (steps > n) return b;
  }
  return -1;
}

static int check_init(reader *r, int32_t *on) {
  sw_pddl *p = r->p;
  int32_t twice, held = -1;
  for (int32_t b = 0; b < p->n; b++) {
    if (p->init[b] == SW_PDDL_ANY)
      return sw_fail(r->err, SW_DATA, "%s: `%s` has no place in :init",
                     r->x.path, p->name[b]);
    if (p->init[b] != SW_PDDL_HELD) continue;
    if (held >= 0 || r->hand_empty_line)
      return sw_fail(r->err, SW_DATA, "%s: the hand holds `%s` and %s",
                     r->x.path, p->name[b],
                     held >= 0 ? p->name[held] : "is empty");
    held = b;
  }
  int32_t cycle = check_places(p->init, p->n, on, &twice);
  if (twice >= 0)
    return sw_fail(r->err, SW_DATA, "%s: two blocks on `%s` in :init",
                   r->x.path, p->name[twice]);
  if (cycle >= 0)
    return sw_fail(r->err, SW_DATA, "%s: `%s` is above itself in :init",
                   r->x.path, p->name[cycle]);
  for (int32_t b = 0; b < p->n; b++) {
    int free_top = on[b] < 0 && p->init[b] != SW_PDDL_HELD;
    if (on[b] >= 0 && (p->init[b] == SW_PDDL_HELD || r->clear_line[b]))
      return sw_fail(r->err, SW_DATA, "%s:%d: `%s` is %s but `%s` is on it",
                     r->x.path, (int)r->clear_line[b], p->name[b],
                     r->clear_line[b] ? "clear" : "held", p->name[on[b]]);
    if (free_top && !r->clear_line[b]) {
      sw_fail(r->err, SW_DATA, "%s: nothing is on `%s`, but it is not clear",
              r->x.path, p->name[b]);
      return sw_hint(r->err, "add (clear %s) to :init", p->name[b]);
    }
  }
  return SW_OK;
}

static void check_goal(reader *r, int32_t *on) {
  sw_pddl *p = r->p;
  int32_t twice, held = -1, cycle = check_places(p->goal, p->n, on, &twice);
  if (twice >= 0) contradict(r, "two blocks on", twice);
  if (cycle >= 0) contradict(r, "above itself:", cycle);
  for (int32_t b = 0; b < p->n; b++) {
    if (p->goal_clear[b] && on[b] >= 0) contradict(r, "clear but covered:", b);
    if (p->goal[b] != SW_PDDL_HELD) continue;
    if (held >= 0) contradict(r, "two blocks in the hand:", b);
    if (p->goal_hand_empty) contradict(r, "held by an empty hand:", b);
    if (on[b] >= 0) contradict(r, "held but covered:", b);
    if (p->goal_clear[b]) contradict(r, "held and clear:", b);
    held = b;
  }
}

/* Sections that restrict no plan are skipped. Others are errors: constraints,
 * for example, are a second goal. */
static int read_section(reader *r) {
  static const char *const passed[] = {":domain", ":requirements", ":metric",
                                       ":length"};
  SW_TRY(expect(r, SW_PDDL_WORD, "a section such as :init"));
  if (!strcmp(r->x.word, ":objects")) return read_objects(r);
  if (!strcmp(r->x.word, ":init")) return read_init(r);
  if (!strcmp(r->x.word, ":goal")) return read_goal(r);
  for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
    if (!strcmp(r->x.word, passed[i])) return skip_rest(r);
  bad_word(r, "section not understood:", r->x.word);
  return sw_hint(r->err,
                 "known are :domain, :requirements, :objects, :init, "
                 ":goal, :metric and :length");
}

static int read_problem(reader *r) {
  SW_TRY(expect(r, SW_PDDL_OPEN, "`(define`"));
  SW_TRY(expect(r, SW_PDDL_WORD, "`define`"));
  if (strcmp(r->x.word, "define"))
    return bad_word(r, "expected `define`, not", r->x.word);
  SW_TRY(expect(r, SW_PDDL_OPEN, "`(problem`"));
  SW_TRY(expect(r, SW_PDDL_WORD, "`problem`"));
  if (strcmp(r->x.word, "problem")) {
    bad_word(r, "expected a problem, found a", r->x.word);
    return sw_hint(r->err, "give the problem file, not the domain file");
  }
  SW_TRY(skip_rest(r));
  for (;;) {
    sw_pddl_kind kind = sw_pddl_lex(&r->x);
    if (kind == SW_PDDL_CLOSE) break;
    if (kind == SW_PDDL_END) return bad(r, "the file ends inside (define");
    if (kind != SW_PDDL_OPEN) return bad(r, "expected a section");
    SW_TRY(read_section(r));
  }
  if (!r->objects || !r->init || !r->goal)
    return sw_fail(r->err, SW_DATA, "%s: no :%s section", r->x.path,
                   !r->objects ? "objects"
                   : !r->init  ? "init"
                               : "goal");
  int32_t *on = calloc((size_t)r->p->n + 1, sizeof *on);
  if (!on) return memory(r);
  int code = check_init(r, on);
  if (!code) check_goal(r, on);
  free(on);
  return code;
}

int sw_pddl_read(sw_pddl **problem, const char *path, const char *text,
                 size_t bytes, sw_err *err) {
  reader r = {.err = err};
  *problem = r.p = calloc(1, sizeof *r.p);
  if (!r.p) return sw_no_memory(err);
  sw_pddl_lex_start(&r.x, path, text, bytes);
  int code = read_problem(&r);
  free(r.name_at);
  free(r.sorted);
  free(r.clear_line);
  if (code) {
    sw_pddl_free(*problem);
    *problem = NULL;
  }
  return code;
}

void sw_pddl_free(sw_pddl *problem) {
  if (!problem) return;
  free(problem->names);
  free(problem->name);
  free(problem->init);
  free(problem->goal);
  free(problem->goal_clear);
  free(problem);
}

int sw_pddl_looks_like(const struct sw_domain *domain, const char *path,
                       const char *text, size_t bytes) {
  (void)domain;
  static const char ending[] = ".pddl";
  size_t length = path ? strlen(path) : 0, tail = sizeof ending - 1, same = 0;
  while (length > tail && same < tail &&
         sw_lower(path[length - tail + same]) == ending[same])
    same++;
  if (same == tail) return 1;
  sw_pddl_lexer x;
  sw_pddl_lex_start(&x, "", text, bytes);
  return sw_pddl_lex(&x) == SW_PDDL_OPEN && sw_pddl_lex(&x) == SW_PDDL_WORD &&
         !strcmp(x.word, "define");
}
