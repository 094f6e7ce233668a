/* The families `linear` and `mlp`: parameter counts, loss and gradient against
 * a definition in double precision, and the promises of family.h to the bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/arena.h"
#include "model/feature/feature_net.h"
#include "family_promises.h"
#include "state_reference.h"

static sw_net *net_of(const char *family, int features, int items, int width,
                      int layers) {
  sw_err err = {0};
  sw_net *net;
  sw_feature_config c = {.layout = {.n = items,
                                    .m = 3,
                                    .features = features,
                                    .classes = {2, items, 2}},
                         .width = width,
                         .layers = layers};
  must(sw_net_new(&net, sw_family_find(family), &c, NULL, 5, &err), &err);
  double *moments = malloc(sizeof *moments * 2 * (size_t)features);
  for (int i = 0; i < features; i++) {
    moments[i] = 0.1 * (i % 7);
    moments[features + i] =
        i % 3 ? 0.5 + 0.1 * (i % 5) : 0; /* some never vary */
  }
  net->family->standardise(net, moments, moments + features);
  free(moments);
  return net;
}

typedef struct records {
  float *feature;
  int32_t *target;
  sw_item *item;
  int32_t items, rows;
} records;

static const float weight[SW_STATE_HEADS] = {1, 1.25f, 2};

/* Items of `rows` states each; the last head is not asked everywhere. */
static records records_of(const sw_net *net, int32_t items, int32_t rows) {
  const sw_state_layout *l = net->config;
  records r = {.items = items, .rows = rows};
  size_t all = (size_t)(items * rows);
  r.feature = malloc(sizeof *r.feature * all * (size_t)l->features);
  r.target = malloc(sizeof *r.target * all * SW_STATE_HEADS);
  r.item = calloc((size_t)items, sizeof *r.item);
  for (size_t i = 0; i < all * (size_t)l->features; i++)
    r.feature[i] = (float)sw_philox_normal(9, 1, i);
  for (size_t i = 0; i < all; i++)
    for (int h = 0; h < SW_STATE_HEADS; h++)
      r.target[i * SW_STATE_HEADS + (size_t)h] =
          h == 2 && i % 3 == 0
              ? -1
              : (int32_t)(sw_philox_u64(9, 2 + (uint64_t)h, i) %
                          (uint64_t)l->classes[h]);
  for (int32_t k = 0; k < items; k++)
    r.item[k] = (sw_item){
        .record = {.rows = rows,
                   .feature = r.feature + (size_t)(k * rows * l->features),
                   .features = l->features,
                   .target = r.target + (size_t)(k * rows * SW_STATE_HEADS),
                   .heads = SW_STATE_HEADS,
                   .weight = weight},
        .options = {.weight[SW_LOSS_TARGET] = 0.25f + (float)k}};
  return r;
}

static void records_free(records *r) {
  free(r->feature);
  free(r->target);
  free(r->item);
}

/* The definition: standardise, hidden layers with ReLU, three heads. */
static double loss_of(const sw_net *net, const double *w, const sw_item *item) {
  const sw_feature_config *c = net->config;
  const double *mean = reference_tensor(net, w, "input.mean");
  const double *scale = reference_tensor(net, w, "input.scale");
  static const char *const head[] = {"heads.verdict", "heads.item",
                                     "heads.value"};
  int wide = c->layout.features + c->width + c->layout.classes[1] + 8;
  double *x = malloc(sizeof *x * 2 * (size_t)wide), *y = x + wide, sum = 0;
  for (int32_t r = 0; r < item->record.rows; r++) {
    const float *feature = item->record.feature + r * c->layout.features;
    const int32_t *target = item->record.target + r * SW_STATE_HEADS;
    int in = c->layout.features;
    for (int i = 0; i < in; i++)
      x[i] = ((double)feature[i] - mean[i]) * scale[i];
    for (int k = 0; k < c->layers; k++) {
      char name[32];
      snprintf(name, sizeof name, "layers.%d", k);
      reference_linear(net, w, name, x, in, c->width, y);
      for (int i = 0; i < c->width; i++) x[i] = y[i] > 0 ? y[i] : 0;
      in = c->width;
    }
    for (int h = 0; h < SW_STATE_HEADS; h++) {
      if (target[h] < 0) continue;
      reference_linear(net, w, head[h], x, in, c->layout.classes[h], y);
      sum += (double)item->record.weight[h] *
             reference_softmax(y, c->layout.classes[h], target[h]);
    }
  }
  free(x);
  return sum * (double)item->options.weight[SW_LOSS_TARGET];
}

