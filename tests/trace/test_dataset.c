/* Data sets: round trip, content hash, damaged columns, views, and what is on
 * disk after an abort, a kill and a full disk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/file.h"
#include "base/hash.h"
#include "trace/dataset.h"

static char dir[] = "/tmp/statewise-ds-XXXXXX";
static char target[64];

static int make_dir(void **state) {
  (void)state;
  if (!mkdtemp(dir)) return -1;
  snprintf(target, sizeof target, "%s/d.safetensors", dir);
  return 0;
}

static int remove_dir(void **state) {
  (void)state;
  unlink(target);
  return rmdir(dir); /* fails when a temporary is left: that fails the group */
}

/* Trace t: a prefix of 3 tokens and t % 5 blocks of 4; token = 100 t + place.
 * The last token of every block but the third is supervised. */
static void make_trace(sw_trace *trace, int t) {
  sw_trace_clear(trace);
  int place = 0;
  for (int b = 0; b <= t % 5; b++) {
    sw_trace_begin_block(trace);
    for (int i = 0; i < (b ? 4 : 3); i++)
      sw_trace_put(trace, 100 * t + place++, b != 3 && i == 3);
  }
  trace->n = t;
  trace->terminal = SW_TRACE_SOLVED;
  trace->decisions = t % 5;
  trace->conflicts = t % 2;
}

static int write_set(const char *path, int traces, char hash[17], sw_err *err) {
  sw_dataset_writer *writer;
  sw_trace trace;
  const char *meta[] = {"domain", "sat", "seed", "42"};
  SW_TRY(sw_dataset_create(&writer, path, err));
  sw_trace_init(&trace);
  int code = SW_OK;
  for (int t = 0; t < traces && !code; t++) {
    make_trace(&trace, t);
    code = sw_dataset_append(writer, &trace, err);
  }
  sw_trace_free(&trace);
  if (code) {
    sw_dataset_abort(writer);
    return code;
  }
  return sw_dataset_finish(writer, meta, 2, hash, err);
}

static int files_in_dir(void) {
  int count = 0;
  DIR *d = opendir(dir);
  for (struct dirent *e; (e = readdir(d));) count += e->d_name[0] != '.';
  closedir(d);
  return count;
}

static void round_trip(void **state) {
  (void)state;
  sw_err err = {0};
  char hash[17], again[17];
  assert_int_equal(write_set(target, 23, hash, &err), 0);
  assert_int_equal(write_set(target, 23, again, &err), 0);
  assert_string_equal(hash, again);
  assert_int_equal(files_in_dir(), 1);
  sw_dataset set;
  assert_int_equal(sw_dataset_open(&set, target, &err), 0);
  assert_string_equal(set.hash, hash);
  assert_string_equal(sw_dataset_meta(&set, "domain"), "sat");
  assert_string_equal(sw_dataset_meta(&set, "content_hash"), hash);
  assert_int_equal(set.traces, 23);
  assert_int_equal(set.max_token, 2210);
  sw_trace trace, expect;
  sw_trace_init(&trace);
  sw_trace_init(&expect);
  sw_view_options view = {0};
  assert_int_equal(sw_dataset_items(&set, &view), 23);
  for (int t = 0; t < 23; t++) {
    make_trace(&expect, t);
    assert_int_equal(sw_dataset_item(&set, &view, t, &trace, &err), 0);
    assert_int_equal(trace.length, expect.length);
    assert_int_equal(trace.blocks, expect.blocks);
    assert_memory_equal(trace.token, expect.token, 4 * (size_t)expect.length);
    assert_memory_equal(trace.supervised, expect.supervised,
                        (size_t)expect.length);
    assert_memory_equal(trace.block_start, expect.block_start,
                        8 * (size_t)expect.blocks);
    assert_int_equal(trace.n, t);
    assert_int_equal(trace.conflicts, t % 2);
  }
  assert_int_equal(sw_dataset_item(&set, &view, 23, &trace, &err), SW_USAGE);
  sw_trace_free(&trace);
  sw_trace_free(&expect);
  sw_dataset_close(&set);
}

