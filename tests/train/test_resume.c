/* Going on from a checkpoint: what is damaged or was made with other kernels is
 * refused, what older versions wrote is taken, and the curve is cut at the
 * checkpoint however long it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dlfcn.h>
#include <limits.h>
#include <unistd.h>
#include <cmocka.h>

#include "own_data.h"
#include "base/file.h"
#include "base/safetensors.h"
#include "train/trainer.h"

static const char *const weights = "step-00000002.model.safetensors";
static const char *const moments = "step-00000002.optim.safetensors";

static int setup(void **state) {
  (void)state;
  return open_data(40);
}

static int stop_countdown(void *context) {
  int *left = context;
  return --*left <= 0;
}

/* Six steps, or `steps` of them and a stop. */
static int train(const char *output, int steps, sw_train_result *result,
                 sw_err *err) {
  sw_train_options o;
  int left = steps;
  sw_train_hooks hooks = {.context = &left, .stop = stop_countdown};
  sw_options_defaults(sw_train_table, sw_train_table_count, &o);
  o.data = data;
  o.output = output;
  o.slots = 2;
  o.d = 16;
  o.layers = 1;
  o.heads = 2;
  o.batch = 4;
  o.steps = 6;
  o.threads = 1;
  o.checkpoint_seconds = 1e9;
  return sw_train(&o, &hooks, result, err);
}

/* A run that was stopped after two steps. */
static void stopped(char output[1200], const char *name) {
  sw_err err = {0};
  sw_train_result result;
  snprintf(output, 1200, "%s/%s", directory, name);
  assert_int_equal(train(output, 2, &result, &err), SW_STOPPED);
}

static char *bytes_of(const char *output, const char *file, size_t *size) {
  char path[1400], *text = NULL;
  sw_err err = {0};
  snprintf(path, sizeof path, "%s/%s", output, file);
  must(sw_read_file(path, 0, &text, size, &err), &err);
  return text;
}

/* The lowest bit of a number in the middle of a file: it stays a number. */
static void flip(const char *output, const char *file) {
  size_t size;
  char path[1400], *text = bytes_of(output, file, &size);
  sw_err err = {0};
  text[size / 8 * 4] ^= 1;
  snprintf(path, sizeof path, "%s/%s", output, file);
  must(sw_write_file(path, text, size, &err), &err);
  free(text);
}

/* The optimizer's file with another value of `key`, or without it (NULL). */
static void rewrite(const char *output, const char *key, const char *value) {
  char path[1400];
  sw_err err = {0};
  sw_st_file *file;
  sw_st_spec spec[4];
  const char *meta[64];
  int pairs = 0, found = 0;
  snprintf(path, sizeof path, "%s/%s", output, moments);
  must(sw_st_open(&file, path, &err), &err);
  for (int i = 0; i < sw_st_count(file); i++) {
    const sw_st_tensor *t = sw_st_at(file, i);
    spec[i] = (sw_st_spec){.name = t->name,
                           .dtype = t->dtype,
                           .dims = 1,
                           .shape = {t->count},
                           .data = t->data};
  }
  for (int i = 0; i < sw_st_meta_count(file); i++) {
    const char **pair = meta + 2 * pairs;
    sw_st_meta_at(file, i, &pair[0], &pair[1]);
    int same = !strcmp(pair[0], key);
    found += same;
    if (same) pair[1] = value;
    pairs += pair[1] != NULL;
  }
  if (!found && !strcmp(key, "format_version")) {
    meta[2 * pairs] = key;
    meta[2 * pairs++ + 1] = value;
    found = 1;
  }
  assert_int_equal(found, 1);
  must(sw_st_write(path, spec, sw_st_count(file), meta, pairs, &err), &err);
  sw_st_close(file);
}

static void damaged_checkpoints_are_refused(void **state) {
  (void)state;
  const char *const name[] = {weights, moments};
  for (int i = 0; i < 2; i++) {
    char output[1200];
    sw_err err = {0};
    sw_train_result result;
    stopped(output, i ? "moments" : "weights");
    flip(output, name[i]);
    assert_int_equal(train(output, 100, &result, &err), SW_DATA);
    assert_non_null(strstr(err.text, name[i]));
    assert_non_null(strstr(err.text, "hash"));
    assert_non_null(strstr(err.hint, "damaged"));
    flip(output, name[i]);
    must(train(output, 100, &result, &err), &err);
  }
}

static void other_kernels_are_refused(void **state) {
  (void)state;
  char output[1200];
  sw_err err = {0};
  sw_train_result result;
  stopped(output, "kernels");
  rewrite(output, "kernels", "abacus");
  assert_int_equal(train(output, 100, &result, &err), SW_USAGE);
  assert_non_null(strstr(err.text, "the kernels abacus"));
  assert_non_null(strstr(err.hint, "STATEWISE_KERNELS=abacus"));
}

