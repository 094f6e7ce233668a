/* Split, order and examples (see feed.h). */
#include "train/feed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/grow.h"
#include "base/rng.h"
#include "base/text.h"

/* Shuffle with MT(seed), first round-half-even((1-share) N) train, the rest
 * validate; both parts keep at least one item when N >= 2. Items of one trace
 * stay on one side: the split is made on traces. */
static int split_traces(sw_feed *feed, double share, uint64_t seed,
                        uint8_t **is_valid, sw_err *err) {
  int64_t n = feed->set->traces;
  int32_t *order = malloc((size_t)n * sizeof *order);
  uint8_t *side = calloc((size_t)n, 1);
  if (!order || !side || n > INT32_MAX) {
    free(order);
    free(side);
    return sw_no_memory_for(err, "a split of %lld traces", (long long)n);
  }
  for (int64_t i = 0; i < n; i++) order[i] = (int32_t)i;
  sw_mt mt;
  sw_mt_seed(&mt, seed);
  sw_mt_shuffle_i32(&mt, order, (size_t)n);
  int64_t train = (int64_t)nearbyint((1.0 - share) * (double)n);
  if (share > 0 && n >= 2) {
    if (train < 1) train = 1;
    if (train > n - 1) train = n - 1;
  }
  for (int64_t i = train; i < n; i++) side[order[i]] = 1;
  free(order);
  *is_valid = side;
  return SW_OK;
}

/* Sides of a data set whose traces name their part. Test traces are never used;
 * validation traces are used unless the share is 0. */
enum { SIDE_TRAIN, SIDE_VALID, SIDE_UNUSED };

/* If no trace is marked for validation, this share of the training groups
 * validates: at least one group and not all. */
static int draw_groups(const sw_dataset *set, double share, uint64_t seed,
                       uint8_t *side, sw_err *err) {
  int64_t traces = set->traces, groups = 0;
  int32_t most = 0;
  for (int64_t i = 0; i < traces; i++)
    if (set->group[i] > most) most = set->group[i];
  if (most >= traces)
    return sw_fail(err, SW_DATA, "group %d of %lld traces", most,
                   (long long)traces);
  uint8_t *trains = calloc((size_t)most + 1, 1);
  int32_t *order = malloc(((size_t)most + 1) * sizeof *order);
  if (!trains || !order) {
    free(trains);
    free(order);
    return sw_no_memory_for(err, "groups");
  }
  for (int64_t i = 0; i < traces; i++)
    if (side[i] == SIDE_TRAIN) trains[set->group[i]] = 1;
  for (int32_t g = 0; g <= most; g++)
    if (trains[g]) order[groups++] = g;
  sw_mt mt;
  sw_mt_seed(&mt, seed);
  sw_mt_shuffle_i32(&mt, order, (size_t)groups);
  int64_t valid = (int64_t)nearbyint(share * (double)groups);
  if (valid < 1) valid = 1;
  if (valid > groups - 1) valid = groups - 1;
  for (int64_t i = 0; i < valid; i++) trains[order[i]] = 0;
  for (int64_t i = 0; i < traces; i++)
    if (side[i] == SIDE_TRAIN && !trains[set->group[i]]) side[i] = SIDE_VALID;
  free(trains);
  free(order);
  return SW_OK;
}

static int split_parts(const sw_dataset *set, double share, uint64_t seed,
                       uint8_t **sides, sw_err *err) {
  int64_t count[SW_PARTS] = {0};
  uint8_t *side = calloc((size_t)set->traces, 1);
  *sides = side;
  if (!side) return sw_no_memory_for(err, "the split");
  for (int64_t i = 0; i < set->traces; i++) {
    count[set->part[i]]++;
    side[i] = set->part[i] == SW_PART_TEST                 ? SIDE_UNUSED
              : set->part[i] == SW_PART_VALID && share > 0 ? SIDE_VALID
                                                           : SIDE_TRAIN;
  }
  if (share <= 0 || count[SW_PART_VALID]) return SW_OK;
  int code = draw_groups(set, share, seed, side, err);
  if (code) free(side);
  return code;
}

