/* Random walks with legal and illegal answers against a slow, obvious model of
 * Blocks World written from the rules alone (lists of blocks, linear searches),
 * the expert against the published pseudo-code, and every expert's path
 * replayed. STATEWISE_LONG makes the walks long. */
#include "blocks_support.h"
#include "plain_walk.h"

enum { N_MAX = 12, S_MAX = 10, SEEN = 4096 };

typedef struct slow_state {
  int count[S_MAX], block[S_MAX][N_MAX];
} slow_state;
typedef struct slow_move {
  int block, from, to;
} slow_move;

typedef struct slow {
  int n, stacks, executed_only;
  slow_state now, goal;
  slow_state visited[SEEN];
  int visits;
  struct {
    slow_state at;
    slow_move move;
  } done[SEEN];
  int dones;
  slow_state path[SEEN];
  int depth;
} slow;

static void slow_load(slow_state *to, const sw_blocks_state *from) {
  uint16_t blocks[N_MAX];
  memset(to, 0, sizeof *to);
  for (int s = 0; s < from->stacks; s++) {
    to->count[s] = sw_blocks_stack(from, s, blocks);
    for (int i = 0; i < to->count[s]; i++) to->block[s][i] = blocks[i];
  }
}

static int same_stack(const slow_state *a, int s, const slow_state *b, int t) {
  return a->count[s] == b->count[t] &&
         !memcmp(a->block[s], b->block[t],
                 (size_t)a->count[s] * sizeof a->block[0][0]);
}

static int same_exactly(const slow_state *a, const slow_state *b, int stacks) {
  for (int s = 0; s < stacks; s++)
    if (!same_stack(a, s, b, s)) return 0;
  return 1;
}

/* Equal up to the order of the stacks. */
static int same_canon(const slow_state *a, const slow_state *b, int stacks) {
  int used[S_MAX] = {0};
  for (int s = 0; s < stacks; s++) {
    int found = 0;
    for (int t = 0; t < stacks && !found; t++)
      if (!used[t] && same_stack(a, s, b, t)) used[t] = found = 1;
    if (!found) return 0;
  }
  return 1;
}

static slow_state after(const slow_state *now, slow_move m) {
  slow_state next = *now;
  int block = next.block[m.from][--next.count[m.from]];
  next.block[m.to][next.count[m.to]++] = block;
  return next;
}

static int slow_legal(const slow *w, slow_move *moves) {
  int count = 0;
  for (int i = 0; i < w->stacks; i++)
    for (int j = 0; j < w->stacks; j++)
      if (i != j && w->now.count[i])
        moves[count++] =
            (slow_move){w->now.block[i][w->now.count[i] - 1], i, j};
  return count;
}

static int is_visited(const slow *w, const slow_state *s) {
  for (int i = 0; i < w->visits; i++)
    if (same_canon(&w->visited[i], s, w->stacks)) return 1;
  return 0;
}

static int was_done(const slow *w, slow_move m) {
  for (int i = 0; i < w->dones; i++)
    if (w->done[i].move.from == m.from && w->done[i].move.to == m.to &&
        same_exactly(&w->done[i].at, &w->now, w->stacks))
      return 1;
  return 0;
}

/* The list of a block by definition; returns its length. */
static int slow_tried(const slow *w, slow_move *list) {
  slow_move legal[S_MAX * S_MAX];
  int count = 0, legal_count = slow_legal(w, legal), prefix = 0;
  if (w->executed_only) {
    for (int i = 0; i < w->dones; i++)
      if (same_canon(&w->done[i].at, &w->now, w->stacks))
        list[count++] = w->done[i].move;
    return count;
  }
  for (; prefix < legal_count; prefix++) {
    slow_state next = after(&w->now, legal[prefix]);
    if (!was_done(w, legal[prefix]) && !is_visited(w, &next)) break;
  }
  for (int i = 0; i < legal_count; i++)
    if (i < prefix || was_done(w, legal[i])) list[count++] = legal[i];
  return count;
}