static void hash_is_the_documented_chain(void **state) {
  (void)state;
  char hash[17], text[17];
  assert_int_equal(write_set(target, 9, hash, NULL), 0);
  sw_st_file *file;
  assert_int_equal(sw_st_open(&file, target, NULL), 0);
  static const char *const order[] = {
      "tokens", "supervised", "trace_start", "block_start", "trace_block",
      "n",      "terminal",   "decisions",   "conflicts"};
  uint64_t h = 0;
  for (int i = 0; i < 9; i++) {
    const sw_st_tensor *t = sw_st_find(file, order[i]);
    h = sw_xxh64(t->data, t->bytes, h);
  }
  snprintf(text, sizeof text, "%016llx", (unsigned long long)h);
  assert_string_equal(text, hash);
  sw_st_close(file);
}

static void empty_set(void **state) {
  (void)state;
  char hash[17];
  sw_dataset set;
  assert_int_equal(write_set(target, 0, hash, NULL), 0);
  assert_int_equal(sw_dataset_open(&set, target, NULL), 0);
  assert_int_equal(set.traces + set.blocks + set.length, 0);
  sw_dataset_close(&set);
}

static void views(void **state) {
  (void)state;
  char hash[17];
  sw_dataset set;
  sw_trace trace, again;
  sw_trace_init(&trace);
  sw_trace_init(&again);
  assert_int_equal(write_set(target, 500, hash, NULL), 0);
  assert_int_equal(sw_dataset_open(&set, target, NULL), 0);
  sw_view_options cut = {.view = SW_VIEW_FULL, .max_blocks = 2};
  sw_dataset_item(&set, &cut, 4, &trace, NULL);
  assert_int_equal(trace.blocks, 3);
  assert_int_equal(trace.length, 11);
  /* Blocks per trace: 0..4; block 3 is unsupervised: per five traces 4 + 3 + 0
   * + 1 records. */
  sw_view_options all = {.view = SW_VIEW_STATE_ALL};
  assert_int_equal(sw_dataset_items(&set, &all), 100 * 8);
  all.max_blocks = 1;
  assert_int_equal(sw_dataset_items(&set, &all), 100 * 4);
  all.max_blocks = 2;
  assert_int_equal(sw_dataset_items(&set, &all), 100 * 7);
  all.max_blocks = 99;
  char seen[500][5] = {{0}};
  for (int64_t i = 0; i < 800; i++) {
    assert_int_equal(sw_dataset_item(&set, &all, i, &trace, NULL), 0);
    assert_int_equal(trace.blocks, 2);
    assert_int_equal(trace.length, 7);
    assert_int_equal(trace.token[0], 100 * trace.n);
    assert_true(trace.supervised[6] && !trace.supervised[0]);
    assert_int_equal(sw_dataset_item_trace(&set, &all, i), trace.n);
    int block = (trace.token[3] % 100 - 3) / 4 + 1;
    assert_true(block != 3);
    assert_int_equal(seen[trace.n][block]++, 0);
  }
  /* A sample is without replacement, depends on the seed only, and is not just
   * the beginning. */
  all.sample = 100;
  all.seed = 3;
  assert_int_equal(sw_dataset_items(&set, &all), 100);
  memset(seen, 0, sizeof seen);
  int late = 0;
  for (int64_t i = 0; i < 100; i++) {
    sw_dataset_item(&set, &all, i, &trace, NULL);
    sw_dataset_item(&set, &all, i, &again, NULL);
    assert_int_equal(trace.token[3], again.token[3]);
    int block = (trace.token[3] % 100 - 3) / 4 + 1;
    assert_int_equal(seen[trace.n][block]++, 0);
    late += trace.n >= 250;
  }
  assert_in_range(late, 30, 70); /* 50 expected, standard deviation 4.7 */
  sw_trace_free(&trace);
  sw_trace_free(&again);
  sw_dataset_close(&set);
}

