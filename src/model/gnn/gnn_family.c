/* The family `factor-gnn` behind model/family.h: options, items over a team,
 * sessions. */
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "model/families.h"
#include "model/gnn/gnn_pass.h"
#include "model/state_options.h"

/* clang-format off */
#define OPTIONS(X)                                                             \
  SW_STATE_SIZE_OPTIONS(X)                                                     \
  SW_STATE_CLASS_OPTIONS(X)                                                    \
  X(width, INT, "width", "112", 4, SW_GNN_WIDTH, "", "width of all states and messages") \
  X(rounds, INT, "rounds", "6", 1, SW_GNN_ROUNDS, "", "rounds of messages")    \
  X(leak, INT, "leak", "0", 0, 1, "", "1: whether the state is in conflict is an input, as published")
/* clang-format on */

static const sw_option options[] = {
#define X(...) SW_OPTION_ROW(sw_gnn_config, __VA_ARGS__)
    OPTIONS(X)
#undef X
};

static int resolve(void *config, const sw_demand *demand, sw_err *err) {
  sw_gnn_config *c = config;
  (void)err;
  c->layout = demand->layout;
  c->layout.features = c->layout.set = c->layout.step = 0;
  return SW_OK;
}

static int create(sw_net **net, const void *config, sw_err *err) {
  return sw_gnn_net_new(net, &sw_family_factor_gnn, config, err);
}

static void changed(sw_net *net) { ((sw_gnn_net *)net)->stale = 1; }

static int check_graph(const sw_gnn_net *g, const sw_graph *graph,
                       sw_err *err) {
  const sw_state_layout *l = &g->config.layout;
  if (!graph)
    return sw_fail(err, SW_USAGE, "the model reads graphs, and got none");
  if (graph->nodes > 0 && graph->nodes <= l->classes[SW_HEAD_ITEM] &&
      graph->values <= l->classes[SW_HEAD_VALUE])
    return SW_OK;
  return sw_fail(err, SW_LIMIT,
                 "a graph of %d variables with %d values, the model has room "
                 "for %d with %d",
                 graph->nodes, graph->values, l->classes[SW_HEAD_ITEM],
                 l->classes[SW_HEAD_VALUE]);
}

/* A target that may not be chosen in its graph would be an infinite loss. */
static int check_target(const sw_graph *graph, const int32_t *target,
                        sw_err *err) {
  int32_t item = target[SW_HEAD_ITEM], value = target[SW_HEAD_VALUE];
  int32_t pairs = graph->nodes * graph->values, some = 0;
  if (target[SW_HEAD_VERDICT]) return SW_OK;
  if (item >= 0 && value >= 0) {
    if (item < graph->nodes && value < graph->values &&
        graph->open[graph->values * item + value])
      return SW_OK;
    sw_fail(err, SW_DATA,
            "a record asks for value %d of variable %d, which is not open",
            value, item);
  } else {
    while (some < pairs && !graph->open[some]) some++;
    if (some < pairs) return SW_OK;
    sw_fail(err, SW_DATA, "a record asks for a choice where none is open");
  }
  return sw_hint(err, "a factor network scores open choices only");
}

/* ---- work ---- */

static int forward(const sw_state_work *w, int member, const sw_graph *graph,
                   const sw_gnn_drop *drop, sw_err *err) {
  const sw_gnn_net *net = (const sw_gnn_net *)w->work.net;
  sw_gnn_pass *pass = sw_state_pass(w, member);
  SW_TRY(check_graph(net, graph, err));
  SW_TRY(sw_gnn_pass_room(pass, net, graph, err));
  sw_gnn_forward(pass, net, graph, drop);
  return SW_OK;
}

