/* Fuzz target: any bytes as a weight file with its metadata: the model's own
 * loader. */
#include "fuzz.h"
#include "model/family.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  size_t whole;
  uint8_t *built = fuzz_tensors(bytes, length, &whole);
  const char *path = built ? fuzz_file(built, whole) : fuzz_file(bytes, length);
  sw_net *net;
  sw_err err;
  if (!sw_net_load(&net, path, 0, &err)) {
    (void)sw_net_hash(net); /* reads every weight */
    sw_net_free(net);
  }
  free(built);
  return 0;
}
