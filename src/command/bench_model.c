/* Models and states of the benches (see bench_model.h). */
#include "command/bench_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "domains/domain.h"
#include "train/config.h"
#include "domains/replay.h"

enum { GROUP = 64 }; /* states of an item, as in train/source_states.c */

typedef struct captured {
  int32_t instance, step;
  int64_t bytes; /* where the state lies */
  int32_t target[SW_STATE_HEADS];
} captured;

struct sw_bench_states {
  const sw_domain *domain;
  int32_t n, m; /* the largest */
  sw_instance **instance;
  int64_t instances, instance_room;
  captured *state;
  int64_t count, room, step; /* of the search under way */
  char *bytes;
  int64_t used, byte_room;
  /* what is shown */
  float *feature;
  sw_graph *graph;
  int32_t *target;
  int64_t feature_room, graph_room, target_room;
};

int sw_bench_reads_states(const sw_family *family) {
  return strcmp(family->reads, "tokens") != 0;
}

/* ---- states ---- */

void sw_bench_states_free(sw_bench_states *s) {
  if (!s) return;
  for (int64_t i = 0; i < s->instances; i++)
    s->domain->instance_free(s->instance[i]);
  for (int64_t i = 0; i < s->graph_room; i++) sw_graph_release(&s->graph[i]);
  free(s->instance);
  free(s->state);
  free(s->bytes);
  free(s->feature);
  free(s->graph);
  free(s->target);
  free(s);
}

static int on_state(void *context, sw_env *env, int64_t at, sw_err *err) {
  sw_bench_states *s = context;
  int64_t bytes =
      (int64_t)s->domain->state->bytes(s->instance[s->instances - 1]);
  (void)at;
  if (!sw_grow64(&s->state, &s->room, s->count + 1, sizeof *s->state) ||
      !sw_grow64(&s->bytes, &s->byte_room, s->used + bytes, 1))
    return sw_no_memory_for(err, "the states");
  s->state[s->count++] = (captured){.instance = (int32_t)s->instances - 1,
                                    .step = (int32_t)s->step++,
                                    .bytes = s->used,
                                    .target = {-1, -1, -1}};
  memset(s->bytes + s->used, 0, (size_t)bytes);
  s->domain->state->capture(env, s->bytes + s->used);
  s->used += bytes;
  return SW_OK;
}

static int on_answer(void *context, sw_env *env, int64_t at,
                     const sw_trace *trace, sw_err *err) {
  sw_bench_states *s = context;
  sw_state_answer answer;
  (void)err;
  if (!trace->supervised[at] || !s->count) return SW_OK;
  s->domain->state->answer(env, trace->token[at], &answer);
  for (int i = 0; i < answer.count; i++)
    s->state[s->count - 1].target[answer.part[i].head] = answer.part[i].value;
  return SW_OK;
}

/* The states of one more search. */
static int add_search(sw_bench_states *s, sw_stream *stream,
                      const sw_domain_options *options, sw_replay *replay,
                      sw_trace *trace, sw_err *err) {
  sw_replay_watch watch = {
      .context = s, .state = on_state, .answer = on_answer};
  sw_instance *instance;
  sw_mt mt;
  int32_t n, m;
  int waits;
  if (!sw_grow64(&s->instance, &s->instance_room, s->instances + 1,
                 sizeof *s->instance))
    return sw_no_memory_for(err, "the formulas");
  SW_TRY(s->domain->stream_next(stream, &instance, err));
  s->instance[s->instances++] = instance;
  s->domain->state->sizes(instance, &n, &m);
  s->n = n > s->n ? n : s->n;
  s->m = m > s->m ? m : s->m;
  s->step = 0;
  sw_mt_seed(&mt, (uint64_t)s->instances);
  sw_trace_clear(trace);
  SW_TRY(s->domain->write_trace(instance, options, &mt, trace, err));
  return sw_replay_trace(replay, instance, trace, &watch, &waits, err);
}

static int fill(sw_bench_states *s, int n, int clauses, int32_t least,
                sw_err *err) {
  sw_domain_options options;
  sw_stream *stream = NULL;
  sw_replay replay = {0};
  sw_trace trace;
  char ratio[32];
  s->domain = sw_domain_find("sat");
  sw_domain_defaults(s->domain, &options);
  options.n = n;
  snprintf(ratio, sizeof ratio, "%.17g", (double)clauses / n);
  SW_TRY(sw_options_set(s->domain->options, s->domain->option_count, "ratio",
                        ratio, &options, err));
  SW_TRY(s->domain->resolve(&options, err));
  sw_trace_init(&trace);
  int code = s->domain->stream_new(&stream, &options, 1, SW_SPLIT_TRAIN, err);
  if (!code)
    code =
        sw_replay_open(&replay, s->domain, &options, &sw_rules_of_expert, err);
  while (!code && s->count < least)
    code = add_search(s, stream, &options, &replay, &trace, err);
  sw_replay_close(&replay);
  if (stream) s->domain->stream_free(stream);
  sw_trace_free(&trace);
  return code;
}

int sw_bench_states_new(sw_bench_states **states, int n, int clauses,
                        int32_t least, sw_err *err) {
  sw_bench_states *s = calloc(1, sizeof *s);
  *states = NULL;
  if (!s) return sw_no_memory_for(err, "the states");
  int code = fill(s, n, clauses, least, err);
  if (code) sw_bench_states_free(s);
  else *states = s;
  return code;
}

