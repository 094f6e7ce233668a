/* What guards a resume. A run that was begun by an older program goes on under
 * a newer one, so an option that came later must not count while it is off; and
 * an option that is on must, or two different runs would share a directory. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "../tiny_run.h"
#include "train/trainer.h"

static void must(int code, const sw_err *err) {
  if (code) fail_msg("%s", err->text);
}

static void write_set(const char *path) {
  sw_dataset_writer *writer;
  sw_err err = {0};
  char hash[17];
  must(sw_dataset_create(&writer, path, &err), &err);
  for (int k = 0; k < 2; k++) {
    sw_trace t;
    sw_trace_init(&t);
    for (int b = 0; b < 3; b++) {
      sw_trace_begin_block(&t);
      for (int i = 0; i < 4; i++) sw_trace_put(&t, 1 + i + k, b > 0);
    }
    must(sw_dataset_append(writer, &t, &err), &err);
    sw_trace_free(&t);
  }
  must(sw_dataset_finish(writer, NULL, 0, hash, &err), &err);
}

static uint64_t fingerprint(const sw_dataset *set, const sw_train_options *o) {
  sw_train_plan plan;
  sw_err err = {0};
  must(sw_train_plan_make(&plan, o, set, &err), &err);
  return plan.fingerprint;
}

static void later_options_count_when_on(void **state) {
  (void)state;
  char *directory = tiny_run_directory(), path[1100];
  snprintf(path, sizeof path, "%s/data.safetensors", directory);
  write_set(path);
  sw_err err = {0};
  sw_dataset set;
  must(sw_dataset_open(&set, path, &err), &err);
  sw_train_options plain, o;
  sw_options_defaults(sw_train_table, sw_train_table_count, &plain);
  /* As the program said before --verify, --facts, --init-names, --flat-gain,
   * --decision-weight, --memory-heads. */
  uint64_t old = fingerprint(&set, &plain);
  if (old != UINT64_C(0x46184e42008c3ecc))
    fail_msg("%016" PRIx64 ": runs begun before would not go on", old);
  uint64_t seen[7] = {old};
  o = plain, o.verify = .5, seen[1] = fingerprint(&set, &o);
  o = plain, o.init = "weights", seen[2] = fingerprint(&set, &o);
  o.init_names = 1, seen[4] = fingerprint(&set, &o);
  o = plain, o.lr *= 2, seen[3] = fingerprint(&set, &o);
  o = plain, o.flat_gain = 1e-3, seen[5] = fingerprint(&set, &o);
  o = plain, o.memory_heads = 2, seen[6] = fingerprint(&set, &o);
  for (int i = 0; i < 7; i++)
    for (int j = 0; j < i; j++) assert_true(seen[i] != seen[j]);
  o = plain, o.facts_share = .5;
  assert_true(fingerprint(&set, &o) == old); /* without --facts: nothing */
  sw_dataset_close(&set);
  tiny_run_remove(directory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(later_options_count_when_on)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