static void counts_are_published(void **state) {
  (void)state;
  sw_net *mlp = net_of("mlp", 1011, 50, 256, 2);
  sw_net *linear = net_of("linear", 1011, 50, 0, 0);
  assert_int_equal(sw_net_parameters(mlp), 338742);
  assert_int_equal(sw_net_parameters(linear), 54648);
  assert_int_equal(mlp->trained, 338742);
  assert_int_equal(mlp->outputs, 54);
  sw_net_free(mlp);
  sw_net_free(linear);
}

/* Every parameter of small models, and directions in the published one. */
static void gradients(void **state) {
  (void)state;
  static const struct {
    const char *family;
    int features, items, width, layers;
  } size[] = {{"linear", 13, 5, 0, 0},
              {"mlp", 13, 5, 9, 1},
              {"mlp", 21, 7, 17, 3},
              {"mlp", 1011, 50, 256, 2},
              {"linear", 1011, 50, 0, 0}};
  for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
    sw_net *net = net_of(size[i].family, size[i].features, size[i].items,
                         size[i].width, size[i].layers);
    records r = records_of(net, 1, 5);
    float *gradient = promise_gradient(net, r.item);
    double *w = reference_weights(net);
    double own = loss_of(net, w, r.item);
    free(w);
    assert_true(fabs(r.item[0].tally[SW_LOSS_TARGET].loss * 0.25 / own - 1) <
                1e-5);
    assert_int_equal(r.item[0].tally[SW_LOSS_TARGET].count, 5);
    int64_t some = size[i].features < 100 ? 0 : 60;
    assert_true(reference_error(net, r.item, gradient, some, loss_of) < 2e-5);
    for (uint64_t seed = 0; seed < 3; seed++)
      assert_true(fabs(direction_error(net, r.item, gradient, seed, loss_of)) <
                  1e-4);
    free(gradient);
    records_free(&r);
    sw_net_free(net);
  }
}

/* A model that can be computed by head: the verdict is twice the first
 * standardised feature, plus one. */
static void by_hand(void **state) {
  (void)state;
  sw_err err = {0};
  sw_team *team;
  sw_work *work;
  sw_net *net = net_of("linear", 4, 2, 0, 0);
  float *w = net->weights, feature[4] = {3, 1, 1, 1}, score[6];
  int32_t row = 0;
  memset(w, 0, sizeof *w * (size_t)net->trained);
  w[0] = 2;            /* heads.verdict.weight[0][0] */
  w[6 * 4] = 1;        /* heads.verdict.bias[0] */
  w[net->trained] = 1; /* input.mean[0] */
  w[net->trained + 4] = 0.5f;
  sw_net_changed(net);
  sw_item item = {.record = {.rows = 1, .feature = feature, .features = 4}};
  must(sw_team_new(&team, 1, &err), &err);
  must(sw_work_new(&work, net, team, &err), &err);
  must(sw_work_rows(work, &item, &row, 1, score, &err), &err);
  assert_true(score[0] == 3 && score[1] == 0 && score[2] == 0);
  item.record.features = 5; /* features of something else */
  assert_int_equal(sw_work_rows(work, &item, &row, 1, score, &err), SW_USAGE);
  assert_non_null(strstr(err.text, "the model reads 4"));
  sw_work_free(work);
  sw_team_free(team);
  sw_net_free(net);
}

/* Threads, company and parts change no bit, and sessions give those of `rows`.
 */
static void bits_are_as_promised(void **state) {
  (void)state;
  sw_net *net[] = {net_of("mlp", 37, 11, 24, 2),
                   net_of("linear", 37, 11, 0, 0)};
  for (int i = 0; i < 2; i++) {
    records some = records_of(net[i], 5, 7), one = records_of(net[i], 1, 64);
    promise_company(net[i], some.item, 5);
    promise_sessions(net[i], one.item);
    records_free(&some);
    records_free(&one);
    sw_net_free(net[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(counts_are_published),
      cmocka_unit_test(gradients),
      cmocka_unit_test(by_hand),
      cmocka_unit_test(bits_are_as_promised),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
