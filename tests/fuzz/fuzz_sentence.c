/* Fuzz target: any text as a sentence of the published grammar. */
#include "domains/parsing/parsing_env.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  sw_domain_options options = {0};
  char *text = (char *)fuzz_copy(bytes, length);
  sw_instance *sentence;
  sw_err err;
  if (!sw_parsing_instance_parse(&sentence, "fuzz", text, length, &options,
                                 &err)) {
    if (sentence->length < 1) abort();
    sw_parsing_instance_free(sentence);
  }
  free(text);
  return 0;
}
