/* Presets (see preset.h). What was tried to find these numbers, and what it
 * gave, is in docs/notebook/training.md. */
#include "train/preset.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/ranks.h"
#include "domains/produced.h"

#define SETTINGS(...) ((const char *const[]){__VA_ARGS__, NULL})
/* The published sizes and schedule, with the release's positions. */
#define RELEASE_SCHEDULE                                           \
  "epochs", "30", "lr", "3e-4", "dropout", "0.1", "position-kind", \
      "block-relative", "release-pad-positions", "1", "position-init", "noise"
#define RELEASE                                                         \
  "d", "256", "layers", "6", "heads", "8", "slots", "32", "batch", "8", \
      RELEASE_SCHEDULE
#define RELEASE_BLOCKS                                                   \
  "d", "128", "layers", "4", "heads", "4", "slots", "16", "batch", "32", \
      RELEASE_SCHEDULE
/* What two cores learn from in minutes: two layers, sinusoids at the start,
 * Muon, the prefix hidden for the first 30 % of the steps and in 30 % of the
 * traces after that. */
#define SMALL                                                                 \
  "d", "128", "layers", "2", "heads", "4", "slots", "8", "optimizer", "muon", \
      "matrix-rate", "4", "lr", "5e-3", "dropout", "0", "prefix-dropout",     \
      "0.3", "prefix-reveal", "0.3", "valid-limit", "32"

/* Sizes from 50 variables on, where the recipe above leaves its plateau with
 * one seed in three: positions that mean the same behind any prefix, smaller
 * steps, and the copying learned on blocks alone. */
#define SMALL_ROTARY                                                     \
  SMALL, "position-kind", "rotary", "matrix-rate", "1", "prefix-reveal", \
      "0.4", "prefix-dropout", "0.5"

/* Blocks that hold the problem: a layer to look up a literal's value, one to
 * count what is left of a clause, one to look for the least of them, and one to
 * decide; the facts on the way are what makes each of them learned. */
#define READER                                                               \
  "mask", "block-only", "position-kind", "rotary", "d", "64", "layers", "4", \
      "heads", "2", "slots", "0", "optimizer", "muon", "matrix-rate", "2",   \
      "lr", "5e-3", "dropout", "0", "warmup", "0.02", "facts", "3",          \
      "valid-limit", "32"
/* Small problems among larger ones: what is learned on them first holds there
 * too. */
#define SMALL_FULL(most)                                                     \
  SETTINGS("preset", "fair", "family", "small", "n", most, "format", "full", \
           "layout", "reread", "error", "0.3")

/* Blocks whose prefixes differ in length: their tokens count from 0. */
#define SMALL_FIRST SMALL, "position-kind", "block-first"

#define PARSING_TRAIN(steps)                                           \
  SETTINGS(SMALL_FIRST, "table", "1024", "layers", "3", "batch", "16", \
           "steps", steps)

/* The expert `first`, and only what a model decides supervised. */
#define COLORING(...) \
  SETTINGS("preset", "fair", "loss", "action", "expert", "first", __VA_ARGS__)
/* Whole searches: states with one move left come late in them. */
#define BLOCKS(n) \
  SETTINGS("preset", "fair", "n", n, "too-long", "cut", "max-blocks", "600")
#define BLOCKS_TRAIN(steps)                                                    \
  SETTINGS(SMALL_FIRST, "prefix-reveal", "0.2", "table", "1024", "batch", "4", \
           "steps", steps)

/* Half of the moves are drawn, and not learned: states off the shortest plan,
 * and ways back. */
#define BLOCKS_GOAL(n) \
  SETTINGS("preset", "fair", "n", n, "expert", "goal", "error", "0.5")
#define BLOCKS_GOAL_TRAIN(batch_, steps_)                                      \
  SETTINGS("d", "128", "layers", "3", "heads", "4", "slots", "8", "optimizer", \
           "muon", "lr", "5e-3", "dropout", "0", "position-kind", "rotary",    \
           "valid-limit", "256", "valid-every", "50", "batch", batch_,         \
           "steps", steps_)

/* Trees have one block behind the prefix, so the mask is part of the preset. */
/* clang-format off */
#define TREE_TRAIN(steps)                                                      \
  SETTINGS("mask", "causal-noslot", "d", "64", "layers", "3", "heads", "4",    \
           "ffn", "64", "batch", "16", "steps", steps, "lr", "4e-3", "dropout", \
           "0")
