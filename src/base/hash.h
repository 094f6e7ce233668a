/* Digests: XXH64 for content hashes, SHA-1 and SHA-256 for the published
 * trace digests. All streaming; hex output is lower case. */
#ifndef SW_BASE_HASH_H
#define SW_BASE_HASH_H
#include <stddef.h>
#include <stdint.h>

uint64_t sw_xxh64(const void *data, size_t bytes, uint64_t seed);
/* The same in pieces. */
typedef struct sw_xxh {
  uint64_t v[4], seed, bytes;
  uint8_t rest[32];
} sw_xxh;
void sw_xxh_init(sw_xxh *xxh, uint64_t seed);
void sw_xxh_update(sw_xxh *xxh, const void *data, size_t bytes); /* bytes > 0 */
uint64_t sw_xxh_end(const sw_xxh *xxh);

typedef struct sw_sha {
  uint32_t h[8];
  uint64_t bytes;
  uint8_t block[64];
  int words; /* 5: SHA-1, 8: SHA-256 */
} sw_sha;
void sw_sha1_init(sw_sha *sha);
void sw_sha256_init(sw_sha *sha);
void sw_sha_update(sw_sha *sha, const void *data, size_t bytes);
void sw_sha_hex(sw_sha *sha, char *hex); /* 41 or 65 bytes, ends the digest */

#endif
