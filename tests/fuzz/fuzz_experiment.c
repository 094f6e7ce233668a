/* Fuzz target: an experiment of the user's own as YAML, or models alone. */
#include "fuzz.h"
#include "repro/experiment_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  sw_experiment_file file;
  sw_err err;
  char *text = fuzz_text(bytes, length);
  for (int wanted = 0; wanted < 2; wanted++) {
    memset(&file, 0, sizeof file);
    if (!sw_experiment_file_read(&file, "fuzz.yaml", text, length, wanted,
                                 &err)) {
      if (wanted && !file.experiment) abort();
      sw_experiment_file_free(&file);
    } else if (strncmp(err.text, "fuzz.yaml", 9)) {
      abort(); /* an error that does not name the file */
    }
  }
  free(text);
  return 0;
}
