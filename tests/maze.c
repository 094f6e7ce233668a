/* A maze as a plain domain (see maze.h). */
#include "maze.h"

#include <string.h>

#define ROW(y) "a" y, "b" y, "c" y, "d" y, "e" y, "f" y, "g" y, "h" y
static const char *const words[] = {
    ROW("1"), ROW("2"), ROW("3"), ROW("4"), ROW("5"), ROW("6"), ROW("7"),
    ROW("8"), "maze",   "from",   "to",     "at",     "been",   NULL};
enum { MAZE = 64, FROM, TO, AT, BEEN }; /* tokens 0 to 63 are the cells */

static int is_set(uint64_t cells, int32_t cell) { return cells >> cell & 1; }
static uint64_t bit(int32_t cell) { return (uint64_t)1 << cell; }

/* The neighbours inside the square, [4]; how many. */
static int neighbours(int32_t n, int32_t cell, int32_t *next) {
  int32_t x = cell % MAZE_MOST, y = cell / MAZE_MOST;
  int count = 0;
  if (y > 0) next[count++] = cell - MAZE_MOST;
  if (x > 0) next[count++] = cell - 1;
  if (x + 1 < n) next[count++] = cell + 1;
  if (y + 1 < n) next[count++] = cell + MAZE_MOST;
  return count;
}

/* May the cell be opened without closing a circle? */
static int may_open(const maze *m, int32_t cell) {
  int32_t next[4];
  int count = neighbours(m->n, cell, next), opened = 0;
  for (int i = 0; i < count; i++) opened += is_set(m->open, next[i]);
  return !is_set(m->open, cell) && opened == 1;
}

/* Corridors without circles, grown from the start; the goal ends one. */
static void draw(void *problem, int n, sw_xoshiro *random) {
  maze *m = problem;
  int32_t cell[MAZE_MOST * MAZE_MOST], next[4];
  int cells = 1;
  m->n = n;
  m->start = (int32_t)sw_xoshiro_below(random, (uint64_t)n) +
             MAZE_MOST * (int32_t)sw_xoshiro_below(random, (uint64_t)n);
  m->open = bit(m->start);
  m->goal = cell[0] = m->start;
  for (int tries = 0; tries < 40 * n * n; tries++) {
    int32_t from = cell[sw_xoshiro_below(random, (uint64_t)cells)];
    int count = neighbours(n, from, next);
    int32_t to = next[sw_xoshiro_below(random, (uint64_t)count)];
    if (!may_open(m, to)) continue;
    m->open |= bit(to);
    m->goal = cell[cells++] = to;
  }
}

static void show_cells(uint64_t cells, sw_trace *out) {
  for (int32_t c = 0; c < MAZE; c++)
    if (is_set(cells, c)) sw_trace_put(out, c, 0);
}

static void show_problem(const void *problem, sw_trace *out) {
  const maze *m = problem;
  sw_trace_put(out, MAZE, 0);
  show_cells(m->open, out);
  sw_trace_put(out, FROM, 0);
  sw_trace_put(out, m->start, 0);
  sw_trace_put(out, TO, 0);
  sw_trace_put(out, m->goal, 0);
}

static void start(const void *problem, void *state) {
  const maze *m = problem;
  maze_state *s = state;
  s->at = m->start;
  s->been = bit(m->start);
}

static void show_state(const void *problem, const void *state, sw_trace *out) {
  const maze_state *s = state;
  (void)problem;
  sw_trace_put(out, AT, 0);
  sw_trace_put(out, s->at, 0);
  sw_trace_put(out, BEEN, 0);
  show_cells(s->been, out);
}

static int choices(const void *problem, const void *state,
                   int32_t token[SW_PLAIN_CHOICES]) {
  const maze *m = problem;
  const maze_state *s = state;
  int32_t next[4];
  int all = neighbours(m->n, s->at, next), count = 0;
  for (int i = 0; i < all; i++)
    if (is_set(m->open & ~s->been, next[i])) token[count++] = next[i];
  return count;
}

static void take(const void *problem, void *state, int32_t token) {
  maze_state *s = state;
  (void)problem;
  s->at = token;
  s->been |= bit(token);
}

static int solved(const void *problem, const void *state) {
  return ((const maze_state *)state)->at == ((const maze *)problem)->goal;
}

static int distance(int32_t a, int32_t b) {
  int x = a % MAZE_MOST - b % MAZE_MOST, y = a / MAZE_MOST - b / MAZE_MOST;
  return (x < 0 ? -x : x) + (y < 0 ? -y : y);
}

/* The cell that is nearest to the goal, walls or not. */
static int expert(const void *problem, const void *state, const int32_t *open,
                  int count) {
  const maze *m = problem;
  int best = 0;
  (void)state;
  for (int i = 1; i < count; i++)
    if (distance(open[i], m->goal) < distance(open[best], m->goal)) best = i;
  return best;
}

/* Lines of `.` (open), `#`, one `S` and one `G`. */
static int parse(void *problem, const char *text, sw_err *err) {
  maze *m = problem;
  int32_t x = 0, y = 0;
  m->start = m->goal = -1;
  for (const char *p = text; *p; p++) {
    int32_t cell = x + MAZE_MOST * y;
    if (*p == '\n') {
      y += x > 0;
      x = 0;
      continue;
    }
    if (!strchr(".#SG", *p) || x == MAZE_MOST || y == MAZE_MOST)
      return sw_fail(err, SW_DATA, "line %d: no maze of at most %d by %d",
                     y + 1, MAZE_MOST, MAZE_MOST);
    if (*p != '#') m->open |= bit(cell);
    if (*p == 'S') m->start = cell;
    if (*p == 'G') m->goal = cell;
    if (++x > m->n) m->n = x;
    if (y >= m->n) m->n = y + 1;
  }
  if (m->start >= 0 && m->goal >= 0) return SW_OK;
  return sw_fail(err, SW_DATA, "a maze has one S and one G");
}

const sw_plain maze_plain = {.name = "maze",
                             .summary = "the way through a maze",
                             .words = words,
                             .n = 5,
                             .most = MAZE_MOST,
                             .problem_bytes = sizeof(maze),
                             .state_bytes = sizeof(maze_state),
                             .draw = draw,
                             .show_problem = show_problem,
                             .start = start,
                             .show_state = show_state,
                             .choices = choices,
                             .take = take,
                             .solved = solved,
                             .expert = expert,
                             .parse = parse};