static int one_item(void *context, int member, sw_item *item, float *part,
                    sw_err *err) {
  const sw_state_work *w = context;
  const sw_gnn_net *net = (const sw_gnn_net *)w->work.net;
  const sw_record *record = &item->record;
  const sw_pass_options *o = &item->options;
  uint64_t key = sw_philox_u64(o->seed, o->step, o->trace);
  sw_gnn_drop drop = {.rate = o->dropout,
                      .key = {(uint32_t)key, (uint32_t)(key >> 32)}};
  item->tally[SW_LOSS_TARGET].loss = item->flops = 0;
  item->tally[SW_LOSS_TARGET].count = item->tally[SW_LOSS_TARGET].hits = 0;
  if (part) memset(part, 0, sizeof *part * (size_t)net->net.trained);
  for (int32_t r = 0; r < sw_item_rows(item); r++) {
    const int32_t *target = record->target + r * SW_STATE_HEADS;
    const sw_graph *graph = record->graph ? record->graph + r : NULL;
    if (target[SW_HEAD_VERDICT] < 0) continue;
    drop.graph = (uint32_t)r;
    SW_TRY(forward(w, member, graph, &drop, err));
    SW_TRY(check_target(graph, target, err));
    sw_gnn_answer a = sw_gnn_loss(sw_state_pass(w, member), net, graph, &drop,
                                  target, o->weight[SW_LOSS_TARGET], part);
    item->tally[SW_LOSS_TARGET].loss += a.loss;
    item->tally[SW_LOSS_TARGET].hits += a.hit;
    item->tally[SW_LOSS_TARGET].count++;
    item->flops += sw_gnn_flops(net, graph, part != NULL);
  }
  return SW_OK;
}

static void pass_free(void *pass) { sw_gnn_pass_free(pass); }
static size_t pass_bytes(const void *pass) {
  return ((const sw_gnn_pass *)pass)->bytes;
}

static int work_new(sw_work **work, sw_net *net, sw_team *team, sw_err *err) {
  static const sw_state_kind kind = {.pass_size = sizeof(sw_gnn_pass),
                                     .pass_free = pass_free,
                                     .pass_bytes = pass_bytes,
                                     .pack = sw_gnn_pack,
                                     .one = one_item};
  return sw_state_work_new(work, net, team, &kind, err);
}

static double flops(const sw_net *net, const sw_item *item, int32_t rows,
                    int backward) {
  double sum = 0;
  for (int32_t r = 0; item->record.graph && r < sw_item_rows(item); r++)
    sum +=
        sw_gnn_flops((const sw_gnn_net *)net, item->record.graph + r, backward);
  return sum * rows / sw_item_rows(item);
}

static int rows_of(sw_work *work, const sw_item *item, const int32_t *rows,
                   int32_t count, int hidden, float *out, sw_err *err) {
  const sw_state_work *w = (const sw_state_work *)work;
  const sw_gnn_pass *pass = sw_state_pass(w, 0);
  static const sw_gnn_drop none;
  size_t width = (size_t)(hidden ? work->net->hidden : work->net->outputs);
  if (!item->record.graph)
    return sw_fail(err, SW_USAGE, "the model reads graphs, and got none");
  SW_TRY(sw_gnn_pack(work->net, err));
  for (int32_t i = 0; i < count; i++) {
    SW_TRY(sw_state_row(item, rows[i], "graphs", err));
    SW_TRY(forward(w, 0, item->record.graph + rows[i], &none, err));
    memcpy(out + width * (size_t)i, hidden ? pass->global : pass->output,
           sizeof *out * width);
  }
  return SW_OK;
}

static int scores(sw_work *work, const sw_item *item, const int32_t *rows,
                  int32_t count, float *out, sw_err *err) {
  return rows_of(work, item, rows, count, 0, out, err);
}

static int hidden(sw_work *work, const sw_item *item, const int32_t *rows,
                  int32_t count, float *out, sw_err *err) {
  return rows_of(work, item, rows, count, 1, out, err);
}

/* ---- sessions: a graph for each sequence, whole graphs for each member ----
 */

typedef struct gnn_seats {
  sw_seats seats;
  sw_gnn_net *net;
  sw_team *team;
  sw_gnn_pass *pass; /* [members] */
  int32_t sequences;
  int recompute;
  sw_graph *graph; /* [sequences] */
  float *score;    /* [sequences][outputs] */
  uint8_t *known;  /* [sequences] the scores are the graph's */
  int32_t *asked;  /* [sequences] */
} gnn_seats;

static void seats_free(sw_seats *seats) {
  gnn_seats *s = (gnn_seats *)seats;
  for (int i = 0; s->pass && i < sw_team_size(s->team); i++)
    sw_gnn_pass_free(&s->pass[i]);
  for (int32_t i = 0; s->graph && i < s->sequences; i++)
    sw_graph_release(&s->graph[i]);
  free(s->pass);
  free(s->graph);
  free(s->score);
  free(s->known);
  free(s->asked);
  free(s);
}

