/* Asking a model that reads states about a trace: the trace is replayed, and
 * the scores of the candidates where it ends stand at their tokens, all others
 * far below. So probes put the same questions to every family. Used by ask.c
 * only. A trace that does not begin at the start of its search (a block without
 * those before it) cannot be replayed: SW_DATA. */
#ifndef SW_PROBE_ASK_STATE_H
#define SW_PROBE_ASK_STATE_H
#include "probe/ask.h"

typedef struct sw_state_asker sw_state_asker;
int sw_state_asker_new(sw_state_asker **asker, const sw_ask_options *options,
                       sw_team *team, sw_err *err);
void sw_state_asker_free(sw_state_asker *asker);
int32_t sw_state_asker_vocab(const sw_state_asker *asker);
/* Scores by token after the first `length` tokens of the trace and `count`
 * further ones. */
int sw_state_ask(sw_state_asker *asker, const sw_trace *trace, int64_t length,
                 const int32_t *token, int32_t count, const float **logits,
                 sw_err *err);
/* Leaves the supervision of a whole trace to the answers of its queries. */
int sw_state_questions(sw_state_asker *asker, sw_trace *trace, sw_err *err);
/* The hidden vector of the state there. */
int sw_state_ask_hidden(sw_state_asker *asker, const sw_trace *trace,
                        int64_t length, float *out, sw_err *err);

#endif
