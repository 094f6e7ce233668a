/* Training options, one table: the struct, the parser, presets, run cards and
 * the fingerprint that guards a resume all come from it. */
#ifndef SW_TRAIN_CONFIG_H
#define SW_TRAIN_CONFIG_H
#include <stddef.h>
#include "base/options.h"
#include "model/family.h"
#include "model/optim.h"
#include "model/shape_options.h"
#include "trace/dataset.h"
#include "trace/reading.h"

/* Rows that are a model's. A family takes those that its own table has under
 * the same name; the rest of its options come by --model-option. */
/* clang-format off */
#define SW_TRAIN_SHAPE_OPTIONS(X)                                              \
  SW_POSITION_INIT_ROW(X, "sinusoid", "what the learned position table starts from") \
  SW_WIDTH_ROW(X, "128")                            \
  SW_LAYERS_ROW(X, "3")                           \
  SW_HEADS_ROW(X, "4")                    \
  SW_FFN_ROW(X)                   \
  SW_SLOTS_ROW(X, "-1", "slots; -1: 32, or 0 for causal-noslot") \
  SW_MEMORY_ROW(X, "slot memory: registers a position (causal-noslot only); 0: none") \
  SW_MEMORY_WIDTH_ROW(X) \
  SW_MEMORY_SHARED_ROW(X, "1: all positions share the registers, which leaks later tokens (for comparison)") \
  SW_MEMORY_HEADS_ROW(X) \
  SW_MEMORY_GATE_ROW(X, "where the memory's write gates start (before the sigmoid)")
/* clang-format on */

/* Rows that change the result. */
/* clang-format off */
#define SW_TRAIN_RESULT_OPTIONS(X)                                             \
  SW_TRAIN_SHAPE_OPTIONS(X)                                                    \
  X(architecture, TEXT, "architecture", "slot-decoder", 0, 0, "", "family of the model (--list-architectures)") \
  X(model_option, LIST, "model-option", "", 0, 0, "", "NAME=VALUE: an option of the family; may be repeated") \
  X(mask, TEXT, "mask", "ssa", 0, 0, "", "attention mask (statewise show mask)") \
  X(position_kind, TEXT, "position-kind", "", 0, 0, "", "how tokens are numbered: standard, block-relative, block-first, rotary, both or none; default: block-relative for block-local masks, else standard") \
  X(window, INT, "window", "256", 1, 1000000, "", "window of the swa masks, in tokens") \
  X(table, INT, "table", "0", 0, 10000000, "", "rows of the position table; 0: as the data needs") \
  X(steps, LONG, "steps", "0", 0, 1e9, "", "optimizer steps; 0: from --epochs") \
  X(until, CHOICE, "until", "steps", 0, 0, "steps|flat", "when training ends: after its steps, or when the validation loss stops improving; then the rate decays") \
  X(cap_tokens, LONG, "cap-tokens", "0", 0, 9e15, "", "--until flat: about the most tokens of training, the decay included (steps by the mean length of what is trained on); 0: those of --steps") \
  X(flat_gain, REAL, "flat-gain", "0", 0, 10, "", "--until flat: less than this gain of the loss counts as none, also where it is more than one per cent") \
  X(epochs, REAL, "epochs", "1", 0, 1e6, "", "passes over the data when --steps is 0") \
  X(batch, INT, "batch", "8", 1, 65536, "", "traces a step")                   \
  X(lr, REAL, "lr", "1e-3", 0, 10, "", "peak learning rate")                   \
  X(optimizer, CHOICE, "optimizer", "adamw", 0, 0, "adamw|muon", "how the layers' matrices step (the rest is always AdamW)") \
  X(momentum, REAL, "momentum", "0.95", 0, 1, "", "Muon's momentum") \
  X(matrix_rate, REAL, "matrix-rate", "1", 0, 1000, "", "Muon: learning rate of the matrices over --lr") \
  X(beta1, REAL, "beta1", "0.9", 0, 0.999999, "", "AdamW beta 1")              \
  X(beta2, REAL, "beta2", "0.999", 0, 0.999999, "", "AdamW beta 2")            \
  X(eps, REAL, "eps", "1e-8", 1e-30, 1, "", "AdamW epsilon")                   \
  X(weight_decay, REAL, "weight-decay", "0.01", 0, 10, "", "decoupled weight decay") \
  X(clip, REAL, "clip", "1", 0, 1e9, "", "gradient norm limit; 0: none")       \
  X(warmup, REAL, "warmup", "0.06", 0, 1, "", "share of the steps that warms up") \
  X(dropout, REAL, "dropout", "0.1", 0, 0.9, "", "dropout at every site")      \
  X(prefix_dropout, REAL, "prefix-dropout", "0", 0, 1, "", "share of traces trained with the prefix hidden from the blocks: block-local masks become block-only; under those that read history slots, where the mask has them, keep what they read of it") \
  X(prefix_reveal, REAL, "prefix-reveal", "0", 0, 1, "", "share of the steps before any trace shows the prefix to the blocks (hidden as by --prefix-dropout)") \
  X(view, CHOICE, "view", "full", 0, 0, "full|state-one|state-all", "whole traces, one block of each, or all blocks apart") \
  X(sample, LONG, "sample", "0", 0, 1e12, "", "state-all: a uniform sample of that many blocks; 0: all") \
  X(first_blocks, LONG, "first-blocks", "0", 0, 1e9, "", "train on the first K blocks of each trace; 0: all") \
  X(match_tokens, FLAG, "match-tokens", "1", 0, 0, "", "with --first-blocks: more steps, so that as many supervised tokens are seen") \
  X(history, TEXT, "history", "full", 0, 0, "", "what training shows of earlier blocks: full block-dropout sliding-window null prefix-only transplant transplant-partial") \
  X(history_matched, FLAG, "history-matched", "1", 0, 0, "", "a reduction keeps every supervised action (0: as the release)") \
  X(history_p, REAL, "history-p", "0.5", 0, 1, "", "probability of block-dropout and the transplants") \
  X(history_window, LONG, "history-window", "3", 1, 1e9, "", "blocks kept by sliding-window") \
  X(contrastive, REAL, "contrastive", "0", 0, 1e6, "", "weight of the invariance objective: equal answers after another trace's history; 0: off") \
  X(contrastive_release, FLAG, "contrastive-release", "0", 0, 0, "", "the published objective: action tokens of the last block only") \
  X(verify, REAL, "verify", "0", 0, 1e6, "", "weight of the verify head's loss: it learns which states are dead (`gen --viability`), or without verdicts where the expert goes back; 0: no head") \
  X(facts, REAL, "facts", "0", 0, 1e6, "", "weight of facts on the way to a decision that the domain knows (sat: values of the literals and clauses that a block shows), asked for beside the targets; 0: none") \
  X(facts_share, REAL, "facts-share", "1", 0, 1, "", "share of the steps that ask for facts, from the first on") \
  X(decision_weight, REAL, "decision-weight", "1", 0, 1e6, "", "weight of the targets that end a scratchpad or stand behind it, over that of the scratchpad's others, which are many; the losses that are shown have none") \
  X(pad_positions, FLAG, "release-pad-positions", "0", 0, 0, "", "count padding as prefix, as the release does") \
  X(valid_share, REAL, "valid-share", "0.1", 0, 0.9, "", "share of the traces kept for validation") \
  X(valid_limit, LONG, "valid-limit", "64", 0, 1e9, "", "validation traces used; 0: all") \
  X(valid_every, LONG, "valid-every", "0", 0, 1e9, "", "steps between validations; 0: a tenth of the run") \
  SW_SEED_ROW(X, "42", "initialisation, order and dropout") \
  X(init, TEXT, "init", "", 0, 0, "", "start from these weights instead of noise") \
  X(init_names, FLAG, "init-names", "0", 0, 0, "", "with --init: names that those weights have never seen (variables, clauses) begin as those they have are spread")
