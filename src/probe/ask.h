/* Asking a model about a trace: full-vocabulary logits, by one of two paths.
 *   full     one forward pass over everything that is shown (sw_work): nothing
 *            is skipped, so equal bits are a fact about the mask, not about a
 *            cache that forgot the history
 *   cached   the closed loop's path (sw_seats): the prefix once an instance
 * Both give the same bits. Used by every probe that needs a model. */
#ifndef SW_PROBE_ASK_H
#define SW_PROBE_ASK_H
#include "base/err.h"
#include "base/threads.h"
#include "domains/domain.h"
#include "model/family.h"
#include "trace/reading.h"
#include "trace/trace.h"

typedef struct sw_ask_options {
  sw_net *model;
  sw_reading reading;
  int cached;
  /* Families that read states are asked by replaying the trace: its domain and
   * resolved options; NULL: such a family is refused. */
  const sw_domain *domain;
  const sw_domain_options *domain_options;
} sw_ask_options;

typedef struct sw_asker sw_asker;
int sw_asker_new(sw_asker **asker, const sw_ask_options *options, sw_team *team,
                 sw_err *err);
void sw_asker_free(sw_asker *asker);
int32_t sw_asker_vocab(const sw_asker *asker);

/* Families that read states (1: the model's is one) look at the search that a
 * trace tells. Where the traces to come show another one's blocks, or leave
 * some out, this is the search whose state they end with; NULL: what they show.
 * Families that read tokens read what is shown. */
int sw_asker_reads_states(const sw_asker *asker);
void sw_ask_of(sw_asker *asker, const sw_trace *search);
/* Takes the supervision from tokens at which such a model is never asked: what
 * the environment writes by itself, to close a block. */
int sw_ask_questions(sw_asker *asker, sw_trace *trace, sw_err *err);

/* Does the trace fit the position table (1), or not (0)? */
int sw_ask_fits(const sw_asker *asker, const sw_trace *trace);
/* Logits after the last token. `instance` names the prefix: as long as it does
 * not change, the cached path keeps the prefix. SW_LIMIT when it does not fit.
 */
int sw_ask(sw_asker *asker, const sw_trace *trace, int64_t instance,
           const float **logits, sw_err *err);
/* What the model's verify head says of the state at the end of the trace that
 * was asked about last: how likely it is dead. Cached path only. */
int sw_ask_verdict(sw_asker *asker, float *dead, sw_err *err);
/* Logits after each of the given tokens, [count][vocab], in one full pass
 * (several queries of one trace; wrong under a leaky mask, which is refused).
 * The answer stays valid until the next question. */
int sw_ask_rows(sw_asker *asker, const sw_trace *trace, const int32_t *rows,
                int32_t count, const float **out, sw_err *err);
/* Final hidden states of the same rows, [count][d]. */
int sw_ask_hidden(sw_asker *asker, const sw_trace *trace, const int32_t *rows,
                  int32_t count, const float **out, sw_err *err);

/* Logits after one further token, which is put at the end of the trace that
 * was asked about and stays there. */
int sw_ask_on(sw_asker *asker, sw_trace *trace, int32_t token,
              const float **logits, sw_err *err);
/* The same with several further tokens, logits after the last of them. */
int sw_ask_more(sw_asker *asker, sw_trace *trace, const int32_t *token,
                int32_t count, const float **logits, sw_err *err);
/* What the last token of the last question looked at (sw_seats_attention): the
 * shape and, where `weights` is not NULL, the weights, [layers][heads][rows].
 * Cached path only. */
int sw_ask_attention(sw_asker *asker, sw_attention_shape *shape, float *weights,
                     sw_err *err);
/* Follow-up questions after sw_ask on the same trace: logits after the trace
 * and `count` further tokens of its last block. Cached path only. */
int sw_ask_after(sw_asker *asker, const int32_t *token, int32_t count,
                 const float **logits, sw_err *err);

#endif
