/* The training loop (see trainer.h). */
#include "train/trainer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/file.h"
#include "base/log.h"
#include "base/clock.h"
#include "base/ranks.h"
#include "domains/of_file.h"
#include "domains/registry.h"
#include "train/invariance.h"
#include "train/new_names.h"
#include "train/run_card.h"
#include "train/source.h"
#include "train/spread.h"

typedef struct run {
  const sw_train_hooks *hooks;
  sw_train_plan plan;
  sw_dataset set;
  sw_feed feed;
  sw_team *team;
  sw_net *net;
  sw_work *work;
  sw_source *source;
  sw_optim *optim;
  sw_spread *spread; /* over the ranks of the job */
  float *gradient;
  sw_item *item;             /* [plan.options.batch] */
  sw_invariance *invariance; /* NULL: the ordinary loss */
  sw_progress_state state;
  double started, last_checkpoint, peak_gflops;
  double window_seconds, window_flops; /* training steps only */
  int64_t window_tokens;
  double valid_loss;
  FILE *metrics;
  int lock; /* of the run directory; -1: none */
} run;

static void count_work(run *r, int64_t tokens, double flops) {
  r->state.tokens += tokens;
  r->window_tokens += tokens;
  r->window_flops += flops;
}

/* Moves the items that have targets to the front. Returns the number of these
 * items, and in *targets that of their targets. */
static int32_t keep_targets(sw_item *item, int32_t count, int64_t *targets) {
  int32_t kept = 0;
  *targets = 0;
  for (int32_t i = 0; i < count; i++) {
    if (!item[i].tally[SW_LOSS_TARGET].count) continue;
    *targets += item[i].tally[SW_LOSS_TARGET].count;
    item[i].options.trace = (uint64_t)i;
    item[kept++] = item[i];
  }
  return kept;
}

static double share_of(double part, int64_t whole) {
  return whole ? part / (double)whole : 0;
}

/* Means of each kind. */
static void report_means(const sw_tally *sum, sw_loss_mean *mean) {
  SW_CHECK(sw_tally_check(sum));
  for (int k = 0; k < SW_LOSS_KINDS; k++)
    mean[k] = (sw_loss_mean){share_of(sum[k].loss, sum[k].count),
                             share_of((double)sum[k].hits, sum[k].count)};
}

/* The weight of each kind in a step that asks for so many. Every target has its
 * share; those that decide count as so many others. */
static void weigh(const sw_train_options *o, const sw_tally *asked,
                  float weight[SW_LOSS_KINDS]) {
  SW_CHECK(sw_tally_check(asked));
  double heavy = o->decision_weight;
  double shares = (double)asked[SW_LOSS_TARGET].count +
                  (heavy - 1) * (double)asked[SW_LOSS_DECISION].count;
  int64_t verdicts = asked[SW_LOSS_VERDICT].count;
  int64_t facts = asked[SW_LOSS_FACT].count;
  weight[SW_LOSS_TARGET] = (float)(shares > 0 ? 1.0 / shares : 0);
  weight[SW_LOSS_DECISION] = (float)(shares > 0 ? heavy / shares : 0);
  weight[SW_LOSS_VERDICT] =
      verdicts ? (float)(o->verify / (double)verdicts) : 0;
  weight[SW_LOSS_FACT] = facts ? (float)(o->facts / (double)facts) : 0;
}

/* The step's gradient under the ordinary loss. */
static int ordinary_step(run *r, sw_train_report *report, sw_err *err) {
  int64_t targets;
  sw_tally asked[SW_LOSS_KINDS] = {0}, sum[SW_LOSS_KINDS] = {0};
  SW_TRY(r->source->ops->step(r->source, r->state.step, r->item, err));
  int32_t count = keep_targets(r->item, r->plan.options.batch, &targets);
  for (int32_t i = 0; i < count; i++) sw_tally_add(asked, r->item[i].tally);
  for (int32_t i = 0; i < count; i++) {
    sw_pass_options *o = &r->item[i].options;
    o->dropout = r->plan.options.dropout;
    o->seed = (uint64_t)r->plan.options.seed;
    o->step = (uint64_t)r->state.step;
    weigh(&r->plan.options, asked, o->weight);
  }
  SW_TRY(sw_spread_loss(r->spread, r->work, r->item, count, r->gradient, err));
  for (int32_t i = 0; i < count; i++) {
    const sw_item *item = &r->item[i];
    sw_tally_add(sum, item->tally);
    SW_LOG("train", "  item %d: %lld tokens, %lld targets, loss %.9g", (int)i,
           (long long)sw_item_size(item),
           (long long)item->tally[SW_LOSS_TARGET].count,
           item->tally[SW_LOSS_TARGET].loss);
    count_work(r, sw_item_size(item), item->flops);
  }
  report_means(sum, report->mean);
  report->loss = share_of(sum[SW_LOSS_TARGET].loss, targets);
  report->accuracy = share_of((double)sum[SW_LOSS_TARGET].hits, targets);
  return SW_OK;
}

