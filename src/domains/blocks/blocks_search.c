/* A* over canonical states (see search.h). The heuristic counts the blocks
 * that must move, twice where a block sits above one that it must sit above in
 * the end too but has to leave in between; it is never too high, so the first
 * goal taken from the queue is reached by a shortest plan. A move changes it by
 * at most one (only the moved block's share can change), so f never falls.
 *
 * f counts actions: a move is two of them, picking up and putting down. Where
 * the hand may be full in the end, the last block is not put down; then a state
 * is final, too, from which picking one block up reaches the goal. */
#include "domains/blocks/blocks_search.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/stop.h"

typedef struct entry {
  int32_t id, g, next;
} entry;
typedef struct step {
  int32_t g, parent; /* g counts moves */
  int16_t block;
  uint16_t to;
} step;

/* What the hand may hold in the end: nothing, any block, or block `hold`. */
enum { HOLD_NOTHING = -1, HOLD_ANY = -2 };

struct sw_blocks_search {
  sw_blocks_table table;
  step *steps; /* by state id */
  int32_t step_room;
  entry *entries; /* queue cells */
  int32_t entry_count, entry_room;
  int32_t *bucket; /* first entry of each f, -1: none */
  int32_t buckets;
  /* of the problem at hand */
  int32_t n, towers;
  const int32_t *goal;
  const uint8_t *clear;
  int32_t hold; /* HOLD_NOTHING, HOLD_ANY or a block */
  int32_t max_states;
  int full; /* max_states was the limit, not memory or time */
  const sw_blocks_table *avoid; /* states that are closed; NULL: none */
  int32_t *wanted; /* [n] block that the goal puts on this one, or -1 */
  int8_t *must;    /* [n] scratch: -1 unknown, else 0/1 */
  int32_t *chain;  /* [n] scratch */
  int32_t *mark;   /* [n] scratch: 1 + the last block it is below in the goal */
  uint16_t *now, *next_key;
  uint8_t *covered;
  int32_t room;
};

int sw_blocks_search_new(sw_blocks_search **search, sw_err *err) {
  *search = calloc(1, sizeof **search);
  if (!*search) return sw_no_memory(err);
  sw_blocks_table_init(&(*search)->table, 0);
  return SW_OK;
}

static void free_scratch(sw_blocks_search *s) {
  free(s->wanted);
  free(s->must);
  free(s->chain);
  free(s->mark);
  free(s->now);
  free(s->next_key);
  free(s->covered);
  free(s->bucket);
  s->wanted = s->chain = s->mark = s->bucket = NULL;
  s->must = NULL;
  s->now = s->next_key = NULL;
  s->covered = NULL;
  s->room = 0;
}

void sw_blocks_search_free(sw_blocks_search *search) {
  if (!search) return;
  free_scratch(search);
  sw_blocks_table_free(&search->table);
  free(search->steps);
  free(search->entries);
  free(search);
}

static int prepare(sw_blocks_search *s, int32_t n) {
  s->n = n;
  s->entry_count = 0;
  sw_blocks_table_reset(&s->table, n);
  if (n > s->room || !s->bucket) { /* no blocks at all need a bucket too */
    size_t room = (size_t)(n > 0 ? n : 1);
    free_scratch(s);
    s->wanted = calloc(room, sizeof *s->wanted);
    s->must = calloc(room, sizeof *s->must);
    s->chain = calloc(room, sizeof *s->chain);
    s->mark = calloc(room, sizeof *s->mark);
    s->now = calloc(room, sizeof *s->now);
    s->next_key = calloc(room, sizeof *s->next_key);
    s->covered = calloc(room, sizeof *s->covered);
    s->bucket = calloc(8 * room + 16, sizeof *s->bucket);
    if (!s->wanted || !s->must || !s->chain || !s->mark || !s->now ||
        !s->next_key || !s->covered || !s->bucket)
      return 0;
    s->room = n;
  }
  s->buckets = 8 * n + 16;
  for (int32_t f = 0; f < s->buckets; f++) s->bucket[f] = -1;
  return 1;
}

