/* Options of domains (see task_options.h). */
#include "domains/task_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "domains/domain.h"
#include "domains/registry.h"

void sw_domain_defaults(const sw_domain *domain, sw_domain_options *options) {
  memset(options, 0, sizeof *options);
  options->domain = domain;
  options->exclude_seed = -1;
  sw_options_defaults(domain->options, domain->option_count, options);
}

/* " sat coloring": the domains that have the option. */
static void owners(const char *name, char *text, size_t room) {
  *text = 0;
  for (int i = 0; sw_domain_kind(i); i++) {
    const sw_domain *d = sw_domain_kind(i);
    size_t used = strlen(text);
    if (sw_options_find(d->options, d->option_count, name))
      snprintf(text + used, room - used, " %s", d->name);
  }
}

static int refuse(const sw_domain *domain, const char *name, sw_err *err) {
  char who[64], own[160] = "";
  owners(name, who, sizeof who);
  for (int i = 0; i < domain->option_count; i++) {
    size_t used = strlen(own);
    snprintf(own + used, sizeof own - used, " %s", domain->options[i].name);
  }
  sw_fail(err, SW_USAGE, "domain `%s` has no option --%.80s", domain->name,
          name);
  if (!*who) return sw_hint(err, "its options:%s", own);
  return sw_hint(err, "that is an option of%s; those of %s:%s", who,
                 domain->name, own);
}

int sw_domain_set(const sw_domain *domain, const char *name, const char *value,
                  sw_domain_options *options, sw_err *err) {
  if (!sw_options_find(domain->options, domain->option_count, name))
    return refuse(domain, name, err);
  return sw_options_set(domain->options, domain->option_count, name, value,
                        options, err);
}

int sw_domain_apply(const sw_domain *domain, const sw_pairs *pairs,
                    sw_domain_options *options, sw_err *err) {
  for (int i = 0; i < pairs->count; i++) {
    int code = sw_domain_set(domain, pairs->item[i].name, pairs->item[i].value,
                             options, err);
    if (!code) continue;
    if (err && !err->hint[0])
      sw_hint(err, "--help lists the options of %s", domain->name);
    return code;
  }
  return SW_OK;
}

int sw_domain_set_stored(const sw_domain *domain, const char *name,
                         const char *value, sw_domain_options *options,
                         sw_err *err) {
  if (sw_options_find(domain->options, domain->option_count, name))
    return sw_options_set(domain->options, domain->option_count, name, value,
                          options, err);
  /* A domain that is only a file's words draws and searches nothing. */
  if (domain->words && !domain->search) return SW_OK;
  for (int i = 0; sw_domain_kind(i); i++) {
    const sw_option *row = sw_options_find(
        sw_domain_kind(i)->options, sw_domain_kind(i)->option_count, name);
    if (row && (!*value || !strcmp(value, "-1") || !strcmp(value, "0") ||
                !strcmp(value, row->fallback)))
      return SW_OK;
  }
  refuse(domain, name, err);
  if (err) err->code = SW_DATA;
  return SW_DATA;
}

/* The options that the first stores had: they are always written. Any other
 * came later and is written only where it says something, so that the keys of
 * older results stay. Nothing is added here. */
static int is_of_the_first(const char *name) {
  static const char *const first[] = {
      "preset",   "n",          "format",  "expert",       "max-tokens",
      "too-long", "max-blocks", "exclude", "exclude-seed", "ratio",
      "family",   "retry-mark", "error",   "layout",       "reading",
      "stacks",   "tried",      "colors",  "density",      "loss",
      "grammar",  "arity"};
  for (size_t i = 0; i < sizeof first / sizeof *first; i++)
    if (!strcmp(first[i], name)) return 1;
  return 0;
}

static int says_nothing(const sw_option *row,
                        const sw_domain_options *options) {
  sw_domain_options plain;
  char text[400], neutral[400];
  memset(&plain, 0, sizeof plain);
  sw_options_defaults(row, 1, &plain);
  sw_option_text(row, options, text, sizeof text);
  sw_option_text(row, &plain, neutral, sizeof neutral);
  return !strcmp(text, neutral);
}

static int is_written(const sw_option *row, const sw_domain_options *options) {
  /* A path says nothing of what was in the file, and a file must not choose
   * which other files are read. */
  if (!strcmp(row->name, "problems")) return 0;
  return is_of_the_first(row->name) || !says_nothing(row, options);
}

char *sw_domain_options_json(const sw_domain *domain,
                             const sw_domain_options *options) {
  sw_json json;
  sw_json_to_text(&json);
  sw_json_object(&json, NULL);
  for (int i = 0; i < domain->option_count; i++)
    if (is_written(&domain->options[i], options))
      sw_options_json(&domain->options[i], 1, options, &json);
  sw_json_end(&json);
  char *text = json.failed ? NULL : strdup(json.text);
  sw_json_free(&json);
  return text;
}

int sw_domain_all_options(sw_option *table, int room) {
  int count = 0;
  for (int i = 0; sw_domain_kind(i); i++)
    for (int k = 0; k < sw_domain_kind(i)->option_count; k++) {
      const sw_option *row = &sw_domain_kind(i)->options[k];
      if (count < room && !sw_options_find(table, count, row->name))
        table[count++] = *row;
    }
  return count;
}
