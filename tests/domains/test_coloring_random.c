/* Random legal and illegal actions against a slow, obvious reference that
 * recomputes everything from the list of decisions; and the promise that a
 * warm environment allocates nothing. The long tier runs millions. */
#include "coloring_help.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    defined(__GLIBC__)
#define COUNTS_ALLOCATIONS 1
static int64_t allocations;
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t),
    *__libc_realloc(void *, size_t);
void *malloc(size_t n) {
  allocations++;
  return __libc_malloc(n);
}
void *calloc(size_t n, size_t size) {
  allocations++;
  return __libc_calloc(n, size);
}
void *realloc(void *p, size_t n) {
  allocations++;
  return __libc_realloc(p, n);
}
#endif

static int64_t rounds(int64_t few, int64_t many) {
  return getenv("STATEWISE_LONG") ? many : few;
}

/* --- the reference: decisions, and what was refuted or tried where --- */
typedef struct memo {
  int32_t depth; /* of the prefix */
  uint8_t color[SW_COL_NODES_MAX];
  int32_t node, value;
} memo;
typedef struct reference {
  const sw_instance *g;
  int32_t depth, node[80], value[80];
  memo refuted[8192]; /* alive while the stack goes through the prefix */
  memo tried[8192];   /* by set of coloured nodes, for ever */
  int32_t refutations, trials;
} reference;

static void colors_at(const reference *r, int32_t depth, uint8_t *color) {
  memset(color, 0, SW_COL_NODES_MAX);
  for (int32_t i = 0; i < depth; i++) color[r->node[i]] = (uint8_t)r->value[i];
}

static unsigned raw(const reference *r, int32_t v) {
  uint8_t color[SW_COL_NODES_MAX];
  unsigned left = (1u << r->g->colors) - 1;
  colors_at(r, r->depth, color);
  for (int32_t u = 0; u < r->g->n; u++)
    if (color[u] && sw_graph_adjacent(r->g, u, v))
      left &= ~sw_col_bit(color[u]);
  return left;
}

static int colored(const reference *r, int32_t v) {
  for (int32_t i = 0; i < r->depth; i++)
    if (r->node[i] == v) return 1;
  return 0;
}

static int wiped(const reference *r) {
  int count = 0;
  for (int32_t v = 0; v < r->g->n; v++) count += !colored(r, v) && !raw(r, v);
  return count;
}

static unsigned noted(const reference *r, const memo *list, int32_t count,
                      int by_depth, int32_t v) {
  uint8_t color[SW_COL_NODES_MAX];
  unsigned colors = 0;
  colors_at(r, r->depth, color);
  for (int32_t i = 0; i < count; i++)
    if (list[i].node == v && (!by_depth || list[i].depth == r->depth) &&
        memcmp(list[i].color, color, sizeof color) == 0)
      colors |= sw_col_bit(list[i].value);
  return colors;
}

static void note(const reference *r, memo *list, int32_t *count, int32_t v,
                 int32_t c) {
  memo *m = &list[(*count)++];
  m->depth = r->depth;
  m->node = v;
  m->value = c;
  colors_at(r, r->depth, m->color);
}

static void take_back(reference *r) {
  int32_t v = r->node[r->depth - 1], c = r->value[r->depth - 1];
  r->depth--;
  int32_t kept = 0; /* what was refuted below is forgotten */
  for (int32_t i = 0; i < r->refutations; i++)
    if (r->refuted[i].depth <= r->depth) r->refuted[kept++] = r->refuted[i];
  r->refutations = kept;
  note(r, r->refuted, &r->refutations, v, c);
  if (!(noted(r, r->tried, r->trials, 0, v) & sw_col_bit(c)))
    note(r, r->tried, &r->trials, v, c);
}

static sw_instance *some_graph(sw_xoshiro *rng, int32_t most) {
  static sw_edge list[75 * 74 / 2];
  int64_t count = 0;
  int32_t n = 1 + (int32_t)sw_xoshiro_below(rng, (uint64_t)most);
  int32_t k = 1 + (int32_t)sw_xoshiro_below(rng, 4);
  double p = sw_xoshiro_unit(rng) * (n > 15 ? .4 : .8);
  sw_instance *g;
  sw_err err;
  for (int32_t a = 0; a < n; a++)
    for (int32_t b = a + 1; b < n; b++)
      if (sw_xoshiro_unit(rng) < p) list[count++] = (sw_edge){a, b};
  assert_int_equal(sw_graph_new(&g, n, k, list, count, &err), 0);
  return g;
}

