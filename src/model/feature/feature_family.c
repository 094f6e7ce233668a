/* The families `linear` and `mlp` behind model/family.h: options, items over a
 * team, sessions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "model/feature/feature_net.h"
#include "model/families.h"
#include "model/item_team.h"
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

/* Features that hardly vary stay as they are. */
static void standardise(sw_net *net, const double *mean,
                        const double *deviation) {
  sw_feature_net *f = (sw_feature_net *)net;
  for (int k = 0; k < f->config.layout.features; k++) {
    net->weights[f->mean + k] = (float)mean[k];
    net->weights[f->scale + k] =
        (float)(deviation[k] < 1e-6 ? 1 : 1 / deviation[k]);
  }
  sw_net_changed(net);
}

static void changed(sw_net *net) { ((sw_feature_net *)net)->stale = 1; }

/* ---- work ---- */

typedef struct feature_work {
  sw_work work;
  sw_feature_net *net;
  sw_item_team items;
  int members;
  sw_feature_pass *pass;  /* [members] */
  const float ***feature; /* [members] pointers to rows */
  int32_t *room;          /* of these */
} feature_work;

static void work_free(sw_work *work) {
  feature_work *w = (feature_work *)work;
  for (int i = 0; i < w->members; i++) {
    if (w->pass) sw_feature_pass_free(&w->pass[i]);
    if (w->feature) free(w->feature[i]);
  }
  free(w->pass);
  free(w->feature);
  free(w->room);
  sw_item_team_free(&w->items);
  free(w);
}

static int check_record(const sw_feature_net *f, const sw_record *r,
                        sw_err *err) {
  if (r->feature && r->features == f->config.layout.features) return SW_OK;
  return sw_fail(err, SW_USAGE, "a state of %d features, the model reads %d",
                 r->feature ? r->features : 0, f->config.layout.features);
}

/* Room for the rows of an item, and the rows forward. */
static int forward(feature_work *w, int member, const sw_item *item,
                   sw_err *err) {
  int32_t rows = sw_item_rows(item);
  SW_TRY(check_record(w->net, &item->record, err));
  SW_TRY(sw_feature_pass_room(&w->pass[member], w->net, rows, err));
  if (rows > w->room[member]) {
    const float **grown =
        realloc(w->feature[member], sizeof *grown * (size_t)rows);
    if (!grown) return sw_fail(err, SW_MEMORY, "out of memory");
    w->feature[member] = grown;
    w->room[member] = rows;
  }
  for (int32_t r = 0; r < rows; r++)
    w->feature[member][r] =
        item->record.feature + (size_t)r * (size_t)item->record.features;
  sw_feature_forward(&w->pass[member], w->net, w->feature[member], rows);
  return SW_OK;
}

static int one_item(void *context, int member, sw_item *item, float *part,
                    sw_err *err) {
  feature_work *w = context;
  if (!item->record.target || item->record.heads != SW_STATE_HEADS)
    return sw_fail(err, SW_USAGE, "records of %d heads, the model has %d",
                   item->record.target ? item->record.heads : 0,
                   SW_STATE_HEADS);
  SW_TRY(forward(w, member, item, err));
  sw_feature_loss(&w->pass[member], w->net, item, part);
  return SW_OK;
}

static int work_new(sw_work **work, sw_net *net, sw_team *team, sw_err *err) {
  feature_work *w = calloc(1, sizeof *w);
  if (!w) return sw_fail(err, SW_MEMORY, "out of memory for a workspace");
  w->work.net = net;
  w->net = (sw_feature_net *)net;
  w->members = sw_team_size(team);
  w->items =
      (sw_item_team){.net = net, .team = team, .fn = one_item, .context = w};
  w->pass = calloc((size_t)w->members, sizeof *w->pass);
  w->feature = calloc((size_t)w->members, sizeof *w->feature);
  w->room = calloc((size_t)w->members, sizeof *w->room);
  if (!w->pass || !w->feature || !w->room) {
    work_free(&w->work);
    return sw_fail(err, SW_MEMORY, "out of memory for a workspace");
  }
  *work = &w->work;
  return SW_OK;
}

static int batch(sw_work *work, sw_item *item, int32_t count, float *gradient,
                 sw_err *err) {
  feature_work *w = (feature_work *)work;
  SW_TRY(sw_feature_pack(w->net, err));
  return sw_item_team_batch(&w->items, item, count, gradient, err);
}

static int parts(sw_work *work, sw_item *item, int32_t count,
                 float *const *part, sw_err *err) {
  feature_work *w = (feature_work *)work;
  SW_TRY(sw_feature_pack(w->net, err));
  return sw_item_team_parts(&w->items, item, count, part, err);
}

static double flops(const sw_net *net, const sw_item *item, int32_t rows,
                    int backward) {
  (void)item;
  return sw_feature_flops((const sw_feature_net *)net, rows, backward);
}

