/* The portable kernel set: plain C, no assumption about the CPU, written to be
 * read first and to be the yardstick of the vector sets. It uses separate
 * multiplications and additions (-ffp-contract=off), each output element in
 * one fixed order.
 *
 * The code is generic over the word `float`: constants are written (float)x
 * and libm calls go through REF_MATH, so that the same text compiled with
 * `#define float double` is a double-precision engine (the tests' oracle). */
#include "nn/nn.h"
#include <math.h>
#include <stddef.h>
#include <string.h>
#include "nn/contracts.h"
#include "nn/peak.h"
#include "nn/philox.h"

#define REF_MATH(name, x)                         \
  ((float)(sizeof(float) == 8 ? name((double)(x)) \
                              : (double)name##f((__typeof__(1.0f))(x))))

#include "nn/ref/rowwise.inc"
#include "nn/ref/matmul.inc"
#include "nn/ref/attention.inc"
#include "nn/ref/optim.inc"
#include "nn/ref/lstm.inc"

extern const nn_kernels nn_portable;
const nn_kernels nn_portable = {
    .name = "portable",
    .packed_size = ref_packed_size,
    .pack_nt = ref_pack_nt,
    .pack_nn = ref_pack_nn,
    .pack_grain = 1,
    .gemm = ref_gemm,
    .gemm_tn_scratch = ref_gemm_tn_scratch,
    .gemm_tn = ref_gemm_tn,
    .column_sum = ref_column_sum,
    .attention_scratch = ref_attention_scratch,
    .attention_forward = ref_attention_forward,
    .attention_backward = ref_attention_backward,
    .panel_floats = ref_panel_floats,
    .pack_keys = ref_pack_keys,
    .unpack_key = ref_unpack_key,
    .layer_norm = ref_layer_norm,
    .layer_norm_dx = ref_layer_norm_dx,
    .layer_norm_dwb = ref_layer_norm_dwb,
    .gelu_backward = ref_gelu_backward,
    .gelu_forward = ref_gelu_forward,
    .dropout_scale = ref_dropout_scale,
    .lstm_forward = ref_lstm_forward,
    .lstm_backward = ref_lstm_backward,
    .cross_entropy = ref_cross_entropy,
    .adamw = ref_adamw,
    .sum_squares = ref_sum_squares,
    .add = ref_add,
    .exp_array = ref_exp_array,
    .erf_array = ref_erf_array,
    .fma_peak = ref_fma_peak,
};