static int contrastive_step(run *r, sw_train_report *report, sw_err *err) {
  sw_invariance_report made;
  SW_TRY(sw_invariance_step(r->invariance, r->work, r->spread, r->state.step,
                            r->gradient, &made, err));
  count_work(r, made.tokens, made.flops);
  report->loss = made.loss;
  report->accuracy = made.accuracy;
  return SW_OK;
}

/* Steps of the whole run, as far as it is known. */
static int64_t last_step(const run *r) {
  return r->plan.options.until ? sw_flat_end(&r->state.flat) : r->plan.steps;
}

static int diverged(const char *what, int64_t step, sw_err *err) {
  sw_fail(err, SW_DIVERGED, "%s not finite at step %" PRId64, what, step);
  return sw_hint(err, "lower --lr or raise --warmup");
}

static int train_step(run *r, sw_train_report *report, sw_err *err) {
  double begin = sw_now();
  int64_t step = r->state.step + 1;
  int code = r->invariance ? contrastive_step(r, report, err)
                           : ordinary_step(r, report, err);
  if (code == SW_DIVERGED || (!code && !isfinite(report->loss)))
    return diverged("the loss is", step, err);
  SW_TRY(code);
  SW_TRY(sw_spread_step(r->spread, r->gradient, &report->grad_norm, &report->lr,
                        err));
  /* A finite loss may have a gradient that is not, and the step was made. */
  if (!isfinite(report->grad_norm))
    return diverged("the gradient is", step, err);
  SW_LOG("train", "step %lld: loss %.9g, norm %.9g, rate %.9g", (long long)step,
         report->loss, report->grad_norm, report->lr);
  r->state.step = step;
  r->window_seconds += sw_now() - begin;
  r->state.train_loss = report->loss;
  return SW_OK;
}

/* Losses of validation items begin.. (at most a batch of them). */
static int validate_some(run *r, int64_t begin, sw_tally *sum, sw_err *err) {
  int64_t left = r->feed.valid_count - begin, expected;
  int32_t count = r->plan.options.batch;
  if (left < count) count = (int32_t)left;
  SW_TRY(r->source->ops->valid(r->source, begin, count, r->item, err));
  count = keep_targets(r->item, count, &expected);
  for (int32_t i = 0; i < count; i++)
    r->item[i].options = (sw_pass_options){.weight[SW_LOSS_TARGET] = 1};
  SW_TRY(sw_spread_loss(r->spread, r->work, r->item, count, NULL, err));
  for (int32_t i = 0; i < count; i++) sw_tally_add(sum, r->item[i].tally);
  return SW_OK;
}

/* The loss that chooses the weights weighs the verify head as the gradient
 * does. */
static int validate(run *r, sw_train_report *report, sw_err *err) {
  sw_tally sum[SW_LOSS_KINDS] = {0};
  double all = 0;
  int code = SW_OK;
  for (int64_t i = 0; i < r->feed.valid_count && !code;
       i += r->plan.options.batch)
    code = validate_some(r, i, sum, err);
  for (int k = 0; k < SW_LOSS_KINDS; k++) all += sum[k].loss;
  if (code == SW_DIVERGED || (!code && !isfinite(all)))
    return diverged("the validation loss is", r->state.step, err);
  SW_TRY(code);
  if (!sum[SW_LOSS_TARGET].count) { /* a loss of 0 would count as the best */
    sw_fail(err, SW_DATA, "%s: the validation traces have no targets",
            r->plan.options.data);
    return sw_hint(err,
                   "raise --valid-share or --valid-limit, or give "
                   "--valid-share 0");
  }
  report_means(sum, report->valid);
  report->valid_loss =
      report->valid[SW_LOSS_TARGET].loss +
      r->plan.options.verify * report->valid[SW_LOSS_VERDICT].loss;
  report->valid_accuracy = report->valid[SW_LOSS_TARGET].accuracy;
  return SW_OK;
}

