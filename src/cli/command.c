/* What every command shares: the table, option parsing with --help, and the
 * printing of errors. */
#include "cli/command.h"
#include <stdio.h>
#include <string.h>
#include "cli/commands.h"
#include "cli/help.h"
#include "domains/domain.h"
#include "cli/job.h"

const sw_command *const sw_commands[] = {
#define X(id) &sw_command_##id,
    SW_COMMANDS(X)
#undef X
        NULL};

const sw_command *sw_command_find(const char *name) {
  for (int i = 0; sw_commands[i]; i++)
    if (strcmp(sw_commands[i]->name, name) == 0) return sw_commands[i];
  return NULL;
}

int sw_command_fail(const sw_err *err) {
  sw_job_error(err);
  return sw_error_exit_code(err->code);
}

/* The domain that the command line names, for --help; NULL: none. */
static const sw_domain *domain_named(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    const char *word = argv[i];
    if (strncmp(word, "--domain=", 9) == 0) word += 9;
    const sw_domain *domain = sw_domain_find(word);
    if (domain) return domain;
  }
  return NULL;
}

int sw_command_parse_task(const sw_command *self, int argc, char **argv,
                          void *values, unsigned char *given, sw_list *rest,
                          sw_pairs *task) {
  sw_option all[SW_TASK_OPTIONS_MAX];
  sw_later later = {.table = all};
  sw_err err = {0};
  int help = 0;
  if (task) later.count = sw_domain_all_options(all, SW_TASK_OPTIONS_MAX);
  sw_options_defaults(self->options, self->option_count, values);
  if (sw_options_parse(self->options, self->option_count, argc, argv, values,
                       given, &later, rest, &help, &err)) {
    if (!err.hint[0])
      sw_hint(&err, "statewise %s --help shows the usage", self->name);
    return sw_command_fail(&err);
  }
  if (task) *task = later.pairs;
  if (!help) return -1;
  sw_help_command(self, domain_named(argc, argv), stdout);
  return 0;
}

int sw_command_parse(const sw_command *self, int argc, char **argv,
                     void *values, unsigned char *given, sw_list *rest) {
  return sw_command_parse_task(self, argc, argv, values, given, rest, NULL);
}
