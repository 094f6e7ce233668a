/* `statewise bench decide`: decisions of many instances in lock-step. A
 * decision reads a block and answers with `queries` tokens, each one query.
 * With the prefix cache a decision computes its block only; without it, as
 * the release does, every query computes the whole sequence: two full forward
 * passes a decision. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/json.h"
#include "base/clock.h"
#include "base/rng.h"
#include "cli/bench_peak.h"
#include "cli/bench_profile.h"
#include "cli/commands.h"
#include "model/decoder/model.h"
#include "trace/mask.h"

/* clang-format off */
#define OPTIONS(X)                                                          \
  SW_BENCH_KERNELS(X) SW_MODEL_OPTIONS(X)                                                       \
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
  const bench_values *v;
  sw_model *model;
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

/* One decision of every sequence, after its history or instead of it. */
static int decide(bench *b, sw_session *session, int batch, int after,
                  sw_err *err) {
  for (int i = 0; i < batch; i++) {
    draw(b, b->v->block);
    SW_TRY(sw_session_begin_block(session, i, after, err));
    SW_TRY(sw_session_push(session, i, b->token, b->v->block, err));
  }
  SW_TRY(sw_session_run(session, b->seq, batch, b->logits, err));
  for (int q = 1; q < b->v->queries; q++) {
    for (int i = 0; i < batch; i++) {
      draw(b, 1);
      SW_TRY(sw_session_push(session, i, b->token, 1, err));
    }
    SW_TRY(sw_session_run(session, b->seq, batch, b->logits, err));
  }
  return SW_OK;
}

/* A round: one decision of every sequence or, cumulative, one search: its
 * first block forgets the search before. */
static int play(bench *b, sw_session *session, int batch, sw_err *err) {
  int decisions = b->cumulative ? b->v->blocks : 1;
  for (int i = 0; i < decisions; i++)
    SW_TRY(decide(b, session, batch, i > 0, err));
  return SW_OK;
}

/* Best seconds a decision over `reps` rounds of `batch` sequences. */
static int measure(bench *b, int cache, int batch, int reps, double *seconds,
                   sw_err *err) {
  sw_session_options options = {.sequences = batch,
                                .reading = {.window = b->v->window},
                                .cache_prefix = cache};
  int kind = sw_mask_from_name(b->v->mask);
  int standard =
      b->cumulative && kind >= 0 && !sw_mask_block_local((sw_mask_kind)kind);
  SW_TRY(sw_reading_parse(
      &options.reading, b->v->mask,
      sw_position_name(standard ? SW_POS_STANDARD : SW_POS_BLOCK_RELATIVE),
      err));
  sw_session *session = NULL;
  SW_TRY(sw_session_new(&session, b->model, b->team, &options, err));
  int code = SW_OK;
  for (int i = 0; i < batch && !code; i++) {
    draw(b, b->v->prefix);
    code = sw_session_prefix(session, i, b->token, b->v->prefix, err);
  }
  if (!code)
    code = decide(b, session, batch, 0, err); /* computes the prefixes */
  double decisions = (double)batch * (b->cumulative ? b->v->blocks : 1);
  *seconds = 1e30;
  nn_profile_clear();
  for (int i = 0; i < reps && !code; i++) {
    double start = sw_now(), flops = sw_session_flops(session);
    code = play(b, session, batch, err);
    double took = (sw_now() - start) / decisions;
    *seconds = took < *seconds ? took : *seconds;
    flops = (sw_session_flops(session) - flops) / decisions;
    if (!cache) b->plain_flops = flops;
    if (!cache) continue;
    b->flops = flops;
    sw_bench_profile_take(&b->profile, took, decisions);
  }
  sw_session_free(session);
  return code;
}

/* The speedup if every FLOP took the same time. */
static double flop_limit(const bench *b) { return b->plain_flops / b->flops; }

