/* Rollouts and rebuilt histories (see states.h). Grouping is in
 * states_group.c. */
#include "probe/states.h"
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "base/hash.h"
#include "base/rng.h"
#include "base/stop.h"
#include "domains/replay.h"
#include "probe/states_group.h"
#include "search/words.h"

/* Makes room for one more element. */
#define GROW(array, count, room) \
  sw_grow64(&(array), &(room), (count) + 1, sizeof *(array))

static int no_memory(sw_err *err) {
  return sw_no_memory_for(err, "collecting states");
}

static void free_rollout(sw_rollout *r) {
  sw_trace_free(&r->trace);
  free(r->move);
  free(r->played);
}

void sw_states_free(sw_states *s) {
  for (int64_t i = 0; i < s->rollouts; i++) free_rollout(&s->rollout[i]);
  for (int64_t i = 0; i < s->instances; i++)
    s->domain->instance_free(s->instance[i]);
  free(s->rollout);
  free(s->point);
  free(s->instance);
  free(s->group);
  free(s->order);
  memset(s, 0, sizeof *s);
}

/* ---- one walk ---- */

typedef struct walker {
  sw_states *states;
  const sw_states_options *o;
  sw_env *env;
  sw_xoshiro rng;
  const sw_cand *cand; /* of the current query, */
  int candidates;      /* so many */
  int failed;          /* out of memory */
} walker;

/* An error since the walk began: of the environment, or out of memory. */
static int broken(const walker *w, const sw_rollout *r, sw_err *err) {
  SW_TRY(sw_domain_trouble(w->o->domain, w->env, err));
  return w->failed || r->trace.failed ? no_memory(err) : SW_OK;
}

/* A uniform draw over the legal continuations, or -1. */
static int32_t random_token(walker *w) {
  int32_t chosen = -1;
  uint64_t seen = 0;
  for (int i = 0; i < w->candidates; i++)
    if (w->cand[i].kind == SW_CAND_CONTINUE &&
        sw_xoshiro_below(&w->rng, ++seen) == 0)
      chosen = w->cand[i].token;
  return chosen;
}

static void list(walker *w) {
  w->cand = w->o->domain->search->candidates(w->env, &w->candidates);
  if (w->candidates < 0) w->failed = 1;
}

static int legal(const walker *w, int32_t token) {
  for (int i = 0; i < w->candidates; i++)
    if (w->cand[i].token == token && w->cand[i].kind == SW_CAND_CONTINUE)
      return 1;
  return 0;
}

/* The token to feed at a query; -1: go back. */
static int32_t choose(walker *w, int first_query) {
  const sw_domain *d = w->o->domain;
  list(w);
  if (first_query && d->search->in_conflict(w->env)) return -1;
  if (first_query && w->o->early_back > 0 && !d->search->at_root(w->env) &&
      sw_xoshiro_unit(&w->rng) < w->o->early_back)
    return -1;
  int32_t token = random_token(w);
  if (token < 0 || sw_xoshiro_unit(&w->rng) < w->o->random_choice) return token;
  int32_t expert = d->search->expert_choice(w->env);
  return legal(w, expert) ? expert : token;
}

static sw_rollout *new_rollout(sw_states *s, int64_t instance) {
  if (!GROW(s->rollout, s->rollouts, s->rollout_room)) return NULL;
  sw_rollout *r = &s->rollout[s->rollouts++];
  memset(r, 0, sizeof *r);
  sw_trace_init(&r->trace);
  r->instance = instance;
  return r;
}

/* Writes the scratchpad that an exact solver would; a state waits at its
 * verdict. */
static void write_pad(const sw_domain *d, sw_env *env, sw_trace *trace) {
  sw_env_status status = SW_ENV_QUERY;
  while (status != SW_ENV_ERROR && d->search->pad.writes &&
         d->search->pad.writes(env))
    status = d->search->feed(env, d->search->expert_choice(env), trace);
}

/* Records the state that prompt() has just written, up to token `given`, and
 * its scratchpad. */
