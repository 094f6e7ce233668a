/* What the last token of a sequence looks at: attention weights by layer and
 * head. The row is computed again from the session's cached keys and values by
 * the functions that computed it the first time (rows.h and the attention
 * kernel), so the hidden states behind the weights are those of the answer, to
 * the bit; only the softmax of the weights is written out here, which the
 * kernel never stores. Used by the page of `statewise serve`. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "model/decoder/pass.h"
#include "model/decoder/rows.h"
#include "model/decoder/session.h"

typedef struct looker {
  const sw_model *model;
  const sw_sequence *q;
  nn_span span; /* of the last row, as query row 0 */
  int32_t rows;
  int plain; /* keys lie row after row */
  float *memory, *x, *qkv, *att, *mid, *norm, *hidden, *z, *scratch;
  float lse[64];
} looker;

static int prepare(looker *k, sw_session *s, int32_t sequence, sw_err *err) {
  if (sequence < 0 || sequence >= s->options.sequences)
    return sw_fail(err, SW_USAGE, "sequence %d of a session of %d", sequence,
                   s->options.sequences);
  k->model = s->model;
  k->q = &s->sequence[sequence];
  k->plain = s->recompute;
  k->rows = s->model->config.slots + k->q->length;
  if (k->q->length < 1 || k->q->cached != k->rows)
    return sw_fail(err, SW_USAGE, "sequence %d has not been run", sequence);
  SW_TRY(sw_mask_build(&s->mask, s->options.reading.mask,
                       s->model->config.slots, k->q->length, k->q->block_start,
                       k->q->blocks, s->options.reading.window, 0, err));
  if (s->mask.dense)
    return sw_fail(err, SW_USAGE, "mask %s has no attention to show",
                   sw_mask_name(s->options.reading.mask));
  sw_spans_clip(&s->mask, k->rows - 1, k->rows, k->rows - 1, &k->span, 1);
  const sw_model_config *c = &s->model->config;
  size_t d = (size_t)c->d, ffn = (size_t)c->ffn;
  size_t attention =
      s->model->kernels->attention_scratch(c->d / c->heads, k->rows, 0);
  k->memory = sw_aligned_alloc(
      sizeof(float) * (9 * d + SW_CHUNK * (d + 2 * ffn) + attention + 256));
  if (!k->memory) return sw_no_memory(err);
  k->x = k->memory;
  k->qkv = k->x + 2 * d;
  k->att = k->qkv + 3 * d;
  k->mid = k->att + 2 * d;
  k->norm = k->mid + 2 * d;
  k->hidden = k->norm + SW_CHUNK * d;
  k->z = k->hidden + SW_CHUNK * ffn;
  k->scratch = k->z + SW_CHUNK * ffn;
  k->scratch += (16 - (size_t)(k->scratch - k->memory) % 16) % 16;
  return SW_OK;
}

/* Key row i of a head, from wherever the session keeps it. */
static void key_of(const looker *k, int layer, int head, const nn_run *run,
                   int32_t i, float *out) {
  int dim = k->model->config.d / k->model->config.heads;
  nn_panels p = sw_cached_panels(k->model, k->q, layer, head);
  for (int s = 0; !k->plain && s < NN_STRETCHES; s++)
    if (p.panel[s] && p.begin[s] == run->begin)
      k->model->kernels->unpack_key(dim, p.panel[s], i - run->begin, out);
  if (k->plain)
    memcpy(out,
           sw_cached_keys(k->model, k->q, layer, head) + (ptrdiff_t)i * dim,
           sizeof(float) * (size_t)dim);
}

/* Softmax of the scores over the visible keys; 0 elsewhere. */
static void weights(const looker *k, int layer, int head, float *out) {
  int dim = k->model->config.d / k->model->config.heads;
  const float *query = k->qkv + head * dim;
  float *key = k->att + k->model->config.d; /* room behind the outputs */
  double top = -INFINITY, sum = 0, scale = 1 / sqrt((double)dim);
  memset(out, 0, sizeof *out * (size_t)k->rows);
  for (int pass = 0; pass < 3; pass++)
    for (int r = 0; r < k->span.runs; r++) {
      const nn_run *run = &k->span.run[r];
      for (int32_t i = run->begin; i < run->end && i < k->rows; i++) {
        if (run->window && k->rows - 1 - i >= run->window) continue;
        if (pass == 2) {
          out[i] = (float)(exp((double)out[i] - top) / sum);
          continue;
        }
        if (pass == 0) {
          double score = 0;
          key_of(k, layer, head, run, i, key);
          for (int c = 0; c < dim; c++)
            score += (double)query[c] * (double)key[c];
          out[i] = (float)(score * scale);
          if ((double)out[i] > top) top = (double)out[i];
        } else {
          sum += exp((double)out[i] - top);
        }
      }
    }
}

static void attend(looker *k, int layer, int head) {
  int dim = k->model->config.d / k->model->config.heads;
  nn_panels panels = sw_cached_panels(k->model, k->q, layer, head);
  nn_attention a = {.head_dim = dim,
                    .scale = (float)(1.0 / sqrt((double)dim)),
                    .q = k->qkv + head * dim,
                    .ldq = 3 * (ptrdiff_t)k->model->config.d,
                    .k = sw_cached_keys(k->model, k->q, layer, head),
                    .ldk = dim,
                    .v = sw_cached_values(k->model, k->q, layer, head),
                    .ldv = dim,
                    .out = k->att + head * dim,
                    .ldo = k->model->config.d,
                    .lse = &k->lse[head],
                    .key_of_query = k->rows - 1,
                    .panels = k->plain ? NULL : &panels,
                    .spans = &k->span,
                    .span_count = 1};
  k->model->kernels->attention_forward(&a, 0, 1, k->scratch);
}

int sw_session_attention(sw_session *s, int32_t sequence, float *out,
                         float *hidden, sw_err *err) {
  static const sw_rows_dropout none;
  looker k = {.model = NULL};
  int code = prepare(&k, s, sequence, err);
  if (!code) {
    const sw_model_config *c = &k.model->config;
    sw_rows_scratch scratch = {k.norm, k.hidden, k.z};
    nn_set_float_mode();
    int32_t row = k.rows - 1 - c->slots;
    int32_t id = row < 0 ? -1 : k.q->position[row];
    sw_rows_embed(k.model, k.rows - 1, k.q->token, k.q->position, k.q->place,
                  k.x);
    for (int layer = 0; layer < c->layers; layer++) {
      sw_rows_qkv(k.model, layer, SW_PART_ALL, 1, k.x, &id, k.qkv, 3 * c->d,
                  k.norm);
      for (int head = 0; head < c->heads; head++) {
        weights(&k, layer, head,
                out + ((size_t)layer * (size_t)c->heads + (size_t)head) *
                          (size_t)k.rows);
        attend(&k, layer, head);
      }
      sw_rows_rest(k.model, layer, 1, k.x, k.att, k.mid, NULL, k.x, &none, 0,
                   &scratch);
    }
    if (hidden)
      k.model->kernels->layer_norm(
          1, c->d, k.x, sw_weight(k.model, SW_P_LNF_W, 0),
          sw_weight(k.model, SW_P_LNF_B, 0), hidden, NULL, NULL);
  }
  sw_aligned_free(k.memory);
  return code;
}
