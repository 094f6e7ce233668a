/* Errors. A library function that can fail returns 0 on success or one of the
 * codes below, and describes the failure in a caller-owned sw_err: what failed
 * (with file, line and value of the *input*, where there is one) and a hint.
 * Nothing in the library prints or exits. `err` may be NULL: only the code is
 * then reported. Codes are stable: new ones are appended. */
#ifndef SW_BASE_ERR_H
#define SW_BASE_ERR_H

#define SW_ERROR_CODES(X)                                         \
  X(OK, 0, 0, "no error")                                         \
  X(USAGE, 1, 64, "the request itself is wrong")                  \
  X(DATA, 2, 65, "an input's content is wrong")                   \
  X(NOFILE, 3, 66, "an input cannot be opened")                   \
  X(MEMORY, 4, 71, "out of memory")                               \
  X(IO, 5, 74, "reading or writing failed")                       \
  X(STOPPED, 6, 75, "stopped before the end; run again to go on") \
  X(LIMIT, 7, 69, "the input does not fit a fixed limit")         \
  X(INTERNAL, 8, 70, "a broken invariant: please report it")      \
  X(LOST, 9, 76, "another process of the job was lost")           \
  X(DIVERGED, 10, 78, "training diverged: a number is not finite")

enum {
#define X(name, code, exit_code, text) SW_##name = code,
  SW_ERROR_CODES(X)
#undef X
};

typedef struct sw_err {
  int code;
  char text[768]; /* one line, no newline */
  char hint[256]; /* empty when there is none */
} sw_err;

/* Fills *err (when not NULL) and returns `code`, so that callers write
 * `return sw_fail(err, SW_DATA, "%s:%d: ...", file, line);`. */
int sw_fail(sw_err *err, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* SW_MEMORY, worded in one place: "out of memory", or "out of memory for" what
 * the format says. */
int sw_no_memory(sw_err *err);
int sw_no_memory_for(sw_err *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Adds a hint to an error that sw_fail has just filled; returns err's code. */
int sw_hint(sw_err *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Puts "context: " in front of the text already there. */
int sw_context(sw_err *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
const char *sw_error_name(int code);
/* The name as programs compare it: "usage", "data", "stopped", ... */
void sw_error_code(int code, char text[16]);
int sw_error_exit_code(int code); /* sysexits-like, >= 64; 0 for SW_OK */

#define SW_TRY(call)                     \
  do {                                   \
    int sw_try_code = (call);            \
    if (sw_try_code) return sw_try_code; \
  } while (0)

#endif