static void same_state(const reference *r, const sw_col_state *s) {
  assert_int_equal(s->depth, r->depth);
  assert_int_equal(s->wiped, wiped(r));
  for (int32_t v = 0; v < r->g->n; v++) {
    if (colored(r, v)) continue;
    assert_int_equal(s->color[v], 0);
    assert_int_equal(s->domain[v], raw(r, v));
    assert_int_equal(sw_col_effective(s, v),
                     raw(r, v) & ~noted(r, r->refuted, r->refutations, 1, v));
  }
  for (int32_t i = 0; i < r->depth; i++)
    assert_int_equal(s->color[r->node[i]], r->value[i]);
}

static reference ref;

static void random_actions(void **state) {
  (void)state;
  sw_xoshiro rng;
  sw_xoshiro_seed(&rng, 1);
  static sw_col_state s;
  int64_t actions = rounds(60000, 8000000), refused = 0, done = 0;
  while (done < actions) {
    sw_instance *g = some_graph(&rng, done % 4 ? 12 : 75);
    memset(&ref, 0, sizeof ref);
    ref.g = g;
    sw_col_reset(&s, g);
    for (int step = 0; step < 400; step++, done++) {
      if (sw_xoshiro_below(&rng, 4) == 0) {
        int ok = sw_col_back(&s);
        assert_int_equal(ok, ref.depth > 0);
        if (ok) take_back(&ref);
      } else {
        int32_t v = (int32_t)sw_xoshiro_below(&rng, (uint64_t)g->n + 3) - 1;
        int32_t c = (int32_t)sw_xoshiro_below(&rng, 7) - 1;
        int legal = v >= 0 && v < g->n && c >= 1 && c <= g->colors &&
                    !colored(&ref, v) && (raw(&ref, v) & sw_col_bit(c));
        assert_int_equal(sw_col_assign(&s, v, c), legal);
        refused += !legal;
        if (legal) {
          ref.node[ref.depth] = v;
          ref.value[ref.depth++] = c;
        }
      }
      if (step % 8 == 0) same_state(&ref, &s);
    }
    sw_graph_free(g);
  }
  assert_true(refused > actions / 20);
}

/* --- environments: every format, both loops, and the release's layout --- */
static unsigned ref_takeable(const sw_env *env, int32_t v) {
  if (env->format->left == SW_LEFT_DEPTH)
    return raw(&ref, v) & ~noted(&ref, ref.refuted, ref.refutations, 1, v);
  return raw(&ref, v) & ~noted(&ref, ref.tried, ref.trials, 0, v);
}

static int ref_lacks(const sw_env *env) {
  for (int32_t v = 0; v < ref.g->n; v++)
    if (!colored(&ref, v) && !ref_takeable(env, v)) return 1;
  return 0;
}

/* Follows the environment through the backs nobody is asked about. */
static void ref_settle(const sw_env *env) {
  int release = env->rules.release_layout;
  while (ref.depth > 0 && ref_lacks(env) &&
         (release || (env->format->left == SW_LEFT_SILENT && !wiped(&ref))))
    take_back(&ref);
}

