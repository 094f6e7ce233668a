/* Contracts: what a caller owes a function, and what always holds of a
 * structure. They are for mistakes of the program, never for bad input, which
 * is an error with a code (err.h). A debug build (SW_DEBUG: the test programs,
 * the sanitizers, fuzzing, `make LOG=1`) ends at the function that was misused
 * and names it with the condition; in a release nothing of it is compiled.
 *
 * Of the main structures there are sw_NAME_check functions, each beside its
 * structure: NULL, or what is broken. They exist in debug builds only.
 *
 * Sources that include this file are compiled a second time for the tests
 * (Makefile: libdebug.a), so headers leave it alone. */
#ifndef SW_BASE_CHECK_H
#define SW_BASE_CHECK_H

#ifdef SW_DEBUG
/* Says which contract was broken and ends the process. */
_Noreturn void sw_contract_broken(const char *function, const char *file,
                                  int line, const char *condition,
                                  const char *why);
#define SW_ASSERT(condition) \
  ((condition)               \
       ? (void)0             \
       : sw_contract_broken(__func__, __FILE__, __LINE__, #condition, ""))
#define SW_CHECK(call)                                                 \
  do {                                                                 \
    const char *sw_why = (call);                                       \
    if (sw_why)                                                        \
      sw_contract_broken(__func__, __FILE__, __LINE__, #call, sw_why); \
  } while (0)
#else /* named, so that nothing counts as unused, and not evaluated */
#define SW_ASSERT(condition) ((void)sizeof((condition) ? 1 : 0))
#define SW_CHECK(call) ((void)sizeof(call))
#endif

#endif
