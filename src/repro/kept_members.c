/* What rows, columns and models are, in words (see kept.h). */
#include <stddef.h>

#include "repro/kept.h"

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

int sw_kept_model_members(const sw_trained *t, sw_scale scale,
                          sw_kept_member *m) {
  int n = 0;
  m[n++] = (sw_kept_member){"preset",
                            t->preset[scale] ? t->preset[scale] : t->preset[0]};
  m[n++] = (sw_kept_member){"gen", t->gen};
  m[n++] = (sw_kept_member){"train", t->train};
  m[n++] =
      (sw_kept_member){"recipe", scale == SW_SCALE_SMALL ? t->recipe : NULL};
  return n;
}
