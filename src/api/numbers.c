/* The public C API: what a model computes over a caller's tokens (logits,
 * hidden states, attention), and masks. The tokens become a trace, and all
 * passes are those of the probes. */
#include <stdlib.h>
#include "api/inner.h"

int statewise_shape_of(const statewise *model, statewise_shape *shape,
                       statewise_error *error) {
  sw_err *err = api_error(error);
  SW_TRY(api_need(err, "statewise_shape_of", model, shape, shape));
  const sw_net *net = model->loaded.model;
  *shape = (statewise_shape){
      .width = net->hidden, .slots = net->slots, .positions = net->positions};
  const struct {
    const char *name;
    int32_t *value;
  } size[] = {{"layers", &shape->layers}, {"heads", &shape->heads}};
  for (int i = 0; i < 2; i++) {
    const sw_option *o = sw_options_find(
        net->family->options, net->family->option_count, size[i].name);
    if (o && o->kind == SW_INT)
      *size[i].value =
          *(const int *)(const void *)((const char *)net->config + o->offset);
  }
  return SW_OK;
}

/* ---- a caller's tokens as a trace ---- */

static int check_block(const int32_t *block, int32_t i, sw_err *err) {
  if (block[i] >= (i ? block[i - 1] : 0) && (i || !block[i])) return SW_OK;
  return sw_fail(err, SW_DATA, "block ids must ascend from 0; token %d has %d",
                 i, block[i]);
}
static int begins_block(const int32_t *block, int32_t i) {
  return !i || block[i] != block[i - 1];
}

static int put_tokens(const sw_net *net, const int32_t *token,
                      const int32_t *block, int32_t count, sw_trace *trace,
                      sw_err *err) {
  if (count < 1) return sw_fail(err, SW_USAGE, "no tokens");
  for (int32_t i = 0; i < count; i++) {
    if (token[i] < 0 || token[i] >= net->outputs)
      return sw_fail(err, SW_DATA,
                     "token %d at %d is outside the vocabulary of %d", token[i],
                     i, net->outputs);
    SW_TRY(check_block(block, i, err));
    if (begins_block(block, i)) sw_trace_begin_block(trace);
    sw_trace_put(trace, token[i], 0);
  }
  return trace->failed ? sw_no_memory(err) : SW_OK;
}

static int check_family(const statewise *model, const char *function,
                        sw_err *err) {
  const sw_family *family = model->loaded.model->family;
  if (api_reads_tokens(model)) return SW_OK;
  return sw_fail(err, SW_USAGE,
                 "%s: models of the family %s read %s, no tokens", function,
                 family->name, family->reads);
}

/* `hidden` 0: logits. */
static int all_rows(statewise *model, const int32_t *token,
                    const int32_t *block, int32_t count, int hidden, float *out,
                    sw_err *err) {
  const sw_net *net = model->loaded.model;
  size_t width = (size_t)(hidden ? net->hidden : net->outputs);
  const float *rows_out;
  sw_trace trace;
  sw_trace_init(&trace);
  int32_t *rows = NULL;
  int code = put_tokens(net, token, block, count, &trace, err);
  if (!code && !(rows = malloc((size_t)count * sizeof *rows)))
    code = sw_no_memory(err);
  for (int32_t i = 0; i < count && !code; i++) rows[i] = i;
  if (!code)
    code = (hidden ? sw_ask_hidden : sw_ask_pass)(model->asker, &trace, rows,
                                                  count, &rows_out, err);
  if (!code) memcpy(out, rows_out, sizeof *out * width * (size_t)count);
  free(rows);
  sw_trace_free(&trace);
  return code;
}

int statewise_logits(statewise *model, const int32_t *token,
                     const int32_t *block, int32_t count, float *out,
                     statewise_error *error) {
  KEEP_FLOAT_MODE;
  sw_err *err = api_error(error);
  SW_TRY(api_need(err, "statewise_logits", model, token, block));
  SW_TRY(api_need(err, "statewise_logits", model, token, out));
  SW_TRY(check_family(model, "statewise_logits", err));
  return all_rows(model, token, block, count, 0, out, err);
}

int statewise_hidden(statewise *model, const int32_t *token,
                     const int32_t *block, int32_t count, float *out,
                     statewise_error *error) {
  KEEP_FLOAT_MODE;
  sw_err *err = api_error(error);
  SW_TRY(api_need(err, "statewise_hidden", model, token, block));
  SW_TRY(api_need(err, "statewise_hidden", model, token, out));
  SW_TRY(check_family(model, "statewise_hidden", err));
  return all_rows(model, token, block, count, 1, out, err);
}

/* ---- attention ---- */

/* The trace shown token by token; the asker tells what the last token of each
 * step attended to. */
typedef struct watcher {
  sw_asker *asker;
  const sw_trace *trace;
  sw_trace shown;
  sw_attention_shape shape;
  float *weights; /* [layers][heads][slots + length] */
  int layer, head;
} watcher;