int sw_feed_vocab(const sw_dataset *set, int32_t *vocab, sw_err *err) {
  const char *text = sw_dataset_meta(set, "vocab");
  int64_t number = (int64_t)set->max_token + 1;
  if (text && !sw_text_integer(text, 1, INT32_MAX - 1, &number))
    return sw_fail(err, SW_DATA, "the data set's vocab \"%.40s\" is not a size",
                   text);
  if (number >= INT32_MAX)
    return sw_fail(err, SW_LIMIT, "token %d is too large", set->max_token);
  *vocab = (int32_t)number;
  return SW_OK;
}

/* The validation items become at most `limit` of `items` (NULL: 0, 1, ...),
 * evenly spread. */
static int spread_valid(sw_feed *feed, const int64_t *items, int64_t count,
                        int64_t limit, sw_err *err) {
  int64_t kept = limit && count > limit ? limit : count;
  int64_t *list = malloc((size_t)(kept + 1) * sizeof *list);
  if (!list) return sw_no_memory(err);
  for (int64_t i = 0; i < kept; i++) {
    int64_t at = (int64_t)((double)i * (double)count / (double)kept);
    list[i] = items ? items[at] : at;
  }
  free(feed->valid);
  feed->valid = list;
  feed->valid_count = kept;
  return SW_OK;
}

/* The training items of a history reduction. */
static int reduce_history(sw_feed *feed, const sw_train_options *options,
                          sw_err *err) {
  int kind = sw_history_from_name(options->history ? options->history : "full");
  if (kind < 0) {
    sw_fail(err, SW_USAGE, "unknown history reduction `%s`", options->history);
    return sw_hint(err, "statewise train --help lists them");
  }
  int pairs = options->contrastive > 0;
  if (kind == SW_HISTORY_FULL && !pairs) return SW_OK;
  if (pairs && kind != SW_HISTORY_FULL)
    return sw_fail(err, SW_USAGE, "--contrastive goes with --history full");
  if (feed->view.view != SW_VIEW_FULL)
    return sw_fail(err, SW_USAGE, "--history %s needs --view full",
                   options->history);
  int32_t vocab = 0;
  SW_TRY(sw_feed_vocab(feed->set, &vocab, err));
  sw_history_options o = {
      .kind = (sw_history_kind)kind,
      .matched = options->history_matched && !pairs,
      .probability = options->history_p,
      .window = options->history_window,
      .placeholder = vocab,
      /* a borrowed history never makes an item longer than the longest trace,
       * so that it fits the position table */
      .max_tokens = sw_longest_trace(feed->set),
      .max_blocks = options->first_blocks,
      .seed = feed->seed};
  SW_TRY(sw_history_new(&feed->history, feed->set, feed->train,
                        feed->train_count, &o, err));
  if (feed->valid_alike && !pairs) {
    SW_TRY(sw_history_new(&feed->valid_history, feed->set, feed->valid,
                          feed->valid_count, &o, err));
    SW_TRY(spread_valid(feed, NULL, sw_history_items(feed->valid_history),
                        options->valid_limit, err));
  }
  int64_t items = sw_history_items(feed->history);
  int64_t *train = realloc(feed->train, (size_t)(items + 1) * sizeof *train);
  if (train) feed->train = train;
  int64_t *order = realloc(feed->order, (size_t)(items + 1) * sizeof *order);
  if (order) feed->order = order;
  if (!train || !order) return sw_no_memory(err);
  for (int64_t i = 0; i < items; i++) feed->train[i] = i;
  feed->train_count = items;
  return SW_OK;
}

int sw_feed_load(const sw_feed *feed, int64_t item, int64_t epoch,
                 sw_trace *out, sw_err *err) {
  SW_ASSERT(feed && out);
  SW_ASSERT(item >= 0);
  if (feed->history)
    return sw_history_item(feed->history, item, epoch, out, NULL, err);
  return sw_dataset_item(feed->set, &feed->view, item, out, err);
}

