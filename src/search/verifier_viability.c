/* The verifier `viability:FILE:TAU`: a model that reads states, not tokens,
 * says how likely the state is dead; above TAU it goes back. The model has been
 * trained on its own (`train --verify` with a family of states):
 *   on states   its verdict head speaks of the state
 *   on choices  (features=choice) it speaks of every choice that is open; the
 *               state is as dead as the best hope of its worst variable: the
 *               largest, over variables, of the smaller of the two values'
 *               probabilities
 * FILE is a run directory, a weight file, or the name of a shipped model. An
 * exposed conflict needs no opinion. Each game opens the file for itself;
 * such models are small. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "search/guide_state.h"
#include "search/loop.h"

typedef struct viability {
  sw_verifier head;
  double tau;
  sw_loaded loaded;
  sw_team *team;
  sw_work *work;
  sw_state_reader reader;
  float *feature; /* [2 n][features] of the open choices */
  int32_t *row, *choice;
  float *score;
  int open;
} viability;

static int room(viability *y, sw_err *err) {
  size_t rows = y->reader.layout.set == SW_FEATURES_CHOICE
                    ? 2 * (size_t)y->reader.layout.n
                    : 1;
  size_t width = (size_t)y->reader.layout.features;
  y->feature = calloc(rows * width + 1, sizeof *y->feature);
  y->row = calloc(rows, sizeof *y->row);
  y->choice = calloc(rows, sizeof *y->choice);
  y->score =
      calloc(rows * (size_t)y->loaded.model->outputs + 1, sizeof *y->score);
  for (size_t i = 0; y->row && i < rows; i++) y->row[i] = (int32_t)i;
  return y->feature && y->row && y->choice && y->score
             ? SW_OK
             : sw_fail(err, SW_MEMORY, "out of memory for a verifier");
}

static int open_model(viability *y, const char *path, sw_err *err) {
  const sw_domain *domain = y->head.domain;
  char shipped[1024];
  if (!sw_path_exists(path) &&
      !sw_shipped_model(path, shipped, sizeof shipped, NULL))
    path = shipped;
  SW_TRY(sw_loaded_open(&y->loaded, path, err));
  y->open = 1;
  if (y->loaded.domain != domain)
    return sw_fail(err, SW_USAGE, "%s is a model for `%s`, not `%s`", path,
                   y->loaded.domain->name, domain->name);
  if (strcmp(y->loaded.model->family->reads, "features")) {
    sw_fail(err, SW_USAGE,
            "verifier `%s`: the model reads %s, and state features are needed",
            y->head.text, y->loaded.model->family->reads);
    return sw_hint(err, "its own verify head is head:TAU");
  }
  SW_TRY(sw_state_check(&y->loaded, err));
  SW_TRY(sw_team_new(&y->team, 1, err));
  SW_TRY(sw_work_new(&y->work, y->loaded.model, y->team, err));
  SW_TRY(sw_state_reader_new(&y->reader, domain, y->loaded.model, err));
  return room(y, err);
}

static int open_viability(sw_verifier *v, const char *args, sw_err *err) {
  viability *y = (viability *)v;
  const char *last = strrchr(args, ':');
  char path[SW_VERIFIER_TEXT], tau[32];
  if (!last || last == args)
    return sw_verifier_misread(v, "viability:out/judge:0.5", err);
  snprintf(path, sizeof path, "%.*s", (int)(last - args), args);
  last++;
  SW_TRY(sw_verifier_rate(v, &last, &y->tau, err));
  if (*last) return sw_verifier_misread(v, "viability:out/judge:0.5", err);
  SW_TRY(open_model(y, path, err));
  /* by its weights: another file of the same name is another verifier */
  sw_verifier_real(y->tau, tau);
  return sw_verifier_call(v, err, "viability:%016" PRIx64 ":%s",
                          sw_net_hash(y->loaded.model), tau);
}