static void one_block_view_is_uniform(void **state) {
  (void)state;
  char hash[17];
  sw_dataset set;
  sw_trace trace;
  sw_trace_init(&trace);
  assert_int_equal(write_set(target, 5, hash, NULL), 0);
  assert_int_equal(sw_dataset_open(&set, target, NULL), 0);
  sw_view_options one = {.view = SW_VIEW_STATE_ONE};
  int chosen[5] = {0};
  for (one.seed = 0; one.seed < 3000; one.seed++) {
    sw_dataset_item(&set, &one, 4, &trace, NULL); /* blocks 1, 2, 4 */
    chosen[(trace.token[3] % 100 - 3) / 4 + 1]++;
  }
  assert_int_equal(chosen[3], 0);
  for (int b = 1; b <= 4; b++) /* five standard deviations */
    if (b != 3) assert_in_range(chosen[b], 1000 - 129, 1000 + 129);
  sw_dataset_item(&set, &one, 0, &trace, NULL); /* no block at all */
  assert_int_equal(trace.blocks, 1);
  sw_trace_free(&trace);
  sw_dataset_close(&set);
}

/* Changes one column's bytes; the hash is left out so that the index checks
 * are reached. */
static int open_changed(const char *column, int64_t at, int64_t value,
                        sw_err *err) {
  char hash[17];
  assert_int_equal(write_set(target, 7, hash, NULL), 0);
  sw_st_file *file;
  assert_int_equal(sw_st_open(&file, target, NULL), 0);
  int count = sw_st_count(file);
  sw_st_spec spec[16];
  unsigned char *copy[16];
  for (int i = 0; i < count; i++) {
    const sw_st_tensor *t = sw_st_at(file, i);
    copy[i] = malloc(t->bytes);
    memcpy(copy[i], t->data, t->bytes);
    if (strcmp(t->name, column) == 0) {
      size_t size = sw_st_dtype_size(t->dtype);
      memcpy(copy[i] + size * (size_t)at, &value, size);
    }
    spec[i] = (sw_st_spec){t->name, t->dtype, 1, {t->count}, copy[i], NULL};
  }
  assert_int_equal(sw_st_write(target, spec, count, NULL, 0, NULL), 0);
  for (int i = 0; i < count; i++) free(copy[i]);
  sw_st_close(file);
  sw_dataset set;
  int code = sw_dataset_open(&set, target, err);
  if (!code) sw_dataset_close(&set);
  return code;
}

static void bad_columns(void **state) {
  (void)state;
  sw_err err = {0};
  assert_int_equal(open_changed("none", 0, 0, &err), 0);
  assert_int_equal(open_changed("tokens", 3, -1, &err), SW_DATA);
  assert_int_equal(open_changed("supervised", 3, 2, &err), SW_DATA);
  assert_int_equal(open_changed("trace_start", 0, 1, &err), SW_DATA);
  assert_int_equal(open_changed("trace_start", 2, 1000000, &err), SW_DATA);
  assert_int_equal(open_changed("trace_start", 7, -5, &err), SW_DATA);
  assert_int_equal(open_changed("trace_block", 2, 1, &err), SW_DATA);
  assert_int_equal(open_changed("trace_block", 2, INT64_MAX, &err), SW_DATA);
  assert_int_equal(open_changed("block_start", 1, INT64_MIN, &err), SW_DATA);
  assert_int_equal(open_changed("block_start", 1, 4, &err), SW_DATA);
  assert_non_null(strstr(err.text, target));
}

