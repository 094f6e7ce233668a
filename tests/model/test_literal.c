/* The literal transformer: its size as published, loss and gradient against a
 * definition in double precision, the promises of family.h to the bit, and what
 * sets it apart: a literal sees all others of its state, in any order, and
 * nobody else's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "model/literal/literal_net.h"
#include "family_promises.h"
#include "state_reference.h"

enum { COLUMNS = 9 };

static sw_net *net_of(int n, int width, int layers, int heads, int ffn,
                      int names) {
  sw_err err = {0};
  sw_net *net;
  double mean[COLUMNS], deviation[COLUMNS];
  sw_literal_config c = {.layout = {.set = SW_FEATURES_CHOICE,
                                    .n = n,
                                    .m = 5,
                                    .features = COLUMNS,
                                    .classes = {2, 1, 1}},
                         .width = width,
                         .layers = layers,
                         .heads = heads,
                         .ffn = ffn,
                         .names = names};
  must(sw_net_new(&net, sw_family_find("literal-transformer"), &c, NULL, 5,
                  &err),
       &err);
  for (int i = 0; i < COLUMNS; i++) {
    mean[i] = 0.1 * i;
    deviation[i] = i % 3 ? 0.5 + 0.1 * i : 0; /* some never vary */
  }
  net->family->standardise(net, mean, deviation);
  return net;
}

typedef struct records {
  float *feature;
  int32_t *target, *state, *choice;
  sw_item *item;
} records;

/* Items of `rows` literals in states of uneven sizes; every fifth literal is
 * not asked about. */
static records records_of(const sw_net *net, int32_t items, int32_t rows) {
  const sw_state_layout *l = net->config;
  size_t all = (size_t)(items * rows);
  records r = {.feature = malloc(sizeof(float) * all * COLUMNS),
               .target = malloc(sizeof(int32_t) * all * SW_STATE_HEADS),
               .state = malloc(sizeof(int32_t) * all),
               .choice = malloc(sizeof(int32_t) * all),
               .item = calloc((size_t)items, sizeof(sw_item))};
  for (size_t i = 0; i < all * COLUMNS; i++)
    r.feature[i] = (float)sw_philox_normal(9, 1, i);
  for (size_t i = 0; i < all; i++) {
    int32_t *target = r.target + i * SW_STATE_HEADS;
    target[0] = i % 5 == 3 ? -1 : (int32_t)(sw_philox_u64(9, 2, i) & 1);
    target[1] = target[2] = -1;
    r.choice[i] = (int32_t)(sw_philox_u64(9, 3, i) % (uint64_t)(2 * l->n));
    r.state[i] = i && sw_philox_u64(9, 4, i) % 4 ? r.state[i - 1] : (int32_t)i;
  }
  for (int32_t k = 0; k < items; k++) {
    size_t at = (size_t)(k * rows);
    r.item[k] =
        (sw_item){.record = {.rows = rows,
                             .feature = r.feature + at * COLUMNS,
                             .features = COLUMNS,
                             .target = r.target + at * SW_STATE_HEADS,
                             .heads = SW_STATE_HEADS,
                             .state = r.state + at,
                             .choice = r.choice + at},
                  .options = {.weight[SW_LOSS_TARGET] = 0.25f + (float)k}};
  }
  return r;
}

static void records_free(records *r) {
  free(r->feature);
  free(r->target);
  free(r->state);
  free(r->choice);
  free(r->item);
}

/* ---- the definition ---- */

static void norm(const sw_net *net, const double *w, const char *stem,
                 const double *x, int d, double *y) {
  char name[96];
  double mean = 0, var = 0;
  snprintf(name, sizeof name, "%s.weight", stem);
  const double *scale = reference_tensor(net, w, name);
  snprintf(name, sizeof name, "%s.bias", stem);
  const double *bias = reference_tensor(net, w, name);
  for (int i = 0; i < d; i++) mean += x[i] / d;
  for (int i = 0; i < d; i++) var += (x[i] - mean) * (x[i] - mean) / d;
  for (int i = 0; i < d; i++)
    y[i] = (x[i] - mean) / sqrt(var + 1e-5) * scale[i] + bias[i];
}

static const char *of(int layer, const char *name) {
  static char text[64];
  snprintf(text, sizeof text, "layers.%d.%s", layer, name);
  return text;
}

static void attend(const sw_literal_config *c, const double *qkv, int rows,
                   double *out) {
  int d = c->width, size = d / c->heads;
  double *p = malloc(sizeof *p * (size_t)rows);
  for (int h = 0; h < c->heads; h++)
    for (int i = 0; i < rows; i++) {
      const double *q = qkv + 3 * d * i + h * size;
      double sum = 0;
      for (int j = 0; j < rows; j++) {
        const double *k = qkv + 3 * d * j + d + h * size;
        p[j] = 0;
        for (int e = 0; e < size; e++) p[j] += q[e] * k[e];
        p[j] = exp(p[j] / sqrt((double)size));
        sum += p[j];
      }
      for (int e = 0; e < size; e++) {
        double *o = out + d * i + h * size + e;
        *o = 0;
        for (int j = 0; j < rows; j++)
          *o += p[j] / sum * qkv[3 * d * j + 2 * d + h * size + e];
      }
    }
  free(p);
}

