/* Statistics, figures and curves of an experiment's file: they refer to its
 * columns and rows by id. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "repro/figure.h"
#include "repro/file_fields.h"

#define OTHER(key) \
  { key, SW_FIELD_OTHER, 0, NULL, 0 }

#define STATISTIC(key, KIND, member, choices, need) \
  { key, SW_FIELD_##KIND, offsetof(sw_repro_statistic, member), choices, need }
static const sw_field statistic_fields[] = {
    STATISTIC("title", TEXT, title, NULL, 1),
    STATISTIC("test", CHOICE, kind,
              "paired-t|welch-t|seeds|instances|interaction", 0),
    {"column", SW_FIELD_OTHER, 0, NULL, 1},
    {"a", SW_FIELD_OTHER, 0, NULL, 1},
    {"b", SW_FIELD_OTHER, 0, NULL, 1},
    OTHER("c"),
    OTHER("d"),
    OTHER("other"),
    STATISTIC("paper", TEXT, paper, NULL, 0)};
enum { STATISTIC_FIELDS = sizeof statistic_fields / sizeof *statistic_fields };

static int read_statistic(sw_file_maker *m, const sw_yaml *map,
                          sw_repro_statistic *s) {
  static const char *const keys[] = {"a", "b", "c", "d"};
  SW_TRY(sw_fields_read(m->r, map, statistic_fields, STATISTIC_FIELDS, s));
  const char **row[] = {&s->a, &s->b, &s->c, &s->d};
  for (int i = 0; i < 4; i++) {
    const sw_yaml *n = sw_yaml_member(map, keys[i]);
    if (n) SW_TRY(sw_file_row(m, n, row[i]));
    else if (s->kind == SW_TEST_INTERACTION)
      return sw_yaml_fail(m->r->err, m->r->name, map,
                          "an interaction has rows a, b, c and d");
  }
  SW_TRY(sw_file_column(m, sw_yaml_member(map, "column"), &s->column));
  if (!sw_yaml_member(map, "test"))
    s->kind = sw_column_test(&m->column[s->column]);
  const sw_yaml *other = sw_yaml_member(map, "other");
  if (!other) return SW_OK;
  SW_TRY(sw_file_column(m, other, &s->other));
  s->other++;
  return SW_OK;
}

#define FIGURE(key, KIND, member, choices, need) \
  { key, SW_FIELD_##KIND, offsetof(sw_repro_figure, member), choices, need }
static const sw_field figure_fields[] = {
    FIGURE("id", TEXT, id, NULL, 1),
    FIGURE("title", TEXT, title, NULL, 1),
    FIGURE("kind", CHOICE, kind, "lines|bars|seeds", 1),
    FIGURE("x", TEXT, x, NULL, 0),
    FIGURE("y", TEXT, y, NULL, 0),
    OTHER("columns")};
enum { FIGURE_FIELDS = sizeof figure_fields / sizeof *figure_fields };

/* It becomes a file's name. */
static int check_file_name(sw_file_maker *m, const sw_yaml *map) {
  const sw_yaml *n = sw_yaml_member(map, "id");
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-_";
  size_t length = strlen(n->text);
  if (length && length < 60 && strspn(n->text, letters) == length) return SW_OK;
  return sw_yaml_fail(m->r->err, m->r->name, n,
                      "`%.60s`: small letters, digits and `-`", n->text);
}

static int read_figure(sw_file_maker *m, const sw_yaml *map,
                       sw_repro_figure *f) {
  SW_TRY(sw_fields_read(m->r, map, figure_fields, FIGURE_FIELDS, f));
  SW_TRY(check_file_name(m, map));
  const sw_yaml *columns = sw_yaml_member(map, "columns");
  return columns ? sw_file_columns(m, columns, &f->columns) : SW_OK;
}

static const sw_field curve_fields[] = {
    {"id", SW_FIELD_TEXT, offsetof(sw_repro_curve, id), NULL, 1},
    {"title", SW_FIELD_TEXT, offsetof(sw_repro_curve, title), NULL, 1},
    {"x", SW_FIELD_OTHER, 0, NULL, 1},
    {"y", SW_FIELD_OTHER, 0, NULL, 1},
    {"series", SW_FIELD_OTHER, 0, NULL, 1}};