/* ---- what is shown of them ---- */

static int make_room(sw_bench_states *s, int64_t rows, int64_t width,
                     sw_err *err) {
  int64_t had = s->graph_room;
  int ok = sw_grow64(&s->target, &s->target_room, rows * SW_STATE_HEADS,
                     sizeof *s->target);
  if (ok && width)
    ok = sw_grow64(&s->feature, &s->feature_room, rows * width,
                   sizeof *s->feature);
  if (ok && !width)
    ok = sw_grow64(&s->graph, &s->graph_room, rows, sizeof *s->graph);
  if (!ok) return sw_no_memory_for(err, "the states");
  if (s->graph_room > had)
    memset(s->graph + had, 0, sizeof *s->graph * (size_t)(s->graph_room - had));
  return SW_OK;
}

/* State `at` into row `row`; width 0: as a graph. */
static int show(sw_bench_states *s, const sw_state_layout *layout,
                int64_t width, int64_t at, int64_t row, sw_err *err) {
  const captured *c = &s->state[at % s->count];
  const sw_instance *instance = s->instance[c->instance];
  const sw_state_ops *ops = s->domain->state;
  memcpy(s->target + row * SW_STATE_HEADS, c->target, sizeof c->target);
  if (width)
    ops->features(instance, s->bytes + c->bytes, c->step, layout,
                  s->feature + row * width);
  else if (!ops->graph(instance, s->bytes + c->bytes, &s->graph[row]))
    return sw_no_memory_for(err, "a graph");
  return SW_OK;
}

static sw_record record_of(const sw_bench_states *s, int64_t width, int64_t row,
                           int32_t rows) {
  return (sw_record){.rows = rows,
                     .feature = width ? s->feature + row * width : NULL,
                     .features = (int32_t)width,
                     .graph = width ? NULL : s->graph + row,
                     .target = s->target + row * SW_STATE_HEADS,
                     .heads = SW_STATE_HEADS};
}

static int64_t width_of(const sw_net *net, sw_state_layout *layout) {
  memcpy(layout, net->config, sizeof *layout);
  return strcmp(net->family->reads, "graph") ? layout->features : 0;
}

int sw_bench_states_items(sw_bench_states *s, const sw_net *net, int64_t from,
                          int32_t batch, sw_item *item, int32_t *items,
                          sw_err *err) {
  sw_state_layout layout;
  int64_t width = width_of(net, &layout);
  int32_t group = width ? GROUP : 1;
  *items = 0;
  SW_TRY(make_room(s, batch, width, err));
  for (int32_t i = 0; i < batch; i++)
    SW_TRY(show(s, &layout, width, from + i, i, err));
  for (int32_t i = 0; i < batch; i += group) {
    int32_t rows = batch - i < group ? batch - i : group;
    item[(*items)++] = (sw_item){.record = record_of(s, width, i, rows)};
  }
  return SW_OK;
}

int sw_bench_states_record(sw_bench_states *s, const sw_net *net, int64_t at,
                           sw_record *record, sw_err *err) {
  sw_state_layout layout;
  int64_t width = width_of(net, &layout);
  SW_TRY(make_room(s, 1, width, err));
  SW_TRY(show(s, &layout, width, at, 0, err));
  *record = record_of(s, width, 0, 1);
  return SW_OK;
}

/* ---- models ---- */

/* What the states ask of a model whose config says which columns. */
static int measure_states(const sw_bench_states *s, const void *config,
                          sw_demand *demand, sw_err *err) {
  sw_state_layout *layout = &demand->layout;
  memcpy(layout, config, sizeof *layout);
  layout->n = s->n;
  layout->m = s->m;
  if (layout->step < 0) layout->step = layout->set == SW_FEATURES_PUBLISHED;
  SW_TRY(s->domain->state->layout(layout, err));
  demand->features = layout->features;
  demand->heads = SW_STATE_HEADS;
  memcpy(demand->classes, layout->classes, sizeof layout->classes);
  return SW_OK;
}

int sw_bench_model(sw_net **net, const sw_family *f, const sw_option *table,
                   int count, const void *values, const sw_list *own,
                   sw_demand *demand, const sw_bench_states *states,
                   sw_err *err) {
  sw_plan_values config = {0};
  if (states && strcmp(f->reads, "features") && strcmp(f->reads, "graph"))
    return sw_fail(err, SW_USAGE,
                   "the benches make tokens, features and graphs; models of "
                   "the family %s read %s",
                   f->name, f->reads);
  sw_options_defaults(f->options, f->option_count, &config);
  for (int i = 0; i < f->option_count; i++)
    for (int k = 0; k < count; k++) {
      char text[48];
      if (strcmp(f->options[i].name, table[k].name)) continue;
      sw_option_text(&table[k], values, text, sizeof text);
      SW_TRY(sw_options_set(f->options, f->option_count, table[k].name, text,
                            &config, err));
    }
  for (int i = 0; i < own->count; i++)
    SW_TRY(sw_options_set_pair(f->options, f->option_count, own->item[i],
                               &config, err));
  if (states) SW_TRY(measure_states(states, &config, demand, err));
  SW_TRY(f->resolve(&config, demand, err));
  return sw_net_new(net, f, &config, NULL, 1, err);
}
