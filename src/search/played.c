/* Traces of searches (see played.h). Every trace has a game of its own, so that
 * none depends on the others or on threads. */
#include "search/played.h"

#include <string.h>

#include "search/loop.h"

static sw_loop_options loop_of(const sw_played *p) {
  return (sw_loop_options){.protocol = SW_CUMULATIVE,
                           .verifier = p->verifier,
                           .on_error = SW_ON_ERROR_FAIL};
}

int sw_played_check(const sw_played *p, sw_err *err) {
  sw_guide *guide;
  sw_verifier *verifier;
  SW_TRY(sw_domain_searchable(p->domain, err));
  SW_TRY(sw_guide_named(&guide, p->domain, p->rule, err));
  int code = sw_verifier_open(&verifier, p->domain, p->verifier, err);
  if (!code) code = sw_guide_suits(guide, verifier, err);
  if (!code)
    code = sw_verifier_unshown(verifier, p->options, p->verdict_shown, err);
  sw_verifier_close(verifier);
  sw_guide_close(guide);
  return code;
}

/* The blocks that a trace of these options may have. */
static int64_t room_of(const sw_played *p) {
  return p->options->max_blocks > 0 ? p->options->max_blocks + 1 : INT64_MAX;
}

static int play(const sw_played *p, sw_game *game, sw_guide *guide,
                const sw_instance *instance, int64_t index, sw_err *err) {
  SW_TRY(sw_game_start(game, instance, index, err));
  SW_TRY(sw_guide_reserve(guide, 1, err));
  SW_TRY(sw_guide_start(guide, 0, game, err));
  while (sw_game_advance(game)) {
    if (game->trace.blocks > room_of(p)) {
      sw_game_stop(game, "cut");
      continue;
    }
    SW_TRY(sw_guide_ask(guide, 0, game, err));
    sw_game_take(game);
  }
  return sw_game_trouble(game, err);
}

/* Whole blocks; the targets are those of the environment that wrote them, as in
 * an expert's trace: what is decided, and neither the state nor the problem. */
static void write_down(const sw_played *p, const sw_game *game, sw_trace *out) {
  const sw_trace *t = &game->trace;
  int64_t blocks = t->blocks < room_of(p) ? t->blocks : room_of(p);
  for (int64_t b = 0; b < blocks; b++) {
    int64_t end = b + 1 < t->blocks ? t->block_start[b + 1] : t->length;
    sw_trace_begin_block(out);
    for (int64_t i = t->block_start[b]; i < end; i++)
      sw_trace_put(out, t->token[i], t->supervised[i]);
  }
  out->n = t->n;
  out->decisions = (int32_t)game->outcome.decisions;
  out->backtracks = (int32_t)game->outcome.backs;
  out->terminal = game->outcome.solved && blocks == t->blocks ? SW_TRACE_SOLVED
                                                              : SW_TRACE_CUT;
}

int sw_played_write(void *context, const sw_instance *instance, int64_t index,
                    sw_trace *out, sw_err *err) {
  const sw_played *p = context;
  const sw_loop_options loop = loop_of(p);
  sw_loop_options own = loop;
  sw_guide *guide;
  sw_game game;
  int64_t tokens, instances;
  p->domain->search->budgets(p->options, &own.max_decisions, &tokens,
                             &instances);
  SW_TRY(sw_guide_named(&guide, p->domain, p->rule, err));
  int code = sw_game_new(&game, p->domain, p->options, &own, err);
  game.seed = p->seed;
  if (!code) code = play(p, &game, guide, instance, index, err);
  if (!code) write_down(p, &game, out);
  sw_game_free(&game);
  sw_guide_close(guide);
  return code;
}
