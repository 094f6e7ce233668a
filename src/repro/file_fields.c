/* Members of maps by a table (see file_fields.h). */
#include "repro/file_fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "search/condition.h"
#include "search/verifier.h"
#include "trace/mask.h"
#include "train/config.h"

static int out_of_memory(const sw_file_reader *r) {
  return sw_no_memory_for(r->err, "%s", r->name);
}

int sw_field_unknown(sw_file_reader *r, const sw_yaml *node, int key,
                     const char *what, const char *name,
                     const char *const *names, int count) {
  const char *near = sw_nearest(name, names, count);
  if (key)
    sw_yaml_fail_key(r->err, r->name, node, "there is no %s `%.60s`", what,
                     name);
  else
    sw_yaml_fail(r->err, r->name, node, "there is no %s `%.60s`", what, name);
  if (near) return sw_hint(r->err, "did you mean %s?", near);
  char list[200] = "";
  for (int i = 0; i < count; i++) {
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
  }
  return *list ? sw_hint(r->err, "there are: %s", list) : SW_DATA;
}

int sw_field_map(sw_file_reader *r, const sw_yaml *node) {
  if (node->kind == SW_YAML_MAP) return SW_OK;
  sw_yaml_fail(r->err, r->name, node, "`%.60s` has members",
               node->key ? node->key : "an entry");
  return sw_hint(r->err, "write them as `name: value`, one a line");
}

int sw_field_list(sw_file_reader *r, const sw_yaml *node) {
  if (node->kind == SW_YAML_LIST) return SW_OK;
  sw_yaml_fail(r->err, r->name, node, "`%.60s` is a list",
               node->key ? node->key : "this");
  return sw_hint(r->err, "each entry begins with `- `");
}

int sw_field_text(sw_file_reader *r, const sw_yaml *node, const char **text) {
  *text = node->text;
  if (node->kind == SW_YAML_TEXT) return SW_OK;
  return sw_yaml_fail(r->err, r->name, node, "`%.60s` is one text",
                      node->key ? node->key : "this");
}

int sw_field_number(sw_file_reader *r, const sw_yaml *node, int whole,
                    double *number) {
  const char *text;
  int64_t count;
  SW_TRY(sw_field_text(r, node, &text));
  if (whole) {
    if (!sw_text_integer(text, 0, 1000000000, &count))
      return sw_yaml_fail(r->err, r->name, node,
                          "`%.60s`: \"%.60s\" is not a whole number from 0",
                          node->key ? node->key : "", text);
    *number = (double)count;
    return SW_OK;
  }
  if (sw_text_is_real(text, number)) return SW_OK;
  return sw_yaml_fail(r->err, r->name, node,
                      "`%.60s`: \"%.60s\" is not a number",
                      node->key ? node->key : "", text);
}

int sw_field_scales(sw_file_reader *r, const sw_yaml *node,
                    const sw_yaml *found[SW_SCALES]) {
  static const char *const names[] = {"small", "paper"};
  for (int s = 0; s < SW_SCALES; s++) found[s] = NULL;
  if (node->kind == SW_YAML_TEXT) {
    found[SW_SCALE_SMALL] = node;
    return SW_OK;
  }
  SW_TRY(sw_field_map(r, node));
  for (const sw_yaml *n = node->first; n; n = n->next) {
    int scale = !strcmp(n->key, "small")   ? SW_SCALE_SMALL
                : !strcmp(n->key, "paper") ? SW_SCALE_PAPER
                                           : -1;
    if (scale < 0)
      return sw_field_unknown(r, n, 1, "scale", n->key, names, SW_SCALES);
    found[scale] = n;
  }
  return SW_OK;
}

/* ---- settings ---- */

/* Texts that name what there is a list of. */
static int check_name(sw_file_reader *r, const sw_yaml *n, const char *option) {
  if (!strcmp(option, "mask") || !strcmp(option, "eval-mask")) {
    if (sw_mask_from_name(n->text) >= 0) return SW_OK;
    sw_yaml_fail(r->err, r->name, n, "there is no mask `%.60s`", n->text);
    return sw_hint(r->err, "statewise train --help lists the masks");
  }
  if (strcmp(option, "verifier")) return SW_OK;
  char names[400], name[64];
  const char *list[64];
  int count = 0;
  sw_verifier_names(NULL, names, sizeof names);
  snprintf(name, sizeof name, "%.*s", (int)strcspn(n->text, ":"), n->text);
  for (char *rest = NULL, *one = strtok_r(names, " ", &rest); one && count < 64;
       one = strtok_r(NULL, " ", &rest)) {
    one[strcspn(one, ":[,")] = 0; /* the arguments */
    list[count++] = one;
    if (!strcmp(one, name)) return SW_OK;
  }
  return sw_field_unknown(r, n, 0, "verifier", name, list, count);
}

static int unknown_setting(sw_file_reader *r, const sw_yaml *n,
                           const sw_question_table *table, int tables) {
  const char *names[512];
  int count = 0;
  for (int t = 0; t < tables; t++)
    for (int i = 0; i < table[t].count && count < 512; i++)
      names[count++] = table[t].row[i].name;
  return sw_field_unknown(r, n, 1, "option", n->key, names, count);
}

