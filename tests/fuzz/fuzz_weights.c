/* Fuzz target: any bytes as a weight file with its metadata: the model's own
 * loader. */
#include "fuzz.h"
#include "model/decoder/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  size_t whole;
  uint8_t *built = fuzz_tensors(bytes, length, &whole);
  const char *path = built ? fuzz_file(built, whole) : fuzz_file(bytes, length);
  sw_model *model;
  sw_err err;
  if (!sw_model_load(&model, path, 0, &err)) {
    fuzz_touch(sw_model_params(model),
               (size_t)sw_model_param_count(model) * sizeof(float));
    sw_model_free(model);
  }
  free(built);
  return 0;
}
