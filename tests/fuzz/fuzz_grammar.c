/* Fuzz target: any text through the grammar reader; a grammar that is accepted
 * draws sentences, which it must derive. */
#include "domains/parsing/machine.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  char *text = fuzz_text(bytes, length);
  sw_grammar *g;
  sw_err err;
  if (!sw_grammar_read(&g, "fuzz", text, &err)) {
    int16_t words[32];
    sw_mt mt;
    sw_mt_seed(&mt, 1);
    sw_parse_machine m;
    sw_parse_init(&m, g, 0);
    for (int draw = 0; draw < 3; draw++) {
      int64_t count = sw_grammar_draw(g, &mt, words, 32);
      if (count < 1) abort();
      if (count > 32) continue;
      for (int64_t i = 0; i < count; i++)
        if (words[i] < 0 || words[i] >= g->inputs) abort();
      sw_parse_start(&m, words, (int32_t)count);
      if (sw_parse_finish(&m, 500) && !sw_parse_derive(&m, NULL)) abort();
      if (sw_parse_any(&m) != 1 || !sw_parse_derive(&m, NULL)) abort();
    }
    sw_parse_free(&m);
    free(g);
  }
  free(text);
  return 0;
}
