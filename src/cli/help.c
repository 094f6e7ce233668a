/* `statewise help`, the overview, and the help of one command. */
#include "cli/help.h"
#include "domains/registry.h"
#include <stdio.h>
#include <string.h>
#include "command/describe.h"

const sw_command *const sw_program_commands[] = {
#define X(id) &sw_command_##id,
    SW_COMMANDS(X, X)
#undef X
        NULL};

void sw_help_overview(FILE *out) {
  fprintf(out,
          "statewise %s: train, run and audit small transformers on solver "
          "search traces\n\nusage: statewise COMMAND [ARGUMENT]... "
          "[--OPTION VALUE]...\n\n",
          SW_VERSION);
  for (int i = 0; sw_program_commands[i]; i++)
    fprintf(out, "  %-18s %s\n", sw_program_commands[i]->name,
            sw_program_commands[i]->summary);
  fprintf(out,
          "\nstatewise COMMAND --help (or statewise help COMMAND) explains "
          "one.\n");
}

/* "sat, trees", or "" when every domain has the option. */
static void owners_of(const char *name, char *text, size_t room) {
  int every = 1;
  *text = 0;
  for (int i = 0; sw_domain_kind(i); i++) {
    const sw_domain *d = sw_domain_kind(i);
    size_t used = strlen(text);
    if (!sw_options_find(d->options, d->option_count, name)) every = 0;
    else snprintf(text + used, room - used, "%s%s", used ? ", " : "", d->name);
  }
  if (every) *text = 0;
}

/* The help of an option over all domains: each wording with its domains. */
static void help_over_domains(const char *name, char *text, size_t room) {
  const char *first = NULL;
  int differ = 0;
  *text = 0;
  for (int i = 0; sw_domain_kind(i); i++) {
    const sw_domain *d = sw_domain_kind(i);
    const sw_option *o = sw_options_find(d->options, d->option_count, name);
    if (!o) continue;
    size_t used = strlen(text);
    if (first && strcmp(first, o->help)) differ = 1;
    first = o->help;
    snprintf(text + used, room - used, "%s%s: %s", used ? "; " : "", d->name,
             o->help);
  }
  if (differ || !first) return;
  char owners[100];
  owners_of(name, owners, sizeof owners);
  snprintf(text, room, *owners ? "%s (%s)" : "%s", first, owners);
}

const sw_domain *sw_help_domain(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    const char *word = argv[i];
    if (strncmp(word, "--domain=", 9) == 0) word += 9;
    const sw_domain *domain = sw_domain_find(word);
    if (domain) return domain;
  }
  return NULL;
}

void sw_help_task(const sw_domain *domain, FILE *out) {
  sw_option all[SW_TASK_OPTIONS_MAX];
  if (domain) {
    fprintf(out, "\noptions of domain %s:\n", domain->name);
    sw_options_help(domain->options, domain->option_count, out);
    return;
  }
  int count = sw_domain_all_options(all, SW_TASK_OPTIONS_MAX);
  fprintf(out,
          "\noptions of the domain (name one to see only its own; others are "
          "refused):\n");
  for (int i = 0; i < count; i++) {
    char text[700];
    help_over_domains(all[i].name, text, sizeof text);
    all[i].help = text;
    sw_options_help(&all[i], 1, out);
  }
}

void sw_help_command(const sw_command *command, const sw_domain *domain,
                     FILE *out) {
  fprintf(out, "usage: statewise %s%s%s\n\n%s.\n", command->name,
          *command->usage ? " " : "", command->usage, command->summary);
  if (command->details) fprintf(out, "\n%s\n", command->details);
  if (command->option_count) {
    fprintf(out, "\noptions:\n");
    sw_options_help(command->options, command->option_count, out);
  }
  if (command->takes_task) sw_help_task(domain, out);
  if (sw_command_opens(command)) {
    fprintf(out, "\nwith a domain `exec:COMMAND` (docs/your-own.md):\n");
    sw_options_help(sw_domain_settings_table, SW_DOMAIN_SETTINGS_COUNT, out);
  }
}

