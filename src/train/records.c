/* Records of a data set (see records.h). */
#include "train/records.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/rng.h"
#include "domains/replay.h"

int sw_records_open(sw_records *r, const sw_dataset *set, sw_err *err) {
  const char *name = sw_dataset_meta(set, "domain");
  const char *options = sw_dataset_meta(set, "domain_options");
  memset(r, 0, sizeof *r);
  r->set = set;
  if (!name || !options)
    return sw_fail(err, SW_DATA,
                   "the data set does not say which domain it is of");
  r->domain = sw_domain_find(name);
  if (!r->domain || !r->domain->state) {
    sw_fail(err, SW_USAGE,
            "states of the domain `%s` cannot be read as numbers", name);
    return sw_hint(err, "a family that reads tokens can learn it");
  }
  sw_domain_defaults(r->domain, &r->options);
  SW_TRY(sw_stored_read(&r->stored, r->domain, options, "the data set",
                        &r->options, err));
  return sw_stored_blame(r->domain->resolve(&r->options, err), "the data set",
                         err);
}

/* Trace i and its instance. */
static int read_trace(const sw_records *r, int64_t i, sw_trace *trace,
                      sw_instance **instance, sw_err *err) {
  static const sw_view_options whole = {.view = SW_VIEW_FULL};
  SW_TRY(sw_dataset_item(r->set, &whole, i, trace, err));
  int code = r->domain->state->read_instance(instance, trace, &r->options, err);
  return code ? sw_context(err, "trace %lld", (long long)i) : SW_OK;
}

int sw_records_sizes(const sw_records *r, int32_t *n, int32_t *m, sw_err *err) {
  sw_trace trace;
  int code = SW_OK;
  sw_trace_init(&trace);
  *n = *m = 0;
  for (int64_t i = 0; i < r->set->traces && !code; i++) {
    sw_instance *instance = NULL;
    int32_t own[2];
    code = read_trace(r, i, &trace, &instance, err);
    if (code) break;
    r->domain->state->sizes(instance, &own[0], &own[1]);
    if (own[0] > *n) *n = own[0];
    if (own[1] > *m) *m = own[1];
    r->domain->instance_free(instance);
  }
  sw_trace_free(&trace);
  return code;
}

typedef struct maker {
  sw_records *records;
  const sw_trace *trace;
  int64_t index;        /* of the trace */
  int64_t first;        /* of its blocks, in the data set */
  sw_state_record *now; /* NULL: its answer is not the trace's */
  sw_env *env;          /* the replay's */
} maker;

static int add_state(maker *k, const sw_env *env, int64_t block, sw_err *err) {
  sw_records *r = k->records;
  size_t bytes = r->domain->state->bytes(r->instance[k->index]);
  if (!sw_grow64(&r->record, &r->room, r->count + 1, sizeof *r->record) ||
      !sw_grow64(&r->bytes, &r->byte_room, r->used + (int64_t)bytes, 1))
    return sw_no_memory_for(err, "%lld records", (long long)r->count);
  k->now = &r->record[r->count++];
  *k->now = (sw_state_record){.state = r->used,
                              .trace = (int32_t)k->index,
                              .step = (int32_t)block,
                              .target = {-1, -1, -1}};
  memset(r->bytes + r->used, 0, bytes);
  r->domain->state->capture(env, r->bytes + r->used);
  r->used += (int64_t)bytes;
  r->first[k->first + block + 1]++;
  return SW_OK;
}

/* One more record of the state that `now` holds. */
static int add_choice(maker *k, int64_t block, int32_t choice, int dead,
                      sw_err *err) {
  sw_records *r = k->records;
  int64_t state =
      r->used - (int64_t)r->domain->state->bytes(r->instance[k->index]);
  if (!sw_grow64(&r->record, &r->room, r->count + 1, sizeof *r->record))
    return sw_no_memory_for(err, "%lld records", (long long)r->count);
  r->record[r->count++] =
      (sw_state_record){.state = state,
                        .trace = (int32_t)k->index,
                        .step = choice,
                        .target = {(int16_t)(dead != 0), -1, -1}};
  r->first[k->first + block + 1]++;
  return SW_OK;
}

/* Both values of all variables, or of some drawn by trace, block and variable.
 */
static int add_choices(maker *k, int64_t block, sw_err *err) {
  sw_records *r = k->records;
  const sw_state_ops *ops = r->domain->state;
  const sw_instance *instance = r->instance[k->index];
  const char *state = r->bytes + r->used - ops->bytes(instance);
  int32_t n, m, unset = 0;
  ops->sizes(instance, &n, &m);
  for (int32_t v = 0; v < n; v++)
    unset += ops->choice_open(instance, state, 2 * v) ||
             ops->choice_open(instance, state, 2 * v + 1);
  for (int32_t c = 0; c < 2 * n; c++) {
    uint64_t at = (uint64_t)k->index << 20 | (uint64_t)block;
    state = r->bytes + r->used - ops->bytes(instance);
    if (!ops->choice_open(instance, state, c)) continue;
    if (!r->all_choices &&
        sw_philox_unit(0x63686f69, at, (uint64_t)(c >> 1)) * unset >=
            SW_CHOICES_OF_STATE)
      continue;
    int dead = ops->choice_dead(k->env, c, r->judged ? -1 : 0);
    SW_TRY(sw_domain_trouble(r->domain, k->env, err));
    SW_TRY(add_choice(k, block, c, dead, err));
  }
  return SW_OK;
}

