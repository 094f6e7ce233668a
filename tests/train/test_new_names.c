/* train --init-names: rows of names that were never seen begin as the seen ones
 * are spread, far from them and from each other; the others keep their bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "../toy.h"
#include "base/rng.h"
#include "domains/sat/tokens.h"
#include "train/new_names.h"

enum { D = 24, SEEN = 15, CLAUSES = 40, CODES = 3 };

static const sw_model_config config =
    TOY_CONFIG(SW_SAT_VOCAB, D, 1, 2, D, 0, 64);

static float *table_of(sw_net *net) {
  for (int t = 0; t < net->tensors; t++)
    if (!strcmp(net->tensor[t].name, "token_embedding.weight"))
      return net->weights + net->tensor[t].offset;
  fail_msg("no table of tokens");
  return NULL;
}

static double part(uint64_t stream, uint64_t index) {
  return sw_philox_normal(7, stream, index);
}

/* Element i of a seen variable's place: a mean and CODES directions. */
static double place(int name, int i) {
  double x = part(1, (uint64_t)i);
  for (int c = 0; c < CODES; c++)
    x += part(2, (uint64_t)(name * CODES + c)) *
         part(3 + (uint64_t)c, (uint64_t)i);
  return x;
}

/* Seen names that lie in a space of CODES dimensions; all others far out and
 * alike, as training leaves them. */
static sw_net *learned(void) {
  sw_net *net = sw_model_net(toy_model(&config, 3));
  float *table = table_of(net);
  for (int token = 0; token < SW_SAT_VOCAB; token++)
    for (int i = 0; i < D; i++)
      table[token * D + i] =
          (float)(3 * part(20, (uint64_t)i) +
                  0.05 * part(21, (uint64_t)(token * D + i)));
  for (int v = 0; v < SEEN; v++)
    for (int i = 0; i < D; i++) {
      double half = (v % 2 ? 1 : -1) * part(10, (uint64_t)i);
      table[(SW_SAT_POSITIVE + v) * D + i] = (float)(place(v, i) + half);
      table[(SW_SAT_NEGATIVE + v) * D + i] = (float)(place(v, i) - half);
      table[(SW_SAT_VARIABLE + v) * D + i] = (float)(2 * place(v, i));
    }
  for (int c = 0; c < CLAUSES; c++)
    for (int i = 0; i < D; i++)
      table[(SW_SAT_CLAUSE + c) * D + i] =
          (float)part(30, (uint64_t)(c * D + i));
  return net;
}

static double middle(const float *table, int name, int i) {
  return 0.5 * ((double)table[(SW_SAT_POSITIVE + name) * D + i] +
                (double)table[(SW_SAT_NEGATIVE + name) * D + i]);
}

static double apart(const float *table, int a, int b) {
  double sum = 0;
  for (int i = 0; i < D; i++) {
    double x = middle(table, a, i) - middle(table, b, i);
    sum += x * x;
  }
  return sqrt(sum);
}

static double nearest_of(const float *table, int name, int count) {
  double least = INFINITY;
  for (int other = 0; other < count; other++)
    if (other != name) least = fmin(least, apart(table, name, other));
  return least;
}

static void new_names_are_like_the_seen(void **state) {
  (void)state;
  sw_net *net = learned();
  float *table = table_of(net);
  size_t bytes = sizeof(float) * SW_SAT_VOCAB * D;
  float *before = malloc(bytes);
  int64_t made;
  double between = 0, spread = 0;
  memcpy(before, table, bytes);
  assert_int_equal(sw_new_names(net, sw_domain_find("sat"), 5, &made, NULL), 0);
  assert_int_equal(made, SW_SAT_MAX_VARS - SEEN + SW_SAT_MAX_CLAUSES - CLAUSES);
  for (int token = 0; token < SW_SAT_VOCAB; token++) {
    int v = token >= SW_SAT_VARIABLE   ? token - SW_SAT_VARIABLE
            : token >= SW_SAT_NEGATIVE ? token - SW_SAT_NEGATIVE
                                       : token - SW_SAT_POSITIVE;
    int clause = token >= SW_SAT_CLAUSE && token < SW_SAT_LEVEL;
    int is_new = clause
                     ? token - SW_SAT_CLAUSE >= CLAUSES
                     : token >= SW_SAT_POSITIVE && v >= SEEN &&
                           (token < SW_SAT_CLAUSE || token >= SW_SAT_VARIABLE);
    int same =
        !memcmp(table + token * D, before + token * D, sizeof(float) * D);
    if (same == is_new)
      fail_msg("token %d: %s", token, same ? "kept" : "changed");
  }
  /* Where the seen ones are: in their space, about as far out, and not closer
   * to each other than the seen ones. The space is of three dimensions, so the
   * third range follows from the first. */
  for (int v = SEEN; v < SEEN + 30; v++)
    for (int i = 0; i < D; i++) {
      double follows = 2 * middle(table, v, i);
      assert_true(fabs((double)table[(SW_SAT_VARIABLE + v) * D + i] - follows) <
                  1.5);
    }
  for (int v = 0; v < SEEN; v++) between += nearest_of(table, v, SEEN) / SEEN;
  for (int v = SEEN; v < SEEN + 10; v++)
    spread += nearest_of(table, v, SEEN + 10) / 10;
  assert_true(spread > 0.5 * between);
  /* The signs lie on both sides, as those of some seen name. */
  for (int v = SEEN; v < SEEN + 30; v++)
    for (int i = 0; i < D; i++) {
      double half =
          (double)table[(SW_SAT_POSITIVE + v) * D + i] - middle(table, v, i);
      assert_true(fabs(fabs(half) - fabs(part(10, (uint64_t)i))) < 1e-4);
    }
  free(before);
  sw_net_free(net);
}

static void the_seed_decides(void **state) {
  (void)state;
  size_t bytes = sizeof(float) * SW_SAT_VOCAB * D;
  sw_net *a = learned(), *b = learned(), *c = learned();
  int64_t made;
  assert_int_equal(sw_new_names(a, sw_domain_find("sat"), 5, &made, NULL), 0);
  assert_int_equal(sw_new_names(b, sw_domain_find("sat"), 5, &made, NULL), 0);
  assert_int_equal(sw_new_names(c, sw_domain_find("sat"), 6, &made, NULL), 0);
  assert_memory_equal(table_of(a), table_of(b), bytes);
  assert_true(memcmp(table_of(a), table_of(c), bytes) != 0);
  sw_net_free(a);
  sw_net_free(b);
  sw_net_free(c);
}

static void what_cannot_be(void **state) {
  (void)state;
  sw_err err = {0};
  int64_t made;
  static const sw_model_config small = TOY_CONFIG(50, D, 1, 2, D, 0, 64);
  sw_net *net = sw_model_net(toy_model(&small, 3));
  assert_int_equal(sw_new_names(net, sw_domain_find("sat"), 5, &made, &err),
                   SW_USAGE);
  assert_non_null(strstr(err.text, "the model has 50"));
  assert_int_equal(sw_new_names(net, sw_domain_find("blocks"), 5, &made, &err),
                   SW_USAGE);
  assert_int_equal(sw_new_names(net, NULL, 5, &made, &err), SW_USAGE);
  sw_net_free(net);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(new_names_are_like_the_seen),
      cmocka_unit_test(the_seed_decides),
      cmocka_unit_test(what_cannot_be),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
