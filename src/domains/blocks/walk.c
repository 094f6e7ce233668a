/* Walks and their TRIED lists (see walk.h). */
#include "domains/blocks/walk.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

void sw_blocks_walk_init(sw_blocks_walk *walk, int executed_only) {
  memset(walk, 0, sizeof *walk);
  walk->executed_only = executed_only;
}

static void free_states(sw_blocks_walk *w) {
  sw_blocks_state_free(&w->now);
  sw_blocks_state_free(&w->goal);
  sw_blocks_state_free(&w->scratch);
  free(w->key);
  w->key = NULL;
}

void sw_blocks_walk_free(sw_blocks_walk *w) {
  free_states(w);
  sw_blocks_table_free(&w->visited);
  sw_blocks_table_free(&w->places);
  free(w->seen);
  free(w->done);
  free(w->log);
  free(w->path);
  free(w->shown);
  memset(w, 0, sizeof *w);
}

int sw_blocks_walk_start(sw_blocks_walk *w, const sw_blocks_state *start,
                         const sw_blocks_state *goal, sw_err *err) {
  if (!w->key || w->now.n != start->n) {
    free_states(w);
    SW_TRY(sw_blocks_state_init(&w->now, start->n, start->stacks, err));
    SW_TRY(sw_blocks_state_init(&w->goal, start->n, start->stacks, err));
    SW_TRY(sw_blocks_state_init(&w->scratch, start->n, start->stacks, err));
    w->key = calloc((size_t)start->n + 1, sizeof *w->key);
    if (!w->key) return sw_no_memory(err);
  }
  sw_blocks_state_copy(&w->now, start);
  sw_blocks_state_copy(&w->goal, goal);
  sw_blocks_table_reset(&w->visited, start->n);
  sw_blocks_table_reset(&w->places, start->n);
  w->log_count = w->depth = w->shown_count = 0;
  w->failed = w->legal_count = w->untried = 0;
  return SW_OK;
}

int sw_blocks_walk_at_goal(const sw_blocks_walk *w) {
  return sw_blocks_same(&w->now, &w->goal);
}

static int mark_visited(sw_blocks_walk *w) {
  int32_t known = w->visited.count;
  sw_blocks_canon(&w->now, w->key);
  w->here = sw_blocks_table_add(&w->visited, w->key);
  if (w->here < 0 ||
      !sw_grow(&w->seen, &w->seen_room, w->visited.count, sizeof *w->seen))
    return 0;
  if (w->visited.count > known) w->seen[w->here] = (sw_blocks_seen){0, -1, -1};
  return 1;
}

/* Would this move lead to a visited canonical state? */
static int leads_back(sw_blocks_walk *w, const sw_blocks_move *m) {
  int32_t target = w->now.top[m->to];
  sw_blocks_canon(&w->now, w->key);
  w->key[m->block] = (uint16_t)(target < 0 ? SW_BLOCKS_TABLE : target);
  return sw_blocks_table_find(&w->visited, w->key) >= 0;
}

static int bit_of(const sw_blocks_move *m) {
  return m->from * SW_BLOCKS_STACKS_MAX + m->to;
}

static int show(sw_blocks_walk *w, const sw_blocks_move *m) {
  if (!sw_grow(&w->shown, &w->shown_room, w->shown_count + 1, sizeof *w->shown))
    return 0;
  w->shown[w->shown_count++] = *m;
  return 1;
}

static int list_shared(sw_blocks_walk *w) {
  int32_t place = sw_blocks_table_find(&w->places, w->now.under);
  int prefix = 1;
  for (int i = 0; i < w->legal_count; i++) {
    const sw_blocks_move *m = &w->legal[i];
    int bit = bit_of(m);
    int done = place >= 0 && (w->done[place][bit / 64] >> (bit % 64) & 1);
    prefix = prefix && (done || leads_back(w, m));
    w->tried[i] = (uint8_t)(done || prefix);
    if (w->tried[i] && !show(w, m)) return 0;
  }
  return 1;
}

static int list_executed(sw_blocks_walk *w) {
  memset(w->tried, 0, sizeof w->tried);
  for (int32_t at = w->seen[w->here].first; at >= 0; at = w->log[at].next) {
    const sw_blocks_move *m = &w->log[at].move;
    if (!show(w, m)) return 0;
    for (int i = 0; i < w->legal_count; i++)
      if (w->legal[i].block == m->block && w->legal[i].from == m->from &&
          w->legal[i].to == m->to)
        w->tried[i] = 1;
  }
  return 1;
}

int32_t sw_blocks_walk_look(sw_blocks_walk *w) {
  w->shown_count = 0;
  w->legal_count = sw_blocks_legal(&w->now, w->legal);
  if (!mark_visited(w) ||
      !(w->executed_only ? list_executed(w) : list_shared(w))) {
    w->failed = 1;
    return 0;
  }
  w->untried = 0;
  for (int i = 0; i < w->legal_count; i++) w->untried += !w->tried[i];
  return w->seen[w->here].visits++;
}

static int remember_shared(sw_blocks_walk *w, const sw_blocks_move *m) {
  int32_t known = w->places.count;
  int32_t place = sw_blocks_table_add(&w->places, w->now.under);
  if (place < 0 ||
      !sw_grow(&w->done, &w->done_room, w->places.count, sizeof *w->done))
    return 0;
  if (w->places.count > known) w->done[place][0] = w->done[place][1] = 0;
  int bit = bit_of(m);
  w->done[place][bit / 64] |= (uint64_t)1 << (bit % 64);
  return 1;
}

static int remember_executed(sw_blocks_walk *w, const sw_blocks_move *m) {
  if (!sw_grow(&w->log, &w->log_room, w->log_count + 1, sizeof *w->log))
    return 0;
  sw_blocks_seen *seen = &w->seen[w->here];
  w->log[w->log_count] = (sw_blocks_log){*m, -1};
  if (seen->last >= 0) w->log[seen->last].next = w->log_count;
  else seen->first = w->log_count;
  seen->last = w->log_count++;
  return 1;
}

int sw_blocks_walk_move(sw_blocks_walk *w, int32_t from, int32_t to) {
  sw_blocks_move m = {(int16_t)w->now.top[from], (int16_t)from, (int16_t)to};
  if (!(w->executed_only ? remember_executed(w, &m) : remember_shared(w, &m)) ||
      !sw_grow(&w->path, &w->path_room, w->depth + 1, sizeof *w->path)) {
    w->failed = 1;
    return 0;
  }
  w->path[w->depth++] = m;
  sw_blocks_apply(&w->now, from, to);
  return 1;
}

int sw_blocks_walk_back(sw_blocks_walk *w) {
  if (w->depth == 0) return 0;
  const sw_blocks_move *m = &w->path[--w->depth];
  sw_blocks_apply(&w->now, m->to, m->from);
  return 1;
}

int sw_blocks_walk_replay(const sw_blocks_walk *w,
                          const sw_blocks_state *start) {
  sw_blocks_state replay = w->scratch; /* shares scratch's array */
  sw_blocks_state_copy(&replay, start);
  for (int32_t i = 0; i < w->depth; i++) {
    const sw_blocks_move *m = &w->path[i];
    if (m->from == m->to || replay.top[m->from] != m->block) return 0;
    sw_blocks_apply(&replay, m->from, m->to);
  }
  return sw_blocks_same(&replay, &w->goal);
}