static void other_formats_are_refused(void **state) {
  (void)state;
  char output[1200];
  sw_err err = {0};
  sw_train_result result;
  stopped(output, "format");
  rewrite(output, "format_version", "statewise-optimizer-2");
  assert_int_equal(train(output, 100, &result, &err), SW_DATA);
  assert_non_null(strstr(err.text, "its format is statewise-optimizer-2"));
}

/* Checkpoints of before say neither hash nor kernels. */
static void older_checkpoints_go_on(void **state) {
  (void)state;
  char whole[1200], output[1200], *text[2];
  size_t size[2];
  sw_err err = {0};
  sw_train_result result;
  snprintf(whole, sizeof whole, "%s/whole", directory);
  must(train(whole, 100, &result, &err), &err);
  stopped(output, "older");
  rewrite(output, "kernels", NULL);
  rewrite(output, "moments_xxh64", NULL);
  must(train(output, 100, &result, &err), &err);
  for (int i = 0; i < 2; i++)
    text[i] = bytes_of(i ? output : whole, "model.safetensors", &size[i]);
  assert_int_equal(size[0], size[1]);
  assert_memory_equal(text[0], text[1], size[0]);
  for (int i = 0; i < 2; i++) free(text[i]);
}

/* What was synced last: the curve, and the marker behind it. */
static int curve_synced, marker_synced, marker_without_curve;

#pragma GCC visibility push(default)
int fsync(int fd) {
  char link[64], name[PATH_MAX];
  int (*next)(int);
  *(void **)(&next) = dlsym(RTLD_NEXT, "fsync");
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, name, sizeof name - 1);
  name[length > 0 ? length : 0] = 0;
  if (strstr(name, "/metrics.jsonl")) curve_synced++;
  if (strstr(name, "/LATEST.")) {
    marker_without_curve += curve_synced <= marker_synced;
    marker_synced++;
  }
  return next(fd);
}
#pragma GCC visibility pop

static void the_curve_is_on_the_disk_before_the_marker(void **state) {
  (void)state;
  char output[1200];
  sw_err err = {0};
  sw_train_result result;
  curve_synced = marker_synced = marker_without_curve = 0;
  stopped(output, "synced");
  must(train(output, 100, &result, &err), &err);
  assert_int_equal(marker_synced, 2);
  assert_int_equal(marker_without_curve, 0);
}

/* The curve in `from`, cut at step 3, is `to`. */
static void check_cut(const char *from, off_t more, const char *to) {
  char path[1300], *text;
  size_t bytes;
  sw_err err = {0};
  snprintf(path, sizeof path, "%s/metrics.jsonl", directory);
  must(sw_write_file(path, from, strlen(from), &err), &err);
  if (more) assert_int_equal(truncate(path, (off_t)strlen(from) + more), 0);
  must(sw_metrics_trim(directory, 3, &err), &err);
  must(sw_read_file(path, 0, &text, &bytes, &err), &err);
  assert_int_equal(bytes, strlen(to));
  assert_memory_equal(text, to, bytes);
  free(text);
  assert_int_equal(unlink(path), 0);
}

static void the_curve_is_cut_at_the_checkpoint(void **state) {
  (void)state;
  sw_err err = {0};
#define LINES "{\"step\": 1, \"loss\": 2}\n{\"step\": 3, \"loss\": 1}\n"
  must(sw_metrics_trim(directory, 3, &err), &err); /* there is none */
  check_cut("", 0, "");
  check_cut(LINES, 0, LINES);
  check_cut(LINES "{\"step\": 4}\n{\"step\": 2}\n", 0, LINES);
  check_cut(LINES "{\"step\": 3", 0, LINES); /* a crash's last words */
  check_cut(LINES "no step\n{\"step\": 3}\n", 0, LINES);
  check_cut(LINES, (off_t)3 << 29, LINES); /* longer than a file to read */
}

/* A link may lead to anybody's file, which must not be cut. */
static void a_linked_curve_is_left_alone(void **state) {
  (void)state;
  char path[1300], other[1300], *text;
  size_t bytes;
  sw_err err = {0};
  snprintf(path, sizeof path, "%s/metrics.jsonl", directory);
  snprintf(other, sizeof other, "%s/other", directory);
  must(sw_write_file(other, "words\n", 6, &err), &err);
  assert_int_equal(symlink(other, path), 0);
  assert_int_equal(sw_metrics_trim(directory, 3, &err), SW_IO);
  must(sw_read_file(other, 0, &text, &bytes, &err), &err);
  assert_string_equal(text, "words\n");
  free(text);
  assert_int_equal(unlink(path), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(damaged_checkpoints_are_refused),
      cmocka_unit_test(other_kernels_are_refused),
      cmocka_unit_test(other_formats_are_refused),
      cmocka_unit_test(older_checkpoints_go_on),
      cmocka_unit_test(the_curve_is_on_the_disk_before_the_marker),
      cmocka_unit_test(the_curve_is_cut_at_the_checkpoint),
      cmocka_unit_test(a_linked_curve_is_left_alone),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
