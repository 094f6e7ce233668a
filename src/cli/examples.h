/* Examples of every command, for --help, the man pages and the tests, which
 * run those that need no network and parse the others. */
#ifndef SW_CLI_EXAMPLES_H
#define SW_CLI_EXAMPLES_H

typedef struct sw_command_example {
  const char *command;   /* its name */
  const char *arguments; /* as a shell takes them */
  const char *says;      /* what it does, a few words */
} sw_command_example;

extern const sw_command_example
    sw_command_examples[]; /* ends with a NULL command */

#endif