static void check_query(sw_env *env, const sw_cand *cands, int count) {
  const sw_domain *d = coloring();
  assert_true(count >= 1);
  int color_phase = env->phase == SW_PHASE_COLOR;
  int nodes = 0, legal = 0;
  for (int i = 0; i < count; i++) {
    int32_t v = cands[i].token - SW_T_NODE, c = cands[i].token - SW_T_COLOR;
    if (cands[i].token == SW_T_CF) {
      assert_int_equal(cands[i].kind, SW_CAND_BACK);
    } else if (color_phase) {
      unsigned left = ref_takeable(env, env->node);
      int may = (left & sw_col_bit(c)) != 0;
      assert_int_equal(cands[i].kind, may    ? SW_CAND_CONTINUE
                                      : left ? SW_CAND_REPEAT
                                             : SW_CAND_MISSED);
      legal += may;
    } else if (env->phase == SW_PHASE_NODE) {
      assert_false(colored(&ref, v));
      assert_true(raw(&ref, v) != 0);
      nodes++;
    }
  }
  if (env->format->left != SW_LEFT_DEPTH && !color_phase)
    assert_int_equal(d->search->in_conflict(env), wiped(&ref) > 0);
  if (env->phase == SW_PHASE_NODE) {
    int expected = 0;
    for (int32_t v = 0; v < ref.g->n; v++)
      expected += !colored(&ref, v) &&
                  (env->format->left == SW_LEFT_SHOWN ? raw(&ref, v)
                                                      : ref_takeable(env, v));
    assert_int_equal(nodes, expected);
  }
  if (color_phase)
    assert_int_equal(legal, sw_col_count(ref_takeable(env, env->node)));
  assert_int_equal(d->search->depth(env), ref.depth);
  assert_int_equal(d->search->at_root(env), ref.depth == 0);
}

/* Mirrors one answer in the reference. */
static void ref_answer(const sw_env *env, sw_col_phase phase, int32_t node,
                       int32_t token, sw_env_status status) {
  if (status == SW_ENV_FAILED) return;
  if (token == SW_T_CF) {
    if (ref.depth > 0) take_back(&ref);
  } else if (phase == SW_PHASE_COLOR) {
    if (env->rules.release_layout &&
        !(noted(&ref, ref.tried, ref.trials, 0, node) &
          sw_col_bit(token - SW_T_COLOR)))
      note(&ref, ref.tried, &ref.trials, node, token - SW_T_COLOR);
    ref.node[ref.depth] = node;
    ref.value[ref.depth++] = token - SW_T_COLOR;
  } else if (phase == SW_PHASE_NODE && status != SW_ENV_QUERY) {
    if (ref.depth > 0) /* no colour left after the node was named */
      take_back(&ref);
  } else {
    return;
  }
  ref_settle(env);
}

static int64_t walk(sw_env *env, const sw_instance *g, int masked,
                    sw_xoshiro *rng, sw_trace *t) {
  const sw_domain *d = coloring();
  sw_err err;
  int64_t actions = 0;
  memset(&ref, 0, sizeof ref);
  ref.g = g;
  assert_int_equal(d->search->env_reset(env, g, &err), 0);
  sw_trace_clear(t);
  d->search->write_prefix(env, t);
  sw_env_status status = SW_ENV_BLOCK_END;
  while (actions < 300 &&
         (status == SW_ENV_BLOCK_END || status == SW_ENV_QUERY)) {
    if (status == SW_ENV_BLOCK_END) {
      status = d->search->prompt(env, t);
      if (status == SW_ENV_QUERY && masked && d->search->in_conflict(env)) {
        assert_false(env->rules.release_layout);
        status = d->search->go_back(env, t);
        ref_answer(env, SW_PHASE_NODE, -1, SW_T_CF, status);
      }
      continue;
    }
    int count;
    const sw_cand *cands = d->search->candidates(env, &count);
    check_query(env, cands, count);
    sw_cand pick = cands[sw_xoshiro_below(rng, (uint64_t)count)];
    if (pick.kind == SW_CAND_BACK && sw_xoshiro_below(rng, 3))
      pick = cands[count - 1];
    int junk = sw_xoshiro_below(rng, 500) == 0;
    int32_t token =
        junk ? (int32_t)sw_xoshiro_below(rng, 700) - 20 : pick.token;
    int offered = 0;
    sw_col_phase phase = env->phase;
    /* a colour that is not left is nothing that could be carried out */
    for (int i = 0; i < count; i++)
      offered |= cands[i].token == token && cands[i].kind != SW_CAND_REPEAT &&
                 !(cands[i].kind == SW_CAND_MISSED && phase == SW_PHASE_COLOR);
    int32_t node = env->node;
    int viable_root = ref.depth == 0 && !d->search->in_conflict(env);
    actions++;
    status = token == SW_T_CF && offered ? d->search->go_back(env, t)
                                         : d->search->feed(env, token, t);
    if (token == SW_T_CF && viable_root)
      assert_true(status == SW_ENV_QUERY || status == SW_ENV_FAILED);
    else if (offered || token == SW_T_CF)
      ref_answer(env, phase, node, token, status);
    else assert_int_equal(status, SW_ENV_FAILED);
    if (offered) assert_int_not_equal(status, SW_ENV_FAILED);
  }
  if (status == SW_ENV_SOLVED) assert_true(d->search->check_solution(env));
  if (status == SW_ENV_EXHAUSTED) assert_int_equal(d->search->depth(env), 0);
  assert_false(t->failed);
  return actions;
}

