/* The families `linear` and `mlp` behind model/family.h: options, items over a
 * team, sessions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "model/feature/feature_net.h"
#include "model/families.h"
#include "model/state_options.h"

/* clang-format off */
#define HIDDEN_OPTIONS(X)                                                        \
  X(width, INT, "width", "256", 1, 65536, "", "width of the hidden layers")    \
  X(layers, INT, "depth", "2", 1, SW_FEATURE_LAYERS, "", "hidden layers")
/* clang-format on */

static const sw_option linear_options[] = {
#define X(...) SW_OPTION_ROW(sw_feature_config, __VA_ARGS__)
    SW_STATE_OPTIONS(X)};
static const sw_option mlp_options[] = {SW_STATE_OPTIONS(X) HIDDEN_OPTIONS(X)
#undef X
};

static int resolve(void *config, const sw_demand *demand, sw_err *err) {
  (void)err;
  memcpy(config, &demand->layout, sizeof demand->layout);
  return SW_OK;
}

static int create_linear(sw_net **net, const void *config, sw_err *err) {
  sw_feature_config c = *(const sw_feature_config *)config;
  c.width = c.layers = 0;
  return sw_feature_net_new(net, &sw_family_linear, &c, err);
}

static int create_mlp(sw_net **net, const void *config, sw_err *err) {
  return sw_feature_net_new(net, &sw_family_mlp, config, err);
}

static void standardise(sw_net *net, const double *mean,
                        const double *deviation) {
  const sw_feature_net *f = (const sw_feature_net *)net;
  sw_state_standardise(net, f->mean, f->scale, f->config.layout.features, mean,
                       deviation);
}

static void changed(sw_net *net) { ((sw_feature_net *)net)->stale = 1; }

/* ---- work ---- */

static int check_record(const sw_feature_net *f, const sw_record *r,
                        sw_err *err) {
  if (r->feature && r->features == f->config.layout.features) return SW_OK;
  return sw_fail(err, SW_USAGE, "a state of %d features, the model reads %d",
                 r->feature ? r->features : 0, f->config.layout.features);
}

/* Room for the rows of an item, and the rows forward. */
static int forward(const sw_state_work *w, int member, const sw_item *item,
                   sw_err *err) {
  const sw_feature_net *net = (const sw_feature_net *)w->work.net;
  sw_feature_pass *pass = sw_state_pass(w, member);
  const sw_record *record = &item->record;
  int32_t rows = sw_item_rows(item);
  SW_TRY(check_record(net, record, err));
  SW_TRY(sw_feature_pass_room(pass, net, rows, err));
  for (int32_t r = 0; r < rows; r++)
    pass->row[r] = record->feature + (size_t)r * (size_t)record->features;
  sw_feature_forward(pass, net, rows);
  return SW_OK;
}

static int one_item(void *context, int member, sw_item *item, float *part,
                    sw_err *err) {
  const sw_state_work *w = context;
  SW_TRY(forward(w, member, item, err));
  sw_feature_loss(sw_state_pass(w, member), (const sw_feature_net *)w->work.net,
                  item, part);
  return SW_OK;
}

static void pass_free(void *pass) { sw_feature_pass_free(pass); }
static size_t pass_bytes(const void *pass) {
  return ((const sw_feature_pass *)pass)->bytes;
}

static int work_new(sw_work **work, sw_net *net, sw_team *team, sw_err *err) {
  static const sw_state_kind kind = {.pass_size = sizeof(sw_feature_pass),
                                     .pass_free = pass_free,
                                     .pass_bytes = pass_bytes,
                                     .pack = sw_feature_pack,
                                     .one = one_item};
  return sw_state_work_new(work, net, team, &kind, err);
}

static double flops(const sw_net *net, const sw_item *item, int32_t rows,
                    int backward) {
  (void)item;
  return sw_feature_flops((const sw_feature_net *)net, rows, backward);
}

/* Copies rows of what a matrix gave (or of the input, -1). */
static int rows_after(sw_work *work, const sw_item *item, const int32_t *rows,
                      int32_t count, int matrix, float *out, sw_err *err) {
  const sw_state_work *w = (const sw_state_work *)work;
  const sw_feature_net *net = (const sw_feature_net *)work->net;
  const sw_feature_pass *pass = sw_state_pass(w, 0);
  SW_TRY(sw_feature_pack(work->net, err));
  SW_TRY(forward(w, 0, item, err));
  size_t width = (size_t)(matrix < 0 ? net->config.layout.features
                                     : net->matrix[matrix].out);
  const float *from = matrix < 0 ? pass->input : pass->layer[matrix];
  for (int32_t i = 0; i < count; i++) {
    SW_TRY(sw_state_row(item, rows[i], "states", err));
    memcpy(out + (size_t)i * width, from + (size_t)rows[i] * width,
           sizeof *out * width);
  }
  return SW_OK;
}

static int scores(sw_work *work, const sw_item *item, const int32_t *rows,
                  int32_t count, float *out, sw_err *err) {
  int last = ((const sw_feature_net *)work->net)->matrices - 1;
  return rows_after(work, item, rows, count, last, out, err);
}

