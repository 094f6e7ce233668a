/* The release's own numbers: every mask x position case of the exchange files
 * model-tiny*.safetensors (logits, loss, every gradient), with every kernel
 * set this CPU has. The larger files are
 * compressed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../toy.h"
#include "../unpack.h"
#include "base/safetensors.h"
#include "model/decoder/params.h"
#include "trace/mask.h"

static const struct {
  const char *golden;
  sw_mask_kind mask;
} masks[] = {
    {"selective_ssa", SW_MASK_SSA},
    {"causal_leak_free", SW_MASK_CAUSAL},
    {"full_causal", SW_MASK_CAUSAL_RELEASE},
    {"blanket_ssa", SW_MASK_BLANKET},
    {"local_block_only", SW_MASK_BLOCK_ONLY},
    {"reverse_selective", SW_MASK_REVERSE},
    {"swa_prefix", SW_MASK_SWA_PREFIX_RELEASE},
    {"swa_leak_free", SW_MASK_SWA_PREFIX},
};
static const char *const positions[] = {"standard", "block_relative"};

/* One row of the file's batch of two, without its padding. */
typedef struct row {
  int32_t token[64], position[64];
  uint8_t supervised[64];
  int64_t block_start[64], blocks;
  int32_t length;
} row;

static const int32_t *ints(const sw_st_file *f, const char *name) {
  return (const int32_t *)(const void *)sw_st_find(f, name)->data;
}

static void read_row(const sw_st_file *f, int index, row *r) {
  int32_t length = (int32_t)sw_st_find(f, "input.ids")->shape[1];
  size_t at = (size_t)index * (size_t)length;
  const uint8_t *valid = sw_st_find(f, "input.attention_mask")->data + at;
  const uint8_t *loss = sw_st_find(f, "input.loss_mask")->data + at;
  int32_t ids[64], blocks[64];
  assert_true(length <= 64);
  memcpy(ids, ints(f, "input.ids") + at, sizeof(int32_t) * (size_t)length);
  memcpy(blocks, ints(f, "input.block_ids") + at,
         sizeof(int32_t) * (size_t)length);
  memset(r, 0, sizeof *r);
  r->block_start[r->blocks++] = 0;
  for (int32_t t = 0; t < length && valid[t]; t++) {
    r->token[r->length] = ids[t];
    r->supervised[r->length++] = loss[t];
    while (blocks[t] >= r->blocks) r->block_start[r->blocks++] = t;
  }
}

static double worst(const float *got, const float *want, size_t count) {
  double most = 0;
  for (size_t i = 0; i < count; i++)
    most = fmax(most, fabs((double)got[i] - (double)want[i]));
  return most;
}

/* |got - want| / |want|, and |got| when want is zero. */
static double relative(const float *got, const float *want, int64_t count) {
  double off = 0, size = 0;
  for (int64_t i = 0; i < count; i++) {
    off += pow((double)got[i] - (double)want[i], 2);
    size += pow((double)want[i], 2);
  }
  return size > 0 ? sqrt(off / size) : sqrt(off);
}

static float *copy_of(const sw_st_file *f, const char *name, int64_t *count) {
  const sw_st_tensor *t = sw_st_find(f, name);
  assert_non_null(t);
  float *out = malloc(sizeof(float) * (size_t)(t->count + 1));
  assert_int_equal(sw_st_copy_f32(t, out, t->count, NULL), 0);
  *count = t->count;
  return out;
}

static void compare_logits(sw_pass *pass, const sw_example *ex,
                           const float *want, int vocab) {
  int32_t all[64];
  float *out = malloc(sizeof(float) * (size_t)(ex->length * vocab));
  for (int32_t t = 0; t < ex->length; t++) all[t] = t;
  assert_int_equal(sw_pass_logits(pass, ex, all, ex->length, out, NULL), 0);
  double off = worst(out, want, (size_t)(ex->length * vocab));
  if (off > 2e-5) fail_msg("logits off by %g", off);
  free(out);
}

static void compare_gradients(const sw_st_file *f, const char *key,
                              const sw_model *model, const float *gradient) {
  const sw_model_config *config = sw_model_config_of(model);
  sw_params params;
  sw_params_layout(config, &params);
  for (int i = 0; i < params.layout.tensors; i++) {
    sw_tensor p;
    char name[128];
    int64_t count;
    sw_params_at(config, i, &p);
    snprintf(name, sizeof name, "%s.grad.%s", key, p.name);
    if (!p.trained) {
      assert_null(sw_st_find(f, name));
      for (int64_t j = 0; j < p.count; j++)
        assert_true(gradient[p.offset + j] == 0);
      continue;
    }
    float *want = copy_of(f, name, &count);
    assert_int_equal(count, p.count);
    double off = relative(gradient + p.offset, want, count);
    if (!(off <= 1e-4)) fail_msg("%s: relative error %g", name, off);
    free(want);
  }
}