static int record(walker *w, const sw_rollout *r, int64_t given, int rebuilt) {
  sw_states *s = w->states;
  const sw_domain *d = w->o->domain;
  const sw_trace *t = &r->trace;
  if (!GROW(s->point, s->points, s->point_room)) return 0;
  sw_point *p = &s->point[s->points++];
  int64_t block = t->blocks - 1, start = t->block_start[block],
          prefix = t->block_start[1];
  memset(p, 0, sizeof *p);
  p->rollout = s->rollouts - 1;
  p->block = block;
  p->last = t->length - 1;
  p->given = given;
  p->instance = p->cluster = r->instance;
  d->search->state_key(w->env, p->key);
  p->key[0] ^= sw_xxh64(t->token + start,
                        sizeof(int32_t) * (size_t)(t->length - start), 11);
  p->history = sw_xxh64(t->token + prefix,
                        sizeof(int32_t) * (size_t)(start - prefix), 12);
  p->depth = d->search->depth(w->env);
  p->conflict = d->search->in_conflict(w->env) != 0;
  /* a key may cover the shown tokens only, which need not show a conflict */
  if (p->conflict) p->key[1] = ~p->key[1];
  int went_back = r->moves > 0 && r->move[r->moves - 1].tokens == 0;
  p->retry = !p->conflict && (went_back || d->search->is_retry(w->env));
  p->rebuilt = (uint8_t)rebuilt;
  list(w);
  for (int i = 0; i < w->candidates; i++)
    p->size += w->cand[i].kind != SW_CAND_BACK;
  return 1;
}

/* A path to replay: the tokens of its actions. */
typedef struct planned {
  const int32_t *token;
  int32_t tokens;
} planned;

static int play_token(walker *w, sw_rollout *r, int32_t token, sw_move *made) {
  if (!GROW(r->played, r->plays, r->play_room)) return w->failed = 1, 0;
  r->played[r->plays++] = token;
  made->tokens++;
  return 1;
}

/* Executes one action in the open block; `plan` NULL: choose. Returns the
 * environment's status, or -1 when a planned token is not legal. */
static int act(walker *w, sw_rollout *r, const planned *plan, sw_move *made) {
  const sw_domain *d = w->o->domain;
  sw_env_status status = SW_ENV_QUERY;
  *made = (sw_move){.first = r->plays, .depth_after = -1};
  while (status == SW_ENV_QUERY) {
    int32_t token;
    if (plan) {
      if (made->tokens >= plan->tokens) return -1;
      token = plan->token[made->tokens];
      list(w);
      if (!legal(w, token)) return -1;
    } else {
      token = choose(w, made->tokens == 0);
    }
    if (token < 0) {
      if (made->tokens > 0) return -1;
      status = d->search->go_back(w->env, &r->trace);
      return status == SW_ENV_QUERY ? -1 : (int)status; /* nothing to undo */
    }
    if (!play_token(w, r, token, made)) return -1;
    status = d->search->feed(w->env, token, &r->trace);
  }
  return (int)status;
}

static int push_move(sw_rollout *r, const sw_move *move) {
  if (!GROW(r->move, r->moves, r->move_room)) return 0;
  r->move[r->moves++] = *move;
  return 1;
}

/* Opens the next block; 1: a state waits and was recorded, 0: ended, -1: no
 * memory. */
static int next_state(walker *w, sw_rollout *r, int rebuilt) {
  const sw_domain *d = w->o->domain;
  if (r->trace.blocks > w->o->max_blocks) return 0;
  sw_env_status status = d->search->prompt(w->env, &r->trace);
  if (r->moves > 0)
    r->move[r->moves - 1].depth_after = d->search->depth(w->env);
  if (r->trace.failed) return -1;
  if (status != SW_ENV_QUERY) return 0;
  if (w->o->max_tokens > 0 && r->trace.length > w->o->max_tokens) return 0;
  int64_t given = r->trace.length - 1;
  write_pad(d, w->env, &r->trace);
  if (r->trace.failed) return -1;
  return record(w, r, given, rebuilt) && !w->failed ? 1 : -1;
}

