/* The training matrix: every model that an experiment needs, once. Experiments
 * refer to a row by its id, so that a model is trained once whatever it is
 * asked. The recipe of the small scale comes over the preset's (models that
 * read history learn best at half the rate, docs/notebook/training.md). Hours of
 * the small scale are those of the cap: processor time of single steps,
 * measured for the presets, times the steps, over two cores. */
#include <stddef.h>
#include <string.h>
#include "repro/experiment.h"

#define NOSLOT "mask=causal-noslot slots=0"
/* The causal mask of the release: slots that read everything, block-relative
 * positions, padding counted as prefix. */
#define LEAKY \
  "mask=causal-release position-kind=block-relative release-pad-positions=1"
/* Trained until the validation loss stops improving; the steps are the cap,
 * the same for all rows of a table. */
#define FLAT(cap) "until=flat steps=" cap
#define SLOW(cap) FLAT(cap) " lr=2.5e-3"
/* Losses that go to zero: less than a thousandth is no gain. */
#define VANISHING " flat-gain=1e-3"
/* The published size of model, on the small scale's traces and curriculum. */
#define LARGE " d=256 layers=6 heads=8 slots=32"
#define RIVAL(cap, keep) FLAT(cap) " keep-every=" keep
/* The recipe with which a causal model leaves its plateau at n=50, the same for
 * SSA: a schedule of its own length, no rule of flatness. */
#define ROTARY(mask_)                                         \
  "mask=" mask_                                               \
  " position-kind=rotary matrix-rate=1 lr=2.5e-3 steps=2400 " \
  "keep-every=300"
/* One supervised block per item, the same number of actions in every row. */
#define MATCHED(cap) FLAT(cap) " batch=48 prefix-reveal=0.5 prefix-dropout=0.5"

/* The same where blanked blocks keep their place: items as long as a trace cost
 * ten times as much at n=50, so there are a third as many. */
#define BLANKED(cap) FLAT(cap) " batch=16 prefix-reveal=0.5 prefix-dropout=0.5"

/* The published depth; its mode is the mask's (docs/model.md). */
#define LSTM(mask) "architecture=lstm mask=" mask " layers=4"

/* Models that read states: the published optimizer of the baselines on features
 * and of the factor graph network; no curriculum, there is no prefix to hide.
 */
#define PLAIN "optimizer=adamw prefix-reveal=0 prefix-dropout=0 clip=0"
#define FEATURES(family) \
  "architecture=" family \
  " epochs=50 batch=256 lr=1e-3 weight-decay=0 warmup=0 " PLAIN
#define RECORDS(cap) FLAT(cap) " valid-limit=3000"
#define GRAPH(leak)                                            \
  "architecture=factor-gnn model-option=leak=" leak            \
  " epochs=30 batch=32 lr=3e-4 weight-decay=0.01 warmup=0.06 " \
  "dropout=0.1 " PLAIN
/* Six hundred steps, or until it is flat: Muon as for the decoders; validating
 * costs as much as learning from a third as many graphs, so it is done seldom.
 */
#define GRAPHS "lr=1e-3 batch=16 dropout=0 valid-limit=8 steps=600"
#define GRAPHS_FLAT(cap)                                        \
  FLAT(cap)                                                     \
  " optimizer=muon matrix-rate=4 lr=2.5e-3 batch=16 dropout=0 " \
  "valid-limit=24 valid-every=100"

/* A position's own registers cost their number times their width at every
 * token, and each head as many scores as all tokens together: narrow ones with
 * two heads of the width that the decoder's have, and few steps. */
#define REGISTERS(cap, size)  \
  "steps=" cap " batch=" size \
  " memory-width=32 memory-heads=2 memory-gate=0 valid-limit=16"

/* Long traces that AdamW does not learn in so many steps: it ends by always
 * going on (one decision in 128, or in 64, is another). */
#define QUICKER " optimizer=muon matrix-rate=4 lr=5e-3"

/* The rungs with the problem in front: the size of the model that reads the
 * problem again (two heads of 32, wide enough for a direction per variable), so
 * that rows differ in what is shown and to whom; rotary positions, with which
 * copying is learned soonest under either mask. Scratchpads that go through all
 * clauses are seven times as long, and every token of them is a target: fewer
 * traces a step. */
#define AHEAD(n) "family=planted layout=prefix n=" n
#define RUNG(mask)                                       \
  "mask=" mask                                           \
  " position-kind=rotary slots=8 d=64 layers=4 heads=2 " \
  "batch=16 matrix-rate=1 warmup=0.06 facts=0"
#define SCAN(mask) RUNG(mask) " batch=4"
/* Copied from the problem by name, which imitation alone does not find: asked
 * which clause a literal of the problem stands in for as long as it takes, and
 * on small problems first. */
