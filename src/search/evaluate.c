/* Lock-step evaluation (see evaluate.h). A seat is a game with its place at the
 * guide; when a game ends its seat takes the next instance. */
#include "search/evaluate.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/memory.h"
#include "search/foreign.h"

typedef struct seat {
  sw_game game;
  sw_instance *instance;
  double started;
  int busy;
  int parked; /* waits until there is memory for its question */
} seat;

typedef struct run {
  const sw_condition *c;
  const sw_eval_hooks *hooks;
  sw_stream *stream;
  sw_mt shared;
  sw_foreign *foreign; /* NULL: the protocol needs none */
  seat *seats;
  sw_question *question; /* [width] */
  int32_t width;
  int64_t next;   /* instance to start */
  int64_t drawn;  /* instances that the stream has passed */
  int over;       /* none is left to start */
  int64_t memory; /* for what the guide keeps */
  int32_t parked; /* seats */
  int replay;     /* known outcomes are played again, for their draws */
  sw_outcome *outcomes;
} run;

static int is_known(const run *r, int64_t index) {
  return r->hooks->known &&
         r->hooks->known(r->hooks->context, index, &r->outcomes[index]);
}

/* The next instance whose outcome is not known: as sw_eval_hooks.deal. */
static int next_index(run *r, int64_t *index) {
  if (r->hooks->deal && !r->replay)
    return r->hooks->deal(r->hooks->context, index);
  while (r->next < r->c->instances) {
    *index = r->next++;
    if (r->replay || !is_known(r, *index)) return 1;
  }
  return 0;
}

static void forget(run *r, int32_t at) {
  const sw_guide_ops *ops = r->c->guide->ops;
  if (ops->forget) ops->forget(r->c->guide, at);
}

/* Puts the next instance into the seat, if there is one now. Those that wait
 * for memory come first. */
static int take_next(run *r, seat *s, sw_err *err) {
  const sw_domain *domain = r->c->domain;
  int64_t index;
  s->busy = 0;
  int dealt = r->parked ? -1 : next_index(r, &index);
  if (dealt == 0) r->over = 1;
  if (dealt < 1) {
    forget(r, (int32_t)(s - r->seats));
    return SW_OK;
  }
  if (s->instance) domain->instance_free(s->instance);
  s->instance = NULL;
  /* Only now: leaving out what was trained on takes longer than to learn from
   * the store that all is known. */
  if (!r->stream)
    SW_TRY(domain->stream_new(&r->stream, &r->c->options, r->c->seed,
                              r->c->split, err));
  SW_TRY(sw_stream_skip(domain, r->stream, index - r->drawn, err));
  SW_TRY(domain->stream_next(r->stream, &s->instance, err));
  r->drawn = index + 1;
  SW_TRY(sw_game_start(&s->game, s->instance, index, err));
  SW_TRY(sw_guide_start(r->c->guide, (int32_t)(s - r->seats), &s->game, err));
  s->started = sw_now();
  s->busy = 1;
  return SW_OK;
}

static int finish(run *r, seat *s, sw_err *err) {
  sw_outcome *o = &s->game.outcome;
  SW_TRY(sw_game_trouble(&s->game, err));
  o->seconds = sw_now() - s->started;
  r->outcomes[o->instance] = *o;
  if (r->hooks->finished) SW_TRY(r->hooks->finished(r->hooks->context, o, err));
  return take_next(r, s, err);
}

/* Runs the seat to a query that its guide can read. */
static int advance(run *r, int32_t at, sw_err *err) {
  seat *s = &r->seats[at];
  sw_guide *guide = r->c->guide;
  while (s->busy) {
    if (!sw_game_advance(&s->game)) {
      SW_TRY(finish(r, s, err));
      continue;
    }
    int shown =
        guide->ops->show ? guide->ops->show(guide, at, &s->game, err) : SW_OK;
    if (shown != SW_LIMIT) return shown;
    sw_game_stop(&s->game, "budget"); /* the position table ends here */
  }
  return SW_OK;
}

static void park(run *r, int32_t at, int parked) {
  r->seats[at].parked = parked;
  r->parked += parked ? 1 : -1;
  if (parked) forget(r, at);
}

/* The playing (or parked) seat that needs the least memory; -1: there is none.
 * Its loss is the cheapest to recompute. */
static int32_t smallest(const run *r, int parked, int64_t *need) {
  const sw_guide *guide = r->c->guide;
  int32_t found = -1;
  for (int32_t i = 0; i < r->width; i++) {
    const seat *s = &r->seats[i];
    if (!s->busy || s->parked != parked) continue;
    int64_t bytes = guide->ops->need(guide, i);
    if (found >= 0 && bytes >= *need) continue;
    found = i;
    *need = bytes;
  }
  return found;
}

/* Parks seats until what the guide keeps of the others fits; one seat always
 * plays. Resumes parked seats where they fit with room to grow. */
