/* Digests against their published answers, whole and in odd pieces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "base/hash.h"

static void xxh64_known_answers(void **state) {
  (void)state;
  static const struct {
    const char *text;
    uint64_t seed, hash;
  } row[] = {
      {"", 0, 0xef46db3751d8e999u},
      {"a", 0, 0xd24ec4f1a98c6e5bu},
      {"abc", 0, 0x44bc2cf5ad770999u},
      {"xxhash", 0, 0x32dd38952c4bc720u},
      {"xxhash", 20141025, 0xb559b98d844e0635u},
      {"Nobody inspects the spammish repetition", 0, 0xfbcea83c8a378bf1u},
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++)
    assert_int_equal(sw_xxh64(row[i].text, strlen(row[i].text), row[i].seed),
                     row[i].hash);
}

static void check_sha(const char *text, size_t repeat, const char *sha1,
                      const char *sha256) {
  char hex[65];
  for (size_t piece = 1; piece <= 200; piece += 33) {
    sw_sha a, b;
    sw_sha1_init(&a);
    sw_sha256_init(&b);
    for (size_t r = 0; r < repeat; r++)
      for (size_t at = 0, n = strlen(text); at < n; at += piece) {
        size_t take = n - at < piece ? n - at : piece;
        sw_sha_update(&a, text + at, take);
        sw_sha_update(&b, text + at, take);
      }
    sw_sha_hex(&a, hex);
    assert_string_equal(hex, sha1);
    sw_sha_hex(&b, hex);
    assert_string_equal(hex, sha256);
  }
}

static void sha_known_answers(void **state) {
  (void)state;
  check_sha("", 1, "da39a3ee5e6b4b0d3255bfef95601890afd80709",
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  check_sha("abc", 1, "a9993e364706816aba3e25717850c26c9cd0d89d",
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  check_sha("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  check_sha("aaaaaaaaaa", 100000, "34aa973cd4c4daa4f61eeb2bdbad27316534016f",
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(xxh64_known_answers),
      cmocka_unit_test(sha_known_answers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
