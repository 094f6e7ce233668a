/* The family `literal-transformer` behind model/family.h: options, items over a
 * team. It has no sessions: a model that judges every open choice does not
 * play. */
#include <stdlib.h>
#include <string.h>

#include "model/families.h"
#include "model/literal/literal_net.h"
#include "model/state_options.h"

/* clang-format off */
#define LITERAL_OPTIONS(X)                                                     \
  X(layout.set, CHOICE, "features", "choice", 0, 0, SW_FEATURE_SETS, "columns: those of one choice, the only ones it reads") \
  X(layout.step, INT, "step-counter", "0", 0, 0, "", "it has none")            \
  SW_STATE_SIZE_OPTIONS(X)                                                     \
  X(layout.features, INT, "inputs", "0", 0, 1000000, "", "width of a row (from the data)") \
  SW_STATE_CLASS_OPTIONS(X)                                                    \
  X(width, INT, "width", "64", 4, 4096, "", "width of a literal's vector")     \
  X(layers, INT, "depth", "3", 1, SW_LITERAL_LAYERS, "", "layers of attention") \
  X(heads, INT, "attention-heads", "4", 1, 64, "", "heads of a layer")         \
  X(ffn, INT, "hidden", "256", 1, 65536, "", "width between a layer's two matrices") \
  X(names, INT, "names", "1", 0, 1, "", "1: every variable has an embedding of its own, as published; 0: a literal is known by its columns alone")
/* clang-format on */

static const sw_option options[] = {
#define X(...) SW_OPTION_ROW(sw_literal_config, __VA_ARGS__)
    LITERAL_OPTIONS(X)
#undef X
};

static int resolve(void *config, const sw_demand *demand, sw_err *err) {
  if (demand->layout.set != SW_FEATURES_CHOICE)
    return sw_fail(err, SW_USAGE, "the literal transformer reads choices only");
  memcpy(config, &demand->layout, sizeof demand->layout);
  return SW_OK;
}

static int create(sw_net **net, const void *config, sw_err *err) {
  return sw_literal_net_new(net, &sw_family_literal, config, err);
}

static void standardise(sw_net *net, const double *mean,
                        const double *deviation) {
  const sw_literal_net *f = (const sw_literal_net *)net;
  sw_state_standardise(net, f->mean, f->scale, f->config.layout.features, mean,
                       deviation);
}

static void changed(sw_net *net) { ((sw_literal_net *)net)->stale = 1; }

static int check_record(const sw_literal_net *f, const sw_record *r,
                        sw_err *err) {
  if (!r->feature || r->features != f->config.layout.features)
    return sw_fail(err, SW_USAGE, "choices of %d columns, the model reads %d",
                   r->feature ? r->features : 0, f->config.layout.features);
  if (!r->choice)
    return sw_fail(err, SW_USAGE, "rows that do not say which choice they are");
  for (int32_t i = 0; i < r->rows; i++)
    if (r->choice[i] < 0 || r->choice[i] >> 1 >= f->config.layout.n)
      return sw_fail(err, SW_USAGE, "choice %d of %d variables", r->choice[i],
                     f->config.layout.n);
  return SW_OK;
}

static int forward(const sw_state_work *w, int member, const sw_item *item,
                   sw_err *err) {
  sw_literal_pass *pass = sw_state_pass(w, member);
  const sw_literal_net *net = (const sw_literal_net *)w->work.net;
  SW_TRY(check_record(net, &item->record, err));
  SW_TRY(sw_literal_pass_room(pass, net, sw_item_rows(item), err));
  sw_literal_forward(pass, net, &item->record);
  return SW_OK;
}

static int one_item(void *context, int member, sw_item *item, float *part,
                    sw_err *err) {
  const sw_state_work *w = context;
  SW_TRY(forward(w, member, item, err));
  sw_literal_loss(sw_state_pass(w, member), (const sw_literal_net *)w->work.net,
                  item, part);
  return SW_OK;
}

static void pass_free(void *pass) { sw_literal_pass_free(pass); }
static size_t pass_bytes(const void *pass) {
  return ((const sw_literal_pass *)pass)->bytes;
}

static int work_new(sw_work **work, sw_net *net, sw_team *team, sw_err *err) {
  static const sw_state_kind kind = {.pass_size = sizeof(sw_literal_pass),
                                     .pass_free = pass_free,
                                     .pass_bytes = pass_bytes,
                                     .pack = sw_literal_pack,
                                     .one = one_item};
  return sw_state_work_new(work, net, team, &kind, err);
}

static double flops(const sw_net *net, const sw_item *item, int32_t rows,
                    int backward) {
  (void)rows; /* all rows of a state come together */
  return sw_literal_flops((const sw_literal_net *)net, &item->record, backward);
}

static int rows_of(sw_work *work, const sw_item *item, const int32_t *rows,
                   int32_t count, int scores, float *out, sw_err *err) {
  const sw_state_work *w = (const sw_state_work *)work;
  const sw_literal_pass *pass = sw_state_pass(w, 0);
  SW_TRY(sw_literal_pack(work->net, err));
  SW_TRY(forward(w, 0, item, err));
  const float *from = scores ? pass->score : pass->last;
  size_t width = (size_t)(scores ? work->net->outputs : work->net->hidden);
  for (int32_t i = 0; i < count; i++) {
    SW_TRY(sw_state_row(item, rows[i], "literals", err));
    memcpy(out + (size_t)i * width, from + (size_t)rows[i] * width,
           sizeof *out * width);
  }
  return SW_OK;
}

static int scores(sw_work *work, const sw_item *item, const int32_t *rows,
                  int32_t count, float *out, sw_err *err) {
  return rows_of(work, item, rows, count, 1, out, err);
}

static int hidden(sw_work *work, const sw_item *item, const int32_t *rows,
                  int32_t count, float *out, sw_err *err) {
  return rows_of(work, item, rows, count, 0, out, err);
}

const sw_family sw_family_literal = {
    .name = "literal-transformer",
    .text = "attention over the open literals of a state, a verdict for each",
    .reads = "choices",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .config_bytes = sizeof(sw_literal_config),
    .resolve = resolve,
    .create = create,
    .free = sw_literal_net_free,
    .standardise = standardise,
    .changed = changed,
    .work_new = work_new,
    .work_free = sw_state_work_free,
    .batch = sw_state_batch,
    .parts = sw_state_parts,
    .flops = flops,
    .rows = scores,
    .hidden = hidden,
    .bytes = sw_state_bytes};