static double gelu(double x) { return 0.5 * x * (1 + erf(x / sqrt(2.0))); }

/* The scores of one state's literals. */
static void state_scores(const sw_net *net, const double *w,
                         const sw_record *record, int from, int rows,
                         double *score) {
  const sw_literal_config *c = net->config;
  int d = c->width;
  double *x = calloc((size_t)(rows * d), sizeof *x),
         *a = malloc(sizeof *a * (size_t)(rows * d)),
         *y = malloc(sizeof *y * (size_t)(d + 1)),
         *qkv = malloc(sizeof *qkv * (size_t)(rows * 3 * d)),
         *h = malloc(sizeof *h * (size_t)c->ffn);
  const double *mean = reference_tensor(net, w, "input.mean");
  const double *scale = reference_tensor(net, w, "input.scale");
  for (int r = 0; r < rows; r++) {
    double column[COLUMNS];
    int32_t choice = record->choice[from + r];
    for (int k = 0; k < COLUMNS; k++)
      column[k] =
          ((double)record->feature[(from + r) * COLUMNS + k] - mean[k]) *
          scale[k];
    reference_linear(net, w, "input", column, COLUMNS, d, y);
    for (int k = 0; k < d; k++) {
      y[k] += reference_tensor(net, w, "sign.weight")[(choice & 1) * d + k];
      if (c->names)
        y[k] +=
            reference_tensor(net, w, "variable.weight")[(choice >> 1) * d + k];
    }
    norm(net, w, "input.norm", y, d, x + r * d);
  }
  for (int i = 0; i < c->layers; i++) {
    for (int r = 0; r < rows; r++) {
      norm(net, w, of(i, "norm1"), x + r * d, d, y);
      reference_linear(net, w, of(i, "qkv"), y, d, 3 * d, qkv + 3 * d * r);
    }
    attend(c, qkv, rows, a);
    for (int r = 0; r < rows; r++) {
      reference_linear(net, w, of(i, "project"), a + r * d, d, d, y);
      for (int k = 0; k < d; k++) x[r * d + k] += y[k];
      norm(net, w, of(i, "norm2"), x + r * d, d, y);
      reference_linear(net, w, of(i, "in"), y, d, c->ffn, h);
      for (int k = 0; k < c->ffn; k++) h[k] = gelu(h[k]);
      reference_linear(net, w, of(i, "out"), h, c->ffn, d, y);
      for (int k = 0; k < d; k++) x[r * d + k] += y[k];
    }
  }
  for (int r = 0; r < rows; r++) {
    norm(net, w, "norm", x + r * d, d, y);
    reference_linear(net, w, "heads.verdict", y, d, 2, score + 2 * r);
  }
  free(x);
  free(a);
  free(y);
  free(qkv);
  free(h);
}

static double loss_of(const sw_net *net, const double *w, const sw_item *item) {
  const sw_record *record = &item->record;
  double sum = 0, *score = malloc(sizeof *score * 2 * (size_t)record->rows);
  for (int from = 0, to; from < record->rows; from = to) {
    for (to = from + 1; to < record->rows; to++)
      if (record->state[to] != record->state[from]) break;
    state_scores(net, w, record, from, to - from, score + 2 * from);
  }
  for (int r = 0; r < record->rows; r++) {
    int32_t target = record->target[r * SW_STATE_HEADS];
    if (target >= 0) sum += reference_softmax(score + 2 * r, 2, target);
  }
  free(score);
  return sum * (double)item->options.weight[SW_LOSS_TARGET];
}

/* ---- tests ---- */

/* 9-64, embeddings of the sign and of 50 variables, three layers of 4 heads
 * with 256 between, norms, two classes. */
static void size_is_published(void **state) {
  (void)state;
  sw_net *net = net_of(50, 64, 3, 4, 256, 1);
  int64_t layer = 2 * 128 + (64 * 192 + 192) + (64 * 64 + 64) +
                  (64 * 256 + 256) + (256 * 64 + 64);
  int64_t rest = (9 * 64 + 64) + 2 * 64 + 50 * 64 + 2 * 128 + (2 * 64 + 2);
  assert_int_equal(sw_net_parameters(net), 3 * layer + rest);
  assert_int_equal(net->trained, 3 * layer + rest);
  assert_int_equal(net->outputs, 2);
  assert_false(net->plays);
  sw_net_free(net);
}