static const sw_field series_fields[] = {
    {"prefix", SW_FIELD_TEXT, offsetof(sw_repro_series, prefix), NULL, 1},
    {"label", SW_FIELD_TEXT, offsetof(sw_repro_series, label), NULL, 1},
    {"bound", SW_FIELD_REAL, offsetof(sw_repro_series, bound), NULL, 0}};

static int read_curve(sw_file_maker *m, const sw_yaml *map, sw_repro_curve *c) {
  SW_TRY(sw_fields_read(m->r, map, curve_fields, 5, c));
  SW_TRY(check_file_name(m, map));
  SW_TRY(sw_file_column(m, sw_yaml_member(map, "x"), &c->x));
  SW_TRY(sw_file_column(m, sw_yaml_member(map, "y"), &c->y));
  const sw_yaml *list = sw_yaml_member(map, "series");
  SW_TRY(sw_field_list(m->r, list));
  sw_repro_series *s = sw_file_make(m, sizeof *s, (size_t)list->count);
  if (!s) return sw_file_memory(m);
  c->series = s;
  for (const sw_yaml *n = list->first; n; n = n->next, s++) {
    s->bound = -1;
    SW_TRY(sw_fields_read(m->r, n, series_fields, 3, s));
  }
  return SW_OK;
}

/* An entry of a list, into one struct. */
typedef int read_fn(sw_file_maker *m, const sw_yaml *map, void *out);
static int statistic(sw_file_maker *m, const sw_yaml *map, void *out) {
  return read_statistic(m, map, out);
}
static int figure(sw_file_maker *m, const sw_yaml *map, void *out) {
  return read_figure(m, map, out);
}
static int curve(sw_file_maker *m, const sw_yaml *map, void *out) {
  return read_curve(m, map, out);
}

/* *out stays NULL where there is no such list; an empty struct ends it. */
static int read_list(sw_file_maker *m, const sw_yaml *root, const char *key,
                     size_t bytes, read_fn *read, const void **out) {
  sw_yaml *list = (sw_yaml *)sw_yaml_member(root, key);
  if (!list) return SW_OK;
  SW_TRY(sw_file_expand(m->r, list));
  char *at = sw_file_make(m, bytes, (size_t)list->count);
  if (!at) return sw_file_memory(m);
  *out = at;
  for (const sw_yaml *n = list->first; n; n = n->next, at += bytes)
    SW_TRY(read(m, n, at));
  return SW_OK;
}

/* "{ROW:COLUMN}" by ids becomes "{ROW:INDEX}"; both must be there. */
static int read_finding(sw_file_maker *m, const sw_yaml *n) {
  const char *text;
  SW_TRY(sw_field_text(m->r, n, &text));
  char *out = sw_file_make(m, 1, 2 * strlen(text) + 16), *end = out;
  if (!out) return sw_file_memory(m);
  for (; *text; text++) {
    *end++ = *text;
    if (*text != '{') continue;
    size_t length = strcspn(++text, ":}"), rest = strcspn(text, "}");
    char row[80], column[80];
    sw_yaml named = *n;
    const char *id;
    int index;
    if (text[length] != ':' || !text[rest] || length >= sizeof row ||
        rest - length > sizeof column)
      return sw_yaml_fail(m->r->err, m->r->name, n,
                          "`finding`: a number is {ROW:COLUMN}");
    snprintf(row, sizeof row, "%.*s", (int)length, text);
    snprintf(column, sizeof column, "%.*s", (int)(rest - length - 1),
             text + length + 1);
    named.text = row;
    SW_TRY(sw_file_row(m, &named, &id));
    named.text = column;
    SW_TRY(sw_file_column(m, &named, &index));
    end += sprintf(end, "%s:%d}", row, index);
    text += rest;
  }
  m->e->finding = out;
  return SW_OK;
}

int sw_file_comparisons(sw_file_maker *m, const sw_yaml *root) {
  const sw_yaml *finding = sw_yaml_member(root, "finding");
  if (finding) SW_TRY(read_finding(m, finding));
  const void *list[3] = {NULL};
  SW_TRY(read_list(m, root, "statistics", sizeof(sw_repro_statistic), statistic,
                   &list[0]));
  SW_TRY(
      read_list(m, root, "figures", sizeof(sw_repro_figure), figure, &list[1]));
  SW_TRY(read_list(m, root, "curves", sizeof(sw_repro_curve), curve, &list[2]));
  m->e->statistic = list[0];
  m->e->figure = list[1];
  m->e->curve = list[2];
  return SW_OK;
}
