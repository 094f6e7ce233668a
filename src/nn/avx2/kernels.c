/* The AVX2/FMA kernel set: 6 x 16 tiles (12 accumulators of 16 registers).
 * Blocks are sized for 32 KB L1 and 512 KB L2. */
#define NN_SET_NAME "avx2"
#define NN_SET_TABLE nn_avx2
#define NN_TILE_ROWS 6
#define NN_TILE_VECTORS 2
#define NN_TILE_ROW_LIST(X) X(1) X(2) X(3) X(4) X(5) X(6)
#define NN_MC 96     /* rows of A a block: MC x k floats in L2 */
#define NN_KC 256    /* KC x 16 floats of B in L1 */
#define NN_ASK_K 512 /* longest rows of A that are asked for: measured */
#define NN_TN_KC 256
#define NN_TN_STAY 256
#define NN_TN_PASS 96
#define NN_STRIP_ROWS 48      /* attention forward: query rows and ... */
#define NN_STRIP_FLOATS 40960 /* ... scores of a strip */
#define NN_KEY_TILE 128       /* attention backward */
#define NN_QUERY_ROWS 96
#include "nn/avx2/lanes.h"
#include "nn/contracts.h"
#include "nn/vec/set.inc"
