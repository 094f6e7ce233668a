/* What a command is given besides its options: where its result goes, where
 * progress is reported, and when to stop. The program gives standard output and
 * a terminal (src/cli/terminal.h), the C API a buffer and a callback. A command
 * never prints; it fills the caller's error. */
#ifndef SW_COMMAND_IO_H
#define SW_COMMAND_IO_H
#include <stdint.h>
#include <stdio.h>
#include "base/err.h"
#include "base/hooks.h"
#include "train/trainer.h"

/* How much a command was asked to say (--progress). */
typedef enum {
  SW_PROGRESS_AUTO,
  SW_PROGRESS_PLAIN,
  SW_PROGRESS_NONE,
  SW_PROGRESS_JSON
} sw_progress_mode;

typedef enum {
  SW_EVENT_BEGIN, /* a piece of work begins: `what`, `total` (0: unknown) */
  SW_EVENT_DONE,  /* `done` of `total`; `detail` or NULL */
  SW_EVENT_END,   /* it is over */
  SW_EVENT_STEP,  /* a step of training: `step`, and `line` about it */
  SW_EVENT_LINE,  /* `line` about the work */
  SW_EVENT_NOTE,  /* `line`: a remark that no mode silences */
  SW_EVENT_ERROR  /* `error`: something failed, and the command goes on */
} sw_event_kind;

typedef struct sw_event {
  sw_event_kind kind;
  sw_progress_mode mode;
  const char *what, *detail, *line;
  int64_t done, total;
  double seconds; /* since the beginning of the work */
  const sw_train_report *step;
  const sw_err *error;
} sw_event;

typedef struct sw_command_io {
  FILE *out; /* the result: text, or one JSON document */
  void (*tell)(void *context, const sw_event *event); /* may be NULL */
  sw_stop_fn stop;                                    /* may be NULL */
  void *context;
  int exit_code; /* the exit code of a finished command (solve: 10, 20) */
} sw_command_io;

void sw_tell(const sw_command_io *io, const sw_event *event);
/* A remark beside the result, without a newline. */
void sw_note(const sw_command_io *io, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A piece of work that can say how far it is. */
typedef struct sw_progress {
  const sw_command_io *io;
  sw_progress_mode mode;
  const char *what;
  double started; /* seconds */
  int64_t total;
} sw_progress;
void sw_progress_begin(sw_progress *p, const sw_command_io *io,
                       sw_progress_mode mode, const char *what, int64_t total);
/* `detail` may be NULL. */
void sw_progress_step(sw_progress *p, int64_t done, const char *detail);
/* The same as a callback (sw_progress_fn); the context is the sw_progress. */
void sw_progress_show(void *progress, const char *label, int64_t done,
                      int64_t total);
void sw_progress_end(sw_progress *p);

#endif
