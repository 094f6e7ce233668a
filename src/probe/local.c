/* Gathering states with their vectors, training heads on them, asking (see
 * local.h). */
#include "probe/local.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

enum { DEPTHS = 512, SIZES = 5 };

/* A state while its search runs: rows of the trace whose vectors it needs. */
typedef struct found {
  int64_t instance, vectors; /* offset of its vectors, in floats */
  int32_t first, touched;    /* rows: last, anchor, items */
  uint8_t failed[SW_LOCAL_TOUCHED];
  uint8_t exposed, dead;
  double policy, depth, size[SIZES];
} found;

typedef struct gathered {
  found *state;
  int64_t count, room;
  float *vector;
  int64_t used, vector_room;
  int32_t *row; /* of the search at hand */
  int64_t rows, row_room;
} gathered;

static void release(gathered *g) {
  free(g->state);
  free(g->vector);
  free(g->row);
}

static int no_memory(sw_err *err) {
  return sw_fail(err, SW_MEMORY, "local heads: out of memory");
}

static double back_share(const sw_game *game) {
  double top = -INFINITY, sum = 0, own = 0;
  for (int i = 0; i < game->candidates; i++)
    if ((double)game->score[i] > top) top = (double)game->score[i];
  for (int i = 0; i < game->candidates; i++) {
    double e = exp((double)game->score[i] - top);
    sum += e;
    if (game->candidate[i].kind == SW_CAND_BACK) own += e;
  }
  return sum > 0 ? own / sum : 0;
}

/* The state that the game waits at; anchor: end of the block that made the last
 * decision, -1: there is none. */
static int add_state(gathered *g, const sw_game *game, int64_t instance,
                     int64_t anchor, sw_err *err) {
  const sw_search_ops *search = game->domain->search;
  const sw_trace *t = &game->trace;
  int32_t token[SW_LOCAL_TOUCHED];
  if (!sw_grow64(&g->state, &g->room, g->count + 1, sizeof *g->state) ||
      !sw_grow64(&g->row, &g->row_room, g->rows + 2 + SW_LOCAL_TOUCHED,
                 sizeof *g->row))
    return no_memory(err);
  found *f = &g->state[g->count++];
  *f = (found){.instance = instance, .first = (int32_t)g->rows};
  int32_t last = (int32_t)t->length - 1;
  g->row[g->rows++] = last;
  g->row[g->rows++] = anchor < 0 ? last : (int32_t)anchor;
  int count = anchor < 0 ? 0
                         : search->touched(game->env, token, f->failed,
                                           SW_LOCAL_TOUCHED);
  for (int i = 0; i < count; i++)
    for (int32_t at = (int32_t)t->block_start[t->blocks - 1]; at <= last; at++)
      if (t->token[at] == token[i]) {
        f->failed[f->touched++] = f->failed[i];
        g->row[g->rows++] = at;
        break;
      }
  f->exposed = (uint8_t)search->in_conflict(game->env);
  f->dead = (uint8_t)(!f->exposed && search->doomed(game->env));
  f->policy = back_share(game);
  f->depth = search->depth(game->env);
  for (int i = 0; i < SIZES && search->size_names && search->size_names[i]; i++)
    f->size[i] = search->size(game->env, i);
  return SW_OK;
}

/* Vectors of the states from `first` on, in one pass over the whole search. */
static int add_vectors(gathered *g, int64_t first, const sw_trace *trace,
                       sw_asker *asker, int32_t width, sw_err *err) {
  const float *h;
  if (!sw_ask_fits(asker, trace)) g->count = first; /* too long to be shown */
  if (g->count == first) return SW_OK;
  int64_t floats = g->rows * width;
  if (!sw_grow64(&g->vector, &g->vector_room, g->used + floats, sizeof(float)))
    return no_memory(err);
  SW_TRY(sw_ask_hidden(asker, trace, g->row, (int32_t)g->rows, &h, err));
  memcpy(g->vector + g->used, h, sizeof(float) * (size_t)floats);
  for (int64_t i = first; i < g->count; i++)
    g->state[i].vectors = g->used + (int64_t)g->state[i].first * width;
  g->used += floats;
  return SW_OK;
}