static int seats_new(sw_seats **seats, sw_net *net, sw_team *team,
                     const sw_session_options *o, sw_err *err) {
  gnn_seats *s = calloc(1, sizeof *s);
  if (!s) return sw_no_memory_for(err, "a session");
  size_t n = (size_t)o->sequences;
  s->seats.net = net;
  s->net = (sw_gnn_net *)net;
  s->team = team;
  s->sequences = o->sequences;
  s->recompute = !o->cache_prefix;
  s->pass = calloc((size_t)sw_team_size(team), sizeof *s->pass);
  s->graph = calloc(n, sizeof *s->graph);
  s->score = calloc(n * (size_t)net->outputs, sizeof *s->score);
  s->known = calloc(n, 1);
  s->asked = calloc(n, sizeof *s->asked);
  if (!s->pass || !s->graph || !s->score || !s->known || !s->asked) {
    seats_free(&s->seats);
    return sw_no_memory_for(err, "a session");
  }
  *seats = &s->seats;
  return SW_OK;
}

static int set_state(sw_seats *seats, int32_t q, const sw_record *record,
                     sw_err *err) {
  gnn_seats *s = (gnn_seats *)seats;
  if (q < 0 || q >= s->sequences)
    return sw_fail(err, SW_USAGE, "sequence %d of %d", q, s->sequences);
  SW_TRY(check_graph(s->net, record->graph, err));
  s->known[q] = 0;
  if (sw_graph_copy(&s->graph[q], record->graph)) return SW_OK;
  return sw_no_memory_for(err, "a graph");
}

typedef struct run_job {
  gnn_seats *s;
  int32_t count;
  _Atomic int failed;
} run_job;

static void run_region(void *context, int rank, int size) {
  run_job *job = context;
  gnn_seats *s = job->s;
  static const sw_gnn_drop none;
  size_t outputs = (size_t)s->net->net.outputs;
  unsigned mode = nn_float_mode();
  nn_set_float_mode();
  for (int32_t i = rank; i < job->count; i += size) {
    int32_t q = s->asked[i];
    if (sw_gnn_pass_room(&s->pass[rank], s->net, &s->graph[q], NULL)) {
      job->failed = 1;
      break;
    }
    sw_gnn_forward(&s->pass[rank], s->net, &s->graph[q], &none);
    memcpy(s->score + outputs * (size_t)q, s->pass[rank].output,
           sizeof(float) * outputs);
    s->known[q] = 1;
  }
  nn_restore_float_mode(mode);
}

static int run(sw_seats *seats, const int32_t *seq, int32_t count,
               const float **out, sw_err *err) {
  gnn_seats *s = (gnn_seats *)seats;
  run_job job = {.s = s};
  for (int32_t i = 0; i < count; i++) {
    int32_t q = seq[i];
    if (q < 0 || q >= s->sequences || !s->graph[q].nodes)
      return sw_fail(err, SW_USAGE, "sequence %d has no state", q);
    out[i] = s->score + (size_t)q * (size_t)s->net->net.outputs;
    if (s->known[q] && !s->recompute) continue;
    s->asked[job.count++] = q;
    seats->flops += sw_gnn_flops(s->net, &s->graph[q], 0);
  }
  SW_TRY(sw_gnn_pack(seats->net, err));
  if (job.count) sw_team_run(s->team, run_region, &job);
  return job.failed ? sw_no_memory_for(err, "a graph") : SW_OK;
}

const sw_family sw_family_factor_gnn = {
    .name = "factor-gnn",
    .text = "messages along the edges of the constraint graph",
    .reads = "graph",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .config_bytes = sizeof(sw_gnn_config),
    .resolve = resolve,
    .create = create,
    .free = sw_gnn_net_free,
    .changed = changed,
    .work_new = work_new,
    .work_free = sw_state_work_free,
    .batch = sw_state_batch,
    .parts = sw_state_parts,
    .flops = flops,
    .rows = scores,
    .hidden = hidden,
    .bytes = sw_state_bytes,
    .seats_new = seats_new,
    .seats_free = seats_free,
    .state = set_state,
    .run = run};
