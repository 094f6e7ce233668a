/* The NEON kernel set of 64-bit ARM: 6 x 16 tiles (24 accumulators of 32
 * registers, four of B and one of A). Blocks are sized as AVX2's; they have
 * been run under an emulator only and not been tuned on a processor. */
#define NN_SET_NAME "neon"
#define NN_SET_TABLE nn_neon
#define NN_TILE_ROWS 6
#define NN_TILE_VECTORS 2
#define NN_TILE_ROW_LIST(X) X(1) X(2) X(3) X(4) X(5) X(6)
#define NN_MC 96
#define NN_KC 256
#define NN_ASK_K 512
#define NN_TN_KC 256
#define NN_TN_STAY 256
#define NN_TN_PASS 96
#define NN_STRIP_ROWS 48
#define NN_STRIP_FLOATS 40960
#define NN_KEY_TILE 128
#define NN_QUERY_ROWS 96
#include "nn/neon/lanes.h"
#include "nn/contracts.h"
#include "nn/vec/set.inc"