/* Both rows under one mask and position kind: logits, loss, gradients. */
static void check_case(const sw_st_file *f, sw_model *model, sw_team *team,
                       const char *key, sw_mask_kind kind, int position,
                       int window) {
  const sw_model_config *c = sw_model_config_of(model);
  int64_t count, padded = sw_st_find(f, "input.ids")->shape[1], seen = 0;
  char name[128];
  sw_pass *pass;
  sw_mask mask;
  row r[2];
  double sum = 0;
  float *gradient = calloc((size_t)sw_model_net(model)->count, sizeof(float));
  snprintf(name, sizeof name, "%s.logits", key);
  float *logits = copy_of(f, name, &count);
  assert_int_equal(sw_pass_new(&pass, model, team, NULL), 0);
  sw_mask_init(&mask);
  for (int b = 0; b < 2; b++) {
    read_row(f, b, &r[b]);
    for (int32_t t = 1; t < r[b].length; t++)
      seen += r[b].supervised[t] && r[b].token[t];
  }
  for (int b = 0; b < 2; b++) {
    sw_reading reading = {kind, (sw_position_kind)position, window};
    assert_int_equal(
        sw_reading_positions(&reading, r[b].length, r[b].block_start,
                             r[b].blocks, 0, c->positions, r[b].position, NULL),
        0);
    assert_int_equal(
        sw_mask_build(&mask, kind, c->slots, r[b].length, r[b].block_start,
                      r[b].blocks, window, 0, NULL),
        0);
    sw_example ex = {.token = r[b].token,
                     .position = r[b].position,
                     .supervised = r[b].supervised,
                     .length = r[b].length,
                     .mask = &mask,
                     .block_start = r[b].block_start,
                     .blocks = r[b].blocks};
    compare_logits(pass, &ex, logits + b * padded * c->vocab, c->vocab);
    sw_pass_options o = {.weight[SW_LOSS_TARGET] = 1.0f / (float)seen};
    double loss;
    assert_int_equal(
        sw_pass_loss(pass, &ex, &o, gradient, &loss, NULL, NULL, NULL), 0);
    sum += loss;
  }
  snprintf(name, sizeof name, "%s.loss", key);
  float *loss = copy_of(f, name, &count);
  assert_true(fabs(sum / (double)seen - (double)loss[0]) <= 1e-5);
  compare_gradients(f, key, model, gradient);
  free(loss);
  free(logits);
  free(gradient);
  sw_mask_free(&mask);
  sw_pass_free(pass);
}

static int check_file(const char *path) {
  sw_st_file *f;
  sw_team *team;
  int cases = 0;
  assert_int_equal(sw_st_open(&f, path, NULL), 0);
  assert_int_equal(sw_team_new(&team, 2, NULL), 0);
  for (int k = 0; nn_set_name(k); k++) {
    sw_model *model;
    setenv("STATEWISE_KERNELS", nn_set_name(k), 1);
    if (toy_rounds()) continue; /* test_reference has limits for these */
    assert_int_equal(sw_model_load(&model, path, 0, NULL), 0);
    int window = atoi(sw_st_meta(f, "swa_window"));
    for (size_t m = 0; m < sizeof masks / sizeof masks[0]; m++)
      for (int p = 0; p < 2; p++) {
        char key[96], name[128];
        snprintf(key, sizeof key, "%s.%s", masks[m].golden, positions[p]);
        snprintf(name, sizeof name, "%s.loss", key);
        sw_mask_kind kind = masks[m].mask;
        if (!sw_st_find(f, name)) continue;
        if (kind == SW_MASK_CAUSAL_RELEASE &&
            sw_model_config_of(model)->slots == 0)
          kind = SW_MASK_CAUSAL_NOSLOT; /* nothing left to leak through */
        check_case(f, model, team, key, kind, p, window);
        cases++;
      }
    sw_model_free(model);
  }
  unsetenv("STATEWISE_KERNELS");
  sw_team_free(team);
  sw_st_close(f);
  return cases;
}

static void test_own_copy(void **state) {
  (void)state;
  assert_true(check_file("tests/data/golden/model-tiny-swa.safetensors") >= 2);
}

static void check_packed(const char *packed, int least) {
  char *path = unpack_file(packed);
  assert_non_null(path);
  assert_true(check_file(path) >= least);
  unpack_remove(path);
}

static void test_all_masks(void **state) {
  (void)state;
  check_packed("tests/data/golden/model-tiny.safetensors.xz", 14);
}

static void test_without_slots(void **state) {
  (void)state;
  check_packed("tests/data/golden/model-tiny-noslot.safetensors.xz", 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_own_copy),
      cmocka_unit_test(test_all_masks),
      cmocka_unit_test(test_without_slots),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
