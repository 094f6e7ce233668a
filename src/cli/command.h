/* Subcommands: one file each, one row each in SW_COMMANDS (commands.h). A
 * command parses its options from its own table, calls the library and prints.
 * Its return value is a process exit code. */
#ifndef SW_CLI_COMMAND_H
#define SW_CLI_COMMAND_H
#include "base/options.h"

typedef struct sw_command {
  const char *name;    /* "train", or "bench kernels" for a two-word one */
  const char *usage;   /* arguments, as in the synopsis */
  const char *summary; /* one line */
  const char *details; /* paragraphs for --help and the man page, or NULL */
  const sw_option *options;
  int option_count;
  int (*run)(const struct sw_command *self, int argc, char **argv);
  int takes_task; /* 1: the options of its domain may be given too */
  int over_ranks; /* 1: all ranks of a job share its work; 0: rank 0 does it */
} sw_command;

/* Parses argv (argv[0] is the command's name). Returns -1 to go on, or an exit
 * code after --help (0) or an error (64). `rest` NULL: the command takes no
 * words without an option, and one is an error. A command that passes a list
 * must look at all of it. */
int sw_command_parse(const sw_command *self, int argc, char **argv,
                     void *values, unsigned char *given, sw_list *rest);
/* The same for a command that takes_task: options of a domain are collected,
 * for sw_domain_apply once the domain is known. */
int sw_command_parse_task(const sw_command *self, int argc, char **argv,
                          void *values, unsigned char *given, sw_list *rest,
                          sw_pairs *task);
/* Prints "error: ..." and "hint: ..." to standard error; returns the exit code
 * of the error. */
int sw_command_fail(const sw_err *err);

#endif
