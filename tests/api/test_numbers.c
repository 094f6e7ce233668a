/* The public C API for people with tokens of their own: hidden states,
 * attention, masks, data sets that are written and read back. Only statewise.h
 * is used on the side that is tested. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "statewise.h"
#include "trace/dataset.h"
#include "../tiny_run.h"

enum { COUNT = 9, CAUSAL = 1, MODELS = 2 };
static char *directory;
static statewise *model[MODELS];
static statewise_shape shape[MODELS];
static const char *const mask_of[MODELS] = {"ssa", "causal"};
/* A problem of three tokens and three blocks; the second is of one token. */
static const int32_t block[COUNT] = {0, 0, 0, 1, 1, 2, 5, 5, 5};
static const int32_t token[COUNT] = {1, 40, 41, 2, 50, 51, 2, 50, 53};

static void fine(int code, const statewise_error *error) {
  if (code) fail_msg("%d: %s", code, error->text);
}

static void a_model_tells_its_sizes(void **state) {
  (void)state;
  for (int m = 0; m < MODELS; m++) {
    assert_int_equal(shape[m].width, 16);
    assert_int_equal(shape[m].layers, 2);
    assert_int_equal(shape[m].heads, 2);
    assert_true(shape[m].positions > COUNT);
  }
  assert_true(shape[0].slots > 0 && shape[CAUSAL].slots > 0);
  assert_int_equal(statewise_shape_of(NULL, &shape[0], NULL), STATEWISE_USAGE);
}

/* Who sees whom, said by hand. Rows and columns: slots, then tokens. */
static int sees(int ssa, int slots, int q, int k) {
  int query = q - slots, key = k - slots;
  if (k < slots) return 1;
  if (query < 0) return block[key] == 0; /* slots read the problem */
  if (key > query) return 0;
  return !ssa || block[key] == 0 || block[key] == block[query];
}

static void masks_are_those_of_the_models(void **state) {
  (void)state;
  statewise_error error;
  for (int m = 0; m < MODELS; m++) {
    int slots = shape[m].slots, rows = slots + COUNT;
    uint8_t *out = malloc((size_t)(rows * rows));
    statewise_mask_options how = {.name = mask_of[m], .slots = slots};
    fine(statewise_mask_matrix(&how, block, COUNT, out, &error), &error);
    for (int q = 0; q < rows; q++)
      for (int k = 0; k < rows; k++)
        assert_int_equal(out[q * rows + k], sees(m != CAUSAL, slots, q, k));
    free(out);
    assert_non_null(strstr(statewise_mask_names(), mask_of[m]));
  }
}

static void masks_check_their_input(void **state) {
  (void)state;
  statewise_error error;
  uint8_t out[(COUNT + 2) * (COUNT + 2)];
  statewise_mask_options how = {.name = "ssa"};
  int32_t falling[2] = {0, -1}, late[2] = {1, 1};
  assert_int_equal(statewise_mask_matrix(&how, falling, 2, out, &error),
                   STATEWISE_DATA);
  assert_int_equal(statewise_mask_matrix(&how, late, 2, out, &error),
                   STATEWISE_DATA);
  assert_int_equal(statewise_mask_matrix(&how, block, 0, out, &error),
                   STATEWISE_USAGE);
  assert_int_equal(statewise_mask_matrix(&how, NULL, 2, out, &error),
                   STATEWISE_USAGE);
  how.slots = -1;
  assert_int_equal(statewise_mask_matrix(&how, block, 2, out, &error),
                   STATEWISE_USAGE);
  how = (statewise_mask_options){.name = "causal-noslot", .slots = 2};
  assert_int_equal(statewise_mask_matrix(&how, block, 2, out, &error),
                   STATEWISE_USAGE);
  how = (statewise_mask_options){.name = "sssa"};
  assert_int_equal(statewise_mask_matrix(&how, block, 2, out, &error),
                   STATEWISE_USAGE);
  assert_non_null(strstr(error.hint, "ssa"));
  how.name = NULL;
  assert_int_equal(statewise_mask_matrix(&how, block, 2, out, &error),
                   STATEWISE_USAGE);
  /* A window of two tokens of the blocks, and a drawn mask by its seed. */
  uint8_t other[sizeof out];
  how = (statewise_mask_options){.name = "swa-prefix", .window = 2};
  fine(statewise_mask_matrix(&how, block, COUNT, out, &error), &error);
  assert_int_equal(out[8 * COUNT + 6] + out[8 * COUNT + 5], 0);
  assert_int_equal(out[8 * COUNT + 7] + out[8 * COUNT + 2], 2);
  how = (statewise_mask_options){.name = "random-matched", .seed = 1};
  fine(statewise_mask_matrix(&how, block, COUNT, out, &error), &error);
  fine(statewise_mask_matrix(&how, block, COUNT, other, &error), &error);
  assert_memory_equal(out, other, COUNT * COUNT);
}

