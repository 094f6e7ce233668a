/* Fuzz target: any text as a conversation in the words of a domain (the first
 * byte chooses which), as the endpoint reads it. What is accepted must be a
 * trace of that domain's tokens with a question at its end. */
#include "fuzz.h"
#include "search/words.h"

enum { LANGUAGES = 4 };
static sw_language *language[LANGUAGES];
static int32_t vocabulary[LANGUAGES];

static void prepare(void) {
  static const char *const names[] = {"sat", "coloring", "blocks", "parsing"};
  sw_err err;
  for (int i = 0; i < LANGUAGES; i++) {
    const sw_domain *domain = sw_domain_find(names[i]);
    sw_domain_options o;
    sw_domain_defaults(domain, &o);
    o.n = i == 2 ? 4 : 12;
    if (domain->resolve(&o, &err) ||
        sw_language_new(&language[i], domain, &o, &err))
      abort();
    vocabulary[i] = domain->vocab_size(&o);
  }
}

static void check(const sw_trace *t, const int32_t *candidate, int32_t count,
                  int32_t vocab) {
  if (t->blocks < 2 || count < 1 || count > SW_WORDS_CHOICES) abort();
  for (int64_t i = 0; i < t->length; i++)
    if (t->token[i] < 0 || t->token[i] >= vocab) abort();
  for (int32_t i = 0; i < count; i++)
    if (candidate[i] < 0 || candidate[i] >= vocab) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  static int32_t candidate[SW_WORDS_CHOICES];
  if (!language[0]) prepare();
  if (length < 1) return 0;
  int which = bytes[0] % LANGUAGES;
  char *text = fuzz_text(bytes + 1, length - 1);
  char *exact = (char *)fuzz_copy(bytes + 1, length - 1);
  sw_messages messages = {0};
  sw_trace trace;
  sw_err err;
  int32_t count;
  sw_trace_init(&trace);
  if (!sw_messages_split(&messages, text, &err)) {
    char *flat = sw_messages_flat(&messages);
    free(flat);
    if (!sw_words_read(language[which], &messages, &trace, candidate, &count,
                       &err))
      check(&trace, candidate, count, vocabulary[which]);
  }
  sw_messages_free(&messages);
  sw_trace_clear(&trace);
  sw_trace_begin_block(&trace);
  (void)sw_language_read(language[which], exact, length - 1, &trace, &err);
  sw_trace_free(&trace);
  free(exact);
  free(text);
  return 0;
}
