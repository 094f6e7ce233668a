/* Every generator against its published vectors: Philox4x32-10 (Random123
 * known answers), splitmix64 and xoshiro256++ (reference programs of their
 * authors, recomputed independently), MT19937 with CPython's derivations and
 * SeedSequence + PCG64 (as NumPy draws them). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>
#include "base/rng.h"

static void philox_known_answers(void **state) {
  (void)state;
  static const uint32_t row[3][10] = {
      {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
      {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff,
       0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
      {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0,
       0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}};
  for (int i = 0; i < 3; i++) {
    uint32_t out[4];
    sw_philox4x32(row[i], row[i] + 4, out);
    assert_memory_equal(out, row[i] + 6, sizeof out);
  }
  assert_int_equal(sw_philox_u64(0, 0, 0), 0xe169c58d6627e8d5u);
  assert_true(sw_philox_unit(0, 0, 0) ==
              (double)(0xe169c58d6627e8d5u >> 11) / 9007199254740992.0);
}

static void philox_normal_has_moments(void **state) {
  (void)state;
  double sum = 0, square = 0, fourth = 0;
  const int count = 200000;
  for (int i = 0; i < count; i++) {
    double x = sw_philox_normal(7, 3, (uint64_t)i);
    sum += x, square += x * x, fourth += x * x * x * x;
  }
  /* five standard errors of each moment */
  assert_true(fabs(sum / count) < 5 / sqrt(count));
  assert_true(fabs(square / count - 1) < 5 * sqrt(2.0 / count));
  assert_true(fabs(fourth / count - 3) < 5 * sqrt(96.0 / count));
}

static void philox_shuffle_is_a_stateless_permutation(void **state) {
  (void)state;
  int64_t order[1000], again[1000], other[1000];
  char seen[1000] = {0};
  sw_philox_shuffle(5, 1, order, 1000);
  sw_philox_shuffle(5, 1, again, 1000);
  sw_philox_shuffle(5, 2, other, 1000);
  assert_memory_equal(order, again, sizeof order);
  assert_memory_not_equal(order, other, sizeof order);
  for (int i = 0; i < 1000; i++) {
    assert_in_range(order[i], 0, 999);
    assert_int_equal(seen[order[i]]++, 0);
  }
}

static void splitmix_and_xoshiro(void **state) {
  (void)state;
  uint64_t s = 1234567;
  static const uint64_t split[5] = {6457827717110365317u, 3203168211198807973u,
                                    9817491932198370423u, 4593380528125082431u,
                                    16408922859458223821u};
  for (int i = 0; i < 5; i++) assert_int_equal(sw_splitmix64(&s), split[i]);
  sw_xoshiro rng = {{1, 2, 3, 4}};
  static const uint64_t plus[6] = {41943041u,
                                   58720359u,
                                   3588806011781223u,
                                   3591011842654386u,
                                   9228616714210784205u,
                                   9973669472204895162u};
  for (int i = 0; i < 6; i++) assert_int_equal(sw_xoshiro_next(&rng), plus[i]);
}

static void xoshiro_below_is_uniform(void **state) {
  (void)state;
  sw_xoshiro rng;
  sw_xoshiro_seed(&rng, 99);
  int seen[7] = {0};
  for (int i = 0; i < 70000; i++) seen[sw_xoshiro_below(&rng, 7)]++;
  double chi = 0;
  for (int i = 0; i < 7; i++) chi += (seen[i] - 1e4) * (seen[i] - 1e4) / 1e4;
  assert_true(chi < 22.5); /* 6 degrees of freedom, p = .001 */
  assert_int_equal(sw_xoshiro_below(&rng, 1), 0);
}

static void mt_words(void **state) {
  (void)state;
  sw_mt rng;
  static const uint32_t one[4] = {2746317213u, 478163327u, 107420369u,
                                  3184935163u};
  sw_mt_seed(&rng, 42);
  for (int i = 0; i < 4; i++) assert_int_equal(sw_mt_bits(&rng, 32), one[i]);
  static const uint32_t two[3] = {2426348607u, 4156750340u, 1648814347u};
  sw_mt_seed(&rng, 42 + ((uint64_t)1 << 32));
  for (int i = 0; i < 3; i++) assert_int_equal(sw_mt_u32(&rng), two[i]);
}