static int hidden(sw_work *work, const sw_item *item, const int32_t *rows,
                  int32_t count, float *out, sw_err *err) {
  int last = ((const sw_feature_net *)work->net)->matrices - 1;
  return rows_after(work, item, rows, count, last - 1, out, err);
}

/* ---- sessions: a state for each sequence, all rows in one product ---- */

typedef struct feature_seats {
  sw_seats seats;
  sw_feature_net *net;
  sw_feature_pass pass;
  int32_t sequences;
  int recompute;
  float *state, *score; /* [sequences][features], [sequences][outputs] */
  uint8_t *known;       /* [sequences] the scores are the state's */
  int32_t *asked;       /* [sequences] */
} feature_seats;

static void seats_free(sw_seats *seats) {
  feature_seats *s = (feature_seats *)seats;
  sw_feature_pass_free(&s->pass);
  free(s->state);
  free(s->score);
  free(s->known);
  free(s->asked);
  free(s);
}

static int seats_new(sw_seats **seats, sw_net *net, sw_team *team,
                     const sw_session_options *options, sw_err *err) {
  feature_seats *s = calloc(1, sizeof *s);
  (void)team; /* a question is far too small to be shared */
  if (!s) return sw_no_memory_for(err, "a session");
  size_t n = (size_t)options->sequences;
  s->seats.net = net;
  s->net = (sw_feature_net *)net;
  s->sequences = options->sequences;
  s->recompute = !options->cache_prefix;
  s->state = calloc(n * (size_t)s->net->config.layout.features, sizeof(float));
  s->score = calloc(n * (size_t)net->outputs, sizeof(float));
  s->known = calloc(n, 1);
  s->asked = calloc(n, sizeof *s->asked);
  if (!s->state || !s->score || !s->known || !s->asked) {
    seats_free(&s->seats);
    return sw_no_memory_for(err, "a session");
  }
  *seats = &s->seats;
  return SW_OK;
}

static int set_state(sw_seats *seats, int32_t q, const sw_record *record,
                     sw_err *err) {
  feature_seats *s = (feature_seats *)seats;
  size_t width = (size_t)s->net->config.layout.features;
  if (q < 0 || q >= s->sequences)
    return sw_fail(err, SW_USAGE, "sequence %d of %d", q, s->sequences);
  SW_TRY(check_record(s->net, record, err));
  memcpy(s->state + (size_t)q * width, record->feature, sizeof(float) * width);
  s->known[q] = 0;
  return SW_OK;
}

static int run(sw_seats *seats, const int32_t *seq, int32_t count,
               const float **out, sw_err *err) {
  feature_seats *s = (feature_seats *)seats;
  size_t width = (size_t)s->net->config.layout.features;
  size_t outputs = (size_t)s->net->net.outputs;
  int32_t rows = 0;
  for (int32_t i = 0; i < count; i++) {
    int32_t q = seq[i];
    if (q < 0 || q >= s->sequences)
      return sw_fail(err, SW_USAGE, "sequence %d of %d", q, s->sequences);
    out[i] = s->score + (size_t)q * outputs;
    if (!s->known[q] || s->recompute) s->asked[rows++] = q;
  }
  if (!rows) return SW_OK;
  SW_TRY(sw_feature_pack(seats->net, err));
  SW_TRY(sw_feature_pass_room(&s->pass, s->net, rows, err));
  for (int32_t r = 0; r < rows; r++)
    s->pass.row[r] = s->state + (size_t)s->asked[r] * width;
  unsigned mode = nn_float_mode();
  nn_set_float_mode();
  sw_feature_forward(&s->pass, s->net, rows);
  nn_restore_float_mode(mode);
  seats->flops += sw_feature_flops(s->net, rows, 0);
  for (int32_t r = 0; r < rows; r++) {
    memcpy(s->score + (size_t)s->asked[r] * outputs,
           s->pass.layer[s->net->matrices - 1] + (size_t)r * outputs,
           sizeof(float) * outputs);
    s->known[s->asked[r]] = 1;
  }
  return SW_OK;
}

#define FAMILY(NAME, TEXT, TABLE, CREATE)                                      \
  {                                                                            \
    .name = NAME, .text = TEXT, .reads = "features", .options = TABLE,         \
    .option_count = sizeof TABLE / sizeof *TABLE,                              \
    .config_bytes = sizeof(sw_feature_config), .resolve = resolve,             \
    .create = CREATE, .free = sw_feature_net_free, .standardise = standardise, \
    .changed = changed, .work_new = work_new, .work_free = sw_state_work_free, \
    .batch = sw_state_batch, .parts = sw_state_parts, .flops = flops,          \
    .rows = scores, .hidden = hidden, .bytes = sw_state_bytes,                 \
    .seats_new = seats_new, .seats_free = seats_free, .state = set_state,      \
    .run = run                                                                 \
  }

const sw_family sw_family_linear =
    FAMILY("linear", "three heads on the features of a state", linear_options,
           create_linear);
const sw_family sw_family_mlp =
    FAMILY("mlp", "hidden layers on the features of a state, three heads",
           mlp_options, create_mlp);
