/* Models that stopped on a plateau (see plateau.h). */
#include "repro/plateau.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "model/family.h"
#include "repro/kept.h"
#include "repro/settings.h"
#include "train/config.h"
#include "train/flat.h"
#include "train/preset.h"
#include "trace/mask.h"

/* A model as its note has it, of a kept object or of a result. */
typedef struct noted {
  const char *weights, *data, *preset, *train, *recipe;
} noted;

static int apply(const sw_settings *s, sw_train_options *o, sw_err *err) {
  return sw_apply_settings(sw_train_table, sw_train_table_count, s->pair, NULL,
                           o, err);
}

/* The model's training options: what its row sets comes over the preset's. */
static int options_of(const noted *n, const sw_settings *s, sw_train_options *o,
                      sw_err *err) {
  sw_options_defaults(sw_train_table, sw_train_table_count, o);
  SW_TRY(apply(s, o, err)); /* the preset's positions depend on the mask */
  SW_TRY(sw_preset_apply(n->preset, NULL, o, NULL, 0, err));
  return apply(s, o, err);
}

static void describe(const noted *n, const sw_train_options *o, char *text,
                     size_t room) {
  const sw_family *family = NULL;
  const char *name = o->architecture ? o->architecture : "slot-decoder";
  text[0] = 0;
  if (sw_family_named(&family, name, NULL)) return;
  int tokens = !strcmp(family->reads, "tokens");
  int mask = sw_mask_from_name(o->mask ? o->mask : "ssa");
  if (tokens && (mask < 0 || sw_mask_leaks((sw_mask_kind)mask))) return;
  size_t used = (size_t)snprintf(
      text, room,
      "%s %s view %d first %" PRId64 " sample %" PRId64
      " history %s %d %g %" PRId64 " verify %g",
      n->data, family->reads, o->view, o->first_blocks, o->sample,
      o->history ? o->history : "full", o->history_matched, o->history_p,
      o->history_window, o->verify);
  for (int i = 0; i < o->model_option.count && !tokens && used < room; i++)
    used += (size_t)snprintf(text + used, room - used, " %s",
                             o->model_option.item[i]);
}

/* "" where the loss cannot be compared: no traces are named, the mask leaks, or
 * a setting is no longer known. */
static int targets_of(const noted *n, char *text, size_t room, sw_err *err) {
  sw_settings settings;
  sw_train_options o;
  text[0] = 0;
  if (!*n->data || !n->preset) return SW_OK;
  SW_TRY(sw_settings_read(&settings, n->train, n->recipe, err));
  int code = options_of(n, &settings, &o, NULL);
  if (!code) describe(n, &o, text, room);
  sw_settings_free(&settings);
  return code == SW_MEMORY ? sw_no_memory(err) : SW_OK;
}

static int add(sw_known_losses *known, const noted *n, double loss,
               sw_err *err) {
  if (isnan(loss) || loss < 0) return SW_OK;
  if (!sw_grow(&known->item, &known->room, known->count + 1,
               sizeof *known->item))
    return sw_no_memory(err);
  sw_known_loss *k = &known->item[known->count];
  *k = (sw_known_loss){.loss = loss};
  snprintf(k->weights, sizeof k->weights, "%s", n->weights);
  SW_TRY(targets_of(n, k->targets, sizeof k->targets, err));
  known->count++;
  return SW_OK;
}

int sw_losses_of_answers(sw_known_losses *known, const sw_answers *answers,
                         sw_err *err) {
  for (int i = 0; i < answers->subjects; i++) {
    const sw_subject *s = &answers->subject[i];
    const noted n = {.weights = s->weights ? s->weights : "",
                     .data = s->data ? s->data : "",
                     .preset = s->preset,
                     .train = s->train,
                     .recipe = s->recipe};
    if (s->model) SW_TRY(add(known, &n, sw_subject_loss(s), err));
  }
  return SW_OK;
}

static noted noted_of(const sw_repro_result *result, const sw_repro_model *m) {
  noted n = {.weights = m->hash, .data = m->data};
  const sw_trained *t = m->trained;
  if (!t) return n;
  n.preset = t->preset[result->scale] ? t->preset[result->scale] : t->preset[0];
  n.train = t->train;
  n.recipe = result->scale == SW_SCALE_SMALL ? t->recipe : NULL;
  return n;
}

int sw_losses_of_result(sw_known_losses *known, const sw_repro_result *result,
                        sw_err *err) {
  for (int i = 0; i < result->models; i++) {
    const noted n = noted_of(result, &result->model[i]);
    SW_TRY(add(known, &n, result->model[i].loss, err));
  }
  return SW_OK;
}

void sw_losses_free(sw_known_losses *known) {
  free(known->item);
  *known = (sw_known_losses){0};
}

/* The lowest loss on the same targets; 0: none is known. */
static double best_of(const sw_known_losses *known, const char *targets) {
  double best = 0;
  for (int i = 0; i < known->count && *targets; i++)
    if (!strcmp(known->item[i].targets, targets) &&
        (!(best > 0) || known->item[i].loss < best))
      best = known->item[i].loss;
  return best;
}

int sw_plateaus_mark(sw_repro_result *result, const sw_known_losses *known,
                     sw_err *err) {
  char targets[sizeof known->item->targets];
  for (int i = 0; i < result->models; i++) {
    sw_repro_model *m = &result->model[i];
    for (int k = 0; k < known->count && isnan(m->loss); k++)
      if (*m->hash && !strcmp(known->item[k].weights, m->hash))
        m->loss = known->item[k].loss;
    sw_train_ending ended = sw_ending_from_name(m->ended);
    if (isnan(m->loss) || strcmp(m->ended, sw_ending_name(ended))) continue;
    const noted n = noted_of(result, m);
    SW_TRY(targets_of(&n, targets, sizeof targets, err));
    ended = sw_ending_beside(ended, m->loss, best_of(known, targets));
    snprintf(m->ended, sizeof m->ended, "%s", sw_ending_name(ended));
  }
  return SW_OK;
}