static void print_json(const bench *b, double cached, double plain, double peak,
                       const char *kernels) {
  const bench_values *v = b->v;
  sw_json json;
  sw_json_to_file(&json, stdout);
  sw_json_object(&json, NULL);
  sw_json_real(&json, "decisions_per_s", 1 / cached);
  sw_json_real(&json, "ms_per_decision", cached * 1e3);
  sw_json_int(&json, "batch", v->batch);
  sw_json_int(&json, "prefix_tokens", v->prefix);
  sw_json_int(&json, "block_tokens", v->block);
  sw_json_real(&json, "fma_peak_gflops", peak);
  sw_json_int(&json, "queries_per_decision", v->queries);
  sw_json_string(&json, "mask", v->mask);
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
    sw_json_real(&json, "flop_limit", flop_limit(b));
    sw_json_real(&json, "of_flop_limit", plain / cached / flop_limit(b));
  }
  if (v->profile) sw_bench_profile_json(&b->profile, &json, v->threads, peak);
  sw_json_end(&json);
}

static int measure_all(bench *b, sw_err *err) {
  const bench_values *v = b->v;
  sw_model_config config = {.vocab = v->vocab,
                            .d = v->d,
                            .layers = v->layers,
                            .heads = v->heads,
                            .ffn = v->ffn,
                            .slots = v->slots,
                            .positions = v->positions,
                            .memory = v->memory,
                            .memory_width = v->memory_width,
                            .memory_shared = v->memory_shared};
  double cached, plain = 0;
  const nn_kernels *kernels = nn_select(NULL, err);
  if (!kernels) return err->code;
  SW_TRY(sw_team_new(&b->team, v->threads, err));
  SW_TRY(sw_model_new(&b->model, &config, 1, err));
  int longest = v->prefix > v->block ? v->prefix : v->block;
  b->token = malloc(sizeof(int32_t) * (size_t)longest);
  b->seq = malloc(sizeof(int32_t) * (size_t)v->batch);
  b->logits = malloc(sizeof *b->logits * (size_t)v->batch);
  if (!b->token || !b->seq || !b->logits)
    return sw_fail(err, SW_MEMORY, "out of memory for %d sequences", v->batch);
  for (int i = 0; i < v->batch; i++) b->seq[i] = i;
  sw_xoshiro_seed(&b->rng, 1);
  SW_TRY(measure(b, 1, v->batch, v->reps, &cached, err));
  if (!b->cumulative)
    SW_TRY(measure(b, 0, v->batch < 2 ? v->batch : 2, 2, &plain, err));
  double peak = sw_bench_peak(b->team, kernels);
  if (v->json) {
    print_json(b, cached, plain, peak, kernels->name);
    return SW_OK;
  }
  printf(
      "decisions, mask %s, protocol %s, %d instances in lock-step, prefix %d, "
      "blocks of %d tokens, %d queries a decision, %d threads, %s kernels\n"
      "  with the cache           %.1f decisions/s, %.2f ms each, %.1f useful "
      "GFLOP/s of %.1f (%.1f %%)\n",
      v->mask, b->cumulative ? "cumulative" : "rebuilt", v->batch, v->prefix,
      v->block, v->queries, v->threads, kernels->name, 1 / cached, cached * 1e3,
      b->flops / cached / 1e9, peak, 100 * b->flops / cached / 1e9 / peak);
  if (!b->cumulative)
    printf(
        "  without                  %.1f decisions/s, %.1f ms each (%.1fx)\n"
        "  of its FLOP limit        %.2f of %.1fx\n",
        1 / plain, plain * 1e3, plain / cached, plain / cached / flop_limit(b),
        flop_limit(b));
  if (v->profile)
    sw_bench_profile_print(&b->profile, "decision", v->threads, peak);
  return SW_OK;
}

static int run(const sw_command *self, int argc, char **argv) {
  bench_values v;
  sw_list rest = {0};
  sw_err err = {0};
  int code = sw_command_parse(self, argc, argv, &v, NULL, &rest);
  if (code >= 0) return code;
  if (sw_bench_kernels(v.kernels, &err)) return sw_command_fail(&err);
  bench b = {.v = &v, .cumulative = !strcmp(v.protocol, "cumulative")};
  if (!b.cumulative && strcmp(v.protocol, "rebuilt")) {
    sw_fail(&err, SW_USAGE, "protocol %s does not exist", v.protocol);
    sw_hint(&err, "choose rebuilt or cumulative");
    return sw_command_fail(&err);
  }
  if (v.profile) nn_profile_start();
  code = measure_all(&b, &err);
  if (code) code = sw_command_fail(&err);
  free(b.token);
  free(b.seq);
  free(b.logits);
  sw_model_free(b.model);
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
        "the rows and unmasked pairs that are not in the cache yet.",
    .options = table,
    .option_count = COUNT,
    .run = run,
};