/* clang-format on */
/* Random trees: with AdamW neither order is learned in this many steps. */
#define TREE_MUON                                                            \
  SETTINGS("mask", "causal-noslot", "d", "64", "layers", "3", "heads", "4",  \
           "ffn", "64", "batch", "16", "steps", "4000", "optimizer", "muon", \
           "matrix-rate", "4", "lr", "5e-3", "dropout", "0")
#define TREE_PAPER                                                           \
  SETTINGS("mask", "causal-noslot", "d", "256", "layers", "4", "heads", "4", \
           "ffn", "256", "batch", "16", "epochs", "50", "lr", "3e-4",        \
           "dropout", "0.1")

/* A model of the open choices of a state: small, on few judged traces. */
#define JUDGE                                                                 \
  SETTINGS("architecture", "mlp", "model-option", "features=choice",          \
           "model-option", "width=64", "verify", "1", "batch", "64", "steps", \
           "1500")

/* The same with attention over all open choices of a state. */
#define LITERALS                                                          \
  SETTINGS("architecture", "literal-transformer", "verify", "1", "batch", \
           "64", "steps", "600", "valid-limit", "60", "valid-every", "100")

/* A model of whole states, for many judged searches (gen --play). */
#define STATES                                                                \
  SETTINGS("architecture", "mlp", "model-option", "width=128", "verify", "1", \
           "batch", "64", "steps", "4000")

/* A model of figures that name no variable, on the same searches: few weights,
 * flat soon. */
#define FIGURES                                                                \
  SETTINGS("architecture", "mlp", "model-option", "features=lookahead",        \
           "model-option", "width=64", "verify", "1", "batch", "256", "steps", \
           "1000", "valid-limit", "100", "valid-every", "100")

/* A verify head beside the policy, from a model that plays already (--init):
 * smaller steps, nothing hidden. */
#define HEAD                                                                   \
  SETTINGS(SMALL_ROTARY, "lr", "2e-3", "prefix-reveal", "0", "prefix-dropout", \
           "0", "verify", "1", "batch", "4", "steps", "100", "valid-limit",    \
           "16", "valid-every", "50")

