/* The guide of families that read states (see guide_state.h): captures the
 * state of a game at every question, and asks the model only when it differs
 * from the one asked about last. Protocols make no difference: nobody shows it
 * any history. */
#include "search/guide_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "search/loop.h"

typedef struct seat {
  char *bytes; /* of the state that the session has */
  size_t size;
  int64_t step;
} seat;

typedef struct state_guide {
  sw_guide head;
  sw_guide_ops ops;
  sw_net *net;
  sw_team *team;
  sw_seats *session;
  sw_state_reader reader;
  int no_cache;
  seat *seat;     /* [seats] */
  int32_t *asked; /* [seats] */
  const float **scores;
} state_guide;

static void release(state_guide *g) {
  for (int32_t i = 0; g->seat && i < g->head.seats; i++) free(g->seat[i].bytes);
  sw_seats_free(g->session);
  free(g->seat);
  free(g->asked);
  free(g->scores);
  g->session = NULL;
  g->seat = NULL;
  g->asked = NULL;
  g->scores = NULL;
  g->head.seats = 0;
}

static int reserve(sw_guide *guide, int32_t seats, sw_err *err) {
  state_guide *g = (state_guide *)guide;
  release(g);
  g->seat = calloc((size_t)seats, sizeof *g->seat);
  g->asked = calloc((size_t)seats, sizeof *g->asked);
  g->scores = calloc((size_t)seats, sizeof *g->scores);
  if (!g->seat || !g->asked || !g->scores)
    return sw_fail(err, SW_MEMORY, "out of memory");
  sw_session_options options = {.sequences = seats,
                                .cache_prefix = !g->no_cache};
  return sw_seats_new(&g->session, g->net, g->team, &options, err);
}

static int start(sw_guide *guide, int32_t s, const sw_game *game, sw_err *err) {
  state_guide *g = (state_guide *)guide;
  (void)game;
  (void)err;
  g->seat[s].size = 0; /* another instance may have equal bytes */
  return SW_OK;
}

/* Tells the session the state, if it is another one. */
static int show(sw_guide *guide, int32_t s, const sw_game *game, sw_err *err) {
  state_guide *g = (state_guide *)guide;
  seat *own = &g->seat[s];
  sw_state_reader *r = &g->reader;
  int64_t step = game->trace.blocks - 1;
  sw_record record;
  const sw_search_ops *search = g->head.domain->search;
  if (search->writes && search->writes(game->env)) {
    sw_fail(err, SW_USAGE,
            "the format asks for a scratchpad; models of the family %s read "
            "states and write no tokens",
            g->ops.name);
    return sw_hint(err, "--format: one without a scratchpad");
  }
  SW_TRY(sw_state_capture(r, game->env, err));
  int counts = r->layout.step && own->step != step;
  if (!g->no_cache && !counts && own->size == r->size &&
      !memcmp(own->bytes, r->bytes, r->size))
    return SW_OK;
  char *bytes = realloc(own->bytes, r->size);
  if (!bytes) return sw_fail(err, SW_MEMORY, "out of memory");
  own->bytes = bytes;
  memcpy(bytes, r->bytes, r->size);
  own->size = r->size;
  own->step = step;
  SW_TRY(sw_state_record_of(r, game->env, step, &record, err));
  return sw_seats_state(g->session, s, &record, err);
}

static int ask(sw_guide *guide, sw_question *question, int32_t count,
               sw_err *err) {
  state_guide *g = (state_guide *)guide;
  for (int32_t i = 0; i < count; i++) g->asked[i] = question[i].seat;
  SW_TRY(sw_seats_run(g->session, g->asked, count, g->scores, err));
  for (int32_t i = 0; i < count; i++) {
    const sw_game *game = question[i].game;
    sw_state_scores(g->head.domain, g->net, game->env, game->candidate,
                    game->candidates, g->scores[i], question[i].score);
  }
  return SW_OK;
}

static void close_guide(sw_guide *guide) {
  state_guide *g = (state_guide *)guide;
  release(g);
  sw_state_reader_free(&g->reader);
  free(g);
}

static const sw_guide_ops state_ops = {.reserve = reserve,
                                       .start = start,
                                       .show = show,
                                       .ask = ask,
                                       .close = close_guide,
                                       .width = 64};

int sw_guide_of_states(sw_guide **guide, const sw_loaded *loaded, int no_cache,
                       sw_team *team, sw_err *err) {
  *guide = NULL;
  SW_TRY(sw_state_check(loaded, err));
  int32_t set = ((const sw_state_layout *)loaded->model->config)->set;
  if (sw_features_judge(set)) {
    sw_fail(err, SW_USAGE, "%s judges %s and does not play", loaded->path,
            set == SW_FEATURES_CHOICE ? "choices" : "states");
    return sw_hint(err, "--verifier viability:%s:TAU", loaded->path);
  }
  state_guide *g = calloc(1, sizeof *g);
  if (!g) return sw_fail(err, SW_MEMORY, "out of memory");
  int code =
      sw_state_reader_new(&g->reader, loaded->domain, loaded->model, err);
  if (code) {
    free(g);
    return code;
  }
  g->ops = state_ops;
  g->ops.name = loaded->model->family->name;
  g->head.ops = &g->ops;
  g->head.domain = loaded->domain;
  g->head.mask = g->head.positions = "";
  (void)sw_text_integer(sw_st_meta(loaded->file, "train_seed"), 0, INT64_MAX,
                        &g->head.train_seed);
  snprintf(g->head.label, sizeof g->head.label, "%s", loaded->label);
  snprintf(g->head.hash, sizeof g->head.hash, "%016" PRIx64,
           sw_net_hash(loaded->model));
  g->net = loaded->model;
  g->team = team;
  g->no_cache = no_cache;
  *guide = &g->head;
  return SW_OK;
}
