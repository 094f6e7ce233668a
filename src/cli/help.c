/* `statewise help`, the overview, and the help of one command. */
#include "cli/help.h"
#include "cli/examples.h"
#include "cli/groups.h"
#include "cli/topics.h"
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
          "one.\nstatewise help TOPIC explains a subject:");
  for (const sw_topic *t = sw_topics; t->name; t++)
    fprintf(out, "%s %s", t == sw_topics ? "" : ",", t->name);
  fputs(".\n", out);
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

/* A long table by groups; a short one as it is. */
static void list_options(const sw_command *command, FILE *out) {
  const sw_option *option = command->options;
  if (command->option_count <= SW_GROUPED_FROM) {
    fputs("\noptions:\n", out);
    sw_options_help(option, command->option_count, out);
    return;
  }
  for (const sw_option_group *g = sw_option_groups; g->title; g++) {
    int shown = 0;
    for (int i = 0; i < command->option_count; i++)
      if (sw_option_in_group(&option[i], g)) {
        if (!shown++) fprintf(out, "\noptions, %s:\n", g->title);
        sw_options_help(&option[i], 1, out);
      }
  }
  for (int i = 0, shown = 0; i < command->option_count; i++)
    if (!sw_option_has_group(&option[i])) {
      if (!shown++) fputs("\noptions, other:\n", out);
      sw_options_help(&option[i], 1, out);
    }
}

static void help_examples(const char *command, FILE *out) {
  int shown = 0;
  for (const sw_command_example *e = sw_command_examples; e->command; e++) {
    if (strcmp(e->command, command)) continue;
    if (!shown++) fputs("\nexamples:\n", out);
    fprintf(out, "  # %s\n", e->says);
    char line[400];
    snprintf(line, sizeof line, "statewise %s %s", command, e->arguments);
    sw_help_shell(out, line);
  }
}

void sw_help_command(const sw_command *command, const sw_domain *domain,
                     FILE *out) {
  char usage[400];
  snprintf(usage, sizeof usage, "usage: statewise %s%s%s\n\n%s.\n",
           command->name, *command->usage ? " " : "", command->usage,
           command->summary);
  sw_help_paragraph(out, usage);
  if (command->details) {
    fputc('\n', out);
    sw_help_paragraph(out, command->details);
  }
  if (command->option_count) list_options(command, out);
  if (command->takes_task) sw_help_task(domain, out);
  if (sw_command_opens(command)) {
    fprintf(out, "\nwith a domain `exec:COMMAND` (docs/your-own.md):\n");
    sw_options_help(sw_domain_settings_table, SW_DOMAIN_SETTINGS_COUNT, out);
  }
  help_examples(command->name, out);
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

#define HELP_OPTIONS(X)                                                   \
  X(json, FLAG, "json", "0", 0, 0, "",                                    \
    "print the commands and their options as one JSON object")            \
  X(list, FLAG, "list", "0", 0, 0, "", "print the names of the commands") \
  X(man, FLAG, "man", "0", 0, 0, "",                                      \
    "print the man page (troff): of the program, or of a command")        \
  X(completion, FLAG, "completion", "0", 0, 0, "",                        \
    "print completion for a shell")                                       \
  X(shell, CHOICE, "shell", "bash", 0, 0, "bash|zsh|fish", "which shell")

typedef struct help_options {
  HELP_OPTIONS(SW_OPTION_FIELD)
} help_options;

static const sw_option help_table[] = {
#define X(...) SW_OPTION_ROW(help_options, __VA_ARGS__)
    HELP_OPTIONS(X)
#undef X
};

/* `help gen sat`, `help probe bank sat`: the last word names a domain. */
static int help_words(const sw_list *rest, int man, sw_command_io *io,
                      sw_err *err) {
  const sw_domain *domain =
      rest->count > 1 ? sw_domain_find(rest->item[rest->count - 1]) : NULL;
  int words = rest->count - (domain != NULL);
  char name[128];
  snprintf(name, sizeof name, "%s%s%s", rest->item[0], words > 1 ? " " : "",
           words > 1 ? rest->item[1] : "");
  const sw_command *command = sw_command_find(sw_program_commands, name);
  const sw_topic *topic = command ? NULL : sw_topic_find(name);
  if (topic) topic->print(io->out);
  else if (!command)
    return sw_help_group(name, io->out) ? SW_OK : sw_help_unknown(name, err);
  else if (man) sw_help_man_command(command, io->out);
  else sw_help_command(command, domain, io->out);
  return SW_OK;
}

static int run(const sw_command *self, sw_command_io *io, int argc, char **argv,
               sw_err *err) {
  help_options options;
  sw_list rest;
  SW_TRY(sw_command_parse(self, argc, argv, &options, NULL, &rest, err));
  if (options.json) {
    sw_json json;
    sw_json_to_file(&json, io->out);
    sw_commands_json(sw_program_commands, &json);
    return SW_OK;
  }
  if (options.list) {
    for (int i = 0; sw_program_commands[i]; i++)
      fprintf(io->out, "%s\n", sw_program_commands[i]->name);
    return SW_OK;
  }
  if (options.completion) {
    sw_help_completion((sw_shell)options.shell, io->out);
    return SW_OK;
  }
  if (rest.count == 0) {
    if (options.man) sw_help_man(io->out);
    else sw_help_overview(io->out);
    return SW_OK;
  }
  return help_words(&rest, options.man, io, err);
}

const sw_command sw_command_help = {
    .name = "help",
    .usage = "[COMMAND [DOMAIN] | TOPIC] [--man | --completion]",
    .summary =
        "Explain a command or a subject, or print man pages and completion",
    .options = help_table,
    .option_count = sizeof help_table / sizeof *help_table,
    .run = run};
