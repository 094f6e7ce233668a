/* The gate through which every model comes in: weight files that were made for
 * something else, edited or forged are refused or made harmless. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tiny_run.h"
#include "model/decoder/model.h"
#include "model/feature/feature_net.h"
#include "search/state_reader.h"
#include "search/loaded.h"

static char *directory;
static char path[1100];

/* A small untrained model for `domain` with a vocabulary of its own choice and
 * the pairs given, NULL-terminated. */
static void make(int32_t vocab, const char *domain, const char *options,
                 const char *const *pairs) {
  sw_model_config config = {.vocab = vocab,
                            .d = 8,
                            .layers = 1,
                            .heads = 2,
                            .ffn = 8,
                            .slots = 2,
                            .positions = 64};
  const char *meta[32] = {
      "domain",        domain,           "mask",           "ssa",
      "position_kind", "block-relative", "domain_options", options};
  int count = 4;
  for (; pairs && pairs[0]; pairs += 2, count++) {
    meta[2 * count] = pairs[0];
    meta[2 * count + 1] = pairs[1];
  }
  sw_net *net;
  sw_err err;
  assert_int_equal(sw_net_new(&net, sw_family_at(0), &config, NULL, 1, &err),
                   SW_OK);
  snprintf(path, sizeof path, "%s/model.safetensors", directory);
  assert_int_equal(sw_net_save(net, path, meta, count, &err), SW_OK);
  sw_net_free(net);
}

static int opens(sw_err *err) {
  sw_loaded loaded;
  int code = sw_loaded_open(&loaded, path, err);
  if (!code) sw_loaded_close(&loaded);
  return code;
}

static void small_vocabulary(void **state) {
  (void)state;
  sw_err err;
  sw_domain_options options;
  const sw_domain *sat = sw_domain_find("sat");
  sw_domain_defaults(sat, &options);
  assert_int_equal(sat->resolve(&options, &err), SW_OK);
  int32_t enough = sat->vocab_size(&options);
  make(enough, "sat", "{}", NULL);
  assert_int_equal(opens(&err), SW_OK);
  make(enough - 1, "sat", "{}", NULL);
  assert_int_equal(opens(&err), SW_DATA);
  assert_non_null(strstr(err.text, "vocabulary"));
}

static void forged_label(void **state) {
  (void)state;
  const char *const label[] = {"label", "a\ns SATISFIABLE\r\x1b[2J\xc2\x9b",
                               NULL};
  sw_loaded loaded;
  sw_err err;
  make(2100, "sat", "{}", label);
  if (sw_loaded_open(&loaded, path, &err)) fail_msg("%s", err.text);
  for (const char *p = loaded.label; *p; p++)
    assert_true((unsigned char)*p >= 32 && (unsigned char)*p != 127);
  assert_int_equal(loaded.label[0], 'a');
  sw_loaded_close(&loaded);
}

static void forged_options(void **state) {
  (void)state;
  sw_err err;
  static const char *const bad[] = {"[1]",
                                    "{\"n\": 1e300}",
                                    "{\"n\": \"12x\"}",

                                    "{\"exclude\": -7}",
                                    "{\"n\": 5, \"n\": 6}",
                                    "{\"no\": \"x\"}",
                                    "{\"max-blocks\": 1e99}",
                                    "{\"n\": 20, \"exclude\": 90000000}"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    make(2100, "sat", bad[i], NULL);
    int code = opens(&err);
    if (!code) fail_msg("%s was taken", bad[i]);
    if (code == SW_USAGE || !strstr(err.text, path))
      fail_msg("%s: code %d, \"%s\"", bad[i], code, err.text);
  }
}

/* More options than any fixed table: none may be dropped silently. */
static void many_options(void **state) {
  (void)state;
  char text[4000] = "{\"n\": 5";
  sw_err err;
  for (int i = 0; i < 60; i++)
    snprintf(text + strlen(text), sizeof text - strlen(text),
             ", \"unknown-%d\": \"x\"", i);
  strcat(text, "}");
  make(2100, "sat", text, NULL);
  assert_int_not_equal(opens(&err), SW_OK);
}

