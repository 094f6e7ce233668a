/* Help in its three forms, all from the command table: text, man pages and
 * completion. */
#ifndef SW_CLI_HELP_H
#define SW_CLI_HELP_H
#include <stdio.h>
#include "command/commands.h"
#include "base/version.h"
#include "domains/domain.h"

/* Every command of the program, NULL-terminated. */
extern const sw_command *const sw_program_commands[];

void sw_help_overview(FILE *out);
/* `domain` NULL: none was named, so the options of all are listed. */
void sw_help_command(const sw_command *command, const sw_domain *domain,
                     FILE *out);
/* The domain that the arguments name, or NULL. */
const sw_domain *sw_help_domain(int argc, char **argv);
void sw_help_task(const sw_domain *domain, FILE *out);
/* Lists the commands that begin with the word `first`; how many there are. */
int sw_help_group(const char *first, FILE *out);
/* manual.c: the page of the program, and of one command. */
void sw_help_man(FILE *out);
void sw_help_man_command(const sw_command *command, FILE *out);
/* completion.c */
typedef enum { SW_SHELL_BASH, SW_SHELL_ZSH, SW_SHELL_FISH } sw_shell;
void sw_help_completion(sw_shell shell, FILE *out);
/* The error for an unknown command; its hint is the nearest name. */
int sw_help_unknown(const char *name, sw_err *err);

#endif
