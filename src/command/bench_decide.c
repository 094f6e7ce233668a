/* `statewise bench decide`: decisions of many instances in lock-step. A
 * decision reads a block and answers with `queries` tokens, each one query.
 * With the prefix cache a decision computes its block only; without it, as
 * the release does, every query computes the whole sequence: two full forward
 * passes a decision. A model that reads states is shown one and answers the
 * whole decision at once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/json.h"
#include "base/clock.h"
#include "base/rng.h"
#include "command/bench_model.h"
#include "command/bench_peak.h"
#include "command/bench_profile.h"
#include "command/commands.h"
#include "model/decoder/model.h"
#include "trace/mask.h"

/* clang-format off */
#define OPTIONS(X)                                                          \
  SW_BENCH_KERNELS(X) SW_BENCH_MODEL(X) SW_MODEL_OPTIONS(X)                 \
  X(mask, TEXT, "mask", "ssa", 0, 0, "", "attention mask")                  \
  X(window, INT, "window", "256", 1, 1e6, "", "tokens of the swa masks")    \
  X(batch, INT, "batch", "200", 1, 4096, "", "instances in lock-step")      \
  X(prefix, INT, "prefix", "1203", 1, 1e6, "", "tokens of the prefix")      \
  X(block, INT, "block", "80", 1, 1e6, "", "tokens of a block")             \
  X(queries, INT, "queries", "2", 1, 100, "", "tokens answered a decision") \
  X(threads, INT, "threads", "2", 1, 256, "", "threads")                    \
  X(protocol, TEXT, "protocol", "rebuilt", 0, 0, "", "rebuilt: a block alone after the prefix; cumulative: after all earlier ones") \
  X(blocks, INT, "blocks", "20", 1, 10000, "", "decisions of a search (cumulative)") \
  X(profile, FLAG, "profile", "0", 0, 0, "", SW_BENCH_PROFILE)              \
  X(reps, INT, "reps", "6", 1, 1000, "", "rounds (cumulative: searches) timed; the best counts") \
  X(json, FLAG, "json", "0", 0, 0, "", "print one JSON object")
/* clang-format on */

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
  sw_bench_states *states; /* NULL: the family reads tokens */
  int64_t shown;           /* states so far */
  sw_team *team;
  int32_t *token; /* room for a prefix or a block */
  int32_t *seq;
  const float **logits;
  sw_xoshiro rng;
  int cumulative;
  double flops, plain_flops; /* useful ones of a decision, with the cache and
                                without */
  sw_bench_profile profile;
} bench;

static void draw(bench *b, int count) {
  for (int i = 0; i < count; i++)
    b->token[i] =
        1 + (int32_t)sw_xoshiro_below(&b->rng, (uint64_t)b->v->vocab - 1);
}

/* A state for every sequence, asked `queries` times, as a search does. */
static int decide_states(bench *b, sw_seats *seats, int batch, sw_err *err) {
  for (int i = 0; i < batch; i++) {
    sw_record record;
    SW_TRY(sw_bench_states_record(b->states, b->net, b->shown++, &record, err));
    SW_TRY(sw_seats_state(seats, i, &record, err));
  }
  for (int q = 0; q < b->v->queries; q++)
    SW_TRY(sw_seats_run(seats, b->seq, batch, b->logits, err));
  return SW_OK;
}

/* One decision of every sequence, after its history or instead of it. */
static int decide(bench *b, sw_seats *seats, int batch, int after,
                  sw_err *err) {
  if (b->states) return decide_states(b, seats, batch, err);
  for (int i = 0; i < batch; i++) {
    draw(b, b->v->block);
    SW_TRY(sw_seats_begin_block(seats, i, after, err));
    SW_TRY(sw_seats_push(seats, i, b->token, b->v->block, err));
  }
  SW_TRY(sw_seats_run(seats, b->seq, batch, b->logits, err));
  for (int q = 1; q < b->v->queries; q++) {
    for (int i = 0; i < batch; i++) {
      draw(b, 1);
      SW_TRY(sw_seats_push(seats, i, b->token, 1, err));
    }
    SW_TRY(sw_seats_run(seats, b->seq, batch, b->logits, err));
  }
  return SW_OK;
}

/* A round: one decision of every sequence or, cumulative, one search: its
 * first block forgets the search before. */
static int play(bench *b, sw_seats *seats, int batch, sw_err *err) {
  int decisions = b->cumulative ? b->v->blocks : 1;
  for (int i = 0; i < decisions; i++)
    SW_TRY(decide(b, seats, batch, i > 0, err));
  return SW_OK;
}

