/* Fuzz target: any bytes as the file that a command is pointed at: its words
 * and its domain, and whether it is the data set that would be made. The first
 * byte chooses the domain; the rest is a safetensors file, or a header, a
 * newline and data. */
#include "domains/of_file.h"
#include "domains/own/import.h"
#include "domains/produced.h"
#include "domains/registry.h"
#include "domains/stored.h"
#include "fuzz.h"

/* Domain options as text: what is accepted is resolved or refused. */
static void read_options(const sw_domain *domain, const char *text) {
  sw_stored stored = {0};
  sw_domain_options options;
  sw_err err;
  sw_domain_defaults(domain, &options);
  if (!sw_stored_read(&stored, domain, text, "fuzz", &options, &err))
    (void)domain->resolve(&options, &err);
  sw_stored_free(&stored);
}

static void use(const sw_domain *domain, const char *path) {
  sw_domain_options options;
  sw_words words = {0};
  sw_err err;
  sw_domain_defaults(domain, &options);
  if (domain->resolve(&options, &err)) abort();
  uint64_t seed = 1;
  sw_produced_want want = {.count = 3, .seed = &seed, .viability = 1};
  (void)sw_produced_check(domain, &options, &want, path, &err);
  if (!sw_words_of_file(path, &words, &err)) sw_words_free(&words);
  sw_st_file *file;
  const sw_domain *own;
  if (sw_st_open(&file, path, &err)) return;
  if (!sw_domain_of_file(file, 0, path, &own, &err)) sw_domain_release(own);
  const char *text = sw_st_meta(file, "domain_options");
  if (text) read_options(domain, text);
  sw_st_close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  static const char *const names[] = {"sat", "coloring", "blocks", "parsing",
                                      "trees"};
  if (!length) return 0;
  const sw_domain *domain = sw_domain_find(names[bytes[0] % 5]);
  size_t whole;
  uint8_t *built = fuzz_tensors(bytes + 1, length - 1, &whole);
  use(domain,
      built ? fuzz_file(built, whole) : fuzz_file(bytes + 1, length - 1));
  free(built);
  return 0;
}
