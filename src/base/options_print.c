/* Options as help text and as JSON: the other two uses of the table. */
#include <string.h>
#include "base/text.h"
#include "base/options.h"

/* Writes `text` wrapped to 80 columns, continuation lines indented. */
static void wrap(FILE *out, const char *text, int column, int indent) {
  while (*text) {
    int word = (int)strcspn(text, " ");
    if (column > indent && column + word + 1 > 80) {
      fprintf(out, "\n%*s", indent, "");
      column = indent;
    }
    if (column > indent) column += fprintf(out, " ");
    column += fprintf(out, "%.*s", word, text);
    text += word;
    while (*text == ' ') text++;
  }
  fputc('\n', out);
}

static void describe(const sw_option *o, char *text, size_t room) {
  int is_number = o->kind == SW_INT || o->kind == SW_LONG || o->kind == SW_REAL;
  /* A flag that is on is listed as --no-NAME, under the help of NAME. */
  int is_on = o->kind == SW_FLAG && strcmp(o->fallback, "1") == 0;
  int used = snprintf(text, room, "%s%s", is_on ? "turn off: " : "", o->help);
  if (o->kind == SW_CHOICE && used > 0 && (size_t)used < room)
    used += snprintf(text + used, room - (size_t)used, ": %s", o->choices);
  /* In the domain tables -1 means "decided elsewhere"; it is not printed. */
  int has_default = *o->fallback && o->kind != SW_FLAG &&
                    !(is_number && strcmp(o->fallback, "-1") == 0);
  if (has_default && used > 0 && (size_t)used < room)
    snprintf(text + used, room - (size_t)used, " (default %s)", o->fallback);
}

void sw_options_help(const sw_option *table, int count, FILE *out) {
  static const char *const argument[] = {"",      " N",    " N",   " X",
                                         " TEXT", " NAME", " TEXT"};
  for (int i = 0; i < count; i++) {
    const sw_option *o = &table[i];
    char head[96], text[768];
    int is_output = strcmp(o->name, SW_OUT) == 0;
    int is_on = o->kind == SW_FLAG && strcmp(o->fallback, "1") == 0;
    snprintf(head, sizeof head, "  %s--%s%s%s", is_output ? "-o, " : "",
             is_on ? "no-" : "", o->name, argument[o->kind]);
    describe(o, text, sizeof text);
    int column = fprintf(out, "%-24s", head);
    if (column > 24) {
      fprintf(out, "\n%24s", "");
    }
    wrap(out, text, 24, 24);
  }
}

void sw_option_text(const sw_option *o, const void *values, char *text,
                    size_t room) {
  const void *field = (const char *)values + o->offset;
  const char *words;
  char name[64];
  switch (o->kind) {
    case SW_FLAG:
    case SW_INT:
      snprintf(text, room, "%d", *(const int *)field);
      break;
    case SW_LONG:
      snprintf(text, room, "%lld", (long long)*(const int64_t *)field);
      break;
    case SW_REAL:
      sw_real_text(text, room, 17, *(const double *)field);
      break;
    case SW_CHOICE:
      words =
          sw_choice_name(o->choices, *(const int *)field, name, sizeof name);
      snprintf(text, room, "%s", words ? words : "");
      break;
    case SW_TEXT:
      words = *(const char *const *)field;
      snprintf(text, room, "%s", words ? words : "");
      break;
    case SW_LIST:
      snprintf(text, room, "%s", "");
      break;
  }
}

void sw_options_json(const sw_option *table, int count, const void *values,
                     sw_json *json) {
  for (int i = 0; i < count; i++) {
    const sw_option *o = &table[i];
    const void *field = (const char *)values + o->offset;
    char name[64];
    switch (o->kind) {
      case SW_FLAG:
        sw_json_bool(json, o->name, *(const int *)field);
        break;
      case SW_INT:
        sw_json_int(json, o->name, *(const int *)field);
        break;
      case SW_LONG:
        sw_json_int(json, o->name, *(const int64_t *)field);
        break;
      case SW_REAL:
        sw_json_real(json, o->name, *(const double *)field);
        break;
      case SW_TEXT:
        sw_json_string(json, o->name, *(const char *const *)field);
        break;
      case SW_CHOICE:
        sw_json_string(
            json, o->name,
            sw_choice_name(o->choices, *(const int *)field, name, sizeof name));
        break;
      case SW_LIST: {
        const sw_list *list = field;
        sw_json_array(json, o->name);
        for (int k = 0; k < list->count; k++)
          sw_json_string(json, NULL, list->item[k]);
        sw_json_end(json);
      }
    }
  }
}