int sw_feed_load_valid(const sw_feed *feed, int64_t at, sw_trace *out,
                       sw_err *err) {
  SW_ASSERT(at >= 0 && at < feed->valid_count);
  static const sw_view_options whole = {.view = SW_VIEW_FULL};
  int64_t item = feed->valid[at];
  if (feed->valid_history)
    return sw_history_item(feed->valid_history, item, 0, out, NULL, err);
  return sw_dataset_item(feed->set, feed->valid_alike ? &feed->view : &whole,
                         item, out, err);
}

/* Validation items of a state view: those of the validation traces. */
static int view_valid(sw_feed *feed, const uint8_t *side, int64_t items,
                      int64_t limit, sw_err *err) {
  int64_t count = 0, *list = malloc((size_t)(items + 1) * sizeof *list);
  if (!list) return sw_no_memory(err);
  for (int64_t i = 0; i < items; i++)
    if (side[sw_dataset_item_trace(feed->set, &feed->view, i)] == SIDE_VALID)
      list[count++] = i;
  int code = spread_valid(feed, list, count, limit, err);
  free(list);
  return code;
}

int sw_feed_new(sw_feed *feed, const sw_dataset *set,
                const sw_train_options *options, sw_err *err) {
  SW_ASSERT(feed && options);
  SW_CHECK(sw_dataset_check(set));
  memset(feed, 0, sizeof *feed);
  feed->set = set;
  feed->seed = (uint64_t)options->seed;
  feed->order_epoch = -1;
  feed->view.view = (sw_view)options->view;
  feed->view.max_blocks = options->first_blocks;
  feed->view.seed = feed->seed;
  feed->view.sample = options->sample;
  if (set->traces < 1)
    return sw_fail(err, SW_DATA, "the data set has no traces");
  uint8_t *side;
  SW_TRY(
      set->part
          ? split_parts(set, options->valid_share, feed->seed, &side, err)
          : split_traces(feed, options->valid_share, feed->seed, &side, err));
  int64_t items = sw_dataset_items(set, &feed->view);
  feed->train = malloc((size_t)(items + 1) * sizeof *feed->train);
  feed->order = malloc((size_t)(items + 1) * sizeof *feed->order);
  feed->valid = malloc((size_t)(set->traces + 1) * sizeof *feed->valid);
  if (!feed->train || !feed->order || !feed->valid) {
    free(side);
    return sw_no_memory_for(err, "an index of %lld items", (long long)items);
  }
  for (int64_t i = 0; i < items; i++)
    if (side[sw_dataset_item_trace(set, &feed->view, i)] == SIDE_TRAIN)
      feed->train[feed->train_count++] = i;
  for (int64_t i = 0; i < set->traces; i++) {
    if (options->valid_limit && feed->valid_count >= options->valid_limit)
      break;
    if (side[i] == SIDE_VALID) feed->valid[feed->valid_count++] = i;
  }
  int code = SW_OK;
  feed->valid_alike = options->until != 0;
  if (feed->valid_alike && feed->view.view != SW_VIEW_FULL)
    code = view_valid(feed, side, items, options->valid_limit, err);
  free(side);
  SW_TRY(code);
  SW_TRY(reduce_history(feed, options, err));
  if (feed->train_count > 0) return SW_OK;
  sw_fail(err, SW_DATA, "nothing is left to train on");
  return items ? sw_hint(err, "lower --valid-share or generate more traces")
               : sw_hint(err, "no block of the traces is supervised");
}

void sw_feed_free(sw_feed *feed) {
  sw_history_free(feed->history);
  sw_history_free(feed->valid_history);
  free(feed->train);
  free(feed->valid);
  free(feed->order);
  memset(feed, 0, sizeof *feed);
}

