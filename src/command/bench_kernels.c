/* `statewise bench kernels`: how close the kernels come to the peak of fused
 * multiply-adds, which is measured in the same run. Matrix products at the
 * layer shapes of d 256 and d 128 (packing included), attention on an n=50-like
 * trace (useful FLOPs: only unmasked pairs), exp. One thread, best of many
 * repeats; the peak also with all cores at once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/arena.h"
#include "base/json.h"
#include "base/threads.h"
#include "command/bench_peak.h"
#include "command/command.h"
#include "nn/nn.h"

#define BENCH_KERNELS_OPTIONS(X)                                              \
  SW_BENCH_KERNELS(X)                                                         \
  X(seconds, REAL, "seconds", "0.3", 0.001, 60, "", "time for each figure")   \
  X(rows, INT, "rows", "3603", 1, 100000, "", "rows of the matrix products")  \
  X(only, TEXT, "only", "", 0, 0, "", "only figures with this in their name") \
  X(json, FLAG, "json", "0", 0, 1, "",                                        \
    "print one JSON object on standard output")

typedef struct bench_kernels_options {
  BENCH_KERNELS_OPTIONS(SW_OPTION_FIELD)
} bench_kernels_options;

static const sw_option option_table[] = {
#define X(...) SW_OPTION_ROW(bench_kernels_options, __VA_ARGS__)
    BENCH_KERNELS_OPTIONS(X)
#undef X
};

/* ---- timing ---- */

static double read_clock(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}
static double now(void) { return read_clock(CLOCK_MONOTONIC); }

