/* A view as JSON (see view_json.h). */
#include "serve/view_json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const KINDS[] = {"on", "back", "repeat", "missed"};

/* ---- attention ---- */

static void copy_range(const sw_trace *from, int64_t begin, int64_t end,
                       sw_trace *to) {
  sw_trace_begin_block(to);
  for (int64_t i = begin; i < end; i++) sw_trace_put(to, from->token[i], 0);
}

/* A session under a block-local mask keeps the prefix and the last block. */
static void rows_of(sw_view_side *side, const sw_trace *shown) {
  int64_t last = shown->blocks - 1;
  int all = side->count - side->slots == shown->length;
  sw_trace_init(&side->rows);
  copy_range(shown, 0, shown->block_start[1], &side->rows);
  for (int64_t b = all ? 1 : last; b <= last; b++)
    copy_range(shown, shown->block_start[b],
               b < last ? shown->block_start[b + 1] : shown->length,
               &side->rows);
}

int sw_view_attention(sw_view_side *side, const sw_trace *shown, sw_err *err) {
  sw_offered_model *offered = side->moment.offered;
  sw_attention_shape *shape = &side->shape;
  int code = sw_ask_attention(offered->asker, shape, NULL, err);
  if (code == SW_USAGE) return SW_OK; /* it has none: the page shows none */
  SW_TRY(code);
  side->slots = shape->slots;
  side->count = shape->rows;
  side->weights = malloc(sizeof(float) * (size_t)shape->layers *
                         (size_t)shape->heads * (size_t)shape->rows);
  if (!side->weights) return sw_no_memory(err);
  rows_of(side, shown);
  if (side->rows.failed || side->rows.length != side->count - side->slots)
    return sw_fail(err, SW_INTERNAL, "attention over %d rows of %lld tokens",
                   side->count, (long long)side->rows.length);
  return sw_ask_attention(offered->asker, shape, side->weights, err);
}

static void write_attention(const sw_view_side *side, sw_json *json) {
  const sw_domain *domain = side->moment.offered->loaded.domain;
  const sw_attention_shape *c = &side->shape;
  char word[64];
  sw_json_object(json, "attention");
  sw_json_int(json, "slots", side->slots);
  sw_json_array(json, "rows");
  for (int64_t i = 0; i < side->rows.length; i++) {
    domain->token_text(domain, side->rows.token[i], word, sizeof word);
    sw_json_string(json, NULL, word);
  }
  sw_json_end(json);
  sw_json_array(json, "blocks");
  for (int64_t b = 0; b < side->rows.blocks; b++)
    sw_json_int(json, NULL, side->rows.block_start[b]);
  sw_json_end(json);
  sw_json_array(json, "weights"); /* in ten-thousandths */
  const float *w = side->weights;
  for (int layer = 0; layer < c->layers; layer++) {
    sw_json_array(json, NULL);
    for (int head = 0; head < c->heads; head++) {
      sw_json_array(json, NULL);
      for (int32_t i = 0; i < side->count; i++)
        sw_json_int(json, NULL, lround(1e4 * (double)*w++));
      sw_json_end(json);
    }
    sw_json_end(json);
  }
  sw_json_end(json);
  sw_json_end(json);
}

/* ---- the moment ---- */

static void write_steps(const sw_moment *m, sw_json *json) {
  sw_json_array(json, "steps");
  for (int32_t i = 0; i < m->steps; i++) {
    const sw_moment_step *s = &m->step[i];
    sw_json_object(json, NULL);
    sw_json_int(json, "depth", s->depth);
    sw_json_int(json, "moves", s->moves);
    sw_json_bool(json, "conflict", s->conflict);
    sw_json_string(json, "done", s->done);
    sw_json_string(json, "kind", s->kind < 0 ? "" : KINDS[s->kind]);
    sw_json_end(json);
  }
  sw_json_end(json);
}

