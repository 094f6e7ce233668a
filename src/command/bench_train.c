/* `statewise bench train`: one whole training step (forward, backward, AdamW)
 * on a synthetic trace of the paper's shape, counted in useful FLOPs (live
 * rows and unmasked pairs only) against the FMA peak of the same run; for
 * families that read states, on states of expert searches, made into features
 * or graphs within the step as in training. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/json.h"
#include "base/clock.h"
#include "base/ranks.h"
#include "base/rng.h"
#include "command/bench_model.h"
#include "command/bench_ranks.h"
#include "command/bench_profile.h"
#include "command/commands.h"
#include "trace/mask.h"
#include "trace/trace.h"
#include "model/decoder/model.h"
#include "train/spread.h"

#define OPTIONS(X)                                                            \
  SW_BENCH_KERNELS(X)                                                         \
  SW_BENCH_MODEL(X)                                                           \
  SW_MODEL_OPTIONS(X)                                                         \
  X(mask, TEXT, "mask", "ssa", 0, 0, "", "attention mask")                    \
  X(position_kind, TEXT, "position-kind", "", 0, 0, "",                       \
    "how tokens are numbered; default: as the mask is trained")               \
  X(window, INT, "window", "256", 1, 1e6, "", "tokens of the swa masks")      \
  X(prefix, INT, "prefix", "1203", 1, 1e6, "", "tokens of the prefix")        \
  X(blocks, INT, "blocks", "30", 1, 1e6, "", "decision blocks")               \
  X(block, INT, "block", "80", 2, 1e6, "", "tokens of a block")               \
  X(targets, INT, "targets", "4", 1, 1e6, "", "supervised tokens of a block") \
  X(batch, INT, "batch", "1", 1, 4096, "", "traces or states of a step")      \
  X(dropout, REAL, "dropout", "0.1", 0, 0.9, "", "dropout")                   \
  X(threads, INT, "threads", "2", 1, 256, "", "threads")                      \
  X(small, FLAG, "small", "0", 0, 0, "",                                      \
    "a step of small traces: d 128, 2 layers, 4 heads, prefix 291, 8 blocks " \
    "of 40, batch 16 (instead of these options)")                             \
  X(profile, FLAG, "profile", "0", 0, 0, "", SW_BENCH_PROFILE)                \
  X(reps, INT, "reps", "24", 1, 1000, "", "times measured; the best counts")  \
  X(json, FLAG, "json", "0", 0, 0, "", "print one JSON object")

typedef struct bench_values {
  OPTIONS(SW_OPTION_FIELD)
} bench_values;
static const sw_option table[] = {
#define X(...) SW_OPTION_ROW(bench_values, __VA_ARGS__)
    OPTIONS(X)
#undef X
};
enum { COUNT = sizeof table / sizeof *table };

typedef struct bench {
  sw_command_io *io;
  const bench_values *v;
  sw_net *net;
  sw_reading reading;
  sw_team *team;
  sw_work *work;
  sw_item *item; /* [batch] the same trace, other dropout; or states */
  int32_t items;
  sw_bench_states *states; /* NULL: the family reads tokens */
  sw_optim *optim;
  sw_spread *spread;
  float *gradient;
  sw_trace trace;
  int32_t *position;
  sw_mask mask;
  double seconds, cpu_seconds, flops, peak; /* of the step that counts */
  sw_bench_profile profile;
  int accepted; /* steps between two peaks that agree */
  int ranks;
  double talk; /* seconds of that step in communication */
  sw_bench_link link;
} bench;

/* Random tokens; the last `targets` tokens of every block are supervised, as
 * in the solver traces. */