static void expect_stacks(const slow *w, const slow_state *s,
                          const int32_t **t) {
  for (int i = 0; i < w->stacks; i++) {
    assert_int_equal(*(*t)++, 30 + i);
    if (!s->count[i]) assert_int_equal(*(*t)++, 13);
    for (int k = 0; k < s->count[i]; k++)
      assert_int_equal(*(*t)++, s->block[i][k] < 10 ? 20 + s->block[i][k]
                                                    : 40 + s->block[i][k]);
  }
}

static void expect_block(const slow *w, const sw_trace *trace,
                         const slow_move *list, int count) {
  const int32_t *t = trace->token + trace->block_start[trace->blocks - 1];
  if (count) {
    assert_int_equal(*t++, 10);
    for (int i = 0; i < count; i++) {
      assert_int_equal(
          *t++, list[i].block < 10 ? 20 + list[i].block : 40 + list[i].block);
      assert_int_equal(*t++, 30 + list[i].from);
      assert_int_equal(*t++, 30 + list[i].to);
    }
    assert_int_equal(*t++, 11);
  }
  assert_int_equal(*t++, 4);
  expect_stacks(w, &w->now, &t);
  assert_int_equal(*t++, 3);
  assert_ptr_equal(t, trace->token + trace->length);
}

static int listed(const slow_move *list, int count, int block, int from,
                  int to) {
  for (int i = 0; i < count; i++)
    if (list[i].block == block && list[i].from == from &&
        (to < 0 || list[i].to == to))
      return 1;
  return 0;
}

/* One answer at the first query; returns 0 when the walk has ended. */
static int step(slow *w, sw_env *env, sw_trace *trace, sw_mt *mt, int open) {
  const sw_domain *d = &sw_domain_blocks;
  slow_move list[SEEN], legal[S_MAX * S_MAX];
  const sw_cand *cands;
  int offered;
  int count = slow_tried(w, list), legal_count = slow_legal(w, legal);
  int untried = 0;
  if (!is_visited(w, &w->now)) w->visited[w->visits++] = w->now;
  if (!w->executed_only) count = slow_tried(w, list);
  for (int i = 0; i < legal_count; i++)
    untried += !listed(list, count, legal[i].block, legal[i].from, legal[i].to);
  assert_int_equal(d->search->prompt(env, trace), SW_ENV_QUERY);
  expect_block(w, trace, list, count);
  assert_int_equal(d->search->depth(env), w->depth);
  if (open) assert_int_equal(d->search->in_conflict(env), untried == 0);
  d->search->candidates(env, &offered);
  assert_int_equal(offered, open ? 2 : 3);
  uint32_t act = sw_mt_below(mt, 100);
  if (act < 3) { /* nonsense */
    assert_int_equal(d->search->feed(env,
                                     act == 0   ? 999
                                     : act == 1 ? 31
                                                : -5,
                                     trace),
                     SW_ENV_FAILED);
    assert_string_equal(d->search->reason(env), "illegal");
    return 0;
  }
  if (act < 5 && !open) {
    assert_int_equal(d->search->feed(env, 8, trace), SW_ENV_FAILED);
    assert_string_equal(d->search->reason(env), "premature_solved");
    return 0;
  }
  if (act < 30) {
    int64_t before = trace->length;
    sw_env_status status = d->search->go_back(env, trace);
    if (w->depth > 0) {
      assert_int_equal(status, SW_ENV_BLOCK_END);
      assert_int_equal(trace->token[before], 7);
      w->now = w->path[--w->depth];
      return 1;
    }
    if (open && untried) {
      assert_int_equal(status, SW_ENV_QUERY);
      assert_int_equal(trace->length, before);
    } else {
      assert_int_equal(status, open ? SW_ENV_EXHAUSTED : SW_ENV_FAILED);
      return 0;
    }
  }
  slow_move m = legal[sw_mt_below(mt, (uint32_t)legal_count)];
  assert_int_equal(d->search->feed(env, 6, trace), SW_ENV_QUERY);
  int tops = 0;
  cands = d->search->candidates(env, &offered);
  for (int s = 0; s < w->stacks; s++) tops += w->now.count[s] > 0;
  assert_int_equal(offered, tops);
  for (int i = 1; i < offered; i++)
    assert_true(cands[i - 1].token < cands[i].token);
  assert_int_equal(
      d->search->feed(env, m.block < 10 ? 20 + m.block : 40 + m.block, trace),
      SW_ENV_QUERY);
  cands = d->search->candidates(env, &offered);
  assert_int_equal(offered, 1);
  assert_int_equal(cands[0].token, 30 + m.from);
  assert_int_equal(d->search->feed(env, cands[0].token, trace), SW_ENV_QUERY);
  cands = d->search->candidates(env, &offered);
  assert_int_equal(offered, w->stacks - 1);
  for (int i = 0; i < w->stacks - 1; i++)
    assert_int_equal(
        cands[i].kind == SW_CAND_REPEAT,
        open && listed(list, count, m.block, m.from, cands[i].token - 30));
  if (sw_mt_below(mt, 200) == 0) { /* onto itself */
    assert_int_equal(d->search->feed(env, 30 + m.from, trace), SW_ENV_FAILED);
    return 0;
  }
  sw_env_status status = d->search->feed(env, 30 + m.to, trace);
  w->done[w->dones].at = w->now;
  w->done[w->dones++].move = m;
  w->path[w->depth++] = w->now;
  w->now = after(&w->now, m);
  int at_goal = same_canon(&w->now, &w->goal, w->stacks);
  assert_int_equal(status, at_goal && open ? SW_ENV_SOLVED : SW_ENV_BLOCK_END);
  if (at_goal) {
    assert_int_equal(d->search->prompt(env, trace), SW_ENV_SOLVED);
    assert_true(d->search->check_solution(env));
  }
  return !at_goal;
}