#define SMALLER(n) "family=small layout=prefix n=" n
#define SCAN_FACTS(mask) \
  RUNG(mask) " batch=8 matrix-rate=2 lr=4e-3 facts=1 facts-share=0.6"

/* A scan by the model that reads the problem again: its values are known from
 * the start, copying a clause by its name comes after some hundred steps on a
 * plateau and only then is it looked whether the loss is flat. */
#define AGAIN(batch, rate, from)                                      \
  "view=state-one batch=" batch " facts=1 decision-weight=5 lr=" rate \
  " matrix-rate=2 init-names=1 init="                                 \
  "#" from
#define SCAN_AGAIN(batch, from) AGAIN(batch, "4e-3", from)
#define COPIES(cap) FLAT(cap) VANISHING

/* Presets by scale, and what is generated instead of the preset's. */
#define QUICK \
  { "quickstart", NULL }
#define SAT12 \
  { "sat-12-fair", NULL }
#define LADDER12 \
  { "sat-12-full", NULL }
#define SAT20 \
  { "sat-12-fair", NULL } /* its recipe, another size */
#define SAT50E \
  { "sat-50-enriched", "sat-50-release" }
#define SAT50 \
  { "sat-50-fair", NULL }
#define SAT30 \
  { "sat-30-fair", "sat-30-release" }
#define SAT75 \
  { "sat-75-fair", "sat-75-release" }
#define COLOR20 \
  { "coloring-20-fair", NULL }
#define COLOR30 \
  { "coloring-30-fair", "coloring-30-release" }
#define COLOR50 \
  { "coloring-mixture", "coloring-50-release" }
#define BLOCKS5 \
  { "blocks-5-fair", "blocks-5-release" }
#define BLOCKS7 \
  { "blocks-7-fair", "blocks-7-release" }
#define PARSING_RIVAL \
  { "parsing-rival", "parsing-release" }
#define SATMIX \
  { "sat-mixture", NULL }
#define STARS \
  { "trees-star-fair", "trees-star-release" }
#define ENRICHED "format=enriched expert=vsids max-blocks=240"
/* Random formulas are searched four times as long, and a causal step costs the
 * square of that: traces are cut behind what 4,096 tokens, the budget of every
 * column that asks these models, can show (38 blocks of n=50, 20 of n=75). */
#define RANDOM50 "family=phase ratio=4.26 max-blocks=48"
#define RANDOM75 "format=enriched expert=vsids max-blocks=32"
/* The same for rows of planted formulas in other formats (residual blocks are
 * the longest: 50 of them, minimal ones 74), and for causal models of Blocks
 * World (200 blocks), whose whole searches are three times as long. */
#define RESIDUAL50 "format=residual retry-mark=0 max-blocks=64"
#define MINIMAL50 "format=minimal retry-mark=0 max-blocks=80"
#define SHOWN_BLOCKS "max-blocks=208"
#define STRIPPED "format=stripped expert=vsids max-blocks=240 retry-mark=1"

