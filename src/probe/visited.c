/* Visited-set oracle (see visited.h): the closed loop, whose choices it looks
 * at before they are executed. */
#include "probe/visited.h"
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "base/hash.h"
#include "base/stop.h"
#include "probe/spread.h"
#include "search/pick.h"

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
  const sw_condition *c;
  int intervene;
  sw_game game;
  keyset taken, states;
  sw_cands untried; /* legal candidates not yet taken here, */
  float *score;     /* and their scores */
  int32_t score_room;
  int64_t block; /* of the last query */
  uint64_t here; /* key of the state and of the path so far */
  sw_visited_result *out;
} player;

static int no_memory(sw_err *err) {
  return sw_no_memory_for(err, "visited-set oracle");
}

static uint64_t mix(uint64_t key, int32_t token) {
  uint64_t h = sw_xxh64(&token, sizeof token, key);
  return h ? h : 1;
}

/* The best legal candidate that was not taken in this state before: *other is
 * its index in the game's list, or -1. */
static int best_untried(player *p, int *other, sw_err *err) {
  const sw_game *game = &p->game;
  *other = -1;
  sw_cands_clear(&p->untried);
  if (!sw_grow(&p->score, &p->score_room, game->candidates, sizeof *p->score))
    return no_memory(err);
  for (int i = 0; i < game->candidates; i++) {
    const sw_cand *c = &game->candidate[i];
    if (c->kind != SW_CAND_CONTINUE || has(&p->taken, mix(p->here, c->token)) ||
        p->untried.count < 0)
      continue;
    p->score[p->untried.count] = game->score[i];
    sw_cands_put(&p->untried, c->token, c->kind);
  }
  if (p->untried.count < 0) return no_memory(err);
  if (!p->untried.count) return SW_OK;
  int best = sw_pick(p->untried.item, p->untried.count, p->score, SW_PICK_ANY);
  if (best < 0) return SW_OK;
  *other = sw_cands_find(game->candidate, game->candidates,
                         p->untried.item[best].token);
  return SW_OK;
}

/* The first query of a block: has this state been here before? */
static int meet_state(player *p, sw_err *err) {
  uint64_t key[2];
  if (p->game.trace.blocks == p->block) return SW_OK;
  p->block = p->game.trace.blocks;
  p->c->domain->search->state_key(p->game.env, key);
  p->here = sw_xxh64(key, sizeof key, 5) | 1;
  p->out->revisits += has(&p->states, p->here);
  return put(&p->states, p->here) ? SW_OK : no_memory(err);
}

static int answer(player *p, sw_err *err) {
  sw_game *game = &p->game;
  int fallback, chosen = sw_game_choice(game, &fallback);
  uint64_t action = mix(p->here, game->candidate[chosen].token);
  if (game->candidate[chosen].kind != SW_CAND_BACK && has(&p->taken, action)) {
    p->out->repeated++;
    int other = -1;
    if (p->intervene) SW_TRY(best_untried(p, &other, err));
    if (other >= 0) {
      chosen = other;
      p->out->interventions++;
      action = mix(p->here, game->candidate[chosen].token);
    }
  }
  int on = game->candidate[chosen].kind == SW_CAND_CONTINUE;
  sw_game_answer(game, chosen, fallback);
  if (!on) return SW_OK;
  p->here = action;
  return game->status == SW_ENV_QUERY || put(&p->taken, action)
             ? SW_OK
             : no_memory(err);
}

static void forget(keyset *s) {
  memset(s->cell, 0, sizeof(uint64_t) * (size_t)s->room);
  s->count = 0;
}

static int play(player *p, const sw_instance *instance, int64_t index,
                sw_err *err) {
  sw_game *game = &p->game;
  SW_TRY(sw_game_start(game, instance, index, err));
  SW_TRY(sw_guide_start(p->c->guide, 0, game, err));
  forget(&p->taken);
  forget(&p->states);
  p->block = 0;
  while (sw_game_advance(game)) {
    if (sw_time_to_stop()) return sw_fail_stopped(err, "searching");
    int code = meet_state(p, err);
    if (!code) code = sw_guide_ask(p->c->guide, 0, game, err);
    if (code == SW_LIMIT) sw_game_stop(game, "budget");
    else if (code) return code;
    else SW_TRY(answer(p, err));
  }
  SW_TRY(sw_game_trouble(game, err));
  const sw_outcome *o = &game->outcome;
  p->out->solved += o->solved;
  p->out->decisions += o->decisions;
  p->out->missed_conflicts += o->missed_conflicts;
  p->out->false_prunes += o->false_prunes;
  p->out->early_backs += o->early_backs;
  p->out->repeats += o->repeats + o->illegal;
  p->out->budget += !strcmp(o->reason, "budget");
  return SW_OK;
}

static int play_all(player *p, sw_progress_fn progress, void *context,
                    sw_err *err) {
  const sw_condition *c = p->c;
  sw_stream *stream = NULL;
  SW_TRY(sw_game_new(&p->game, c->domain, &c->options, &c->loop, err));
  p->game.seed = c->seed;
  SW_TRY(sw_guide_reserve(c->guide, 1, err));
  SW_TRY(c->domain->stream_new(&stream, &c->options, c->seed, c->split, err));
  int64_t from, to;
  sw_spread(c->instances, &from, &to);
  int code = sw_stream_skip(c->domain, stream, from, err);
  for (int64_t i = from; i < to && !code; i++) {
    sw_instance *instance;
    code = c->domain->stream_next(stream, &instance, err);
    if (code) break;
    code = play(p, instance, i, err);
    c->domain->instance_free(instance);
    p->out->instances++;
    if (progress) progress(context, NULL, i + 1 - from, to - from);
  }
  c->domain->stream_free(stream);
  return code;
}

/* Brings the counts of all ranks together. */
static int add_counts(sw_visited_result *out, sw_err *err) {
  _Static_assert(sizeof *out % sizeof(int64_t) == 0, "counts only");
  return sw_spread_add((int64_t *)out, sizeof *out / sizeof(int64_t), err);
}

int sw_visited(const sw_condition *condition, int intervene,
               sw_progress_fn progress, void *context, sw_visited_result *out,
               sw_err *err) {
  player *p = calloc(1, sizeof *p);
  memset(out, 0, sizeof *out);
  if (!p) return no_memory(err);
  p->c = condition;
  p->intervene = intervene;
  p->out = out;
  int code = put(&p->taken, 1) && put(&p->states, 1) ? SW_OK : no_memory(err);
  if (!code) code = play_all(p, progress, context, err);
  if (!code) code = add_counts(out, err);
  if (p->game.domain) sw_game_free(&p->game);
  sw_cands_free(&p->untried);
  free(p->score);
  free(p->taken.cell);
  free(p->states.cell);
  free(p);
  return code;
}