static void walk(int n, int stacks, int open, int64_t answers, uint64_t seed) {
  sw_domain_options o = blocks_options(!open, n);
  sw_rules rules = {.release_layout =
                        open ? SW_LAYOUT_TRAINING : SW_LAYOUT_RELEASE};
  slow *w = calloc(1, sizeof *w);
  sw_stream *stream;
  sw_env *env;
  sw_trace trace;
  sw_mt mt;
  sw_err err;
  sw_blocks_own_edit(&o)->stacks = stacks;
  assert_int_equal(sw_domain_blocks.resolve(&o, &err), SW_OK);
  sw_trace_init(&trace);
  sw_mt_seed(&mt, seed);
  assert_int_equal(
      sw_domain_blocks.stream_new(&stream, &o, seed, SW_SPLIT_TRAIN, NULL),
      SW_OK);
  assert_int_equal(sw_domain_blocks.search->env_new(&env, &o, &rules, NULL),
                   SW_OK);
  while (answers > 0) {
    sw_instance *instance;
    assert_int_equal(sw_domain_blocks.stream_next(stream, &instance, NULL),
                     SW_OK);
    assert_int_equal(sw_domain_blocks.search->env_reset(env, instance, NULL),
                     SW_OK);
    sw_trace_clear(&trace);
    sw_domain_blocks.search->write_prefix(env, &trace);
    *w = (slow){.n = n, .stacks = stacks, .executed_only = !open};
    slow_load(&w->now, &instance->start);
    slow_load(&w->goal, &instance->goal);
    if (!same_canon(&w->now, &w->goal, stacks))
      for (int i = 0; i < 150 && answers > 0; i++, answers--)
        if (!step(w, env, &trace, &mt, open)) break;
    answers--;
    sw_domain_blocks.instance_free(instance);
  }
  sw_domain_blocks.search->env_free(env);
  sw_domain_blocks.stream_free(stream);
  sw_trace_free(&trace);
  free(w);
}