/* How a session reads: positions of their own where it goes on. */
static int reading_of(const bench *b, sw_reading *reading, sw_err *err) {
  int kind = sw_mask_from_name(b->v->mask);
  int standard =
      b->cumulative && kind >= 0 && !sw_mask_block_local((sw_mask_kind)kind);
  *reading = (sw_reading){.window = b->v->window};
  return sw_reading_parse(
      reading, b->v->mask,
      sw_position_name(standard ? SW_POS_STANDARD : SW_POS_BLOCK_RELATIVE),
      err);
}

/* Best seconds a decision over `reps` rounds of `batch` sequences. */
static int measure(bench *b, int cache, int batch, int reps, double *seconds,
                   sw_err *err) {
  sw_session_options options = {.sequences = batch, .cache_prefix = cache};
  SW_TRY(reading_of(b, &options.reading, err));
  sw_seats *seats = NULL;
  SW_TRY(sw_seats_new(&seats, b->net, b->team, &options, err));
  int code = SW_OK;
  for (int i = 0; i < batch && !code && !b->states; i++) {
    draw(b, b->v->prefix);
    code = sw_seats_prefix(seats, i, b->token, b->v->prefix, err);
  }
  if (!code) code = decide(b, seats, batch, 0, err); /* computes the prefixes */
  double decisions = (double)batch * (b->cumulative ? b->v->blocks : 1);
  *seconds = 1e30;
  nn_profile_clear();
  for (int i = 0; i < reps && !code; i++) {
    double start = sw_now(), flops = seats->flops;
    code = play(b, seats, batch, err);
    double took = (sw_now() - start) / decisions;
    *seconds = took < *seconds ? took : *seconds;
    flops = (seats->flops - flops) / decisions;
    if (!cache) b->plain_flops = flops;
    if (!cache) continue;
    b->flops = flops;
    sw_bench_profile_take(&b->profile, took, decisions);
  }
  sw_seats_free(seats);
  return code;
}

/* The speedup if every FLOP took the same time; 0: no FLOPs are counted. */
static double flop_limit(const bench *b) {
  return b->flops > 0 ? b->plain_flops / b->flops : 0;
}

static void print_json(const bench *b, double cached, double plain, double peak,
                       const char *kernels, const char *sizes) {
  const bench_values *v = b->v;
  sw_json json;
  sw_json_to_file(&json, b->io->out);
  sw_json_object(&json, NULL);
  sw_json_real(&json, "decisions_per_s", 1 / cached);
  sw_json_real(&json, "ms_per_decision", cached * 1e3);
  sw_json_int(&json, "batch", v->batch);
  sw_json_string(&json, "architecture", b->net->family->name);
  sw_json_string(&json, "sizes", sizes);
  sw_json_int(&json, "parameters", sw_net_parameters(b->net));
  sw_json_real(&json, "peak_rss_mb", (double)sw_peak_rss_kb() / 1024);
  if (!b->states) {
    sw_json_int(&json, "prefix_tokens", v->prefix);
    sw_json_int(&json, "block_tokens", v->block);
    sw_json_string(&json, "mask", v->mask);
  }
  sw_json_real(&json, "fma_peak_gflops", peak);
  sw_json_int(&json, "queries_per_decision", v->queries);
  sw_json_int(&json, "threads", v->threads);
  sw_json_string(&json, "kernels", kernels);
  sw_json_string(&json, "protocol", b->cumulative ? "cumulative" : "rebuilt");
  sw_json_real(&json, "useful_gflop_per_decision", b->flops / 1e9);
  sw_json_real(&json, "ratio", b->flops / cached / 1e9 / peak);
  if (!b->cumulative) {
    sw_json_object(&json, "without_cache");
    sw_json_real(&json, "decisions_per_s", 1 / plain);
    sw_json_real(&json, "ms_per_decision", plain * 1e3);
    sw_json_end(&json);
    sw_json_real(&json, "speedup", plain / cached);
    if (flop_limit(b) > 0) {
      sw_json_real(&json, "flop_limit", flop_limit(b));
      sw_json_real(&json, "of_flop_limit", plain / cached / flop_limit(b));
    }
  }
  if (v->profile) sw_bench_profile_json(&b->profile, &json, v->threads, peak);
  sw_json_end(&json);
}

static int make_model(bench *b, sw_err *err) {
  const bench_values *v = b->v;
  const sw_family *f;
  sw_demand demand = {.vocab = v->vocab, .positions = v->positions};
  SW_TRY(sw_family_named(&f, v->architecture, err));
  SW_TRY(reading_of(b, &demand.reading, err));
  if (b->cumulative && sw_bench_reads_states(f))
    return sw_fail(err, SW_USAGE,
                   "--protocol cumulative: models of the family %s see no "
                   "history",
                   f->name);
  if (sw_bench_reads_states(f))
    SW_TRY(
        sw_bench_states_new(&b->states, v->n, v->clauses, 4 * v->batch, err));
  return sw_bench_model(&b->net, f, table, COUNT, v, &v->model_option, &demand,
                        b->states, err);
}

