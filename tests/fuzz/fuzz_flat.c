/* Fuzz target: any text as the curve of `--until flat` in a checkpoint. What is
 * accepted is written as a text that reads as the same again, and the run goes
 * on from it. */
#include "fuzz.h"
#include "train/flat.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  char *text = fuzz_text(bytes, length);
  sw_flat flat, again;
  sw_err err;
  sw_flat_init(&flat, 1000, 0.3);
  sw_flat_init(&again, 1000, 0.3);
  if (!sw_flat_read(&flat, text, &err)) {
    char *written = sw_flat_text(&flat);
    if (!written || sw_flat_read(&again, written, &err)) abort();
    char *twice = sw_flat_text(&again);
    if (!twice || strcmp(written, twice)) abort();
    free(twice);
    free(written);
    int64_t last = flat.count ? flat.point[flat.count - 1].step : 0;
    if (last < 1000) (void)sw_flat_step(&flat, last + 1, 0.5);
    if (sw_flat_end(&flat) < 0) abort();
  }
  sw_flat_free(&again);
  sw_flat_free(&flat);
  free(text);
  return 0;
}