static void random_walks(void **state) {
  (void)state;
  int64_t answers = getenv("STATEWISE_LONG") ? 20000 : 2500;
  static const int shape[][2] = {{1, 2}, {2, 3}, {3, 3},   {4, 2}, {5, 3},
                                 {7, 3}, {6, 5}, {10, 10}, {12, 4}};
  for (size_t i = 0; i < sizeof shape / sizeof *shape; i++)
    for (int open = 0; open < 2; open++) {
      if (shape[i][0] == 1 && open) continue; /* start is always the goal */
      walk(shape[i][0], shape[i][1], open, answers, 7 + i);
    }
}

/* Many answers without a reference: promises kept, no memory error. */
static void plain_walks(void **state) {
  (void)state;
  int64_t answers = getenv("STATEWISE_LONG") ? 1000000 : 40000;
  static const int shape[][2] = {{5, 3}, {7, 3}, {10, 10}};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 4; k++) {
      sw_domain_options o = blocks_options(k == 3, shape[i][0]);
      static const int layout[] = {SW_LAYOUT_TRAINING, SW_LAYOUT_TRAINING,
                                   SW_LAYOUT_RELEASE_OPEN, SW_LAYOUT_RELEASE};
      sw_rules rules = {.release_layout = layout[k],
                        .token_budget = k == 3 ? 1500 : 0};
      sw_err err;
      sw_blocks_own_edit(&o)->stacks = shape[i][1];
      assert_int_equal(sw_domain_blocks.resolve(&o, &err), SW_OK);
      plain_walk(&sw_domain_blocks, &o, &rules, answers, (uint64_t)(k + 1));
    }
}

/* The expert, written a second time. */
static void expert_by_the_book(void **state) {
  (void)state;
  sw_domain_options o = blocks_resolved(1, 5);
  sw_stream *stream;
  slow *w = calloc(1, sizeof *w);
  sw_trace trace;
  sw_trace_init(&trace);
  o.max_tokens = 0;
  o.too_long = "cut"; /* keep unsolved searches as well */
  assert_int_equal(
      sw_domain_blocks.stream_new(&stream, &o, 5, SW_SPLIT_TRAIN, NULL), SW_OK);
  for (int k = 0; k < 60; k++) {
    static int index[SEEN];
    static slow_state stack[SEEN];
    sw_instance *instance;
    int depth = 0, steps = 0, solved = 0;
    int64_t block = 1;
    assert_int_equal(sw_domain_blocks.stream_next(stream, &instance, NULL),
                     SW_OK);
    assert_int_equal(
        sw_domain_blocks.write_trace(instance, &o, NULL, &trace, NULL), SW_OK);
    memset(w, 0, sizeof *w);
    w->n = 5;
    w->stacks = 3;
    slow_load(&stack[0], &instance->start);
    slow_load(&w->goal, &instance->goal);
    w->visited[w->visits++] = stack[0];
    index[0] = 0;
    while (depth >= 0 && steps < 500 && !solved) {
      slow_move legal[S_MAX * S_MAX];
      w->now = stack[depth];
      int64_t end = block + 1 < trace.blocks ? trace.block_start[block + 1]
                                             : trace.length - 1;
      const int32_t *last = trace.token + end;
      if (same_canon(&w->now, &w->goal, 3)) {
        assert_int_equal(last[-1], 8);
        solved = 1;
        break;
      }
      int count = slow_legal(w, legal), moved = 0;
      while (index[depth] < count && !moved) {
        slow_move m = legal[index[depth]++];
        slow_state next = after(&w->now, m);
        if (is_visited(w, &next)) continue;
        assert_int_equal(last[-4], 6);
        assert_int_equal(last[-3], 20 + m.block);
        assert_int_equal(last[-2], 30 + m.from);
        assert_int_equal(last[-1], 30 + m.to);
        w->visited[w->visits++] = next;
        stack[++depth] = next;
        index[depth] = 0;
        moved = 1;
      }
      if (!moved) {
        assert_int_equal(last[-1], 7);
        depth--;
      }
      block++;
      steps++;
    }
    assert_int_equal(trace.terminal == SW_TRACE_SOLVED, solved);
    assert_int_equal(trace.decisions + trace.backtracks, steps);
    sw_domain_blocks.instance_free(instance);
  }
  sw_domain_blocks.stream_free(stream);
  sw_trace_free(&trace);
  free(w);
}