static int begin(walker *w, sw_rollout **rollout, int64_t instance,
                 sw_err *err) {
  *rollout = new_rollout(w->states, instance);
  if (!*rollout) return no_memory(err);
  SW_TRY(w->o->domain->search->env_reset(w->env, w->states->instance[instance],
                                         err));
  w->o->domain->search->write_prefix(w->env, &(*rollout)->trace);
  return 0;
}

static int walk(walker *w, int64_t instance, sw_err *err) {
  sw_rollout *r;
  SW_TRY(begin(w, &r, instance, err));
  for (;;) {
    int state = next_state(w, r, 0);
    SW_TRY(broken(w, r, err));
    if (state < 0) return no_memory(err);
    if (state == 0) return 0;
    sw_move move;
    int status = act(w, r, NULL, &move);
    SW_TRY(broken(w, r, err));
    if (!push_move(r, &move)) return no_memory(err);
    if (status != SW_ENV_BLOCK_END && status != SW_ENV_QUERY) return 0;
  }
}

/* ---- rebuilt histories ---- */

/* The actions that still stand at a point: scanning back, the last action that
 * led to each depth. Returns their number (deepest last), or 0. */
static int64_t standing(const sw_rollout *r, const sw_point *p, int64_t *out) {
  int64_t want = p->depth, k = p->block - 1;
  while (k-- > 0 && want > 0)
    if (r->move[k].tokens > 0 && r->move[k].depth_after == want)
      out[--want] = k;
  return want == 0 ? p->depth : 0;
}

/* Replays the given moves; the last one stays last when `shuffle`. */
static int rebuild(walker *w, int64_t point, int shuffle, int64_t *list,
                   sw_err *err) {
  sw_states *s = w->states;
  sw_point p = s->point[point];
  int64_t count = standing(&s->rollout[p.rollout], &p, list);
  if (count < (shuffle ? 3 : 1)) return 0;
  if (shuffle)
    for (int64_t i = count - 2; i > 0; i--) {
      int64_t j = (int64_t)sw_xoshiro_below(&w->rng, (uint64_t)i + 1),
              keep = list[i];
      list[i] = list[j];
      list[j] = keep;
    }
  sw_rollout *r;
  SW_TRY(begin(w, &r, p.instance, err));
  for (int64_t i = 0; i <= count; i++) {
    int state = next_state(w, r, 1);
    SW_TRY(broken(w, r, err));
    if (state < 0) return no_memory(err);
    if (state == 0 || i == count) return 0;
    sw_move made;
    /* new_rollout may have moved the array: look the plan up again */
    const sw_rollout *from = &s->rollout[p.rollout];
    const sw_move *move = &from->move[list[i]];
    const planned again = {from->played + move->first, move->tokens};
    int status = act(w, r, &again, &made);
    SW_TRY(broken(w, r, err));
    if (!push_move(r, &made)) return no_memory(err);
    if (status != SW_ENV_BLOCK_END) return 0;
  }
  return 0;
}

/* Rebuilds histories for the states of one instance that have too few, at most
 * rebuild_states of them, spread evenly over the rollouts. */
static int rebuild_all(walker *w, int64_t first_point, sw_err *err) {
  int64_t last = w->states->points, open = 0, seen = 0,
          most = w->o->rebuild_states;
  int64_t *list = malloc(sizeof *list * (size_t)(w->o->max_blocks + 2));
  uint8_t *enough = calloc((size_t)(last - first_point) + 1, 1);
  int code = list && enough ? 0 : no_memory(err);
  if (!code)
    code = sw_states_mark(w->states, first_point, w->o->max_histories, enough,
                          err);
  for (int64_t i = first_point; i < last && !code; i++) {
    enough[i - first_point] |= w->states->point[i].retry;
    open += !enough[i - first_point];
  }
  for (int64_t i = first_point; i < last && !code; i++) {
    if (enough[i - first_point]) continue;
    int64_t at = seen++;
    if (most > 0 && open > most && at * most / open == (at + 1) * most / open)
      continue;
    for (int k = 0; k < w->o->reorder && !code; k++)
      code = rebuild(w, i, k > 0, list, err);
  }
  free(list);
  free(enough);
  return code;
}