const sw_preset sw_presets[] = {
    {"quickstart", "3-SAT n=8: the effect in minutes", "sat",
     SETTINGS("preset", "fair", "n", "8"), 20000,
     SETTINGS(SMALL, "batch", "16", "steps", "400")},
    {"sat-12-fair", "3-SAT n=12, evidence format: for rivals, until flat",
     "sat", SETTINGS("preset", "fair", "n", "12"), 60000,
     SETTINGS(SMALL, "matrix-rate", "1", "lr", "2.5e-3", "batch", "16", "steps",
              "4000")},
    {"sat-12-full",
     "3-SAT n=6 to 12: the assignment alone, the problem read again in every "
     "block",
     "sat", SMALL_FULL("12"), 20000,
     SETTINGS(READER, "batch", "8", "steps", "1200")},
    {"sat-20-full", "the same for n=6 to 20, from a model of fewer (--init)",
     "sat", SMALL_FULL("20"), 30000,
     SETTINGS(READER, "lr", "4e-3", "batch", "4", "steps", "1200")},
    {"sat-20-fair", "3-SAT n=20, evidence format, clause expert", "sat",
     SETTINGS("preset", "fair", "n", "20"), 6000,
     SETTINGS(SMALL, "batch", "16", "steps", "300")},
    {"sat-30-fair", "3-SAT n=30, evidence format, clause expert", "sat",
     SETTINGS("preset", "fair", "n", "30"), 6000,
     SETTINGS(SMALL, "batch", "8", "steps", "300")},
    {"sat-50-fair", "3-SAT n=50, evidence format, clause expert", "sat",
     SETTINGS("preset", "fair", "n", "50"), 8000,
     SETTINGS(SMALL_ROTARY, "batch", "4", "steps", "700")},
    {"sat-75-fair", "3-SAT n=75 at the threshold, evidence format", "sat",
     SETTINGS("preset", "fair", "n", "75", "family", "phase"), 6000,
     SETTINGS(SMALL, "batch", "4", "steps", "1500")},
    {"sat-50-enriched", "3-SAT n=50, enriched format, vsids expert", "sat",
     SETTINGS("preset", "fair", "n", "50", "format", "enriched", "expert",
              "vsids", "max-blocks", "240"),
     6000, SETTINGS(SMALL, "batch", "4", "steps", "500")},
    {"sat-mixture", "3-SAT n=20 to 100, ratio 3.5 to 4.5: the shipped model",
     "sat", SETTINGS("preset", "fair", "family", "mixture", "n", "100"), 12000,
     SETTINGS(SMALL_ROTARY, "batch", "4", "steps", "600", "prefix-reveal",
              "0.5", "valid-every", "50")},
    {"sat-20-release", "3-SAT n=20 as published", "sat",
     SETTINGS("preset", "release", "n", "20"), 5000, SETTINGS(RELEASE)},
    {"sat-30-release", "3-SAT n=30 as published", "sat",
     SETTINGS("preset", "release", "n", "30"), 5000, SETTINGS(RELEASE)},
    {"sat-50-release", "3-SAT n=50 as published", "sat",
     SETTINGS("preset", "release", "n", "50"), 5000, SETTINGS(RELEASE)},
    {"sat-75-release", "3-SAT n=75 as published", "sat",
     SETTINGS("preset", "release", "n", "75", "family", "phase"), 5000,
     SETTINGS(RELEASE)},
    {"coloring-mixture",
     "graph colouring n=20 to 50, mean degree 7 to 13: the shipped model",
     "coloring", COLORING("n", "50", "family", "mixture"), 8000,
     SETTINGS(SMALL_FIRST, "table", "2048", "batch", "8", "steps", "500")},
    {"coloring-20-fair",
     "graph colouring n=20, so dense that many searches go back: for rivals",
     "coloring", COLORING("n", "20", "density", "0.5"), 20000,
     SETTINGS(SMALL_FIRST, "batch", "8", "steps", "4000")},
    {"coloring-30-fair", "graph colouring n=30, 4 colours, paper format",
     "coloring", COLORING("n", "30"), 6000,
     SETTINGS(SMALL_FIRST, "batch", "8", "steps", "400")},
    {"coloring-30-release", "graph colouring n=30 as published", "coloring",
     SETTINGS("preset", "release", "n", "30"), 5000, SETTINGS(RELEASE)},
    {"coloring-50-fair",
     "graph colouring n=50: few retries; coloring-mixture has more", "coloring",
     COLORING("n", "50"), 6000,
     SETTINGS(SMALL_FIRST, "batch", "4", "steps", "300")},
    {"coloring-50-release", "graph colouring n=50 as published", "coloring",
     SETTINGS("preset", "release", "n", "50"), 5000, SETTINGS(RELEASE)},
    {"blocks-5-fair", "Blocks World, 5 blocks", "blocks", BLOCKS("5"), 3000,
     BLOCKS_TRAIN("500")},
    {"blocks-5-goal", "Blocks World, 5 blocks, expert that looks at the goal",
     "blocks", BLOCKS_GOAL("5"), 40000, BLOCKS_GOAL_TRAIN("64", "700")},
    {"blocks-7-goal", "Blocks World, 7 blocks, expert that looks at the goal",
     "blocks", BLOCKS_GOAL("7"), 40000, BLOCKS_GOAL_TRAIN("32", "1200")},
    {"blocks-5-release", "Blocks World, 5 blocks, as published", "blocks",
     SETTINGS("preset", "release", "n", "5"), 5000, SETTINGS(RELEASE_BLOCKS)},
    {"blocks-7-fair", "Blocks World, 7 blocks", "blocks", BLOCKS("7"), 2000,
     BLOCKS_TRAIN("250")},
    {"blocks-7-release", "Blocks World, 7 blocks, as published", "blocks",
     SETTINGS("preset", "release", "n", "7"), 5000, SETTINGS(RELEASE_BLOCKS)},
    {"parsing-fair", "backtracking parsing, tried format", "parsing",
     SETTINGS("preset", "fair"), 5000, PARSING_TRAIN("500")},
    {"parsing-rival", "the same with four times the traces: for rivals",
     "parsing", SETTINGS("preset", "fair"), 20000, PARSING_TRAIN("5000")},
    {"parsing-release", "backtracking parsing as published", "parsing",
     SETTINGS("preset", "release"), 5000, SETTINGS(RELEASE)},
    {"trees-bfs-fair", "20-node trees, breadth-first", "trees",
     SETTINGS("family", "bfs"), 20000, TREE_MUON},
    {"trees-dfs-fair", "20-node trees, depth-first", "trees",
     SETTINGS("family", "dfs"), 20000, TREE_MUON},
    {"trees-star-fair", "stars with 16 leaves, simple encoding", "trees",
     SETTINGS("arity", "16"), 5000, TREE_TRAIN("1200")},
    {"trees-verbose-fair", "stars with 16 leaves, verbose encoding", "trees",
     SETTINGS("arity", "16", "format", "verbose"), 3000, TREE_TRAIN("150")},
    {"trees-cover-fair", "stars with 8 leaves, random walk", "trees",
     SETTINGS("arity", "8", "format", "cover"), 5000, TREE_TRAIN("1200")},
    {"trees-bfs-release", "20-node trees, breadth-first, published size",
     "trees", SETTINGS("family", "bfs", "preset", "release"), 50000,
     TREE_PAPER},
    {"trees-dfs-release", "20-node trees, depth-first, published size", "trees",
     SETTINGS("family", "dfs", "preset", "release"), 50000, TREE_PAPER},
    {"trees-star-release", "stars with 64 leaves, published size", "trees",
     SETTINGS("arity", "64", "preset", "release"), 50000, TREE_PAPER},
    {"sat-50-judge", "3-SAT n=50 at the threshold: which states are dead",
     "sat",
     SETTINGS("preset", "fair", "n", "50", "family", "phase", "ratio", "4.26"),
     300, JUDGE},
    {"sat-75-judge", "3-SAT n=75 at the threshold: which states are dead",
     "sat",
     SETTINGS("preset", "fair", "n", "75", "family", "phase", "ratio", "4.26"),
     300, JUDGE},
    {"sat-50-literals", "3-SAT n=50 at the threshold: attention over literals",
     "sat",
     SETTINGS("preset", "fair", "n", "50", "family", "phase", "ratio", "4.26"),
     300, LITERALS},
    {"sat-50-states", "3-SAT n=50 at the threshold: whole states, for searches",
     "sat",
     SETTINGS("preset", "fair", "n", "50", "family", "phase", "ratio", "4.26"),
     3000, STATES},
    {"sat-75-states", "3-SAT n=75 at the threshold: whole states, for searches",
     "sat",
     SETTINGS("preset", "fair", "n", "75", "family", "phase", "ratio", "4.26"),
     3000, STATES},
    {"sat-75-figures", "3-SAT n=75 at the threshold: figures, for searches",
     "sat",
     SETTINGS("preset", "fair", "n", "75", "family", "phase", "ratio", "4.26"),
     3000, FIGURES},
    {"sat-50-head", "3-SAT n=50 at the threshold: a verify head (--init)",
     "sat",
     SETTINGS("preset", "fair", "n", "50", "family", "phase", "ratio", "4.26",
              "max-blocks", "32"),
     1500, HEAD},
};
const int sw_preset_count = sizeof sw_presets / sizeof *sw_presets;