int64_t sw_feed_item(sw_feed *feed, int64_t at, int64_t *epoch) {
  SW_ASSERT(feed->train_count > 0 && at >= 0);
  SW_ASSERT(epoch);
  *epoch = at / feed->train_count;
  if (*epoch != feed->order_epoch) {
    sw_philox_shuffle(feed->seed, (uint64_t)*epoch + 1, feed->order,
                      feed->train_count);
    feed->order_epoch = *epoch;
  }
  return feed->train[feed->order[at % feed->train_count]];
}

void sw_prepared_init(sw_prepared *p) {
  memset(p, 0, sizeof *p);
  sw_trace_init(&p->trace);
  sw_mask_init(&p->mask);
}

void sw_prepared_free(sw_prepared *p) {
  sw_trace_free(&p->trace);
  sw_mask_free(&p->mask);
  free(p->position);
  free(p->verdict);
  free(p->fact);
  free(p->decides);
  memset(p, 0, sizeof *p);
}

int sw_prepare(sw_prepared *p, const sw_reading *reading, int32_t slots,
               int32_t pad_shift, int32_t table, uint64_t seed, sw_err *err) {
  SW_CHECK(sw_trace_check(&p->trace));
  SW_CHECK(sw_reading_check(reading));
  SW_ASSERT(slots >= 0 && table >= 0);
  const sw_trace *t = &p->trace;
  int64_t ids = sw_reading_ids(reading, t->length);
  if (p->position_room < ids) {
    int32_t *grown = realloc(p->position, (size_t)ids * sizeof *p->position);
    if (!grown) return sw_no_memory(err);
    p->position = grown;
    p->position_room = ids;
  }
  SW_TRY(sw_reading_positions(reading, t->length, t->block_start, t->blocks,
                              pad_shift, table, p->position, err));
  p->targets = 0;
  for (int64_t i = 1; i < t->length; i++) p->targets += t->supervised[i] != 0;
  return sw_mask_build(&p->mask, reading->mask, slots, t->length,
                       t->block_start, t->blocks, reading->window, seed, err);
}

/* Behind the last scratchpad of a block, or its begin. */
static int64_t behind_pad(const sw_trace *t, int64_t b,
                          const sw_domain *domain) {
  int64_t begin = t->block_start[b], at = begin;
  for (int64_t i = begin; i < sw_trace_block_end(t, b) && domain->pad_end; i++)
    if (t->token[i] == domain->pad_end) at = i + 1;
  return at;
}

/* The decision's first token of block b, -1: none. The first target, but for
 * those of a scratchpad. */
static int64_t decision_of(const sw_trace *t, int64_t b,
                           const sw_domain *domain) {
  int64_t begin = t->block_start[b], end = sw_trace_block_end(t, b);
  if (t->judged) return t->verdict[b] == SW_UNJUDGED ? -1 : begin + t->query[b];
  int64_t at = behind_pad(t, b, domain);
  while (at < end && !t->supervised[at]) at++;
  return at < end ? at : -1;
}

int sw_prepare_verdicts(sw_prepared *p, const sw_domain *domain, sw_err *err) {
  SW_CHECK(sw_trace_check(&p->trace));
  const sw_trace *t = &p->trace;
  p->verdicts = 0;
  if (!t->judged && !domain)
    return sw_fail(err, SW_DATA, "--verify: the data set names no domain");
  if (!sw_grow64(&p->verdict, &p->verdict_room, t->length, 1))
    return sw_no_memory(err);
  memset(p->verdict, SW_UNJUDGED, (size_t)t->length);
  for (int64_t b = 1; b < t->blocks; b++) {
    int64_t at = decision_of(t, b, domain);
    if (at < 1) continue;
    if (at == t->block_start[b]) {
      sw_fail(err, SW_DATA,
              "--verify: the states of this data set are targets themselves, "
              "so where they end cannot be told");
      return sw_hint(err, "write it with statewise gen --viability");
    }
    if (at >= t->length || !t->supervised[at]) continue;
    p->verdict[at - 1] = t->judged                            ? t->verdict[b]
                         : t->token[at] == domain->back_token ? SW_DEAD
                                                              : SW_VIABLE;
    p->verdicts++;
  }
  return SW_OK;
}