static int on_state(void *context, sw_env *env, int64_t at, sw_err *err) {
  maker *k = context;
  sw_records *r = k->records;
  int64_t block = sw_trace_block_of(k->trace, at);
  if (!r->choices) return add_state(k, env, block, err);
  /* the state's own record only kept its bytes */
  SW_TRY(add_state(k, env, block, err));
  r->count--;
  r->first[k->first + block + 1]--;
  k->now = NULL;
  return add_choices(k, block, err);
}

static int on_answer(void *context, sw_env *env, int64_t at,
                     const sw_trace *trace, sw_err *err) {
  maker *k = context;
  sw_state_answer answer;
  (void)err;
  if (!trace->supervised[at] || !k->now) return SW_OK;
  k->records->domain->state->answer(env, trace->token[at], &answer);
  for (int i = 0; i < answer.count; i++)
    if (!k->records->verdicts || answer.part[i].head == SW_HEAD_VERDICT)
      k->now->target[answer.part[i].head] = (int16_t)answer.part[i].value;
  return SW_OK;
}

static int on_solved(void *context, sw_env *env, sw_err *err) {
  maker *k = context;
  SW_TRY(add_state(k, env, k->trace->blocks - 1, err));
  k->now->solved = 1;
  return SW_OK;
}

static int make_trace(maker *k, sw_replay *replay, sw_trace *trace, int solved,
                      sw_err *err) {
  sw_records *r = k->records;
  sw_replay_watch watch = {.context = k,
                           .state = on_state,
                           .answer = on_answer,
                           .solved = solved ? on_solved : NULL};
  int waits;
  SW_TRY(read_trace(r, k->index, trace, &r->instance[k->index], err));
  k->trace = trace;
  k->first = r->set->trace_block[k->index];
  int code = sw_replay_trace(replay, r->instance[k->index], trace, &watch,
                             &waits, err);
  return code ? sw_context(err, "trace %lld", (long long)k->index) : SW_OK;
}

/* The data set's verdicts on states replace the verdicts that the traces'
 * actions imply. */
static void judge(sw_records *r) {
  for (int64_t i = 0; i < r->count; i++) {
    sw_state_record *x = &r->record[i];
    int64_t block = r->set->trace_block[x->trace] + x->step;
    if (x->solved || r->set->viability[block] == SW_UNJUDGED) continue;
    x->target[SW_HEAD_VERDICT] = r->set->viability[block] == SW_DEAD;
  }
}

int sw_records_make(sw_records *r, int solved, sw_err *err) {
  sw_replay replay;
  sw_trace trace;
  maker k = {.records = r};
  r->instance = calloc((size_t)r->set->traces, sizeof *r->instance);
  r->first = calloc((size_t)r->set->blocks + 2, sizeof *r->first);
  if (!r->instance || !r->first) return sw_no_memory_for(err, "the records");
  SW_TRY(sw_replay_open(&replay, r->domain, &r->options, &sw_rules_of_expert,
                        err));
  sw_trace_init(&trace);
  k.env = replay.env;
  int code = SW_OK;
  for (k.index = 0; k.index < r->set->traces && !code; k.index++)
    code = make_trace(&k, &replay, &trace, solved && !r->choices, err);
  if (!code && r->judged && !r->choices) judge(r);
  for (int64_t b = 0; b < r->set->blocks; b++) r->first[b + 1] += r->first[b];
  sw_trace_free(&trace);
  sw_replay_close(&replay);
  return code;
}

void sw_records_close(sw_records *r) {
  for (int64_t i = 0; r->instance && i < r->set->traces; i++)
    if (r->instance[i]) r->domain->instance_free(r->instance[i]);
  free(r->instance);
  free(r->record);
  free(r->first);
  free(r->bytes);
  sw_stored_free(&r->stored);
  memset(r, 0, sizeof *r);
}

void sw_records_features(const sw_records *r, int64_t record,
                         const sw_state_layout *layout, float *out) {
  const sw_state_record *x = &r->record[record];
  r->domain->state->features(r->instance[x->trace], r->bytes + x->state,
                             x->step, layout, out);
}

int sw_records_graph(const sw_records *r, int64_t record, sw_graph *out,
                     sw_err *err) {
  const sw_state_record *x = &r->record[record];
  if (r->domain->state->graph(r->instance[x->trace], r->bytes + x->state, out))
    return SW_OK;
  return sw_no_memory_for(err, "a graph");
}