static void fit_memory(run *r) {
  const sw_guide *guide = r->c->guide;
  int64_t sum = 0, need = 0;
  int32_t playing = 0, at;
  if (!guide->ops->need) return;
  for (int32_t i = 0; i < r->width; i++)
    if (r->seats[i].busy && !r->seats[i].parked) {
      sum += guide->ops->need(guide, i);
      playing++;
    }
  while (sum > r->memory && playing > 1) {
    at = smallest(r, 0, &need);
    park(r, at, 1);
    sum -= need;
    playing--;
  }
  while (r->parked) {
    at = smallest(r, 1, &need);
    if (playing && sum + need > r->memory / 4 * 3) return;
    park(r, at, 0);
    sum += need;
    playing++;
  }
}

/* Runs every seat to its question; those of parked seats are there already. */
static int collect(run *r, int32_t *count, sw_err *err) {
  *count = 0;
  for (int32_t i = 0; i < r->width; i++) {
    seat *s = &r->seats[i];
    if (s->parked) continue;
    if (!s->busy && !r->over) SW_TRY(take_next(r, s, err));
    SW_TRY(advance(r, i, err));
  }
  fit_memory(r);
  for (int32_t i = 0; i < r->width; i++) {
    seat *s = &r->seats[i];
    if (s->busy && !s->parked)
      r->question[(*count)++] =
          (sw_question){i, &s->game, s->game.score, NULL, &s->game.dead};
  }
  return SW_OK;
}

static int play(run *r, sw_err *err) {
  const struct timespec moment = {0, 200000};
  for (;;) {
    int32_t count;
    SW_TRY(collect(r, &count, err));
    if (!count && r->over) return SW_OK;
    if (r->hooks->stop && r->hooks->stop(r->hooks->context))
      return sw_fail(err, SW_STOPPED, "stopped before all instances were done");
    if (!count) { /* the dealer has been asked */
      nanosleep(&moment, NULL);
      continue;
    }
    SW_TRY(sw_guide_ask_all(r->c->guide, r->question, count, err));
    for (int32_t i = 0; i < count; i++) {
      sw_game *game = &r->seats[r->question[i].seat].game;
      if (r->question[i].reason) sw_game_stop(game, r->question[i].reason);
      else sw_game_take(game);
    }
  }
}

/* With one stream through all instances every outcome depends on all before it:
 * either all are known, or all are played in order. The last one is looked up
 * first, because an interrupted store holds the first ones. */
static int play_in_order(run *r) {
  if (!sw_condition_draws(r->c) || !r->c->shared_draws) return 0;
  for (int64_t i = r->c->instances; i-- > 0;)
    if (!is_known(r, i)) return 1;
  r->next = r->c->instances;
  return 0;
}

static int32_t seats_of(const sw_condition *c, int in_order, int32_t most) {
  int64_t width = c->width > 0 ? c->width : c->guide->ops->width;
  if (most > 0 && width > most) width = most;
  if (width < 1 || in_order) width = 1;
  return (int32_t)(width < c->instances ? width : c->instances);
}

static int prepare(run *r, sw_err *err) {
  const sw_condition *c = r->c;
  r->replay = play_in_order(r);
  r->memory = c->memory > 0 ? c->memory : sw_memory_left() / 4;
  int32_t width = seats_of(c, r->replay, r->hooks->most_seats);
  r->seats = calloc((size_t)width, sizeof *r->seats);
  r->question = calloc((size_t)width, sizeof *r->question);
  if (!r->seats || !r->question) return sw_no_memory(err);
  r->width = width;
  sw_mt_seed(&r->shared, c->seed);
  if (c->loop.protocol == SW_FOREIGN)
    SW_TRY(sw_foreign_new(&r->foreign, c->domain, &c->options, c->seed, err));
  for (int32_t i = 0; i < width; i++) {
    sw_game *game = &r->seats[i].game;
    SW_TRY(sw_game_new(game, c->domain, &c->options, &c->loop, err));
    game->seed = c->seed;
    game->foreign = r->foreign;
    if (c->shared_draws) game->shared_draws = &r->shared;
  }
  return sw_guide_reserve(c->guide, width, err);
}

int sw_evaluate(const sw_condition *condition, const sw_eval_hooks *hooks,
                sw_outcome *outcomes, sw_err *err) {
  SW_CHECK(sw_condition_check(condition));
  SW_ASSERT(outcomes || condition->instances < 1);
  static const sw_eval_hooks none;
  run r = {
      .c = condition, .hooks = hooks ? hooks : &none, .outcomes = outcomes};
  if (condition->instances < 1) return SW_OK;
  SW_TRY(sw_domain_searchable(condition->domain, err));
  int code = prepare(&r, err);
  if (!code) code = play(&r, err);
  for (int32_t i = 0; i < r.width; i++) {
    if (r.seats[i].instance)
      condition->domain->instance_free(r.seats[i].instance);
    if (r.seats[i].game.domain) sw_game_free(&r.seats[i].game);
  }
  sw_foreign_free(r.foreign);
  free(r.seats);
  free(r.question);
  if (r.stream && r.hooks->left_out && condition->domain->stream_left_out)
    *r.hooks->left_out = condition->domain->stream_left_out(r.stream);
  if (r.stream) condition->domain->stream_free(r.stream);
  return code;
}