static const sw_preset *others;

void sw_presets_use(const sw_preset *more) { others = more; }

const sw_preset *sw_preset_find(const char *name) {
  for (int i = 0; i < sw_preset_count; i++)
    if (!strcmp(sw_presets[i].name, name)) return &sw_presets[i];
  for (const sw_preset *p = others; p && p->name; p++)
    if (!strcmp(p->name, name)) return p;
  return NULL;
}

static int index_of(const sw_option *table, int count, const char *name) {
  for (int i = 0; i < count; i++)
    if (!strcmp(table[i].name, name)) return i;
  return -1;
}

int sw_apply_settings(const sw_option *table, int count,
                      const char *const *settings, const unsigned char *given,
                      void *values, sw_err *err) {
  for (; *settings; settings += 2) {
    int at = index_of(table, count, settings[0]);
    if (at < 0)
      return sw_fail(err, SW_INTERNAL, "preset setting `%s` is not an option",
                     settings[0]);
    if (given && given[at]) continue;
    SW_TRY(sw_options_set(table, count, settings[0], settings[1], values, err));
  }
  return SW_OK;
}

static int has_no_table(const char *position_kind) {
  int kind = position_kind ? sw_position_from_name(position_kind) : -1;
  if (kind < 0) return 0; /* the mask's default, or an error later */
  sw_position_enters enters =
      sw_position_row_of((sw_position_kind)kind)->enters;
  return enters == SW_ENTERS_ROTATION || enters == SW_ENTERS_NOT;
}

