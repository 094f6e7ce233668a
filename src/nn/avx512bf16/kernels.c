/* The AVX-512 set with products of bfloat16 (VDPBF16PS), twice as fast as fused
 * multiply-adds: operands are rounded, sums, softmax, norms and weights stay
 * float. It has the tiles of avx512; sizes are in words
 * (nn/vec/words_bf16.inc). It is never chosen unless it is named. */
#define NN_SET_NAME "avx512bf16"
#define NN_SET_TABLE nn_avx512bf16
#define NN_BF16 1
#define NN_TILE_ROWS 8
#define NN_TILE_VECTORS 2
#define NN_TILE_ROW_LIST(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8)
#define NN_MC 96
#define NN_KC 256
#define NN_ASK_K 256
#define NN_TN_KC 256
#define NN_TN_STAY 256
#define NN_TN_PASS 96
#define NN_STRIP_ROWS 48
#define NN_STRIP_FLOATS 65536
#define NN_KEY_TILE 128
#define NN_QUERY_ROWS 96
#include "nn/avx512/lanes.h"
#include "nn/contracts.h"
#include "nn/vec/set.inc"
