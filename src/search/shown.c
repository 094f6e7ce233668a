/* Showing a game to a session (see shown.h). */
#include "search/shown.h"

#include "search/foreign.h"

static int push(sw_shown *s, const sw_trace *t, int64_t end, sw_err *err) {
  int64_t count = end - s->pushed;
  if (count > 0)
    SW_TRY(sw_seats_push(s->session, s->sequence, t->token + s->pushed,
                         (int32_t)count, err));
  s->tokens += count;
  s->pushed = end;
  return SW_OK;
}

/* The open block makes room for one of another search. */
static int replace(sw_shown *s, const sw_game *game, sw_err *err) {
  int64_t own = s->pushed - game->trace.block_start[s->block];
  int32_t count;
  const int32_t *token = sw_foreign_block(game->foreign, game->outcome.instance,
                                          s->block - 1, &count);
  SW_TRY(sw_seats_pop(s->session, s->sequence, (int32_t)own, err));
  s->tokens += count;
  return sw_seats_push(s->session, s->sequence, token, count, err);
}

/* A block is over: what later ones are shown of it. */
static int close_block(sw_shown *s, const sw_game *game, int64_t end,
                       sw_err *err) {
  int64_t shown = s->tokens;
  if (game->options->protocol == SW_FOREIGN) return replace(s, game, err);
  SW_TRY(push(s, &game->trace, end, err));
  /* In place: pushed for its length alone. */
  if (game->options->protocol != SW_CUMULATIVE) s->tokens = shown;
  return SW_OK;
}

int sw_show(sw_shown *s, const sw_game *game, sw_err *err) {
  static const int keeps[] = {[SW_CUMULATIVE] = SW_HISTORY_KEEP,
                              [SW_REBUILT] = SW_HISTORY_FORGET,
                              [SW_REBUILT_IN_PLACE] = SW_HISTORY_AWAY,
                              [SW_FOREIGN] = SW_HISTORY_KEEP};
  const sw_trace *t = &game->trace;
  int keep = keeps[game->options->protocol];
  int history = keep && !sw_reading_block_local(&s->reading);
  if (!s->begun) {
    SW_TRY(sw_seats_prefix(s->session, s->sequence, t->token,
                           (int32_t)game->prefix_length, err));
    s->pushed = game->prefix_length;
    s->begun = 1;
  }
  while (s->block < t->blocks - 1) {
    int64_t end = t->block_start[s->block + 1];
    if (history && s->block > 0) SW_TRY(close_block(s, game, end, err));
    s->pushed = end;
    s->block++;
    if (history || s->block == t->blocks - 1)
      SW_TRY(sw_seats_begin_block(s->session, s->sequence, keep, err));
  }
  return push(s, t, t->length, err);
}
