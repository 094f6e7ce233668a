/* The sources of families that read states: features, constraint graphs or all
 * open choices of the records of the traces (records.h). An item of `features`
 * holds the states of up to GROUP decision blocks, one of `choices` those of
 * FEW, one of `graph` those of one block; a step has options->batch blocks in
 * all, in the order of the feed. Items that are not
 * needed have no targets, and the trainer leaves them out.
 *
 * The loss of a step is the sum over the heads of each head's mean: heads are
 * weighted by records / records that ask it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "train/records.h"
#include "train/source.h"

enum { GROUP = 64, FEW = 8 };

typedef struct states {
  sw_source head;
  const sw_train_plan *plan;
  sw_feed *feed;
  sw_records records;
  sw_state_layout layout;
  int graphs, choices;
  float *feature; /* [rows][features] of the step */
  sw_graph *graph;
  int32_t *target;         /* [rows][heads] */
  int32_t *state, *choice; /* [rows] of choices */
  int64_t feature_room, target_room, graph_room, state_room, choice_room;
  int64_t rows;                        /* of the step so far */
  int32_t states;                      /* and of whole states */
  float weight[SW_STATE_HEADS];        /* of the step's heads */
  float valid_weight[SW_STATE_HEADS];  /* of all validation items */
  double count[SW_STATE_HEADS], total; /* records of the step by head */
} states;

/* ---- what the data ask of a model ---- */

static int wants_graph(const sw_train_plan *plan) {
  return !strcmp(plan->family->reads, "graph");
}

static int wants_choices(const sw_train_plan *plan) {
  return !strcmp(plan->family->reads, "choices");
}

static int measure_layout(const sw_train_plan *plan, const sw_records *r,
                          sw_state_layout *layout, sw_err *err) {
  memcpy(layout, &plan->config, sizeof *layout);
  if (wants_graph(plan) && !r->domain->state->graph)
    return sw_fail(err, SW_USAGE, "the domain `%s` has no constraint graph",
                   r->domain->name);
  if (wants_choices(plan) && layout->set != SW_FEATURES_CHOICE)
    return sw_fail(err, SW_USAGE, "models of the family %s read choices only",
                   plan->family->name);
  if (layout->step < 0)
    layout->step =
        layout->set == SW_FEATURES_PUBLISHED && r->options.preset != 0;
  SW_TRY(sw_records_sizes(r, &layout->n, &layout->m, err));
  return r->domain->state->layout(layout, err);
}

static int measure(const sw_train_plan *plan, const sw_dataset *set,
                   sw_demand *demand, sw_err *err) {
  sw_records records;
  int code = sw_records_open(&records, set, err);
  if (!code) code = measure_layout(plan, &records, &demand->layout, err);
  sw_records_close(&records);
  if (code) return code;
  demand->features = demand->layout.features;
  demand->heads = SW_STATE_HEADS;
  memcpy(demand->classes, demand->layout.classes,
         sizeof demand->layout.classes);
  demand->reading = plan->reading;
  return sw_feed_vocab(set, &demand->vocab, err);
}

/* ---- records of items ---- */

/* The records behind a training item. */
static void records_of(const states *s, int64_t item, int64_t *from,
                       int64_t *to) {
  const sw_feed *f = s->feed;
  int64_t block = sw_dataset_item_block(f->set, &f->view, item);
  *from = block < 0 ? 0 : s->records.first[block];
  *to = block < 0 ? 0 : s->records.first[block + 1];
}

/* Those behind a validation item: a trace's, or a training item's. */
static void records_of_valid(const states *s, int64_t at, int64_t *from,
                             int64_t *to) {
  const sw_feed *f = s->feed;
  if (f->valid_alike) {
    records_of(s, f->valid[at], from, to);
    return;
  }
  *from = s->records.first[f->set->trace_block[f->valid[at]]];
  *to = s->records.first[f->set->trace_block[f->valid[at] + 1]];
}

static int asked(const sw_state_record *r) {
  int any = r->solved;
  for (int h = 0; h < SW_STATE_HEADS; h++) any |= r->target[h] >= 0;
  return any;
}

