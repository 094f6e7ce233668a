/* Fuzz target (make fuzz): any bytes through the safetensors reader and the
 * data set reader. The input is tried as a file, and again as "header, newline,
 * data" with the length prefix made right, so that mutations reach the checks
 * behind the JSON without having to guess eight matching bytes. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/safetensors.h"
#include "trace/dataset.h"

static volatile unsigned sink; /* keeps the reads */

static void touch(const void *data, size_t bytes) {
  const unsigned char *p = data;
  unsigned sum = 0;
  for (size_t i = 0; i < bytes; i++) sum += p[i];
  sink += sum;
}

static void use_tensors(const uint8_t *bytes, size_t length) {
  sw_st_file *file;
  sw_err err;
  if (sw_st_parse(&file, bytes, length, "fuzz", &err)) {
    touch(err.text, strlen(err.text));
    return;
  }
  for (int i = 0; i < sw_st_count(file); i++) {
    const sw_st_tensor *t = sw_st_at(file, i);
    touch(t->data, t->bytes);
    if (sw_st_find(file, t->name) != t) abort(); /* names are unique */
    float *copy = malloc((size_t)t->count * sizeof *copy + 1);
    if (copy) (void)sw_st_copy_f32(t, copy, t->count, &err);
    free(copy);
  }
  for (int i = 0; i < sw_st_meta_count(file); i++) {
    const char *key, *value;
    sw_st_meta_at(file, i, &key, &value);
    touch(key, strlen(key));
    touch(value, strlen(value));
  }
  sw_st_close(file);
}

static void use_dataset(const uint8_t *bytes, size_t length) {
  sw_dataset set;
  sw_err err;
  if (sw_dataset_parse(&set, bytes, length, "fuzz", &err)) return;
  sw_trace item;
  sw_trace_init(&item);
  for (int v = 0; v < 3; v++)
    for (int64_t blocks = 0; blocks < 3; blocks++) {
      sw_view_options view = {(sw_view)v, blocks, 5, v == 2 ? blocks : 0};
      int64_t items = sw_dataset_items(&set, &view);
      for (int64_t i = 0; i < items && i < 50; i++) {
        if (sw_dataset_item(&set, &view, i, &item, &err)) abort();
        touch(item.token, (size_t)item.length * sizeof *item.token);
      }
    }
  sw_trace_free(&item);
  sw_dataset_close(&set);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  use_tensors(bytes, length);
  use_dataset(bytes, length);
  const uint8_t *newline = memchr(bytes, '\n', length);
  if (!newline) return 0;
  uint64_t header = (uint64_t)(newline - bytes);
  size_t data = length - (size_t)header - 1, whole = 8 + (size_t)header + data;
  uint8_t *built = malloc(whole);
  if (!built) return 0;
  memcpy(built, &header, 8);
  memcpy(built + 8, bytes, (size_t)header);
  memcpy(built + 8 + header, newline + 1, data);
  use_tensors(built, whole);
  use_dataset(built, whole);
  free(built);
  return 0;
}
