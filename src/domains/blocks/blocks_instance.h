/* A Blocks World instance: a start and a goal on a limited number of stacks,
 * or a PDDL problem (unlimited table), or both when the problem fits. */
#ifndef SW_BLOCKS_INSTANCE_H
#define SW_BLOCKS_INSTANCE_H
#include "domains/blocks/pddl.h"
#include "domains/blocks/blocks_state.h"
#include "domains/domain.h"

struct sw_instance {
  int has_states; /* start and goal are filled in */
  char why[160];  /* why not, when they are not */
  sw_blocks_state start, goal;
  sw_pddl *problem; /* NULL: drawn by the generator */
};

int sw_blocks_instance_new(sw_instance **instance, int32_t n, int32_t stacks,
                           sw_err *err);
void sw_blocks_instance_free(sw_instance *instance);
/* Hash of the canonical pair (start, goal). */
uint64_t sw_blocks_instance_hash(const sw_instance *instance);
int sw_blocks_instance_parse(sw_instance **instance, const char *path,
                             const char *text, size_t bytes,
                             const sw_domain_options *options, sw_err *err);

/* Streams (stream.c); counts are of all draws so far. */
typedef struct sw_blocks_draws {
  int64_t draws, trivial, excluded;
} sw_blocks_draws;
int sw_blocks_stream_new(sw_stream **stream, const sw_domain_options *options,
                         uint64_t seed, sw_split split, sw_err *err);
int sw_blocks_stream_next(sw_stream *stream, sw_instance **instance,
                          sw_err *err);
void sw_blocks_stream_free(sw_stream *stream);
const sw_blocks_draws *sw_blocks_stream_draws(const sw_stream *stream);

#endif