/* Copies rows of what a matrix gave (or of the input, -1). */
static int rows_after(sw_work *work, const sw_item *item, const int32_t *rows,
                      int32_t count, int matrix, float *out, sw_err *err) {
  feature_work *w = (feature_work *)work;
  SW_TRY(sw_feature_pack(w->net, err));
  SW_TRY(forward(w, 0, item, err));
  size_t width = (size_t)(matrix < 0 ? w->net->config.layout.features
                                     : w->net->matrix[matrix].out);
  const float *from = matrix < 0 ? w->pass[0].input : w->pass[0].layer[matrix];
  for (int32_t i = 0; i < count; i++) {
    if (rows[i] < 0 || rows[i] >= sw_item_rows(item))
      return sw_fail(err, SW_USAGE, "row %d of %d states", rows[i],
                     sw_item_rows(item));
    memcpy(out + (size_t)i * width, from + (size_t)rows[i] * width,
           sizeof *out * width);
  }
  return SW_OK;
}

static int scores(sw_work *work, const sw_item *item, const int32_t *rows,
                  int32_t count, float *out, sw_err *err) {
  int last = ((feature_work *)work)->net->matrices - 1;
  return rows_after(work, item, rows, count, last, out, err);
}

static int hidden(sw_work *work, const sw_item *item, const int32_t *rows,
                  int32_t count, float *out, sw_err *err) {
  int last = ((feature_work *)work)->net->matrices - 1;
  return rows_after(work, item, rows, count, last - 1, out, err);
}

static size_t bytes(const sw_work *work) {
  const feature_work *w = (const feature_work *)work;
  size_t sum =
      w->items.space ? sizeof(float) * w->items.stride * (size_t)w->members : 0;
  for (int i = 0; i < w->members; i++) sum += w->pass[i].bytes;
  return sum;
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
  const float **row;    /* [sequences] */
  int32_t *asked;       /* [sequences] */
} feature_seats;

static void seats_free(sw_seats *seats) {
  feature_seats *s = (feature_seats *)seats;
  sw_feature_pass_free(&s->pass);
  free(s->state);
  free(s->score);
  free(s->known);
  free(s->row);
  free(s->asked);
  free(s);
}

static int seats_new(sw_seats **seats, sw_net *net, sw_team *team,
                     const sw_session_options *options, sw_err *err) {
  feature_seats *s = calloc(1, sizeof *s);
  (void)team; /* a question is far too small to be shared */
  if (!s) return sw_fail(err, SW_MEMORY, "out of memory for a session");
  size_t n = (size_t)options->sequences;
  s->seats.net = net;
  s->net = (sw_feature_net *)net;
  s->sequences = options->sequences;
  s->recompute = !options->cache_prefix;
  s->state = calloc(n * (size_t)s->net->config.layout.features, sizeof(float));
  s->score = calloc(n * (size_t)net->outputs, sizeof(float));
  s->known = calloc(n, 1);
  s->row = calloc(n, sizeof *s->row);
  s->asked = calloc(n, sizeof *s->asked);
  if (!s->state || !s->score || !s->known || !s->row || !s->asked) {
    seats_free(&s->seats);
    return sw_fail(err, SW_MEMORY, "out of memory for a session");
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
    if (s->known[q] && !s->recompute) continue;
    s->asked[rows] = q;
    s->row[rows++] = s->state + (size_t)q * width;
  }
  if (!rows) return SW_OK;
  unsigned mode = nn_float_mode();
  nn_set_float_mode();
  int code = sw_feature_pack(s->net, err);
  if (!code) code = sw_feature_pass_room(&s->pass, s->net, rows, err);
  if (!code) sw_feature_forward(&s->pass, s->net, s->row, rows);
  if (!code) seats->flops += sw_feature_flops(s->net, rows, 0);
  for (int32_t r = 0; r < rows && !code; r++) {
    memcpy(s->score + (size_t)s->asked[r] * outputs,
           s->pass.layer[s->net->matrices - 1] + (size_t)r * outputs,
           sizeof(float) * outputs);
    s->known[s->asked[r]] = 1;
  }
  nn_restore_float_mode(mode);
  return code;
}

#define FAMILY(NAME, TEXT, TABLE, CREATE)                                      \
  {                                                                            \
    .name = NAME, .text = TEXT, .reads = "features", .options = TABLE,         \
    .option_count = sizeof TABLE / sizeof *TABLE,                              \
    .config_bytes = sizeof(sw_feature_config), .resolve = resolve,             \
    .create = CREATE, .free = sw_feature_net_free, .standardise = standardise, \
    .changed = changed, .work_new = work_new, .work_free = work_free,          \
    .batch = batch, .parts = parts, .flops = flops, .rows = scores,            \
    .hidden = hidden, .bytes = bytes, .seats_new = seats_new,                  \
    .seats_free = seats_free, .state = set_state, .run = run                   \
  }

const sw_family sw_family_linear =
    FAMILY("linear", "three heads on the features of a state", linear_options,
           create_linear);
const sw_family sw_family_mlp =
    FAMILY("mlp", "hidden layers on the features of a state, three heads",
           mlp_options, create_mlp);
