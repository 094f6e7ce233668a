/* One rank of a job (see job.h). */
#include "cli/job.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/file.h"
#include "base/hash.h"
#include "base/ranks.h"
#include "cli/help.h"
#include "cli/stop.h"
#include "cli/terminal.h"
#include "nn/nn.h"

static sw_err pending; /* code 0: none */
static int errors = 2; /* where errors of this rank go */

/* One write, so that lines of several ranks do not mix. */
static void print(const sw_err *err, const char *who) {
  char text[1400];
  int n =
      snprintf(text, sizeof text, "error: %s%s%s%s%s\n", who, *who ? ": " : "",
               err->text, err->hint[0] ? "\nhint: " : "", err->hint);
  if (n > 0 && write(errors, text, (size_t)n) < 0) return;
}

int sw_job_fail(const sw_err *err) {
  fflush(stdout);
  if (sw_ranks_count() > 1) pending = *err;
  else print(err, "");
  return sw_error_exit_code(err->code);
}

/* Runs in the watching thread, because the main one may be deep in a
 * computation. */
static void end_at_once(const sw_err *err) {
  struct timespec moment = {0, 500000000}; /* for other ranks to report too */
  print(err, sw_ranks_name(sw_ranks_me()));
  nanosleep(&moment, NULL);
  sw_ranks_abort(sw_error_exit_code(err->code));
  _exit(sw_error_exit_code(err->code));
}

static void keep_quiet(void) {
  int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  errors = fcntl(2, F_DUPFD_CLOEXEC, 3);
  if (nowhere < 0 || errors < 0) return;
  dup2(nowhere, 1);
  dup2(nowhere, 2);
  close(nowhere);
}

static uint64_t program_hash(void) {
  sw_content program;
  if (sw_content_read(&program, "/proc/self/exe", NULL)) return 0;
  uint64_t hash = sw_xxh64(program.data, program.bytes, 0);
  sw_content_free(&program);
  return hash;
}

static int compare_ranks(int argc, char **argv, sw_err *err) {
  uint64_t arguments = 0;
  for (int i = 1; i < argc; i++)
    arguments = sw_xxh64(argv[i], strlen(argv[i]) + 1, arguments);
  SW_TRY(sw_ranks_same("the program", program_hash(), err));
  SW_TRY(sw_ranks_same("the command line", arguments, err));
  const nn_kernels *kernels = nn_select(NULL, err);
  if (!kernels) return err->code;
  int code = sw_ranks_same(
      "the kernel set", sw_xxh64(kernels->name, strlen(kernels->name), 0), err);
  if (code == SW_USAGE)
    sw_hint(err,
            "the machines have different processors; set "
            "STATEWISE_KERNELS=avx2 (or portable) for all of them");
  return code;
}

int sw_job_begin(int argc, char **argv) {
  sw_err err = {0};
  sw_ranks_on_loss(end_at_once);
  int code = sw_ranks_start(&err);
  if (!code && sw_ranks_count() > 1) {
    if (sw_ranks_me()) keep_quiet();
    code = compare_ranks(argc, argv, &err);
  }
  if (!code) return 0;
  return sw_job_fail(&err);
}

/* Progress of the command goes to the terminal, errors to sw_job_fail. */
static void tell(void *context, const sw_event *event) {
  if (event->kind == SW_EVENT_ERROR) sw_job_fail(event->error);
  else sw_terminal_tell(context, event);
}

int sw_job_run(const sw_command *command, int argc, char **argv) {
  command = sw_command_meant(command, &argc, argv);
  if (sw_ranks_count() > 1 && !command->over_ranks) {
    if (sw_ranks_me()) return 0;
    sw_ranks_work_alone();
  }
  if (sw_command_help_asked(command, argc, argv)) {
    sw_help_command(command, sw_help_domain(argc, argv), stdout);
    return 0;
  }
  sw_err err = {0};
  sw_terminal terminal = {0};
  sw_command_io io = {.out = stdout,
                      .tell = tell,
                      .stop = sw_stop_requested,
                      .context = &terminal};
  if (command->stoppable) sw_stop_on_signals();
  int code = sw_command_run(command, &io, argc, argv, &err);
  if (terminal.drawn) fputc('\n', stderr);
  return code ? sw_job_fail(&err) : io.exit_code;
}

int sw_job_end(int exit_code) {
  char who[128] = "";
  int me = sw_ranks_me(), others_wait;
  if (sw_ranks_count() > 1 && exit_code && !pending.code)
    sw_fail(&pending, SW_INTERNAL, "ended with exit code %d", exit_code);
  if (me) snprintf(who, sizeof who, "%s", sw_ranks_name(me));
  fflush(stdout);
  int first = sw_ranks_settle(pending.code ? &pending : NULL, &others_wait);
  if (pending.code && first == me) print(&pending, who);
  if (others_wait) {
    sw_ranks_abort(exit_code);
    _exit(exit_code);
  }
  sw_ranks_leave();
  return exit_code;
}
