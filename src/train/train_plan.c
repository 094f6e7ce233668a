/* From options to a plan: defaults that depend on the mask and the data, the
 * checks that need both, and the fingerprint of the run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/rng.h"
#include "domains/domain.h"
#include "train/run_card.h"

const sw_option sw_train_table[] = {
#define X(...) SW_OPTION_ROW(sw_train_options, __VA_ARGS__)
    SW_TRAIN_OPTIONS(X)
#undef X
};
const int sw_train_table_count = sizeof sw_train_table / sizeof *sw_train_table;

static const sw_option result_table[] = {
#define X(...) SW_OPTION_ROW(sw_train_options, __VA_ARGS__)
    SW_TRAIN_RESULT_OPTIONS(X)
#undef X
};

static int resolve_reading(sw_train_plan *plan, sw_err *err) {
  sw_train_options *o = &plan->options;
  sw_reading *r = &plan->reading;
  SW_TRY(sw_reading_parse(r, o->mask ? o->mask : "ssa", NULL, err));
  *r = sw_reading_of(r->mask);
  r->window = o->window;
  return sw_reading_parse(r, NULL, o->position_kind, err);
}

/* Does training show whole histories? */
static int whole_history(const sw_train_options *o) {
  return o->view == SW_VIEW_FULL &&
         (!o->history || sw_history_from_name(o->history) == SW_HISTORY_FULL);
}

/* What follows from the reading. */
static void settle_reading(sw_train_plan *plan) {
  const sw_train_options *o = &plan->options;
  /* Validation shows whole traces (but for --until flat). A model that may read
   * history but trained on less of it is worse there the better it learns, so
   * its validation loss must not choose the weights. */
  int local = sw_mask_block_local(plan->reading.mask);
  plan->keep_last = !whole_history(o) && !o->until && !local;
  /* With the prefix hidden a block-local mask becomes block-only, and one that
   * reads history reads only the blocks, of which a window shows as much as it
   * did. (Its slots stay, and with them what they have read of the prefix.) */
  plan->hidden_prefix_mask = local ? SW_MASK_BLOCK_ONLY
                             : sw_mask_row_of(plan->reading.mask)->windowed
                                 ? SW_MASK_SWA
                                 : SW_MASK_REVERSE;
}

/* Streams of Philox draws other than the order's (which uses epoch + 1). */
enum { PREFIX_STREAM = 0x50524546 };

int sw_train_plan_facts(const sw_train_plan *plan, int64_t step) {
  const sw_train_options *o = &plan->options;
  return o->facts > 0 && (double)step < o->facts_share * (double)plan->steps;
}

sw_reading sw_train_plan_reading(const sw_train_plan *plan, int64_t step,
                                 int64_t at) {
  const sw_train_options *o = &plan->options;
  sw_reading reading = plan->reading;
  if ((double)step < o->prefix_reveal * (double)plan->steps ||
      (o->prefix_dropout > 0 &&
       sw_philox_unit((uint64_t)o->seed, PREFIX_STREAM, (uint64_t)at) <
           o->prefix_dropout))
    reading.mask = plan->hidden_prefix_mask;
  return reading;
}

/* Tokens of training item `at` in the order of training, of both traces
 * where they are pairs. 0 where the item has no target, because it is not
 * computed. */
static int item_tokens(sw_feed *feed, const sw_train_options *o, int64_t at,
                       sw_trace trace[2], int64_t *tokens, sw_err *err) {
  int64_t epoch, current, item = sw_feed_item(feed, at, &epoch);
  int pairs = o->contrastive > 0, targets = 0;
  if (pairs)
    SW_TRY(sw_history_pair(feed->history, o->contrastive_release, item, epoch,
                           &trace[0], &trace[1], &current, err));
  else SW_TRY(sw_feed_load(feed, item, epoch, &trace[0], err));
  for (int64_t i = 1; i < trace[0].length && !targets; i++)
    targets = trace[0].supervised[i];
  *tokens = trace[0].length + (pairs ? trace[1].length : 0);
  if (!targets) *tokens = 0;
  return SW_OK;
}

/* The mean length that training computes for an item: that of the data set's
 * traces, or, where items show something else of them, that of the first
 * items. */
static int mean_tokens(sw_feed *feed, const sw_train_options *o, double *mean,
                       sw_err *err) {
  enum { ITEMS = 2000 };
  const sw_dataset *set = feed->set;
  int64_t items = feed->train_count < ITEMS ? feed->train_count : ITEMS;
  int64_t sum = 0, tokens = 0;
  sw_trace trace[2];
  int code = SW_OK;
  *mean = (double)set->length / (double)set->traces;
  if (whole_history(o) && !o->first_blocks && !(o->contrastive > 0))
    return SW_OK;
  for (int i = 0; i < 2; i++) sw_trace_init(&trace[i]);
  for (int64_t at = 0; at < items && !code; at++, sum += tokens)
    code = item_tokens(feed, o, at, trace, &tokens, err);
  for (int i = 0; i < 2; i++) sw_trace_free(&trace[i]);
  if (code) return code;
  if (!sum) return sw_fail(err, SW_DATA, "the training items have no targets");
  *mean = (double)sum / (double)items;
  return SW_OK;
}

