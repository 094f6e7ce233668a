/* Showing a game to a session (see shown.h). */
#include "search/shown.h"

static int push(sw_shown *s, const sw_trace *t, int64_t end, sw_err *err) {
  int64_t count = end - s->pushed;
  if (count > 0)
    SW_TRY(sw_seats_push(s->session, s->sequence, t->token + s->pushed,
                         (int32_t)count, err));
  s->tokens += count;
  s->pushed = end;
  return SW_OK;
}

int sw_show(sw_shown *s, const sw_game *game, sw_err *err) {
  const sw_trace *t = &game->trace;
  int keep = game->options->protocol == SW_CUMULATIVE;
  int history = keep && !sw_reading_block_local(&s->reading);
  if (!s->begun) {
    SW_TRY(sw_seats_prefix(s->session, s->sequence, t->token,
                           (int32_t)game->prefix_length, err));
    s->pushed = game->prefix_length;
    s->begun = 1;
  }
  while (s->block < t->blocks - 1) {
    int64_t end = t->block_start[s->block + 1];
    if (history && s->block > 0) SW_TRY(push(s, t, end, err));
    s->pushed = end;
    s->block++;
    if (history || s->block == t->blocks - 1)
      SW_TRY(sw_seats_begin_block(s->session, s->sequence, keep, err));
  }
  return push(s, t, t->length, err);
}
