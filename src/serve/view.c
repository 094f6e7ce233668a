/* POST /api/view: a moment of a search with everything the page shows of it.
 * The request names models, problem and choices; the answer holds the problem's
 * picture, the steps so far, the candidates, and for each model what it would
 * do with its own history, without any, and with another one. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/json_read.h"
#include "base/stop.h"
#include "search/pick.h"
#include "serve/moment.h"
#include "serve/serve.h"
#include "serve/view_json.h"

enum { MODELS_MAX = 2 };

static int choose_books(sw_view *v, const sw_server *server, const json_t *body,
                        sw_err *err) {
  const json_t *names = json_object_get(body, "models");
  size_t count = json_array_size(names);
  if (count < 1 || count > MODELS_MAX)
    return sw_fail(err, SW_USAGE, "one or two models can be watched");
  for (size_t i = 0; i < count; i++) {
    const char *id = json_string_value(json_array_get(names, i));
    sw_offered_model *b = id ? sw_shelf_find(&server->shelf, id) : NULL;
    if (!b)
      return sw_fail(err, SW_USAGE, "there is no model `%.80s`", id ? id : "?");
    if (i && b->loaded.domain != v->side[0].moment.offered->loaded.domain)
      return sw_fail(err, SW_USAGE, "both models must be of one domain");
    v->side[i].moment.offered = b;
  }
  v->models = (int)count;
  return SW_OK;
}

static int replay(sw_view *v, const json_t *body, sw_err *err) {
  const json_t *problem = json_object_get(body, "problem");
  const json_t *path = json_object_get(body, "path");
  if (json_array_size(path) > SW_MOVES_MAX)
    return sw_fail(err, SW_LIMIT, "more than %d choices", SW_MOVES_MAX);
  for (int i = 0; i < v->models; i++) {
    sw_moment *m = &v->side[i].moment;
    sw_offered_model *offered = m->offered;
    SW_TRY(sw_moment_open(m, offered, problem, err));
    for (size_t k = 0; k < json_array_size(path); k++) {
      if (sw_asked_to_stop()) return sw_fail_stopped(err, "the search");
      const json_t *token = json_array_get(path, k);
      if (!json_is_integer(token) || json_integer_value(token) < 0 ||
          json_integer_value(token) > INT32_MAX)
        return sw_fail(err, SW_USAGE, "choice %zu is not a token", k + 1);
      SW_TRY(sw_moment_choose(m, (int32_t)json_integer_value(token), err));
    }
  }
  return SW_OK;
}

/* One way of showing the state: the probabilities it gives. */
static int ask_one(sw_view_side *side, sw_showing *showing, int whole,
                   const char *history, sw_trace *shown, sw_err *err) {
  const sw_game *game = &side->moment.game;
  sw_offered_model *offered = side->moment.offered;
  int32_t vocab = offered->loaded.model->outputs;
  const float *logits;
  SW_TRY(sw_moment_shown(&side->moment, whole, history, shown, err));
  pthread_mutex_lock(&offered->lock);
  int code = sw_offered_ask(offered, shown, &logits, err);
  if (!code) {
    showing->best =
        sw_pick_tokens(side->token, game->candidates, logits, showing->log_p);
    showing->bits = sw_xxh64(logits, sizeof *logits * (size_t)vocab, 0);
    showing->tokens = shown->length;
    showing->asked = 1;
    if (whole && side->attention) code = sw_view_attention(side, shown, err);
  }
  pthread_mutex_unlock(&offered->lock);
  if (code != SW_LIMIT) return code;
  snprintf(showing->why, sizeof showing->why, "%.250s",
           err ? err->text : "it does not fit");
  return SW_OK;
}

static int ask_all(sw_view *v, sw_err *err) {
  sw_trace shown;
  sw_trace_init(&shown);
  int code = SW_OK;
  for (int i = 0; i < v->models && !code; i++) {
    sw_view_side *side = &v->side[i];
    const sw_game *game = &side->moment.game;
    if (!side->moment.waiting) continue;
    for (int k = 0; k < game->candidates; k++)
      side->token[k] = game->candidate[k].token;
    code = ask_one(side, &side->showing[SW_SHOWING_OWN], 1, NULL, &shown, err);
    if (!code)
      code =
          ask_one(side, &side->showing[SW_SHOWING_NONE], 0, NULL, &shown, err);
    if (!code && v->history)
      code = ask_one(side, &side->showing[SW_SHOWING_OTHER], 0, v->history,
                     &shown, err);
  }
  sw_trace_free(&shown);
  return code;
}

