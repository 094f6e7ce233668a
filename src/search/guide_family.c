/* A guide of any family (see guide_family.h). Those that read states have their
 * own file (guide_state.h); here are those that read tokens: a session of
 * the family with a sequence for each seat, and what each has been shown of its
 * game (shown.h). */
#include "base/text.h"
#include "search/guide_family.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "search/guide_state.h"
#include "search/shown.h"

typedef struct model_guide {
  sw_guide head;
  sw_guide_ops ops; /* those below, under the family's name */
  sw_net *model;
  sw_team *team;
  sw_session_options options;
  sw_seats *session;
  sw_shown *shown; /* [seats] */
  int32_t *asked;  /* [seats] */
  const float **logits;
  float *dead; /* [seats] of the last run; models with a verify head */
} model_guide;

static void release(model_guide *g) {
  sw_seats_free(g->session);
  free(g->shown);
  free(g->asked);
  free(g->logits);
  free(g->dead);
  g->dead = NULL;
  g->session = NULL;
  g->shown = NULL;
  g->asked = NULL;
  g->logits = NULL;
  g->head.seats = 0;
}

static int reserve(sw_guide *guide, int32_t seats, sw_err *err) {
  model_guide *g = (model_guide *)guide;
  release(g);
  g->shown = calloc((size_t)seats, sizeof *g->shown);
  g->asked = calloc((size_t)seats, sizeof *g->asked);
  g->logits = calloc((size_t)seats, sizeof *g->logits);
  g->dead = calloc((size_t)seats, sizeof *g->dead);
  if (!g->shown || !g->asked || !g->logits || !g->dead)
    return sw_fail(err, SW_MEMORY, "out of memory");
  g->options.sequences = seats;
  return sw_seats_new(&g->session, g->model, g->team, &g->options, err);
}

static int start(sw_guide *guide, int32_t seat, const sw_game *game,
                 sw_err *err) {
  model_guide *g = (model_guide *)guide;
  (void)game;
  (void)err;
  g->shown[seat] = (sw_shown){
      .session = g->session, .sequence = seat, .reading = g->options.reading};
  return SW_OK;
}

static int show(sw_guide *guide, int32_t seat, const sw_game *game,
                sw_err *err) {
  return sw_show(&((model_guide *)guide)->shown[seat], game, err);
}

static int ask(sw_guide *guide, sw_question *question, int32_t count,
               sw_err *err) {
  model_guide *g = (model_guide *)guide;
  for (int32_t i = 0; i < count; i++) g->asked[i] = question[i].seat;
  SW_TRY(sw_seats_run(g->session, g->asked, count, g->logits, err));
  if (guide->verifies)
    SW_TRY(sw_seats_verdicts(g->session, count, g->dead, err));
  for (int32_t i = 0; i < count; i++) {
    const sw_game *game = question[i].game;
    for (int k = 0; k < game->candidates; k++)
      question[i].score[k] = g->logits[i][game->candidate[k].token];
    if (question[i].dead) *question[i].dead = g->dead[i];
  }
  return SW_OK;
}

static void close_model(sw_guide *guide) {
  release((model_guide *)guide);
  free(guide);
}

static const sw_guide_ops model_ops = {.reserve = reserve,
                                       .start = start,
                                       .show = show,
                                       .ask = ask,
                                       .close = close_model,
                                       .width = 64};

int64_t sw_guide_tokens_shown(const sw_guide *guide, int32_t seat) {
  const model_guide *g = (const model_guide *)guide;
  return guide->ops->ask == ask && seat < guide->seats ? g->shown[seat].tokens
                                                       : 0;
}

int sw_guide_model(sw_guide **guide, const sw_loaded *loaded,
                   const sw_guide_setup *setup, sw_team *team, sw_err *err) {
  static const sw_guide_setup as_trained;
  if (!setup) setup = &as_trained;
  *guide = NULL;
  sw_reading reading;
  SW_TRY(
      sw_loaded_reading(loaded, setup->mask, setup->positions, &reading, err));
  const sw_family *family = loaded->model->family;
  if (!strcmp(family->reads, "features") || !strcmp(family->reads, "graph") ||
      !strcmp(family->reads, "choices"))
    return sw_guide_of_states(guide, loaded, setup->no_cache, team, err);
  if (strcmp(family->reads, "tokens")) {
    sw_fail(err, SW_USAGE, "%s: nothing shows %s to models of the family %s",
            loaded->path, family->reads, family->name);
    return sw_hint(err, "it can be trained, but not played");
  }
  model_guide *g = calloc(1, sizeof *g);
  if (!g) return sw_fail(err, SW_MEMORY, "out of memory");
  const char *seed = sw_st_meta(loaded->file, "train_seed");
  g->ops = model_ops;
  g->ops.name = family->name;
  g->head.ops = &g->ops;
  g->head.domain = loaded->domain;
  g->head.mask = sw_mask_name(reading.mask);
  g->head.positions = sw_position_name(reading.positions);
  g->head.train_seed = 0; /* what is no number counts as none */
  (void)sw_text_integer(seed, 0, INT64_MAX, &g->head.train_seed);
  snprintf(g->head.label, sizeof g->head.label, "%s", loaded->label);
  snprintf(g->head.hash, sizeof g->head.hash, "%016" PRIx64,
           sw_net_hash(loaded->model));
  g->model = loaded->model;
  g->head.verifies = loaded->model->verifies;
  g->team = team;
  g->options = (sw_session_options){.reading = reading,
                                    .cache_prefix = !setup->no_cache};
  *guide = &g->head;
  return SW_OK;
}