static int play(gathered *g, const sw_condition *c, sw_game *game,
                const sw_instance *instance, int64_t index,
                const sw_local_task *task, sw_err *err) {
  int64_t anchor[DEPTHS], first = g->count;
  int32_t before = 0;
  for (int i = 0; i < DEPTHS; i++) anchor[i] = -1;
  g->rows = 0;
  SW_TRY(sw_game_start(game, instance, index, err));
  SW_TRY(sw_guide_start(c->guide, 0, game, err));
  for (int asked;;) {
    SW_TRY(sw_guide_next(c->guide, game, &asked, err));
    if (!asked) break;
    if (game->can_back) {
      const sw_trace *t = &game->trace;
      int32_t depth = game->domain->search->depth(game->env);
      if (depth > before && depth < DEPTHS)
        anchor[depth] = t->block_start[t->blocks - 1] - 1;
      before = depth;
      SW_TRY(add_state(g, game, index,
                       depth > 0 && depth < DEPTHS ? anchor[depth] : -1, err));
    }
    sw_game_take(game);
  }
  SW_TRY(sw_game_trouble(game, err));
  return add_vectors(g, first, &game->trace, task->asker, task->width, err);
}

/* States of `count` instances after the first `skip`. */
static int play_all(gathered *g, const sw_condition *c, int64_t skip,
                    int64_t count, const sw_local_task *task,
                    sw_progress_fn progress, void *context, sw_err *err) {
  sw_game game;
  sw_stream *stream = NULL;
  int code = sw_game_new(&game, c->domain, &c->options, &c->loop, err);
  if (!code) {
    game.seed = c->seed;
    code = sw_guide_reserve(c->guide, 1, err);
  }
  if (!code)
    code = c->domain->stream_new(&stream, &c->options, c->seed, c->split, err);
  for (int64_t i = 0; i < skip + count && !code; i++) {
    sw_instance *instance = NULL;
    code = c->domain->stream_next(stream, &instance, err);
    if (!code && i >= skip) code = play(g, c, &game, instance, i, task, err);
    if (instance) c->domain->instance_free(instance);
    if (progress && i >= skip) progress(context, NULL, i + 1 - skip, count);
  }
  if (stream) c->domain->stream_free(stream);
  sw_game_free(&game);
  return code;
}

/* ---- heads ---- */

/* The states as a head sees them, with the question's label. */
static int64_t list_states(const gathered *g, int32_t width,
                           sw_local_question question, sw_local_state *out) {
  int64_t count = 0;
  for (int64_t i = 0; i < g->count; i++) {
    const found *f = &g->state[i];
    const float *v = g->vector + f->vectors;
    if (question == SW_LOCAL_DEAD && f->exposed) continue;
    out[count++] = (sw_local_state){
        .last = v,
        .anchor = v + width,
        .item = v + 2 * (int64_t)width,
        .failed = f->failed,
        .touched = f->touched,
        .label = question == SW_LOCAL_DEAD ? f->dead : f->exposed};
  }
  return count;
}

typedef struct asked { /* the states asked about, of one question */
  sw_local_state *state;
  double *value;
  uint8_t *label;
  int64_t *cluster, count;
} asked;

static int judge(const asked *a, int score, int head, sw_local_question q,
                 const sw_local_task *task, sw_local_result *out, sw_err *err) {
  sw_local_row *row = &out->row[q][score];
  sw_interval intervals[SW_VERDICT_INTERVALS];
  sw_verdicts *v = &row->verdicts;
  row->asked = 1;
  SW_TRY(sw_verdicts_of(a->value, a->label, a->count, v, err));
  double caught = (1 - v->missed_conflict_rate) * (double)v->conflicts;
  double pruned = v->false_prune_rate * (double)(v->states - v->conflicts);
  row->precision =
      head && caught + pruned > 0 ? caught / (caught + pruned) : NAN;
  if (!v->conflicts || v->conflicts == v->states) v->auroc = NAN;
  row->auroc = (sw_interval){.point = v->auroc, .low = NAN, .high = NAN};
  if (!task->resamples) return SW_OK;
  SW_TRY(sw_verdict_intervals(a->value, a->label, a->cluster, a->count,
                              task->resamples, task->options.seed, intervals,
                              err));
  row->auroc = intervals[2];
  return SW_OK;
}

/* Trains a head of a kind on the states of some searches and asks it. */
static int try_head(const gathered *from, int searches, sw_head_kind kind,
                    double local, int score, sw_local_question q,
                    const asked *a, const sw_local_task *task,
                    sw_local_result *out, sw_err *err) {
  sw_local_head head = {0};
  size_t room = 1;
  for (int i = 0; i < searches; i++) room += (size_t)from[i].count;
  sw_local_state *state = malloc(sizeof *state * room);
  int64_t count = 0;
  if (!state) return no_memory(err);
  for (int i = 0; i < searches; i++)
    count += list_states(&from[i], task->width, q, state + count);
  sw_local_options o = task->options;
  o.local_weight = local;
  int code = sw_local_new(&head, kind, task->width, o.seed, err);
  if (!code) code = sw_local_train(&head, state, count, &o, err);
  for (int64_t i = 0; i < a->count && !code; i++)
    code = sw_local_say(&head, &a->state[i], &a->value[i], err);
  if (!code) code = judge(a, score, 1, q, task, out, err);
  sw_local_free(&head);
  free(state);
  return code;
}

