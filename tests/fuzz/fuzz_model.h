/* A small untrained model in a file, for the fuzz targets that need one to talk
 * to: the API's and the server's. */
#ifndef SW_TESTS_FUZZ_MODEL_H
#define SW_TESTS_FUZZ_MODEL_H
#include <stdio.h>
#include "domains/domain.h"
#include "fuzz.h"
#include "model/decoder/model.h"
#include "model/family.h"

/* Writes it and fills in `path`; unlink() the file when it has been opened. */
static inline void fuzz_model(const char *domain, int n, char path[96]) {
  sw_domain_options options;
  sw_err err;
  sw_domain_defaults(sw_domain_find(domain), &options);
  options.n = n;
  if (sw_domain_find(domain)->resolve(&options, &err)) abort();
  sw_model_config config = {
      .vocab = sw_domain_find(domain)->vocab_size(&options),
      .d = 4,
      .layers = 1,
      .heads = 1,
      .ffn = 4,
      .slots = 2,
      .positions = 512};
  const char *meta[] = {
      "domain",         domain,           "mask", "ssa",   "position_kind",
      "block-relative", "domain_options", "{}",   "label", "fuzz"};
  sw_net *net;
  snprintf(path, 96, "/tmp/statewise-fuzz-%d-%s.safetensors", (int)getpid(),
           domain);
  if (sw_net_new(&net, sw_family_at(0), &config, NULL, 1, &err) ||
      sw_net_save(net, path, meta, 5, &err))
    abort();
  sw_net_free(net);
}

#endif
