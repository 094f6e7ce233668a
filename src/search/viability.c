/* Judging states by a model of features (see viability.h). */
#include "search/viability.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

static int room(sw_viability_judge *y, sw_err *err) {
  size_t rows = y->reader.layout.set == SW_FEATURES_CHOICE
                    ? 2 * (size_t)y->reader.layout.n
                    : 1;
  size_t width = (size_t)y->reader.layout.features;
  y->feature = calloc(rows * width + 1, sizeof *y->feature);
  y->choice = calloc(rows, sizeof *y->choice);
  y->score =
      calloc(rows * (size_t)y->loaded.model->outputs + 1, sizeof *y->score);
  return y->feature && y->choice && y->score ? SW_OK
                                             : sw_no_memory_for(err, "a judge");
}

int sw_viability_open(sw_viability_judge *y, const sw_domain *domain,
                      const char *path, sw_err *err) {
  char shipped[1024];
  if (!sw_path_exists(path) &&
      !sw_shipped_model(path, shipped, sizeof shipped, NULL))
    path = shipped;
  SW_TRY(sw_loaded_open(&y->loaded, path, err));
  y->open = 1;
  const char *reads = y->loaded.model->family->reads;
  if (y->loaded.domain != domain)
    return sw_fail(err, SW_USAGE, "%s is a model for `%s`, not `%s`", path,
                   y->loaded.domain->name, domain->name);
  if (strcmp(reads, "features") && strcmp(reads, "choices")) {
    sw_fail(err, SW_USAGE,
            "%s: the model reads %s, and state features are needed to judge",
            path, reads);
    return sw_hint(err, "its own verify head is head:TAU");
  }
  SW_TRY(sw_state_check(&y->loaded, err));
  SW_TRY(sw_team_new(&y->team, 1, err));
  sw_ask_options how = {.model = y->loaded.model, .domain = domain};
  SW_TRY(sw_asker_new(&y->asker, &how, y->team, err));
  SW_TRY(sw_state_reader_new(&y->reader, domain, y->loaded.model, err));
  return room(y, err);
}

void sw_viability_close(sw_viability_judge *y) {
  sw_state_reader_free(&y->reader);
  sw_asker_free(y->asker);
  sw_team_free(y->team);
  if (y->open) sw_loaded_close(&y->loaded);
  free(y->feature);
  free(y->choice);
  free(y->score);
}

static double chance(const float *verdict) {
  return 1.0 / (1.0 + exp((double)verdict[0] - (double)verdict[1]));
}

/* The open choices as rows; how many. */
static int32_t list_choices(sw_viability_judge *y, const sw_env *env) {
  const sw_state_ops *ops = y->loaded.domain->state;
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
static double worst(const sw_viability_judge *y, int32_t count) {
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

int sw_viability_score(sw_viability_judge *y, const sw_env *env, int64_t step,
                       double *dead, sw_err *err) {
  sw_record record;
  int32_t count = 1;
  *dead = 0;
  SW_TRY(sw_state_capture(&y->reader, env, err));
  if (y->reader.layout.set == SW_FEATURES_CHOICE) {
    count = list_choices(y, env);
    record = (sw_record){.rows = count,
                         .feature = y->feature,
                         .features = y->reader.layout.features,
                         .choice = y->choice};
  } else {
    SW_TRY(sw_state_record_of(&y->reader, env, step, &record, err));
  }
  if (!count) return SW_OK;
  SW_TRY(sw_ask_record(y->asker, &record, count, y->score, err));
  for (size_t i = 0; i < (size_t)count * (size_t)y->loaded.model->outputs; i++)
    if (!isfinite(y->score[i]))
      return sw_fail(err, SW_DATA, "its model's answer is not a number");
  *dead = worst(y, count);
  return SW_OK;
}
