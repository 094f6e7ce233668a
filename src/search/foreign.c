/* Histories of other searches (see foreign.h). */
#include "search/foreign.h"

#include <stdlib.h>

enum {
  DONORS = 64,
  ATTEMPTS = 1000 /* instances drawn until that many have a trace with blocks */
};

struct sw_foreign {
  sw_trace donor[DONORS];
  int64_t blocks[DONORS]; /* that can be borrowed */
};

/* The prefix and the block that ends the search are not borrowed. */
static int64_t borrowable(const sw_trace *t) {
  return t->blocks > 2 ? t->blocks - 2 : 0;
}

static int draw(sw_foreign *f, const sw_domain *domain,
                const sw_domain_options *options, sw_stream *stream,
                uint64_t seed, sw_err *err) {
  int filled = 0;
  for (int i = 0; i < ATTEMPTS && filled < DONORS; i++) {
    sw_instance *instance = NULL;
    sw_trace *trace = &f->donor[filled];
    sw_mt mt;
    sw_mt_seed(&mt, seed + (uint64_t)i);
    sw_trace_clear(trace);
    SW_TRY(domain->stream_next(stream, &instance, err));
    int code = domain->write_trace(instance, options, &mt, trace, err);
    domain->instance_free(instance);
    if (code == SW_LIMIT) continue; /* too long for the options */
    if (code) return code;
    if (trace->failed) return sw_no_memory(err);
    f->blocks[filled] = borrowable(trace);
    if (f->blocks[filled]) filled++;
  }
  if (filled == DONORS) return SW_OK;
  sw_fail(err, SW_LIMIT, "%d of %d searches have a history to lend", filled,
          ATTEMPTS);
  return sw_hint(err, "protocol foreign needs instances of several decisions");
}

int sw_foreign_new(sw_foreign **foreign, const sw_domain *domain,
                   const sw_domain_options *options, uint64_t seed,
                   sw_err *err) {
  sw_stream *stream;
  sw_foreign *f = *foreign = calloc(1, sizeof *f);
  if (!f) return sw_no_memory(err);
  for (int i = 0; i < DONORS; i++) sw_trace_init(&f->donor[i]);
  int code =
      domain->stream_new(&stream, options, seed + 1, SW_SPLIT_VALID, err);
  if (!code) {
    code = draw(f, domain, options, stream, seed + 1, err);
    domain->stream_free(stream);
  }
  if (!code) return SW_OK;
  sw_foreign_free(f);
  *foreign = NULL;
  return code;
}

void sw_foreign_free(sw_foreign *f) {
  if (!f) return;
  for (int i = 0; i < DONORS; i++) sw_trace_free(&f->donor[i]);
  free(f);
}

const int32_t *sw_foreign_block(const sw_foreign *f, int64_t index,
                                int64_t block, int32_t *count) {
  int64_t donor = index % DONORS;
  while (block >= f->blocks[donor]) {
    block -= f->blocks[donor];
    donor = (donor + 1) % DONORS;
  }
  const sw_trace *t = &f->donor[donor];
  int64_t begin = t->block_start[block + 1];
  *count = (int32_t)(t->block_start[block + 2] - begin);
  return t->token + begin;
}
