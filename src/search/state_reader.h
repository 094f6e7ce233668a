/* States as families read them: features or constraint graphs, for the asker
 * (ask.h) and for judges (viability.h); and heads as scores of candidates.
 *
 * Scores of candidates. The verdict head decides between going back and going
 * on, as in the published loop: the best way on has the score of "go on", and
 * the others are below it by as much as their own head says. A network on a
 * graph scores going back and every (variable, value) on one scale; a variable
 * is worth its best value. */
#ifndef SW_SEARCH_STATE_READER_H
#define SW_SEARCH_STATE_READER_H
#include "search/loaded.h"

/* Scores of the candidates of the query that `env` waits at, from the scores of
 * the model's heads. */
void sw_state_scores(const sw_domain *domain, const sw_net *net,
                     const sw_env *env, const sw_cand *candidate,
                     int candidates, const float *heads, float *score);

/* One environment's state as a record of the family's, in buffers that are
 * reused. */
typedef struct sw_state_reader {
  const sw_domain *domain;
  const sw_net *net;
  sw_state_layout layout;
  char *bytes; /* captured */
  size_t room, size;
  float *feature;
  sw_graph graph;
} sw_state_reader;
int sw_state_reader_new(sw_state_reader *reader, const sw_domain *domain,
                        const sw_net *net, sw_err *err);
void sw_state_reader_free(sw_state_reader *reader);
/* Captures; `step`: the block's place in its trace. SW_LIMIT: the instance is
 * larger than the model's. */
int sw_state_capture(sw_state_reader *reader, const sw_env *env, sw_err *err);
/* The captured state as a record. */
int sw_state_record_of(sw_state_reader *reader, const sw_env *env, int64_t step,
                       sw_record *record, sw_err *err);
/* Do the weights fit the domain's states? */
int sw_state_check(const sw_loaded *loaded, sw_err *err);

#endif
