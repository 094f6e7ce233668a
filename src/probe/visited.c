/* Visited-set oracle (see visited.h): a small open loop of its own, because it
 * must look at an answer before it is executed. Errors end a search, as in the
 * default loop. */
#include "probe/visited.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"

/* Hash set of 64-bit keys, open addressing; 0 marks an empty cell. */
typedef struct keyset {
  uint64_t *cell;
  int64_t count, room;
} keyset;

static int has(const keyset *s, uint64_t key) {
  for (uint64_t i = key; s->room > 0; i++) {
    uint64_t cell = s->cell[i & (uint64_t)(s->room - 1)];
    if (cell == key) return 1;
    if (cell == 0) return 0;
  }
  return 0;
}

static int put(keyset *s, uint64_t key) {
  if (has(s, key)) return 1;
  if (2 * (s->count + 1) > s->room) {
    keyset bigger = {
        calloc((size_t)(s->room ? 2 * s->room : 256), sizeof(uint64_t)), 0,
        s->room ? 2 * s->room : 256};
    if (!bigger.cell) return 0;
    for (int64_t i = 0; i < s->room; i++)
      if (s->cell[i]) put(&bigger, s->cell[i]);
    free(s->cell);
    *s = bigger;
  }
  uint64_t i = key;
  while (s->cell[i & (uint64_t)(s->room - 1)]) i++;
  s->cell[i & (uint64_t)(s->room - 1)] = key;
  s->count++;
  return 1;
}

typedef struct player {
  const sw_visited_options *o;
  sw_asker *asker;
  sw_env *env;
  sw_trace trace, shown;
  keyset taken, states;
  sw_cand cand[SW_CANDS_MAX];
  sw_visited_result *out;
  int64_t instance;
} player;

/* What the model sees: everything, or prefix and the open block. */
static int show(player *p, const float **z, sw_err *err) {
  const sw_trace *t = &p->trace;
  if (!p->o->rebuilt || t->blocks <= 2)
    return sw_ask(p->asker, t, p->instance, z, err);
  sw_trace_clear(&p->shown);
  for (int part = 0; part < 2; part++) {
    int64_t begin = part ? t->block_start[t->blocks - 1] : 0,
            end = part ? t->length : t->block_start[1];
    sw_trace_begin_block(&p->shown);
    for (int64_t i = begin; i < end; i++)
      sw_trace_put(&p->shown, t->token[i], 0);
  }
  if (p->shown.failed)
    return sw_fail(err, SW_MEMORY, "visited-set oracle: out of memory");
  return sw_ask(p->asker, &p->shown, p->instance, z, err);
}

static uint64_t mix(uint64_t key, int32_t token) {
  uint64_t h = sw_xxh64(&token, sizeof token, key);
  return h ? h : 1;
}

/* The best candidate; `skip_taken` leaves out actions already taken here and
 * everything that is not legal. -1: none. */
static int best(const player *p, const float *z, int count, uint64_t here,
                int skip_taken) {
  int chosen = -1;
  for (int i = 0; i < count; i++) {
    if (skip_taken && (p->cand[i].kind != SW_CAND_CONTINUE ||
                       has(&p->taken, mix(here, p->cand[i].token))))
      continue;
    if (chosen < 0 || z[p->cand[i].token] > z[p->cand[chosen].token])
      chosen = i;
  }
  return chosen;
}

enum { GO_ON, ENDED };