/* ---- all instances ---- */

static int add_instance(walker *w, sw_stream *stream, sw_err *err) {
  sw_states *s = w->states;
  if (!GROW(s->instance, s->instances, s->instance_room)) return no_memory(err);
  sw_instance *instance;
  SW_TRY(w->o->domain->stream_next(stream, &instance, err));
  s->instance[s->instances++] = instance;
  int64_t number = s->instances - 1, first_point = s->points;
  for (int64_t k = 0; k < w->o->rollouts; k++) {
    sw_xoshiro_seed(&w->rng,
                    sw_philox_u64(w->o->seed, (uint64_t)number, (uint64_t)k));
    SW_TRY(walk(w, number, err));
  }
  if (w->o->reorder > 0) SW_TRY(rebuild_all(w, first_point, err));
  return sw_states_group(s, first_point, w->o->max_histories, err);
}

int sw_states_collect(sw_states *states, const sw_states_options *o,
                      sw_err *err) {
  memset(states, 0, sizeof *states);
  states->domain = o->domain;
  walker w = {.states = states, .o = o};
  sw_rules rules = {0};
  sw_stream *stream = NULL;
  int code = sw_domain_searchable(o->domain, err);
  if (!code)
    code = o->domain->search->env_new(&w.env, &o->domain_options, &rules, err);
  if (code) return code;
  code = o->domain->stream_new(&stream, &o->domain_options, o->seed, o->split,
                               err);
  while (!code && states->instances < o->instances &&
         (o->states_wanted == 0 || states->full_groups < o->states_wanted))
    code = sw_time_to_stop() ? sw_fail_stopped(err, "collecting states")
                             : add_instance(&w, stream, err);
  if (stream) o->domain->stream_free(stream);
  o->domain->search->env_free(w.env);
  if (code) sw_states_free(states);
  return code;
}

typedef struct noting {
  const sw_domain *domain;
  sw_asked *asked;
} noting;

/* Notes a question of the policy's with more than one candidate. */
static int note(void *context, sw_env *env, int64_t at, const sw_trace *trace,
                sw_err *err) {
  const noting *n = context;
  const sw_pad_ops *pad = &n->domain->search->pad;
  const sw_cand *cand;
  int count;
  (void)trace;
  if (pad->writes && pad->writes(env)) return SW_OK;
  SW_TRY(sw_domain_candidates(n->domain, env, &cand, &count, err));
  if (count < 2 || sw_asked_note(n->asked, at, cand, count)) return SW_OK;
  return no_memory(err);
}

int sw_states_replay(const sw_states *states, int64_t point, sw_env *env,
                     sw_trace *trace, sw_err *err) {
  return sw_states_replay_asked(states, point, env, trace, NULL, err);
}

int sw_states_replay_asked(const sw_states *states, int64_t point, sw_env *env,
                           sw_trace *trace, sw_asked *asked, sw_err *err) {
  const sw_point *p = &states->point[point];
  noting n = {.domain = states->domain, .asked = asked};
  sw_replay_watch watch = {.context = &n, .answer = asked ? note : NULL};
  sw_replay replay = {.domain = states->domain, .env = env, .out = *trace};
  sw_trace part = states->rollout[p->rollout].trace; /* as far as the point */
  int waits;
  part.length = p->last + 1;
  part.blocks = p->block + 1;
  if (asked) sw_asked_clear(asked);
  int code = sw_replay_trace(&replay, states->instance[p->instance], &part,
                             &watch, &waits, err);
  *trace = replay.out;
  if (!code && !waits)
    code = sw_fail(err, SW_INTERNAL, "a replayed search took another course");
  return code;
}
