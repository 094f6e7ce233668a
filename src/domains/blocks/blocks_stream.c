/* Instances of Blocks World: made by the generator, left out of the test
 * stream when a training trace was made from the same pair, or read from a
 * PDDL file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "domains/blocks/blocks_env.h"
#include "domains/resolve.h"

int sw_blocks_instance_new(sw_instance **instance, int32_t n, int32_t stacks,
                           sw_err *err) {
  sw_instance *made = *instance = calloc(1, sizeof *made);
  if (!made) return sw_no_memory(err);
  int code = sw_blocks_state_init(&made->start, n, stacks, err);
  if (!code) code = sw_blocks_state_init(&made->goal, n, stacks, err);
  made->has_states = !code;
  if (code) {
    sw_blocks_instance_free(made);
    *instance = NULL;
  }
  return code;
}

void sw_blocks_instance_free(sw_instance *instance) {
  if (!instance) return;
  sw_blocks_state_free(&instance->start);
  sw_blocks_state_free(&instance->goal);
  sw_pddl_free(instance->problem);
  free(instance);
}

uint64_t sw_blocks_instance_hash(const sw_instance *instance) {
  uint16_t key[SW_BLOCKS_MAX];
  const sw_pddl *p = instance->problem;
  if (!instance->has_states)
    return sw_xxh64(p->goal, (size_t)p->n * sizeof *p->goal,
                    sw_xxh64(p->init, (size_t)p->n * sizeof *p->init, 0));
  size_t bytes = (size_t)instance->start.n * sizeof *key;
  sw_blocks_canon(&instance->start, key);
  uint64_t hash = sw_xxh64(key, bytes, 0);
  sw_blocks_canon(&instance->goal, key);
  return sw_xxh64(key, bytes, hash);
}

extern const sw_domain sw_domain_blocks;

struct sw_stream {
  sw_domain_options options;
  sw_mt mt;
  int skip_trivial;
  sw_hashset left_out;
  sw_blocks_draws draws;
};

const sw_blocks_draws *sw_blocks_stream_draws(const sw_stream *stream) {
  return &stream->draws;
}

int sw_blocks_stream_new(sw_stream **stream, const sw_domain_options *options,
                         uint64_t seed, sw_split split, sw_err *err) {
  sw_stream *s = *stream = calloc(1, sizeof *s);
  if (!s) return sw_no_memory(err);
  s->options = *options;
  s->skip_trivial = options->preset == 0;
  sw_mt_seed(&s->mt, sw_stream_seed(options, seed, split));
  int code = SW_OK;
  if (split == SW_SPLIT_TEST && options->exclude > 0)
    code = sw_leave_out_training(&sw_domain_blocks, options, seed, &s->left_out,
                                 err);
  if (code) {
    sw_blocks_stream_free(s);
    *stream = NULL;
  }
  return code;
}

int sw_blocks_stream_next(sw_stream *s, sw_instance **instance, sw_err *err) {
  enum { TRIES = 1000000 };
  SW_TRY(sw_blocks_instance_new(instance, s->options.n,
                                sw_blocks_own(&s->options)->stacks, err));
  for (int attempt = 0; attempt < TRIES; attempt++) {
    sw_instance *made = *instance;
    sw_blocks_draw(&s->mt, &made->start, &made->goal);
    s->draws.draws++;
    if (s->skip_trivial && sw_blocks_same(&made->start, &made->goal))
      s->draws.trivial++;
    else if (sw_hashset_has(&s->left_out, sw_blocks_instance_hash(made)))
      s->draws.excluded++;
    else return SW_OK;
  }
  sw_blocks_instance_free(*instance);
  *instance = NULL;
  sw_fail(err, SW_LIMIT,
          "no instance with %d blocks in %d draws: %lld began at their goal, "
          "%lld were drawn for training",
          s->options.n, TRIES, (long long)s->draws.trivial,
          (long long)s->draws.excluded);
  return s->draws.excluded
             ? sw_hint(err, "leave out fewer training traces (--exclude)")
             : sw_hint(err, "more blocks (--n) have more states");
}

void sw_blocks_stream_free(sw_stream *stream) {
  if (!stream) return;
  sw_hashset_free(&stream->left_out);
  free(stream);
}

/* Builds a state from what is below each block; 0: too many towers. */
static int place_towers(sw_blocks_state *state, const int32_t *below) {
  int32_t n = state->n, tower = 0;
  for (int32_t b = 0; b < n; b++) {
    if (below[b] >= 0) continue;
    if (tower == state->stacks) return 0;
    sw_blocks_push(state, tower, b);
    for (int found = 1; found;) {
      found = 0;
      for (int32_t c = 0; c < n && !found; c++)
        if (below[c] == state->top[tower]) {
          sw_blocks_push(state, tower, c);
          found = 1;
        }
    }
    tower++;
  }
  return 1;
}

/* Can the problem be searched on a few stacks? Fills in the states if so. */
static void fit_states(sw_instance *made) {
  const sw_pddl *p = made->problem;
  made->has_states = 0;
  if (p->impossible) {
    snprintf(made->why, sizeof made->why, "%s", p->why);
    return;
  }
  for (int32_t b = 0; b < p->n; b++)
    if (p->init[b] == SW_PDDL_HELD || p->goal[b] < SW_PDDL_TABLE) {
      snprintf(made->why, sizeof made->why,
               p->goal[b] == SW_PDDL_ANY
                   ? "the goal leaves open where `%.60s` goes"
                   : "the hand holds `%.60s`",
               p->name[b]);
      return;
    }
  made->has_states =
      place_towers(&made->start, p->init) && place_towers(&made->goal, p->goal);
  if (!made->has_states)
    snprintf(made->why, sizeof made->why,
             "it needs more than %d stacks; the table of PDDL is unlimited",
             made->start.stacks);
}

int sw_blocks_instance_parse(sw_instance **instance, const char *path,
                             const char *text, size_t bytes,
                             const sw_domain_options *options, sw_err *err) {
  sw_pddl *problem;
  *instance = NULL;
  SW_TRY(sw_pddl_read(&problem, path, text, bytes, err));
  int stacks = sw_blocks_own(options)->stacks;
  int small = problem->n > 0 && problem->n <= SW_BLOCKS_MAX;
  int code = sw_blocks_instance_new(instance, small ? problem->n : 1,
                                    stacks > 0 ? stacks : 3, err);
  if (code) {
    sw_pddl_free(problem);
    return code;
  }
  (*instance)->problem = problem;
  (*instance)->has_states = 0;
  snprintf((*instance)->why, sizeof(*instance)->why, "%d blocks",
           (int)problem->n);
  if (small) fit_states(*instance);
  return SW_OK;
}