static void damage_and_foreign_files(void **state) {
  (void)state;
  char hash[17], *bytes;
  size_t length;
  sw_err err = {0};
  sw_dataset set;
  assert_int_equal(write_set(target, 50, hash, NULL), 0);
  assert_int_equal(sw_read_file(target, 0, &bytes, &length, NULL), 0);
  bytes[length - 1] ^= 4;
  assert_int_equal(sw_dataset_parse(&set, bytes, length, "x", &err), SW_DATA);
  assert_non_null(strstr(err.text, "content hash"));
  bytes[length - 1] ^= 4;
  /* The same bytes at an odd address: columns are copied. */
  char *shifted = malloc(length + 1);
  memcpy(shifted + 1, bytes, length);
  assert_int_equal(sw_dataset_parse(&set, shifted + 1, length, "x", &err), 0);
  assert_int_equal((uintptr_t)set.block_start % 8, 0);
  assert_string_equal(set.hash, hash);
  sw_dataset_close(&set);
  free(shifted);
  free(bytes);
  const float one = 1;
  sw_st_spec weights = {"w", SW_ST_F32, 1, {1}, &one, NULL};
  sw_st_write(target, &weights, 1, NULL, 0, NULL);
  assert_int_equal(sw_dataset_open(&set, target, &err), SW_DATA);
  assert_non_null(strstr(err.text, "no column"));
  assert_int_equal(sw_dataset_open(&set, dir, &err), SW_NOFILE);
  assert_int_equal(sw_dataset_open(&set, "/nonexistent", &err), SW_NOFILE);
}

static void assert_target(const char *content) {
  char *bytes;
  size_t length;
  assert_int_equal(sw_read_file(target, 0, &bytes, &length, NULL), 0);
  assert_string_equal(bytes, content);
  free(bytes);
}

static void abort_leaves_the_target(void **state) {
  (void)state;
  sw_dataset_writer *writer;
  sw_write_file(target, "old", 3, NULL);
  assert_int_equal(sw_dataset_create(&writer, target, NULL), 0);
  assert_true(files_in_dir() > 1);
  sw_dataset_abort(writer);
  assert_int_equal(files_in_dir(), 1);
  assert_target("old");
}

static void killed_writer_leaves_the_target(void **state) {
  (void)state;
  sw_write_file(target, "old", 3, NULL);
  pid_t child = fork();
  if (child == 0) {
    sw_dataset_writer *writer;
    sw_trace trace;
    sw_trace_init(&trace);
    make_trace(&trace, 4);
    if (sw_dataset_create(&writer, target, NULL)) _exit(1);
    for (int i = 0; i < 100000; i++) sw_dataset_append(writer, &trace, NULL);
    raise(SIGKILL);
  }
  int status;
  waitpid(child, &status, 0);
  assert_true(WIFSIGNALED(status));
  assert_true(files_in_dir() > 1);
  assert_target("old");
  /* The next writer of the same target clears what was left. */
  char hash[17];
  assert_int_equal(write_set(target, 3, hash, NULL), 0);
  assert_int_equal(files_in_dir(), 1);
}

/* A limit on the size of files stands for a full disk: write() fails. */
static void full_disk_is_an_error(void **state) {
  (void)state;
  sw_write_file(target, "old", 3, NULL);
  for (rlim_t limit = 1000; limit <= 64000; limit *= 4) {
    pid_t child = fork();
    if (child == 0) {
      struct rlimit bound = {limit, limit};
      char hash[17];
      sw_err err = {0};
      signal(SIGXFSZ, SIG_IGN);
      setrlimit(RLIMIT_FSIZE, &bound);
      int code = write_set(target, 3000, hash, &err);
      _exit(code == SW_IO && strstr(err.text, target) && err.hint[0] ? 7 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 7);
    assert_target("old");
    assert_int_equal(files_in_dir(), 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(round_trip),
      cmocka_unit_test(hash_is_the_documented_chain),
      cmocka_unit_test(empty_set),
      cmocka_unit_test(views),
      cmocka_unit_test(one_block_view_is_uniform),
      cmocka_unit_test(bad_columns),
      cmocka_unit_test(damage_and_foreign_files),
      cmocka_unit_test(abort_leaves_the_target),
      cmocka_unit_test(killed_writer_leaves_the_target),
      cmocka_unit_test(full_disk_is_an_error),
  };
  return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
