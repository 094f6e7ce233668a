/* Contrastive training steps (see invariance.h). */
#include "train/invariance.h"
#include <stdlib.h>
#include <string.h>
#include "train/contrastive.h"
#include "train/transforms.h"

typedef struct twin {
  sw_prepared source, pair;
  sw_contrastive_rows rows;
} twin;

struct sw_invariance {
  const sw_train_plan *plan;
  sw_feed *feed;
  sw_token_set actions;      /* of the published objective, or NULL */
  twin *twin;                /* [batch] */
  sw_contrastive_sums *sums; /* [batch] */
  double *cost;              /* [batch] */
};

int sw_invariance_new(sw_invariance **invariance, const sw_train_plan *plan,
                      sw_feed *feed, sw_err *err) {
  sw_invariance *v = calloc(1, sizeof *v);
  *invariance = NULL;
  size_t batch = (size_t)plan->options.batch;
  if (v) {
    v->twin = calloc(batch, sizeof *v->twin);
    v->sums = calloc(batch, sizeof *v->sums);
    v->cost = calloc(batch, sizeof *v->cost);
  }
  if (!v || !v->twin || !v->sums || !v->cost) {
    if (v) free(v->twin), free(v->sums), free(v->cost);
    free(v);
    return sw_no_memory_for(err, "contrastive pairs");
  }
  v->plan = plan;
  v->feed = feed;
  for (int32_t i = 0; i < plan->options.batch; i++) {
    sw_prepared_init(&v->twin[i].source);
    sw_prepared_init(&v->twin[i].pair);
  }
  if (plan->options.contrastive_release) {
    int code = sw_release_actions(sw_dataset_meta(feed->set, "domain"),
                                  &v->actions, err);
    if (code) {
      sw_invariance_free(v);
      return code;
    }
  }
  *invariance = v;
  return 0;
}

void sw_invariance_free(sw_invariance *v) {
  if (!v) return;
  for (int32_t i = 0; i < v->plan->options.batch; i++) {
    sw_prepared_free(&v->twin[i].source);
    sw_prepared_free(&v->twin[i].pair);
    sw_contrastive_rows_free(&v->twin[i].rows);
  }
  free(v->twin);
  free(v->sums);
  free(v->cost);
  free(v);
}

static int prepare(const sw_train_plan *plan, const sw_net *net,
                   const sw_reading *reading, sw_prepared *p, sw_err *err) {
  return sw_prepare(p, reading, net->slots, 0, net->positions,
                    (uint64_t)plan->options.seed, err);
}

/* Both traces of a pair show or hide the prefix together: only the history may
 * tell them apart. */
static int load_twin(sw_invariance *v, const sw_net *net, int64_t step,
                     int64_t at, twin *t, sw_err *err) {
  int release = v->plan->options.contrastive_release;
  int64_t epoch, current, item = sw_feed_item(v->feed, at, &epoch);
  SW_TRY(sw_history_pair(v->feed->history, release, item, epoch,
                         &t->source.trace, &t->pair.trace, &current, err));
  t->rows.source = t->rows.pair = 0;
  sw_reading reading = sw_train_plan_reading(v->plan, step, at);
  SW_TRY(prepare(v->plan, net, &reading, &t->source, err));
  SW_TRY(prepare(v->plan, net, &reading, &t->pair, err));
  if (current < 1) return 0; /* a trace without a decision block */
  return sw_contrastive_select(&t->rows, &t->source.trace, &t->pair.trace,
                               current, v->actions, err);
}

/* A trace of a pair as an item; the pair is another trace to dropout. */
static sw_item item_of(const sw_train_plan *plan, const sw_prepared *p,
                       int64_t step, uint64_t trace) {
  return (sw_item){.example = sw_prepared_example(p),
                   .options = {.dropout = plan->options.dropout,
                               .seed = (uint64_t)plan->options.seed,
                               .step = (uint64_t)step,
                               .trace = trace,
                               .weight[SW_LOSS_TARGET] = 1}};
}

/* The step's pairs, what each costs, and how its rows are weighed. One without
 * a target is passed over, and costs nothing. */
static int load_step(sw_invariance *v, const sw_net *net, int64_t step,
                     sw_contrastive_weights *w, sw_invariance_report *report,
                     sw_err *err) {
  const sw_train_options *o = &v->plan->options;
  int64_t selected = 0;
  for (int32_t i = 0; i < o->batch; i++) {
    twin *t = &v->twin[i];
    SW_TRY(load_twin(v, net, step, step * o->batch + i, t, err));
    report->targets += t->rows.source;
    selected += t->rows.pair;
    sw_item source = item_of(v->plan, &t->source, step, 0);
    sw_item pair = item_of(v->plan, &t->pair, step, 0);
    v->cost[i] = 0;
    if (t->rows.source == 0) continue;
    v->cost[i] = sw_net_flops(net, &source, t->rows.source, 1);
    report->tokens += t->source.trace.length;
    if (t->rows.pair) {
      v->cost[i] += sw_net_flops(net, &pair, t->rows.pair, 1);
      report->tokens += t->pair.trace.length;
    }
    report->flops += v->cost[i];
  }
  *w = (sw_contrastive_weights){0};
  if (report->targets) w->ce_source = 1.0 / (double)report->targets;
  if (selected) w->skl = o->contrastive / (double)selected;
  if (selected && o->contrastive_release) w->ce_pair = 1.0 / (double)selected;
  return 0;
}

static int one_pair(sw_invariance *v, sw_work *work, sw_spread *spread,
                    int64_t step, int32_t i, const sw_contrastive_weights *w,
                    float *gradient, sw_err *err) {
  twin *t = &v->twin[i];
  sw_item source = item_of(v->plan, &t->source, step, (uint64_t)i);
  sw_item pair = item_of(v->plan, &t->pair, step, ~(uint64_t)i);
  float *of_pair = NULL, *of_source;
  if (t->rows.source == 0) return 0;
  if (t->rows.pair) SW_TRY(sw_spread_part(spread, gradient, &of_pair, err));
  SW_TRY(sw_spread_part(spread, gradient, &of_source, err));
  return sw_contrastive_pass(work, &source, &pair, &t->rows, w, of_pair,
                             of_source, &v->sums[i], err);
}

int sw_invariance_step(sw_invariance *v, sw_work *work, sw_spread *spread,
                       int64_t step, float *gradient,
                       sw_invariance_report *report, sw_err *err) {
  int32_t batch = v->plan->options.batch, from, to;
  sw_contrastive_weights w;
  memset(report, 0, sizeof *report);
  SW_TRY(load_step(v, work->net, step, &w, report, err));
  if (!report->targets) {
    report->tokens = 0;
    report->flops = 0;
    return 0;
  }
  memset(v->sums, 0, sizeof *v->sums * (size_t)batch);
  sw_spread_slice(spread, v->cost, batch, &from, &to);
  for (int32_t i = from; i < to; i++)
    SW_TRY(one_pair(v, work, spread, step, i, &w, gradient, err));
  SW_TRY(sw_spread_results(spread, v->sums, sizeof *v->sums, err));
  sw_contrastive_sums sums = {0};
  for (int32_t i = 0; i < batch; i++) {
    sums.ce_source += v->sums[i].ce_source;
    sums.ce_pair += v->sums[i].ce_pair;
    sums.skl += v->sums[i].skl;
    sums.hits += v->sums[i].hits;
  }
  report->loss = sw_contrastive_value(&sums, &w);
  report->accuracy = (double)sums.hits / (double)report->targets;
  return 0;
}
