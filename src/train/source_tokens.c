/* The source of families that read tokens: traces with their masks and
 * positions. Called by the trainer through the table of source.h. */
#include <stdlib.h>
#include "base/rng.h"
#include "domains/of_file.h"
#include "domains/registry.h"
#include "train/source.h"

typedef struct tokens {
  sw_source head;
  const sw_train_plan *plan;
  sw_feed *feed;
  const sw_net *net;
  sw_prepared *batch;      /* [plan->options.batch] */
  const sw_domain *domain; /* held */
} tokens;

/* Rows of the position table: whole traces, because validation is never cut
 * and a model trained on short ones is asked about long ones. */
static int measure_table(const sw_train_plan *plan, const sw_dataset *set,
                         sw_demand *demand, sw_err *err) {
  const sw_train_options *o = &plan->options;
  int kind = o->history ? sw_history_from_name(o->history) : SW_HISTORY_FULL;
  int mixed = o->contrastive > 0 || kind == SW_HISTORY_TRANSPLANT_FULL ||
              kind == SW_HISTORY_TRANSPLANT_PARTIAL;
  sw_position_enters enters =
      sw_position_row_of(plan->reading.positions)->enters;
  int64_t need, most, table = o->table;
  if (enters == SW_ENTERS_ROTATION || enters == SW_ENTERS_NOT) {
    if (!table) return SW_OK;
    sw_fail(err, SW_USAGE, "--table %lld: positions %s have no table",
            (long long)table, sw_position_name(plan->reading.positions));
    return sw_hint(err, "leave --table out");
  }
  SW_TRY(sw_positions_needed(set, &plan->reading, 0, &need, err));
  SW_TRY(sw_positions_needed(set, &plan->reading, mixed, &most, err));
  if (!table) { /* room for longer blocks than those seen */
    int free_blocks = sw_reading_ids_local(&plan->reading);
    table = need + (free_blocks ? need / 8 : 0);
    table = ((table > most ? table : most) + 63) / 64 * 64;
  }
  if (table < most) {
    sw_fail(err, SW_USAGE,
            "--table %lld: the data needs %lld rows with positions %s",
            (long long)table, (long long)most,
            sw_position_name(plan->reading.positions));
    return sw_hint(err, "--table 0 takes as many as the data needs");
  }
  demand->positions = (int32_t)table;
  if (enters == SW_ENTERS_TWO) {
    sw_reading by_rank = {.mask = SW_MASK_BLOCK_ONLY, .positions = SW_POS_NONE};
    SW_TRY(sw_positions_needed(set, &by_rank, 0, &need, err));
    demand->places = (int32_t)((need + need / 8 + 63) / 64 * 64);
  }
  return SW_OK;
}

static int measure(const sw_train_plan *plan, const sw_dataset *set,
                   sw_demand *demand, sw_err *err) {
  const sw_train_options *o = &plan->options;
  SW_TRY(sw_feed_vocab(set, &demand->vocab, err));
  if (set->max_token >= demand->vocab)
    return sw_fail(err, SW_DATA, "token %d is outside the vocabulary of %d",
                   set->max_token, demand->vocab);
  if (o->history && sw_history_from_name(o->history) == SW_HISTORY_NULL)
    demand->vocab++; /* the placeholder token */
  demand->reading = plan->reading;
  return measure_table(plan, set, demand, err);
}

static void close_tokens(sw_source *source) {
  tokens *s = (tokens *)source;
  for (int32_t i = 0; s->batch && i < s->plan->options.batch; i++)
    sw_prepared_free(&s->batch[i]);
  free(s->batch);
  sw_domain_release(s->domain);
  free(s);
}

static int open_tokens(sw_source **source, const sw_train_plan *plan,
                       sw_feed *feed, const sw_net *net, sw_err *err) {
  tokens *s = calloc(1, sizeof *s);
  if (s) s->batch = calloc((size_t)plan->options.batch, sizeof *s->batch);
  if (!s || !s->batch) {
    free(s);
    return sw_no_memory_for(err, "a batch");
  }
  s->head.ops = &sw_source_tokens;
  s->plan = plan;
  s->feed = feed;
  s->net = net;
  for (int32_t i = 0; i < plan->options.batch; i++)
    sw_prepared_init(&s->batch[i]);
  int code = sw_domain_of_set(feed->set, plan->options.data, &s->domain, err);
  if (code) close_tokens(&s->head);
  else *source = &s->head;
  return code;
}

static int prepare(tokens *s, int32_t i, const sw_reading *reading,
                   int32_t pad_shift, int64_t at, int facts, sw_item *item,
                   sw_err *err) {
  sw_prepared *p = &s->batch[i];
  uint64_t seed =
      sw_philox_u64((uint64_t)s->plan->options.seed, 7, (uint64_t)at);
  SW_TRY(sw_prepare(p, reading, s->net->slots, pad_shift, s->net->positions,
                    seed, err));
  if (s->plan->options.verify > 0)
    SW_TRY(sw_prepare_verdicts(p, s->domain, err));
  SW_TRY(sw_prepare_facts(p, facts ? s->domain : NULL, err));
  SW_TRY(sw_prepare_decisions(
      p, s->plan->options.decision_weight != 1 ? s->domain : NULL, err));
  *item = (sw_item){.example = sw_prepared_example(p),
                    .tally[SW_LOSS_TARGET].count = p->targets,
                    .tally[SW_LOSS_VERDICT].count = p->verdicts,
                    .tally[SW_LOSS_FACT].count = p->facts,
                    .tally[SW_LOSS_DECISION].count = p->decisions};
  return SW_OK;
}

/* Traces of the release are padded to the longest of their step. */
static int step_items(sw_source *source, int64_t step, sw_item *item,
                      sw_err *err) {
  tokens *s = (tokens *)source;
  const sw_train_options *o = &s->plan->options;
  int64_t longest = 0;
  for (int32_t i = 0; i < o->batch; i++) {
    int64_t epoch, at = step * o->batch + i;
    int64_t index = sw_feed_item(s->feed, at, &epoch);
    SW_TRY(sw_feed_load(s->feed, index, epoch, &s->batch[i].trace, err));
    if (s->batch[i].trace.length > longest) longest = s->batch[i].trace.length;
  }
  for (int32_t i = 0; i < o->batch; i++) {
    int64_t at = step * o->batch + i;
    int32_t shift =
        o->pad_positions ? (int32_t)(longest - s->batch[i].trace.length) : 0;
    sw_reading reading = sw_train_plan_reading(s->plan, step, at);
    SW_TRY(prepare(s, i, &reading, shift, at,
                   sw_train_plan_facts(s->plan, step), &item[i], err));
  }
  return SW_OK;
}

static int valid_items(sw_source *source, int64_t begin, int32_t count,
                       sw_item *item, sw_err *err) {
  tokens *s = (tokens *)source;
  for (int32_t i = 0; i < count; i++) {
    int64_t at = begin + i;
    SW_TRY(sw_feed_load_valid(s->feed, at, &s->batch[i].trace, err));
    SW_TRY(prepare(s, i, &s->plan->reading, 0, at, 0, &item[i], err));
  }
  return SW_OK;
}

const sw_source_ops sw_source_tokens = {.name = "tokens",
                                        .measure = measure,
                                        .open = open_tokens,
                                        .close = close_tokens,
                                        .step = step_items,
                                        .valid = valid_items};