/* Must this block move, given that the answer for the one below is known? */
static int must_move(const sw_blocks_search *s, const uint16_t *key,
                     int32_t b) {
  int32_t below = key[b] == SW_BLOCKS_TABLE ? SW_PDDL_TABLE : key[b];
  if (s->goal[b] != SW_PDDL_ANY && s->goal[b] != below) return 1;
  if (below < 0) return 0;
  return s->must[below] || (s->clear && s->clear[below]) ||
         (s->wanted[below] >= 0 && s->wanted[below] != b);
}

/* Is a block below b now also below b in the goal? */
static int returns(const sw_blocks_search *s, const uint16_t *key, int32_t b) {
  for (int32_t c = s->goal[b], guard = 0; c >= 0 && guard <= s->n;
       c = s->goal[c], guard++)
    s->mark[c] = b + 1;
  for (int32_t d = key[b]; d != SW_BLOCKS_TABLE; d = key[d])
    if (s->mark[d] == b + 1) return 1;
  return 0;
}

static int32_t heuristic(sw_blocks_search *s, const uint16_t *key) {
  int32_t h = 0;
  memset(s->must, -1, (size_t)s->n);
  memset(s->mark, 0, (size_t)s->n * sizeof *s->mark);
  for (int32_t b = 0; b < s->n; b++) {
    int32_t depth = 0;
    for (int32_t c = b; c != SW_BLOCKS_TABLE && s->must[c] < 0; c = key[c])
      s->chain[depth++] = c;
    while (depth > 0) {
      int32_t c = s->chain[--depth];
      s->must[c] = (int8_t)must_move(s, key, c);
      if (s->must[c]) h += 1 + returns(s, key, c);
    }
  }
  return h;
}

/* The block that must be picked up to reach the goal, the only one that must
 * leave its place; -1: there is none. Called after heuristic(). */
static int32_t last_lift(const sw_blocks_search *s) {
  int32_t lifted = -1;
  for (int32_t b = 0; b < s->n; b++)
    if (s->must[b]) lifted = lifted < 0 ? b : s->n;
  return lifted >= 0 && lifted < s->n && s->goal[lifted] == SW_PDDL_ANY &&
                 !(s->clear && s->clear[lifted])
             ? lifted
             : -1;
}

/* Actions that are still needed, at least. A state with 0 is a goal; with 1,
 * picking up one block reaches it. */
static int32_t actions_left(sw_blocks_search *s, const uint16_t *key) {
  int32_t moves = heuristic(s, key);
  if (s->hold >= 0) return 2 * (moves - s->must[s->hold]) + 1;
  if (s->hold == HOLD_NOTHING || moves == 0) return 2 * moves;
  return moves > 1 || last_lift(s) >= 0 ? 2 * moves - 1 : 2;
}

static int queue(sw_blocks_search *s, int32_t id, int32_t g, int32_t f) {
  if (f >= s->buckets) return 1; /* beyond two moves a block: never needed */
  if (!sw_grow(&s->entries, &s->entry_room, s->entry_count + 1,
               sizeof *s->entries))
    return 0;
  s->entries[s->entry_count] = (entry){id, g, s->bucket[f]};
  s->bucket[f] = s->entry_count++;
  return 1;
}

/* Reaches the state next_key in g moves; 0: out of memory, states or time. */
static int reach(sw_blocks_search *s, int32_t g, int32_t parent, int32_t block,
                 uint16_t to) {
  int32_t known = s->table.count;
  if (s->avoid && g > 0 && sw_blocks_table_find(s->avoid, s->next_key) >= 0)
    return 1;
  int32_t id = sw_blocks_table_add(&s->table, s->next_key);
  s->full = id > s->max_states;
  if (id < 0 || s->full || sw_time_to_stop()) return 0;
  if (!sw_grow(&s->steps, &s->step_room, id + 1, sizeof *s->steps)) return 0;
  if (id < known && (s->avoid || s->steps[id].g <= g)) return 1;
  s->steps[id] = (step){g, parent, (int16_t)block, to};
  /* Where only reaching it counts, the nearest state comes first. */
  int32_t left = actions_left(s, s->next_key);
  return queue(s, id, g, s->avoid ? left : 2 * g + left);
}