/* Rank 0 alone writes; what it writes has the same bytes for any number of
 * ranks, so another number may go on. */
static int first_rank(void) { return sw_ranks_me() == 0; }

/* Called before weights are written, because bad weights would replace good
 * ones. */
static int check_weights(const run *r, sw_err *err) {
  for (int64_t i = 0; i < r->net->count; i++)
    if (!isfinite(r->net->weights[i]))
      return diverged("a weight is", r->state.step, err);
  return SW_OK;
}

static int checkpoint(run *r, sw_err *err) {
  sw_progress_state state = r->state;
  SW_TRY(check_weights(r, err));
  SW_TRY(sw_spread_to_first(r->spread, err));
  if (!first_rank()) return SW_OK;
  state.seconds += sw_now() - r->started;
  SW_TRY(sw_metrics_sync(r->metrics, &r->plan, err)); /* what it stands for */
  SW_TRY(sw_checkpoint_save(r->plan.options.output, r->net, r->optim, &state,
                            r->plan.fingerprint, err));
  r->last_checkpoint = sw_now();
  return SW_OK;
}

static void measure_pace(run *r, sw_train_report *report) {
  double now = sw_now(), elapsed = r->window_seconds;
  int64_t done = r->state.step;
  report->step = done;
  report->steps = last_step(r);
  report->tokens = r->state.tokens;
  report->seconds = r->state.seconds + now - r->started;
  if (elapsed > 0) {
    report->tokens_per_s = (double)r->window_tokens / elapsed;
    report->peak_fraction =
        r->peak_gflops > 0 ? r->window_flops / elapsed / 1e9 / r->peak_gflops
                           : 0;
  }
  report->left =
      done ? report->seconds / (double)done * (double)(report->steps - done)
           : 0;
  if (elapsed > 2) {
    r->window_seconds = 0;
    r->window_flops = 0;
    r->window_tokens = 0;
  }
}

static int save_weights(run *r, sw_err *err) {
  SW_TRY(check_weights(r, err));
  if (!first_rank()) return SW_OK;
  return sw_run_save_model(&r->plan, &r->set, r->net, &r->state, NULL, err);
}

/* A copy that stays, for curves over training (a resumed run rewrites it). It
 * carries its own validation loss. A validation made only for a copy changes
 * neither the end of the run nor the best weights. */
static int keep_copy(run *r, const sw_train_report *report, sw_err *err) {
  int64_t every = r->plan.options.keep_every;
  sw_train_report own = *report;
  if (!every || r->state.step % every) return SW_OK;
  SW_TRY(check_weights(r, err));
  if (r->feed.valid_count && own.valid_loss < 0) SW_TRY(validate(r, &own, err));
  if (!first_rank()) return SW_OK;
  return sw_run_save_model(&r->plan, &r->set, r->net, &r->state,
                           &own.valid_loss, err);
}

static void begin_tail(run *r) {
  int64_t begin = r->state.flat.tail_begin;
  if (begin >= 0) sw_optim_begin_tail(r->optim, begin, sw_flat_tail(begin));
}

/* Has it stopped improving? Ends a run of --until flat. */
static int look_for_end(run *r, sw_train_report *report, sw_err *err) {
  int begins = sw_flat_step(&r->state.flat, r->state.step, report->valid_loss);
  if (begins < 0) return sw_no_memory(err);
  if (begins) begin_tail(r);
  report->ending = r->state.flat.ending;
  return SW_OK;
}

/* After a step that is due for validation: new best weights are written at
 * once; after a kill the resumed run repeats the same validation. */
static int after_step(run *r, sw_train_report *report, sw_err *err) {
  int last = r->state.step == last_step(r);
  report->valid_loss = -1;
  if (r->feed.valid_count &&
      (last || r->state.step % r->plan.valid_every == 0)) {
    SW_TRY(validate(r, report, err));
    r->valid_loss = report->valid_loss;
    report->is_best =
        !r->plan.keep_last && report->valid_loss < r->state.best_loss;
    if (report->is_best || r->plan.keep_last) {
      r->state.best_loss = report->valid_loss;
      r->state.best_step = r->state.step;
    }
    if (report->is_best) SW_TRY(save_weights(r, err));
  }
  SW_TRY(look_for_end(r, report, err));
  if (last && (!r->feed.valid_count || r->plan.keep_last))
    SW_TRY(save_weights(r, err));
  SW_TRY(keep_copy(r, report, err));
  measure_pace(r, report);
  if (first_rank())
    SW_TRY(
        sw_metrics_write(r->metrics, &r->plan, report, r->state.tokens, err));
  if (r->hooks->step) r->hooks->step(r->hooks->context, report);
  return SW_OK;
}

