/* The family `factor-gnn`: parameter count, loss and gradient against the
 * definition in double precision, and the promises of family.h to the bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "model/gnn/gnn_pass.h"
#include "family_promises.h"
#include "state_reference.h"

static sw_net *net_of(int items, int values, int width, int rounds, int leak) {
  sw_err err = {0};
  sw_net *net;
  sw_gnn_config c = {
      .layout = {.n = items, .m = values, .classes = {2, items, values}},
      .width = width,
      .rounds = rounds,
      .leak = leak};
  must(sw_net_new(&net, sw_family_find("factor-gnn"), &c, NULL, 5, &err), &err);
  return net;
}

/* A random graph: every factor has three edges of three kinds. */
static void fill(sw_graph *g, int nodes, int factors, int values,
                 uint64_t seed) {
  assert_true(sw_graph_reserve(g, nodes, factors, 3 * factors, 3, values));
  for (int i = 0; i < nodes * SW_GRAPH_NODE; i++)
    g->node[i] = (float)sw_philox_unit(seed, 1, (uint64_t)i);
  for (int i = 0; i < factors * SW_GRAPH_FACTOR; i++)
    g->factor[i] = (float)sw_philox_unit(seed, 2, (uint64_t)i);
  for (int i = 0; i < 3 * SW_GRAPH_EDGE; i++)
    g->kind[i] = (float)sw_philox_normal(seed, 3, (uint64_t)i);
  for (int e = 0; e < 3 * factors; e++) {
    g->edge_factor[e] = e / 3;
    g->edge_kind[e] = (int32_t)(sw_philox_u64(seed, 4, (uint64_t)e) % 3);
    g->edge_node[e] =
        (int32_t)(sw_philox_u64(seed, 5, (uint64_t)e) % (uint64_t)nodes);
  }
  for (int i = 0; i < nodes * values; i++)
    g->open[i] = sw_philox_u64(seed, 6, (uint64_t)i) % 3 > 0;
  g->open[0] = 1;
  for (int i = 0; i < SW_GRAPH_GLOBAL; i++) g->global[i] = 0.25f * (float)i;
}

typedef struct records {
  sw_graph *graph;
  int32_t *target;
  sw_item *item;
  int32_t items, rows;
} records;

static records records_of(int32_t items, int32_t rows, int nodes, int factors,
                          int values) {
  records r = {.items = items, .rows = rows};
  int32_t all = items * rows;
  r.graph = calloc((size_t)all, sizeof *r.graph);
  r.target = calloc((size_t)all * SW_STATE_HEADS, sizeof *r.target);
  r.item = calloc((size_t)items, sizeof *r.item);
  for (int32_t i = 0; i < all; i++) {
    int32_t *target = r.target + SW_STATE_HEADS * i;
    fill(&r.graph[i], nodes - (i & 1), factors + i % 3, values, (uint64_t)i);
    target[0] = i % 4 == 3 ? 2 : i % 4 == 2 ? 1 : 0;
    target[1] = target[2] = target[0] ? -1 : 0; /* pair (0, 0) is open */
  }
  for (int32_t k = 0; k < items; k++)
    r.item[k] = (sw_item){
        .record = {.rows = rows,
                   .graph = r.graph + k * rows,
                   .target = r.target + k * rows * SW_STATE_HEADS,
                   .heads = SW_STATE_HEADS},
        .options = {.weight[SW_LOSS_TARGET] = 0.5f, .trace = (uint64_t)k}};
  return r;
}

static void records_free(records *r) {
  for (int32_t i = 0; i < r->items * r->rows; i++)
    sw_graph_release(&r->graph[i]);
  free(r->graph);
  free(r->target);
  free(r->item);
}

/* ---- the definition, in double, edge by edge ---- */

enum { WIDE = 128 };
typedef double row[WIDE];

static void norm_of(const sw_net *net, const double *w, const char *name,
                    double *x, int d) {
  char full[80];
  double mean = 0, var = 0;
  for (int i = 0; i < d; i++) mean += x[i] / d;
  for (int i = 0; i < d; i++) var += (x[i] - mean) * (x[i] - mean) / d;
  snprintf(full, sizeof full, "%s.weight", name);
  const double *weight = reference_tensor(net, w, full);
  snprintf(full, sizeof full, "%s.bias", name);
  const double *bias = reference_tensor(net, w, full);
  for (int i = 0; i < d; i++)
    x[i] = (x[i] - mean) / sqrt(var + 1e-5) * weight[i] + bias[i];
}

static void relu_of(double *x, int d) {
  for (int i = 0; i < d; i++) x[i] = x[i] > 0 ? x[i] : 0;
}