int sw_prepare_facts(sw_prepared *p, const sw_domain *domain, sw_err *err) {
  SW_CHECK(sw_trace_check(&p->trace));
  const sw_trace *t = &p->trace;
  p->facts = 0;
  if (!domain) return SW_OK;
  if (!sw_grow64(&p->fact, &p->fact_room, t->length, sizeof *p->fact))
    return sw_no_memory(err);
  memset(p->fact, 0, sizeof *p->fact * (size_t)t->length);
  domain->token.facts(domain, t, p->fact);
  for (int64_t i = 0; i + 1 < t->length; i++) {
    if (t->supervised[i + 1]) p->fact[i] = 0;
    p->facts += p->fact[i] != 0;
  }
  return SW_OK;
}

int sw_prepare_decisions(sw_prepared *p, const sw_domain *domain, sw_err *err) {
  SW_CHECK(sw_trace_check(&p->trace));
  const sw_trace *t = &p->trace;
  p->decisions = 0;
  if (!domain) return SW_OK;
  if (!sw_grow64(&p->decides, &p->decides_room, t->length, 1))
    return sw_no_memory(err);
  memset(p->decides, 0, (size_t)t->length);
  for (int64_t b = 1; b < t->blocks; b++) {
    int64_t from = behind_pad(t, b, domain) - 1; /* the pad's end too */
    if (from < t->block_start[b] || !t->supervised[from]) continue; /* no pad */
    for (int64_t i = from; i < sw_trace_block_end(t, b); i++) {
      p->decides[i] = t->supervised[i] != 0;
      p->decisions += p->decides[i];
    }
  }
  return SW_OK;
}

sw_example sw_prepared_example(const sw_prepared *p) {
  return (sw_example){.token = p->trace.token,
                      .position = p->position,
                      .supervised = p->trace.supervised,
                      .length = (int32_t)p->trace.length,
                      .mask = &p->mask,
                      .block_start = p->trace.block_start,
                      .blocks = p->trace.blocks,
                      .verdict = p->verdict,
                      .fact = p->facts ? p->fact : NULL,
                      .decides = p->decisions ? p->decides : NULL};
}

int64_t sw_longest_trace(const sw_dataset *set) {
  int64_t most = 1;
  for (int64_t i = 0; i < set->traces; i++)
    if (set->trace_start[i + 1] - set->trace_start[i] > most)
      most = set->trace_start[i + 1] - set->trace_start[i];
  return most;
}

int sw_positions_needed(const sw_dataset *set, const sw_reading *reading,
                        int mixed, int64_t *rows, sw_err *err) {
  int64_t prefix = 0, block = 0;
  *rows = 1;
  for (int64_t i = 0; i < set->traces; i++) {
    const int64_t *start = set->block_start + set->trace_block[i];
    int64_t blocks = set->trace_block[i + 1] - set->trace_block[i], need;
    int64_t length = set->trace_start[i + 1] - set->trace_start[i];
    if (sw_reading_need(reading, length, start, blocks, &need, err))
      return sw_context(err, "trace %lld", (long long)i);
    if (need > *rows) *rows = need;
    for (int64_t b = 0; b < blocks; b++) {
      int64_t size = start[b + 1] - start[b];
      if (b == 0 && size > prefix) prefix = size;
      if (b > 0 && size > block) block = size;
    }
  }
  /* counted from the sequence, no item is longer than the longest trace */
  int64_t first[2] = {0, prefix}, need = 0;
  if (mixed && sw_reading_ids_local(reading))
    SW_TRY(sw_reading_need(reading, prefix + block, first, 2, &need, err));
  if (need > *rows) *rows = need;
  return SW_OK;
}
