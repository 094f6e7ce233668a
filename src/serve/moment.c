/* Replaying a search to one moment, and its history as text (see moment.h). */
#include "serve/moment.h"

#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "base/grow.h"

/* Whether a state is lost is shown only where that is known quickly: a user
 * waits. */
enum { TRUTH_SECONDS = 1 };

/* ---- opening ---- */

static int draw(sw_moment *m, const json_t *spec, sw_err *err) {
  const sw_loaded *l = &m->offered->loaded;
  sw_domain_options o = l->options;
  sw_stream *stream;
  const json_t *n = json_object_get(spec, "n");
  if (json_is_integer(n)) {
    if (json_integer_value(n) < 1 || json_integer_value(n) > 4096)
      return sw_fail(err, SW_USAGE, "n must be between 1 and 4096");
    o.n = (int)json_integer_value(n);
    SW_TRY(l->domain->resolve(&o, err));
  }
  uint64_t seed = (uint64_t)json_integer_value(json_object_get(spec, "seed"));
  SW_TRY(l->domain->stream_new(&stream, &o, seed, SW_SPLIT_TEST, err));
  int code = l->domain->stream_next(stream, &m->instance, err);
  l->domain->stream_free(stream);
  return code;
}

static int parse(sw_moment *m, const json_t *problem, sw_err *err) {
  const sw_loaded *l = &m->offered->loaded;
  const char *name = json_string_value(json_object_get(problem, "name"));
  const json_t *text = json_object_get(problem, "text");
  if (json_is_object(json_object_get(problem, "draw")))
    return draw(m, json_object_get(problem, "draw"), err);
  if (!name || !json_is_string(text))
    return sw_fail(err, SW_USAGE, "the problem needs a name and a text");
  return l->domain->file.parse(&m->instance, name, json_string_value(text),
                               json_string_length(text), &l->options, err);
}

static int go(sw_moment *m, sw_err *err);

int sw_moment_open(sw_moment *m, sw_offered_model *offered,
                   const json_t *problem, sw_err *err) {
  char why[256];
  memset(m, 0, sizeof *m);
  m->offered = offered;
  const sw_loaded *l = &offered->loaded;
  SW_TRY(parse(m, problem, err));
  if (!l->domain->instance_fits(m->instance, &l->options, why, sizeof why))
    return sw_fail(err, SW_LIMIT, "the problem does not fit model %s: %s",
                   offered->id, why);
  m->loop = (sw_loop_options){.protocol = SW_CUMULATIVE,
                              .on_error = SW_ON_ERROR_FAIL,
                              .max_decisions = INT64_MAX};
  SW_TRY(sw_game_new(&m->game, l->domain, &l->options, &m->loop, err));
  m->game.truth_seconds = TRUTH_SECONDS;
  SW_TRY(sw_game_start(&m->game, m->instance, 0, err));
  return go(m, err);
}

void sw_moment_close(sw_moment *m) {
  if (m->game.domain) sw_game_free(&m->game);
  if (m->instance) m->offered->loaded.domain->instance_free(m->instance);
  free(m->step);
  memset(m, 0, sizeof *m);
}

/* ---- stepping ---- */

/* To the next query, which belongs to a new step when it is in a new block. */
static int go(sw_moment *m, sw_err *err) {
  const sw_search_ops *s = m->game.domain->search;
  m->waiting = sw_game_advance(&m->game);
  if (!m->waiting) return sw_game_failure(&m->game, err);
  if (m->game.candidates > SW_WORDS_CHOICES)
    return sw_fail(err, SW_LIMIT, "%d candidates are too many to show",
                   m->game.candidates);
  int64_t block = m->game.trace.blocks - 1;
  if (m->steps && m->step[m->steps - 1].block == block &&
      m->step[m->steps - 1].kind == SW_CAND_CONTINUE)
    return SW_OK;
  if (!sw_grow(&m->step, &m->step_room, m->steps + 1, sizeof *m->step))
    return sw_no_memory(err);
  m->step[m->steps++] =
      (sw_moment_step){.block = block,
                       .depth = s->depth(m->game.env),
                       .moves = m->moves,
                       .conflict = s->in_conflict(m->game.env) != 0,
                       .kind = -1};
  return SW_OK;
}

int sw_moment_rooted(const sw_moment *m) {
  const sw_search_ops *s = m->game.domain->search;
  return s->at_root(m->game.env) && !s->in_conflict(m->game.env);
}

