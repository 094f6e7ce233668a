/* Traces for families that read states (see ask.h): the trace is replayed, and
 * the state where it ends is what the model is asked about. */
#include <stdlib.h>

#include "base/grow.h"
#include "search/ask_inside.h"

enum { FAR_BELOW = -10000 };

/* What the first trace needs. */
static int make_ready(sw_asker *a, sw_err *err) {
  static const sw_rules rules = {0};
  if (a->replay.domain) return SW_OK;
  if (!a->o.domain_options)
    return sw_fail(err, SW_USAGE,
                   "a trace cannot be replayed without its "
                   "domain's options");
  a->vocab = sw_asker_vocab(a);
  if (!a->logits) a->logits = malloc(sizeof *a->logits * (size_t)a->vocab);
  if (!a->logits) return sw_ask_memory(err);
  return sw_replay_open(&a->replay, a->o.domain, a->o.domain_options, &rules,
                        err);
}

/* The trace up to there and the further tokens. */
static int copy(sw_asker *a, const sw_trace *t, int64_t length,
                const int32_t *token, int32_t count, sw_err *err) {
  sw_trace *to = &a->asked;
  SW_TRY(make_ready(a, err));
  sw_trace_copy(to, t, length);
  for (int32_t i = 0; i < count; i++) sw_trace_put(to, token[i], 0);
  to->n = t->n ? t->n : a->o.domain_options->n;
  return to->failed ? sw_ask_memory(err) : SW_OK;
}

/* Replays a->asked and captures where it ends. The instance stays until the
 * next question: the environment looks at it. */
static int reach(sw_asker *a, sw_record *record, sw_err *err) {
  int waits = 0;
  if (a->instance) a->o.domain->instance_free(a->instance);
  a->instance = NULL;
  SW_TRY(a->o.domain->state->read_instance(&a->instance, &a->asked,
                                           a->o.domain_options, err));
  SW_TRY(
      sw_replay_trace(&a->replay, a->instance, &a->asked, NULL, &waits, err));
  if (!waits)
    return sw_fail(err, SW_DATA, "the trace does not end at a question");
  sw_env *env = a->replay.env;
  SW_TRY(sw_state_capture(&a->reader, env, err));
  return sw_state_record_of(&a->reader, env, a->asked.blocks - 1, record, err);
}

/* The scores of the heads, by either path. */
static int run(sw_asker *a, const sw_record *record, const float **heads,
               sw_err *err) {
  int32_t zero = 0;
  if (a->session) {
    a->seat[0].size = 0; /* the seat no longer holds the game's state */
    SW_TRY(sw_seats_state(a->session, 0, record, err));
    SW_TRY(sw_ask_run(a, &zero, 1, NULL, err));
    *heads = a->row[0];
  } else {
    SW_TRY(sw_ask_record(a, record, 1, a->heads, err));
    *heads = a->heads;
  }
  return sw_ask_numbers(a, *heads, a->net->outputs, err);
}

int sw_ask_state(sw_asker *a, const sw_trace *t, int64_t length,
                 const int32_t *token, int32_t count, const float **logits,
                 sw_err *err) {
  sw_record record;
  const float *heads;
  int candidates = 0;
  SW_TRY(copy(a, t, length, token, count, err));
  SW_TRY(reach(a, &record, err));
  SW_TRY(run(a, &record, &heads, err));
  sw_env *env = a->replay.env;
  const sw_cand *candidate;
  SW_TRY(sw_domain_candidates(a->o.domain, env, &candidate, &candidates, err));
  if (!sw_grow(&a->score, &a->score_room, candidates, sizeof *a->score))
    return sw_ask_memory(err);
  sw_state_scores(a->o.domain, a->net, env, candidate, candidates, heads,
                  a->score);
  for (int32_t v = 0; v < a->vocab; v++) a->logits[v] = FAR_BELOW;
  for (int i = 0; i < candidates; i++)
    if (candidate[i].token >= 0 && candidate[i].token < a->vocab)
      a->logits[candidate[i].token] = a->score[i];
  *logits = a->logits;
  return SW_OK;
}

int sw_ask_state_hidden(sw_asker *a, const sw_trace *t, int64_t length,
                        float *out, sw_err *err) {
  sw_record record;
  int32_t zero = 0;
  if (!a->work)
    return sw_fail(err, SW_USAGE, "hidden vectors need the full path");
  SW_TRY(copy(a, t, length, NULL, 0, err));
  SW_TRY(reach(a, &record, err));
  sw_item item = {.record = record};
  return sw_work_hidden(a->work, &item, &zero, 1, out, err);
}

/* ---- where it is asked ---- */

static int mark(void *context, sw_env *env, int64_t at, const sw_trace *trace,
                sw_err *err) {
  uint8_t *asked = context;
  (void)env;
  (void)err;
  asked[at] = trace->supervised[at];
  return SW_OK;
}

int sw_ask_state_questions(sw_asker *a, sw_trace *t, sw_err *err) {
  sw_instance *instance = NULL;
  int waits;
  uint8_t *asked = calloc((size_t)t->length + 1, 1);
  if (!asked) return sw_ask_memory(err);
  sw_replay_watch watch = {.context = asked, .answer = mark};
  int code = make_ready(a, err);
  if (!code && !t->n) t->n = a->o.domain_options->n;
  if (!code)
    code = a->o.domain->state->read_instance(&instance, t, a->o.domain_options,
                                             err);
  if (!code)
    code = sw_replay_trace(&a->replay, instance, t, &watch, &waits, err);
  for (int64_t i = 0; i < t->length && !code; i++) t->supervised[i] = asked[i];
  if (instance) a->o.domain->instance_free(instance);
  free(asked);
  return code;
}