/* Sessions drop blocks that no later token may see; the row keeps 0 there. */
static int look(watcher *w, int64_t at, float *row, sw_err *err) {
  const float *scores;
  int64_t prefix = sw_trace_block_end(w->trace, 0);
  SW_TRY(sw_ask(w->asker, &w->shown, &scores, err));
  SW_TRY(sw_ask_attention(w->asker, &w->shape, w->weights, err));
  int64_t slots = w->shape.slots, held = w->shape.rows - slots;
  int64_t front = at < prefix ? at + 1 : prefix, behind = held - front;
  if (behind < 0 || held > at + 1)
    return sw_fail(err, SW_INTERNAL, "attention over %lld of %lld tokens",
                   (long long)held, (long long)at + 1);
  size_t picked = (size_t)w->layer * (size_t)w->shape.heads + (size_t)w->head;
  const float *from = w->weights + picked * (size_t)w->shape.rows;
  memcpy(row, from, sizeof *row * (size_t)(slots + front));
  memcpy(row + slots + at + 1 - behind, from + slots + front,
         sizeof *row * (size_t)behind);
  return SW_OK;
}

static int watch(watcher *w, float *out, sw_err *err) {
  const sw_trace *t = w->trace;
  int64_t wide = w->shape.slots + t->length;
  memset(out, 0, sizeof *out * (size_t)(t->length * wide));
  for (int64_t i = 0; i < t->length; i++) {
    if (t->block_start[sw_trace_block_of(t, i)] == i)
      sw_trace_begin_block(&w->shown);
    sw_trace_put(&w->shown, t->token[i], 0);
    if (w->shown.failed) return sw_no_memory(err);
    SW_TRY(look(w, i, out + i * wide, err));
  }
  return SW_OK;
}

static int pick_head(const statewise *model, int layer, int head,
                     statewise_shape *shape, sw_err *err) {
  SW_TRY(statewise_shape_of(model, shape, NULL));
  if (layer < 0 || layer >= shape->layers || head < 0 || head >= shape->heads)
    return sw_fail(err, SW_USAGE,
                   "there is no head %d of layer %d: the model has %d layers "
                   "of %d heads",
                   head, layer, shape->layers, shape->heads);
  return SW_OK;
}

int statewise_attention(statewise *model, int32_t layer, int32_t head,
                        const int32_t *token, const int32_t *block,
                        int32_t count, float *out, statewise_error *error) {
  KEEP_FLOAT_MODE;
  sw_err *err = api_error(error);
  statewise_shape shape;
  SW_TRY(api_need(err, "statewise_attention", model, token, block));
  SW_TRY(api_need(err, "statewise_attention", model, token, out));
  SW_TRY(check_family(model, "statewise_attention", err));
  SW_TRY(pick_head(model, layer, head, &shape, err));
  sw_trace trace;
  sw_trace_init(&trace);
  watcher w = {.trace = &trace, .layer = layer, .head = head};
  w.shape.slots = shape.slots;
  sw_trace_init(&w.shown);
  sw_ask_options how = {.model = model->loaded.model,
                        .reading = model->loaded.reading,
                        .cached = 1};
  int code = put_tokens(model->loaded.model, token, block, count, &trace, err);
  size_t heads = (size_t)shape.layers * (size_t)shape.heads;
  if (!code) {
    w.weights = malloc(sizeof *w.weights * heads *
                       ((size_t)shape.slots + (size_t)count));
    if (!w.weights) code = sw_no_memory(err);
  }
  if (!code) code = sw_asker_new(&w.asker, &how, model->team, err);
  if (!code) code = watch(&w, out, err);
  sw_asker_free(w.asker);
  sw_trace_free(&w.shown);
  free(w.weights);
  sw_trace_free(&trace);
  return code;
}

/* ---- masks ---- */

const char *statewise_mask_names(void) { return sw_mask_names(); }

static int draw_mask(sw_mask *mask, const statewise_mask_options *how,
                     const int32_t *block, int32_t count, sw_err *err) {
  int kind = sw_mask_from_name(how->name);
  if (kind < 0) {
    sw_fail(err, SW_USAGE, "unknown mask `%.40s`", how->name);
    return sw_hint(err, "one of %s", sw_mask_names());
  }
  if (how->slots < 0 || how->slots > 65536)
    return sw_fail(err, SW_USAGE, "%d slots: 0 to 65536 are possible",
                   how->slots);
  int64_t *start = malloc(sizeof *start * (size_t)count), blocks = 0;
  if (!start) return sw_no_memory(err);
  int code = SW_OK;
  for (int32_t i = 0; i < count && !code; i++) {
    code = check_block(block, i, err);
    if (begins_block(block, i)) start[blocks++] = i;
  }
  if (!code)
    code = sw_mask_build(mask, (sw_mask_kind)kind, how->slots, count, start,
                         blocks, how->window ? how->window : SW_READING_WINDOW,
                         how->seed, err);
  free(start);
  return code;
}

int statewise_mask_matrix(const statewise_mask_options *how,
                          const int32_t *block, int32_t count, uint8_t *out,
                          statewise_error *error) {
  sw_err *err = api_error(error);
  SW_TRY(api_need(err, "statewise_mask_matrix", how, block, out));
  SW_TRY(api_need(err, "statewise_mask_matrix", how->name, block, out));
  if (count < 1) return sw_fail(err, SW_USAGE, "no tokens");
  sw_mask mask;
  sw_mask_init(&mask);
  int code = draw_mask(&mask, how, block, count, err);
  if (!code) {
    int32_t rows = mask.slots + mask.length;
    for (int32_t q = 0; q < rows; q++)
      for (int32_t k = 0; k < rows; k++)
        out[(size_t)q * (size_t)rows + (size_t)k] =
            (uint8_t)sw_mask_sees(&mask, q, k);
  }
  sw_mask_free(&mask);
  return code;
}