/* What is due after a step. A signal to any rank stops all of them here; time
 * is that of rank 0, because clocks differ. */
enum { DUE_STOP = 1, DUE_CHECKPOINT = 2 };

static int what_is_due(run *r, unsigned *due, sw_err *err) {
  double limit = r->plan.options.time_limit, now = sw_now();
  unsigned mine = 0;
  if (r->hooks->stop && r->hooks->stop(r->hooks->context)) mine |= DUE_STOP;
  if (first_rank() && limit > 0 && now - r->started > limit) mine |= DUE_STOP;
  if (first_rank() &&
      now - r->last_checkpoint > r->plan.options.checkpoint_seconds)
    mine |= DUE_CHECKPOINT;
  return sw_ranks_agree(mine, due, err);
}

static int loop(run *r, sw_err *err) {
  while (r->state.step < last_step(r)) {
    sw_train_report report = {0};
    SW_TRY(train_step(r, &report, err));
    SW_TRY(after_step(r, &report, err));
    unsigned due;
    if (r->state.step == last_step(r)) break;
    SW_TRY(what_is_due(r, &due, err));
    if (due) SW_TRY(checkpoint(r, err));
    if (due & DUE_STOP) {
      sw_fail(err, SW_STOPPED, "stopped at step %" PRId64 " of %" PRId64,
              r->state.step, last_step(r));
      return sw_hint(err, "run the same command again to go on");
    }
  }
  return SW_OK;
}

/* Two processes in one run directory would overwrite each other's files. The
 * lock ends with the process, so a kill leaves nothing to clean up. */
static int lock_directory(run *r, const char *directory, sw_err *err) {
  char path[1200];
  snprintf(path, sizeof path, "%s/lock", directory);
  int code = sw_lock_file(&r->lock, path, err);
  if (code == SW_USAGE) {
    sw_fail(err, SW_USAGE, "%s: another process trains here", directory);
    return sw_hint(err, "wait for it, or give another output directory");
  }
  if (!code) sw_remove_temporaries(directory); /* of killed runs */
  return code;
}

/* Those of --init, with what --init-names makes of them. */
static int first_weights(run *r, const sw_train_options *options, sw_err *err) {
  const sw_domain *domain;
  int64_t made;
  SW_TRY(sw_run_init_weights(r->net, options->init, err));
  r->state.init = r->plan.init_hash;
  if (!options->init_names) return SW_OK;
  SW_TRY(sw_domain_of_set(&r->set, options->data, &domain, err));
  int code = sw_new_names(r->net, domain, (uint64_t)options->seed, &made, err);
  sw_domain_release(domain);
  return code;
}

/* A resumed run needs no --init, so its file may be gone. If the file is there,
 * it must be the one that the run began with. */
static int check_init(run *r, const sw_train_options *options, sw_err *err) {
  uint64_t now = r->plan.init_hash;
  r->plan.init_hash = r->state.init; /* for the run card */
  if (!now || !r->state.init || now == r->state.init) return SW_OK;
  sw_fail(err, SW_USAGE, "%s began from other weights than %s has now",
          options->output, options->init);
  return sw_hint(err, "remove it to train again, or give another directory");
}

/* What is in the run directory: a checkpoint to go on from, and the curve. */
static int open_directory(run *r, const sw_train_options *options,
                          sw_err *err) {
  SW_TRY(sw_make_dirs(options->output, err));
  SW_TRY(lock_directory(r, options->output, err));
  int64_t step;
  SW_TRY(sw_checkpoint_latest(options->output, &step, err));
  if (step >= 0) {
    SW_TRY(sw_checkpoint_load(options->output, step, r->net, r->optim,
                              &r->state, r->plan.fingerprint, err));
    SW_TRY(check_init(r, options, err));
    sw_checkpoint_keep_only(options->output, step);
  } else if (options->init) {
    SW_TRY(first_weights(r, options, err));
  }
  SW_TRY(sw_metrics_trim(options->output, r->state.step, err));
  char path[1200];
  snprintf(path, sizeof path, "%s/metrics.jsonl", options->output);
  return sw_append_open(&r->metrics, path, err);
}

