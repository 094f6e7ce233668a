/* The tables of commands and options as JSON (see describe.h). */
#include "command/describe.h"
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "base/version.h"
#include "domains/domain.h"
#include "domains/registry.h"
#include "search/loaded.h"

static void fallback_json(const sw_option *o, sw_json *json) {
  static const char key[] = "default";
  double real = 0;
  switch (o->kind) {
    case SW_FLAG:
      sw_json_bool(json, key, strcmp(o->fallback, "1") == 0);
      break;
    case SW_INT:
    case SW_LONG:
      sw_json_int(json, key, strtoll(o->fallback, NULL, 10));
      break;
    case SW_REAL:
      (void)sw_text_is_real(o->fallback, &real);
      sw_json_real(json, key, real);
      break;
    case SW_CHOICE:
      sw_json_string(json, key, o->fallback);
      break;
    case SW_TEXT:
      sw_json_string(json, key, *o->fallback ? o->fallback : NULL);
      break;
    case SW_LIST:
      sw_json_array(json, key);
      if (*o->fallback) sw_json_string(json, NULL, o->fallback);
      sw_json_end(json);
      break;
  }
}

static void choices_json(const sw_option *o, sw_json *json) {
  char name[64];
  int count = 1;
  for (const char *p = o->choices; *p; p++) count += *p == '|';
  sw_json_array(json, "choices");
  for (int i = 0; i < count; i++)
    sw_json_string(json, NULL,
                   sw_choice_name(o->choices, i, name, sizeof name));
  sw_json_end(json);
}

static void option_json(const sw_option *o, sw_json *json) {
  static const char *const kind[] = {
      [SW_FLAG] = "flag", [SW_INT] = "integer",   [SW_LONG] = "integer",
      [SW_REAL] = "real", [SW_CHOICE] = "choice", [SW_TEXT] = "text",
      [SW_LIST] = "list"};
  int is_number = o->kind == SW_INT || o->kind == SW_LONG || o->kind == SW_REAL;
  sw_json_object(json, NULL);
  sw_json_string(json, "name", o->name);
  sw_json_string(json, "kind", kind[o->kind]);
  fallback_json(o, json);
  if (is_number && o->low < o->high) {
    sw_json_real(json, "low", o->low);
    sw_json_real(json, "high", o->high);
  }
  if (o->kind == SW_CHOICE) choices_json(o, json);
  if (sw_option_alias(o)) sw_json_string(json, "alias", sw_option_alias(o));
  sw_json_string(json, "help", o->help);
  sw_json_end(json);
}

void sw_describe_options(const char *key, const sw_option *table, int count,
                         sw_json *json) {
  sw_json_array(json, key);
  for (int i = 0; i < count; i++) option_json(&table[i], json);
  sw_json_end(json);
}

static void command_json(const sw_command *c, sw_json *json) {
  sw_json_object(json, NULL);
  sw_json_string(json, "name", c->name);
  sw_json_string(json, "usage", c->usage);
  sw_json_string(json, "words", c->words);
  sw_json_string(json, "summary", c->summary);
  sw_json_string(json, "details", c->details);
  sw_json_bool(json, "takes_task", c->takes_task);
  sw_json_bool(json, "opens_domain", sw_command_opens(c));
  sw_describe_options("options", c->options, c->option_count, json);
  sw_json_end(json);
}

void sw_commands_json(const sw_command *const *table, sw_json *json) {
  sw_json_object(json, NULL);
  sw_json_string(json, "version", SW_VERSION);
  sw_json_array(json, "commands");
  for (int i = 0; table[i]; i++) command_json(table[i], json);
  sw_json_end(json);
  sw_json_array(json, "domains");
  for (int i = 0; sw_domain_kind(i); i++) {
    sw_json_object(json, NULL);
    sw_json_string(json, "name", sw_domain_kind(i)->name);
    sw_json_string(json, "summary", sw_domain_kind(i)->summary);
    sw_describe_options("options", sw_domain_kind(i)->options,
                        sw_domain_kind(i)->option_count, json);
    sw_json_end(json);
  }
  sw_json_end(json);
  sw_describe_options("domain_settings", sw_domain_settings_table,
                      SW_DOMAIN_SETTINGS_COUNT, json);
  sw_json_array(json, "models");
  for (int i = 0; i < sw_shipped_count; i++) {
    sw_json_object(json, NULL);
    sw_json_string(json, "name", sw_shipped_models[i].name);
    sw_json_string(json, "domain", sw_shipped_models[i].domain);
    sw_json_string(json, "preset", sw_shipped_models[i].preset);
    sw_json_end(json);
  }
  sw_json_end(json);
  sw_json_end(json);
}