int sw_moment_choose(sw_moment *m, int32_t token, sw_err *err) {
  sw_game *game = &m->game;
  int chosen = -1, legal = -1;
  if (!m->waiting)
    return sw_fail(err, SW_USAGE, "choice %d: the search has ended (%s)",
                   m->moves + 1, game->outcome.reason);
  for (int i = 0; i < game->candidates; i++) {
    if (game->candidate[i].token == token) chosen = i;
    if (legal < 0 && game->candidate[i].kind == SW_CAND_CONTINUE) legal = i;
  }
  if (chosen < 0)
    return sw_fail(err, SW_USAGE,
                   "choice %d: model %s is not offered token %d here",
                   m->moves + 1, m->offered->id, token);
  if (game->candidate[chosen].kind == SW_CAND_BACK && sw_moment_rooted(m))
    return sw_fail(err, SW_USAGE,
                   "choice %d: there is no decision to go back from",
                   m->moves + 1);
  sw_moment_step *step = &m->step[m->steps - 1];
  size_t used = strlen(step->done);
  char word[48];
  game->domain->lexicon->choice(game->domain, token, word, sizeof word);
  snprintf(step->done + used, sizeof step->done - used, "%s%s", used ? " " : "",
           word);
  step->kind = game->candidate[chosen].kind;
  m->moves++;
  sw_game_answer(game, chosen, legal);
  return go(m, err);
}

/* ---- history ---- */

char *sw_moment_history(const sw_moment *m) {
  const sw_trace *t = &m->game.trace;
  char *text = NULL, word[64];
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  if (!out) return NULL;
  for (int64_t b = 1; b + 1 < t->blocks; b++) {
    for (int64_t i = t->block_start[b]; i < t->block_start[b + 1]; i++) {
      m->game.domain->token_text(m->game.domain, t->token[i], word,
                                 sizeof word);
      fprintf(out, "%s%s", i > t->block_start[b] ? " " : "", word);
    }
    fputc('\n', out);
  }
  return sw_memory_close(out, &text) ? text : NULL;
}

static void copy_block(const sw_trace *t, int64_t block, sw_trace *out) {
  int64_t end = block + 1 < t->blocks ? t->block_start[block + 1] : t->length;
  sw_trace_begin_block(out);
  for (int64_t i = t->block_start[block]; i < end; i++)
    sw_trace_put(out, t->token[i], 0);
}

typedef struct entry {
  char text[64];
  int32_t token;
} entry;

static int by_text(const void *a, const void *b) {
  return strcmp(((const entry *)a)->text, ((const entry *)b)->text);
}

static int read_history(const sw_moment *m, const char *text, sw_trace *out,
                        sw_err *err) {
  const sw_loaded *l = &m->offered->loaded;
  int32_t vocab = l->domain->vocab_size(&l->options);
  entry *table = calloc((size_t)(vocab > 0 ? vocab : 1), sizeof *table);
  if (!table) return sw_no_memory(err);
  for (int32_t t = 0; t < vocab; t++) {
    table[t].token = t;
    l->domain->token_text(l->domain, t, table[t].text, sizeof table[t].text);
  }
  qsort(table, (size_t)vocab, sizeof *table, by_text);
  int code = SW_OK, line = 0;
  while (*text && !code) {
    size_t left = strcspn(text, "\n");
    const char *end = text + left;
    int open = 0;
    line++;
    while (!code && text < end) {
      size_t length = strcspn(text, " \t\r\n");
      entry key = {.token = 0};
      if (length == 0) {
        text++;
        continue;
      }
      snprintf(key.text, sizeof key.text, "%.*s", (int)length, text);
      const entry *found =
          bsearch(&key, table, (size_t)vocab, sizeof *table, by_text);
      if (!found)
        code =
            sw_fail(err, SW_DATA, "history, line %d: `%s` is not a token of %s",
                    line, key.text, l->domain->name);
      else {
        if (!open++) sw_trace_begin_block(out);
        sw_trace_put(out, found->token, 0);
      }
      text += length;
    }
    text = *end ? end + 1 : end;
  }
  free(table);
  return code;
}

int sw_moment_shown(const sw_moment *m, int whole, const char *history,
                    sw_trace *out, sw_err *err) {
  const sw_trace *t = &m->game.trace;
  sw_trace_clear(out);
  copy_block(t, 0, out);
  if (whole)
    for (int64_t b = 1; b + 1 < t->blocks; b++) copy_block(t, b, out);
  else if (history) SW_TRY(read_history(m, history, out, err));
  if (t->blocks > 1) copy_block(t, t->blocks - 1, out);
  return out->failed ? sw_no_memory(err) : SW_OK;
}
