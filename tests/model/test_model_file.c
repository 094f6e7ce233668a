/* Weight files: names and order of the table, metadata, the lm_head alias,
 * files without metadata, and every kind of wrong file as a clear error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "../toy.h"
#include "base/safetensors.h"

static const sw_model_config config = TOY_CONFIG(30, 16, 2, 2, 64, 3, 40);
static char path[64];

/* A file of the model's tensors, changed by the caller before writing. */
typedef struct sheet {
  sw_model *model;
  sw_tensor *param;
  sw_st_spec *spec;
  int count;
} sheet;

static void sheet_open(sheet *s) {
  sw_params p;
  s->model = toy_model(&config, 6);
  sw_params_layout(&config, &p);
  s->count = 0;
  s->param = calloc((size_t)p.layout.tensors, sizeof *s->param);
  s->spec = calloc((size_t)p.layout.tensors + 1, sizeof *s->spec);
  for (int i = 0; i < p.layout.tensors; i++) {
    sw_tensor *t = &s->param[i];
    sw_params_at(&config, i, t);
    if (t->count == 0) continue;
    sw_st_spec *spec = &s->spec[s->count++];
    *spec = (sw_st_spec){.name = t->name,
                         .dtype = SW_ST_F32,
                         .dims = t->dims,
                         .data = sw_model_net(s->model)->weights + t->offset};
    memcpy(spec->shape, t->shape, sizeof t->shape);
  }
}

static sw_st_spec *find(sheet *s, const char *name) {
  for (int i = 0; i < s->count; i++)
    if (strcmp(s->spec[i].name, name) == 0) return &s->spec[i];
  return NULL;
}

static void drop(sheet *s, const char *name) {
  sw_st_spec *at = find(s, name);
  assert_non_null(at);
  *at = s->spec[--s->count];
}

static void sheet_write(sheet *s, const char *const *meta, int pairs) {
  assert_int_equal(sw_st_write(path, s->spec, s->count, meta, pairs, NULL), 0);
}

static void sheet_close(sheet *s) {
  unlink(path);
  sw_model_free(s->model);
  free(s->param);
  free(s->spec);
}

/* The file is refused with this code, and the message has these words. */
static void assert_refused(int heads, int code, const char *words) {
  sw_model *model = (sw_model *)1;
  sw_err err = {0};
  assert_int_equal(sw_model_load(&model, path, heads, &err), code);
  assert_null(model);
  if (!strstr(err.text, words) || !strstr(err.text, path))
    fail_msg("message: %s", err.text);
}

static void test_round_trip(void **state) {
  (void)state;
  const char *meta[] = {"mask", "ssa", "domain", "sat"};
  sw_model *model = toy_model(&config, 6), *back;
  sw_st_file *file;
  sw_params p;
  assert_int_equal(sw_net_save(sw_model_net(model), path, meta, 2, NULL), 0);
  assert_int_equal(sw_model_load(&back, path, 0, NULL), 0);
  assert_true(sw_net_hash(sw_model_net(model)) ==
              sw_net_hash(sw_model_net(back)));
  assert_memory_equal(sw_model_config_of(back), &config, sizeof config);
  assert_int_equal(sw_st_open(&file, path, NULL), 0);
  assert_string_equal(sw_st_meta(file, "mask"), "ssa");
  assert_string_equal(sw_st_meta(file, "heads"), "2");
  sw_params_layout(&config, &p);
  for (int i = 0; i < p.layout.tensors; i++) {
    sw_tensor t;
    sw_params_at(&config, i, &t);
    const sw_st_tensor *there = sw_st_find(file, t.name);
    if (!t.count) continue;
    assert_non_null(there);
    assert_int_equal(there->count, t.count);
  }
  sw_st_close(file);
  unlink(path);
  sw_model_free(model);
  sw_model_free(back);
}

static void test_published_counts(void **state) {
  (void)state;
  static const struct {
    int32_t vocab, positions;
    int64_t all, trained;
  } want[] = {{1880, 4096, 6343938, 6277120},
              {2030, 4096, 6382338, 6315520},
              {394, 1500, 5298946, 5232128},
              {394, 2048, 5439234, 5372416}};
  for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
    sw_model_config c = {.vocab = want[i].vocab,
                         .d = 256,
                         .layers = 6,
                         .heads = 8,
                         .ffn = 1024,
                         .slots = 32,
                         .positions = want[i].positions};
    sw_params p;
    sw_params_layout(&c, &p);
    assert_int_equal(p.layout.count, want[i].all);
    assert_int_equal(p.layout.trained, want[i].trained);
  }
}

