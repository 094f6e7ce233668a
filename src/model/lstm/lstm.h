/* The LSTM family (docs/model.md): embedding + position, `layers` LSTM layers
 * of width d, final norm, output head tied to the token table.
 *   x[t]    = dropout(E[token t] + P[position t])
 *   layer l : gates = W_ih x + b_ih + W_hh h + b_hh, in the order i f g o
 *             c = f c + i g,  h = o tanh(c);  x of layer l + 1 = dropout(h)
 *   scores  = LN_f(h of the last layer) . E^T
 * What a block starts from is told by the item's mask (lanes.h), which `mode`
 * names in the words of recurrent networks:
 *   continuous       the state goes on         the block sees all before it
 *   block-reset      zero                      it sees only itself
 *   prefix-restored  the state behind prefix   it sees prefix and itself
 * Everything outside this folder reaches it as the family `lstm`. */
#ifndef SW_MODEL_LSTM_LSTM_H
#define SW_MODEL_LSTM_LSTM_H
#include "model/shape_options.h"
#include "model/tensor_rows.h"

/* clang-format off */
#define SW_LSTM_OPTIONS(X)                                                     \
  SW_VOCAB_ROW(X)                  \
  X(d, INT, "d", "256", 1, 4096, "", "width of embeddings and states")         \
  SW_LAYERS_ROW(X, "4")                           \
  SW_POSITIONS_ROW(X) \
  X(mode, CHOICE, "mode", "as-mask", 0, 0, "as-mask|continuous|block-reset|prefix-restored", "what a block starts from; as-mask: what --mask says")
/* clang-format on */

typedef enum {
  SW_LSTM_AS_MASK, /* only until the mask is known */
  SW_LSTM_CONTINUOUS,
  SW_LSTM_BLOCK_RESET,
  SW_LSTM_PREFIX_RESTORED
} sw_lstm_mode;

typedef struct sw_lstm_config {
  SW_LSTM_OPTIONS(SW_OPTION_FIELD)
} sw_lstm_config;
extern const sw_option sw_lstm_table[];
extern const int sw_lstm_table_count;

/* Parameters, in the order of the flat block and of files (tensor_rows.h).
 * UNIFORM is within 1/sqrt(d), NORMAL N(0, 0.02). The
 * verify head is read and written with the weights and gets no loss. */
#define SW_LSTM_PARAMS(X)                                                      \
  X(TOKEN, "token_embedding.weight", ONCE, C->vocab, C->d, NORMAL, 1, 0)       \
  X(POSITION, "position_embedding.weight", IF_ANY, C->positions, C->d, NORMAL, \
    1, 0)                                                                      \
  X(INPUT_W, "lstm.weight_ih_l%d", LAYER, 4 * C->d, C->d, UNIFORM, 1, 4)       \
  X(STATE_W, "lstm.weight_hh_l%d", LAYER, 4 * C->d, C->d, UNIFORM, 1, 4)       \
  X(INPUT_B, "lstm.bias_ih_l%d", LAYER, 4 * C->d, 0, UNIFORM, 1, 0)            \
  X(STATE_B, "lstm.bias_hh_l%d", LAYER, 4 * C->d, 0, UNIFORM, 1, 0)            \
  X(NORM_W, "ln_f.weight", ONCE, C->d, 0, ONE, 1, 0)                           \
  X(NORM_B, "ln_f.bias", ONCE, C->d, 0, ZERO, 1, 0)                            \
  X(VERIFY_0_W, "verify_head.0.weight", ONCE, C->d, 0, ONE, 0, 0)              \
  X(VERIFY_0_B, "verify_head.0.bias", ONCE, C->d, 0, ZERO, 0, 0)               \
  X(VERIFY_1_W, "verify_head.1.weight", ONCE, C->d, C->d, NORMAL, 0, 0)        \
  X(VERIFY_1_B, "verify_head.1.bias", ONCE, C->d, 0, ZERO, 0, 0)               \
  X(VERIFY_4_W, "verify_head.4.weight", ONCE, 2, C->d, NORMAL, 0, 0)           \
  X(VERIFY_4_B, "verify_head.4.bias", ONCE, 2, 0, ZERO, 0, 0)