/* How often this thread had to give its core to another. */
static long interruptions(void) {
  struct rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

typedef void work_fn(void *context);

/* A run and the peak of the same core around it. */
typedef struct timing {
  double seconds, peak;
} timing;

typedef struct bench {
  sw_command_io *io;
  const nn_kernels *kernels;
  const bench_kernels_options *options;
  sw_arena arena;
  sw_json json;
} bench;

static int wanted(const bench *b, const char *name) {
  return !b->options->only || strstr(name, b->options->only);
}

static float *data(bench *b, size_t count) {
  float *x = sw_arena_alloc(&b->arena, count * sizeof *x);
  if (!x) return NULL;
  for (size_t i = 0; i < count; i++)
    x[i] = (float)(i * 2654435761u % 2001) * 1e-3f - 1.0f;
  return x;
}

/* Orders runs by how close they came to their peak, closest first. */
static int by_ratio(const void *x, const void *y) {
  const timing *a = x, *b = y;
  double p = a->seconds * a->peak, q = b->seconds * b->peak;
  return p < q ? -1 : p > q;
}

/* A core's clock moves with what its neighbours do, so every run stands between
 * two short measurements of the peak, the larger of which is its yardstick.
 * The run closest to its peak counts, among those (by wall clock) that were not
 * interrupted and during which the peak moved by less than 3 %. On a machine
 * too busy for even one such run, the median by thread time does: thread clocks
 * jump under some hypervisors, so their best is not to be trusted. */
static timing measure(bench *b, work_fn *work, void *context, double seconds) {
  enum { RUNS_MAX = 512 };
  timing run[RUNS_MAX], best = {1e30, 1};
  int runs = 0, steady_runs = 0;
  double before = b->kernels->fma_peak(2e-4), start = now();
  while (runs < RUNS_MAX && (runs < 3 || now() - start < seconds)) {
    long interrupted = interruptions();
    double from = now(), thread = read_clock(CLOCK_THREAD_CPUTIME_ID);
    work(context);
    thread = read_clock(CLOCK_THREAD_CPUTIME_ID) - thread;
    timing wall = {now() - from, 0};
    interrupted = interruptions() - interrupted;
    double after = b->kernels->fma_peak(2e-4);
    wall.peak = before > after ? before : after;
    int moved = before < 0.97 * wall.peak || after < 0.97 * wall.peak;
    before = after;
    run[runs++] = (timing){thread, wall.peak};
    if (interrupted || moved) continue;
    if (!steady_runs++ || by_ratio(&wall, &best) < 0) best = wall;
  }
  if (steady_runs) return best;
  qsort(run, (size_t)runs, sizeof *run, by_ratio);
  return run[runs / 2];
}

static void report(bench *b, const char *name, const char *what, double flops,
                   timing time) {
  double rate = flops / time.seconds * 1e-9, ratio = rate / time.peak;
  if (!b->options->json) {
    fprintf(b->io->out, "%-12s %-12s %8.1f GFLOP/s %6.1f %%\n", name, what,
            rate, 100 * ratio);
    return;
  }
  sw_json_object(&b->json, NULL);
  sw_json_string(&b->json, "name", name);
  sw_json_string(&b->json, "case", what);
  sw_json_real(&b->json, "gflops", rate);
  sw_json_real(&b->json, "peak_gflops", time.peak);
  sw_json_real(&b->json, "ratio", ratio);
  sw_json_end(&b->json);
}

/* ---- matrix products ---- */

typedef enum { FORWARD, DX, DW } product_form;
typedef struct product {
  const nn_kernels *kernels;
  product_form form;
  int rows, in, out;
  const float *x, *dy, *weight, *bias;
  float *packed, *result, *scratch;
} product;

static void multiply(void *context) {
  product *p = context;
  const nn_kernels *k = p->kernels;
  nn_epilogue epilogue = {.bias = p->bias};
  switch (p->form) {
    case FORWARD:
      k->pack_nt(p->out, p->in, p->weight, p->in, p->packed, 0, p->out);
      k->gemm(p->rows, p->out, p->in, p->x, p->in, p->packed, p->result, p->out,
              0, &epilogue);
      break;
    case DX:
      k->pack_nn(p->in, p->out, p->weight, p->in, p->packed, 0, p->in);
      k->gemm(p->rows, p->in, p->out, p->dy, p->out, p->packed, p->result,
              p->in, 0, NULL);
      break;
    case DW:
      k->gemm_tn(p->out, p->in, p->rows, p->dy, p->out, p->x, p->in, p->result,
                 p->in, 0, 0, p->out, p->scratch);
      break;
  }
}

static int bench_product(bench *b, const char *name, int d, int out, int in,
                         product_form form, sw_err *err) {
  static const char *const form_name[] = {"forward", "dX", "dW"};
  const nn_kernels *k = b->kernels;
  int rows = b->options->rows;
  size_t size = (size_t)rows * (size_t)(in > out ? in : out);
  size_t weights = (size_t)in * (size_t)out;
  size_t packed = k->packed_size(out, in) + k->packed_size(in, out);
  sw_arena_reset(&b->arena);
  product p = {k,
               form,
               rows,
               in,
               out,
               data(b, size),
               data(b, size),
               data(b, weights),
               data(b, (size_t)out),
               data(b, packed),
               data(b, size > weights ? size : weights),
               data(b, k->gemm_tn_scratch(out, in, rows))};
  if (!p.x || !p.dy || !p.weight || !p.bias || !p.packed || !p.result ||
      !p.scratch)
    return sw_no_memory_for(err, "a %d x %d product", rows, out);
  char what[32];
  snprintf(what, sizeof what, "d%d %s", d, form_name[form]);
  report(b, name, what, 2.0 * rows * in * out,
         measure(b, multiply, &p, b->options->seconds));
  return SW_OK;
}

static int bench_products(bench *b, sw_err *err) {
  for (int d = 256; d >= 128; d /= 2) {
    const struct {
      const char *name;
      int out, in;
    } layer[] = {{"qkv", 3 * d, d},
                 {"proj", d, d},
                 {"fc1", 4 * d, d},
                 {"fc2", d, 4 * d}};
    for (int form = FORWARD; form <= DW; form++)
      for (int i = 0; i < 4; i++)
        if (wanted(b, layer[i].name))
          SW_TRY(bench_product(b, layer[i].name, d, layer[i].out, layer[i].in,
                               (product_form)form, err));
  }
  return SW_OK;
}

/* ---- attention ---- */

enum {
  SLOTS = 32,
  PREFIX = 1203,
  BLOCKS = 30,
  BLOCK = 80,
  HEAD_DIM = 32,
  WIDTH = 256,
  TRACE_ROWS = SLOTS + PREFIX + BLOCKS * BLOCK
};

typedef struct head {
  const nn_kernels *kernels;
  nn_attention a;
  nn_span span[BLOCKS + 2];
  float *scratch;
} head;

/* Spans of the ssa mask; returns the number of unmasked pairs. */
static double ssa_trace(head *h) {
  const nn_run slots = {0, SLOTS, 0, 0}, prefix = {SLOTS, SLOTS + PREFIX, 0, 0};
  nn_run causal = prefix;
  causal.causal = 1;
  h->span[0] = (nn_span){0, SLOTS, 2, {slots, prefix}, 0};
  h->span[1] = (nn_span){SLOTS, SLOTS + PREFIX, 2, {slots, causal}, 0};
  for (int i = 0; i < BLOCKS; i++) {
    int begin = SLOTS + PREFIX + i * BLOCK;
    nn_run own = {begin, begin + BLOCK, 1, 0};
    h->span[i + 2] =
        (nn_span){begin, begin + BLOCK, 3, {slots, prefix, own}, 0};
  }
  return SLOTS * (SLOTS + PREFIX) + PREFIX * (SLOTS + (PREFIX + 1) / 2.0) +
         (double)BLOCKS * BLOCK * (SLOTS + PREFIX + (BLOCK + 1) / 2.0);
}

static void attend(void *context) {
  head *h = context;
  h->kernels->attention_forward(&h->a, 0, TRACE_ROWS, h->scratch);
}
static void attend_backward(void *context) {
  head *h = context;
  h->kernels->attention_backward(&h->a, h->scratch);
}

static int bench_attention(bench *b, sw_err *err) {
  sw_arena_reset(&b->arena);
  head h = {.kernels = b->kernels};
  size_t size = (size_t)TRACE_ROWS * WIDTH;
  float *qkv = data(b, 3 * size), *dqkv = data(b, 3 * size);
  float *out = data(b, size), *dout = data(b, size), *lse = data(b, TRACE_ROWS);
  h.scratch = data(b, b->kernels->attention_scratch(HEAD_DIM, TRACE_ROWS, 1));
  double pairs = ssa_trace(&h);
  int words = sw_span_words(&h.span[BLOCKS + 1]);
  float *kept = data(b, 2 * (size_t)words * TRACE_ROWS);
  if (!qkv || !dqkv || !out || !dout || !lse || !h.scratch || !kept)
    return sw_no_memory_for(err, "the attention benchmark");
  h.a = (nn_attention){.head_dim = HEAD_DIM,
                       .scale = 0.17677669f,
                       .q = qkv,
                       .k = qkv + WIDTH,
                       .v = qkv + 2 * WIDTH,
                       .ldq = 3 * WIDTH,
                       .ldk = 3 * WIDTH,
                       .ldv = 3 * WIDTH,
                       .out = out,
                       .ldo = WIDTH,
                       .lse = lse,
                       .spans = h.span,
                       .span_count = BLOCKS + 2,
                       .dout = dout,
                       .lddo = WIDTH,
                       .dq = dqkv,
                       .dk = dqkv + WIDTH,
                       .dv = dqkv + 2 * WIDTH,
                       .lddq = 3 * WIDTH,
                       .lddk = 3 * WIDTH,
                       .lddv = 3 * WIDTH};
  for (int dropping = 0; dropping < 2; dropping++) {
    if (dropping) { /* decisions are left for backward, as in training */
      h.a.drop = (nn_dropout){{1, 2}, 3, 6554, 1.0f / 0.9f};
      h.a.kept = (uint64_t *)(void *)kept;
      h.a.ldkept = words;
    }
    timing forward = measure(b, attend, &h, 3 * b->options->seconds);
    timing backward = measure(b, attend_backward, &h, 3 * b->options->seconds);
    const char *what = dropping ? "dropout 0.1" : "no dropout";
    report(b, "attention", what, 4 * pairs * HEAD_DIM, forward);
    report(b, "attention'", what, 10 * pairs * HEAD_DIM, backward);
  }
  return SW_OK;
}

/* ---- exp, peak, and the whole ---- */

enum { EXP_COUNT = 4096 };
typedef struct exp_work {
  const nn_kernels *kernels;
  float *x, *y;
} exp_work;
static void exponentiate(void *context) {
  exp_work *w = context;
  for (int i = 0; i < 64; i++) w->kernels->exp_array(EXP_COUNT, w->x, w->y);
}

static double bench_exp(bench *b) {
  sw_arena_reset(&b->arena);
  exp_work w = {b->kernels, data(b, EXP_COUNT), data(b, EXP_COUNT)};
  if (!w.x || !w.y) return 0;
  timing time = measure(b, exponentiate, &w, b->options->seconds);
  return time.seconds / 64 / EXP_COUNT * 1e9;
}

static int all_core_peak(bench *b, double *sum, sw_err *err) {
  sw_team *team;
  SW_TRY(sw_team_new(&team, 0, err));
  *sum = sw_bench_peak(team, b->kernels);
  sw_team_free(team);
  return SW_OK;
}

static int run_all(bench *b, sw_err *err) {
  double all = 0, one = b->kernels->fma_peak(b->options->seconds);
  SW_TRY(all_core_peak(b, &all, err));
  if (b->options->json) {
    sw_json_to_file(&b->json, b->io->out);
    sw_json_object(&b->json, NULL);
    sw_json_string(&b->json, "kernels", b->kernels->name);
    sw_json_int(&b->json, "cores", sw_cpu_count());
    sw_json_real(&b->json, "fma_peak_gflops", all);
    sw_json_real(&b->json, "fma_peak_core_gflops", one);
    sw_json_int(&b->json, "rows", b->options->rows);
    sw_json_array(&b->json, "figures");
  } else {
    fprintf(b->io->out,
            "kernels %s; peak of one core %.1f GFLOP/s, of %d cores together "
            "%.1f\n",
            b->kernels->name, one, sw_cpu_count(), all);
  }
  int code = bench_products(b, err);
  if (!code && wanted(b, "attention")) code = bench_attention(b, err);
  double exp_ns = code ? 0 : bench_exp(b);
  if (b->options->json) {
    sw_json_end(&b->json);
    sw_json_real(&b->json, "exp_ns", exp_ns);
    sw_json_end(&b->json);
  } else {
    fprintf(b->io->out, "exp: %.3f ns an element\n", exp_ns);
  }
  return code;
}

static int run_bench_kernels(const sw_command *self, sw_command_io *io,
                             int argc, char **argv, sw_err *err) {
  bench_kernels_options o;
  SW_TRY(sw_command_parse(self, argc, argv, &o, NULL, NULL, err));
  SW_TRY(sw_bench_kernels(o.kernels, err));
  bench b = {.io = io, .kernels = nn_select(NULL, err), .options = &o};
  if (!b.kernels) return err->code;
  nn_set_float_mode();
  sw_arena_init(&b.arena, 64u << 20);
  int code = run_all(&b, err);
  sw_arena_free(&b.arena);
  return code;
}

const sw_command sw_command_bench_kernels = {
    .name = "bench kernels",
    .usage = "[--kernels NAME] [--json]",
    .summary = "Measure the kernels against the machine's FMA peak",
    .details =
        "Products: GFLOP/s at the layer shapes, packing included.\n"
        "Attention (attention' is backward): useful GFLOP/s of one head\n"
        "on a trace of 32 slots, prefix 1203 and 30 blocks of 80 under\n"
        "the ssa mask; with dropout, backward reads the decisions that\n"
        "forward left, as in training. Ratios are to the peak of the same\n"
        "core, measured with the same instructions just before and after\n"
        "each run.",
    .options = option_table,
    .option_count = sizeof option_table / sizeof option_table[0],
    .run = run_bench_kernels,
};