static void gradients(void **state) {
  (void)state;
  static const struct {
    int n, width, layers, heads, ffn, names, rows;
  } size[] = {{4, 8, 1, 2, 12, 1, 7},
              {6, 12, 2, 3, 20, 0, 11},
              {50, 64, 3, 4, 256, 1, 23}};
  for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
    sw_net *net = net_of(size[i].n, size[i].width, size[i].layers,
                         size[i].heads, size[i].ffn, size[i].names);
    records r = records_of(net, 1, size[i].rows);
    float *gradient = promise_gradient(net, r.item);
    double *w = reference_weights(net);
    double own = loss_of(net, w, r.item);
    free(w);
    assert_true(fabs(r.item[0].tally[SW_LOSS_TARGET].loss * 0.25 / own - 1) <
                1e-5);
    int64_t some = size[i].width < 64 ? 0 : 60;
    assert_true(reference_error(net, r.item, gradient, some, loss_of) < 1e-4);
    for (uint64_t seed = 0; seed < 3; seed++)
      assert_true(fabs(direction_error(net, r.item, gradient, seed, loss_of)) <
                  1e-3);
    free(gradient);
    records_free(&r);
    sw_net_free(net);
  }
}

static void bits_are_as_promised(void **state) {
  (void)state;
  sw_net *net = net_of(9, 16, 2, 2, 24, 1);
  records some = records_of(net, 5, 31);
  promise_company(net, some.item, 5);
  records_free(&some);
  sw_net_free(net);
}

static void score_rows(sw_net *net, const sw_record *record, float *score) {
  sw_err err = {0};
  sw_team *team;
  sw_work *work;
  sw_item item = {.record = *record};
  int32_t *row = malloc(sizeof *row * (size_t)record->rows);
  for (int32_t i = 0; i < record->rows; i++) row[i] = i;
  must(sw_team_new(&team, 1, &err), &err);
  must(sw_work_new(&work, net, team, &err), &err);
  must(sw_work_rows(work, &item, row, record->rows, score, &err), &err);
  sw_work_free(work);
  sw_team_free(team);
  free(row);
}

/* Alone or among other states: the same bits. One literal changed: those of its
 * state all change, those of others do not. */
static void states_see_themselves(void **state) {
  (void)state;
  enum { ROWS = 90 };
  sw_net *net = net_of(9, 16, 2, 2, 24, 1);
  records r = records_of(net, 1, ROWS);
  sw_record record = r.item[0].record;
  float score[2 * ROWS], alone[2 * ROWS], other[2 * ROWS];
  score_rows(net, &record, score);
  int states = 0;
  for (int from = 0, to; from < ROWS; from = to) {
    for (to = from + 1; to < ROWS && r.state[to] == r.state[from];) to++;
    sw_record one = record;
    one.rows = to - from;
    one.feature += from * COLUMNS;
    one.choice += from;
    one.state = NULL; /* all are of one */
    score_rows(net, &one, alone);
    assert_memory_equal(alone, score + 2 * from,
                        sizeof(float) * 2 * (size_t)(to - from));
    float was = r.feature[from * COLUMNS];
    r.feature[from * COLUMNS] = was + 1;
    score_rows(net, &record, other);
    for (int i = 0; i < ROWS; i++)
      assert_int_equal(other[2 * i] != score[2 * i], i >= from && i < to);
    r.feature[from * COLUMNS] = was;
    states++;
  }
  assert_true(states > 10);
  records_free(&r);
  sw_net_free(net);
}

static void what_is_wrong_is_said(void **state) {
  (void)state;
  sw_err err = {0};
  sw_team *team;
  sw_work *work;
  sw_net *net = net_of(4, 8, 1, 2, 12, 1), *none;
  records r = records_of(net, 1, 3);
  int32_t row = 0;
  float score[2];
  must(sw_team_new(&team, 1, &err), &err);
  must(sw_work_new(&work, net, team, &err), &err);
  sw_item item = r.item[0];
  r.choice[1] = 8;
  assert_int_equal(sw_work_rows(work, &item, &row, 1, score, &err), SW_USAGE);
  assert_non_null(strstr(err.text, "choice 8 of 4 variables"));
  item.record.choice = NULL;
  assert_int_equal(sw_work_rows(work, &item, &row, 1, score, &err), SW_USAGE);
  item.record.features = 8;
  assert_int_equal(sw_work_rows(work, &item, &row, 1, score, &err), SW_USAGE);
  assert_non_null(strstr(err.text, "the model reads 9"));
  sw_literal_config c = *(const sw_literal_config *)net->config;
  c.heads = 3;
  assert_int_equal(sw_net_new(&none, net->family, &c, NULL, 1, &err), SW_USAGE);
  assert_non_null(strstr(err.text, "width 8 and 3 heads"));
  sw_work_free(work);
  sw_team_free(team);
  records_free(&r);
  sw_net_free(net);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(size_is_published),
      cmocka_unit_test(gradients),
      cmocka_unit_test(bits_are_as_promised),
      cmocka_unit_test(states_see_themselves),
      cmocka_unit_test(what_is_wrong_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