static int make_trace(bench *b, sw_err *err) {
  const bench_values *v = b->v;
  sw_xoshiro rng;
  sw_xoshiro_seed(&rng, 1);
  for (int block = 0; block <= v->blocks; block++) {
    int length = block ? v->block : v->prefix;
    sw_trace_begin_block(&b->trace);
    for (int i = 0; i < length; i++)
      sw_trace_put(&b->trace,
                   1 + (int32_t)sw_xoshiro_below(&rng, (uint64_t)v->vocab - 1),
                   block > 0 && i >= length - v->targets);
  }
  b->position = malloc(2 * sizeof(int32_t) * (size_t)b->trace.length);
  if (b->trace.failed || !b->position)
    return sw_no_memory_for(err, "the trace");
  SW_TRY(sw_reading_positions(&b->reading, b->trace.length,
                              b->trace.block_start, b->trace.blocks, 0,
                              v->positions, b->position, err));
  return sw_mask_build(&b->mask, b->reading.mask, b->net->slots,
                       b->trace.length, b->trace.block_start, b->trace.blocks,
                       v->window, 1, err);
}

static int make_items(bench *b, uint64_t step, sw_err *err) {
  b->items = b->v->batch;
  if (b->states)
    SW_TRY(sw_bench_states_items(b->states, b->net, (int64_t)step * b->v->batch,
                                 b->v->batch, b->item, &b->items, err));
  for (int i = 0; i < b->items; i++) {
    if (!b->states)
      b->item[i] = (sw_item){.example = {.token = b->trace.token,
                                         .position = b->position,
                                         .supervised = b->trace.supervised,
                                         .length = (int32_t)b->trace.length,
                                         .mask = &b->mask,
                                         .block_start = b->trace.block_start,
                                         .blocks = b->trace.blocks}};
    b->item[i].options =
        (sw_pass_options){.dropout = b->v->dropout,
                          .seed = 1,
                          .step = step,
                          .trace = (uint64_t)i,
                          .weight[SW_LOSS_TARGET] = 0.01f / (float)b->v->batch};
  }
  return SW_OK;
}

static int one_step(bench *b, uint64_t step, sw_err *err) {
  SW_TRY(make_items(b, step, err));
  SW_TRY(
      sw_spread_loss(b->spread, b->work, b->item, b->items, b->gradient, err));
  SW_TRY(sw_spread_step(b->spread, b->gradient, NULL, NULL, err));
  b->flops = 0;
  for (int i = 0; i < b->items; i++) b->flops += b->item[i].flops;
  return SW_OK;
}

/* A step is compared with the peak of its own moment, because a machine's clock
 * under load is not that of a burst, and may drift. The peak is measured right
 * before and right after the step; the larger of the two counts. So that a
 * disturbed peak cannot flatter a step, the step counts only where the two
 * agree within STEADY, are not below LOW of the run's best, and the step is
 * not faster than the peak. The best ratio among those is the result; where
 * none is left the run's best peak is used, and `steady` is 0. Short steps are
 * timed in rows of GROUP_SECONDS, or the peaks would be most of the run. */
#define STEADY 0.03
#define LOW 0.9
#define PEAK_SECONDS 0.06
#define GROUP_SECONDS 0.2

typedef struct timed {
  double seconds, peak, talk;
  int agrees;
} timed;

static void choose(bench *b, const timed *step, int count) {
  double top = 0;
  for (int i = 0; i < count; i++) top = step[i].peak > top ? step[i].peak : top;
  b->seconds = 1e30;
  b->peak = top;
  b->accepted = 0;
  for (int i = 0; i < count; i++) {
    if (step[i].seconds >= b->seconds) continue;
    b->seconds = step[i].seconds;
    b->talk = step[i].talk;
  }
  double best = 0;
  for (int i = 0; i < count; i++) {
    double ratio = b->flops / step[i].seconds / 1e9 / step[i].peak;
    if (!step[i].agrees || step[i].peak < LOW * top || ratio > 1) continue;
    b->accepted++;
    if (ratio <= best) continue;
    best = ratio;
    b->seconds = step[i].seconds;
    b->talk = step[i].talk;
    b->peak = step[i].peak;
  }
}

