/* The AVX-512 kernel set: 8 x 32 tiles (16 accumulators of 32 registers; more
 * rows would put rows 4 KB apart into the same set of the L1 cache). */
#define NN_SET_NAME "avx512"
#define NN_SET_TABLE nn_avx512
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