static void changed_weights(void **state) {
  (void)state;
  sw_err err;
  make(2100, "sat", "{}", NULL);
  FILE *file = fopen(path, "r+b");
  assert_non_null(file);
  assert_int_equal(fseek(file, -4, SEEK_END), 0);
  float other = 0.5f;
  assert_int_equal(fwrite(&other, 4, 1, file), 1);
  fclose(file);
  assert_int_equal(opens(&err), SW_DATA);
  assert_non_null(strstr(err.text, "hash"));
}

/* The grammar that metadata names is not opened; without --grammar it is an
 * error that says so. */
static void named_file(void **state) {
  (void)state;
  sw_err err;
  sw_loaded loaded;
  make(200, "parsing", "{\"grammar\": \"/etc/passwd\"}", NULL);
  assert_int_equal(sw_loaded_open(&loaded, path, &err), SW_OK);
  sw_instance *instance;
  assert_int_equal(
      loaded.domain->file.parse(&instance, "x", "a", 1, &loaded.options, &err),
      SW_USAGE);
  assert_null(strstr(err.text, "passwd"));
  sw_loaded_close(&loaded);
}

/* An untrained MLP on published features; `step` and `inputs` as a file may
 * say them. */
static void make_states(int step, int inputs) {
  enum { N = 4, M = 5 };
  sw_feature_config config = {.layout = {.set = SW_FEATURES_PUBLISHED,
                                         .step = step,
                                         .n = N,
                                         .m = M,
                                         .features = inputs,
                                         .classes = {2, N, 2}},
                              .width = 2,
                              .layers = 1};
  static const char *const meta[] = {
      "domain",         "sat", "mask", "ssa", "position_kind", "block-relative",
      "domain_options", "{}"};
  sw_net *net;
  sw_err err = {0};
  if (sw_net_new(&net, sw_family_find("mlp"), &config, NULL, 1, &err))
    fail_msg("%s", err.text);
  snprintf(path, sizeof path, "%s/model.safetensors", directory);
  assert_int_equal(sw_net_save(net, path, meta, 4, &err), SW_OK);
  sw_net_free(net);
}

/* A layout that no training writes, of as many columns as it would have: what
 * fills them in would go past their end. */
static void forged_layout(void **state) {
  (void)state;
  for (int step = -1; step < 2; step++) {
    sw_loaded loaded;
    sw_err err = {0};
    make_states(step, 8 * 4 + 9 + 2 * step + 3 * 5);
    if (sw_loaded_open(&loaded, path, &err)) fail_msg("%s", err.text);
    assert_int_equal(sw_state_check(&loaded, &err), step < 0 ? SW_DATA : SW_OK);
    sw_loaded_close(&loaded);
  }
}

/* Families that read states name the file of a bad weight. */
static void no_number(void **state) {
  (void)state;
  sw_err err = {0};
  sw_net *net;
  make_states(0, 8 * 4 + 9 + 3 * 5);
  assert_int_equal(sw_net_load(&net, path, 0, &err), SW_OK);
  net->weights[3] = INFINITY;
  assert_int_equal(sw_net_save(net, path, NULL, 0, &err), SW_OK);
  sw_net_free(net);
  assert_int_equal(sw_net_load(&net, path, 0, &err), SW_DATA);
  assert_non_null(strstr(err.text, path));
  assert_non_null(strstr(err.text, "not finite"));
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
      cmocka_unit_test(small_vocabulary), cmocka_unit_test(forged_label),
      cmocka_unit_test(forged_options),   cmocka_unit_test(many_options),
      cmocka_unit_test(changed_weights),  cmocka_unit_test(named_file),
      cmocka_unit_test(forged_layout),    cmocka_unit_test(no_number)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