/* The peak of all ranks, which meet here. */
static int peak_now(bench *b, const nn_kernels *kernels, double *peak,
                    sw_err *err) {
  return sw_bench_sum(sw_bench_peak_now(b->team, kernels, PEAK_SECONDS), peak,
                      err);
}

/* `row` steps and the peak after them. */
static int time_row(bench *b, const nn_kernels *kernels, int row,
                    uint64_t *done, double *before, timed *step, sw_err *err) {
  double start = sw_now(), cpu = sw_cpu_seconds(), talk = sw_ranks_seconds();
  for (int j = 0; j < row; j++) SW_TRY(one_step(b, (*done)++, err));
  step->seconds = (sw_now() - start) / row;
  step->talk = (sw_ranks_seconds() - talk) / row;
  sw_bench_profile_take(&b->profile, step->seconds, row);
  cpu = (sw_cpu_seconds() - cpu) / row;
  b->cpu_seconds = cpu < b->cpu_seconds ? cpu : b->cpu_seconds;
  double after;
  SW_TRY(peak_now(b, kernels, &after, err));
  double high = after > *before ? after : *before;
  step->peak = high;
  step->agrees = after + *before - high >= (1 - STEADY) * high;
  *before = after;
  return SW_OK;
}

static int time_steps(bench *b, const nn_kernels *kernels, timed *step,
                      sw_err *err) {
  uint64_t done = 0;
  double before;
  SW_TRY(one_step(b, done++, err)); /* warms caches, allocates */
  double warm = sw_now();
  SW_TRY(one_step(b, done++, err));
  int row = 1 + (int)(GROUP_SECONDS / (sw_now() - warm + 1e-6));
  SW_TRY(sw_ranks_share(&row, sizeof row, 0, err));
  b->cpu_seconds = 1e30;
  nn_profile_clear();
  SW_TRY(peak_now(b, kernels, &before, err));
  for (int i = 0; i < b->v->reps; i++)
    SW_TRY(time_row(b, kernels, row, &done, &before, &step[i], err));
  choose(b, step, b->v->reps);
  return b->ranks > 1 ? sw_bench_link_measure(&b->link, err) : SW_OK;
}

static int make_model(bench *b, sw_err *err) {
  const bench_values *v = b->v;
  const sw_family *f;
  SW_TRY(sw_family_named(&f, v->architecture, err));
  SW_TRY(sw_reading_parse(&b->reading, v->mask, NULL, err));
  b->reading = sw_reading_of(b->reading.mask);
  SW_TRY(sw_reading_parse(&b->reading, NULL, v->position_kind, err));
  sw_position_enters enters = sw_position_row_of(b->reading.positions)->enters;
  sw_demand demand = {
      .vocab = v->vocab, .positions = v->positions, .reading = b->reading};
  if (enters == SW_ENTERS_TWO)
    demand.places = v->block > v->prefix ? v->block : v->prefix;
  if (enters == SW_ENTERS_ROTATION || enters == SW_ENTERS_NOT)
    demand.positions = 0;
  if (sw_bench_reads_states(f))
    SW_TRY(
        sw_bench_states_new(&b->states, v->n, v->clauses, 4 * v->batch, err));
  return sw_bench_model(&b->net, f, table, COUNT, v, &v->model_option, &demand,
                        b->states, err);
}

