/* Fuzz target: any bytes through the data set reader, and every view of what it
 * accepts. */
#include "fuzz.h"
#include "trace/dataset.h"

static void use(const uint8_t *bytes, size_t length) {
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
        fuzz_touch(item.token, (size_t)item.length * sizeof *item.token);
      }
    }
  sw_trace_free(&item);
  sw_dataset_close(&set);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  size_t whole;
  uint8_t *built = fuzz_tensors(bytes, length, &whole);
  uint8_t *copy = built ? built : fuzz_copy(bytes, length);
  use(copy, built ? whole : length);
  free(copy);
  return 0;
}
