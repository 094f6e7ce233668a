/* One situation of an environment: asked for, turned into tokens, checked (see
 * outside.h). */
#include "domains/outside/outside.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "base/text.h"
#include "domains/outside/process.h"

static const char request[] = "look";

int sw_outside_tokens(const sw_outside *of, const char *asked, const char *text,
                      int32_t **token, int32_t *count, int32_t *room,
                      sw_err *err) {
  for (const char *at = text; *at;) {
    const char *word = at;
    while (*at && !sw_is_space(*at)) at++;
    if (at > word) {
      int32_t found = sw_words_find(&of->words, word, (size_t)(at - word));
      if (found < 0) {
        sw_process_fail(err, SW_DATA, asked, text,
                        "uses the word `%.*s`, which its hello does not list",
                        (int)(at - word > 80 ? 80 : at - word), word);
        return sw_hint(err, "`words` of hello must have all that it ever says");
      }
      if (*count == INT32_MAX - 1 ||
          !sw_grow(token, room, *count + 1, sizeof **token))
        return sw_no_memory(err);
      (*token)[(*count)++] = found;
    }
    while (sw_is_space(*at)) at++;
  }
  return SW_OK;
}

void sw_outside_seen_free(sw_seen *s) {
  free(s->choice);
  free(s->token);
  free(s->texts);
  free(s->first);
  *s = (sw_seen){0};
}

/* Forgets the last situation; what a word begins is unmarked one by one. */
static int clear(const sw_outside *of, sw_seen *s, sw_err *err) {
  if (!s->first) {
    s->first = calloc((size_t)of->words.count, sizeof *s->first);
    if (!s->first) return sw_no_memory(err);
  }
  for (int32_t i = 0; i < s->choices; i++)
    s->first[s->token[s->choice[i].first]] = 0;
  s->choices = s->open = s->tokens = s->state = s->conflict = 0;
  s->text_bytes = 0;
  s->over = SW_ENV_QUERY;
  return SW_OK;
}

int sw_outside_fits(const sw_env *e, const sw_choice *c, int32_t token) {
  const int32_t *t = e->now.token + c->first;
  return c->tokens > e->begun && t[e->begun] == token &&
         (!e->begun || !memcmp(t, e->action, sizeof *t * (size_t)e->begun));
}

/* Is one of the two a beginning of the other? */
static int collide(const sw_seen *s, const sw_choice *a, const sw_choice *b) {
  int32_t least = a->tokens < b->tokens ? a->tokens : b->tokens;
  return !memcmp(s->token + a->first, s->token + b->first,
                 sizeof *s->token * (size_t)least);
}

/* Checks the choice that was just added: it is not empty, and none begins
 * another. */
static int check_choice(const sw_outside *of, sw_seen *s, const char *text,
                        sw_err *err) {
  sw_choice *c = &s->choice[s->choices];
  if (!c->tokens)
    return sw_process_fail(err, SW_DATA, request, text,
                           "offers a choice without a word");
  int32_t first = s->token[c->first];
  if (first == of->domain.back_token) {
    sw_process_fail(err, SW_DATA, request, text,
                    "offers going back as a choice");
    return sw_hint(err, "going back is asked with \"back\" and never listed");
  }
  for (int32_t at = s->first[first]; at; at = s->choice[at - 1].next + 1)
    if (collide(s, c, &s->choice[at - 1])) {
      int same = c->tokens == s->choice[at - 1].tokens;
      sw_process_fail(err, SW_DATA, request, text,
                      same ? "offers the choice `%.60s` twice"
                           : "offers `%.60s` and a choice that begins with it",
                      s->texts + (c->tokens < s->choice[at - 1].tokens
                                      ? c->text
                                      : s->choice[at - 1].text));
      return sw_hint(err,
                     "`choices` and `tried` are disjoint, and none is the "
                     "beginning of another");
    }
  c->next = s->first[first] - 1;
  s->first[first] = ++s->choices;
  return SW_OK;
}

