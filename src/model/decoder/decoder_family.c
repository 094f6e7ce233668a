/* The slot decoder as a family (model/family.h): its tables, and its passes,
 * batches and sessions behind the calls of the interface. Its slot memory comes
 * with it. */
#include <stdlib.h>
#include <string.h>
#include "model/decoder/batch.h"
#include "model/decoder/pass_memory.h"
#include "model/families.h"

const sw_option sw_model_table[] = {
#define X(...) SW_OPTION_ROW(sw_model_config, __VA_ARGS__)
    SW_MODEL_OPTIONS(X)
#undef X
};
const int sw_model_table_count = sizeof sw_model_table / sizeof *sw_model_table;

/* What only changes where training starts. */
/* clang-format off */
#define START_OPTIONS(X)                                                      \
  SW_POSITION_INIT_ROW(X, "noise", "what the position table starts from") \
  SW_MEMORY_GATE_ROW(X, "where the memory's write gates start")
/* clang-format on */
typedef struct start_values {
  START_OPTIONS(SW_OPTION_FIELD)
} start_values;
static const sw_option starts[] = {
#define X(...) SW_OPTION_ROW(start_values, __VA_ARGS__)
    START_OPTIONS(X)
#undef X
};

static int resolve(void *config, const sw_demand *demand, sw_err *err) {
  sw_model_config *c = config;
  c->vocab = demand->vocab;
  c->positions = demand->positions;
  c->places = demand->places;
  c->rotary = sw_position_row_of(demand->reading.positions)->enters ==
              SW_ENTERS_ROTATION;
  if (c->memory > 0 && demand->hides_prefix) {
    sw_fail(err, SW_USAGE,
            "slot memory reads every earlier token: the prefix cannot be "
            "hidden from it");
    return sw_hint(err, "leave --prefix-reveal and --prefix-dropout out");
  }
  if (c->slots < 0) c->slots = sw_mask_has_slots(demand->reading.mask) ? 32 : 0;
  return sw_config_check(c, err);
}

/* A config without later options keeps the hash from before they existed,
 * because stores and files identify models by it. */
static size_t hashed(const void *config) {
  const sw_model_config *c = config;
  if (c->memory_heads) return sizeof *c;
  if (c->verify) return offsetof(sw_model_config, memory_heads);
  return c->places || c->rotary ? offsetof(sw_model_config, verify)
                                : offsetof(sw_model_config, places);
}

/* A policy can be given a verify head, which starts from its own noise. */
static int adopts(const void *config, const void *from) {
  sw_model_config c = *(const sw_model_config *)config;
  const sw_model_config *f = from;
  c.verify = 0;
  return !f->verify && !memcmp(&c, f, sizeof c);
}

static int suits(const sw_net *net, const sw_reading *reading, sw_err *err) {
  const sw_model_config *c = net->config;
  return sw_reading_suits(reading, c->positions, c->places, c->rotary, err);
}

static int create(sw_net **net, const void *config, sw_err *err) {
  sw_model *model;
  *net = NULL;
  SW_TRY(sw_model_alloc(&model, config, err));
  *net = &model->net;
  return SW_OK;
}

static void free_model(sw_net *net) {
  sw_model *model = (sw_model *)net;
  sw_rotation_free(model->rotation);
  sw_packed_free(model);
  free(model);
}

static void start(sw_net *net, uint64_t seed, const void *values) {
  sw_model *model = (sw_model *)net;
  const start_values *v = values;
  sw_memory_start(&model->config, seed, v ? (float)v->memory_gate : -10.0f,
                  model->weights + model->params.offset[SW_P_MEMORY]);
  if (v && v->position_init) sw_model_sinusoidal_positions(model);
}

static void changed(sw_net *net) { sw_model_changed((sw_model *)net); }

static int load(sw_net **net, const sw_st_file *file, const char *path,
                int heads, sw_err *err) {
  sw_model *model;
  SW_TRY(sw_model_read(&model, file, path, heads, err));
  *net = &model->net;
  return SW_OK;
}

/* ---- work ---- */

typedef struct decoder_work {
  sw_work head;
  sw_pass *pass;
  sw_batch *batch;
} decoder_work;

static void work_free(sw_work *work) {
  decoder_work *w = (decoder_work *)work;
  sw_batch_free(w->batch);
  sw_pass_free(w->pass);
  free(w);
}

static int work_new(sw_work **work, sw_net *net, sw_team *team, sw_err *err) {
  decoder_work *w = calloc(1, sizeof *w);
  if (!w) return sw_no_memory_for(err, "a workspace");
  w->head.net = net;
  int code = sw_pass_new(&w->pass, (sw_model *)net, team, err);
  if (code) {
    work_free(&w->head);
    return code;
  }
  *work = &w->head;
  return SW_OK;
}

static int batch(sw_work *work, sw_item *item, int32_t count, float *gradient,
                 sw_err *err) {
  decoder_work *w = (decoder_work *)work;
  if (!w->batch) SW_TRY(sw_batch_new(&w->batch, w->pass, err));
  return sw_batch_loss(w->batch, item, count, gradient, err);
}

static int parts(sw_work *work, sw_item *item, int32_t count,
                 float *const *part, sw_err *err) {
  decoder_work *w = (decoder_work *)work;
  if (!w->batch) SW_TRY(sw_batch_new(&w->batch, w->pass, err));
  return sw_batch_parts(w->batch, item, count, part, err);
}

static double flops(const sw_net *net, const sw_item *item, int32_t rows,
                    int backward) {
  return sw_pass_flops((const sw_model *)net, item->example.mask, rows,
                       backward);
}

