/* `statewise probe length`: accuracy and solve rate against length. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/probe_common.h"
#include "probe/length.h"
#include "search/evaluate.h"

#define LENGTH_OPTIONS(X)                                                      \
  X(domain, TEXT, "domain", "", 0, 0, "", "domain; default: the model's")      \
  X(traces, LONG, "traces", "100", 1, 1e7, "", "held-out expert traces, teacher-forced") \
  X(instances, LONG, "instances", "50", 0, 1e6, "", "instances of the closed loop; 0: none") \
  X(protocol, CHOICE, "protocol", "cumulative", 0, 0, "cumulative|rebuilt", "closed loop: what the model is shown") \
  SW_PROBE_MODEL_OPTIONS(X)

typedef struct values {
  LENGTH_OPTIONS(SW_OPTION_FIELD)
  sw_domain_options d;
} values;

static const sw_option table[] = {
#define X(...) SW_OPTION_ROW(values, __VA_ARGS__)
    LENGTH_OPTIONS(X)
#undef X
#define X(field, KIND, name, fallback, low, high, choices, help) \
  {name, SW_##KIND, offsetof(values, d.field), fallback, low, high, choices, help},
    SW_DOMAIN_OPTIONS(X)
#undef X
};
enum { COUNT = sizeof table / sizeof *table, BUDGETS = 6 };
static const int64_t token_budget[BUDGETS] = {1024, 2048, 4096, 8192, 16384, INT64_MAX};
static const int64_t block_bins[SW_LENGTH_BLOCKS] = SW_LENGTH_BLOCK_BINS;

typedef struct report {
  char label[96];
  sw_length_result forced;
  int64_t instances, solved[BUDGETS]; /* within each token budget */
} report;

typedef struct session {
  values v;
  unsigned char given[COUNT];
  sw_team *team;
  sw_progress progress;
  report report[SW_LIST_MAX];
  char domain[32];
  int models;
} session;

static void show_progress(void *context, int64_t done, int64_t total) {
  session *s = context;
  s->progress.total = total;
  sw_progress_step(&s->progress, done, NULL);
}

/* The closed loop without a token limit; each budget counts what was solved
 * within it. */
static int play(session *s, const sw_loaded *loaded, const sw_domain_options *options, report *r, sw_err *err) {
  sw_condition c = {.domain = loaded->domain, .options = *options, .seed = (uint64_t)s->v.seed,
                    .split = SW_SPLIT_TEST, .instances = s->v.instances, .width = 32,
                    .policy = {.model = loaded->model, .mask = loaded->mask, .positions = loaded->positions,
                               .window = loaded->window}};
  c.loop = (sw_loop_options){.protocol = s->v.protocol, .loop = SW_LOOP_OPEN, .max_decisions = -1, .max_tokens = 0};
  sw_loop_resolve(loaded->domain, options, &c.loop);
  sw_outcome *outcome = calloc((size_t)c.instances + 1, sizeof *outcome);
  if (!outcome) return sw_fail(err, SW_MEMORY, "length probe: out of memory");
  sw_eval_hooks none = {0};
  int code = sw_evaluate(&c, s->team, &none, outcome, err);
  r->instances = c.instances;
  for (int64_t i = 0; i < c.instances && !code; i++)
    for (int b = 0; b < BUDGETS; b++)
      r->solved[b] += outcome[i].solved && outcome[i].tokens <= token_budget[b];
  free(outcome);
  return code;
}

static int probe_one(void *context, const sw_loaded *loaded, sw_err *err) {
  session *s = context;
  report *r = &s->report[s->models];
  sw_asker *asker;
  sw_domain_options options = loaded->options;
  sw_probe_override(table, COUNT, s->given, &s->v, offsetof(values, d), &options);
  SW_TRY(loaded->domain->resolve(&options, err));
  snprintf(s->domain, sizeof s->domain, "%s", loaded->domain->name);
  sw_mask_kind mask = loaded->mask;
  if (s->v.eval_mask && sw_mask_from_name(s->v.eval_mask) >= 0) mask = (sw_mask_kind)sw_mask_from_name(s->v.eval_mask);
  sw_length_options o = {.domain = loaded->domain, .domain_options = options, .seed = (uint64_t)s->v.seed,
                         .split = SW_SPLIT_TEST, .traces = s->v.traces, .leaky = sw_mask_leaks(mask)};
  SW_TRY(sw_probe_asker(loaded, s->v.eval_mask, s->v.eval_positions, 0, s->team, &asker, err));
  sw_progress_begin(&s->progress, (sw_progress_mode)s->v.progress, "traces", s->v.traces);
  int code = sw_length(asker, &o, show_progress, s, &r->forced, err);
  sw_progress_end(&s->progress, NULL);
  sw_asker_free(asker);
  if (!code && s->v.instances > 0) code = play(s, loaded, &options, r, err);
  snprintf(r->label, sizeof r->label, "%.95s", loaded->label);
  s->models += !code;
  return code;
}