static int put_choice(const sw_outside *of, sw_seen *s, const char *text,
                      int tried, sw_err *err) {
  int64_t bytes = (int64_t)strlen(text) + 1;
  if (s->text_bytes + bytes > INT32_MAX ||
      !sw_grow(&s->choice, &s->choice_room, s->choices + 1,
               sizeof *s->choice) ||
      !sw_grow64(&s->texts, &s->text_room, s->text_bytes + bytes, 1))
    return sw_no_memory(err);
  sw_choice *c = &s->choice[s->choices];
  *c = (sw_choice){
      .first = s->tokens, .text = (int32_t)s->text_bytes, .tried = tried};
  memcpy(s->texts + s->text_bytes, text, (size_t)bytes);
  s->text_bytes += bytes;
  SW_TRY(sw_outside_tokens(of, request, text, &s->token, &s->tokens,
                           &s->token_room, err));
  c->tokens = s->tokens - c->first;
  SW_TRY(check_choice(of, s, text, err));
  s->open += !tried;
  return SW_OK;
}

static int read_end(sw_seen *s, const char *over, sw_err *err) {
  s->over = !strcmp(over, "solved")      ? SW_ENV_SOLVED
            : !strcmp(over, "exhausted") ? SW_ENV_EXHAUSTED
                                         : SW_ENV_FAILED;
  if (s->over != SW_ENV_FAILED || !strcmp(over, "failed")) return SW_OK;
  return sw_process_fail(err, SW_DATA, request, over,
                         "says that the search is over as `%.40s`, which is "
                         "not solved, exhausted or failed",
                         over);
}

/* Which states are the same: those with one key, or with the same words, of one
 * problem. */
static void make_key(sw_env *e, const char *key) {
  sw_seen *s = &e->now;
  const void *data = key ? (const void *)key : s->token;
  size_t bytes = key ? strlen(key) : sizeof *s->token * (size_t)s->state;
  for (uint64_t half = 0; half < 2; half++)
    s->key[half] = sw_xxh64(data, bytes,
                            e->instance->hash + 2 * half + (s->conflict != 0));
}

static int check_whole(const sw_env *e, const char *state, sw_err *err) {
  const sw_seen *s = &e->now;
  if (!s->state)
    return sw_process_fail(err, SW_DATA, request, state,
                           "shows a state without a word");
  if (s->open || s->conflict) return SW_OK;
  sw_process_fail(err, SW_DATA, request, state,
                  "offers no choice, and says neither that it is a conflict "
                  "nor that the search is over");
  return sw_hint(err, e->depth ? "\"conflict\": true where going back is right"
                               : "{\"over\": \"exhausted\"} at depth 0");
}

static int read_situation(sw_env *e, const statewise_situation *said,
                          sw_err *err) {
  const sw_outside *of = e->of;
  sw_seen *s = &e->now;
  SW_TRY(clear(of, s, err));
  if (said->over) return read_end(s, said->over, err);
  if (!said->state || !said->choices)
    return sw_process_fail(err, SW_DATA, request, said->state,
                           "shows no state, or offers no list of choices");
  s->conflict = said->conflict != 0;
  SW_TRY(sw_outside_tokens(of, request, said->state, &s->token, &s->tokens,
                           &s->token_room, err));
  s->state = s->tokens;
  for (const char *const *c = said->choices; *c; c++)
    SW_TRY(put_choice(of, s, *c, 0, err));
  for (const char *const *c = said->tried; c && *c; c++)
    SW_TRY(put_choice(of, s, *c, 1, err));
  SW_TRY(check_whole(e, said->state, err));
  make_key(e, said->key);
  /* A conflict without a decision to take back ends the search. */
  if (s->conflict && !e->depth) s->over = SW_ENV_EXHAUSTED;
  return SW_OK;
}

int sw_outside_failed(int code, const char *call, sw_err *err) {
  if (!err || !code) return code;
  err->code = code;
  if (!err->text[0]) sw_fail(err, code, "without a text");
  if (strncmp(err->text, "the environment", 15) && code != SW_STOPPED)
    sw_context(err, "the environment's %s", call);
  return code;
}

int sw_outside_look(sw_env *e, sw_err *err) {
  statewise_situation said = {0};
  int code =
      e->of->calls.look(e->search, &said, (statewise_error *)(void *)err);
  if (code) return sw_outside_failed(code, request, err);
  return read_situation(e, &said, err);
}