/* --until flat: a cap in tokens becomes one in steps, by the mean length of an
 * item, so that shares of it are known from the start. */
static int resolve_cap(const sw_train_plan *plan, sw_feed *feed, int64_t *steps,
                       sw_err *err) {
  const sw_train_options *o = &plan->options;
  if (!o->until) {
    if (!o->cap_tokens) return SW_OK;
    sw_fail(err, SW_USAGE, "--cap-tokens is for --until flat");
    return sw_hint(err, "add --until flat, or give --steps");
  }
  if (!plan->valid_items) {
    sw_fail(err, SW_USAGE, "--until flat needs validation traces");
    return sw_hint(err, "give --valid-share above 0");
  }
  if (sw_mask_leaks(plan->reading.mask)) {
    sw_fail(err, SW_USAGE,
            "--until flat: the validation loss of the leaking mask `%s` says"
            " nothing",
            sw_mask_name(plan->reading.mask));
    return sw_hint(err, "give it the --steps that `causal` took");
  }
  if (o->cap_tokens) {
    double tokens;
    SW_TRY(mean_tokens(feed, o, &tokens, err));
    *steps = (int64_t)ceil((double)o->cap_tokens / (tokens * o->batch));
  }
  return SW_OK;
}

static int plan_steps(sw_train_plan *plan, sw_feed *feed, sw_err *err) {
  const sw_train_options *o = &plan->options;
  const sw_dataset *set = feed->set;
  plan->train_items = feed->train_count;
  plan->valid_items = feed->valid_count;
  int64_t per_epoch = (plan->train_items + o->batch - 1) / o->batch;
  double planned = ceil(o->epochs * (double)per_epoch);
  if (planned > 1e15)
    return sw_fail(err, SW_LIMIT, "%g steps are too many", planned);
  plan->steps = o->steps ? o->steps : (int64_t)planned;
  if (o->first_blocks > 0 && o->match_tokens)
    plan->steps =
        sw_matched_epochs(plan->steps, sw_supervised_tokens(set, NULL, 0, 0),
                          sw_supervised_tokens(set, NULL, 0, o->first_blocks));
  SW_TRY(resolve_cap(plan, feed, &plan->steps, err));
  if (plan->steps < 1) return sw_fail(err, SW_USAGE, "the run has no steps");
  return SW_OK;
}

/* Options that came later count when they are on, so that runs which were begun
 * before them go on. */
static int counts(const sw_train_plan *plan, const char *name) {
  if (!strcmp(name, "verify")) return plan->options.verify > 0;
  if (!strcmp(name, "init-names")) return plan->options.init_names;
  if (!strcmp(name, "decision-weight"))
    return plan->options.decision_weight != 1;
  if (!strcmp(name, "flat-gain")) return plan->options.flat_gain > 0;
  if (!strcmp(name, "memory-heads")) return plan->options.memory_heads > 0;
  return strncmp(name, "facts", 5) || plan->options.facts > 0;
}

static uint64_t fingerprint(const sw_train_plan *plan, const sw_dataset *set) {
  sw_json json;
  sw_json_to_text(&json);
  sw_json_object(&json, NULL);
  for (size_t i = 0; i < sizeof result_table / sizeof *result_table; i++)
    if (counts(plan, result_table[i].name))
      sw_options_json(&result_table[i], 1, &plan->options, &json);
  sw_json_string(&json, "data", set->hash);
  sw_json_end(&json);
  uint64_t hash = json.failed ? 0 : sw_xxh64(json.text, json.length, 1);
  sw_json_free(&json);
  return hash;
}

int sw_train_plan_make(sw_train_plan *plan, const sw_train_options *options,
                       const sw_dataset *set, sw_err *err) {
  memset(plan, 0, sizeof *plan);
  plan->options = *options;
  SW_TRY(resolve_reading(plan, err));
  SW_TRY(sw_train_plan_family(plan, set, err));
  settle_reading(plan);
  sw_feed feed;
  int code = sw_feed_new(&feed, set, &plan->options, err);
  if (!code) code = plan_steps(plan, &feed, err);
  sw_feed_free(&feed);
  if (code) return code;
  int64_t steps = plan->steps;
  plan->optim = (sw_optim_config){.kind = (sw_optim_kind)options->optimizer,
                                  .momentum = options->momentum,
                                  .matrix_rate = options->matrix_rate,
                                  .lr = options->lr,
                                  .beta1 = options->beta1,
                                  .beta2 = options->beta2,
                                  .eps = options->eps,
                                  .weight_decay = options->weight_decay,
                                  .clip = options->clip,
                                  .warmup = options->warmup,
                                  .steps = steps,
                                  .constant = options->until != 0};
  int64_t validations = options->until ? 60 : 10;
  plan->valid_every = options->valid_every
                          ? options->valid_every
                          : (steps + validations - 1) / validations;
  plan->fingerprint = fingerprint(plan, set);
  return sw_run_init_hash(plan->options.init, &plan->init_hash, err);
}
