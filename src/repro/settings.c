/* Settings as text (see settings.h). */
#include "repro/settings.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int sw_settings_read(sw_settings *settings, const char *first,
                     const char *second, sw_err *err) {
  memset(settings, 0, sizeof *settings);
  if (!first) first = "";
  if (!second) second = "";
  size_t length = strlen(first) + strlen(second) + 2;
  settings->text = malloc(length);
  settings->pair = calloc(length + 2, sizeof *settings->pair);
  if (!settings->text || !settings->pair) {
    sw_settings_free(settings);
    return sw_no_memory(err);
  }
  snprintf(settings->text, length, "%s %s", first, second);
  char *rest = NULL;
  for (char *word = strtok_r(settings->text, " ", &rest); word;
       word = strtok_r(NULL, " ", &rest)) {
    char *equals = strchr(word, '=');
    if (!equals) {
      sw_fail(err, SW_INTERNAL, "setting `%s` is not name=value", word);
      sw_settings_free(settings);
      return SW_INTERNAL;
    }
    *equals = 0;
    settings->pair[2 * settings->count] = word;
    settings->pair[2 * settings->count++ + 1] = equals + 1;
  }
  return SW_OK;
}

const char **sw_settings_behind(const sw_settings *settings,
                                const char *const *before) {
  size_t count = 0, own = 2 * (size_t)settings->count;
  while (before && before[count]) count++;
  const char **all = calloc(count + own + 1, sizeof *all);
  if (!all) return NULL;
  if (count) memcpy(all, before, count * sizeof *all);
  if (own) memcpy(all + count, settings->pair, own * sizeof *all);
  return all;
}

void sw_settings_free(sw_settings *settings) {
  free(settings->pair);
  free(settings->text);
  memset(settings, 0, sizeof *settings);
}
