/* Chooses a kernel set for this CPU, and the float mode of a thread. Called
 * once at start-up by whoever creates models; the sets are listed here, best
 * first, so the first one the CPU can run is the default. */
#include "nn/profile.h"
#include "nn/sets.h"
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#define NN_X86 1
#else
#define NN_X86 0
#endif

static int any_cpu(void) { return 1; }
#if NN_X86
static int cpu_has_avx2(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
static int cpu_has_avx512(void) {
  return cpu_has_avx2() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl");
}
#endif

static const struct {
  const nn_kernels *kernels;
  int (*available)(void);
} sets[] = {
#define X(name, table, available) {&table, available},
    NN_SETS(X)
#undef X
};
enum { SET_COUNT = sizeof sets / sizeof *sets };

const nn_kernels *nn_select(const char *name, sw_err *err) {
  if (!name || !*name) name = getenv("STATEWISE_KERNELS");
  for (int i = 0; i < SET_COUNT; i++) {
    const nn_kernels *kernels = sets[i].kernels;
    int asked = name && *name;
    if (asked && strcmp(name, kernels->name)) continue;
    if (sets[i].available()) return nn_profile_wrap(kernels);
    if (asked) {
      sw_fail(err, SW_USAGE, "this CPU cannot run the kernels '%s'", name);
      sw_hint(err, "leave STATEWISE_KERNELS unset to get the best set");
      return NULL;
    }
  }
  sw_fail(err, SW_USAGE, "unknown kernels '%s'", name ? name : "");
  sw_hint(err, "choose one of " NN_SET_NAMES);
  return NULL;
}

void nn_set_float_mode(void) {
#if NN_X86
  enum { FLUSH_TO_ZERO = 0x8000, DENORMALS_ARE_ZERO = 0x0040 };
  _mm_setcsr(_mm_getcsr() | FLUSH_TO_ZERO | DENORMALS_ARE_ZERO);
#endif
}

unsigned nn_float_mode(void) {
#if NN_X86
  return _mm_getcsr();
#else
  return 0;
#endif
}

void nn_restore_float_mode(unsigned mode) {
#if NN_X86
  _mm_setcsr(mode);
#else
  (void)mode;
#endif
}