static void encode_of(const sw_net *net, const double *w, const char *name,
                      const float *feature, int in, int d, double *h) {
  char stem[40];
  double x[16];
  row y;
  for (int i = 0; i < in; i++) x[i] = (double)feature[i];
  snprintf(stem, sizeof stem, "%s.0", name);
  reference_linear(net, w, stem, x, in, d, y);
  snprintf(stem, sizeof stem, "%s.norm", name);
  norm_of(net, w, stem, y, d);
  relu_of(y, d);
  snprintf(stem, sizeof stem, "%s.1", name);
  reference_linear(net, w, stem, y, d, d, h);
}

static void gru_of(const sw_net *net, const double *w, const char *name,
                   const double *x, double *h, int d) {
  char stem[40];
  double a[3 * WIDE], b[3 * WIDE];
  snprintf(stem, sizeof stem, "%s.input", name);
  reference_linear(net, w, stem, x, d, 3 * d, a);
  snprintf(stem, sizeof stem, "%s.state", name);
  reference_linear(net, w, stem, h, d, 3 * d, b);
  for (int i = 0; i < d; i++) {
    double r = 1 / (1 + exp(-a[i] - b[i]));
    double z = 1 / (1 + exp(-a[d + i] - b[d + i]));
    double n = tanh(a[2 * d + i] + r * b[2 * d + i]);
    h[i] = (1 - z) * n + z * h[i];
  }
}

/* Messages from one side to the other, and the receivers' new states. */
static void half_of(const sw_net *net, const double *w, const sw_graph *g,
                    const sw_gnn_drop *drop, int round, int to_node, row *node,
                    row *factor, row *kind, int d) {
  char stem[40];
  int receivers = to_node ? g->nodes : g->factors;
  const char *name = to_node ? "to_node" : "to_factor";
  row *heard = calloc((size_t)receivers, sizeof *heard);
  size_t all = (size_t)g->edges * (size_t)d;
  float *kept = malloc(sizeof *kept * (all + 1));
  nn_dropout how = sw_gnn_drop_at(drop, round, to_node);
  for (size_t i = 0; i < all; i++) kept[i] = 1;
  if (how.threshold)
    net->kernels->dropout_scale(g->edges, d, kept, d, 1, &how, 0, kept, d);
  for (int e = 0; e < g->edges; e++) {
    const double *from =
        to_node ? factor[g->edge_factor[e]] : node[g->edge_node[e]];
    double *to = heard[to_node ? g->edge_node[e] : g->edge_factor[e]];
    double both[2 * WIDE];
    row x, y;
    memcpy(both, from, sizeof *both * (size_t)d);
    memcpy(both + d, kind[g->edge_kind[e]], sizeof *both * (size_t)d);
    snprintf(stem, sizeof stem, "%s.%d.0", name, round);
    reference_linear(net, w, stem, both, 2 * d, d, x);
    relu_of(x, d);
    for (int i = 0; i < d; i++) x[i] *= (double)kept[e * d + i];
    snprintf(stem, sizeof stem, "%s.%d.1", name, round);
    reference_linear(net, w, stem, x, d, d, y);
    for (int i = 0; i < d; i++) y[i] += from[i];
    snprintf(stem, sizeof stem, "%s.%d.norm", name, round);
    norm_of(net, w, stem, y, d);
    for (int i = 0; i < d; i++) to[i] += y[i];
  }
  for (int i = 0; i < receivers; i++)
    gru_of(net, w, to_node ? "gru_node" : "gru_factor", heard[i],
           to_node ? node[i] : factor[i], d);
  free(heard);
  free(kept);
}