/* Where rank 0's checkpoint stands, on all ranks. */
static int share_state(run *r, sw_err *err) {
  sw_progress_state state = r->state; /* its points are rank 0's */
  char *text = first_rank() ? sw_flat_text(&r->state.flat) : NULL;
  size_t bytes = text ? strlen(text) + 1 : 0;
  int code = sw_ranks_share(&bytes, sizeof bytes, 0, err);
  if (!code && !first_rank()) text = malloc(bytes + 1);
  if (!code && (!text || !bytes)) code = sw_no_memory(err);
  if (!code) code = sw_ranks_share(&state, sizeof state, 0, err);
  if (!code) code = sw_ranks_share(text, bytes, 0, err);
  if (!code && !first_rank()) {
    sw_flat own = r->state.flat;
    r->state = state;
    r->state.flat = own;
    code = sw_flat_read(&r->state.flat, text, err);
  }
  free(text);
  return code;
}

static int make_room(run *r, const sw_train_options *options, sw_err *err) {
  size_t bytes = (size_t)r->net->count * sizeof(float);
  r->gradient = sw_aligned_alloc(bytes);
  r->item = calloc((size_t)options->batch, sizeof *r->item);
  if (!r->gradient || !r->item) return sw_no_memory_for(err, "the gradient");
  memset(r->gradient, 0, bytes);
  return SW_OK;
}

/* A new model that standardises its inputs gets their means and deviations. */
static int standardise(run *r, sw_err *err) {
  const sw_family *f = r->plan.family;
  if (!f->standardise || !r->source->ops->moments) return SW_OK;
  size_t width = (size_t)((const sw_state_layout *)r->net->config)->features;
  double *mean = malloc(2 * width * sizeof *mean);
  if (!mean) return sw_no_memory(err);
  int code = r->source->ops->moments(r->source, mean, mean + width, err);
  if (!code) f->standardise(r->net, mean, mean + width);
  free(mean);
  return code;
}

static int prepare_net(run *r, const sw_train_options *options, sw_err *err) {
  const sw_source_ops *source;
  SW_TRY(sw_net_new(&r->net, r->plan.family, &r->plan.config, &r->plan.start,
                    (uint64_t)options->seed, err));
  SW_TRY(sw_work_new(&r->work, r->net, r->team, err));
  SW_TRY(sw_optim_new(&r->optim, r->net, r->team, &r->plan.optim, err));
  SW_TRY(sw_spread_new(&r->spread, r->net, r->optim, r->team, err));
  SW_TRY(sw_source_for(&source, r->plan.family, err));
  int code = source->open(&r->source, &r->plan, &r->feed, r->net, err);
  if (code == SW_DATA) return sw_context(err, "%s", options->data);
  SW_TRY(code);
  if (!options->init) SW_TRY(standardise(r, err));
  return make_room(r, options, err);
}

/* The curriculum ends when the prefix is shown and no facts are asked for. */
static void prepare_flat(run *r) {
  const sw_train_options *o = &r->plan.options;
  double curriculum = o->prefix_reveal;
  if (o->facts > 0 && o->facts_share < 1 && o->facts_share > curriculum)
    curriculum = o->facts_share;
  sw_flat_init(&r->state.flat, r->plan.steps, curriculum);
  r->state.flat.watch = !o->until;
  r->state.flat.warm = (int64_t)floor(o->warmup * (double)r->plan.steps);
  r->state.flat.least = o->flat_gain;
}

static int prepare(run *r, const sw_train_options *options, sw_err *err) {
  SW_TRY(sw_dataset_open(&r->set, options->data, err));
  SW_TRY(sw_train_plan_make(&r->plan, options, &r->set, err));
  SW_TRY(sw_ranks_same("the data set or the options of training",
                       r->plan.fingerprint, err));
  SW_TRY(sw_feed_new(&r->feed, &r->set, &r->plan.options, err));
  SW_TRY(sw_team_new(&r->team, options->threads, err));
  SW_TRY(prepare_net(r, options, err));
  if (options->contrastive > 0)
    SW_TRY(sw_invariance_new(&r->invariance, &r->plan, &r->feed, err));
  r->state.best_loss = HUGE_VAL;
  prepare_flat(r);
  if (first_rank()) SW_TRY(open_directory(r, options, err));
  SW_TRY(share_state(r, err));
  SW_TRY(sw_spread_from_first(r->spread, err));
  begin_tail(r);
  return SW_OK;
}

