/* `statewise probe padding`: foreign blocks between prefix and state. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/probe_common.h"
#include "probe/padding.h"

#define PADDING_OPTIONS(X)                                                     \
  X(domain, TEXT, "domain", "", 0, 0, "", "domain; default: the model's")      \
  X(trials, LONG, "trials", "600", 1, 1e7, "", "trials per model")             \
  X(blocks, LONG, "blocks", "3", 1, 1e6, "", "foreign decision blocks inserted") \
  X(latest, LONG, "latest", "8", 1, 1e6, "", "states up to this block number") \
  X(baseline, CHOICE, "baseline", "empty", 0, 0, "empty|history", "compared with: prefix and block alone, or the state's own history") \
  X(instances, LONG, "instances", "40", 2, 1e6, "", "held-out instances")      \
  X(path, CHOICE, "path", "full", 0, 0, "cached|full", "how the model is asked") \
  SW_PROBE_MODEL_OPTIONS(X)

typedef struct values {
  PADDING_OPTIONS(SW_OPTION_FIELD)
  sw_domain_options d;
} values;

static const sw_option table[] = {
#define X(...) SW_OPTION_ROW(values, __VA_ARGS__)
    PADDING_OPTIONS(X)
#undef X
#define X(field, KIND, name, fallback, low, high, choices, help) \
  {name, SW_##KIND, offsetof(values, d.field), fallback, low, high, choices, help},
    SW_DOMAIN_OPTIONS(X)
#undef X
};
enum { COUNT = sizeof table / sizeof *table };

typedef struct session {
  values v;
  unsigned char given[COUNT];
  sw_team *team;
  sw_progress progress;
  sw_padding_result result[SW_LIST_MAX];
  char label[SW_LIST_MAX][96], domain[32];
  int models;
} session;

static void show_progress(void *context, int64_t done, int64_t total) {
  session *s = context;
  s->progress.total = total;
  if (done % 8 == 0 || done == total) sw_progress_step(&s->progress, done, NULL);
}

static int probe_loaded(session *s, const sw_loaded *loaded, sw_err *err) {
  const values *v = &s->v;
  sw_domain_options options = loaded->options;
  sw_states states;
  sw_asker *asker;
  sw_probe_override(table, COUNT, s->given, v, offsetof(values, d), &options);
  SW_TRY(loaded->domain->resolve(&options, err));
  snprintf(s->domain, sizeof s->domain, "%s", loaded->domain->name);
  sw_states_options collect = {
      .domain = loaded->domain, .domain_options = options, .seed = (uint64_t)v->seed, .split = SW_SPLIT_TEST,
      .instances = v->instances, .rollouts = 2, .max_blocks = 64, .random_choice = .15, .max_histories = 2};
  sw_padding_options o = {.trials = v->trials, .blocks = v->blocks, .latest = v->latest,
                          .own_history = v->baseline, .seed = (uint64_t)v->seed};
  SW_TRY(sw_probe_asker(loaded, v->eval_mask, v->eval_positions, v->path == 0, s->team, &asker, err));
  int code = sw_states_collect(&states, &collect, err);
  if (!code) {
    sw_progress_begin(&s->progress, (sw_progress_mode)v->progress, "trials", v->trials);
    code = sw_padding(&states, &options, asker, &o, show_progress, s, &s->result[s->models], err);
    sw_progress_end(&s->progress, NULL);
    sw_states_free(&states);
  }
  sw_asker_free(asker);
  if (!code) snprintf(s->label[s->models++], sizeof s->label[0], "%.95s", loaded->label);
  return code;
}

static int probe_one(void *context, const sw_loaded *loaded, sw_err *err) {
  return probe_loaded(context, loaded, err);
}

static void result_json(const sw_padding_result *r, const char *label, sw_json *json) {
  sw_json_string(json, "label", label);
  sw_json_int(json, "trials", r->trials);
  sw_json_int(json, "skipped", r->skipped);
  sw_json_real(json, "agreement", r->agreement);
  sw_json_real(json, "verdict_agreement", r->verdict_agreement);
  sw_json_real(json, "symmetric_kl", r->symmetric_kl);
  sw_json_real(json, "cosine", r->cosine);
  sw_json_real(json, "exact_equal_rate", r->exact_equal_rate);
  sw_json_real(json, "largest_logit_gap", r->largest_logit_gap);
}

static void print_json(const session *s) {
  sw_json json;
  sw_json_to_file(&json, stdout);
  sw_json_object(&json, NULL);
  sw_json_string(&json, "domain", s->domain);
  sw_json_int(&json, "blocks", s->v.blocks);
  sw_json_string(&json, "baseline", s->v.baseline ? "history" : "empty");
  if (s->models) result_json(&s->result[0], s->label[0], &json);
  sw_json_array(&json, "models");
  for (int m = 0; m < s->models; m++) {
    sw_json_object(&json, NULL);
    result_json(&s->result[m], s->label[m], &json);
    sw_json_end(&json);
  }
  sw_json_end(&json);
  sw_json_end(&json);
  putchar('\n');
}

static void print_text(const session *s) {
  printf("padding control, %s: %" PRId64 " foreign blocks before the state; baseline: %s\n", s->domain, s->v.blocks,
         s->v.baseline ? "the state's own history" : "prefix and block alone");
  printf("%-22s %7s %11s %11s %12s %9s %11s\n", "model", "trials", "same choice", "same answer", "symmetric KL",
         "cosine", "identical");
  for (int m = 0; m < s->models; m++) {
    const sw_padding_result *r = &s->result[m];
    printf("%-22s %7" PRId64 " %9.2f %% %9.2f %% %12.4g %9.6f %9.2f %%\n", s->label[m], r->trials, 100 * r->agreement,
           100 * r->verdict_agreement, r->symmetric_kl, r->cosine, 100 * r->exact_equal_rate);
    if (r->skipped) printf("  %" PRId64 " trials did not fit the position table\n", r->skipped);
  }
}

static int run(const sw_command *self, int argc, char **argv) {
  session *s = calloc(1, sizeof *s);
  sw_err err = {0};
  sw_list rest = {0};
  if (!s) return sw_error_exit_code(SW_MEMORY);
  int code = sw_command_parse(self, argc, argv, &s->v, s->given, &rest);
  if (code < 0) {
    int failed = sw_team_new(&s->team, s->v.threads, &err);
    if (!failed) failed = sw_probe_models(&s->v.model, s->v.domain, probe_one, s, &err);
    code = failed ? sw_command_fail(&err) : 0;
    if (!code && s->v.json) print_json(s);
    else if (!code) print_text(s);
  }
  sw_team_free(s->team);
  free(s);
  return code;
}

const sw_command sw_command_probe_padding = {
    .name = "probe padding",
    .usage = "[--domain D] [--model DIR]... [--blocks N]",
    .summary = "Insert unrelated blocks before a state and see whether the choice changes",
    .details = "Early states (up to --latest blocks) of held-out searches. A model that decides by the "
               "state alone keeps its choice, and under a block-local mask its logits bit for bit.",
    .options = table,
    .option_count = COUNT,
    .run = run};
