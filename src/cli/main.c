/* The program: finds the command ("bench kernels" before "bench") and runs it.
 * Exit codes are those of the command; a wrong request is 64. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cli/help.h"
#include "cli/job.h"

/* The command's argv[0] is its last word, so options start at argv[1]. */
static int dispatch(int argc, char **argv) {
  char two_words[128];
  const sw_command *command = NULL;
  if (argc > 2) {
    snprintf(two_words, sizeof two_words, "%s %s", argv[1], argv[2]);
    command = sw_command_find(sw_program_commands, two_words);
    if (command) return sw_job_run(command, argc - 2, argv + 2);
  }
  command = sw_command_find(sw_program_commands, argv[1]);
  if (command) return sw_job_run(command, argc - 1, argv + 1);
  int wants_help = argc > 2 && (strcmp(argv[2], "--help") == 0 ||
                                strcmp(argv[2], "-h") == 0);
  if (wants_help && sw_help_group(argv[1], stdout)) return 0;
  int has_second = argc > 2 && argv[2][0] != '-';
  sw_err err = {0};
  sw_help_unknown(has_second ? two_words : argv[1], &err);
  return sw_job_fail(&err);
}

/* errno would not say: the write that failed may lie far back. */
static int reader_is_gone(void) {
  struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
  return poll(&out, 1, 0) > 0 && out.revents & POLLERR;
}

/* The exit code once everything is printed. An answer that could not be written
 * does not count, be it 0 or solve's 10 and 20. */
static int leave(int code) {
  if ((!fflush(stdout) && !ferror(stdout)) || code >= 64) return code;
  /* A reader that has seen enough (| head) needs no message. */
  if (!reader_is_gone())
    fprintf(stderr, "error: standard output could not be written\n");
  return sw_error_exit_code(SW_IO);
}

int main(int argc, char **argv) {
  /* A closed pipe, and a file as large as it may be, are write errors, not a
   * death. */
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  if (argc < 2) {
    sw_err err = {0};
    sw_fail(&err, SW_USAGE, "no command given");
    sw_hint(&err, "statewise help lists the commands");
    return sw_job_fail(&err);
  }
  if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
    printf("statewise %s\n", SW_VERSION);
    return leave(0);
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
    sw_help_overview(stdout);
    return leave(0);
  }
  int code = sw_job_begin(argc, argv);
  if (!code) code = dispatch(argc, argv);
  return leave(sw_job_end(code));
}
