/* What every command shares: the table, running one, and option parsing. */
#include "command/command.h"
#include <stdlib.h>
#include <string.h>
#include "base/stop.h"
#include "command/commands.h"
#include "domains/domain.h"
#include "domains/registry.h"

const sw_command *const sw_commands[] = {
#define X(id) &sw_command_##id,
#define PROGRAM_ONLY(id)
    SW_COMMANDS(X, PROGRAM_ONLY)
#undef PROGRAM_ONLY
#undef X
        NULL};

const sw_command *sw_command_find(const sw_command *const *table,
                                  const char *name) {
  for (int i = 0; table[i]; i++)
    if (strcmp(table[i]->name, name) == 0) return table[i];
  return NULL;
}

const sw_command *sw_command_meant(const sw_command *command, int *argc,
                                   char **argv) {
  const sw_command *other =
      command->instead ? command->instead(argc, argv) : NULL;
  return other ? other : command;
}

int sw_command_run(const sw_command *command, sw_command_io *io, int argc,
                   char **argv, sw_err *err) {
  sw_domain_scope domains; /* domains that the arguments open */
  sw_stop_scope stop;
  command = sw_command_meant(command, &argc, argv);
  io->exit_code = 0;
  sw_stop_enter(&stop, 0, io->stop, io->context);
  sw_domain_scope_enter(&domains);
  int code = command->run(command, io, argc, argv, err);
  sw_domain_scope_leave(&domains);
  sw_stop_leave(&stop);
  return code;
}

int sw_command_opens(const sw_command *command) {
  return command->takes_task ||
         sw_options_find(command->options, command->option_count, "domain");
}

int sw_command_other_options(const sw_command *command, sw_option *all) {
  int count =
      command->takes_task ? sw_domain_all_options(all, SW_TASK_OPTIONS_MAX) : 0;
  for (int i = 0; i < SW_DOMAIN_SETTINGS_COUNT && sw_command_opens(command);
       i++)
    if (count < SW_TASK_OPTIONS_MAX) all[count++] = sw_domain_settings_table[i];
  return count;
}

/* Settings of domains that are opened go to the scope, the rest to *task. */
static int settle(const sw_pairs *given, sw_pairs *task, sw_err *err) {
  for (int i = 0; i < given->count; i++) {
    const char *name = given->item[i].name, *value = given->item[i].value;
    if (sw_options_find(sw_domain_settings_table, SW_DOMAIN_SETTINGS_COUNT,
                        name))
      SW_TRY(sw_options_set(sw_domain_settings_table, SW_DOMAIN_SETTINGS_COUNT,
                            name, value, sw_domain_scope_settings(), err));
    else SW_TRY(sw_pairs_add(task, name, value, err));
  }
  return SW_OK;
}

int sw_command_help_asked(const sw_command *command, int argc, char **argv) {
  sw_option all[SW_TASK_OPTIONS_MAX];
  sw_later later = {.table = all,
                    .count = sw_command_other_options(command, all)};
  sw_list rest;
  size_t bytes = sizeof(sw_list);
  int help = 0;
  for (int i = 0; i < command->option_count; i++)
    if (command->options[i].offset + sizeof(sw_list) > bytes)
      bytes = command->options[i].offset + sizeof(sw_list);
  void *values = calloc(1, bytes);
  if (!values) return 0;
  int code = sw_options_parse(command->options, command->option_count, argc,
                              argv, values, NULL, &later, &rest, &help, NULL);
  free(values);
  return !code && help;
}

int sw_command_parse_task(const sw_command *self, int argc, char **argv,
                          void *values, unsigned char *given, sw_list *rest,
                          sw_pairs *task, sw_err *err) {
  sw_option all[SW_TASK_OPTIONS_MAX];
  sw_later later = {.table = all, .count = sw_command_other_options(self, all)};
  sw_pairs none = {0};
  sw_options_defaults(self->options, self->option_count, values);
  int code = sw_options_parse(self->options, self->option_count, argc, argv,
                              values, given, &later, rest, NULL, err);
  if (code && err && !err->hint[0])
    sw_hint(err, "statewise %s --help shows the usage", self->name);
  if (task) task->count = 0;
  return code ? code : settle(&later.pairs, task ? task : &none, err);
}

int sw_command_parse(const sw_command *self, int argc, char **argv,
                     void *values, unsigned char *given, sw_list *rest,
                     sw_err *err) {
  return sw_command_parse_task(self, argc, argv, values, given, rest, NULL,
                               err);
}