/* Answers one query; *here is the key of state and path so far. */
static int answer(player *p, uint64_t *here, sw_env_status *status, int *end,
                  sw_err *err) {
  const sw_domain *d = p->o->domain;
  const float *z;
  int count = d->search->candidates(p->env, p->cand);
  int code = show(p, &z, err);
  if (code == SW_LIMIT) {
    p->out->budget++;
    *end = ENDED;
    return 0;
  }
  if (code) return code;
  int chosen = best(p, z, count, *here, 0);
  if (chosen < 0)
    return sw_fail(err, SW_INTERNAL, "a query without candidates");
  uint64_t action = mix(*here, p->cand[chosen].token);
  if (p->cand[chosen].kind != SW_CAND_BACK && has(&p->taken, action)) {
    p->out->repeated++;
    int other = p->o->intervene ? best(p, z, count, *here, 1) : -1;
    if (other >= 0) {
      chosen = other;
      p->out->interventions++;
      action = mix(*here, p->cand[chosen].token);
    }
  }
  sw_cand c = p->cand[chosen];
  if (c.kind == SW_CAND_MISSED || c.kind == SW_CAND_REPEAT) {
    *(c.kind == SW_CAND_MISSED ? &p->out->missed_conflicts
                               : &p->out->repeats) += 1;
    *end = ENDED;
    return 0;
  }
  if (c.kind == SW_CAND_BACK) {
    p->out->false_prunes += !d->search->in_conflict(p->env);
    *status = d->search->go_back(p->env, &p->trace);
    if (*status == SW_ENV_QUERY) *end = ENDED; /* nothing to go back to */
    return 0;
  }
  *status = d->search->feed(p->env, c.token, &p->trace);
  if (*status != SW_ENV_QUERY && !put(&p->taken, action))
    return sw_fail(err, SW_MEMORY, "visited-set oracle: out of memory");
  *here = action;
  return 0;
}

static int play(player *p, const sw_instance *instance, sw_err *err) {
  const sw_domain *d = p->o->domain;
  SW_TRY(d->search->env_reset(p->env, instance, err));
  sw_trace_clear(&p->trace);
  d->search->write_prefix(p->env, &p->trace);
  memset(p->taken.cell, 0, sizeof(uint64_t) * (size_t)p->taken.room);
  memset(p->states.cell, 0, sizeof(uint64_t) * (size_t)p->states.room);
  p->taken.count = p->states.count = 0;
  for (int64_t decision = 0; decision < p->o->max_decisions; decision++) {
    sw_env_status status = d->search->prompt(p->env, &p->trace);
    if (status != SW_ENV_QUERY) {
      p->out->solved +=
          status == SW_ENV_SOLVED && d->search->check_solution(p->env);
      return 0;
    }
    uint64_t key[2], here;
    d->search->state_key(p->env, key);
    here = sw_xxh64(key, sizeof key, 5) | 1;
    p->out->revisits += has(&p->states, here);
    if (!put(&p->states, here))
      return sw_fail(err, SW_MEMORY, "visited-set oracle: out of memory");
    int end = GO_ON;
    p->out->decisions++;
    while (status == SW_ENV_QUERY && end == GO_ON) {
      SW_TRY(answer(p, &here, &status, &end, err));
      if (p->trace.failed)
        return sw_fail(err, SW_MEMORY, "visited-set oracle: out of memory");
    }
    if (end == ENDED) return 0;
    if (status == SW_ENV_SOLVED) {
      p->out->solved += d->search->check_solution(p->env) != 0;
      return 0;
    }
    if (status != SW_ENV_BLOCK_END) return 0;
  }
  return 0;
}

int sw_visited(sw_asker *asker, const sw_visited_options *o,
               sw_progress_fn progress, void *context, sw_visited_result *out,
               sw_err *err) {
  player *p = calloc(1, sizeof *p);
  sw_rules rules = {.open_loop = 1};
  sw_stream *stream = NULL;
  memset(out, 0, sizeof *out);
  if (!p) return sw_fail(err, SW_MEMORY, "visited-set oracle: out of memory");
  p->o = o;
  p->asker = asker;
  p->out = out;
  sw_trace_init(&p->trace);
  sw_trace_init(&p->shown);
  int code = put(&p->taken, 1) && put(&p->states, 1)
                 ? 0
                 : sw_fail(err, SW_MEMORY, "visited-set oracle: out of memory");
  if (!code)
    code = o->domain->search->env_new(&p->env, &o->domain_options, &rules, err);
  if (!code)
    code = o->domain->stream_new(&stream, &o->domain_options, o->seed, o->split,
                                 err);
  for (p->instance = 0; p->instance < o->instances && !code; p->instance++) {
    sw_instance *instance;
    code = o->domain->stream_next(stream, &instance, err);
    if (code) break;
    code = play(p, instance, err);
    o->domain->instance_free(instance);
    out->instances++;
    if (progress) progress(context, NULL, p->instance + 1, o->instances);
  }
  if (stream) o->domain->stream_free(stream);
  if (p->env) o->domain->search->env_free(p->env);
  sw_trace_free(&p->trace);
  sw_trace_free(&p->shown);
  free(p->taken.cell);
  free(p->states.cell);
  free(p);
  return code;
}