static void print_text(const bench *b, double cached, double plain, double peak,
                       const char *kernels, const char *sizes) {
  const bench_values *v = b->v;
  fprintf(b->io->out, "decisions, %s (%s, %lld parameters), ",
          b->net->family->name, sizes, (long long)sw_net_parameters(b->net));
  if (!b->states)
    fprintf(b->io->out,
            "mask %s, protocol %s, prefix %d, blocks of %d tokens, ", v->mask,
            b->cumulative ? "cumulative" : "rebuilt", v->prefix, v->block);
  fprintf(
      b->io->out,
      "%d instances in lock-step, %d queries a decision, %d threads, %s "
      "kernels\n"
      "  with the cache           %.1f decisions/s, %.3g ms each, %.1f useful "
      "GFLOP/s of %.1f (%.1f %%), peak memory %.0f MB\n",
      v->batch, v->queries, v->threads, kernels, 1 / cached, cached * 1e3,
      b->flops / cached / 1e9, peak, 100 * b->flops / cached / 1e9 / peak,
      (double)sw_peak_rss_kb() / 1024);
  if (!b->cumulative)
    fprintf(
        b->io->out,
        "  without                  %.1f decisions/s, %.3g ms each (%.1fx)\n",
        1 / plain, plain * 1e3, plain / cached);
  if (!b->cumulative && flop_limit(b) > 0)
    fprintf(b->io->out, "  of its FLOP limit        %.2f of %.1fx\n",
            plain / cached / flop_limit(b), flop_limit(b));
  if (v->profile)
    sw_bench_profile_print(b->io, &b->profile, "decision", v->threads, peak);
}

static int measure_all(bench *b, sw_err *err) {
  const bench_values *v = b->v;
  double cached, plain = 0;
  char sizes[200];
  const nn_kernels *kernels = nn_select(NULL, err);
  if (!kernels) return err->code;
  SW_TRY(sw_team_new(&b->team, v->threads, err));
  SW_TRY(make_model(b, err));
  int longest = v->prefix > v->block ? v->prefix : v->block;
  b->token = malloc(sizeof(int32_t) * (size_t)longest);
  b->seq = malloc(sizeof(int32_t) * (size_t)v->batch);
  b->logits = malloc(sizeof *b->logits * (size_t)v->batch);
  if (!b->token || !b->seq || !b->logits)
    return sw_no_memory_for(err, "%d sequences", v->batch);
  for (int i = 0; i < v->batch; i++) b->seq[i] = i;
  sw_xoshiro_seed(&b->rng, 1);
  SW_TRY(measure(b, 1, v->batch, v->reps, &cached, err));
  if (!b->cumulative)
    SW_TRY(measure(b, 0, v->batch < 2 ? v->batch : 2, 2, &plain, err));
  double peak = sw_bench_peak(b->team, kernels);
  sw_net_sizes(b->net->family, b->net->config, sizes, sizeof sizes);
  (v->json ? print_json : print_text)(b, cached, plain, peak, kernels->name,
                                      sizes);
  return SW_OK;
}

static int run(const sw_command *self, sw_command_io *io, int argc, char **argv,
               sw_err *err) {
  bench_values v;
  SW_TRY(sw_command_parse(self, argc, argv, &v, NULL, NULL, err));
  SW_TRY(sw_bench_kernels(v.kernels, err));
  bench b = {
      .io = io, .v = &v, .cumulative = !strcmp(v.protocol, "cumulative")};
  if (!b.cumulative && strcmp(v.protocol, "rebuilt")) {
    sw_fail(err, SW_USAGE, "protocol %s does not exist", v.protocol);
    return sw_hint(err, "choose rebuilt or cumulative");
  }
  if (v.profile) nn_profile_start();
  int code = measure_all(&b, err);
  free(b.token);
  free(b.seq);
  free(b.logits);
  sw_bench_states_free(b.states);
  sw_net_free(b.net);
  sw_team_free(b.team);
  return code;
}

const sw_command sw_command_bench_decide = {
    .name = "bench decide",
    .usage = "[options]",
    .summary = "time decisions with and without the prefix cache",
    .details =
        "A decision shows the model one block and asks it for `queries` "
        "tokens. Without the cache every query computes the whole sequence, so "
        "a decision is `queries` full forward passes. The speedup is the ratio "
        "of the two; its FLOP limit is the ratio of their useful FLOPs. With "
        "--protocol cumulative a round is a whole search of "
        "`blocks` decisions, each shown all earlier ones. Useful FLOPs count "
        "the rows and unmasked pairs that are not in the cache yet. A family "
        "that reads states is shown one (made into features or a graph within "
        "the decision) and answers all queries from it.",
    .options = table,
    .option_count = COUNT,
    .run = run,
};
