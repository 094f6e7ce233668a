/* The commands. To add one: define `const sw_command sw_command_ID` in a file
 * of its own (command.h) and add the row X(ID) here, or P(ID) where only the
 * program has it: a server, help, and what measures the machine (it chooses the
 * kernels of the whole process). The order is that of the overview; everything
 * else (dispatch, help, man page, completion, the C API and Python) follows. */
#ifndef SW_COMMAND_COMMANDS_H
#define SW_COMMAND_COMMANDS_H
#include "command/command.h"

/* clang-format off */
#define SW_COMMANDS(X, P) \
  X(quickstart)           \
  X(gen)                  \
  X(import)               \
  X(export)               \
  P(bench_kernels)        \
  P(bench_gen)            \
  P(bench_train)          \
  P(bench_decide)         \
  X(show_model)           \
  X(show_logits)          \
  X(train)                \
  X(eval)                 \
  X(solve)                \
  X(probe_forced)         \
  X(probe_transplant)     \
  X(probe_bank)           \
  X(probe_attention)      \
  X(probe_padding)        \
  X(probe_length)         \
  X(probe_representation) \
  X(probe_visited)        \
  X(probe_verify)         \
  X(probe_guide)          \
  X(probe_case)           \
  X(probe_history)        \
  X(trees)                \
  X(repro)                \
  X(report)               \
  P(serve)                \
  X(audit)                \
  X(show_trace)           \
  X(show_mask)            \
  X(show_figures)         \
  P(help)
/* clang-format on */

#define X(id) extern const sw_command sw_command_##id;
SW_COMMANDS(X, X)
#undef X

/* Those of the library, NULL-terminated; a command of such a table by name
 * (NULL: unknown). */
extern const sw_command *const sw_commands[];
const sw_command *sw_command_find(const sw_command *const *table,
                                  const char *name);

#endif