static void random_dialogues(void **state) {
  (void)state;
  const sw_domain *d = coloring();
  sw_xoshiro rng;
  sw_xoshiro_seed(&rng, 2);
  sw_trace t;
  sw_trace_init(&t);
  int64_t actions = rounds(40000, 4000000), done = 0;
  for (int round = 0; done < actions; round++) {
    sw_domain_options o;
    options_of(&o, "fair", "format", d->formats[round % 6], NULL);
    int masked = round / 6 % 2 == 0;
    sw_rules rules = {.release_layout = round % 13 ? 0
                                        : masked   ? SW_LAYOUT_RELEASE
                                                   : SW_LAYOUT_RELEASE_OPEN};
    sw_env *env;
    sw_err err;
    assert_int_equal(d->search->env_new(&env, &o, &rules, &err), 0);
    for (int i = 0; i < 20; i++) {
      sw_instance *g = some_graph(&rng, i ? 10 : 40);
      done += walk(env, g, masked, &rng, &t);
      sw_graph_free(g);
    }
    d->search->env_free(env);
  }
  sw_trace_free(&t);
}

/* Every expert trace ends in a colouring that the validator accepts, read back
 * from the tokens alone. */
static void traces_replayed(void **state) {
  (void)state;
  const sw_domain *d = coloring();
  sw_trace t;
  sw_mt mt;
  sw_trace_init(&t);
  sw_mt_seed(&mt, 9);
  for (int f = 0; f < 12; f++) {
    sw_domain_options o;
    options_of(&o, "fair", "format", d->formats[f / 2], "max-blocks", "0",
               "expert", f % 2 ? "first" : "dsatur", NULL);
    sw_stream *stream;
    sw_err err;
    int64_t given_up = 0;
    assert_int_equal(d->stream_new(&stream, &o, 5, SW_SPLIT_TRAIN, &err), 0);
    for (int64_t i = 0; i < rounds(20, 2000); i++) {
      sw_instance *g;
      int32_t color[SW_COL_NODES_MAX] = {0}, stack[SW_COL_NODES_MAX];
      int32_t depth = 0;
      assert_int_equal(d->stream_next(stream, &g, &err), 0);
      assert_int_equal(d->write_trace(g, &o, &mt, &t, &err), 0);
      /* The release's generator gives up after 1,200 blocks. */
      if (t.terminal == SW_TRACE_LIMIT && o.format[0] != 'p') {
        assert_true(t.decisions > 400);
        given_up++;
        sw_graph_free(g);
        continue;
      }
      assert_int_equal(t.terminal, SW_TRACE_SOLVED);
      assert_int_equal(t.token[t.length - 1], SW_T_EOS);
      for (int64_t b = 1; b < t.blocks; b++) {
        int64_t end = b + 1 < t.blocks ? t.block_start[b + 1] : t.length;
        int64_t at = t.block_start[b];
        int32_t last_v = -1, last_c = 0, listed[SW_COL_NODES_MAX] = {0};
        int32_t shown = 0, in_state = 0;
        for (; at < end; at++) {
          int32_t x = t.token[at], v = x - SW_T_NODE;
          int is_node = v >= 0 && v < SW_COL_NODES_MAX;
          if (x == SW_T_STATE) in_state = 1;
          if (in_state == 1 && is_node) {
            listed[v] = 1;
            shown++;
          }
          if (x == SW_T_SEP &&
              (o.format[0] != 'e' || o.format[1] != 'x' || shown))
            in_state = 2;
          if (in_state == 2 && is_node) last_v = v;
          if (in_state == 2 && x > SW_T_COLOR && x <= SW_T_COLOR + 4 &&
              last_v >= 0)
            last_c = x - SW_T_COLOR;
        }
        if (!shown) continue;
        /* The listed nodes are the uncoloured ones: whatever was decided
         * since and is listed again was taken back. */
        while (depth > 0 && listed[stack[depth - 1]]) color[stack[--depth]] = 0;
        assert_int_equal(depth + shown, g->n);
        if (last_c && !color[last_v]) {
          color[last_v] = last_c;
          stack[depth++] = last_v;
        }
      }
      assert_true(sw_graph_check(g, color, g->colors));
      sw_graph_free(g);
    }
    assert_true(given_up <= rounds(0, 20));
    d->stream_free(stream);
  }
  sw_trace_free(&t);
}