static double graph_loss(const sw_net *net, const double *w, const sw_graph *g,
                         const sw_gnn_drop *drop, const int32_t *target) {
  const sw_gnn_config *c = net->config;
  int d = c->width;
  row *node = calloc((size_t)g->nodes, sizeof *node);
  row *factor = calloc((size_t)g->factors, sizeof *factor);
  row kind[3], pooled, hidden;
  double global[4], three[3] = {-1e300, 0, 0}, choice = 0;
  for (int i = 0; i < g->nodes; i++)
    encode_of(net, w, "node", g->node + SW_GRAPH_NODE * i, SW_GRAPH_NODE, d,
              node[i]);
  for (int i = 0; i < g->factors; i++)
    encode_of(net, w, "factor", g->factor + SW_GRAPH_FACTOR * i,
              SW_GRAPH_FACTOR, d, factor[i]);
  for (int i = 0; i < g->kinds; i++) {
    double x[2] = {(double)g->kind[2 * i], (double)g->kind[2 * i + 1]};
    reference_linear(net, w, "edge", x, 2, d, kind[i]);
  }
  for (int r = 0; r < c->rounds; r++)
    for (int k = 0; k < 2; k++)
      half_of(net, w, g, drop, r, k, node, factor, kind, d);
  const double *embedding = reference_tensor(net, w, "value.weight");
  double sum = 0, wanted = 0;
  for (int v = 0; v < g->nodes; v++)
    for (int a = 0; a < g->values; a++) {
      double both[2 * WIDE], score;
      if (!g->open[g->values * v + a]) continue;
      memcpy(both, node[v], sizeof *both * (size_t)d);
      memcpy(both + d, embedding + a * d, sizeof *both * (size_t)d);
      reference_linear(net, w, "assign.0", both, 2 * d, d, hidden);
      relu_of(hidden, d);
      reference_linear(net, w, "assign.1", hidden, d, 1, &score);
      if (score > three[0]) three[0] = score;
      sum += exp(score);
      if (v == target[1] && a == target[2]) wanted = score;
    }
  if (target[0] == 0 && target[1] >= 0 && target[2] >= 0)
    choice = log(sum) - wanted;
  for (int i = 0; i < 4; i++) global[i] = (double)g->global[i];
  if (!c->leak) global[SW_GRAPH_CONFLICT] = 0;
  reference_linear(net, w, "global.0", global, 4, d, pooled);
  for (int v = 0; v < g->nodes; v++)
    for (int i = 0; i < d; i++) pooled[i] += node[v][i] / g->nodes;
  reference_linear(net, w, "global.1", pooled, d, d, hidden);
  relu_of(hidden, d);
  reference_linear(net, w, "back", hidden, d, 1, &three[1]);
  reference_linear(net, w, "done", hidden, d, 1, &three[2]);
  free(node);
  free(factor);
  return choice + reference_softmax(three, 3, target[0]);
}

static double loss_of(const sw_net *net, const double *w, const sw_item *item) {
  double sum = 0;
  uint64_t key = sw_philox_u64(item->options.seed, item->options.step,
                               item->options.trace);
  sw_gnn_drop drop = {.rate = item->options.dropout,
                      .key = {(uint32_t)key, (uint32_t)(key >> 32)}};
  for (int32_t r = 0; r < item->record.rows; r++) {
    drop.graph = (uint32_t)r;
    sum += graph_loss(net, w, item->record.graph + r, &drop,
                      item->record.target + r * SW_STATE_HEADS);
  }
  return sum * (double)item->options.weight[SW_LOSS_TARGET];
}

/* ---- tests ---- */

static void count_is_published(void **state) {
  (void)state;
  sw_net *net = net_of(50, 2, 112, 6, 1);
  assert_int_equal(sw_net_parameters(net), 675699);
  assert_int_equal(net->trained, 675699);
  assert_int_equal(net->outputs, 102);
  sw_net_free(net);
}

/* Five hundred parameters of small networks, with and without the leak, and
 * some of the published one; four graphs with every verdict. */
static void gradients(void **state) {
  (void)state;
  static const struct {
    int nodes, values, width, rounds, leak;
    int64_t some;
  } size[] = {
      {6, 2, 8, 2, 0, 500}, {5, 3, 12, 1, 1, 500}, {7, 2, 112, 6, 0, 8}};
  for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
    sw_net *net = net_of(size[i].nodes, size[i].values, size[i].width,
                         size[i].rounds, size[i].leak);
    records r = records_of(1, 4, size[i].nodes, 7, size[i].values);
    float *gradient = promise_gradient(net, r.item);
    assert_int_equal(r.item[0].tally[SW_LOSS_TARGET].count, 4);
    double *w = reference_weights(net);
    double own = loss_of(net, w, r.item);
    free(w);
    assert_true(fabs(r.item[0].tally[SW_LOSS_TARGET].loss * 0.5 / own - 1) <
                1e-5);
    double off = reference_error(net, r.item, gradient, size[i].some, loss_of);
    if (!(off < 5e-5)) fail_msg("network %d: gradient off by %g", (int)i, off);
    double along = direction_error(net, r.item, gradient, 3, loss_of);
    if (!(fabs(along) < 1e-4))
      fail_msg("network %d: off by %g along a direction", (int)i, along);
    free(gradient);
    records_free(&r);
    sw_net_free(net);
  }
}

/* With dropout: the reference drops the same values. */
static void dropout_too(void **state) {
  (void)state;
  sw_net *net = net_of(6, 2, 16, 2, 0);
  records r = records_of(1, 3, 6, 8, 2);
  free(promise_gradient(net, r.item));
  double plain = r.item[0].tally[SW_LOSS_TARGET].loss;
  r.item[0].options.dropout = 0.3;
  float *gradient = promise_gradient(net, r.item);
  assert_true(fabs(r.item[0].tally[SW_LOSS_TARGET].loss - plain) > 1e-3);
  double off = reference_error(net, r.item, gradient, 500, loss_of);
  if (!(off < 5e-5)) fail_msg("gradient off by %g", off);
  free(gradient);
  records_free(&r);
  sw_net_free(net);
}

