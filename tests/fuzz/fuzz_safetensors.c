/* Fuzz target: any bytes through the safetensors reader. */
#include "base/safetensors.h"
#include "fuzz.h"

static void use(const uint8_t *bytes, size_t length) {
  sw_st_file *file;
  sw_err err;
  if (sw_st_parse(&file, bytes, length, "fuzz", &err)) {
    fuzz_touch(err.text, strlen(err.text));
    return;
  }
  for (int i = 0; i < sw_st_count(file); i++) {
    const sw_st_tensor *t = sw_st_at(file, i);
    fuzz_touch(t->data, t->bytes);
    if (sw_st_find(file, t->name) != t) abort(); /* names are unique */
    float *copy = malloc((size_t)t->count * sizeof *copy + 1);
    if (copy) (void)sw_st_copy_f32(t, copy, t->count, &err);
    free(copy);
  }
  for (int i = 0; i < sw_st_meta_count(file); i++) {
    const char *key, *value;
    sw_st_meta_at(file, i, &key, &value);
    fuzz_touch(key, strlen(key));
    fuzz_touch(value, strlen(value));
  }
  sw_st_close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  size_t whole;
  uint8_t *built = fuzz_tensors(bytes, length, &whole);
  uint8_t *copy = built ? built : fuzz_copy(bytes, length);
  use(copy, built ? whole : length);
  free(copy);
  return 0;
}