int sw_help_group(const char *first, FILE *out) {
  size_t length = strlen(first);
  int found = 0;
  for (int i = 0; sw_program_commands[i]; i++) {
    const sw_command *c = sw_program_commands[i];
    if (strncmp(c->name, first, length) != 0 || c->name[length] != ' ')
      continue;
    fprintf(out, "  %-18s %s\n", c->name, c->summary);
    found++;
  }
  return found;
}

/* "show" alone, or "show nothing": the two-word commands that begin so. */
static int list_group(const char *first, char *text, size_t room) {
  size_t length = strlen(first), used = 0;
  int found = 0;
  for (int i = 0; sw_program_commands[i]; i++) {
    const char *name = sw_program_commands[i]->name;
    if (strncmp(name, first, length) != 0 || name[length] != ' ') continue;
    int n =
        snprintf(text + used, room - used, "%s%s", found++ ? ", " : "", name);
    if (n > 0 && used + (size_t)n < room) used += (size_t)n;
  }
  return found;
}

int sw_help_unknown(const char *name, sw_err *err) {
  char first[64], group[200];
  snprintf(first, sizeof first, "%.*s", (int)strcspn(name, " "), name);
  const char *names[128];
  int count = 0;
  for (; sw_program_commands[count] && count < 128; count++)
    names[count] = sw_program_commands[count]->name;
  const char *near = sw_nearest(name, names, count);
  int code = sw_fail(err, SW_USAGE, "\"%.60s\" is not a command", name);
  int is_group = list_group(first, group, sizeof group);
  if (is_group && strcmp(first, name) == 0)
    code = sw_fail(err, SW_USAGE, "\"%s\" needs a second word", name);
  if (near && strcmp(first, name) != 0)
    return sw_hint(err, "did you mean \"statewise %s\"?", near);
  if (is_group) return sw_hint(err, "one of: %s", group);
  if (!near) near = sw_nearest(first, names, count);
  if (near) return sw_hint(err, "did you mean \"statewise %s\"?", near);
  sw_hint(err, "statewise help lists the commands");
  return code;
}

#define HELP_OPTIONS(X)                                            \
  X(json, FLAG, "json", "0", 0, 0, "",                             \
    "print the commands and their options as one JSON object")     \
  X(man, FLAG, "man", "0", 0, 0, "", "print the man page (troff)") \
  X(completion, FLAG, "completion", "0", 0, 0, "",                 \
    "print bash completion; source it from ~/.bashrc")

typedef struct help_options {
  HELP_OPTIONS(SW_OPTION_FIELD)
} help_options;

static const sw_option help_table[] = {
#define X(...) SW_OPTION_ROW(help_options, __VA_ARGS__)
    HELP_OPTIONS(X)
#undef X
};

static int run(const sw_command *self, sw_command_io *io, int argc, char **argv,
               sw_err *err) {
  help_options options;
  sw_list rest;
  SW_TRY(sw_command_parse(self, argc, argv, &options, NULL, &rest, err));
  if (options.man) {
    sw_help_man(io->out);
  } else if (options.json) {
    sw_json json;
    sw_json_to_file(&json, io->out);
    sw_commands_json(sw_program_commands, &json);
  } else if (options.completion) {
    sw_help_completion(io->out);
  } else if (rest.count == 0) {
    sw_help_overview(io->out);
  } else {
    /* `help gen sat`, `help probe bank sat`: the last word names a domain. */
    const sw_domain *domain =
        rest.count > 1 ? sw_domain_find(rest.item[rest.count - 1]) : NULL;
    char name[128];
    int words = rest.count - (domain != NULL);
    snprintf(name, sizeof name, "%s%s%s", rest.item[0], words > 1 ? " " : "",
             words > 1 ? rest.item[1] : "");
    const sw_command *command = sw_command_find(sw_program_commands, name);
    if (!command && sw_help_group(name, io->out)) return SW_OK;
    if (!command) return sw_help_unknown(name, err);
    sw_help_command(command, domain, io->out);
  }
  return SW_OK;
}

const sw_command sw_command_help = {
    .name = "help",
    .usage = "[COMMAND [DOMAIN]] [--man | --completion]",
    .summary = "Explain a command, or print the man page or bash completion",
    .options = help_table,
    .option_count = sizeof help_table / sizeof *help_table,
    .run = run};
