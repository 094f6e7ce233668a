/* What rows, columns and models are, in words (see kept.h). */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "repro/kept.h"
#include "train/preset.h"

int sw_kept_row_members(const sw_repro_row *row, sw_kept_member *m) {
  int n = 0;
  m[n++] = (sw_kept_member){"model", row->model};
  m[n++] = (sw_kept_member){"rule", row->rule};
  m[n++] = (sw_kept_member){"shipped", row->shipped};
  m[n++] = (sw_kept_member){"domain", row->domain};
  m[n++] = (sw_kept_member){"search", row->search};
  m[n++] = (sw_kept_member){"test", row->test};
  m[n++] = (sw_kept_member){"mask", row->mask};
  m[n++] = (sw_kept_member){"positions", row->positions};
  m[n++] = (sw_kept_member){"at", row->at};
  return n;
}

int sw_kept_column_members(const sw_repro_column *c, sw_kept_member *m) {
  static const char *const sources[] = {
#define X(id, name, text) name,
      SW_SOURCES(X)
#undef X
  };
  int n = 0;
  m[n++] = (sw_kept_member){"source", sources[c->source]};
  m[n++] = (sw_kept_member){"measure", c->probe};
  m[n++] = (sw_kept_member){"settings", c->settings};
  m[n++] = (sw_kept_member){"figure", c->figure ? c->figure : "solve_rate"};
  m[n++] = (sw_kept_member){"test_seeds", c->test_seeds};
  return n;
}

static const char *preset_of(const sw_trained *t, sw_scale scale) {
  return t->preset[scale] ? t->preset[scale] : t->preset[0];
}

int sw_kept_model_members(const sw_trained *t, sw_scale scale,
                          sw_kept_member *m) {
  int n = 0;
  m[n++] = (sw_kept_member){"preset", preset_of(t, scale)};
  m[n++] = (sw_kept_member){"gen", t->gen};
  m[n++] = (sw_kept_member){"train", t->train};
  m[n++] =
      (sw_kept_member){"recipe", scale == SW_SCALE_SMALL ? t->recipe : NULL};
  return n;
}

static uint64_t mix_settings(const char *const *pair, uint64_t hash) {
  for (; pair && *pair; pair++) hash = sw_xxh64(*pair, strlen(*pair) + 1, hash);
  return hash;
}

void sw_kept_preset_hash(const sw_trained *t, sw_scale scale, char out[24]) {
  const sw_preset *preset = sw_preset_find(preset_of(t, scale));
  out[0] = 0;
  if (!preset) return;
  uint64_t hash = sw_xxh64(preset->domain, strlen(preset->domain), 0);
  hash = mix_settings(preset->domain_settings, hash);
  hash = sw_xxh64(&preset->traces, sizeof preset->traces, hash);
  hash = mix_settings(preset->train_settings, hash);
  snprintf(out, 24, "%016" PRIx64, hash);
}