/* clang-format off */
const sw_trained sw_matrix[] = {
    /* id, label, {presets}, gen, train, recipe, {hours}, needs */
    {"quick-ssa", "SSA", QUICK, NULL, "mask=ssa", NULL, {0.02, 0.02}, NULL},
    {"quick-causal", "causal", QUICK, NULL, "mask=causal position-kind=standard steps=1200 lr=2.5e-3 matrix-rate=1", NULL, {0.05, 0.05}, NULL},

    /* the ladder of evidence */
    {"ladder12-touched", "touched", LADDER12, "format=touched " AHEAD("12"), RUNG("ssa"), FLAT("1500"), {0.2, 0.2}, NULL},
    {"ladder12-touched-facts", "touched, facts", LADDER12, "format=touched " AHEAD("12"), RUNG("ssa") " facts=3", FLAT("1500"), {0.2, 0.2}, NULL},
    {"ladder12-touched-causal", "touched, causal", LADDER12, "format=touched " AHEAD("12"), RUNG("causal"), FLAT("1500"), {0.2, 0.2}, NULL},
    {"ladder12-full", "full", LADDER12, "format=full " AHEAD("12"), RUNG("ssa"), FLAT("3000"), {0.2, 0.2}, NULL},
    {"ladder12-full-causal", "full, causal", LADDER12, "format=full " AHEAD("12"), RUNG("causal"), FLAT("3000"), {0.2, 0.2}, NULL},
    {"ladder12-full-block", "full, the block alone", LADDER12, "format=full " AHEAD("12"), RUNG("block-only"), FLAT("3000"), {0.1, 0.1}, NULL},
    {"ladder12-full-mlp", "MLP on what is left of each clause", SAT12, "format=full", FEATURES("mlp"), RECORDS("8000"), {0.06, 0.06}, NULL},
    {"ladder12-full-mlp-published", "MLP on the published features", SAT12, "format=full", FEATURES("mlp") " model-option=features=published", RECORDS("8000"), {0.06, 0.06}, NULL},
    {"ladder12-full-gnn", "factor GNN, until flat", SAT12, "format=full", GRAPH("0"), GRAPHS_FLAT("3000"), {0.2, 0.2}, NULL},
    {"ladder12-reread", "full, reread", LADDER12, NULL, "facts=0", FLAT("3600"), {0.3, 0.3}, NULL},
    {"ladder12-reread-facts", "full, reread, facts", LADDER12, NULL, NULL, NULL, {0.3, 0.3}, NULL},
    {"ladder12-self", "self", LADDER12, "format=self " AHEAD("12"), RUNG("ssa"), FLAT("3000"), {0.3, 0.3}, NULL},
    {"ladder12-self-causal", "self, causal", LADDER12, "format=self " AHEAD("12"), RUNG("causal"), FLAT("3000"), {0.3, 0.3}, NULL},
    {"ladder12-scan", "self-scan", LADDER12, "format=self-scan " AHEAD("12"), SCAN("ssa"), FLAT("1500"), {0.2, 0.2}, NULL},
    {"ladder12-scan-facts", "self-scan, facts", LADDER12, "format=self-scan " SMALLER("12"), SCAN_FACTS("ssa"), FLAT("1500"), {0.3, 0.3}, NULL},
    {"ladder12-scan-causal", "self-scan, causal, facts", LADDER12, "format=self-scan " SMALLER("12"), SCAN_FACTS("causal"), FLAT("1500"), {0.3, 0.3}, NULL},
    {"ladder8-reread-scan", "self-scan, reread, n=6 to 8", LADDER12, "format=self-scan n=8", SCAN_AGAIN("32", "ladder12-reread-facts"), COPIES("2100"), {0.15, 0.15}, NULL},
    {"ladder12-reread-scan", "self-scan, reread", LADDER12, "format=self-scan", SCAN_AGAIN("16", "ladder8-reread-scan"), COPIES("1000"), {0.15, 0.15}, NULL},
    {"ladder12-reread-self", "self, reread", LADDER12, "format=self", SCAN_AGAIN("32", "ladder12-reread-scan"), COPIES("4000"), {0.15, 0.15}, NULL},
    {"ladder20-touched", "touched, n=20", LADDER12, "format=touched " AHEAD("20"), RUNG("ssa") " batch=8", FLAT("1500"), {0.2, 0.2}, NULL},
    {"ladder20-reread-scan", "self-scan, reread, n=20", {"sat-20-full", NULL}, "format=self-scan", SCAN_AGAIN("12", "ladder12-reread-scan"), COPIES("1500"), {0.2, 0.2}, NULL},
    /* half the rate: names that n=12 never showed are learned by half at the other */
    {"ladder20-reread-self", "self, reread, n=20", {"sat-20-full", NULL}, "format=self", AGAIN("16", "2e-3", "ladder12-reread-scan"), COPIES("3000"), {0.15, 0.15}, NULL},

    /* rivals: every model until it stops improving, weights kept on the way */
    {"sat12-ssa", "SSA", SAT12, NULL, "mask=ssa", RIVAL("4000", "50"), {0.1, 0.1}, NULL},
    {"sat12-causal", "causal", SAT12, NULL, "mask=causal position-kind=standard", RIVAL("4000", "250"), {0.2, 0.2}, NULL},
    {"sat12-rotary", "causal, rotary positions", SAT12, NULL, "mask=causal position-kind=rotary", RIVAL("4000", "250") " lr=5e-3 prefix-reveal=0", {0.2, 0.2}, NULL},
    {"sat12-relative", "causal, block-relative positions", SAT12, NULL, "mask=causal position-kind=block-relative", RIVAL("4000", "0"), {0.2, 0.2}, NULL},
    {"sat12-both", "causal, both positions", SAT12, NULL, "mask=causal position-kind=both", RIVAL("4000", "0"), {0.2, 0.2}, NULL},
    {"sat12-none", "causal, no positions", SAT12, NULL, "mask=causal position-kind=none", RIVAL("4000", "0"), {0.2, 0.2}, NULL},
    {"sat12-noslot", "causal without slots", SAT12, NULL, NOSLOT, RIVAL("4000", "0"), {0.2, 0.2}, NULL},
    {"sat12-leaky", "causal as released", SAT12, NULL, LEAKY, "until=steps steps=4000", {0.2, 0.2}, NULL},
    {"sat20-ssa", "SSA", SAT20, "n=20", "mask=ssa", RIVAL("4000", "0"), {0.15, 0.15}, NULL},
    {"sat20-rotary", "causal, rotary positions", SAT20, "n=20", "mask=causal position-kind=rotary", RIVAL("4000", "0") " lr=5e-3 prefix-reveal=0", {0.5, 0.5}, NULL},
    {"parsing-rival-ssa", "SSA", PARSING_RIVAL, NULL, "mask=ssa position-kind=rotary table=0", RIVAL("5000", "0") VANISHING " lr=2.5e-3 matrix-rate=1", {0.15, 0.15}, NULL},
    {"parsing-rival-causal", "causal", PARSING_RIVAL, NULL, "mask=causal position-kind=standard", RIVAL("5000", "0") VANISHING " lr=2.5e-3 matrix-rate=1", {0.5, 7}, NULL},
    {"parsing-rival-rotary", "causal, rotary positions", PARSING_RIVAL, NULL, "mask=causal position-kind=rotary", RIVAL("5000", "0") VANISHING " lr=2.5e-3 matrix-rate=1", {0.5, 0.5}, NULL},
    {"coloring20-ssa", "SSA", COLOR20, NULL, "mask=ssa", RIVAL("4000", "0"), {0.15, 0.15}, NULL},
    {"coloring20-rotary", "causal, rotary positions", COLOR20, NULL, "mask=causal position-kind=rotary", RIVAL("4000", "0") " lr=2.5e-3 matrix-rate=1", {0.5, 0.5}, NULL},
    {"blocks5-rival-ssa", "SSA", BLOCKS5, NULL, "mask=ssa", RIVAL("2500", "0") VANISHING, {0.2, 0.2}, NULL},
    {"blocks5-rival-rotary", "causal, rotary positions", BLOCKS5, NULL, "mask=causal position-kind=rotary", RIVAL("2500", "0") VANISHING " lr=2.5e-3 matrix-rate=1", {0.5, 0.5}, NULL},

    /* recipes by one preset */
    {"satmix-ssa", "SSA, 20 to 100 variables", SATMIX, NULL, "mask=ssa", NULL, {0.06, 0.06}, NULL},
    {"blocks5-goal", "SSA, 5 blocks, expert goal", {"blocks-5-goal", NULL}, NULL, "mask=ssa", NULL, {0.06, 0.06}, NULL},
    {"blocks7-goal", "SSA, 7 blocks, expert goal", {"blocks-7-goal", NULL}, NULL, "mask=ssa", NULL, {0.1, 0.1}, NULL},

    /* 3-SAT n=50, enriched: the flagship */
    {"sat50e-ssa", "SSA", SAT50E, NULL, "mask=ssa", FLAT("800"), {0.13, 60}, NULL},
    {"sat50e-causal", "causal", SAT50E, NULL, "mask=causal", SLOW("800"), {0.55, 110}, NULL},
    {"sat50e-rotary-ssa", "SSA, rotary positions", SAT50E, NULL, ROTARY("ssa"), NULL, {0.2, 60}, NULL},
    {"sat50e-rotary", "causal, rotary positions", SAT50E, NULL, ROTARY("causal"), NULL, {0.8, 110}, NULL},
    {"sat50e-large", "SSA, published size", SAT50E, NULL, "mask=ssa", SLOW("1200") LARGE " keep-every=100", {0.8, 60}, NULL},
    {"sat50e-noslot", "causal without slots", SAT50E, NULL, NOSLOT, SLOW("800"), {0.55, 105}, NULL},
    {"sat50e-ssa0", "SSA without slots", SAT50E, NULL, "mask=ssa slots=0", FLAT("800"), {0.13, 58}, NULL},
    {"sat50e-swa", "sliding window", SAT50E, NULL, "mask=swa-prefix window=256", SLOW("800"), {0.3, 80}, NULL},
    {"sat50e-block", "current block only", SAT50E, NULL, "mask=block-only", FLAT("800"), {0.08, 30}, NULL},
    {"sat50e-dropout5", "block dropout 0.5", SAT50E, NULL, "mask=causal history=block-dropout history-p=0.5", BLANKED("600"), {0.6, 110}, NULL},
    {"sat50e-dropout9", "block dropout 0.9", SAT50E, NULL, "mask=causal history=block-dropout history-p=0.9", BLANKED("600"), {0.6, 110}, NULL},
    {"sat50e-window", "sliding window 3", SAT50E, NULL, "mask=causal history=sliding-window history-window=3", BLANKED("600"), {0.6, 110}, NULL},
    {"sat50e-null", "null history", SAT50E, NULL, "mask=causal history=null", BLANKED("600"), {0.6, 110}, NULL},
    {"sat50e-state", "causal, state only", SAT50E, NULL, "mask=causal view=state-one", MATCHED("800"), {0.25, 20}, NULL},
    {"sat50e-state100k", "causal, state only, 100,000 states", SAT50E, NULL, "mask=causal view=state-all sample=100000", MATCHED("800"), {0.25, 90}, NULL},
    {"sat50e-contrastive", "contrastive causal", SAT50E, NULL, "mask=causal contrastive=1 contrastive-release=1", SLOW("300"), {0.4, 220}, NULL},
    {"sat50e-contrastive-ssa", "contrastive SSA", SAT50E, NULL, "mask=ssa contrastive=1 contrastive-release=1", FLAT("300"), {0.1, 120}, NULL},
    {"sat50e-lstm", "LSTM", SAT50E, NULL, "architecture=lstm mask=causal-noslot position-kind=standard layers=4", SLOW("800") " layers=2", {0.3, 60}, NULL},
    {"sat50e-mlp", "MLP on state features", SAT50E, NULL, FEATURES("mlp") " model-option=features=published", RECORDS("8000"), {0.1, 1}, NULL},
    {"sat50e-linear", "linear on state features", SAT50E, NULL, FEATURES("linear") " model-option=features=published", RECORDS("8000"), {0.05, 0.3}, NULL},
    {"sat50e-mlp5k", "MLP, one state a trace", SAT50E, NULL, FEATURES("mlp") " model-option=features=published view=state-one", RECORDS("4000"), {0.05, 0.1}, NULL},
    {"sat50e-mlp100k", "MLP, 100,000 states", SAT50E, NULL, FEATURES("mlp") " model-option=features=published view=state-all sample=100000", RECORDS("8000"), {0.1, 1}, NULL},
    {"sat50e-gnn", "factor GNN", SAT50E, NULL, GRAPH("1"), GRAPHS, {0.3, 40}, NULL},
    {"sat50e-gnn-fair", "factor GNN without the leak", SAT50E, NULL, GRAPH("0"), GRAPHS, {0.3, 40}, NULL},
    {"sat50e-ssa-short", "SSA, first 8 blocks", SAT50E, NULL, "mask=ssa first-blocks=8", FLAT("800"), {0.1, 40}, NULL},
    {"sat50e-causal-short", "causal, first 8 blocks", SAT50E, NULL, "mask=causal first-blocks=8", SLOW("800"), {0.15, 60}, NULL},
    {"sat50e-state100k-long", "causal, state only, 100,000 states, 4,000 steps", SAT50E, NULL, "mask=causal view=state-all sample=100000", MATCHED("4000"), {1.3, 90}, NULL},
    {"sat50r-ssa", "SSA, residual", SAT50E, RESIDUAL50, "mask=ssa", FLAT("800"), {0.2, 70}, NULL},
    {"sat50r-causal", "causal, residual", SAT50E, RESIDUAL50, "mask=causal", SLOW("800"), {0.5, 130}, NULL},
    {"sat50s-ssa", "SSA, minimal", SAT50E, MINIMAL50, "mask=ssa", FLAT("800"), {0.12, 50}, NULL},
    {"sat50s-causal", "causal, minimal", SAT50E, MINIMAL50, "mask=causal", SLOW("800"), {0.35, 90}, NULL},
    {"sat50x-ssa", "SSA", SAT50E, RANDOM50, "mask=ssa", FLAT("800"), {0.15, 65}, NULL},
    {"sat50x-swa", "sliding window", SAT50E, RANDOM50, "mask=swa-prefix window=256", SLOW("800"), {0.35, 85}, NULL},
    {"sat50x-causal", "causal", SAT50E, RANDOM50, "mask=causal", SLOW("800"), {0.6, 115}, NULL},
    {"sat75-ssa", "SSA, n=75", SAT75, RANDOM75, "mask=ssa", FLAT("300"), {0.17, 120}, NULL},
    {"sat75-causal", "causal, n=75", SAT75, RANDOM75, "mask=causal", SLOW("300"), {0.8, 220}, NULL},
    {"sat75-ssa-long", "SSA, n=75, the preset's steps, whole traces", SAT75, "format=enriched expert=vsids max-blocks=240", "mask=ssa position-kind=rotary matrix-rate=1 lr=2.5e-3 steps=1500", NULL, {0.9, 120}, NULL},

    /* 3-SAT n=50 and n=30, evidence: the model itself goes back */
    {"sat50-ssa", "SSA", SAT50, NULL, "mask=ssa", FLAT("1200"), {0.1, 0.1}, NULL},
    {"sat50-causal", "causal", SAT50, NULL, "mask=causal", SLOW("1200"), {0.3, 0.3}, NULL},
    {"sat50-noslot", "causal without slots", SAT50, NULL, NOSLOT, SLOW("1200"), {0.3, 0.3}, NULL},
    {"sat50-linear", "linear", SAT50, NULL, FEATURES("linear"), RECORDS("8000"), {0.05, 0.3}, NULL},
    {"sat50-mlp", "MLP", SAT50, NULL, FEATURES("mlp"), RECORDS("8000"), {0.1, 1}, NULL},
    {"sat50-mlp-published", "MLP, published features", SAT50, NULL, FEATURES("mlp") " model-option=features=published", RECORDS("8000"), {0.1, 1}, NULL},
    {"sat50-mlp5k", "MLP, one state a trace", SAT50, NULL, FEATURES("mlp") " view=state-one", RECORDS("4000"), {0.05, 0.1}, NULL},
    {"sat50-mlp100k", "MLP, 100,000 states", SAT50, NULL, FEATURES("mlp") " view=state-all sample=100000", RECORDS("8000"), {0.1, 1}, NULL},
    {"sat50-leaky", "causal as released", SAT50, NULL, LEAKY, "steps=600 lr=2.5e-3", {0.3, 0.3}, NULL},
    {"sat30-ssa", "SSA", SAT30, NULL, "mask=ssa", FLAT("1200"), {0.08, 25}, NULL},
    {"sat30-causal", "causal", SAT30, NULL, "mask=causal", SLOW("1200"), {0.15, 40}, NULL},
    {"sat30-noslot", "causal without slots", SAT30, NULL, NOSLOT, SLOW("1200"), {0.2, 38}, NULL},
    {"sat30-swa", "sliding window", SAT30, NULL, "mask=swa-prefix window=256", SLOW("1200"), {0.15, 30}, NULL},
    {"sat30-full", "full history", SAT30, NULL, "mask=causal history=block-dropout history-p=0", MATCHED("600"), {0.2, 40}, NULL},
    {"sat30-dropout", "block dropout 0.5", SAT30, NULL, "mask=causal history=block-dropout history-p=0.5", MATCHED("600"), {0.2, 40}, NULL},
    {"sat30-window", "sliding window 3", SAT30, NULL, "mask=causal history=sliding-window history-window=3", MATCHED("600"), {0.15, 40}, NULL},
    {"sat30-null", "null history", SAT30, NULL, "mask=causal history=null", MATCHED("600"), {0.15, 40}, NULL},
    {"sat30-state", "state only", SAT30, NULL, "mask=causal history=prefix-only", MATCHED("600"), {0.15, 40}, NULL},
    {"sat30-transplant", "transplanted history", SAT30, NULL, "mask=causal history=transplant", MATCHED("600"), {0.2, 40}, NULL},
    {"sat30-partial", "partly transplanted", SAT30, NULL, "mask=causal history=transplant-partial", MATCHED("600"), {0.2, 40}, NULL},
    {"sat30-contrastive", "contrastive, ours", SAT30, NULL, "mask=causal contrastive=1", FLAT("600"), {0.25, 80}, NULL},
    {"sat30-contrastive-release", "contrastive, as released", SAT30, NULL, "mask=causal contrastive=1 contrastive-release=1", FLAT("600"), {0.25, 80}, NULL},
    {"sat30-lstm-continuous", "LSTM, continuous", SAT30, NULL, LSTM("causal-noslot"), SLOW("1200") " layers=2", {0.3, 60}, NULL},
    {"sat30-lstm-reset", "LSTM, block-reset", SAT30, NULL, LSTM("block-only"), SLOW("1200") " layers=2", {0.2, 50}, NULL},
    {"sat30-lstm-restored", "LSTM, prefix-restored", SAT30, NULL, LSTM("ssa"), SLOW("1200") " layers=2", {0.2, 50}, NULL},
    {"sat30-linear", "linear", SAT30, NULL, FEATURES("linear"), RECORDS("8000"), {0.03, 0.2}, NULL},
    {"sat30-mlp", "MLP", SAT30, NULL, FEATURES("mlp"), RECORDS("8000"), {0.06, 0.6}, NULL},
    {"sat30-mlp-published", "MLP, published features", SAT30, NULL, FEATURES("mlp") " model-option=features=published", RECORDS("8000"), {0.06, 0.6}, NULL},
    {"sat30-mlp5k", "MLP, one state a trace", SAT30, NULL, FEATURES("mlp") " view=state-one", RECORDS("4000"), {0.03, 0.1}, NULL},
    {"sat30-mlp100k", "MLP, 100,000 states", SAT30, NULL, FEATURES("mlp") " view=state-all sample=100000", RECORDS("8000"), {0.06, 0.6}, NULL},
    {"sat30-state5k", "causal, one state a trace", SAT30, NULL, "mask=causal view=state-one", MATCHED("600"), {0.1, 10}, NULL},
    {"sat30-state100k", "causal, 100,000 states", SAT30, NULL, "mask=causal view=state-all sample=100000", MATCHED("600"), {0.15, 40}, NULL},
    {"sat30-gnn", "factor GNN", SAT30, NULL, GRAPH("0"), GRAPHS, {0.2, 20}, NULL},
    {"sat30-gnn-leak", "factor GNN, conflict as an input", SAT30, NULL, GRAPH("1"), GRAPHS, {0.2, 20}, NULL},
    {"sat30-gnn-flat", "factor GNN, until flat", SAT30, NULL, GRAPH("0"), GRAPHS_FLAT("4500"), {0.3, 20}, NULL},
    {"sat30-gnn-leak-flat", "factor GNN, conflict as an input, until flat", SAT30, NULL, GRAPH("1"), GRAPHS_FLAT("4500"), {0.3, 20}, NULL},

    /* 3-SAT n=30, enriched and stripped: masks against formats */
    {"sat30e-ssa", "selective", SAT30, ENRICHED, "mask=ssa", FLAT("1200"), {0.1, 30}, NULL},
    {"sat30e-blanket", "blanket", SAT30, ENRICHED, "mask=blanket", FLAT("1200"), {0.1, 30}, NULL},
    {"sat30e-causal", "causal", SAT30, ENRICHED, "mask=causal", SLOW("1200"), {0.15, 45}, NULL},
    {"sat30e-swa", "sliding window", SAT30, ENRICHED, "mask=swa-prefix window=256", SLOW("1200"), {0.2, 38}, NULL},
    {"sat30s-ssa", "selective, stripped", SAT30, STRIPPED, "mask=ssa", FLAT("1200"), {0.08, 25}, NULL},
    {"sat30s-blanket", "blanket, stripped", SAT30, STRIPPED, "mask=blanket", FLAT("1200"), {0.08, 25}, NULL},

    /* graph colouring */
    {"coloring30-ssa", "SSA", COLOR30, NULL, "mask=ssa", FLAT("1200"), {0.06, 20}, NULL},
    {"coloring30-causal", "causal", COLOR30, NULL, "mask=causal", SLOW("1200"), {0.09, 30}, NULL},
    {"coloring30-ssa0", "SSA without slots", COLOR30, NULL, "mask=ssa slots=0", FLAT("1200"), {0.06, 20}, NULL},
    {"coloring30-noslot", "causal without slots", COLOR30, NULL, NOSLOT, SLOW("1200"), {0.09, 30}, NULL},
    {"coloring30-blanket", "blanket", COLOR30, NULL, "mask=blanket", FLAT("1200"), {0.06, 20}, NULL},
    {"coloring30-swa", "sliding window", COLOR30, NULL, "mask=swa-prefix window=256", SLOW("1200"), {0.08, 25}, NULL},
    {"coloring30e-ssa", "selective, enriched", COLOR30, "format=enriched", "mask=ssa", FLAT("1200"), {0.06, 20}, NULL},
    {"coloring30e-blanket", "blanket, enriched", COLOR30, "format=enriched", "mask=blanket", FLAT("1200"), {0.06, 20}, NULL},
    {"coloring30s-ssa", "selective, stripped", COLOR30, "format=maskless", "mask=ssa", FLAT("1200"), {0.06, 20}, NULL},
    {"coloring30s-blanket", "blanket, stripped", COLOR30, "format=maskless", "mask=blanket", FLAT("1200"), {0.06, 20}, NULL},
    {"coloring50-ssa", "SSA", COLOR50, NULL, "mask=ssa", FLAT("1200"), {0.12, 45}, NULL},
    {"coloring50-ssa-cosine", "SSA, the preset's schedule", COLOR50, NULL, "mask=ssa", NULL, {0.1, 45}, NULL},
    {"coloring50-causal", "causal", COLOR50, NULL, "mask=causal table=16384", SLOW("1200"), {0.17, 80}, NULL},

    /* Blocks World */
    {"blocks5-ssa", "SSA", BLOCKS5, NULL, "mask=ssa", FLAT("1000"), {0.06, 6}, NULL},
    {"blocks5-causal", "causal", BLOCKS5, SHOWN_BLOCKS, "mask=causal", SLOW("1000"), {0.15, 8}, NULL},
    {"blocks7-ssa", "SSA", BLOCKS7, NULL, "mask=ssa", FLAT("600"), {0.15, 10}, NULL},
    {"blocks7-causal", "causal", BLOCKS7, SHOWN_BLOCKS, "mask=causal", SLOW("600"), {0.2, 14}, NULL},

    /* trees */
    {"star4", "simple, k=4", STARS, "arity=4", "mask=causal-noslot", NULL, {0.02, 2}, NULL},
    {"star8", "simple, k=8", STARS, "arity=8", "mask=causal-noslot", NULL, {0.03, 3}, NULL},
    {"star16", "simple, k=16", STARS, "arity=16", "mask=causal-noslot", NULL, {0.02, 5}, NULL},
    {"star32", "simple, k=32", STARS, "arity=32", "mask=causal-noslot", NULL, {0.03, 9}, NULL},
    {"star64", "simple, k=64", STARS, "arity=64", "mask=causal-noslot", NULL, {0.05, 18}, NULL},
    {"star128", "simple, k=128", STARS, "arity=128", "mask=causal-noslot", "steps=400", {0.03, 40}, NULL},
    {"star64-copy", "copy, k=64", STARS, "arity=64 format=copy", "mask=causal-noslot", NULL, {0.06, 22}, NULL},
    {"star64-verbose", "verbose, k=64", STARS, "arity=64 format=verbose", "mask=causal-noslot", "steps=150 batch=4" QUICKER " valid-limit=16", {0.2, 300}, NULL},
    {"star64-memory", "32 slots of memory, k=64", STARS, "arity=64", "mask=causal-noslot memory=32", REGISTERS("300", "8"), {0.08, 40}, NULL},
    {"star128-memory32", "32 slots of memory, k=128", STARS, "arity=128", "mask=causal-noslot memory=32", REGISTERS("70", "4") QUICKER, {0.04, 80}, NULL},
    {"star128-memory64", "64 slots of memory, k=128", STARS, "arity=128", "mask=causal-noslot memory=64", REGISTERS("70", "4") QUICKER, {0.07, 100}, NULL},
    {"star128-memory128", "128 slots of memory, k=128", STARS, "arity=128", "mask=causal-noslot memory=128", REGISTERS("70", "4") QUICKER, {0.16, 150}, NULL},
    {"trees-bfs", "breadth-first", {"trees-bfs-fair", "trees-bfs-release"}, NULL, "mask=causal-noslot", NULL, {0.2, 20}, NULL},
    {"trees-dfs", "depth-first", {"trees-dfs-fair", "trees-dfs-release"}, NULL, "mask=causal-noslot", NULL, {0.2, 20}, NULL},

    /* models that judge the states of others' searches */
    {"judge50", "MLP on choices, n=50", {"sat-50-judge", NULL}, NULL, NULL, NULL, {0.01, 0.01}, NULL},
    {"judge75", "MLP on choices, n=75", {"sat-75-judge", NULL}, NULL, NULL, NULL, {0.02, 0.02}, NULL},
    {"judge50-round1", "MLP on choices, round 1", {"sat-50-judge", NULL}, NULL, "steps=3000", NULL, {0.03, 0.03}, NULL},
    {"judge50-round2", "MLP on choices, round 2", {"sat-50-judge", NULL}, NULL, "steps=4500", NULL, {0.04, 0.04}, NULL},
    {"judge50-round3", "MLP on choices, round 3", {"sat-50-judge", NULL}, NULL, "steps=6000", NULL, {0.05, 0.05}, NULL},
    {"literals50", "literal transformer, n=50", {"sat-50-literals", NULL}, NULL, NULL, NULL, {0.05, 0.05}, NULL},
    {"literals50-unnamed", "literal transformer without names, n=50", {"sat-50-literals", NULL}, NULL, "model-option=names=0", NULL, {0.05, 0.05}, NULL},
    {"literals50-propagation", "literal transformer, labels by propagation, n=50", {"sat-50-literals", NULL}, NULL, "verify=0", NULL, {0.05, 0.05}, NULL},
    {"states50", "MLP on states, n=50", {"sat-50-states", NULL}, NULL, NULL, NULL, {0.03, 0.03}, NULL},
    {"states75", "MLP on states, n=75", {"sat-75-states", NULL}, NULL, NULL, NULL, {0.06, 0.06}, NULL},
    {"figures75", "MLP on figures, n=75", {"sat-75-figures", NULL}, NULL, NULL, NULL, {0.02, 0.02}, NULL},
    {"counts75", "MLP on counts, n=75", {"sat-75-figures", NULL}, NULL, "model-option=features=counts", NULL, {0.02, 0.02}, NULL},
    /* a verify head beside the policy */
    {"sat50h-ssa", "SSA with a verify head, n=50", {"sat-50-head", NULL}, NULL, "mask=ssa init=#satmix-ssa", NULL, {0.03, 0.03}, NULL},
    {0}};
const sw_mined sw_mined_models[] = {
    {"judge50-round1", "judge50", "clause+exact", "viability:#:0.9"},
    {"judge50-round2", "judge50-round1", "clause+exact", "viability:#:0.9"},
    {"judge50-round3", "judge50-round2", "clause+exact", "viability:#:0.9"},
    {"states50", NULL, "clause+exact", "confirm:50:random:0.3"},
    {"states75", NULL, "clause+exact", "confirm:50:random:0.3"},
    {"figures75", NULL, "clause+exact", "confirm:50:random:0.3"},
    {"counts75", NULL, "clause+exact", "confirm:50:random:0.3"},
    {0}};
/* clang-format on */

const sw_mined *sw_mined_find(const char *id) {
  for (int i = 0; sw_mined_models[i].id; i++)
    if (!strcmp(sw_mined_models[i].id, id)) return &sw_mined_models[i];
  return NULL;
}

const sw_trained *sw_trained_find(const char *id) {
  for (int i = 0; sw_matrix[i].id; i++)
    if (!strcmp(sw_matrix[i].id, id)) return &sw_matrix[i];
  return NULL;
}
