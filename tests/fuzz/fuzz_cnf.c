/* Fuzz target: any text through the DIMACS CNF reader, at the level that its
 * first byte chooses. What is accepted must be a formula. */
#include "domains/sat/dimacs.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  if (length < 1) return 0;
  char *text = (char *)fuzz_copy(bytes + 1, length - 1);
  sw_instance *f;
  sw_err err;
  (void)sw_dimacs_recognises(NULL, "x", text, length - 1);
  if (!sw_dimacs_parse(&f, "fuzz", text, length - 1,
                       (sw_dimacs_level)(bytes[0] % 3), &err)) {
    for (int32_t c = 0; c < f->m; c++)
      for (int32_t i = f->start[c]; i < f->start[c + 1]; i++)
        if (f->literal[i] < 0 || f->literal[i] >= 2 * f->n) abort();
    sw_sat_instance_free(f);
  }
  free(text);
  return 0;
}
