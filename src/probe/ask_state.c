/* Asking models that read states (see ask_state.h). */
#include "probe/ask_state.h"

#include <stdlib.h>

#include "base/grow.h"
#include "search/guide_state.h"
#include "train/replay.h"

struct sw_state_asker {
  const sw_domain *domain;
  sw_domain_options options;
  sw_net *net;
  sw_replay *replay;
  sw_state_reader reader;
  sw_work *work;         /* the full path */
  sw_seats *seats;       /* the closed loop's */
  sw_instance *instance; /* of the last question */
  sw_trace asked;
  int32_t vocab;
  float *logits, *heads, *score;
  int32_t score_room;
};

enum { FAR_BELOW = -10000 };

int sw_state_asker_new(sw_state_asker **asker, const sw_ask_options *o,
                       sw_team *team, sw_err *err) {
  static const sw_rules rules = {0};
  *asker = NULL;
  if (!o->domain)
    return sw_fail(err, SW_USAGE,
                   "models of the family %s read %s and cannot be asked this",
                   o->model->family->name, o->model->family->reads);
  sw_state_asker *a = calloc(1, sizeof *a);
  if (!a) return sw_fail(err, SW_MEMORY, "asking a model: out of memory");
  a->domain = o->domain;
  a->options = *o->domain_options;
  a->net = o->model;
  a->vocab = a->domain->vocab_size(&a->options);
  sw_trace_init(&a->asked);
  a->logits = malloc(sizeof *a->logits * (size_t)a->vocab);
  a->heads = malloc(sizeof *a->heads * (size_t)a->net->outputs);
  int code = a->logits && a->heads
                 ? SW_OK
                 : sw_fail(err, SW_MEMORY, "asking a model: out of memory");
  if (!code)
    code = sw_replay_new(&a->replay, a->domain, &a->options, &rules, err);
  if (!code) code = sw_state_reader_new(&a->reader, a->domain, a->net, err);
  sw_session_options session = {.sequences = 1, .cache_prefix = 1};
  if (!code)
    code = o->cached ? sw_seats_new(&a->seats, a->net, team, &session, err)
                     : sw_work_new(&a->work, a->net, team, err);
  if (code) sw_state_asker_free(a);
  else *asker = a;
  return code;
}

void sw_state_asker_free(sw_state_asker *a) {
  if (!a) return;
  if (a->instance) a->domain->instance_free(a->instance);
  sw_replay_free(a->replay);
  sw_state_reader_free(&a->reader);
  sw_work_free(a->work);
  sw_seats_free(a->seats);
  sw_trace_free(&a->asked);
  free(a->logits);
  free(a->heads);
  free(a->score);
  free(a);
}

int32_t sw_state_asker_vocab(const sw_state_asker *a) { return a->vocab; }

/* The trace up to there and the further tokens. */
static int copy(sw_state_asker *a, const sw_trace *t, int64_t length,
                const int32_t *token, int32_t count, sw_err *err) {
  sw_trace *to = &a->asked;
  sw_trace_clear(to);
  for (int64_t b = 0; b < t->blocks && t->block_start[b] < length; b++) {
    int64_t end = sw_trace_block_end(t, b);
    sw_trace_begin_block(to);
    for (int64_t i = t->block_start[b]; i < end && i < length; i++)
      sw_trace_put(to, t->token[i], 0);
  }
  for (int32_t i = 0; i < count; i++) sw_trace_put(to, token[i], 0);
  to->n = t->n ? t->n : a->options.n;
  return to->failed ? sw_fail(err, SW_MEMORY, "asking a model: out of memory")
                    : SW_OK;
}

/* Replays a->asked and captures where it ends. The instance stays until the
 * next question: the environment looks at it. */
static int reach(sw_state_asker *a, sw_record *record, sw_err *err) {
  int waits = 0;
  if (a->instance) a->domain->instance_free(a->instance);
  a->instance = NULL;
  SW_TRY(a->domain->state->read_instance(&a->instance, &a->asked, &a->options,
                                         err));
  SW_TRY(sw_replay_trace(a->replay, a->instance, &a->asked, NULL, &waits, err));
  if (!waits)
    return sw_fail(err, SW_DATA, "the trace does not end at a question");
  sw_env *env = sw_replay_env(a->replay);
  SW_TRY(sw_state_capture(&a->reader, env, err));
  return sw_state_record_of(&a->reader, env, a->asked.blocks - 1, record, err);
}

/* The scores of the heads, by either path. */
static int run(sw_state_asker *a, const sw_record *record, const float **heads,
               sw_err *err) {
  int32_t zero = 0;
  if (a->seats) {
    SW_TRY(sw_seats_state(a->seats, 0, record, err));
    return sw_seats_run(a->seats, &zero, 1, heads, err);
  }
  sw_item item = {.record = *record};
  *heads = a->heads;
  return sw_work_rows(a->work, &item, &zero, 1, a->heads, err);
}

int sw_state_ask(sw_state_asker *a, const sw_trace *t, int64_t length,
                 const int32_t *token, int32_t count, const float **logits,
                 sw_err *err) {
  sw_record record;
  const float *heads;
  int candidates = 0;
  SW_TRY(copy(a, t, length, token, count, err));
  SW_TRY(reach(a, &record, err));
  SW_TRY(run(a, &record, &heads, err));
  sw_env *env = sw_replay_env(a->replay);
  const sw_cand *candidate;
  SW_TRY(sw_domain_candidates(a->domain, env, &candidate, &candidates, err));
  if (!sw_grow(&a->score, &a->score_room, candidates, sizeof *a->score))
    return sw_fail(err, SW_MEMORY, "asking a model: out of memory");
  sw_state_scores(a->domain, a->net, env, candidate, candidates, heads,
                  a->score);
  for (int32_t v = 0; v < a->vocab; v++) a->logits[v] = FAR_BELOW;
  for (int i = 0; i < candidates; i++)
    if (candidate[i].token >= 0 && candidate[i].token < a->vocab)
      a->logits[candidate[i].token] = a->score[i];
  *logits = a->logits;
  return SW_OK;
}

int sw_state_ask_hidden(sw_state_asker *a, const sw_trace *t, int64_t length,
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

static void mark(void *context, const sw_env *env, int64_t at, int32_t token,
                 int supervised) {
  uint8_t *asked = context;
  (void)env;
  (void)token;
  asked[at] = (uint8_t)supervised;
}

static int nothing(void *context, const sw_env *env, int64_t at, sw_err *err) {
  (void)context;
  (void)env;
  (void)at;
  (void)err;
  return SW_OK;
}

int sw_state_questions(sw_state_asker *a, sw_trace *t, sw_err *err) {
  sw_instance *instance = NULL;
  int waits;
  uint8_t *asked = calloc((size_t)t->length + 1, 1);
  if (!asked) return sw_fail(err, SW_MEMORY, "asking a model: out of memory");
  sw_replay_watch watch = {.context = asked, .state = nothing, .answer = mark};
  if (!t->n) t->n = a->options.n;
  int code = a->domain->state->read_instance(&instance, t, &a->options, err);
  if (!code)
    code = sw_replay_trace(a->replay, instance, t, &watch, &waits, err);
  for (int64_t i = 0; i < t->length && !code; i++) t->supervised[i] = asked[i];
  if (instance) a->domain->instance_free(instance);
  free(asked);
  return code;
}