/* Each row sums to 1, over exactly what the mask lets it see. */
static void attention_follows_the_mask(void **state) {
  (void)state;
  statewise_error error;
  for (int m = 0; m < MODELS; m++) {
    int slots = shape[m].slots, wide = slots + COUNT;
    float *out = malloc(sizeof *out * (size_t)(COUNT * wide));
    for (int at = 0; at < shape[m].layers * shape[m].heads; at++) {
      fine(statewise_attention(model[m], at / shape[m].heads,
                               at % shape[m].heads, token, block, COUNT, out,
                               &error),
           &error);
      for (int q = 0; q < COUNT; q++) {
        double sum = 0;
        for (int k = 0; k < wide; k++) {
          float weight = out[q * wide + k];
          assert_int_equal(weight > 0, sees(m != CAUSAL, slots, slots + q, k));
          sum += (double)weight;
        }
        assert_true(fabs(sum - 1) < 1e-5);
      }
    }
    free(out);
  }
}

/* The last rows with all blocks and with the last block alone. */
static void hidden_states_forget_under_ssa(void **state) {
  (void)state;
  static const int32_t alone[6] = {1, 40, 41, 2, 50, 53},
                       alone_block[6] = {0, 0, 0, 1, 1, 1};
  statewise_error error;
  for (int m = 0; m < MODELS; m++) {
    float whole[COUNT * 16], cut[6 * 16];
    fine(statewise_hidden(model[m], token, block, COUNT, whole, &error),
         &error);
    fine(statewise_hidden(model[m], alone, alone_block, 6, cut, &error),
         &error);
    int same = !memcmp(whole + 6 * 16, cut + 3 * 16, sizeof(float) * 3 * 16);
    assert_int_equal(same, m != CAUSAL);
    assert_memory_equal(whole, cut, sizeof(float) * 3 * 16);
    for (int i = 0; i < COUNT * 16; i++) assert_true(isfinite(whole[i]));
  }
}

static void wrong_questions_are_refused(void **state) {
  (void)state;
  statewise_error error;
  float out[COUNT * (COUNT + 64)];
  int32_t far[2] = {1, 1 << 20};
  for (int layer = -1; layer <= 2; layer++)
    for (int head = -1; head <= 2; head++) {
      int code = statewise_attention(model[0], layer, head, token, block, COUNT,
                                     out, &error);
      int there = layer >= 0 && layer < 2 && head >= 0 && head < 2;
      assert_int_equal(code, there ? STATEWISE_OK : STATEWISE_USAGE);
    }
  assert_int_equal(
      statewise_attention(model[0], 0, 0, far, block, 2, out, &error),
      STATEWISE_DATA);
  assert_int_equal(statewise_hidden(model[0], far, block, 2, out, &error),
                   STATEWISE_DATA);
  assert_int_equal(statewise_hidden(model[0], token, block, 0, out, &error),
                   STATEWISE_USAGE);
  assert_int_equal(statewise_hidden(model[0], NULL, block, 1, out, &error),
                   STATEWISE_USAGE);
  assert_int_equal(
      statewise_attention(NULL, 0, 0, token, block, 1, out, &error),
      STATEWISE_USAGE);
}