static double share(int64_t hits, int64_t count) { return count ? (double)hits / (double)count : 0; }

static void cell_json(const sw_length_cell *c, int64_t top, const char *key, sw_json *json) {
  sw_json_object(json, NULL);
  if (top == INT64_MAX) sw_json_null(json, key);
  else sw_json_int(json, key, top);
  sw_json_int(json, "blocks", c->blocks);
  sw_json_real(json, "action_exact", share(c->exact, c->blocks));
  sw_json_real(json, "choice_accuracy", share(c->right, c->choices));
  sw_json_real(json, "token_accuracy", share(c->hits, c->targets));
  sw_json_end(json);
}

static void report_json(const report *r, sw_json *json) {
  const int64_t token_bins[SW_LENGTH_TOKENS] = SW_LENGTH_TOKEN_BINS;
  sw_json_string(json, "label", r->label);
  sw_json_int(json, "traces", r->forced.traces);
  sw_json_int(json, "skipped_blocks", r->forced.skipped_blocks);
  sw_json_real(json, "action_exact", share(r->forced.all.exact, r->forced.all.blocks));
  sw_json_real(json, "choice_accuracy", share(r->forced.all.right, r->forced.all.choices));
  sw_json_array(json, "by_block");
  for (int b = 0; b < SW_LENGTH_BLOCKS; b++)
    if (r->forced.by_block[b].blocks) cell_json(&r->forced.by_block[b], block_bins[b], "up_to_block", json);
  sw_json_end(json);
  sw_json_array(json, "by_tokens");
  for (int b = 0; b < SW_LENGTH_TOKENS; b++)
    if (r->forced.by_tokens[b].blocks) cell_json(&r->forced.by_tokens[b], token_bins[b], "up_to_token", json);
  sw_json_end(json);
  sw_json_int(json, "instances", r->instances);
  sw_json_array(json, "solve_by_budget");
  for (int b = 0; b < BUDGETS && r->instances; b++) {
    sw_json_object(json, NULL);
    if (token_budget[b] == INT64_MAX) sw_json_null(json, "tokens");
    else sw_json_int(json, "tokens", token_budget[b]);
    sw_json_real(json, "solve_rate", share(r->solved[b], r->instances));
    sw_json_end(json);
  }
  sw_json_end(json);
}

static void print_json(const session *s) {
  sw_json json;
  sw_json_to_file(&json, stdout);
  sw_json_object(&json, NULL);
  sw_json_string(&json, "domain", s->domain);
  if (s->models) report_json(&s->report[0], &json);
  sw_json_array(&json, "models");
  for (int m = 0; m < s->models; m++) {
    sw_json_object(&json, NULL);
    report_json(&s->report[m], &json);
    sw_json_end(&json);
  }
  sw_json_end(&json);
  sw_json_end(&json);
  putchar('\n');
}

static void print_text(const session *s) {
  printf("length, %s: teacher-forced, share of blocks with every supervised token right (first token right)\n%-22s",
         s->domain, "model");
  for (int b = 0; b < SW_LENGTH_BLOCKS - 1; b++) printf("    <=%-3" PRId64 "blk   ", block_bins[b]);
  printf("  more\n");
  for (int m = 0; m < s->models; m++) {
    printf("%-22s", s->report[m].label);
    for (int b = 0; b < SW_LENGTH_BLOCKS; b++) {
      const sw_length_cell *c = &s->report[m].forced.by_block[b];
      if (c->blocks) printf(" %5.1f (%5.1f) ", 100 * share(c->exact, c->blocks), 100 * share(c->right, c->choices));
      else printf("       -      ");
    }
    printf("\n");
    if (s->report[m].forced.skipped_blocks)
      printf("  %" PRId64 " blocks lie beyond the position table\n", s->report[m].forced.skipped_blocks);
  }
  if (!s->v.instances) return;
  printf("closed loop, %s: solved within a token budget\n", s->v.protocol ? "rebuilt" : "cumulative");
  for (int m = 0; m < s->models; m++) {
    printf("%-22s", s->report[m].label);
    for (int b = 0; b < BUDGETS; b++) {
      if (token_budget[b] == INT64_MAX) printf("  any:");
      else printf("  %" PRId64 ":", token_budget[b]);
      printf(" %.1f %%", 100 * share(s->report[m].solved[b], s->report[m].instances));
    }
    printf("\n");
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

const sw_command sw_command_probe_length = {
    .name = "probe length",
    .usage = "[--domain D] [--model DIR]...",
    .summary = "Measure accuracy and solve rate against the length of the dialogue",
    .details = "Train on the first K blocks with `train --first-blocks K` (steps are scaled so that the "
               "number of supervised tokens stays the same) and compare with full training.",
    .options = table,
    .option_count = COUNT,
    .run = run};