int sw_preset_apply(const char *name, const unsigned char *given,
                    sw_train_options *options, char *data, size_t room,
                    sw_err *err) {
  const sw_preset *preset = sw_preset_find(name);
  if (!preset) {
    const char *names[64];
    int count = 0;
    for (; count < sw_preset_count && count < 64; count++)
      names[count] = sw_presets[count].name;
    const char *near = sw_nearest(name, names, count);
    sw_fail(err, SW_USAGE, "there is no preset `%s`", name);
    return sw_hint(err, "did you mean %s? (statewise train --list)",
                   near ? near : sw_presets[0].name);
  }
  SW_TRY(sw_apply_settings(sw_train_table, sw_train_table_count,
                           preset->train_settings, given, options, err));
  SW_TRY(sw_train_drop_shape(options, given, err));
  /* "block-first" and the table that it needs are for block-local masks; others
   * keep their own default and a table as long as the data's. */
  int mask = options->mask ? sw_mask_from_name(options->mask) : -1;
  int kind = index_of(sw_train_table, sw_train_table_count, "position-kind");
  int rows = index_of(sw_train_table, sw_train_table_count, "table");
  int own_rows = !(given && given[rows]);
  if (options->position_kind && mask >= 0 && !(given && given[kind]) &&
      !sw_mask_block_local((sw_mask_kind)mask) &&
      !strcmp(options->position_kind, sw_position_name(SW_POS_BLOCK_FIRST))) {
    options->position_kind = NULL;
    if (own_rows) options->table = 0;
  }
  /* Nor does the preset's table belong to positions that have none. */
  if (own_rows && has_no_table(options->position_kind)) options->table = 0;
  if (!options->data) {
    snprintf(data, room, "out/data/%s-%lld.safetensors", preset->name,
             (long long)options->seed);
    options->data = data;
  }
  return SW_OK;
}

int sw_preset_task(const sw_preset *preset, const sw_domain **domain,
                   sw_domain_options *options, sw_err *err) {
  *domain = sw_domain_find(preset->domain);
  if (!*domain)
    return sw_fail(err, SW_INTERNAL, "preset %s: no domain `%s`", preset->name,
                   preset->domain);
  sw_domain_defaults(*domain, options);
  SW_TRY(sw_apply_settings((*domain)->options, (*domain)->option_count,
                           preset->domain_settings, NULL, options, err));
  return (*domain)->resolve(options, err);
}

static int wants_verdicts(const sw_preset *preset) {
  for (const char *const *s = preset->train_settings; *s; s += 2)
    if (!strcmp(s[0], "verify")) return 1;
  return 0;
}

int sw_preset_data(const sw_preset *preset, const char *path, uint64_t seed,
                   const sw_produce_options *over,
                   const sw_produce_hooks *hooks, sw_err *err) {
  int have = sw_path_exists(path); /* all ranks go by rank 0's answer */
  SW_TRY(sw_ranks_share(&have, sizeof have, 0, err));
  const sw_domain *domain;
  sw_domain_options options;
  SW_TRY(sw_preset_task(preset, &domain, &options, err));
  if (have && !sw_path_exists(path)) return SW_OK; /* it is on rank 0's disk */
  /* With `over` the traces of other sets come first, so the count is open, and
   * the seed names the stream of the new ones. */
  sw_produced_want want = {.count = over ? 0 : preset->traces,
                           .seed = over ? &seed : NULL,
                           .viability = wants_verdicts(preset)};
  if (have) return sw_produced_check(domain, &options, &want, path, err);
  SW_TRY(sw_make_parents(path, err));
  sw_produce_options produce = over ? *over : (sw_produce_options){0};
  produce.count = preset->traces;
  produce.seed = seed;
  produce.viability = wants_verdicts(preset);
  sw_produce_stats stats;
  return sw_produce(domain, &options, &produce, path, hooks, &stats, err);
}
