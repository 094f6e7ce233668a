/* Blocks World states as numbers (domains/state_ops.h): where each block is and
 * where it belongs, and which moves are legal and tried. */
#include <string.h>

#include "domains/blocks/blocks_env.h"

enum { BLOCKS_MOST = 250 }; /* features grow with the blocks */

typedef struct captured {
  uint8_t move[SW_BLOCKS_STACKS_MAX][SW_BLOCKS_STACKS_MAX]; /* LEGAL, TRIED */
  uint8_t top[12];  /* of each stack: its height */
  uint16_t place[]; /* [n] stack * 4096 + blocks below it */
} captured;
enum { LEGAL = 1, TRIED = 2, PER_STACK = 4096 };

static const sw_instance *instance_of(const sw_env *e) { return e->instance; }

static size_t bytes(const sw_instance *w) {
  return (sizeof(captured) + sizeof(uint16_t) * (size_t)w->start.n + 7) / 8 * 8;
}

/* Stack and height of every block. */
static void place_blocks(const sw_blocks_state *s, uint16_t *place) {
  for (int32_t k = 0; k < s->stacks; k++) {
    int32_t height = 0;
    for (int32_t b = s->top[k]; b >= 0 && b < s->n; b = s->under[b]) height++;
    for (int32_t b = s->top[k]; b >= 0 && b < s->n; b = s->under[b])
      place[b] = (uint16_t)(k * PER_STACK + --height);
  }
}

static void capture(const sw_env *e, void *state) {
  captured *c = state;
  const sw_blocks_walk *w = &e->walk;
  place_blocks(&w->now, c->place);
  for (int i = 0; i < w->legal_count; i++)
    c->move[w->legal[i].from][w->legal[i].to] =
        (uint8_t)(LEGAL | (w->tried[i] ? TRIED : 0));
  for (int32_t b = 0; b < w->now.n; b++) c->top[c->place[b] / PER_STACK]++;
}

/* ---- the instance of a trace ---- */

static int bad(const char *what, int64_t at, sw_err *err) {
  return sw_fail(err, SW_DATA, "%s is not a list of stacks at token %lld", what,
                 (long long)at);
}

static int32_t block_of(int32_t token) {
  if (token >= SW_BLOCKS_VOCAB)
    return token - SW_BLOCKS_VOCAB + SW_BLOCKS_VOCAB_BLOCKS;
  return token >= SW_BLOCKS_FIRST_BLOCK && token < SW_BLOCKS_FIRST_STACK
             ? token - SW_BLOCKS_FIRST_BLOCK
             : -1;
}

/* Stacks as put_stacks of blocks_env.c writes them, up to SEP. */
static int read_stacks(const sw_trace *t, int64_t at, const char *what,
                       sw_blocks_state *s, sw_err *err) {
  uint8_t seen[SW_BLOCKS_MAX] = {0};
  int32_t placed = 0;
  for (int32_t k = 0; k < s->stacks; k++) {
    if (at >= t->length || t->token[at] != SW_BLOCKS_FIRST_STACK + k)
      return bad(what, at, err);
    at++;
    if (at < t->length && t->token[at] == SW_BLOCKS_EMPTY) {
      at++;
      continue;
    }
    for (; at < t->length && block_of(t->token[at]) >= 0; at++, placed++) {
      int32_t b = block_of(t->token[at]);
      if (b >= s->n || seen[b]) return bad(what, at, err);
      seen[b] = 1;
      sw_blocks_push(s, k, b);
    }
  }
  if (placed != s->n || at >= t->length || t->token[at] != SW_BLOCKS_SEP)
    return bad(what, at, err);
  return SW_OK;
}

static int read_instance(sw_instance **instance, const sw_trace *t,
                         const sw_domain_options *options, sw_err *err) {
  *instance = NULL;
  if (t->blocks < 2)
    return sw_fail(err, SW_DATA, "a trace without blocks shows no start");
  int64_t first = t->block_start[1]; /* moves that change nothing are tried */
  while (first < t->length && t->token[first] != SW_BLOCKS_STATE) first++;
  if (t->n < 1 || t->n > SW_BLOCKS_MAX || t->token[0] != SW_BLOCKS_BOS ||
      first >= sw_trace_block_end(t, 1))
    return bad("the trace", 0, err);
  SW_TRY(sw_blocks_instance_new(instance, t->n, sw_blocks_own(options)->stacks,
                                err));
  int code = read_stacks(t, 2, "the goal", &(*instance)->goal, err);
  if (!code)
    code = read_stacks(t, first + 1, "the start", &(*instance)->start, err);
  if (!code) return SW_OK;
  sw_blocks_instance_free(*instance);
  *instance = NULL;
  return code;
}