static void mt_derivations(void **state) {
  (void)state;
  sw_mt rng;
  sw_mt_seed(&rng, 42);
  assert_true(sw_mt_random(&rng) == 0.6394267984578837);
  assert_true(sw_mt_random(&rng) == 0.025010755222666936);
  assert_true(sw_mt_random(&rng) == 0.27502931836911926);
  static const int randint[10] = {2, 0, 0, 2, 1, 0, 0, 0, 2, 0};
  sw_mt_seed(&rng, 42);
  for (int i = 0; i < 10; i++)
    assert_int_equal(sw_mt_randint(&rng, 0, 2), randint[i]);
  static const int fifty[5] = {40, 7, 1, 47, 17};
  sw_mt_seed(&rng, 42);
  for (int i = 0; i < 5; i++) assert_int_equal(sw_mt_below(&rng, 50), fifty[i]);
  static const int letters[8] = {20, 3, 0, 23, 8, 7, 7, 4};
  sw_mt_seed(&rng, 42);
  for (int i = 0; i < 8; i++)
    assert_int_equal(sw_mt_below(&rng, 26), letters[i]);
}

static void mt_shuffle_and_sample(void **state) {
  (void)state;
  sw_mt rng;
  int32_t ten[10], expect[10] = {7, 3, 2, 8, 5, 6, 9, 4, 0, 1};
  for (int i = 0; i < 10; i++) ten[i] = i;
  sw_mt_seed(&rng, 42);
  sw_mt_shuffle_i32(&rng, ten, 10);
  assert_memory_equal(ten, expect, sizeof ten);
  int32_t five[5] = {0, 1, 2, 3, 4}, expect5[5] = {3, 1, 2, 4, 0};
  sw_mt_seed(&rng, 42);
  sw_mt_shuffle_i32(&rng, five, 5);
  assert_memory_equal(five, expect5, sizeof five);
  int32_t pair[2];
  sw_mt_seed(&rng, 42);
  sw_mt_sample(&rng, 4, 2, pair);
  assert_int_equal(pair[0], 0);
  assert_int_equal(pair[1], 3);
}

static void mt_below_one_draws(void **state) {
  (void)state;
  sw_mt a, b;
  sw_mt_seed(&a, 42);
  sw_mt_seed(&b, 42);
  assert_int_equal(sw_mt_below(&a, 1), 0);
  int draws = 0;
  do draws++;
  while (sw_mt_bits(&b, 1) != 0);
  assert_true(draws >= 1);
  assert_int_equal(sw_mt_u32(&a), sw_mt_u32(&b));
}

static void seed_sequence_and_pcg(void **state) {
  (void)state;
  uint64_t w[4];
  static const uint64_t expect[4] = {0x9f1e2e6dcd540ab7u, 0xd57873dc79fb94b6u,
                                     0x7d282a1b64d420b7u, 0x336579714692d5ffu};
  sw_seed_sequence(42, w);
  assert_memory_equal(w, expect, sizeof w);
  sw_pcg rng;
  sw_pcg_seed(&rng, 42);
  assert_int_equal(sw_pcg_u64(&rng), 0xc621fbcd16d92688u);
  assert_int_equal(sw_pcg_u64(&rng), 0x705a5661a791ffc1u);
  assert_int_equal(sw_pcg_u64(&rng), 0xdbcd12c26eda1624u);
}

static void pcg_halves_share_one_draw(void **state) {
  (void)state;
  sw_pcg rng;
  sw_pcg_seed(&rng, 42);
  assert_int_equal(sw_pcg_u32(&rng), 0x16d92688u);
  assert_int_equal(sw_pcg_u64(&rng), 0x705a5661a791ffc1u);
  assert_int_equal(sw_pcg_u32(&rng), 0xc621fbcdu);
  assert_int_equal(sw_pcg_bounded(&rng, 0), 0);
  assert_int_equal(sw_pcg_u64(&rng), 0xdbcd12c26eda1624u);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(philox_known_answers),
      cmocka_unit_test(philox_normal_has_moments),
      cmocka_unit_test(philox_shuffle_is_a_stateless_permutation),
      cmocka_unit_test(splitmix_and_xoshiro),
      cmocka_unit_test(xoshiro_below_is_uniform),
      cmocka_unit_test(mt_words),
      cmocka_unit_test(mt_derivations),
      cmocka_unit_test(mt_shuffle_and_sample),
      cmocka_unit_test(mt_below_one_draws),
      cmocka_unit_test(seed_sequence_and_pcg),
      cmocka_unit_test(pcg_halves_share_one_draw),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