static int check_setting(sw_file_reader *r, const sw_yaml *n,
                         const sw_question_table *table, int tables) {
  _Alignas(8) unsigned char room[sizeof(sw_list)];
  const sw_option *row = NULL;
  const char *text;
  sw_err why = {0};
  SW_TRY(sw_field_text(r, n, &text));
  if (!*n->key || strpbrk(n->key, " \t\n="))
    return sw_yaml_fail_key(r->err, r->name, n, "`%.60s` is no option's name",
                            n->key);
  if (strpbrk(text, " \t\n"))
    return sw_yaml_fail(r->err, r->name, n, "`%.60s`: a value holds no blanks",
                        n->key);
  for (int t = 0; t < tables && !row; t++)
    row = sw_options_find(table[t].row, table[t].count, n->key);
  if (!tables) return SW_OK;
  if (!row) return unknown_setting(r, n, table, tables);
  sw_option alone = *row;
  alone.offset = 0;
  memset(room, 0, sizeof room);
  if (sw_options_set(&alone, 1, alone.name, text, room, &why)) {
    sw_yaml_fail(r->err, r->name, n, "%s", why.text);
    return *why.hint ? sw_hint(r->err, "%s", why.hint) : SW_DATA;
  }
  return row->kind == SW_TEXT ? check_name(r, n, row->name) : SW_OK;
}

static int put_settings(sw_file_reader *r, const sw_yaml *map,
                        const sw_question_table *table, int tables, FILE *out) {
  SW_TRY(sw_field_map(r, map));
  for (const sw_yaml *n = map->first; n; n = n->next) {
    SW_TRY(check_setting(r, n, table, tables));
    fprintf(out, "%s%s=%s", ftell(out) ? " " : "", n->key, n->text);
  }
  return SW_OK;
}

int sw_field_settings(sw_file_reader *r, const sw_yaml *node,
                      const sw_question_table *table, int tables,
                      const char **text) {
  char *made = NULL;
  size_t bytes;
  FILE *out = open_memstream(&made, &bytes);
  if (!out) return out_of_memory(r);
  int code = SW_OK;
  if (node->kind != SW_YAML_LIST)
    code = put_settings(r, node, table, tables, out);
  else
    for (const sw_yaml *n = node->first; n && !code; n = n->next)
      code = put_settings(r, n, table, tables, out);
  int failed = ferror(out);
  failed |= fclose(out) != 0 || !made;
  if (failed && !code) code = out_of_memory(r);
  if (!code) {
    *text = sw_arena_strdup(&r->file->arena, made);
    if (!*text) code = out_of_memory(r);
  }
  free(made);
  return code;
}

static int read_settings(sw_file_reader *r, const sw_yaml *node,
                         sw_field_kind kind, const char **text) {
  sw_option task[SW_TASK_OPTIONS_MAX];
  sw_question_table table = {SW_ASKS_SEARCH, sw_condition_table,
                             sw_condition_table_count};
  if (kind == SW_FIELD_TRAINING)
    table = (sw_question_table){SW_ASKS_TRAINING, sw_train_table,
                                sw_train_table_count};
  if (kind == SW_FIELD_TASK)
    table = (sw_question_table){
        SW_ASKS_TASK, task, sw_domain_all_options(task, SW_TASK_OPTIONS_MAX)};
  return sw_field_settings(r, node, &table, kind != SW_FIELD_SETTINGS, text);
}

/* ---- one field ---- */

static int read_choice(sw_file_reader *r, const sw_yaml *n, const char *choices,
                       int *out) {
  const char *text;
  SW_TRY(sw_field_text(r, n, &text));
  *out = sw_choice_index(choices, text);
  if (*out >= 0) return SW_OK;
  sw_yaml_fail(r->err, r->name, n, "`%.60s`: \"%.60s\" is not one of them",
               n->key, text);
  return sw_hint(r->err, "choose one of %s", choices);
}

static int read_field(sw_file_reader *r, const sw_yaml *n, const sw_field *f,
                      void *out) {
  void *at = out ? (char *)out + f->offset : NULL; /* none: all are OTHER */
  double number = 0;
  int yes = 0;
  switch (f->kind) {
    case SW_FIELD_TEXT:
      return sw_field_text(r, n, at);
    case SW_FIELD_INT:
      SW_TRY(sw_field_number(r, n, 1, &number));
      *(int *)at = (int)number;
      return SW_OK;
    case SW_FIELD_REAL:
      return sw_field_number(r, n, 0, at);
    case SW_FIELD_FLAG:
      SW_TRY(read_choice(r, n, "no|yes|false|true|0|1", &yes));
      *(int *)at = yes % 2;
      return SW_OK;
    case SW_FIELD_CHOICE:
      SW_TRY(read_choice(r, n, f->choices, &yes));
      memcpy(at, &yes, sizeof yes); /* enums are of that size */
      return SW_OK;
    case SW_FIELD_OTHER:
      return SW_OK;
    default:
      return read_settings(r, n, f->kind, at);
  }
}

int sw_fields_read(sw_file_reader *r, const sw_yaml *map, const sw_field *field,
                   int count, void *out) {
  SW_TRY(sw_field_map(r, map));
  for (const sw_yaml *n = map->first; n; n = n->next) {
    int i = 0;
    while (i < count && strcmp(field[i].key, n->key)) i++;
    if (i == count) {
      const char *names[64];
      for (int k = 0; k < count && k < 64; k++) names[k] = field[k].key;
      return sw_field_unknown(r, n, 1, "member", n->key, names,
                              count < 64 ? count : 64);
    }
    SW_TRY(read_field(r, n, &field[i], out));
  }
  for (int i = 0; i < count; i++)
    if (field[i].required && !sw_yaml_member(map, field[i].key))
      return sw_yaml_fail(r->err, r->name, map, "`%s` is missing here",
                          field[i].key);
  return SW_OK;
}
