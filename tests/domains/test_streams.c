/* Passing over instances of a stream leads to the same instance as drawing
 * them: whoever plays a part of an evaluation sees what everybody else sees. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "domains/domain.h"

static uint64_t at(const sw_domain *d, const sw_domain_options *o, int64_t skip,
                   int64_t draw) {
  sw_stream *stream = NULL;
  sw_instance *instance = NULL;
  sw_err err = {0};
  if (d->stream_new(&stream, o, 5, SW_SPLIT_TEST, &err) ||
      sw_stream_skip(d, stream, skip, &err))
    fail_msg("%s", err.text);
  for (int64_t i = 0; i <= draw; i++) {
    if (instance) d->instance_free(instance);
    if (d->stream_next(stream, &instance, &err)) fail_msg("%s", err.text);
  }
  uint64_t hash = d->instance_hash(instance);
  d->instance_free(instance);
  d->stream_free(stream);
  return hash;
}

static void check(const sw_domain *d, const char *family, int n) {
  sw_domain_options o;
  sw_err err = {0};
  sw_domain_defaults(d, &o);
  if (n) o.n = n;
  if (family) {
    sw_pairs given = {0};
    if (sw_pairs_add(&given, "family", family, &err) ||
        sw_domain_apply(d, &given, &o, &err))
      fail_msg("%s", err.text);
  }
  if (d->resolve(&o, &err)) fail_msg("%s", err.text);
  assert_true(at(d, &o, 0, 7) == at(d, &o, 7, 0));
  assert_true(at(d, &o, 0, 7) == at(d, &o, 4, 3));
  assert_true(at(d, &o, 0, 7) != at(d, &o, 6, 0));
}

static void every_domain(void **state) {
  (void)state;
  for (int i = 0; sw_domains[i]; i++)
    if (sw_domains[i]->search) check(sw_domains[i], NULL, 0);
}

static void every_sat_family(void **state) {
  static const char *const family[] = {"planted", "random", "phase", "unsat",
                                       "mixture"};
  (void)state;
  for (size_t i = 0; i < sizeof family / sizeof *family; i++)
    check(sw_domain_find("sat"), family[i], 25);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_domain),
                                     cmocka_unit_test(every_sat_family)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
