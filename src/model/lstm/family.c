/* The LSTM as a family (model/family.h): its tables, and what its mode says
 * about masks and positions. */
#include <stddef.h>
#include "model/embedding.h"
#include "model/families.h"
#include "model/lstm/lanes.h"
#include "model/lstm/lstm.h"

const sw_option sw_lstm_table[] = {
#define X(...) SW_OPTION_ROW(sw_lstm_config, __VA_ARGS__)
    SW_LSTM_OPTIONS(X)
#undef X
};
const int sw_lstm_table_count = sizeof sw_lstm_table / sizeof *sw_lstm_table;

/* What only changes where training starts. */
/* clang-format off */
#define START_OPTIONS(X)                                                      \
  SW_POSITION_INIT_ROW(X, "noise", "what the position table starts from")
/* clang-format on */
typedef struct start_values {
  START_OPTIONS(SW_OPTION_FIELD)
} start_values;
static const sw_option starts[] = {
#define X(...) SW_OPTION_ROW(start_values, __VA_ARGS__)
    START_OPTIONS(X)
#undef X
};

/* The modes, each with the mask that says the same. */
static const struct {
  const char *name;
  sw_block_start start;
  sw_mask_kind mask;
} modes[] = {
    [SW_LSTM_CONTINUOUS] = {"continuous", SW_START_AFTER_ALL,
                            SW_MASK_CAUSAL_NOSLOT},
    [SW_LSTM_BLOCK_RESET] = {"block-reset", SW_START_ZERO, SW_MASK_BLOCK_ONLY},
    [SW_LSTM_PREFIX_RESTORED] = {"prefix-restored", SW_START_AFTER_PREFIX,
                                 SW_MASK_SSA},
};

static int mode_of(sw_mask_kind mask) {
  int start = sw_block_start_of(mask);
  for (int m = SW_LSTM_CONTINUOUS; m <= SW_LSTM_PREFIX_RESTORED; m++)
    if ((int)modes[m].start == start) return m;
  return SW_LSTM_AS_MASK;
}

static int disagree(int mode, sw_mask_kind mask, sw_err *err) {
  sw_fail(err, SW_USAGE, "mask %s is not that of an LSTM in mode %s",
          sw_mask_name(mask), modes[mode].name);
  return sw_hint(err, "its mask is %s", sw_mask_name(modes[mode].mask));
}

/* A mode that was given comes before the mask's default, which is the first of
 * the masks. */
static int reading_of(const void *config, sw_reading *reading, sw_err *err) {
  const sw_lstm_config *c = config;
  if (c->mode == SW_LSTM_AS_MASK || mode_of(reading->mask) == c->mode)
    return SW_OK;
  if (reading->mask != SW_MASK_SSA)
    return disagree(c->mode, reading->mask, err);
  sw_reading own = sw_reading_of(modes[c->mode].mask);
  own.window = reading->window;
  *reading = own;
  return SW_OK;
}

int sw_lstm_suits(const sw_net *net, const sw_reading *reading, sw_err *err) {
  const sw_lstm_config *c = net->config;
  if (mode_of(reading->mask) != c->mode)
    return disagree(c->mode, reading->mask, err);
  if (c->mode == SW_LSTM_PREFIX_RESTORED && !sw_reading_ids_local(reading)) {
    sw_fail(err, SW_USAGE,
            "positions %s count the history, which an LSTM in mode "
            "prefix-restored never sees",
            sw_position_name(reading->positions));
    return sw_hint(err, "use block-relative, block-first or none");
  }
  return sw_reading_suits(reading, c->positions, 0, 0, err);
}

static int resolve(void *config, const sw_demand *demand, sw_err *err) {
  sw_lstm_config *c = config;
  const sw_reading *reading = &demand->reading;
  sw_position_enters enters = sw_position_row_of(reading->positions)->enters;
  if (enters == SW_ENTERS_ROTATION || enters == SW_ENTERS_TWO) {
    sw_fail(err, SW_USAGE, "an LSTM has no use for positions `%s`",
            sw_position_name(reading->positions));
    return sw_hint(err, "use standard, block-relative, block-first or none");
  }
  c->vocab = demand->vocab;
  c->positions = demand->positions;
  if (c->mode == SW_LSTM_AS_MASK) c->mode = mode_of(reading->mask);
  if (c->mode == SW_LSTM_AS_MASK) {
    sw_fail(err, SW_USAGE, "no LSTM reads by the mask %s",
            sw_mask_name(reading->mask));
    return sw_hint(err,
                   "--mask ssa (prefix-restored), block-only (block-reset)"
                   " or causal-noslot (continuous)");
  }
  SW_TRY(sw_lstm_check(c, err));
  sw_net net = {.config = c};
  return sw_lstm_suits(&net, reading, err);
}

static void start(sw_net *net, uint64_t seed, const void *values) {
  const sw_lstm *lstm = (const sw_lstm *)net;
  const start_values *v = values;
  (void)seed;
  if (v && v->position_init)
    sw_sinusoids(net->weights + lstm->offset[SW_L_POSITION],
                 lstm->config.positions, lstm->config.d);
}

static void changed(sw_net *net) {
  sw_lstm *lstm = (sw_lstm *)net;
  lstm->fresh[SW_LSTM_FORWARD] = lstm->fresh[SW_LSTM_BACKWARD] = 0;
}

static double flops(const sw_net *net, const sw_item *item, int32_t rows,
                    int backward) {
  return sw_lstm_flops(net, item->example.length, rows, backward);
}

const sw_family sw_family_lstm = {
    .name = "lstm",
    .text =
        "recurrent network over tokens; a block starts from what its mode "
        "says",
    .reads = "tokens",
    .options = sw_lstm_table,
    .option_count = sizeof sw_lstm_table / sizeof *sw_lstm_table,
    .config_bytes = sizeof(sw_lstm_config),
    .starts = starts,
    .start_count = sizeof starts / sizeof *starts,
    .start_bytes = sizeof(start_values),
    .reading = reading_of,
    .resolve = resolve,
    .suits = sw_lstm_suits,
    .create = sw_lstm_create,
    .free = sw_lstm_free,
    .start = start,
    .changed = changed,
    .work_new = sw_lstm_work_new,
    .work_free = sw_lstm_work_free,
    .batch = sw_lstm_batch,
    .parts = sw_lstm_parts,
    .flops = flops,
    .rows = sw_lstm_scores_of,
    .hidden = sw_lstm_hidden_of,
    .custom = sw_lstm_custom,
    .bytes = sw_lstm_bytes,
    .seats_new = sw_lstm_seats_new,
    .seats_free = sw_lstm_seats_free,
    .prefix = sw_lstm_prefix,
    .begin_block = sw_lstm_begin_block,
    .push = sw_lstm_push,
    .pop = sw_lstm_pop,
    .length = sw_lstm_length,
    .run = sw_lstm_run,
};
