/* The program as one rank of a job (base/ranks.h). Rank 0 speaks for all: the
 * others' standard output and error lead nowhere, and of several errors the
 * first rank's is shown. Alone, everything is printed as it comes. */
#ifndef SW_CLI_JOB_H
#define SW_CLI_JOB_H
#include "command/command.h"

/* Joins the job and makes sure that all ranks run the same program with the
 * same arguments and kernels. Returns 0 or an exit code after an error. */
int sw_job_begin(int argc, char **argv);
/* Runs the command on all ranks, or on rank 0 alone if it does not share work.
 */
int sw_job_run(const sw_command *command, int argc, char **argv);
/* Prints an error now, or keeps it for sw_job_end; returns its exit code. */
int sw_job_fail(const sw_err *err);
/* Leaves the job; returns the exit code. */
int sw_job_end(int exit_code);

#endif
