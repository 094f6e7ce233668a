/* Which comparisons with the paper are another's again (see kept_pages.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/kept_pages.h"
#include "report/read_json.h"

enum { SETTINGS = 40, ROOM = 1200 };

/* Settings as a set: a later one of the same name counts. */
typedef struct settings {
  char text[ROOM];
  char *item[SETTINGS];
  int count;
} settings;

static size_t name_of(const char *setting) { return strcspn(setting, "="); }

/* `loop` is the short form of two verifiers. */
static char *in_full(char *setting) {
  static char masked[] = "verifier=exact", open[] = "verifier=model";
  if (!strcmp(setting, "loop=masked")) return masked;
  return strcmp(setting, "loop=open") ? setting : open;
}

static void take(settings *s, char *setting) {
  setting = in_full(setting);
  size_t length = name_of(setting);
  int at = 0;
  while (at < s->count && (name_of(s->item[at]) != length ||
                           strncmp(s->item[at], setting, length)))
    at++;
  if (at == SETTINGS) return;
  s->item[at] = setting;
  s->count += at == s->count;
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The column's settings and, of a search, the row's over them. */
static void gather(settings *s, const json_t *column, const json_t *row) {
  int search = !strcmp(sw_member_text(column, "source", ""), "search");
  char *rest = NULL;
  s->count = 0;
  snprintf(s->text, sizeof s->text, "%.500s %.500s",
           sw_member_text(column, "settings", ""),
           search ? sw_member_text(row, "search", "") : "");
  for (char *one = strtok_r(s->text, " ", &rest); one;
       one = strtok_r(NULL, " ", &rest))
    take(s, one);
  qsort(s->item, (size_t)s->count, sizeof *s->item, by_text);
}

const json_t *sw_kept_named(const json_t *list, const char *name,
                            const char *text) {
  const json_t *one;
  size_t at;
  json_array_foreach(list, at, one) {
    if (!strcmp(sw_member_text(one, name, ""), text)) return one;
  }
  return NULL;
}

static void add(FILE *key, const json_t *of, const char *const *names) {
  for (; *names; names++) {
    fputs(sw_member_text(of, *names, "-"), key);
    putc('|', key);
  }
}

/* What is compared: the paper's number, the model and what it is asked. NULL
 * when memory runs out. */
static char *key_of(const json_t *kept, const json_t *cell) {
  static const char *const rows[] = {"model",     "shipped", "rule",
                                     "domain",    "test",    "mask",
                                     "positions", "at",      NULL};
  static const char *const columns[] = {"source", "measure", "figure",
                                        "test_seeds", NULL};
  const json_t *row = sw_kept_named(json_object_get(kept, "rows"), "id",
                                    sw_member_text(cell, "row", ""));
  const json_t *column =
      sw_kept_named(json_object_get(kept, "columns"), "title",
                    sw_member_text(cell, "column", ""));
  settings s;
  char *text = NULL;
  size_t bytes;
  FILE *key = open_memstream(&text, &bytes);
  if (!key) return NULL;
  gather(&s, column, row);
  fprintf(key, "%s|%s|", sw_member_text(kept, "scale", "small"),
          sw_member_text(cell, "paper", ""));
  add(key, row, rows);
  add(key, column, columns);
  for (int i = 0; i < s.count; i++) fprintf(key, "%s ", s.item[i]);
  /* files of before rows and columns were written: by themselves */
  if (!row || !column)
    fprintf(key, "%s", sw_member_text(kept, "experiment", ""));
  if (!fclose(key)) return text;
  free(text);
  return NULL;
}

int sw_kept_distinct(const sw_kept_entry *entry, int count, json_t *const *kept,
                     int *agree) {
  json_t *met = json_object();
  const json_t *cell;
  size_t at;
  int distinct = 0;
  *agree = 0;
  for (int i = 0; i < count; i++)
    json_array_foreach(json_object_get(kept[i], "cells"), at, cell) {
      const json_t *agrees = json_object_get(cell, "agrees");
      if (!json_is_boolean(agrees) || entry[i].older) continue;
      char *key = key_of(kept[i], cell);
      int known = key && json_object_get(met, key);
      if (key && !known) json_object_set_new(met, key, json_true());
      free(key);
      if (known) continue;
      distinct++;
      *agree += json_is_true(agrees);
    }
  json_decref(met);
  return distinct;
}