/* clang-format on */

/* Rows that do not. */
/* clang-format off */
#define SW_TRAIN_RUN_OPTIONS(X)                                                \
  X(data, TEXT, "data", "", 0, 0, "", "data set written by `statewise gen`")   \
  X(output, TEXT, "out", "", 0, 0, "output", "run directory (-o)")             \
  X(label, TEXT, "label", "", 0, 0, "", "name of the model in tables")         \
  SW_THREADS_ROW(X, "threads; 0: all cores")         \
  X(time_limit, REAL, "time-limit", "0", 0, 1e9, "", "seconds after which the run stops with a checkpoint; 0: none") \
  X(checkpoint_seconds, REAL, "checkpoint-seconds", "30", 0, 1e9, "", "seconds between checkpoints") \
  X(best_loss, REAL, "best-loss", "0", 0, 1e9, "", "lowest validation loss known on these traces: a run that is flat well above it ends as `plateau`; 0: not known") \
  X(keep_every, LONG, "keep-every", "0", 0, 1e9, "", "steps between copies of the weights that stay in at-STEP.safetensors; 0: none")
/* clang-format on */

#define SW_TRAIN_OPTIONS(X) SW_TRAIN_RUN_OPTIONS(X) SW_TRAIN_RESULT_OPTIONS(X)

typedef struct sw_train_options {
  SW_TRAIN_OPTIONS(SW_OPTION_FIELD)
} sw_train_options;

extern const sw_option sw_train_table[];
extern const int sw_train_table_count;

/* Room for the options of any family. */
typedef union sw_plan_values {
  max_align_t align;
  unsigned char bytes[512];
} sw_plan_values;

/* Options resolved against a data set: what the run really uses. */
typedef struct sw_train_plan {
  sw_train_options options;
  sw_reading reading;              /* what validation and the files have */
  sw_mask_kind hidden_prefix_mask; /* for items that hide the prefix */
  int keep_last; /* the run leaves its last weights, not the best validated */
  const sw_family *family;
  sw_plan_values config; /* the family's options, resolved */
  sw_plan_values start;  /* and where it starts */
  int32_t vocab;         /* of the data */
  sw_optim_config optim;
  int64_t train_items, valid_items, valid_every;
  int64_t steps;        /* of the schedule; --until flat: the cap */
  uint64_t fingerprint; /* of result options and data hash */
  /* Hash of the weights that --init names; 0: none, or the file is gone. It is
   * not in the fingerprint, because a run resumes without that file. */
  uint64_t init_hash;
} sw_train_plan;

/* plan_family.c: the family and its options. */
int sw_train_plan_family(sw_train_plan *plan, const sw_dataset *set,
                         sw_err *err);
/* A preset's sizes are the decoder's. Sizes that the chosen family does not
 * have, and that the user did not give (`given` as in the parser, may be NULL),
 * return to their defaults. */
int sw_train_drop_shape(sw_train_options *options, const unsigned char *given,
                        sw_err *err);
/* The model's name in tables: --label, or what sets it apart from others. */
const char *sw_train_plan_label(const sw_train_plan *plan);
/* How the item drawn `at`-th of all is read in step `step`: as the plan says,
 * or with its prefix hidden (--prefix-reveal, --prefix-dropout). */
sw_reading sw_train_plan_reading(const sw_train_plan *plan, int64_t step,
                                 int64_t at);
/* Does this step ask for facts? */
int sw_train_plan_facts(const sw_train_plan *plan, int64_t step);

#endif