static int make_room(states *s, int64_t rows, sw_err *err) {
  int64_t width = s->graphs ? 0 : s->layout.features, had = s->graph_room;
  int ok = sw_grow64(&s->target, &s->target_room, rows * SW_STATE_HEADS,
                     sizeof *s->target);
  if (ok && s->graphs)
    ok = sw_grow64(&s->graph, &s->graph_room, rows, sizeof *s->graph);
  if (ok && !s->graphs)
    ok = sw_grow64(&s->feature, &s->feature_room, rows * width,
                   sizeof *s->feature);
  if (ok && s->choices)
    ok = sw_grow64(&s->state, &s->state_room, rows, sizeof *s->state) &&
         sw_grow64(&s->choice, &s->choice_room, rows, sizeof *s->choice);
  if (!ok) return sw_no_memory_for(err, "a step's records");
  if (s->graph_room > had)
    memset(s->graph + had, 0, sizeof *s->graph * (size_t)(s->graph_room - had));
  return SW_OK;
}

/* Adds the records [from, to) to the step. */
static int put(states *s, int64_t from, int64_t to, sw_err *err) {
  SW_TRY(make_room(s, s->rows + to - from, err));
  for (int64_t i = from; i < to; i++) {
    const sw_state_record *r = &s->records.record[i];
    int32_t *target = s->target + s->rows * SW_STATE_HEADS;
    if (!asked(r)) continue;
    for (int h = 0; h < SW_STATE_HEADS; h++) {
      target[h] = r->target[h];
      s->count[h] += target[h] >= 0;
    }
    if (r->solved) target[SW_HEAD_VERDICT] = 2; /* a graph's third verdict */
    s->total++;
    if (s->choices) {
      s->state[s->rows] = s->states;
      s->choice[s->rows] = r->step;
    }
    if (s->graphs)
      SW_TRY(sw_records_graph(&s->records, i, &s->graph[s->rows], err));
    else
      sw_records_features(&s->records, i, &s->layout,
                          s->feature + s->rows * s->layout.features);
    s->rows++;
    /* records of one state lie together */
    s->states += i + 1 == to || r[1].state != r->state;
  }
  return SW_OK;
}

static void weigh(states *s, float *weight) {
  for (int h = 0; h < SW_STATE_HEADS; h++)
    weight[h] = s->count[h] > 0 ? (float)(s->total / s->count[h]) : 0;
}

static void begin(states *s) {
  s->rows = 0;
  s->states = 0;
  s->total = 0;
  memset(s->count, 0, sizeof s->count);
}

/* The item of rows [from, to); pointers hold once all rows of the step are
 * there. */
static sw_item item_of(const states *s, int64_t from, int64_t to,
                       const float *weight) {
  sw_item item = {.tally[SW_LOSS_TARGET].count = to - from};
  item.record = (sw_record){.rows = (int32_t)(to - from),
                            .target = s->target + from * SW_STATE_HEADS,
                            .heads = SW_STATE_HEADS};
  if (s->graphs) {
    item.record.graph = s->graph + from;
  } else {
    item.record.feature = s->feature + from * s->layout.features;
    item.record.features = s->layout.features;
    item.record.weight = weight;
  }
  if (s->choices) {
    item.record.state = s->state + from;
    item.record.choice = s->choice + from;
  }
  return item;
}

static int step_items(sw_source *source, int64_t step, sw_item *item,
                      sw_err *err) {
  states *s = (states *)source;
  int32_t batch = s->plan->options.batch;
  int32_t group = s->graphs ? 1 : s->choices ? FEW : GROUP;
  int64_t *end = malloc(sizeof *end * (size_t)batch);
  int code = end ? SW_OK : sw_no_memory_for(err, "a step's items");
  begin(s);
  for (int32_t i = 0; i < batch && !code; i++) {
    int64_t epoch, from, to, at = step * batch + i;
    records_of(s, sw_feed_item(s->feed, at, &epoch), &from, &to);
    code = put(s, from, to, err);
    end[i] = s->rows;
  }
  weigh(s, s->weight);
  int32_t items = 0;
  for (int32_t i = 0; i < batch && !code; i += group) {
    int32_t last = i + group < batch ? i + group - 1 : batch - 1;
    item[items++] = item_of(s, i ? end[i - 1] : 0, end[last], s->weight);
  }
  for (; items < batch && !code; items++) item[items] = (sw_item){0};
  free(end);
  return code;
}

static int valid_items(sw_source *source, int64_t begin_at, int32_t count,
                       sw_item *item, sw_err *err) {
  states *s = (states *)source;
  int64_t *end = malloc(sizeof *end * ((size_t)count + 1));
  int code = end ? SW_OK : sw_no_memory_for(err, "a step's items");
  begin(s);
  for (int32_t i = 0; i < count && !code; i++) {
    int64_t from, to;
    records_of_valid(s, begin_at + i, &from, &to);
    code = put(s, from, to, err);
    end[i] = s->rows;
  }
  for (int32_t i = 0; i < count && !code; i++)
    item[i] = item_of(s, i ? end[i - 1] : 0, end[i], s->valid_weight);
  free(end);
  return code;
}