static void release(run *r) {
  if (r->metrics) fclose(r->metrics);
  if (r->lock >= 0) close(r->lock);
  if (r->source) r->source->ops->close(r->source);
  free(r->item);
  sw_invariance_free(r->invariance);
  sw_aligned_free(r->gradient);
  sw_spread_free(r->spread);
  sw_optim_free(r->optim);
  sw_work_free(r->work);
  sw_net_free(r->net);
  sw_flat_free(&r->state.flat);
  sw_feed_free(&r->feed);
  sw_team_free(r->team);
  sw_dataset_close(&r->set);
}

/* The peak of all ranks together. */
static int sum_peaks(run *r, sw_err *err) {
  int ranks = sw_ranks_count(), me = sw_ranks_me();
  double *peak = calloc((size_t)ranks, sizeof *peak);
  size_t *begin = calloc((size_t)ranks + 1, sizeof *begin);
  int code = peak && begin ? SW_OK : sw_no_memory(err);
  for (int i = 0; i <= ranks && begin; i++) begin[i] = (size_t)i;
  if (!code) peak[me] = sw_run_peak_gflops(r->team);
  if (!code) code = sw_ranks_join(peak, sizeof *peak, begin, err);
  for (int i = 0; i < ranks && !code; i++) r->peak_gflops += peak[i];
  free(peak);
  free(begin);
  return code;
}

static void note_result(const run *r, int code, sw_train_result *result) {
  result->steps = r->state.step;
  result->tokens = r->state.tokens;
  result->parameters = sw_net_parameters(r->net);
  result->train_loss = r->state.train_loss;
  result->valid_loss = r->state.best_loss;
  result->seconds = r->state.seconds;
  result->ending = sw_ending_beside(r->state.flat.ending, r->state.best_loss,
                                    r->plan.options.best_loss);
  /* A leaking mask's loss says nothing. */
  result->falling = r->state.flat.watch && sw_flat_falling(&r->state.flat) &&
                    !sw_mask_leaks(r->plan.reading.mask);
  if (code != SW_DIVERGED) return;
  result->ending = SW_ENDED_DIVERGED;
  result->valid_loss = HUGE_VAL;
}

static int train(run *r, const sw_train_options *options,
                 sw_train_result *result, sw_err *err) {
  SW_TRY(prepare(r, options, err));
  SW_TRY(sum_peaks(r, err));
  sw_train_floors floors = {log((double)r->plan.vocab), 0};
  SW_TRY(sw_unigram_floor(&r->set, r->plan.vocab, 2000, &floors.unigram, err));
  if (r->source->ops->floors)
    r->source->ops->floors(r->source, &floors.uniform, &floors.unigram);
  if (r->hooks->started)
    r->hooks->started(r->hooks->context, &r->plan, &floors, r->state.step,
                      r->peak_gflops, r->net);
  r->started = r->last_checkpoint = sw_now();
  int code = loop(r, err);
  r->state.seconds += sw_now() - r->started;
  r->started = sw_now();
  if (!code) code = checkpoint(r, err);
  note_result(r, code, result);
  if (code || !first_rank()) return code;
  return sw_run_card_write(&r->plan, &r->set, r->net, result, err);
}

int sw_train(const sw_train_options *options, const sw_train_hooks *hooks,
             sw_train_result *result, sw_err *err) {
  static const sw_train_hooks none;
  memset(result, 0, sizeof *result);
  if (!options->data || !options->output)
    return sw_fail(err, SW_USAGE,
                   "a data set (--data) and a run directory"
                   " (-o) are needed");
  run r = {.hooks = hooks ? hooks : &none, .lock = -1};
  result->already_done = first_rank() && sw_run_card_done(options, result);
  int code = sw_ranks_share(result, sizeof *result, 0, err);
  if (!code && !result->already_done) code = train(&r, options, result, err);
  unsigned none_left;
  if (!code) code = sw_ranks_agree(0, &none_left, err); /* all is written */
  release(&r);
  return code;
}
