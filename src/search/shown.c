/* Showing a search to a session (see shown.h). */
#include "search/shown.h"

#include "search/foreign.h"

static int push(sw_shown *s, const sw_dialogue *d, int64_t end, sw_err *err) {
  int64_t count = end - s->pushed;
  if (count > 0)
    SW_TRY(sw_seats_push(s->session, s->sequence, d->token + s->pushed,
                         (int32_t)count, err));
  s->tokens += count;
  s->pushed = end;
  return SW_OK;
}

/* Replaces the open block by one of another search. */
static int replace(sw_shown *s, const sw_dialogue *d, sw_err *err) {
  int64_t own = s->pushed - d->block_start[s->block];
  int32_t count;
  const int32_t *token = d->borrow(d->context, s->block, &count);
  SW_TRY(sw_seats_pop(s->session, s->sequence, (int32_t)own, err));
  s->tokens += count;
  return sw_seats_push(s->session, s->sequence, token, count, err);
}

/* A block is over: what later ones are shown of it. */
static int close_block(sw_shown *s, const sw_dialogue *d, int64_t end,
                       sw_err *err) {
  int64_t shown = s->tokens;
  if (d->protocol == SW_FOREIGN) return replace(s, d, err);
  SW_TRY(push(s, d, end, err));
  /* In place: pushed for its length alone. */
  if (d->protocol != SW_CUMULATIVE) s->tokens = shown;
  return SW_OK;
}

int sw_show(sw_shown *s, const sw_dialogue *d, sw_err *err) {
  static const int keeps[] = {[SW_CUMULATIVE] = SW_HISTORY_KEEP,
                              [SW_REBUILT] = SW_HISTORY_FORGET,
                              [SW_REBUILT_IN_PLACE] = SW_HISTORY_AWAY,
                              [SW_FOREIGN] = SW_HISTORY_KEEP};
  int keep = keeps[d->protocol];
  int history = keep && !sw_reading_block_local(&s->reading);
  if (!s->begun) {
    int64_t begin = d->block_start[0];
    SW_TRY(sw_seats_prefix(s->session, s->sequence, d->token + begin,
                           (int32_t)(d->prefix_end - begin), err));
    s->pushed = d->prefix_end;
    s->begun = 1;
  }
  while (s->block < d->blocks - 1) {
    int64_t end = d->block_start[s->block + 1];
    if (history && s->block > 0) SW_TRY(close_block(s, d, end, err));
    s->pushed = end;
    s->block++;
    if (history || s->block == d->blocks - 1)
      SW_TRY(sw_seats_begin_block(s->session, s->sequence, keep, err));
  }
  return push(s, d, d->end, err);
}

static const int32_t *borrow(void *context, int64_t block, int32_t *count) {
  const sw_game *game = context;
  return sw_foreign_block(game->foreign, game->outcome.instance, block - 1,
                          count);
}

int sw_show_game(sw_shown *s, const sw_game *game, sw_err *err) {
  const sw_trace *t = &game->trace;
  if (t->failed) return sw_no_memory(err);
  sw_dialogue dialogue = {.token = t->token,
                          .block_start = t->block_start,
                          .blocks = t->blocks,
                          .prefix_end = game->prefix_length,
                          .end = t->length,
                          .protocol = game->options->protocol,
                          .borrow = borrow,
                          .context = (void *)(uintptr_t)game};
  return sw_show(s, &dialogue, err);
}