/* Reads a trace as text and replays it: every MOVE legal from the state shown,
 * every BACKTRACK to the state before, the last state equal to the goal. */
static void replay(const sw_trace *trace, const sw_instance *instance,
                   int error_free) {
  static slow_state path[SEEN];
  slow w = {.n = instance->start.n, .stacks = instance->start.stacks};
  int depth = 0;
  slow_load(&w.now, &instance->start);
  slow_load(&w.goal, &instance->goal);
  for (int64_t b = 1; b < trace->blocks; b++) {
    const int32_t *t = trace->token + trace->block_start[b];
    while (*t != 4) t++;
    t++;
    expect_stacks(&w, &w.now, &t);
    assert_int_equal(*t++, 3);
    if (*t == 7) {
      assert_true(depth > 0);
      w.now = path[--depth];
    } else if (*t == 6) {
      slow_move m = {t[1] - 20, t[2] - 30, t[3] - 30};
      assert_true(m.from != m.to && w.now.count[m.from] > 0);
      assert_int_equal(w.now.block[m.from][w.now.count[m.from] - 1], m.block);
      path[depth++] = w.now;
      w.now = after(&w.now, m);
    } else {
      assert_int_equal(*t, 8);
      assert_int_equal(b, trace->blocks - 1);
    }
  }
  if (error_free || trace->terminal == SW_TRACE_SOLVED)
    assert_true(same_canon(&w.now, &w.goal, w.stacks));
}

static void experts_replayed(void **state) {
  (void)state;
  static const struct {
    int n;
    const char *expert;
    double error;
  } kinds[] = {{5, "dfs", 0},  {7, "dfs", 0},    {5, "goal", 0},
               {7, "goal", 0}, {5, "goal", 0.2}, {5, "dfs", 0.2},
               {9, "goal", 0}};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    sw_domain_options o = blocks_options(0, kinds[k].n);
    sw_stream *stream;
    sw_trace trace;
    sw_mt mt;
    sw_err err;
    int solved = 0, forced = 0;
    o.expert = kinds[k].expert;
    sw_blocks_own_edit(&o)->error = kinds[k].error;
    o.too_long = "cut";
    assert_int_equal(sw_domain_blocks.resolve(&o, &err), SW_OK);
    sw_trace_init(&trace);
    sw_mt_seed(&mt, 1);
    assert_int_equal(
        sw_domain_blocks.stream_new(&stream, &o, 11, SW_SPLIT_TRAIN, NULL),
        SW_OK);
    for (int i = 0; i < 60; i++) {
      sw_instance *instance;
      assert_int_equal(sw_domain_blocks.stream_next(stream, &instance, NULL),
                       SW_OK);
      assert_int_equal(
          sw_domain_blocks.write_trace(instance, &o, &mt, &trace, NULL), SW_OK);
      assert_true(trace.blocks - 1 <= 96);
      assert_true(trace.terminal == SW_TRACE_SOLVED ||
                  trace.terminal == SW_TRACE_CUT);
      replay(&trace, instance, 0);
      solved += trace.terminal == SW_TRACE_SOLVED;
      forced += trace.forced_errors;
      sw_domain_blocks.instance_free(instance);
    }
    /* The goal-aware expert walks straight to the goal: ten moves at most. */
    if (!strcmp(kinds[k].expert, "goal") && kinds[k].error == 0)
      assert_int_equal(solved, 60);
    assert_true((forced > 0) == (kinds[k].error > 0));
    sw_domain_blocks.stream_free(stream);
    sw_trace_free(&trace);
  }
}

