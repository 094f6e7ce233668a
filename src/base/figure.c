/* Figures that declare themselves (see figure.h). */
#include "base/figure.h"
#include <string.h>

const char *sw_figure_kind_name(sw_figure_kind kind) {
  static const char *const names[] = {
#define X(id, name, text) name,
      SW_FIGURE_KINDS(X)
#undef X
  };
  return names[kind];
}

static void write_one(const sw_figure *f, const void *found, sw_json *json) {
  const void *at = (const char *)found + f->at;
  if (f->stored == SW_STORED_REAL) {
    sw_json_real(json, f->name, *(const double *)at);
  } else if (f->stored == SW_STORED_COUNT) {
    sw_json_int(json, f->name, *(const int64_t *)at);
  } else if (f->stored == SW_STORED_INTERVAL) {
    const sw_interval *i = at;
    sw_json_array(json, f->name);
    sw_json_float9(json, NULL, i->low);
    sw_json_float9(json, NULL, i->high);
    sw_json_end(json);
  } else if (f->stored == SW_STORED_INSIDE) {
    sw_json_object(json, f->name);
    sw_figures_json(f->part, at, json);
    sw_json_end(json);
  }
}

void sw_figures_json(const sw_figure *f, const void *found, sw_json *json) {
  for (; f->name; f++) {
    if (f->write) f->write(found, json);
    else if (f->real) sw_json_real(json, f->name, f->real(found));
    else write_one(f, found, json);
  }
}

static const sw_figure *named(const sw_figure *f, const char *name,
                              size_t length) {
  for (; f && f->name; f++)
    if (strlen(f->name) == length && !strncmp(f->name, name, length)) return f;
  return NULL;
}

const sw_figure *sw_figure_at(const sw_figure *table, const char *path) {
  size_t length = strcspn(path, ".");
  const sw_figure *f = named(table, path, length);
  if (!f || !path[length]) return f;
  path += length + 1;
  if (f->kind == SW_FIGURE_SERIES) { /* the place in the list */
    size_t digits = strspn(path, "0123456789");
    if (!digits || path[digits] != '.') return NULL;
    path += digits + 1;
  }
  return sw_figure_at(f->part, path);
}

int sw_figure_is_number(const sw_figure *f) {
  return f->kind <= SW_FIGURE_COUNT;
}