/* The best choice, or where it is to go back from the root the next best. */
static int possible(const sw_view_side *side, const sw_showing *showing) {
  const sw_game *game = &side->moment.game;
  int best = -1;
  if (game->candidate[showing->best].kind != SW_CAND_BACK ||
      !sw_moment_rooted(&side->moment))
    return showing->best;
  for (int i = 0; i < game->candidates; i++)
    if (game->candidate[i].kind != SW_CAND_BACK &&
        (best < 0 || showing->log_p[i] > showing->log_p[best]))
      best = i;
  return best < 0 ? showing->best : best;
}

/* The model's own choices, up to `limit` of them; *path collects them. */
static int advance(sw_view *v, int64_t by, int64_t limit, sw_err *err) {
  for (; limit > 0; limit--) {
    if (by < 0 || by >= v->models || !v->side[by].moment.waiting) return SW_OK;
    if (sw_asked_to_stop()) return sw_fail_stopped(err, "the search");
    for (int i = 0; i < v->models; i++) {
      sw_view_side *side = &v->side[i];
      memset(side->showing, 0, sizeof side->showing);
    }
    sw_view_side *side = &v->side[by];
    sw_trace shown;
    const sw_game *game = &side->moment.game;
    for (int k = 0; k < game->candidates; k++)
      side->token[k] = game->candidate[k].token;
    sw_trace_init(&shown);
    int attention = side->attention;
    side->attention = 0;
    int code = ask_one(side, &side->showing[SW_SHOWING_OWN], v->whole, NULL,
                       &shown, err);
    side->attention = attention;
    sw_trace_free(&shown);
    SW_TRY(code);
    if (!side->showing[SW_SHOWING_OWN].asked)
      return SW_OK; /* it does not fit */
    int32_t token = side->token[possible(side, &side->showing[SW_SHOWING_OWN])];
    if (v->added < SW_VIEW_ADDED) v->add[v->added++] = token;
    for (int i = 0; i < v->models; i++)
      SW_TRY(sw_moment_choose(&v->side[i].moment, token, err));
  }
  return SW_OK;
}

static int read_view(sw_view *v, const sw_server *server, const json_t *body,
                     sw_err *err) {
  if (!json_is_object(body))
    return sw_fail(err, SW_USAGE, "the body is no JSON object");
  SW_TRY(choose_books(v, server, body, err));
  const json_t *history = json_object_get(body, "history");
  const json_t *attention = json_object_get(body, "attention");
  const char *protocol = json_string_value(json_object_get(body, "protocol"));
  v->whole = !protocol || strcmp(protocol, "rebuilt");
  if (json_is_string(history)) v->history = json_string_value(history);
  if (json_is_integer(attention)) {
    json_int_t which = json_integer_value(attention);
    if (which >= 0 && which < v->models) v->side[which].attention = 1;
  }
  SW_TRY(replay(v, body, err));
  int64_t steps = json_integer_value(json_object_get(body, "advance"));
  int64_t by = json_integer_value(json_object_get(body, "by"));
  if (steps < 0 || steps > SW_VIEW_ADDED)
    return sw_fail(err, SW_USAGE, "between 0 and %d steps at a time",
                   SW_VIEW_ADDED);
  SW_TRY(advance(v, by, steps, err));
  for (int i = 0; i < v->models; i++)
    memset(v->side[i].showing, 0, sizeof v->side[i].showing);
  return ask_all(v, err);
}

void sw_serve_view(void *context, const sw_request *request, sw_reply *reply) {
  sw_err err = {0};
  json_error_t bad;
  sw_view *v = calloc(1, sizeof *v);
  if (!v) {
    sw_reply_text(reply, 500, "out of memory\n");
    return;
  }
  json_t *body;
  int code = sw_json_read(&body, request->body, request->bytes,
                          JSON_REJECT_DUPLICATES, &bad);
  if (code == SW_MEMORY) sw_fail(&err, code, "out of memory");
  else if (code) sw_fail(&err, code, "the body is no JSON: %s", bad.text);
  else code = read_view(v, context, body, &err);
  if (!code) {
    sw_json json;
    sw_json_to_text(&json);
    sw_view_write(v, &json);
    sw_reply_json(reply, 200, &json);
  } else {
    int ours = code == SW_MEMORY || code == SW_INTERNAL;
    int status = ours ? 500 : code == SW_STOPPED ? 503 : 400;
    char name[16];
    sw_error_code(code, name);
    sw_reply_error(reply, status, name, &err);
  }
  for (int i = 0; i < v->models; i++) {
    free(v->side[i].weights);
    sw_trace_free(&v->side[i].rows);
    sw_moment_close(&v->side[i].moment);
  }
  json_decref(body);
  free(v);
}