static int expand(sw_blocks_search *s, int32_t id) {
  int32_t n = s->n, g = s->steps[id].g, towers = 0;
  memcpy(s->now, s->table.keys + (size_t)id * (size_t)n, (size_t)n * 2);
  memset(s->covered, 0, (size_t)n);
  for (int32_t b = 0; b < n; b++) {
    if (s->now[b] == SW_BLOCKS_TABLE) towers++;
    else s->covered[s->now[b]] = 1;
  }
  memcpy(s->next_key, s->now, (size_t)n * 2);
  for (int32_t b = 0; b < n; b++) {
    if (s->covered[b]) continue;
    for (int32_t to = -1; to < n; to++) {
      uint16_t place = to < 0 ? SW_BLOCKS_TABLE : (uint16_t)to;
      if (to == b || place == s->now[b] || (to >= 0 && s->covered[to]) ||
          (to < 0 && towers >= s->towers))
        continue;
      s->next_key[b] = place;
      if (!reach(s, g + 1, id, b, place)) return 0;
    }
    s->next_key[b] = s->now[b];
  }
  return 1;
}

static void write_plan(const sw_blocks_search *s, int32_t id,
                       sw_pddl_plan *plan) {
  int32_t first = plan->count;
  for (; s->steps[id].parent >= 0; id = s->steps[id].parent)
    sw_pddl_plan_put(
        plan, s->steps[id].block,
        s->steps[id].to == SW_BLOCKS_TABLE ? SW_PDDL_TABLE : s->steps[id].to);
  if (plan->failed) return;
  for (int32_t a = first, z = plan->count - 1; a < z; a++, z--) {
    sw_pddl_plan_move swap = plan->move[a];
    plan->move[a] = plan->move[z];
    plan->move[z] = swap;
  }
}

/* An empty queue for a problem. 0: out of memory. */
static int begin(sw_blocks_search *s, int32_t n, int32_t towers,
                 const int32_t *goal, const uint8_t *clear,
                 int32_t max_states) {
  s->full = 0;
  s->avoid = NULL;
  s->hold = HOLD_NOTHING;
  if (!prepare(s, n)) return 0;
  s->towers = towers;
  s->goal = goal;
  s->clear = clear;
  s->max_states = max_states;
  for (int32_t b = 0; b < n; b++) s->wanted[b] = -1;
  for (int32_t b = 0; b < n; b++)
    if (goal[b] >= 0) s->wanted[goal[b]] = b;
  return 1;
}

/* Puts a start into the queue, `held` (-1: none) on `to`. 0: out of memory. */
static int start_from(sw_blocks_search *s, const int32_t *start, int32_t held,
                      int32_t to) {
  for (int32_t b = 0; b < s->n; b++) {
    int32_t below = b == held ? to : start[b];
    s->next_key[b] = below < 0 ? SW_BLOCKS_TABLE : (uint16_t)below;
  }
  return reach(s, 0, -1, 0, 0);
}

int sw_blocks_reachable(sw_blocks_search *s, int32_t n, int32_t towers,
                        const int32_t *start, const int32_t *goal,
                        const sw_blocks_table *avoid) {
  if (!begin(s, n, towers, goal, NULL, INT32_MAX - 1))
    return SW_BLOCKS_INTERRUPTED;
  s->avoid = avoid;
  if (!start_from(s, start, -1, 0)) return SW_BLOCKS_INTERRUPTED;
  for (int32_t h = 0; h < s->buckets; h++) {
    if (s->bucket[h] < 0) continue;
    entry top = s->entries[s->bucket[h]];
    if (h == 0) return 1; /* nothing must move: the goal */
    s->bucket[h] = top.next;
    if (!expand(s, top.id)) return SW_BLOCKS_INTERRUPTED;
    h = -1; /* it may have come nearer */
  }
  return 0;
}

static int32_t gave_up(const sw_blocks_search *s) {
  return s->full ? SW_BLOCKS_GAVE_UP : SW_BLOCKS_INTERRUPTED;
}

/* The state at the end of a shortest plan, and the actions that the plan still
 * takes there (0, or 1: a block is picked up). Or why there is none. */