/* ---- data sets ---- */

static const uint8_t target[COUNT] = {0, 0, 0, 0, 1, 1, 0, 0, 1};
static const int64_t start[4] = {0, 3, 5, 6};
static const uint8_t viable[4] = {0, 1, 1, 2};
static const int32_t query[4] = {0, 1, 0, 2};
static const statewise_trace example = {.token = token,
                                        .target = target,
                                        .tokens = COUNT,
                                        .block_start = start,
                                        .blocks = 4,
                                        .n = 7,
                                        .terminal = 1,
                                        .decisions = 3,
                                        .conflicts = 1};

static char *path_of(const char *name) {
  static char path[1200];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  return path;
}

static void a_data_set_is_written(void **state) {
  (void)state;
  statewise_error error;
  for (int judged = 0; judged < 2; judged++) {
    const char *path = path_of(judged ? "judged" : "plain");
    statewise_writer *w;
    statewise_trace t = example;
    char hash[17], again[17];
    const char *const meta[] = {"domain", "own", "vocab", "60"};
    if (judged) t.viability = viable, t.query = query;
    fine(statewise_data_create(&w, path, &error), &error);
    for (int i = 0; i < 3; i++) {
      t.n = 7 + i;
      fine(statewise_data_append(w, &t, &error), &error);
    }
    fine(statewise_data_finish(w, meta, 2, hash, &error), &error);
    fine(statewise_data_check(path, again, &error), &error);
    assert_string_equal(hash, again);
    sw_dataset set;
    sw_err err = {0};
    if (sw_dataset_open(&set, path, &err)) fail_msg("%s", err.text);
    assert_int_equal(set.traces, 3);
    assert_string_equal(sw_dataset_meta(&set, "domain"), "own");
    assert_string_equal(sw_dataset_meta(&set, "content_hash"), hash);
    for (int i = 0; i < 3; i++) {
      assert_int_equal(set.n[i], 7 + i);
      assert_memory_equal(set.tokens + i * COUNT, token, sizeof token);
      assert_memory_equal(set.supervised + i * COUNT, target, sizeof target);
      for (int b = 0; b < 4; b++)
        assert_int_equal(set.block_start[4 * i + b], COUNT * i + start[b]);
      if (judged) {
        assert_memory_equal(set.viability + 4 * i, viable, sizeof viable);
        assert_memory_equal(set.query + 4 * i, query, sizeof query);
      }
    }
    assert_true(judged == (set.viability != NULL));
    sw_dataset_close(&set);
  }
}

/* Each wrong trace is refused, and the writer goes on with right ones. */
static void wrong_traces_are_refused(void **state) {
  (void)state;
  static const uint8_t two[COUNT] = {0, 0, 2}, first[COUNT] = {1};
  static const int64_t late[4] = {1, 3, 5, 6}, falling[4] = {0, 5, 3, 6},
                       far[4] = {0, 3, 5, COUNT + 1};
  static const int32_t negative[COUNT] = {1, -1};
  static const uint8_t verdict[4] = {0, 0, 0, 3};
  static const int32_t long_query[4] = {0, 0, 0, 4};
  statewise_trace wrong[9];
  statewise_error error;
  statewise_writer *w;
  for (int i = 0; i < 9; i++) wrong[i] = example;
  wrong[0].target = two;
  wrong[1].target = first;
  wrong[2].block_start = late;
  wrong[3].block_start = falling;
  wrong[4].block_start = far;
  wrong[5].token = negative;
  wrong[6].viability = viable;
  wrong[7].viability = verdict, wrong[7].query = query;
  wrong[8].viability = viable, wrong[8].query = long_query;
  const char *path = path_of("refused");
  fine(statewise_data_create(&w, path, &error), &error);
  for (int i = 0; i < 9; i++) {
    int code = statewise_data_append(w, &wrong[i], &error);
    assert_int_equal(code, i == 6 ? STATEWISE_USAGE : STATEWISE_DATA);
    assert_true(error.text[0]);
  }
  fine(statewise_data_append(w, &example, &error), &error);
  statewise_trace mixed = example;
  mixed.viability = viable, mixed.query = query;
  assert_int_equal(statewise_data_append(w, &mixed, &error), STATEWISE_DATA);
  fine(statewise_data_append(w, &example, &error), &error);
  fine(statewise_data_finish(w, NULL, 0, NULL, &error), &error);
  sw_dataset set;
  assert_int_equal(sw_dataset_open(&set, path, NULL), SW_OK);
  assert_int_equal(set.traces, 2);
  sw_dataset_close(&set);
}

