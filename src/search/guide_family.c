/* A guide of any family (see guide_family.h): an asker with a seat for each
 * game. */
#include "search/guide_family.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "search/ask.h"
#include "search/loop.h"
#include "search/state_reader.h"

typedef struct model_guide {
  sw_guide head;
  sw_guide_ops ops; /* those below, under the family's name */
  sw_ask_options how;
  sw_team *team;
  sw_asker *asker;
  int32_t *asked; /* [seats] */
  float *dead;    /* [seats] of the last run; models with a verify head */
} model_guide;

static void release(model_guide *g) {
  sw_asker_free(g->asker);
  free(g->asked);
  free(g->dead);
  g->asker = NULL;
  g->asked = NULL;
  g->dead = NULL;
  g->head.seats = 0;
}

static int reserve(sw_guide *guide, int32_t seats, sw_err *err) {
  model_guide *g = (model_guide *)guide;
  release(g);
  g->asked = calloc((size_t)seats, sizeof *g->asked);
  g->dead = calloc((size_t)seats, sizeof *g->dead);
  if (!g->asked || !g->dead) return sw_no_memory(err);
  g->how.seats = seats;
  return sw_asker_new(&g->asker, &g->how, g->team, err);
}

static int start(sw_guide *guide, int32_t seat, const sw_game *game,
                 sw_err *err) {
  (void)game;
  (void)err;
  sw_ask_sit(((model_guide *)guide)->asker, seat);
  return SW_OK;
}

static int show(sw_guide *guide, int32_t seat, const sw_game *game,
                sw_err *err) {
  return sw_ask_follow(((model_guide *)guide)->asker, seat, game, err);
}

static int ask(sw_guide *guide, sw_question *question, int32_t count,
               sw_err *err) {
  model_guide *g = (model_guide *)guide;
  for (int32_t i = 0; i < count; i++) g->asked[i] = question[i].seat;
  SW_TRY(sw_ask_run(g->asker, g->asked, count, guide->verifies ? g->dead : NULL,
                    err));
  for (int32_t i = 0; i < count; i++) {
    sw_ask_scores(g->asker, i, question[i].game, question[i].score);
    if (question[i].dead) *question[i].dead = g->dead[i];
  }
  return SW_OK;
}

static int64_t need(const sw_guide *guide, int32_t seat) {
  return sw_ask_need(((const model_guide *)guide)->asker, seat);
}

static void forget(sw_guide *guide, int32_t seat) {
  sw_ask_forget(((model_guide *)guide)->asker, seat);
}

static void close_model(sw_guide *guide) {
  release((model_guide *)guide);
  free(guide);
}

static const sw_guide_ops model_ops = {.reserve = reserve,
                                       .start = start,
                                       .show = show,
                                       .ask = ask,
                                       .need = need,
                                       .forget = forget,
                                       .close = close_model,
                                       .width = 64};

int64_t sw_guide_tokens_shown(const sw_guide *guide, int32_t seat) {
  const model_guide *g = (const model_guide *)guide;
  return guide->ops->ask == ask && g->asker
             ? sw_ask_tokens_shown(g->asker, seat)
             : 0;
}

/* Can the model play? */
static int check_family(const sw_loaded *loaded, sw_err *err) {
  const sw_family *family = loaded->model->family;
  if (!strcmp(family->reads, "tokens")) return SW_OK;
  if (strcmp(family->reads, "features") && strcmp(family->reads, "graph") &&
      strcmp(family->reads, "choices")) {
    sw_fail(err, SW_USAGE, "%s: nothing shows %s to models of the family %s",
            loaded->path, family->reads, family->name);
    return sw_hint(err, "it can be trained, but not played");
  }
  SW_TRY(sw_state_check(loaded, err));
  int32_t set = ((const sw_state_layout *)loaded->model->config)->set;
  if (!sw_features_judge(set)) return SW_OK;
  sw_fail(err, SW_USAGE, "%s judges %s and does not play", loaded->path,
          set == SW_FEATURES_CHOICE ? "choices" : "states");
  return sw_hint(err, "--verifier viability:%s:TAU", loaded->path);
}

int sw_guide_model(sw_guide **guide, const sw_loaded *loaded,
                   const sw_guide_setup *setup, sw_team *team, sw_err *err) {
  static const sw_guide_setup as_trained;
  if (!setup) setup = &as_trained;
  *guide = NULL;
  sw_reading reading;
  SW_TRY(
      sw_loaded_reading(loaded, setup->mask, setup->positions, &reading, err));
  SW_TRY(check_family(loaded, err));
  const sw_net *net = loaded->model;
  int tokens = !strcmp(net->family->reads, "tokens");
  model_guide *g = calloc(1, sizeof *g);
  if (!g) return sw_no_memory(err);
  g->ops = model_ops;
  g->ops.name = net->family->name;
  g->head.ops = &g->ops;
  g->head.domain = loaded->domain;
  g->head.mask = tokens ? sw_mask_name(reading.mask) : "";
  g->head.positions = tokens ? sw_position_name(reading.positions) : "";
  g->head.verifies = tokens && net->verifies;
  g->head.train_seed = 0; /* a score that is not a number counts as none */
  (void)sw_text_integer(sw_st_meta(loaded->file, "train_seed"), 0, INT64_MAX,
                        &g->head.train_seed);
  snprintf(g->head.label, sizeof g->head.label, "%s", loaded->label);
  snprintf(g->head.hash, sizeof g->head.hash, "%016" PRIx64, sw_net_hash(net));
  g->how = (sw_ask_options){.model = loaded->model,
                            .reading = reading,
                            .cached = 1,
                            .recompute = setup->no_cache,
                            .domain = loaded->domain,
                            .domain_options = &loaded->options};
  g->team = team;
  *guide = &g->head;
  return SW_OK;
}