/* Equal keys mean equal states whatever the history. */
static void keys_forget_history(void **state) {
  (void)state;
  const sw_domain *d = coloring();
  sw_edge list[] = {{0, 1}, {2, 3}};
  sw_instance *g;
  sw_err err;
  sw_env *a, *b;
  sw_trace t;
  uint64_t x[2], y[2];
  sw_domain_options o;
  sw_rules rules = {0};
  options_of(&o, "fair", NULL);
  sw_trace_init(&t);
  assert_int_equal(sw_graph_new(&g, 5, 4, list, 2, &err), 0);
  assert_int_equal(d->search->env_new(&a, &o, &rules, &err), 0);
  assert_int_equal(d->search->env_new(&b, &o, &rules, &err), 0);
  assert_int_equal(d->search->env_reset(a, g, &err), 0);
  assert_int_equal(d->search->env_reset(b, g, &err), 0);
  static const int32_t first[][2] = {{0, 1}, {2, 2}, {4, 4}};
  static const int32_t second[][2] = {{4, 4}, {0, 1}, {2, 2}};
  for (int i = 0; i < 3; i++) {
    d->search->prompt(a, &t);
    d->search->feed(a, SW_T_NODE + first[i][0], &t);
    d->search->feed(a, SW_T_COLOR + first[i][1], &t);
    d->search->prompt(b, &t);
    d->search->feed(b, SW_T_NODE + second[i][0], &t);
    d->search->feed(b, SW_T_COLOR + second[i][1], &t);
    d->search->state_key(a, x);
    d->search->state_key(b, y);
    assert_int_equal(x[0] == y[0] && x[1] == y[1], i == 2);
  }
  /* A tried pair is part of the state. */
  d->search->prompt(a, &t);
  d->search->feed(a, SW_T_NODE + 3, &t);
  d->search->feed(a, SW_T_COLOR + 1, &t);
  d->search->prompt(a, &t);
  assert_int_equal(d->search->go_back(a, &t), SW_ENV_BLOCK_END);
  d->search->state_key(a, x);
  assert_false(x[0] == y[0] && x[1] == y[1]);
  d->search->env_free(a);
  d->search->env_free(b);
  sw_graph_free(g);
  sw_trace_free(&t);
}

static void warm_environments_allocate_nothing(void **state) {
  (void)state;
#ifndef COUNTS_ALLOCATIONS
  skip();
#else
  const sw_domain *d = coloring();
  sw_domain_options o;
  sw_rules rules = {0};
  sw_stream *stream;
  sw_env *env;
  sw_instance *g;
  sw_err err;
  sw_trace t;
  sw_mt mt;
  loop_sums sums = {0};
  options_of(&o, "fair", "n", "50", NULL);
  sw_trace_init(&t);
  sw_mt_seed(&mt, 1);
  assert_int_equal(d->stream_new(&stream, &o, 42, SW_SPLIT_TEST, &err), 0);
  assert_int_equal(d->stream_next(stream, &g, &err), 0);
  assert_int_equal(d->search->env_new(&env, &o, &rules, &err), 0);
  for (int warm = 0; warm < 3; warm++) {
    int64_t before = allocations;
    sw_mt_seed(&mt, 1);
    run_loop(env, g, "random", &mt, 2000, &t, &sums);
    if (warm) assert_int_equal(allocations, before);
  }
  d->search->env_free(env);
  d->instance_free(g);
  d->stream_free(stream);
  sw_trace_free(&t);
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_actions),
      cmocka_unit_test(random_dialogues),
      cmocka_unit_test(traces_replayed),
      cmocka_unit_test(keys_forget_history),
      cmocka_unit_test(warm_environments_allocate_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