static void close_viability(sw_verifier *v) {
  viability *y = (viability *)v;
  sw_state_reader_free(&y->reader);
  sw_work_free(y->work);
  sw_team_free(y->team);
  if (y->open) sw_loaded_close(&y->loaded);
  free(y->feature);
  free(y->row);
  free(y->choice);
  free(y->score);
}

static double chance(const float *verdict) {
  return 1.0 / (1.0 + exp((double)verdict[0] - (double)verdict[1]));
}

/* The open choices as rows; how many. */
static int32_t list_choices(viability *y, const sw_env *env) {
  const sw_state_ops *ops = y->head.domain->state;
  const sw_instance *instance = ops->instance(env);
  int32_t n, m, count = 0;
  ops->sizes(instance, &n, &m);
  for (int32_t c = 0; c < 2 * n; c++)
    if (ops->choice_open(instance, y->reader.bytes, c)) {
      y->choice[count] = c;
      ops->features(
          instance, y->reader.bytes, c, &y->reader.layout,
          y->feature + (size_t)count * (size_t)y->reader.layout.features);
      count++;
    }
  return count;
}

/* The worst variable's better value; a value that is not open is dead. */
static double worst(const viability *y, int32_t count) {
  double most = 0;
  size_t width = (size_t)y->loaded.model->outputs;
  for (int32_t i = 0; i < count; i++) {
    double own = chance(y->score + (size_t)i * width);
    int pair = i + 1 < count && y->choice[i] >> 1 == y->choice[i + 1] >> 1;
    if (pair) {
      double other = chance(y->score + (size_t)++i * width);
      if (other < own) own = other;
    }
    if (own > most) most = own;
  }
  return most;
}

/* How likely the state is dead. */
static int score_of(viability *y, sw_game *game, double *dead, sw_err *err) {
  sw_item item = {0};
  int32_t count = 1;
  *dead = 0;
  SW_TRY(sw_state_capture(&y->reader, game->env, err));
  if (y->reader.layout.set == SW_FEATURES_CHOICE) {
    count = list_choices(y, game->env);
    item.record = (sw_record){.rows = count,
                              .feature = y->feature,
                              .features = y->reader.layout.features};
  } else {
    SW_TRY(sw_state_record_of(&y->reader, game->env, game->trace.blocks - 1,
                              &item.record, err));
  }
  if (!count) return SW_OK;
  SW_TRY(sw_work_rows(y->work, &item, y->row, count, y->score, err));
  for (size_t i = 0; i < (size_t)count * (size_t)y->loaded.model->outputs; i++)
    if (!isfinite(y->score[i]))
      return sw_fail(err, SW_DATA, "its model's answer is not a number");
  *dead = worst(y, count);
  return SW_OK;
}

/* A state that it cannot judge ends the game and the evaluation: as "viable" it
 * would be `exact` under another name. */
static void give_up(const viability *y, sw_game *game, int code) {
  if (code == SW_LIMIT) game->failure.code = SW_USAGE; /* whoever chose it */
  sw_context(&game->failure, "verifier `%s`", y->head.text);
}

static sw_verdict judge(sw_verifier *v, sw_game *game, const float *score,
                        int32_t *token) {
  viability *y = (viability *)v;
  (void)score, (void)token;
  if (!game->can_back) return SW_GO_ON;
  if (game->domain->search->in_conflict(game->env)) return SW_GO_BACK;
  double dead;
  int code = score_of(y, game, &dead, &game->failure);
  if (code) give_up(y, game, code);
  return dead > y->tau ? SW_GO_BACK : SW_GO_ON;
}

const sw_verifier_kind sw_verifier_viability = {
    .name = "viability",
    .args = "FILE:TAU",
    .help =
        "goes back when a model of state features gives the state more than "
        "TAU of being dead; at exposed conflicts always",
    .bytes = sizeof(viability),
    .open = open_viability,
    .close = close_viability,
    .judge = judge,
    .certain = 1};
