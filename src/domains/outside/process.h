/* A program of the user's that answers line by line: started by `/bin/sh -c`
 * in a process group of its own, asked over a pipe, ended with its whole group.
 * Knows nothing of what the lines say (protocol.h does).
 *
 * What always holds: its standard error passes through. No other file of ours
 * stays open in it. It never outlives us: a watcher in its group kills the
 * group when our end of a third pipe closes, however we end. Writing to a
 * program that is gone raises no signal here. A wait ends after `seconds`, or
 * when the user asks to stop. An error leaves the process unusable, since what
 * it would say next answers an older question. One thread asks at a time. */
#ifndef SW_DOMAINS_OUTSIDE_PROCESS_H
#define SW_DOMAINS_OUTSIDE_PROCESS_H
#include <stddef.h>
#include "base/err.h"

enum { SW_PROCESS_LINE_MAX = 16 << 20 }; /* longest reply, in bytes */

typedef struct sw_process sw_process;
typedef struct sw_process_options {
  double seconds;  /* a reply may take so long; 0: as long as it takes */
  const char *log; /* file that every request and reply is added to, or NULL */
  int number;      /* of the process, for the log */
} sw_process_options;

int sw_process_start(sw_process **process, const char *command,
                     const sw_process_options *options, sw_err *err);
/* Sends one line (given without its newline) and waits for one. The reply has
 * no newline, ends with a NUL, and is good until the next call. */
int sw_process_ask(sw_process *process, const char *line, size_t bytes,
                   char **reply, size_t *length, sw_err *err);
/* Closes its input, waits a moment for it to end, kills what is left. */
void sw_process_end(sw_process *process);

/* A failure with request and reply behind the text, cut and made harmless. */
int sw_process_fail(sw_err *err, int code, const char *request,
                    const char *reply, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
