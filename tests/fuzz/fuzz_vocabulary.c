/* Fuzz target: a word for going back, a newline, and a list of words in JSON,
 * as metadata would have them; what is accepted goes out and in again. */
#include "fuzz.h"
#include "trace/words.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  char *text = fuzz_text(bytes, length), *list = strchr(text, '\n');
  sw_words words, again;
  sw_err err;
  if (list) *list++ = 0;
  if (!sw_words_parse(&words, list ? list : text, list ? text : NULL, "fuzz",
                      &err)) {
    char *json = sw_words_json(&words);
    if (!json || sw_words_parse(&again, json, list ? text : NULL, "fuzz", &err))
      abort();
    if (!sw_words_same(&words, &again)) abort();
    sw_words_free(&again);
    sw_words_free(&words);
    free(json);
  }
  free(text);
  return 0;
}