static void what_was_there_stays(void **state) {
  (void)state;
  statewise_error error;
  statewise_writer *w;
  char hash[17], again[17];
  const char *path = path_of("plain");
  fine(statewise_data_check(path, hash, &error), &error);
  fine(statewise_data_create(&w, path, &error), &error);
  fine(statewise_data_append(w, &example, &error), &error);
  statewise_data_abort(w);
  /* and where the metadata is refused */
  const char *const ours[] = {"content_hash", "0"};
  fine(statewise_data_create(&w, path, &error), &error);
  assert_int_equal(statewise_data_finish(w, ours, 1, NULL, &error),
                   STATEWISE_USAGE);
  fine(statewise_data_check(path, again, &error), &error);
  assert_string_equal(hash, again);
  /* a damaged byte is found */
  FILE *file = fopen(path, "r+b");
  assert_non_null(file);
  assert_int_equal(fseek(file, -2, SEEK_END), 0);
  assert_true(fputc(9, file) == 9 && !fclose(file));
  assert_int_equal(statewise_data_check(path, again, &error), STATEWISE_DATA);
  assert_int_equal(statewise_data_check(path_of("none"), again, &error),
                   STATEWISE_NOFILE);
  assert_int_equal(statewise_data_create(&w, path_of("no/where"), &error),
                   STATEWISE_IO);
  assert_null(w);
  statewise_data_abort(NULL);
  assert_int_equal(statewise_data_append(NULL, &example, NULL),
                   STATEWISE_USAGE);
}

static int open_models(void **state) {
  (void)state;
  directory = tiny_run_directory();
  for (int m = 0; directory && m < MODELS; m++) {
    char data[1200], run[1200];
    sw_err err = {0};
    snprintf(data, sizeof data, "%s/data.safetensors", directory);
    snprintf(run, sizeof run, "%s/%s", directory, mask_of[m]);
    tiny_run tiny = {.data = data,
                     .directory = run,
                     .mask = mask_of[m],
                     .n = 6,
                     .traces = 40,
                     .d = 16,
                     .steps = 5};
    statewise_error error = {0};
    if (tiny_run_make(&tiny, &err) ||
        statewise_open(&model[m], run, 1, &error) ||
        statewise_shape_of(model[m], &shape[m], &error)) {
      print_error("%s%s\n", err.text, error.text);
      return -1;
    }
  }
  return directory ? 0 : -1;
}

static int close_models(void **state) {
  (void)state;
  for (int m = 0; m < MODELS; m++) statewise_close(model[m]);
  tiny_run_remove(directory);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_model_tells_its_sizes),
      cmocka_unit_test(masks_are_those_of_the_models),
      cmocka_unit_test(masks_check_their_input),
      cmocka_unit_test(attention_follows_the_mask),
      cmocka_unit_test(hidden_states_forget_under_ssa),
      cmocka_unit_test(wrong_questions_are_refused),
      cmocka_unit_test(a_data_set_is_written),
      cmocka_unit_test(wrong_traces_are_refused),
      cmocka_unit_test(what_was_there_stays),
  };
  return cmocka_run_group_tests(tests, open_models, close_models);
}