typedef enum {
#define X(id, ...) SW_L_##id,
  SW_LSTM_PARAMS(X)
#undef X
      SW_L_COUNT
} sw_lstm_param;

/* Weights of matrix products, packed for the kernels: of each layer that of
 * the input and that of the state, then the head. */
enum { SW_LSTM_FORWARD, SW_LSTM_BACKWARD };
enum { SW_LSTM_INPUT, SW_LSTM_STATE, SW_LSTM_PACKS };

typedef struct sw_lstm {
  sw_net net; /* first: a sw_net of this family is a sw_lstm */
  sw_lstm_config config;
  int64_t offset[SW_L_COUNT]; /* of layer 0 for a layer's */
  int64_t layer_stride;
  float *packed[2];      /* by direction */
  size_t pack_floats[2]; /* of one of them */
  float *bias;           /* [layers][4 d] both biases of a layer, added */
  int fresh[2];
} sw_lstm;

static inline const float *sw_lstm_weight(const sw_lstm *net, sw_lstm_param id,
                                          int layer) {
  return net->net.weights + net->offset[id] + net->layer_stride * layer;
}

int sw_lstm_check(const sw_lstm_config *config, sw_err *err);
/* A net with its table; its weights are not there yet. */
int sw_lstm_create(sw_net **net, const void *config, sw_err *err);
void sw_lstm_free(sw_net *net);

/* Room for the packed weights of a direction. */
int sw_lstm_pack_reserve(sw_lstm *net, int direction, sw_err *err);
/* Rank's share of packing, in a region of the team; `fresh` is set by the
 * caller behind it. */
void sw_lstm_pack(sw_lstm *net, int direction, int rank, int size);
static inline const float *sw_lstm_packed(const sw_lstm *net, int direction,
                                          int layer, int which) {
  return net->packed[direction] +
         net->pack_floats[direction] * (size_t)(layer * SW_LSTM_PACKS + which);
}
static inline const float *sw_lstm_packed_head(const sw_lstm *net,
                                               int direction) {
  return sw_lstm_packed(net, direction, net->config.layers, 0);
}

/* work.c: the calls of sw_family on whole items. */
int sw_lstm_work_new(sw_work **work, sw_net *net, sw_team *team, sw_err *err);
void sw_lstm_work_free(sw_work *work);
int sw_lstm_batch(sw_work *work, sw_item *item, int32_t count, float *gradient,
                  sw_err *err);
int sw_lstm_parts(sw_work *work, sw_item *item, int32_t count,
                  float *const *part, sw_err *err);
int sw_lstm_scores_of(sw_work *work, const sw_item *item, const int32_t *rows,
                      int32_t count, float *out, sw_err *err);
int sw_lstm_hidden_of(sw_work *work, const sw_item *item, const int32_t *rows,
                      int32_t count, float *out, sw_err *err);
int sw_lstm_custom(sw_work *work, sw_item *item, const int32_t *rows,
                   int32_t count, sw_logit_gradient fn, void *context,
                   float *gradient, sw_err *err);
size_t sw_lstm_bytes(const sw_work *work);
double sw_lstm_flops(const sw_net *net, double rows, double scored,
                     int backward);

/* seats.c: sessions. */
int sw_lstm_seats_new(sw_seats **seats, sw_net *net, sw_team *team,
                      const sw_session_options *options, sw_err *err);
void sw_lstm_seats_free(sw_seats *seats);
int sw_lstm_prefix(sw_seats *seats, int32_t s, const int32_t *token,
                   int32_t count, sw_err *err);
int sw_lstm_begin_block(sw_seats *seats, int32_t s, int history, sw_err *err);
int sw_lstm_push(sw_seats *seats, int32_t s, const int32_t *token,
                 int32_t count, sw_err *err);
int sw_lstm_pop(sw_seats *seats, int32_t s, int32_t count, sw_err *err);
int64_t sw_lstm_length(const sw_seats *seats, int32_t s);
int sw_lstm_run(sw_seats *seats, const int32_t *seq, int32_t count,
                const float **scores, sw_err *err);

/* family.c: SW_USAGE when the net is not run under such a reading. */
int sw_lstm_suits(const sw_net *net, const sw_reading *reading, sw_err *err);

#endif
