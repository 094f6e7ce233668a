/* Recipes that do not depend on luck: one preset, several seeds, test streams
 * that were never looked at while the recipe was chosen. Experiments of our
 * own.
 */
#include "repro/groups.h"
#include "repro/table.h"

/* clang-format off */
#define OWN "experiments of our own"
/* Stream 300 of the test instances: recipes were chosen on others. */
#define FRESH(name, how, what, units) {.title = name, .settings = how, .figure = what, .unit = units, .test_seeds = "300"}
#define OPEN "protocol=rebuilt verifier=model"
#define ASKED COLUMNS( \
    FRESH("solved, says itself", OPEN, NULL, NULL), FRESH("solved, exact", "protocol=rebuilt verifier=exact", NULL, NULL), \
    FRESH("decisions", OPEN, "decisions", ""), FRESH("missed conflicts", OPEN, "missed_conflict_rate", NULL), \
    FRESH("false prunes", OPEN, "false_prune_rate", NULL), FRESH("repeats", OPEN, "repeat_rate", NULL), \
    FRESH("out of decisions", OPEN, "timeout_rate", NULL), \
    CARD("validation loss", "valid_loss", ""), CARD("training time", "seconds", "s"))
/* All but the exact verifier's column: where it goes on for minutes. */
#define ITSELF .columns = 0x1fd
#define LONG "decisions=2000 tokens=0"

const sw_experiment sw_experiment_recipe = {
    .id = "recipe", .section = OWN, .place = "none: one preset for all sizes of 3-SAT", .title = "3-SAT n=50, 75 and 100 by one preset of 20 to 100 variables (sat-mixture, SSA)",
    .note = "the paper solves 11.4 % at n=75 with the whole history within 4,096 tokens; test stream 300 was not looked at while the recipe was chosen", .seeds = {5, 5}, .column = ASKED,
    .row = ROWS(MODEL("n50", "n=50, planted, ratio 4.0", "satmix-ssa", .test = "family=planted n=50 ratio=4.0"),
                MODEL("n75", "n=75, random at 4.26, 2,000 decisions", "satmix-ssa", .test = "family=phase n=75 ratio=4.26", .search = LONG, .seeds = 1, ITSELF),
                MODEL("n100", "n=100, random at 4.26, 2,000 decisions", "satmix-ssa", .test = "family=phase n=100 ratio=4.26", .search = LONG " instances=64", .seeds = 1, ITSELF)),
};

const sw_experiment sw_experiment_recipe_blocks = {
    .id = "recipe-blocks", .section = OWN, .place = "none: an expert that looks at the goal", .title = "Blocks World from the expert `goal` (presets blocks-5-goal, blocks-7-goal, SSA)",
    .note = "500 decisions; the other presets imitate an expert that does not look at the goal", .seeds = {1, 3}, .column = ASKED,
    .row = ROWS(MODEL("n5", "5 blocks", "blocks5-goal", .test = "n=5"), MODEL("n7", "7 blocks", "blocks7-goal", .test = "n=7")),
};

/* One model of the published size, along the way (state-rebuilt searches only), beside the small one: do the
 * rows of the small scale carry over? */
#define ALONG(step) MODEL("large-" step, "published size at step " step, "sat50e-large", .columns = 0x39, .at = "step " step)
const sw_experiment sw_experiment_published_size = {
    .id = "published-size", .section = OWN, .place = "none: one model of the published size", .judged_in = "flagship", .title = "3-SAT n=50, enriched format, SSA: a model of the published size, and the small one",
    .note = "256 wide, 6 layers, 8 heads, 32 slots, as published; traces, optimizer and rule for the end of training as the small model's, half its rate; at the paper scale both are the published set-up", .seeds = {1, 1},
    .column = COLUMNS(SOLVED("state-rebuilt", SR("4096")), SOLVED("cumulative", CUM("4096")), SOLVED("state-rebuilt, random variable", SR_RANDOM("4096")),
                      CARD("validation loss", "valid_loss", ""), CARD("steps", "steps", ""), CARD("tokens of training", "tokens", ""), SIZES),
    .row = ROWS(MODEL("small", "small model at its end", "sat50e-ssa", .paper = PAPER("93.4 ± 2.3", "28.9 ± 1.9", "89.5 ± 1.1", NULL, NULL, NULL, NULL, NULL)),
                ALONG("200"), ALONG("400"), ALONG("500"), ALONG("600"),
                MODEL("large", "published size at its end", "sat50e-large", .paper = PAPER("93.4 ± 2.3", "28.9 ± 1.9", "89.5 ± 1.1", NULL, NULL, NULL, NULL, NULL))),
    .curve = CURVES(CURVE("size-solved", "Solved against steps of training", 4, 0, SERIES("large", "published size", -1), SERIES("small", "small", -1)),
                    CURVE("size-loss", "Validation loss against steps of training", 4, 3, SERIES("large", "published size", -1), SERIES("small", "small", -1))),
};
/* clang-format on */
