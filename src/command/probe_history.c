/* `statewise probe history`: the linear history-irrelevance test on traces. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "command/commands.h"
#include "command/probe_common.h"
#include "domains/of_file.h"
#include "domains/registry.h"
#include "probe/irrelevance.h"

/* clang-format off */
#define HISTORY_OPTIONS(X)                                                     \
  X(data, TEXT, "data", "", 0, 0, "", "data set of SAT traces, or of words")                \
  X(traces, LONG, "traces", "500", 0, 1e9, "", "first so many traces; 0: all") \
  X(samples, LONG, "samples", "20000", 0, 1e9, "", "most blocks used; 0: all") \
  X(block_number, FLAG, "block-number", "0", 0, 0, "", "as published: the block number is one of the state's features") \
  SW_SEED_ROW(X, "42", "seed of the split by trace")       \
  X(json, FLAG, "json", "0", 0, 0, "", "print one JSON object")
/* clang-format on */

typedef struct values {
  HISTORY_OPTIONS(SW_OPTION_FIELD)
} values;

static const sw_option table[] = {
#define X(...) SW_OPTION_ROW(values, __VA_ARGS__)
    HISTORY_OPTIONS(X)
#undef X
};

static int perform(const values *v, sw_irrelevance_result *out, sw_err *err) {
  sw_dataset set;
  if (!v->data) {
    sw_fail(err, SW_USAGE, "a data set is needed");
    return sw_hint(err,
                   "statewise gen sat --count 500 -o FILE, then --data FILE");
  }
  SW_TRY(sw_dataset_open(&set, v->data, err));
  const char *name = sw_dataset_meta(&set, "domain");
  const sw_domain *domain;
  int code = sw_domain_of_set(&set, v->data, &domain, err);
  if (code) {
    sw_dataset_close(&set);
    return code;
  }
  if (!domain->shown) {
    code = sw_fail(err, SW_USAGE,
                   "%s holds traces of `%s`, which has no features for a "
                   "linear test",
                   v->data, name ? name : "?");
    sw_hint(err, "the published test is on traces of sat");
  } else {
    sw_irrelevance_options o = {.traces = v->traces,
                                .max_blocks = v->samples,
                                .block_number = v->block_number,
                                .seed = (uint64_t)v->seed,
                                .domain = domain};
    code = sw_irrelevance(&set, &o, out, err);
  }
  sw_domain_release(domain);
  sw_dataset_close(&set);
  return code;
}

static void print_json(sw_command_io *io, const sw_irrelevance_result *r) {
  sw_json json;
  sw_json_to_file(&json, io->out);
  sw_json_object(&json, NULL);
  sw_figures_json(sw_irrelevance_figures, r, &json);
  sw_json_end(&json);
}

static void print_row(sw_command_io *io, const char *name,
                      const sw_linear_score *s) {
  fprintf(io->out, "%-22s %8.2f %% %10.2f %% %8.4f\n", name, 100 * s->accuracy,
          100 * s->balanced_accuracy, s->auroc);
}

static void print_text(sw_command_io *io, const sw_irrelevance_result *r) {
  fprintf(io->out,
          "linear history-irrelevance: %" PRId64 " blocks of %" PRId64
          " traces, %" PRId64 " conflicts; test %" PRId64
          " blocks, always the majority: %.2f %%\n",
          r->samples, r->traces, r->conflicts, r->state.test,
          100 * r->state.majority);
  fprintf(io->out, "%-22s %10s %12s %8s\n", "features", "accuracy", "balanced",
          "AUROC");
  print_row(io, "state", &r->state);
  print_row(io, "history", &r->history);
  print_row(io, "state and history", &r->both);
}

static int run(const sw_command *self, sw_command_io *io, int argc, char **argv,
               sw_err *err) {
  values v;
  sw_irrelevance_result result;
  SW_TRY(sw_command_parse(self, argc, argv, &v, NULL, NULL, err));
  SW_TRY(perform(&v, &result, err));
  if (v.json) print_json(io, &result);
  else print_text(io, &result);
  return 0;
}

const sw_command sw_command_probe_history = {
    .name = "probe history",
    .usage = "--data FILE",
    .summary = "Test whether history adds to the state for a linear classifier",
    .details =
        "Logistic regression on what the state shows (T), on counts of the "
        "history (H) and on both: is the "
        "next action going back? Split by trace; balanced accuracy and AUROC "
        "beside the majority rate, "
        "because most blocks are decisions.",
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .run = run};