static void test_initialisation(void **state) {
  (void)state;
  sw_model *a, *b, *c;
  assert_int_equal(sw_model_new(&a, &config, 1, NULL), 0);
  assert_int_equal(sw_model_new(&b, &config, 1, NULL), 0);
  assert_int_equal(sw_model_new(&c, &config, 2, NULL), 0);
  assert_true(sw_net_hash(sw_model_net(a)) == sw_net_hash(sw_model_net(b)));
  assert_true(sw_net_hash(sw_model_net(a)) != sw_net_hash(sw_model_net(c)));
  sw_params p;
  sw_params_layout(&config, &p);
  const float *w = sw_model_net(a)->weights;
  double square = 0;
  int64_t n = 3 * 16 * 16, at = p.offset[SW_P_QKV_W];
  for (int64_t i = 0; i < n; i++)
    square += (double)w[at + i] * (double)w[at + i];
  assert_true(fabs(sqrt(square / (double)n) - 0.02) < 0.002);
  for (int i = 0; i < 16; i++) {
    assert_true(w[p.offset[SW_P_LN1_W] + i] == 1);
    assert_true(w[p.offset[SW_P_LN1_B] + i] == 0);
    assert_true(w[p.offset[SW_P_PROJ_B] + i] == 0);
  }
  sw_model_free(a);
  sw_model_free(b);
  sw_model_free(c);
}

/* No metadata at all: sizes from shapes, heads from the caller; and the
 * verify head may be missing, and the token table may be called lm_head. */
static void test_foreign_file(void **state) {
  (void)state;
  sheet s;
  sw_model *back;
  sheet_open(&s);
  sheet_write(&s, NULL, 0);
  assert_refused(0, SW_USAGE, "heads");
  assert_int_equal(sw_model_load(&back, path, 2, NULL), 0);
  assert_true(sw_net_hash(sw_model_net(back)) ==
              sw_net_hash(sw_model_net(s.model)));
  sw_model_free(back);
  find(&s, "token_embedding.weight")->name = "lm_head.weight";
  sheet_write(&s, NULL, 0);
  assert_int_equal(sw_model_load(&back, path, 2, NULL), 0);
  assert_true(sw_net_hash(sw_model_net(back)) ==
              sw_net_hash(sw_model_net(s.model)));
  sw_model_free(back);
  drop(&s, "verify_head.4.bias");
  sheet_write(&s, NULL, 0);
  assert_int_equal(sw_model_load(&back, path, 2, NULL), 0);
  sw_model_free(back);
  sheet_close(&s);
}

static void test_alias(void **state) {
  (void)state;
  sheet s;
  sw_model *back;
  float *copy = malloc(sizeof(float) * 30 * 16);
  sheet_open(&s);
  memcpy(copy, find(&s, "token_embedding.weight")->data,
         sizeof(float) * 30 * 16);
  s.spec[s.count++] = (sw_st_spec){.name = "lm_head.weight",
                                   .dtype = SW_ST_F32,
                                   .dims = 2,
                                   .shape = {30, 16},
                                   .data = copy};
  sheet_write(&s, NULL, 0);
  assert_int_equal(sw_model_load(&back, path, 2, NULL), 0);
  sw_model_free(back);
  copy[5] += 1;
  sheet_write(&s, NULL, 0);
  assert_refused(2, SW_DATA, "lm_head");
  free(copy);
  sheet_close(&s);
}

static void test_missing_tensor(void **state) {
  (void)state;
  static const char *const names[] = {
      "position_embedding.weight", "blocks.0.ln1.weight",
      "blocks.1.attn.qkv.bias", "blocks.0.mlp.fc_in.weight", "ln_f.bias"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    sheet s;
    sheet_open(&s);
    drop(&s, names[i]);
    sheet_write(&s, NULL, 0);
    sw_model *model;
    sw_err err = {0};
    assert_true(sw_model_load(&model, path, 2, &err) != 0);
    assert_non_null(strstr(err.text, path));
    sheet_close(&s);
  }
}

static void test_wrong_shape(void **state) {
  (void)state;
  sheet s;
  sheet_open(&s);
  sw_st_spec *t = find(&s, "blocks.1.attn.qkv.weight");
  t->shape[0] = 16; /* transposed: the same number of elements */
  t->shape[1] = 48;
  sheet_write(&s, NULL, 0);
  assert_refused(2, SW_DATA, "blocks.1.attn.qkv.weight");
  sheet_close(&s);
}