/* Shortest plans of the first 60 instances, by breadth-first search here and
 * by A* in the program; numbers of canonical states. */
static void shortest_plans(void **state) {
  (void)state;
  static const struct {
    int n, states, longest;
    double mean;
  } want[] = {{5, 480, 6, 2.45}, {7, 32760, 8, 3.03}};
  sw_blocks_search *search;
  assert_int_equal(sw_blocks_search_new(&search, NULL), SW_OK);
  for (int k = 0; k < 2; k++) {
    int n = want[k].n, longest = 0, sum = 0;
    sw_domain_options o = blocks_resolved(1, n);
    sw_stream *stream;
    assert_int_equal(
        sw_domain_blocks.stream_new(&stream, &o, 42, SW_SPLIT_TRAIN, NULL),
        SW_OK);
    for (int i = 0; i < 60; i++) {
      sw_instance *instance;
      int32_t start[N_MAX], goal[N_MAX];
      uint16_t key[N_MAX], goal_key[N_MAX];
      sw_blocks_table table;
      sw_blocks_state now;
      int32_t *far = calloc(40000, sizeof *far);
      int found = -1;
      assert_int_equal(sw_domain_blocks.stream_next(stream, &instance, NULL),
                       SW_OK);
      sw_blocks_table_init(&table, n);
      sw_blocks_canon(&instance->goal, goal_key);
      sw_blocks_canon(&instance->start, key);
      for (int b = 0; b < n; b++) {
        start[b] = key[b] == SW_BLOCKS_TABLE ? SW_PDDL_TABLE : key[b];
        goal[b] = goal_key[b] == SW_BLOCKS_TABLE ? SW_PDDL_TABLE : goal_key[b];
      }
      sw_blocks_table_add(&table, key);
      assert_int_equal(sw_blocks_state_init(&now, n, 3, NULL), SW_OK);
      for (int32_t id = 0; id < table.count; id++) {
        sw_blocks_move legal[SW_BLOCKS_MOVES_MAX];
        int tower = 0;
        const uint16_t *at = table.keys + id * n;
        if (found < 0 && !memcmp(at, goal_key, (size_t)n * 2)) found = far[id];
        if (found >= 0 && i > 0) break; /* count all states only once */
        for (int s = 0; s < SW_BLOCKS_STACKS_MAX; s++) now.top[s] = -1;
        for (int b = 0; b < n; b++) {
          if (at[b] != SW_BLOCKS_TABLE) continue;
          sw_blocks_push(&now, tower, b);
          for (int c = 0; c < n; c++)
            if (at[c] == now.top[tower]) {
              sw_blocks_push(&now, tower, c);
              c = -1;
            }
          tower++;
        }
        int count = sw_blocks_legal(&now, legal);
        for (int m = 0; m < count; m++) {
          int32_t known = table.count;
          sw_blocks_apply(&now, legal[m].from, legal[m].to);
          sw_blocks_canon(&now, key);
          sw_blocks_apply(&now, legal[m].to, legal[m].from);
          int32_t next = sw_blocks_table_add(&table, key);
          if (next == known) far[next] = far[id] + 1;
          at = table.keys + id * n; /* the table may have moved */
        }
      }
      if (i == 0) assert_int_equal(table.count, want[k].states);
      assert_int_equal(
          sw_blocks_shortest(search, n, 3, start, goal, NULL, 100000, NULL),
          found);
      sum += found;
      if (found > longest) longest = found;
      free(far);
      sw_blocks_state_free(&now);
      sw_blocks_table_free(&table);
      sw_domain_blocks.instance_free(instance);
    }
    assert_int_equal(longest, want[k].longest);
    assert_near(sum / 60.0, want[k].mean, 0.00501);
    sw_domain_blocks.stream_free(stream);
  }
  sw_blocks_search_free(search);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_walks),       cmocka_unit_test(plain_walks),
      cmocka_unit_test(expert_by_the_book), cmocka_unit_test(experts_replayed),
      cmocka_unit_test(shortest_plans),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
