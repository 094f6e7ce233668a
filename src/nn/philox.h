/* Constants of Philox4x32 (Salmon et al., 2011) as dropout uses it: seven
 * rounds, the fewest for which its authors report that it passes BigCrush. */
#ifndef SW_NN_PHILOX_H
#define SW_NN_PHILOX_H
#include <stdint.h>

#define PHILOX_ROUNDS 7
#define PHILOX_M0 0xD2511F53u
#define PHILOX_M1 0xCD9E8D57u
#define PHILOX_W0 0x9E3779B9u
#define PHILOX_W1 0xBB67AE85u

#endif