static void sizes(const sw_instance *w, int32_t *n, int32_t *m) {
  *n = w->start.n;
  *m = w->start.stacks;
}

/* ---- features ---- */

static int32_t per_block(int32_t stacks) { return 2 * stacks + 3; }

static int layout(sw_state_layout *l, sw_err *err) {
  if (l->set != SW_FEATURES_STATE || l->step) {
    sw_fail(err, SW_USAGE, "blocks has no published state features");
    return sw_hint(err, "features=state");
  }
  if (l->n < 1 || l->n > BLOCKS_MOST || l->m < 2 || l->m > SW_BLOCKS_STACKS_MAX)
    return sw_fail(err, SW_DATA, "features of %d blocks on %d stacks", l->n,
                   l->m);
  l->features = per_block(l->m) * l->n + 2 * l->m * l->m;
  l->classes[SW_HEAD_VERDICT] = 2;
  l->classes[SW_HEAD_ITEM] = l->n;
  l->classes[SW_HEAD_VALUE] = l->m;
  return SW_OK;
}

/* Per block: its stack, its height, whether it is free to move; the stack and
 * height where it belongs. Then, from every stack to every other, whether the
 * move is legal and whether it was tried here. */
static void features(const sw_instance *w, const void *state, int64_t step,
                     const sw_state_layout *l, float *out) {
  const captured *c = state;
  uint16_t goal[SW_BLOCKS_MAX] = {0};
  int32_t m = l->m, stacks = w->start.stacks;
  (void)step;
  memset(out, 0, sizeof *out * (size_t)l->features);
  place_blocks(&w->goal, goal);
  for (int32_t b = 0; b < w->start.n; b++) {
    float *x = out + per_block(m) * b;
    int32_t stack = c->place[b] / PER_STACK, height = c->place[b] % PER_STACK;
    x[stack] = 1;
    x[m] = (float)(height + 1) / (float)l->n;
    x[m + 1] = height + 1 == c->top[stack];
    x[m + 2 + goal[b] / PER_STACK] = 1;
    x[2 * m + 2] = (float)(goal[b] % PER_STACK + 1) / (float)l->n;
  }
  float *x = out + per_block(m) * l->n;
  for (int32_t from = 0; from < stacks; from++)
    for (int32_t to = 0; to < stacks; to++) {
      x[2 * (m * from + to)] = (float)((c->move[from][to] & LEGAL) != 0);
      x[2 * (m * from + to) + 1] = (float)((c->move[from][to] & TRIED) != 0);
    }
}

/* ---- answers ---- */

static void answer(const sw_env *e, int32_t token, sw_state_answer *a) {
  int32_t stack = token - SW_BLOCKS_FIRST_STACK;
  a->count = 0;
  if (token == SW_BLOCKS_BACKTRACK || token == SW_BLOCKS_MOVE) {
    *a = (sw_state_answer){1, {{SW_HEAD_VERDICT, token != SW_BLOCKS_MOVE}}};
  } else if (e->stage == SW_BLOCKS_ASK_BLOCK) {
    int32_t b = block_of(token);
    if (b >= 0 && b < e->walk.now.n)
      *a = (sw_state_answer){1, {{SW_HEAD_ITEM, b}}};
  } else if (e->stage == SW_BLOCKS_ASK_TO && stack >= 0 &&
             stack < e->walk.now.stacks) {
    *a = (sw_state_answer){1, {{SW_HEAD_VALUE, stack}}};
  }
}

static int32_t chosen(const sw_env *e) {
  return e->stage == SW_BLOCKS_ASK_TO ? e->pending.block : -1;
}

const sw_state_ops sw_blocks_state_numbers = {.read_instance = read_instance,
                                              .sizes = sizes,
                                              .layout = layout,
                                              .instance = instance_of,
                                              .bytes = bytes,
                                              .capture = capture,
                                              .features = features,
                                              .answer = answer,
                                              .chosen = chosen};