static int rows_of(sw_work *work, const sw_item *item, const int32_t *rows,
                   int32_t count, float *out, sw_err *err) {
  return sw_pass_logits(((decoder_work *)work)->pass, &item->example, rows,
                        count, out, err);
}

static int hidden(sw_work *work, const sw_item *item, const int32_t *rows,
                  int32_t count, float *out, sw_err *err) {
  return sw_pass_hidden(((decoder_work *)work)->pass, &item->example, rows,
                        count, out, err);
}

static int custom(sw_work *work, sw_item *item, const int32_t *rows,
                  int32_t count, sw_logit_gradient fn, void *context,
                  float *gradient, sw_err *err) {
  decoder_work *w = (decoder_work *)work;
  SW_TRY(sw_pass_custom(w->pass, &item->example, &item->options, rows, count,
                        fn, context, gradient, err));
  item->flops = sw_pass_last_flops(w->pass);
  return SW_OK;
}

static int verdicts(sw_work *work, const sw_item *item, const int32_t *rows,
                    int32_t count, float *dead, sw_err *err) {
  size_t d = (size_t)work->net->hidden;
  float *states = malloc(sizeof *states * ((size_t)count * d + 1));
  if (!states) return sw_no_memory_for(err, "verdicts");
  int code = hidden(work, item, rows, count, states, err);
  if (!code)
    code = sw_model_verdicts((sw_model *)work->net, states, count, dead, err);
  free(states);
  return code;
}

static size_t bytes(const sw_work *work) {
  return sw_pass_bytes(((const decoder_work *)work)->pass);
}

/* ---- sessions ---- */

typedef struct decoder_seats {
  sw_seats head;
  sw_session *session;
} decoder_seats;

static sw_session *session_of(const sw_seats *seats) {
  return ((const decoder_seats *)seats)->session;
}

static void seats_free(sw_seats *seats) {
  sw_session_free(session_of(seats));
  free(seats);
}

static int seats_new(sw_seats **seats, sw_net *net, sw_team *team,
                     const sw_session_options *o, sw_err *err) {
  decoder_seats *s = calloc(1, sizeof *s);
  if (!s) return sw_no_memory_for(err, "a session");
  s->head.net = net;
  int code = sw_session_new(&s->session, (sw_model *)net, team, o, err);
  if (code) {
    free(s);
    return code;
  }
  *seats = &s->head;
  return SW_OK;
}

static int prefix(sw_seats *seats, int32_t s, const int32_t *token,
                  int32_t count, sw_err *err) {
  return sw_session_prefix(session_of(seats), s, token, count, err);
}

static int begin_block(sw_seats *seats, int32_t s, int keep, sw_err *err) {
  return sw_session_begin_block(session_of(seats), s, keep, err);
}

static int push(sw_seats *seats, int32_t s, const int32_t *token, int32_t count,
                sw_err *err) {
  return sw_session_push(session_of(seats), s, token, count, err);
}

static int pop(sw_seats *seats, int32_t s, int32_t count, sw_err *err) {
  return sw_session_pop(session_of(seats), s, count, err);
}

static int64_t length(const sw_seats *seats, int32_t s) {
  return sw_session_length(session_of(seats), s);
}

static int64_t need(const sw_seats *seats, int32_t s) {
  return sw_session_need(session_of(seats), s);
}

static void forget(sw_seats *seats, int32_t s) {
  sw_session_forget(session_of(seats), s);
}

static int run(sw_seats *seats, const int32_t *seq, int32_t count,
               const float **scores, sw_err *err) {
  SW_TRY(sw_session_run(session_of(seats), seq, count, scores, err));
  seats->flops = sw_session_flops(session_of(seats));
  return SW_OK;
}

static int run_verdicts(sw_seats *seats, int32_t count, float *dead,
                        sw_err *err) {
  (void)err;
  sw_session_verdicts(session_of(seats), count, dead);
  return SW_OK;
}

static int attention(sw_seats *seats, int32_t s, sw_attention_shape *shape,
                     float *weights, sw_err *err) {
  const sw_model_config *c = seats->net->config;
  if (c->memory)
    return sw_fail(err, SW_USAGE,
                   "a model with slot memory does not show its attention");
  *shape = (sw_attention_shape){.layers = c->layers,
                                .heads = c->heads,
                                .slots = c->slots,
                                .rows = sw_session_rows(session_of(seats), s)};
  if (!weights) return SW_OK;
  return sw_session_attention(session_of(seats), s, weights, NULL, err);
}

const sw_family sw_family_slot_decoder = {
    .name = "slot-decoder",
    .text = "transformer over tokens under a mask, with learned slots",
    .reads = "tokens",
    .options = sw_model_table,
    .option_count = sizeof sw_model_table / sizeof *sw_model_table,
    .config_bytes = sizeof(sw_model_config),
    .starts = starts,
    .start_count = sizeof starts / sizeof *starts,
    .start_bytes = sizeof(start_values),
    .hashed = hashed,
    .resolve = resolve,
    .adopts = adopts,
    .suits = suits,
    .create = create,
    .free = free_model,
    .start = start,
    .changed = changed,
    .load = load,
    .work_new = work_new,
    .work_free = work_free,
    .batch = batch,
    .parts = parts,
    .learns_facts = 1,
    .flops = flops,
    .rows = rows_of,
    .hidden = hidden,
    .custom = custom,
    .bytes = bytes,
    .verdicts = verdicts,
    .seats_new = seats_new,
    .seats_free = seats_free,
    .prefix = prefix,
    .begin_block = begin_block,
    .push = push,
    .pop = pop,
    .length = length,
    .need = need,
    .forget = forget,
    .run = run,
    .run_verdicts = run_verdicts,
    .attention = attention,
};