static int measure(bench *b, sw_err *err) {
  const bench_values *v = b->v;
  sw_optim_config optim = {.lr = 3e-4,
                           .beta1 = 0.9,
                           .beta2 = 0.999,
                           .eps = 1e-8,
                           .weight_decay = 0.01,
                           .clip = 1,
                           .warmup = 0.06,
                           .steps = 100000};
  SW_TRY(sw_team_new(&b->team, v->threads, err));
  SW_TRY(make_model(b, err));
  SW_TRY(sw_work_new(&b->work, b->net, b->team, err));
  SW_TRY(sw_optim_new(&b->optim, b->net, b->team, &optim, err));
  SW_TRY(sw_spread_new(&b->spread, b->net, b->optim, b->team, err));
  b->ranks = sw_ranks_count();
  b->gradient = calloc((size_t)b->net->count, sizeof(float));
  b->item = calloc((size_t)v->batch, sizeof *b->item);
  if (!b->gradient || !b->item) return sw_no_memory_for(err, "gradients");
  if (!b->states) SW_TRY(make_trace(b, err));
  const nn_kernels *kernels = nn_select(NULL, err);
  if (!kernels) return err->code;
  timed *step = calloc((size_t)v->reps, sizeof *step);
  if (!step) return sw_no_memory_for(err, "%d steps", v->reps);
  int code = time_steps(b, kernels, step, err);
  free(step);
  return code;
}

/* Tokens or states of a step. */
static double size_of(const bench *b) {
  return (double)b->v->batch * (b->states ? 1 : (double)b->trace.length);
}

static void print_json(const bench *b, const nn_kernels *kernels) {
  const bench_values *v = b->v;
  char sizes[200];
  sw_net_sizes(b->net->family, b->net->config, sizes, sizeof sizes);
  double gflops = b->flops / b->seconds / 1e9;
  sw_json json;
  sw_json_to_file(&json, b->io->out);
  sw_json_object(&json, NULL);
  sw_json_string(&json, "architecture", b->net->family->name);
  sw_json_int(&json, "parameters", sw_net_parameters(b->net));
  if (!b->states) {
    sw_json_string(&json, "mask", v->mask);
    sw_json_string(&json, "positions", sw_position_name(b->reading.positions));
    sw_json_int(&json, "tokens", b->trace.length);
  }
  sw_json_int(&json, "batch", v->batch);
  sw_json_int(&json, "threads", v->threads);
  sw_json_int(&json, "ranks", b->ranks);
  if (b->ranks > 1) {
    sw_json_real(&json, "communication_seconds_per_step", b->talk);
    sw_json_real(&json, "link_latency_seconds", b->link.latency);
    sw_json_real(&json, "link_bytes_per_s", b->link.bandwidth);
  }
  sw_json_real(&json, b->states ? "states_per_s" : "tokens_per_s",
               size_of(b) / b->seconds);
  sw_json_real(&json, "useful_gflops", gflops);
  sw_json_real(&json, "fma_peak_gflops", b->peak);
  sw_json_real(&json, "ratio", gflops / b->peak);
  sw_json_int(&json, "steady", b->accepted > 0);
  sw_json_int(&json, "steps_timed", v->reps);
  sw_json_int(&json, "steps_accepted", b->accepted);
  sw_json_real(&json, "peak_rss_mb", (double)sw_peak_rss_kb() / 1024);
  sw_json_real(&json, "seconds_per_step", b->seconds);
  sw_json_real(&json, "cpu_seconds_per_step", b->cpu_seconds);
  sw_json_real(&json, "useful_gflop_per_step", b->flops / 1e9);
  sw_json_string(&json, "kernels", kernels->name);
  if (!b->states) {
    sw_json_int(&json, "d", v->d);
    sw_json_int(&json, "layers", v->layers);
    sw_json_int(&json, "heads", v->heads);
  }
  sw_json_string(&json, "sizes", sizes);
  sw_json_real(&json, "dropout", v->dropout);
  if (v->profile)
    sw_bench_profile_json(&b->profile, &json, v->threads, b->peak);
  sw_json_end(&json);
}