/* A retry names a variable and asks for no value: only the verdict is learnt,
 * not the last value of the variable before. */
static void half_a_choice_is_none(void **state) {
  (void)state;
  sw_net *net = net_of(6, 3, 16, 2, 0);
  records r = records_of(1, 1, 6, 8, 3);
  r.target[SW_HEAD_ITEM] = 1;
  r.target[SW_HEAD_VALUE] = -1;
  for (int open = 0; open < 2; open++) { /* what -1 would have meant */
    r.graph[0].open[2] = (uint8_t)open;
    float *gradient = promise_gradient(net, r.item);
    assert_int_equal(r.item[0].tally[SW_LOSS_TARGET].count, 1);
    assert_int_equal(r.item[0].tally[SW_LOSS_TARGET].hits, 0);
    double *w = reference_weights(net);
    assert_true(fabs(r.item[0].tally[SW_LOSS_TARGET].loss * 0.5 /
                         loss_of(net, w, r.item) -
                     1) < 1e-5);
    free(w);
    double off = reference_error(net, r.item, gradient, 500, loss_of);
    if (!(off < 5e-5)) fail_msg("gradient off by %g", off);
    free(gradient);
  }
  records_free(&r);
  sw_net_free(net);
}

/* Targets that may not be chosen are errors of the data. */
static void closed_targets_are_refused(void **state) {
  (void)state;
  sw_err err = {0};
  sw_team *team;
  sw_work *work;
  sw_net *net = net_of(6, 2, 8, 1, 0);
  records r = records_of(1, 1, 5, 4, 2);
  must(sw_team_new(&team, 1, &err), &err);
  must(sw_work_new(&work, net, team, &err), &err);
  must(sw_work_batch(work, r.item, 1, NULL, &err), &err);
  r.graph[0].open[0] = 0;
  assert_int_equal(sw_work_batch(work, r.item, 1, NULL, &err), SW_DATA);
  assert_non_null(strstr(err.text, "value 0 of variable 0"));
  r.target[SW_HEAD_ITEM] = 5; /* the graph has five, the model six */
  assert_int_equal(sw_work_batch(work, r.item, 1, NULL, &err), SW_DATA);
  r.target[SW_HEAD_ITEM] = r.target[SW_HEAD_VALUE] = -1;
  must(sw_work_batch(work, r.item, 1, NULL, &err), &err);
  memset(r.graph[0].open, 0, 10);
  assert_int_equal(sw_work_batch(work, r.item, 1, NULL, &err), SW_DATA);
  assert_non_null(strstr(err.text, "none is open"));
  sw_work_free(work);
  sw_team_free(team);
  records_free(&r);
  sw_net_free(net);
}

static void no_bit_depends_on_company(void **state) {
  (void)state;
  sw_net *net = net_of(8, 2, 20, 2, 0);
  records r = records_of(5, 2, 8, 9, 2);
  for (int i = 0; i < 5; i++) r.item[i].options.dropout = 0.1;
  promise_company(net, r.item, 5);
  records_free(&r);
  sw_net_free(net);
}

static void sessions_agree(void **state) {
  (void)state;
  sw_net *net = net_of(8, 2, 20, 2, 0);
  records r = records_of(1, 64, 8, 9, 2);
  promise_sessions(net, r.item);
  records_free(&r);
  sw_net_free(net);
}

/* A graph with more variables than the model has room for. */
static void large_graphs_are_refused(void **state) {
  (void)state;
  sw_err err = {0};
  sw_team *team;
  sw_seats *seats;
  sw_net *net = net_of(8, 2, 20, 2, 0);
  sw_graph large = {0};
  sw_session_options o = {.sequences = 1};
  must(sw_team_new(&team, 1, &err), &err);
  must(sw_seats_new(&seats, net, team, &o, &err), &err);
  fill(&large, 9, 4, 2, 1);
  sw_record one = {.rows = 1, .graph = &large};
  assert_int_equal(sw_seats_state(seats, 0, &one, &err), SW_LIMIT);
  assert_non_null(strstr(err.text, "room for 8"));
  sw_graph_release(&large);
  sw_seats_free(seats);
  sw_team_free(team);
  sw_net_free(net);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(count_is_published),
      cmocka_unit_test(gradients),
      cmocka_unit_test(dropout_too),
      cmocka_unit_test(half_a_choice_is_none),
      cmocka_unit_test(closed_targets_are_refused),
      cmocka_unit_test(no_bit_depends_on_company),
      cmocka_unit_test(sessions_agree),
      cmocka_unit_test(large_graphs_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
