/* Rounds of mining: each adds searches to the traces of the round before, on
 * instances of its own. An instance that came twice would be trained on and
 * validated on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "../tiny_run.h"
#include "repro/runner.h"
#include "table.h"
#include "trace/dataset.h"

static const sw_experiment toy = {
    .id = "mined",
    .section = "toys",
    .place = "nowhere",
    .title = "Mined twice",
    .seeds = {1, 1},
    .beside = SW_BESIDE_NONE,
    .column =
        COLUMNS(SOLVED("solved", "protocol=rebuilt tokens=0 decisions=50")),
    .row = ROWS(RULE_OF("round2", "round 2", "clause+exact", "sat",
                        .search = "verifier=viability:#judge50-round2:0.9")),
};

static char *directory;

static void quiet_begin(void *context, const char *what) {
  (void)context;
  (void)what;
}
static void quiet_end(void *context) { (void)context; }
static int train(void *context, const sw_train_options *options, sw_err *err) {
  sw_train_result done;
  (void)context;
  return sw_train(options, NULL, &done, err);
}

static int run(sw_err *err) {
  sw_repro_hooks hooks = {
      .begin = quiet_begin, .end = quiet_end, .train = train};
  sw_repro_options o = {.out = directory,
                        .settings = {1, {"steps=3"}},
                        .seed = -1,
                        .test_seed = 42,
                        .instances = 1,
                        .traces = 6,
                        .threads = 1};
  sw_repro_result result;
  int code = sw_repro_run(&toy, &o, &hooks, &result, err);
  sw_repro_free(&result);
  return code;
}

static void path_of(const char *name, char path[700]) {
  snprintf(path, 700, "%s/data/sat-50-judge%s-6-42.safetensors", directory,
           name);
}

/* The instances' prefixes of a set, from trace `from` on, must be in no trace
 * before it. */
static void none_comes_twice(const sw_dataset *set, int64_t from) {
  for (int64_t i = from; i < set->traces; i++)
    for (int64_t k = 0; k < from; k++) {
      const int64_t *a = set->block_start + set->trace_block[i];
      const int64_t *b = set->block_start + set->trace_block[k];
      int64_t size = a[1] - a[0];
      if (size != b[1] - b[0]) continue;
      assert_memory_not_equal(set->tokens + set->trace_start[i],
                              set->tokens + set->trace_start[k],
                              (size_t)size * sizeof *set->tokens);
    }
}

static void rounds_draw_from_their_own_streams(void **state) {
  (void)state;
  static const struct {
    const char *name, *seed, *streams;
  } round[] = {{"", "42", NULL},
               {"-judge50-round1", "1099511627818", "42"},
               {"-judge50-round2", "2199023255594", "42 1099511627818"}};
  char path[700];
  sw_err err = {0};
  if (run(&err)) fail_msg("%s", err.text);
  for (int i = 0; i < 3; i++) {
    sw_dataset set;
    path_of(round[i].name, path);
    if (sw_dataset_open(&set, path, &err)) fail_msg("%s", err.text);
    assert_string_equal(sw_dataset_meta(&set, "seed"), round[i].seed);
    const char *streams = sw_dataset_meta(&set, "streams");
    assert_int_equal(streams != NULL, round[i].streams != NULL);
    if (streams) assert_string_equal(streams, round[i].streams);
    assert_int_equal(set.traces, 6 * (i + 1));
    if (i) none_comes_twice(&set, 6 * i);
    sw_dataset_close(&set);
  }
}

/* The traces of round 1 in the place of those of round 2: of the wrong stream,
 * as those that an older program left. */
static void traces_of_another_stream_are_refused(void **state) {
  (void)state;
  char from[700], to[700];
  sw_err err = {0};
  path_of("-judge50-round1", from);
  path_of("-judge50-round2", to);
  assert_int_equal(rename(from, to), 0);
  assert_int_equal(run(&err), SW_DATA);
  assert_non_null(strstr(err.text, "seed 1099511627818"));
}

static int set_up(void **state) {
  (void)state;
  directory = tiny_run_directory();
  return directory ? 0 : -1;
}
static int tear_down(void **state) {
  (void)state;
  tiny_run_remove(directory);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rounds_draw_from_their_own_streams),
      cmocka_unit_test(traces_of_another_stream_are_refused),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
