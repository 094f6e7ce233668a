/* Rotary positions: queries and keys of tokens are turned by an angle that
 * grows with their position id, pair by pair (element i of a head with element
 * i + dim / 2, frequency 10000^(-2 i / dim)), so that a score depends on the
 * distance of two tokens. Slots have no position and are not turned. Row-local
 * and elementwise: the same row gives the same bits in any company. The
 * gradient of a rotation is the rotation back. */
#ifndef SW_MODEL_ROTARY_H
#define SW_MODEL_ROTARY_H
#include <stdatomic.h>
#include "model/decoder/model.h"

/* Cosines and sines by position id, made when first needed, a chunk of ids at
 * a time. A chunk never moves, so passes of several threads share them. */
enum { SW_ROTATION_IDS = 1024, SW_ROTATION_CHUNKS = 16384 };
typedef struct sw_rotation {
  int32_t dim;                                /* of a head */
  _Atomic(float *) chunk[SW_ROTATION_CHUNKS]; /* [ids][dim / 2 cos, sin] */
} sw_rotation;

int sw_rotation_new(sw_rotation **rotation, int32_t dim, sw_err *err);
void sw_rotation_free(sw_rotation *rotation);
/* Makes sure of the ids [0, ids). Safe from several threads. */
int sw_rotation_reserve(sw_rotation *rotation, int64_t ids, sw_err *err);
/* Turns `heads` heads of each of `rows` rows of x; id[r] < 0: row r stays as it
 * is. sign 1: forward, -1: back. */
void sw_rotate(const sw_rotation *rotation, int rows, int heads,
               const int32_t *id, int sign, float *x, ptrdiff_t ld);

#endif
