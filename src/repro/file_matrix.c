/* Sweeps: an entry with `matrix: {n: [12, 20], mask: [ssa, causal]}` stands for
 * one entry a combination, in which `{n}` and `{mask}` are those of the
 * combination; the last variable changes first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "repro/file_fields.h"

enum { VARIABLES = 8, COMBINATIONS = 1000 };

typedef struct sweep {
  const sw_yaml *variable[VARIABLES]; /* lists of texts */
  const sw_yaml *value[VARIABLES];    /* of the combination at hand */
  int variables, combinations;
} sweep;

static int read_matrix(sw_file_reader *r, const sw_yaml *matrix, sweep *s) {
  SW_TRY(sw_field_map(r, matrix));
  s->combinations = 1;
  for (const sw_yaml *n = matrix->first; n; n = n->next) {
    if (s->variables == VARIABLES)
      return sw_yaml_fail_key(r->err, r->name, n, "more than %d variables",
                              (int)VARIABLES);
    SW_TRY(sw_field_list(r, n));
    for (const sw_yaml *v = n->first; v; v = v->next) {
      const char *text;
      SW_TRY(sw_field_text(r, v, &text));
    }
    if (!n->count)
      return sw_yaml_fail(r->err, r->name, n, "`%.60s` has no value", n->key);
    s->variable[s->variables++] = n;
    s->combinations *= n->count;
    if (s->combinations > COMBINATIONS)
      return sw_yaml_fail(r->err, r->name, matrix, "more than %d combinations",
                          (int)COMBINATIONS);
  }
  if (s->variables) return SW_OK;
  return sw_yaml_fail(r->err, r->name, matrix, "a matrix without variables");
}

static void choose(sweep *s, int combination) {
  for (int i = s->variables; i-- > 0;) {
    int at = combination % s->variable[i]->count;
    combination /= s->variable[i]->count;
    s->value[i] = s->variable[i]->first;
    while (at--) s->value[i] = s->value[i]->next;
  }
}

/* ---- a copy with the values in it ---- */

static size_t name_length(const char *open) {
  static const char letters[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  size_t length = strspn(open + 1, letters);
  return length && open[length + 1] == '}' ? length : 0;
}

static const sw_yaml *value_of(const sweep *s, const char *name,
                               size_t length) {
  for (int i = 0; i < s->variables; i++)
    if (strlen(s->variable[i]->key) == length &&
        !strncmp(s->variable[i]->key, name, length))
      return s->value[i];
  return NULL;
}

static int put_values(sw_file_reader *r, const sweep *s, const sw_yaml *node,
                      FILE *out) {
  for (const char *at = node->text; *at;) {
    size_t length = *at == '{' ? name_length(at) : 0;
    const sw_yaml *value = length ? value_of(s, at + 1, length) : NULL;
    if (length && !value) {
      char name[64];
      const char *names[VARIABLES];
      snprintf(name, sizeof name, "%.*s", (int)length, at + 1);
      for (int i = 0; i < s->variables; i++) names[i] = s->variable[i]->key;
      return sw_field_unknown(r, node, 0, "variable of the matrix", name, names,
                              s->variables);
    }
    if (value) fputs(value->text, out);
    else putc(*at, out);
    at += value ? length + 2 : 1;
  }
  return SW_OK;
}

static int fill_text(sw_file_reader *r, const sweep *s, sw_yaml *node) {
  char *made = NULL;
  size_t bytes;
  if (!strchr(node->text, '{')) return SW_OK;
  FILE *out = open_memstream(&made, &bytes);
  if (!out) return sw_no_memory_for(r->err, "%s", r->name);
  int code = put_values(r, s, node, out);
  int failed = ferror(out);
  failed |= fclose(out) != 0 || !made;
  if (!code)
    node->text = failed ? NULL : sw_arena_strdup(&r->file->arena, made);
  if (!code && !node->text) code = sw_no_memory_for(r->err, "%s", r->name);
  free(made);
  return code;
}

static int copy(sw_file_reader *r, const sweep *s, const sw_yaml *node,
                sw_yaml **out) {
  if (++r->copies > SW_YAML_NODES)
    return sw_yaml_fail(r->err, r->name, node,
                        "its sweeps make more than %d values",
                        (int)SW_YAML_NODES);
  *out = SW_ARENA_NEW(&r->file->arena, sw_yaml, 1);
  if (!*out) return sw_no_memory_for(r->err, "%s", r->name);
  **out = *node;
  (*out)->first = (*out)->next = NULL;
  (*out)->count = 0;
  sw_yaml **last = &(*out)->first;
  for (const sw_yaml *n = node->first; n; n = n->next) {
    if (n->key && !strcmp(n->key, "matrix")) continue;
    SW_TRY(copy(r, s, n, last));
    last = &(*last)->next;
    (*out)->count++;
  }
  return node->kind == SW_YAML_TEXT ? fill_text(r, s, *out) : SW_OK;
}

int sw_file_expand(sw_file_reader *r, sw_yaml *list) {
  SW_TRY(sw_field_list(r, list));
  for (sw_yaml **at = &list->first; *at;) {
    const sw_yaml *matrix =
        (*at)->kind == SW_YAML_MAP ? sw_yaml_member(*at, "matrix") : NULL;
    if (!matrix) {
      at = &(*at)->next;
      continue;
    }
    sweep s = {.variables = 0};
    const sw_yaml *entry = *at;
    SW_TRY(read_matrix(r, matrix, &s));
    for (int i = 0; i < s.combinations; i++) {
      choose(&s, i);
      SW_TRY(copy(r, &s, entry, at));
      at = &(*at)->next;
    }
    *at = entry->next;
    list->count += s.combinations - 1;
  }
  return SW_OK;
}
