/* Chooses a kernel set for this CPU, and the float mode of a thread. Called
 * once at start-up by the code that creates models. The sets are listed here,
 * best first, and the first one that the CPU can run is the default. */
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
static int cpu_has_bf16(void) {
  return cpu_has_avx512() && __builtin_cpu_supports("avx512bf16");
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
    if (asked ? strcmp(name, kernels->name) : kernels->rounds) continue;
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

const char *nn_set_name(int index) {
  for (int i = SET_COUNT - 1; i >= 0; i--)
    if (sets[i].available() && index-- == 0) return sets[i].kernels->name;
  return NULL;
}

/* The register that holds the float mode, and the bits of it that flush to
 * zero what is too small for a normal number. */
#if NN_X86
enum { FLUSH = 0x8000 | 0x0040 }; /* results, and operands */
unsigned nn_float_mode(void) { return _mm_getcsr(); }
void nn_restore_float_mode(unsigned mode) { _mm_setcsr(mode); }
#elif defined(__aarch64__)
enum { FLUSH = 1 << 24 };
unsigned nn_float_mode(void) {
  uint64_t mode;
  __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
  return (unsigned)mode;
}
void nn_restore_float_mode(unsigned mode) {
  __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)mode));
}
#else
enum { FLUSH = 0 };
unsigned nn_float_mode(void) { return 0; }
void nn_restore_float_mode(unsigned mode) { (void)mode; }
#endif

void nn_set_float_mode(void) { nn_restore_float_mode(nn_float_mode() | FLUSH); }
