/* Comparisons with the paper that stand in several tables (see
 * kept_pages.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/kept_pages.h"
#include "report/read_json.h"

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
  static const char *const rows[] = {"model",  "shipped", "rule",
                                     "domain", "at",      NULL};
  static const char *const columns[] = {"figure", NULL};
  const json_t *row = sw_kept_named(json_object_get(kept, "rows"), "id",
                                    sw_member_text(cell, "row", ""));
  const json_t *column =
      sw_kept_named(json_object_get(kept, "columns"), "title",
                    sw_member_text(cell, "column", ""));
  const char *asked = sw_member_text(cell, "asked", "");
  char *text = NULL;
  size_t bytes;
  FILE *key = open_memstream(&text, &bytes);
  if (!key) return NULL;
  fprintf(key, "%s|%s|", sw_member_text(kept, "scale", "small"),
          sw_member_text(cell, "paper", ""));
  add(key, row, rows);
  add(key, column, columns);
  fputs(*asked ? asked : sw_member_text(kept, "experiment", ""), key);
  if (!fclose(key)) return text;
  free(text);
  return NULL;
}

/* The number is of a model that was trained for the table, and not zero on both
 * sides. */
static int of_trained_model(const json_t *kept, const json_t *cell) {
  const json_t *row = sw_kept_named(json_object_get(kept, "rows"), "id",
                                    sw_member_text(cell, "row", ""));
  return json_object_get(row, "model") &&
         (sw_text_real(sw_member_text(cell, "paper", "1"), NULL) != 0 ||
          sw_member_real(cell, "value", 1) != 0);
}

/* 1 when no table so far has this comparison. */
static int is_new(json_t *met, const json_t *kept, const json_t *cell) {
  char *key = key_of(kept, cell);
  int known = key && json_object_get(met, key);
  if (key && !known) json_object_set_new(met, key, json_true());
  free(key);
  return !known;
}

sw_kept_agreement sw_kept_distinct(const sw_kept_entry *entry, int count,
                                   json_t *const *kept) {
  sw_kept_agreement found = {0};
  json_t *met = json_object();
  const json_t *cell;
  size_t at;
  for (int i = 0; i < count; i++)
    json_array_foreach(json_object_get(kept[i], "cells"), at, cell) {
      const json_t *agrees = json_object_get(cell, "agrees");
      if (!json_is_boolean(agrees) || entry[i].older ||
          !is_new(met, kept[i], cell))
        continue;
      found.all++;
      found.all_agree += json_is_true(agrees);
      if (!of_trained_model(kept[i], cell)) continue;
      found.trained++;
      found.trained_agree += json_is_true(agrees);
    }
  json_decref(met);
  return found;
}