static int32_t search_end(sw_blocks_search *s, int32_t *left) {
  for (int32_t f = 0; f < s->buckets; f++) {
    while (s->bucket[f] >= 0) {
      entry top = s->entries[s->bucket[f]];
      s->bucket[f] = top.next;
      if (s->steps[top.id].g < top.g) continue; /* found better since */
      *left = f - 2 * top.g;
      if (*left <= 1) return top.id;
      if (!expand(s, top.id)) return gave_up(s);
    }
  }
  return SW_BLOCKS_NO_PLAN;
}

int32_t sw_blocks_shortest(sw_blocks_search *s, int32_t n, int32_t towers,
                           const int32_t *start, const int32_t *goal,
                           const uint8_t *clear, int32_t max_states,
                           sw_pddl_plan *plan) {
  int32_t left;
  if (!begin(s, n, towers, goal, clear, max_states) ||
      !start_from(s, start, -1, 0))
    return gave_up(s);
  int32_t end = search_end(s, &left);
  if (end < 0) return end;
  if (plan) write_plan(s, end, plan);
  return s->steps[end].g;
}

/* Is the goal reached before the first action? Only asked where the hand is
 * full; else the search finds out. */
static int holds_at_once(const sw_pddl *p, int32_t held, int32_t hold,
                         const uint8_t *covered) {
  if (p->goal_hand_empty || (hold >= 0 && hold != held)) return 0;
  for (int32_t b = 0; b < p->n; b++) {
    if (p->goal[b] != SW_PDDL_ANY && p->goal[b] != p->init[b]) return 0;
    if (p->goal_clear[b] && (covered[b] || b == held)) return 0;
  }
  return 1;
}

/* The queue with every state that putting `held` down leads to. */
static int start_all(sw_blocks_search *s, const sw_pddl *p, int32_t held) {
  if (held < 0) return start_from(s, p->init, -1, 0);
  for (int32_t to = -1; to < p->n; to++) {
    int usable = to != held;
    for (int32_t b = 0; b < p->n; b++) usable = usable && p->init[b] != to;
    if ((to < 0 || usable) && !start_from(s, p->init, held, to)) return 0;
  }
  return 1;
}

static void write_whole_plan(sw_blocks_search *s, int32_t end, int32_t left,
                             int32_t held, sw_pddl_plan *plan) {
  int32_t root = end;
  while (s->steps[root].parent >= 0) root = s->steps[root].parent;
  const uint16_t *first = s->table.keys + (size_t)root * (size_t)s->n;
  if (held >= 0)
    sw_pddl_plan_put(
        plan, held,
        first[held] == SW_BLOCKS_TABLE ? SW_PDDL_TABLE : first[held]);
  write_plan(s, end, plan);
  if (left == 0) return;
  heuristic(s, s->table.keys + (size_t)end * (size_t)s->n);
  sw_pddl_plan_put(plan, s->hold >= 0 ? s->hold : last_lift(s), SW_PDDL_HELD);
}

int32_t sw_blocks_shortest_actions(sw_blocks_search *s, const sw_pddl *p,
                                   const int32_t *goal, const uint8_t *clear,
                                   int32_t max_states, sw_pddl_plan *plan) {
  int32_t held = -1, hold = -1, left;
  for (int32_t b = 0; b < p->n; b++) {
    if (p->init[b] == SW_PDDL_HELD) held = b;
    if (p->goal[b] == SW_PDDL_HELD) hold = b;
  }
  if (!begin(s, p->n, p->n, goal, clear, max_states)) return gave_up(s);
  if (held >= 0) {
    for (int32_t b = 0; b < p->n; b++)
      if (p->init[b] >= 0) s->covered[p->init[b]] = 1;
    if (holds_at_once(p, held, hold, s->covered)) return 0;
  }
  s->hold = hold >= 0 ? hold : p->goal_hand_empty ? HOLD_NOTHING : HOLD_ANY;
  if (!start_all(s, p, held)) return gave_up(s);
  int32_t end = search_end(s, &left);
  if (end < 0) return end;
  if (plan) write_whole_plan(s, end, left, held, plan);
  return (held >= 0) + 2 * s->steps[end].g + left;
}