enum { PLAIN, LOCAL, LOCAL_EXPERT, POOLED, HEADS, POLICY = HEADS, DEPTH, OWN };

static int answer(const gathered learned[2], const gathered *test,
                  sw_local_question q, asked *a, const sw_local_task *task,
                  sw_local_result *out, sw_err *err) {
  SW_TRY(try_head(learned, 2, SW_HEAD_PLAIN, 0, PLAIN, q, a, task, out, err));
  if (q == SW_LOCAL_EXPOSED) {
    SW_TRY(try_head(learned, 2, SW_HEAD_LOCAL, 1, LOCAL, q, a, task, out, err));
    SW_TRY(try_head(learned, 1, SW_HEAD_LOCAL, 1, LOCAL_EXPERT, q, a, task, out,
                    err));
  } else {
    SW_TRY(
        try_head(learned, 2, SW_HEAD_LOCAL, 0, POOLED, q, a, task, out, err));
  }
  for (int s = POLICY; s < SW_LOCAL_SCORES && out->score[s]; s++) {
    int64_t k = 0;
    for (int64_t i = 0; i < test->count; i++) {
      const found *f = &test->state[i];
      if (q == SW_LOCAL_DEAD && f->exposed) continue;
      a->value[k++] = s == POLICY  ? f->policy
                      : s == DEPTH ? f->depth
                                   : f->size[s - OWN];
    }
    SW_TRY(judge(a, s, 0, q, task, out, err));
  }
  return SW_OK;
}

static int ask_all(const gathered learned[2], const gathered *test,
                   const sw_local_task *task, sw_local_result *out,
                   sw_err *err) {
  size_t n = (size_t)test->count + 1;
  asked a = {.state = malloc(sizeof *a.state * n),
             .value = malloc(sizeof *a.value * n),
             .label = malloc(n),
             .cluster = malloc(sizeof *a.cluster * n)};
  int code =
      a.state && a.value && a.label && a.cluster ? SW_OK : no_memory(err);
  for (int q = 0; q < SW_LOCAL_QUESTIONS && !code; q++) {
    a.count = list_states(test, task->width, (sw_local_question)q, a.state);
    int64_t k = 0;
    for (int64_t i = 0; i < test->count; i++) {
      const found *f = &test->state[i];
      if (q == SW_LOCAL_DEAD && f->exposed) continue;
      a.label[k] = q == SW_LOCAL_DEAD ? f->dead : f->exposed;
      a.cluster[k++] = f->instance;
    }
    code = answer(learned, test, (sw_local_question)q, &a, task, out, err);
  }
  free(a.state);
  free(a.value);
  free(a.label);
  free(a.cluster);
  return code;
}

static void name_scores(const sw_domain *domain, sw_local_result *out) {
  static const char *const fixed[] = {"plain head",
                                      "delta-local head",
                                      "the same, expert's states only",
                                      "delta-local head, no losses of items",
                                      "policy's share of going back",
                                      "depth"};
  const char *const *own = domain->search->size_names;
  int count = 0;
  for (; count < OWN; count++) out->score[count] = fixed[count];
  for (int i = 0; own && own[i] && i < SIZES && count < SW_LOCAL_SCORES; i++)
    out->score[count++] = own[i];
  out->heads = HEADS;
}

int sw_local_compare(const sw_local_task *task, sw_progress_fn progress,
                     void *context, sw_local_result *out, sw_err *err) {
  gathered learned[2] = {{0}}, test = {0}; /* the expert's, its own */
  const sw_condition *by[2] = {task->expert, task->own};
  const sw_domain *domain = task->own->domain;
  int code = SW_OK;
  memset(out, 0, sizeof *out);
  if (!domain->search->touched || !domain->search->doomed)
    return sw_fail(err, SW_USAGE, "`%s` does not say what a decision touches",
                   domain->name);
  name_scores(domain, out);
  for (int i = 0; i < 2 && !code; i++)
    code = play_all(&learned[i], by[i], 0, task->learn, task, progress, context,
                    err);
  if (!code)
    code = play_all(&test, task->own, task->learn, task->ask, task, progress,
                    context, err);
  out->learned[0] = learned[0].count;
  out->learned[1] = learned[0].count + learned[1].count;
  out->states = test.count;
  for (int64_t i = 0; i < test.count; i++) {
    out->exposed += test.state[i].exposed;
    out->dead += test.state[i].dead;
    out->touched += test.state[i].touched;
  }
  if (!code) code = ask_all(learned, &test, task, out, err);
  for (int i = 0; i < 2; i++) release(&learned[i]);
  release(&test);
  return code;
}