static void write_state(const sw_moment *m, sw_json *json) {
  const sw_game *game = &m->game;
  const sw_search_ops *s = game->domain->search;
  const sw_trace *t = &game->trace;
  char word[64];
  sw_json_object(json, "state");
  sw_json_int(json, "depth", s->depth(game->env));
  sw_json_bool(json, "conflict", s->in_conflict(game->env));
  int lost = sw_game_lost(game);
  if (lost < 0) sw_json_null(json, "doomed"); /* not known */
  else sw_json_bool(json, "doomed", lost);
  sw_json_bool(json, "root", s->at_root(game->env));
  sw_json_array(json, "tokens");
  for (int64_t i = t->block_start[t->blocks - 1]; i < t->length; i++) {
    game->domain->token_text(game->domain, t->token[i], word, sizeof word);
    sw_json_string(json, NULL, word);
  }
  sw_json_end(json);
  char *words = s->tell.state ? s->tell.state(game->env) : NULL;
  if (words) sw_json_string(json, "words", words);
  free(words);
  sw_json_end(json);
  sw_json_array(json, "candidates");
  for (int i = 0; i < game->candidates; i++) {
    sw_json_object(json, NULL);
    game->domain->lexicon->choice(game->domain, game->candidate[i].token, word,
                                  sizeof word);
    sw_json_int(json, "token", game->candidate[i].token);
    sw_json_string(json, "text", word);
    sw_json_string(json, "kind", KINDS[game->candidate[i].kind]);
    sw_json_end(json);
  }
  sw_json_end(json);
}

static void write_showing(const sw_view_side *side, int which, sw_json *json) {
  static const char *const names[] = {
#define X(id, name) name,
      SW_SHOWINGS(X)
#undef X
  };
  const sw_showing *showing = &side->showing[which];
  char bits[20];
  if (!showing->asked) {
    if (!showing->why[0]) return;
    sw_json_object(json, names[which]);
    sw_json_string(json, "refused", showing->why);
    sw_json_end(json);
    return;
  }
  snprintf(bits, sizeof bits, "%016" PRIx64, showing->bits);
  sw_json_object(json, names[which]);
  sw_json_int(json, "best", side->token[showing->best]);
  sw_json_string(json, "bits", bits);
  sw_json_int(json, "tokens", showing->tokens);
  sw_json_array(json, "p");
  for (int i = 0; i < side->moment.game.candidates; i++)
    sw_json_float9(json, NULL, exp(showing->log_p[i]));
  sw_json_end(json);
  sw_json_array(json, "choices"); /* may differ between formats */
  for (int i = 0; i < side->moment.game.candidates; i++)
    sw_json_int(json, NULL, side->token[i]);
  sw_json_end(json);
  sw_json_end(json);
}

static void write_side(const sw_view_side *side, sw_json *json) {
  const sw_offered_model *offered = side->moment.offered;
  sw_json_object(json, NULL);
  sw_json_string(json, "id", offered->id);
  sw_json_string(json, "mask", sw_mask_name(offered->loaded.reading.mask));
  if (side->moment.waiting)
    for (int w = 0; w < SW_SHOWING_COUNT; w++) write_showing(side, w, json);
  if (side->weights) write_attention(side, json);
  sw_json_end(json);
}

static void write_outcome(const sw_moment *m, sw_json *json) {
  const sw_game *game = &m->game;
  const sw_search_ops *s = game->domain->search;
  int64_t backs = 0, silent = 0;
  s->counters(game->env, &backs, &silent);
  sw_json_bool(json, "ended", game->ended);
  sw_json_bool(json, "solved", game->ended && game->outcome.solved);
  sw_json_string(json, "reason", game->ended ? game->outcome.reason : "");
  sw_json_int(json, "decisions", game->outcome.decisions);
  sw_json_int(json, "backs", backs);
  sw_json_int(json, "silent_backs", silent);
  sw_json_int(json, "false_prunes", game->outcome.false_prunes);
  sw_json_int(json, "early_backs", game->outcome.early_backs);
  sw_json_int(json, "tokens", game->trace.length);
  char *answer = NULL;
  if (game->ended && game->outcome.solved && s->tell.answer &&
      !s->tell.answer(game->env, &answer, NULL))
    sw_json_string(json, "answer", answer);
  free(answer);
}

void sw_view_write(const sw_view *v, sw_json *json) {
  const sw_moment *m = &v->side[0].moment;
  sw_json_object(json, NULL);
  sw_json_string(json, "domain", m->game.domain->name);
  write_outcome(m, json);
  sw_json_object(json, "picture");
  m->game.domain->lexicon->picture(m->game.env, json);
  sw_json_end(json);
  write_steps(m, json);
  if (m->waiting) write_state(m, json);
  sw_json_array(json, "added");
  for (int32_t i = 0; i < v->added; i++) sw_json_int(json, NULL, v->add[i]);
  sw_json_end(json);
  char *history = sw_moment_history(m);
  if (history) sw_json_string(json, "history", history);
  free(history);
  sw_json_array(json, "models");
  for (int i = 0; i < v->models; i++) write_side(&v->side[i], json);
  sw_json_end(json);
  sw_json_end(json);
}