/* ---- opening ---- */

static void close_states(sw_source *source) {
  states *s = (states *)source;
  for (int64_t i = 0; i < s->graph_room; i++) sw_graph_release(&s->graph[i]);
  free(s->graph);
  free(s->feature);
  free(s->target);
  free(s->state);
  free(s->choice);
  sw_records_close(&s->records);
  free(s);
}

/* How often the heads are asked over all validation items. */
static void weigh_valid(states *s) {
  begin(s);
  for (int64_t v = 0; v < s->feed->valid_count; v++) {
    int64_t from, to;
    records_of_valid(s, v, &from, &to);
    for (int64_t i = from; i < to; i++) {
      const sw_state_record *r = &s->records.record[i];
      s->total += asked(r);
      for (int h = 0; h < SW_STATE_HEADS; h++) s->count[h] += r->target[h] >= 0;
    }
  }
  weigh(s, s->valid_weight);
}

static int open_states(sw_source **source, const sw_train_plan *plan,
                       sw_feed *feed, const sw_net *net, sw_err *err) {
  states *s = calloc(1, sizeof *s);
  if (!s) return sw_no_memory_for(err, "a source");
  s->graphs = wants_graph(plan);
  s->choices = wants_choices(plan);
  s->head.ops = s->graphs    ? &sw_source_graph
                : s->choices ? &sw_source_choices
                             : &sw_source_features;
  s->plan = plan;
  s->feed = feed;
  memcpy(&s->layout, net->config, sizeof s->layout);
  int code = sw_records_open(&s->records, feed->set, err);
  s->records.judged = plan->options.verify > 0 && feed->set->viability;
  s->records.choices = s->layout.set == SW_FEATURES_CHOICE;
  s->records.all_choices = s->choices;
  s->records.verdicts = sw_features_judge(s->layout.set);
  if (!code) code = sw_records_make(&s->records, s->graphs, err);
  if (code) {
    close_states(&s->head);
    return code;
  }
  weigh_valid(s);
  *source = &s->head;
  return SW_OK;
}

/* Mean and deviation of every feature over the training records. */
static int moments(sw_source *source, double *mean, double *deviation,
                   sw_err *err) {
  states *s = (states *)source;
  int32_t width = s->layout.features;
  float *x = malloc(sizeof *x * (size_t)width);
  double count = 0;
  if (!x) return sw_no_memory(err);
  for (int32_t k = 0; k < width; k++) mean[k] = deviation[k] = 0;
  for (int64_t i = 0; i < s->feed->train_count; i++) {
    int64_t from, to;
    records_of(s, s->feed->train[i], &from, &to);
    for (int64_t r = from; r < to; r++) {
      if (!asked(&s->records.record[r])) continue;
      sw_records_features(&s->records, r, &s->layout, x);
      count++;
      for (int32_t k = 0; k < width; k++) { /* Welford */
        double off = (double)x[k] - mean[k];
        mean[k] += off / count;
        deviation[k] += off * ((double)x[k] - mean[k]);
      }
    }
  }
  for (int32_t k = 0; k < width; k++)
    deviation[k] = count > 0 ? sqrt(deviation[k] / count) : 0;
  free(x);
  return SW_OK;
}

/* Losses of models that know nothing, and that know how frequent each class
 * is. */
static void floors(sw_source *source, double *uniform, double *unigram) {
  const states *s = (const states *)source;
  *uniform = *unigram = 0;
  for (int h = 0; h < SW_STATE_HEADS; h++) {
    int32_t classes = s->layout.classes[h];
    double total = 0, *count = calloc((size_t)classes + 1, sizeof *count);
    if (!count) return;
    for (int64_t i = 0; i < s->records.count; i++) {
      int32_t t = s->records.record[i].target[h];
      if (t < 0 || t >= classes) continue;
      count[t]++;
      total++;
    }
    *uniform += log((double)classes);
    for (int32_t t = 0; t < classes; t++)
      if (count[t] > 0) *unigram -= count[t] / total * log(count[t] / total);
    free(count);
  }
}

#define OPS(NAME, MOMENTS)                                           \
  {                                                                  \
    .name = NAME, .measure = measure, .open = open_states,           \
    .close = close_states, .step = step_items, .valid = valid_items, \
    .moments = MOMENTS, .floors = floors                             \
  }
const sw_source_ops sw_source_features = OPS("features", moments);
const sw_source_ops sw_source_choices = OPS("choices", moments);
const sw_source_ops sw_source_graph = OPS("graph", NULL);
