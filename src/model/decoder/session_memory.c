/* Slot memory in sessions. A position's registers read the tokens up to it and
 * nothing else, so of earlier positions only keys and values of that reading
 * are kept, beside those of attention; registers are computed for pending rows
 * and forgotten. Registers that all positions share change with every token:
 * such a model runs its whole sequence for every question (the published
 * rule). */
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "model/decoder/pass_memory.h"
#include "model/decoder/session.h"

enum { REGISTER_ROWS = 8192 }; /* registers of a group's rows */

typedef struct sw_session_memory {
  sw_memory_shape shape;
  sw_memory *module;
  sw_memory_stretch *stretch; /* [sequences] */
  sw_pass *whole;             /* shared registers */
  int32_t *id;                /* their position ids, places behind them */
  int32_t id_room;
} sw_session_memory;

int sw_session_memory_new(sw_session *s, sw_err *err) {
  sw_memory_shape shape;
  if (!sw_memory_shape_of(&s->model->config, &shape)) return SW_OK;
  if (s->options.reading.mask != SW_MASK_CAUSAL_NOSLOT) {
    sw_fail(err, SW_USAGE,
            "slot memory reads every earlier token: mask %s is not possible "
            "with it",
            sw_mask_name(s->options.reading.mask));
    return sw_hint(err, "use the mask causal-noslot");
  }
  sw_session_memory *m = s->slot_memory = calloc(1, sizeof *m);
  if (!m) return sw_no_memory_for(err, "a session");
  m->shape = shape;
  if (shape.shared) return sw_pass_new(&m->whole, s->model, s->team, err);
  m->stretch = calloc((size_t)s->options.sequences, sizeof *m->stretch);
  if (!m->stretch) return sw_no_memory_for(err, "a session");
  return sw_memory_new(&m->module, &shape, s->model->kernels, s->team, err);
}

void sw_session_memory_free(sw_session *s) {
  sw_session_memory *m = s->slot_memory;
  if (!m) return;
  sw_memory_free(m->module);
  sw_pass_free(m->whole);
  free(m->stretch);
  free(m->id);
  free(m);
}

int sw_session_memory_kind(const sw_session *s) {
  if (!s->slot_memory) return SW_MEMORY_NONE;
  return s->slot_memory->whole ? SW_MEMORY_SHARED : SW_MEMORY_OWN;
}

int32_t sw_session_memory_rows(const sw_session *s, int32_t usual) {
  if (!s->slot_memory) return usual;
  int32_t rows = REGISTER_ROWS / s->slot_memory->shape.slots;
  return rows < 16 ? 16 : rows < usual ? rows : usual;
}

int sw_session_memory_place(sw_session *s, int turns, int32_t rows,
                            sw_err *err) {
  sw_session_memory *m = s->slot_memory;
  if (!m) return SW_OK;
  size_t step = sw_memory_kept_floats(&m->shape);
  for (int i = 0; i < turns; i++) {
    const sw_turn *turn = &s->turn[i];
    sw_sequence *q = turn->sequence;
    if (!sw_grow(&q->read, &q->read_room, q->cached + turn->pending,
                 step * sizeof *q->read))
      return sw_no_memory_for(err, "a sequence of %d tokens", q->length);
    m->stretch[i] = (sw_memory_stretch){.first = turn->first,
                                        .count = turn->pending,
                                        .at = q->cached,
                                        .kept = q->read};
  }
  return sw_memory_place(m->module, rows, m->stretch, turns, err);
}

void sw_session_memory_forward(sw_session *s, int layer, int32_t rows, int rank,
                               int size) {
  const float *first, *block;
  int index = sw_memory_layer_of(s->model, layer, &first, &block);
  if (index >= 0)
    sw_memory_forward(s->slot_memory->module, index, first, block, s->x, rows,
                      rank, size);
}

int sw_session_memory_whole(sw_session *s, sw_sequence *q, float *logits,
                            sw_err *err) {
  sw_session_memory *m = s->slot_memory;
  int32_t last = q->length - 1;
  size_t bytes = sizeof *m->id * (size_t)q->length;
  if (!sw_grow(&m->id, &m->id_room, 2 * q->length, sizeof *m->id))
    return sw_no_memory_for(err, "a sequence of %d tokens", q->length);
  memcpy(m->id, q->position, bytes);
  memcpy(m->id + q->length, q->place, bytes);
  SW_TRY(sw_mask_build(&s->mask, s->options.reading.mask, 0, q->length,
                       q->block_start, q->blocks, 0, 0, err));
  sw_example example = {.token = q->token,
                        .position = m->id,
                        .length = q->length,
                        .mask = &s->mask,
                        .block_start = q->block_start,
                        .blocks = q->blocks};
  SW_TRY(sw_pass_logits(m->whole, &example, &last, 1, logits, err));
  s->flops += sw_pass_last_flops(m->whole);
  q->cached = q->length;
  return SW_OK;
}
