/* Fuzz target: any bytes as a state bank. */
#include "fuzz.h"
#include "probe/bank.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  size_t whole;
  uint8_t *built = fuzz_tensors(bytes, length, &whole);
  sw_bank bank;
  sw_err err;
  if (!sw_bank_load(&bank,
                    built ? fuzz_file(built, whole) : fuzz_file(bytes, length),
                    &err)) {
    if (sw_bank_check(&bank, &err)) abort();
    sw_bank_free(&bank);
  }
  free(built);
  return 0;
}
