/* The commands. To add one: define `const sw_command sw_command_ID` in a file
 * of its own (command.h) and add the row X(ID) here. The order is that of the
 * overview; everything else (dispatch, help, man page, completion) follows. */
#ifndef SW_CLI_COMMANDS_H
#define SW_CLI_COMMANDS_H
#include "cli/command.h"

#define SW_COMMANDS(X)    \
  X(quickstart)           \
  X(gen)                  \
  X(import)               \
  X(export)               \
  X(bench_kernels)        \
  X(bench_gen)            \
  X(bench_train)          \
  X(bench_decide)         \
  X(show_model)           \
  X(show_logits)          \
  X(train)                \
  X(eval)                 \
  X(solve)                \
  X(probe_transplant)     \
  X(probe_bank)           \
  X(probe_attention)      \
  X(probe_padding)        \
  X(probe_length)         \
  X(probe_representation) \
  X(probe_visited)        \
  X(probe_verify)         \
  X(probe_local)          \
  X(probe_guide)          \
  X(probe_case)           \
  X(probe_history)        \
  X(trees)                \
  X(repro)                \
  X(report)               \
  X(serve)                \
  X(audit)                \
  X(show_trace)           \
  X(show_mask)            \
  X(help)

#define X(id) extern const sw_command sw_command_##id;
SW_COMMANDS(X)
#undef X

/* The same as an array, NULL-terminated, and by name (NULL: unknown). */
extern const sw_command *const sw_commands[];
const sw_command *sw_command_find(const char *name);

#endif
