/* Commands: one file each, one row each in SW_COMMANDS (commands.h). A command
 * parses its options from its own table, calls the library and writes its
 * result to where its caller wants it (io.h). */
#ifndef SW_COMMAND_COMMAND_H
#define SW_COMMAND_COMMAND_H
#include "base/options.h"
#include "command/io.h"

typedef struct sw_command {
  const char *name;    /* "train", or "bench kernels" for a two-word one */
  const char *usage;   /* arguments, as in the synopsis */
  const char *words;   /* those without a dash: "FILE", "[DIR]", "FILE..."
                        * ("[ID]...": there may be none), "a|b"; NULL: none */
  const char *summary; /* one line */
  const char *details; /* paragraphs for --help and the man page, or NULL */
  const sw_option *options;
  int option_count;
  int (*run)(const struct sw_command *self, sw_command_io *io, int argc,
             char **argv, sw_err *err);
  /* Optional: the other command that these arguments ask for, or NULL. It may
   * remove words of argv. */
  const struct sw_command *(*instead)(int *argc, char **argv);
  int takes_task; /* 1: the options of its domain may be given too */
  int over_ranks; /* 1: all ranks of a job share its work; 0: rank 0 does it */
  int stoppable;  /* 1: a request to stop is heard; 0: a signal ends it */
} sw_command;

/* Runs a command to its end; argv[0] is its name. Domains that it opens are
 * closed again. `err` is required. Runs of several threads do not meet. */
int sw_command_run(const sw_command *command, sw_command_io *io, int argc,
                   char **argv, sw_err *err);
/* The command that is really asked for: see `instead`. */
const sw_command *sw_command_meant(const sw_command *command, int *argc,
                                   char **argv);
/* Is --help among the arguments, and all before it in order? */
int sw_command_help_asked(const sw_command *command, int argc, char **argv);

/* May its arguments name a domain that has to be opened (registry.h)? */
int sw_command_opens(const sw_command *command);
/* What may be given beside the command's own options: those of all domains, and
 * settings of domains that are opened. Fills all[SW_TASK_OPTIONS_MAX]. */
int sw_command_other_options(const sw_command *command, sw_option *all);

/* Parses argv (argv[0] is the command's name). `rest` NULL: the command takes
 * no words without an option, and one is an error. A command that passes a list
 * must look at all of it. */
int sw_command_parse(const sw_command *self, int argc, char **argv,
                     void *values, unsigned char *given, sw_list *rest,
                     sw_err *err);
/* The same for a command that takes_task: options of a domain are collected,
 * for sw_domain_apply once the domain is known. */
int sw_command_parse_task(const sw_command *self, int argc, char **argv,
                          void *values, unsigned char *given, sw_list *rest,
                          sw_pairs *task, sw_err *err);

#endif
