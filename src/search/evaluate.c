/* Lock-step evaluation (see evaluate.h). A seat is a game with its sequence in
 * the session; when a game ends its seat takes the next instance. */
#include "search/evaluate.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "search/shown.h"

typedef struct seat {
  sw_game game;
  sw_instance *instance;
  sw_mt mt;       /* random variables or a random rule */
  sw_shown shown; /* what the model has seen of the game */
  double started;
  int busy;
} seat;

typedef struct run {
  const sw_condition *c;
  const sw_eval_hooks *hooks;
  sw_session *session;
  sw_stream *stream;
  sw_mt shared;
  seat *seats;
  int32_t width;
  int64_t next; /* instance to start */
  sw_outcome *outcomes;
} run;

void sw_loop_resolve(const sw_domain *domain, const sw_domain_options *options,
                     sw_loop_options *loop) {
  int64_t decisions, tokens, instances;
  domain->search->budgets(options, &decisions, &tokens, &instances);
  if (loop->max_decisions < 0) loop->max_decisions = decisions;
  if (loop->max_tokens < 0) loop->max_tokens = tokens;
}

/* Puts the next instance whose outcome is not known into the seat. */
static int take_next(run *r, seat *s, sw_err *err) {
  s->busy = 0;
  while (r->next < r->c->instances) {
    int64_t index = r->next++;
    if (s->instance) r->c->domain->instance_free(s->instance);
    s->instance = NULL;
    SW_TRY(r->c->domain->stream_next(r->stream, &s->instance, err));
    if (r->hooks->known &&
        r->hooks->known(r->hooks->context, index, &r->outcomes[index]))
      continue;
    SW_TRY(sw_game_start(&s->game, s->instance, index, err));
    sw_mt_seed(&s->mt, r->c->seed + (uint64_t)index);
    s->shown = (sw_shown){.session = r->session,
                          .sequence = (int32_t)(s - r->seats),
                          .reading = r->c->policy.reading};
    s->started = sw_now();
    s->busy = 1;
    return SW_OK;
  }
  return SW_OK;
}

static int finish(run *r, seat *s, sw_err *err) {
  sw_outcome *o = &s->game.outcome;
  o->seconds = sw_now() - s->started;
  r->outcomes[o->instance] = *o;
  if (r->hooks->finished) SW_TRY(r->hooks->finished(r->hooks->context, o, err));
  return take_next(r, s, err);
}

/* The best-scored candidate among the kinds in `kinds` (a bit set); equal
 * scores go to the lowest token. -1: none. */
static int best(const sw_game *game, const float *logits, unsigned kinds) {
  int chosen = -1;
  for (int i = 0; i < game->candidates; i++) {
    const sw_cand *c = &game->candidate[i];
    if (!(kinds >> c->kind & 1)) continue;
    if (chosen < 0) {
      chosen = i;
      continue;
    }
    float score = logits[c->token], top = logits[game->candidate[chosen].token];
    if (score > top ||
        (score == top && c->token < game->candidate[chosen].token))
      chosen = i;
  }
  return chosen;
}

enum { GO_ON = 1u << SW_CAND_CONTINUE, ANY = ~0u };

static int random_candidate(const sw_game *game, sw_mt *mt, unsigned kinds) {
  int index[SW_CANDS_MAX], count = 0;
  for (int i = 0; i < game->candidates; i++)
    if (kinds >> game->candidate[i].kind & 1) index[count++] = i;
  return count ? index[sw_mt_below(mt, (uint32_t)count)] : -1;
}

static void answer_by_model(run *r, seat *s, const float *logits) {
  sw_game *game = &s->game;
  int chosen = best(game, logits, ANY);
  if (r->c->loop.variables && !game->asked &&
      game->candidate[chosen].kind != SW_CAND_BACK) {
    sw_mt *mt = r->c->shared_draws ? &r->shared : &s->mt;
    int drawn = random_candidate(game, mt, 1u << game->candidate[chosen].kind);
    if (drawn >= 0) chosen = drawn;
  }
  sw_game_answer(game, chosen, best(game, logits, GO_ON));
}