static void test_not_finite(void **state) {
  (void)state;
  sheet s;
  sheet_open(&s);
  sw_params p;
  sw_params_layout(&config, &p);
  sw_model_net(s.model)->weights[p.offset[SW_P_IN_W] + 7] = NAN;
  sheet_write(&s, NULL, 0);
  assert_refused(2, SW_DATA, "blocks.0.mlp.fc_in.weight");
  sheet_close(&s);
}

static void test_contradicting_metadata(void **state) {
  (void)state;
  const char *wrong[] = {"heads", "2", "layers", "3"};
  const char *silly[] = {"heads", "two"};
  const char *seven[] = {"heads", "7"};
  sheet s;
  sheet_open(&s);
  sheet_write(&s, wrong, 2);
  assert_refused(0, SW_DATA, "layers");
  sheet_write(&s, silly, 1);
  assert_refused(0, SW_DATA, "heads");
  sheet_write(&s, seven, 1);
  assert_refused(0, SW_USAGE, "heads");
  sheet_close(&s);
}

static void test_cut_file(void **state) {
  (void)state;
  sheet s;
  sw_model *model;
  sw_err err = {0};
  sheet_open(&s);
  sheet_write(&s, NULL, 0);
  assert_int_equal(truncate(path, 3000), 0);
  assert_int_equal(sw_model_load(&model, path, 2, &err), SW_DATA);
  assert_int_equal(truncate(path, 4), 0);
  assert_int_equal(sw_model_load(&model, path, 2, &err), SW_DATA);
  sheet_close(&s);
  assert_int_equal(sw_model_load(&model, path, 2, &err), SW_NOFILE);
}

/* A disk that fills up while saving (here: a limit on file sizes): an error,
 * and the file that was there before is as it was. */
static void test_full_disk(void **state) {
  (void)state;
  sw_model *model = toy_model(&config, 6), *other = toy_model(&config, 7);
  sw_model *back;
  sw_err err = {0};
  struct rlimit old, tight;
  assert_int_equal(sw_net_save(sw_model_net(model), path, NULL, 0, NULL), 0);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
  tight = old;
  tight.rlim_cur = 9000;
  signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
  int code = sw_net_save(sw_model_net(other), path, NULL, 0, &err);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
  assert_int_equal(code, SW_IO);
  assert_non_null(strstr(err.text, path));
  assert_int_equal(sw_model_load(&back, path, 0, NULL), 0);
  assert_true(sw_net_hash(sw_model_net(back)) ==
              sw_net_hash(sw_model_net(model)));
  unlink(path);
  sw_model_free(back);
  sw_model_free(other);
  sw_model_free(model);
}

/* Sizes from a file may be anything: they are refused before anything is
 * multiplied, and the largest that pass do not wrap. */
static void test_sizes_do_not_wrap(void **state) {
  (void)state;
  sw_err err;
  sw_model_config c = {.vocab = 10, .d = INT32_MAX, .layers = 1, .heads = 1};
  assert_int_equal(sw_config_check(&c, &err), SW_USAGE);
  assert_non_null(strstr(err.text, "d = 2147483647"));
  c = (sw_model_config){.vocab = 1000000,
                        .d = 4096,
                        .layers = 64,
                        .heads = 64,
                        .ffn = 65536,
                        .slots = 1024,
                        .positions = 10000000};
  assert_int_equal(sw_config_check(&c, &err), SW_OK);
  sw_params p;
  double sum = 0;
  sw_params_layout(&c, &p);
  for (int i = 0; i < p.layout.tensors; i++) {
    sw_tensor one;
    double size = 1;
    sw_params_at(&c, i, &one);
    for (int k = 0; k < one.dims; k++) size *= (double)one.shape[k];
    assert_true((double)one.count == size);
    assert_true((double)one.offset == sum);
    sum += size;
  }
  assert_true((double)p.layout.count == sum && sum > 7e10);
}

int main(void) {
  snprintf(path, sizeof path, "/tmp/sw-model-%d.safetensors", (int)getpid());
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_trip),
      cmocka_unit_test(test_published_counts),
      cmocka_unit_test(test_initialisation),
      cmocka_unit_test(test_foreign_file),
      cmocka_unit_test(test_alias),
      cmocka_unit_test(test_missing_tensor),
      cmocka_unit_test(test_wrong_shape),
      cmocka_unit_test(test_not_finite),
      cmocka_unit_test(test_contradicting_metadata),
      cmocka_unit_test(test_cut_file),
      cmocka_unit_test(test_full_disk),
      cmocka_unit_test(test_sizes_do_not_wrap),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