static void print_text(const bench *b, const nn_kernels *kernels) {
  const bench_values *v = b->v;
  double gflops = b->flops / b->seconds / 1e9;
  char sizes[200];
  sw_net_sizes(b->net->family, b->net->config, sizes, sizeof sizes);
  if (b->states)
    fprintf(b->io->out, "training step, %s (%s), %d states of 3-SAT",
            b->net->family->name, sizes, v->batch);
  else
    fprintf(
        b->io->out,
        "training step, %s, mask %s, positions %s, %d x %lld tokens, d %d, %d "
        "layers",
        b->net->family->name, v->mask, sw_position_name(b->reading.positions),
        v->batch, (long long)b->trace.length, v->d, v->layers);
  fprintf(b->io->out, ", dropout %g, %d threads, %s kernels\n", v->dropout,
          v->threads, kernels->name);
  fprintf(b->io->out,
          "  %.1f ms a step (%.1f ms of CPU), %.0f %s/s, %.1f useful GFLOP/s "
          "of %.1f (%.1f %%), %lld parameters, peak memory %.0f MB\n",
          b->seconds * 1e3, b->cpu_seconds * 1e3, size_of(b) / b->seconds,
          b->states ? "states" : "tokens", gflops, b->peak,
          100 * gflops / b->peak, (long long)sw_net_parameters(b->net),
          (double)sw_peak_rss_kb() / 1024);
  if (b->ranks > 1)
    fprintf(b->io->out,
            "  %d ranks: %.1f ms of it in communication (%.1f %%), waiting for "
            "each other included; link between the first two: %.1f us, %.2f "
            "GB/s\n",
            b->ranks, b->talk * 1e3, 100 * b->talk / b->seconds,
            b->link.latency * 1e6, b->link.bandwidth / 1e9);
  if (!b->accepted)
    fprintf(
        b->io->out,
        "  the peak moved during every step: other work is running, and the "
        "fraction is too low\n");
  if (v->profile)
    sw_bench_profile_print(b->io, &b->profile, "step", v->threads, b->peak);
}

static void take_small(bench_values *v) {
  v->d = 128, v->layers = 2, v->heads = 4, v->ffn = 0;
  v->prefix = 291, v->blocks = 8, v->block = 40, v->batch = 16;
}

static int run(const sw_command *self, sw_command_io *io, int argc, char **argv,
               sw_err *err) {
  bench_values v;
  SW_TRY(sw_command_parse(self, argc, argv, &v, NULL, NULL, err));
  SW_TRY(sw_bench_kernels(v.kernels, err));
  if (v.small) take_small(&v);
  if (v.profile) nn_profile_start();
  bench b = {.io = io, .v = &v};
  sw_trace_init(&b.trace);
  sw_mask_init(&b.mask);
  int code = measure(&b, err);
  if (!code && v.json) print_json(&b, nn_select(NULL, NULL));
  else if (!code) print_text(&b, nn_select(NULL, NULL));
  free(b.gradient);
  free(b.item);
  free(b.position);
  sw_mask_free(&b.mask);
  sw_trace_free(&b.trace);
  sw_spread_free(b.spread);
  sw_optim_free(b.optim);
  sw_work_free(b.work);
  sw_bench_states_free(b.states);
  sw_net_free(b.net);
  sw_team_free(b.team);
  return code;
}

const sw_command sw_command_bench_train = {
    .name = "bench train",
    .usage = "[options]",
    .summary = "time a whole training step against the FMA peak",
    .details =
        "Useful FLOPs count live rows and unmasked (query, key) pairs only: "
        "three times the forward products for linear parts, three and a half "
        "times for attention. The peak is measured right before and after each "
        "step with all used cores busy at once; steps between two peaks that "
        "differ by more than 3 % do not count, and the best of the others is "
        "shown with its own peak. An LSTM has no attention; its rows are those "
        "that feed a supervised token, and its mode follows the mask: ssa "
        "(prefix-restored), block-only (block-reset), causal-noslot "
        "(continuous). Families that read states are shown those of expert "
        "searches on planted formulas; making features or graphs of them is "
        "part of the step, as in training.",
    .options = table,
    .option_count = COUNT,
    .run = run,
    .over_ranks = 1,
};