static int play_model(run *r, sw_err *err) {
  int32_t *asked = calloc((size_t)r->width, sizeof *asked);
  const float **logits = calloc((size_t)r->width, sizeof *logits);
  int code = asked && logits ? SW_OK : sw_fail(err, SW_MEMORY, "out of memory");
  for (int32_t i = 0; !code && i < r->width; i++)
    code = take_next(r, &r->seats[i], err);
  while (!code) {
    int32_t count = 0;
    for (int32_t i = 0; !code && i < r->width; i++) {
      seat *s = &r->seats[i];
      while (!code && s->busy && !sw_game_advance(&s->game))
        code = finish(r, s, err);
      if (code || !s->busy) continue;
      int shown = sw_show(&s->shown, &s->game, err);
      if (shown == SW_LIMIT) { /* the position table ends here */
        sw_game_stop(&s->game, "budget");
        i--;
      } else if (shown) {
        code = shown;
      } else {
        asked[count++] = i;
      }
    }
    if (code || !count) break;
    if (r->hooks->stop && r->hooks->stop(r->hooks->context)) {
      code = sw_fail(err, SW_STOPPED, "stopped before all instances were done");
      break;
    }
    code = sw_session_run(r->session, asked, count, logits, err);
    for (int32_t i = 0; !code && i < count; i++)
      answer_by_model(r, &r->seats[asked[i]], logits[i]);
  }
  free(asked);
  free(logits);
  return code;
}

static int find_token(const sw_game *game, int32_t token) {
  for (int i = 0; i < game->candidates; i++)
    if (game->candidate[i].token == token) return i;
  return -1;
}

static int play_rule(run *r, sw_err *err) {
  const sw_domain *d = r->c->domain;
  seat *s = &r->seats[0];
  SW_TRY(take_next(r, s, err));
  while (s->busy) {
    sw_mt *mt = r->c->shared_draws ? &r->shared : &s->mt;
    if (r->hooks->stop && r->hooks->stop(r->hooks->context))
      return sw_fail(err, SW_STOPPED, "stopped before all instances were done");
    while (sw_game_advance(&s->game)) {
      int32_t token =
          r->c->policy.rule < 0
              ? d->search->expert_choice(s->game.env)
              : d->search->rule_choice(s->game.env, r->c->policy.rule, mt);
      int chosen = find_token(&s->game, token);
      if (chosen < 0)
        return sw_fail(err, SW_INTERNAL,
                       "%s: a rule chose token %d, which is no candidate",
                       d->name, (int)token);
      int fallback = -1;
      for (int i = 0; fallback < 0 && i < s->game.candidates; i++)
        if (s->game.candidate[i].kind == SW_CAND_CONTINUE) fallback = i;
      sw_game_answer(&s->game, chosen, fallback);
    }
    SW_TRY(finish(r, s, err));
  }
  return SW_OK;
}

static int prepare(run *r, sw_team *team, sw_err *err) {
  const sw_condition *c = r->c;
  int32_t width = c->width > 0 ? c->width : 64;
  if (!c->policy.model) width = 1;
  if (width > c->instances) width = (int32_t)c->instances;
  r->seats = calloc((size_t)width, sizeof *r->seats);
  if (!r->seats) return sw_fail(err, SW_MEMORY, "out of memory");
  r->width = width;
  for (int32_t i = 0; i < width; i++)
    SW_TRY(
        sw_game_new(&r->seats[i].game, c->domain, &c->options, &c->loop, err));
  SW_TRY(
      c->domain->stream_new(&r->stream, &c->options, c->seed, c->split, err));
  if (!c->policy.model) return SW_OK;
  sw_session_options options = {.sequences = width,
                                .reading = c->policy.reading,
                                .cache_prefix = !c->policy.no_cache};
  return sw_session_new(&r->session, c->policy.model, team, &options, err);
}

int sw_evaluate(const sw_condition *condition, sw_team *team,
                const sw_eval_hooks *hooks, sw_outcome *outcomes, sw_err *err) {
  static const sw_eval_hooks none;
  run r = {
      .c = condition, .hooks = hooks ? hooks : &none, .outcomes = outcomes};
  if (condition->instances < 1) return SW_OK;
  SW_TRY(sw_domain_searchable(condition->domain, err));
  sw_mt_seed(&r.shared, condition->seed);
  int code = prepare(&r, team, err);
  if (!code)
    code = condition->policy.model ? play_model(&r, err) : play_rule(&r, err);
  for (int32_t i = 0; i < r.width; i++) {
    if (r.seats[i].instance)
      condition->domain->instance_free(r.seats[i].instance);
    sw_game_free(&r.seats[i].game);
  }
  free(r.seats);
  if (r.stream) condition->domain->stream_free(r.stream);
  sw_session_free(r.session);
  return code;
}
