/* `statewise probe length`: accuracy and solve rate against length. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/commands.h"
#include "cli/probe_common.h"
#include "probe/length.h"
#include "search/evaluate.h"

/* clang-format off */
#define LENGTH_OPTIONS(X)                                                      \
  X(traces, LONG, "traces", "100", 1, 1e7, "", "held-out expert traces, teacher-forced") \
  X(instances, LONG, "instances", "50", 0, 1e6, "", "instances of the closed loop; 0: none") \
  X(protocol, CHOICE, "protocol", "cumulative", 0, 0, "cumulative|rebuilt", "closed loop: what the model is shown")
/* clang-format on */

enum { BUDGETS = 6 };
static const int64_t token_budget[BUDGETS] = {1024, 2048,  4096,
                                              8192, 16384, INT64_MAX};
static const int64_t block_bins[SW_LENGTH_BLOCKS] = SW_LENGTH_BLOCK_BINS;

typedef struct report {
  sw_length_result forced;
  int64_t instances, solved[BUDGETS]; /* within each token budget */
} report;

typedef struct session {
  sw_probe probe;
  LENGTH_OPTIONS(SW_OPTION_FIELD)
  report report[SW_LIST_MAX];
} session;

static const sw_option table[] = {SW_PROBE_TABLE(LENGTH_OPTIONS)};

/* The closed loop without a token limit; each budget counts what was solved
 * within it. */
static int play(session *s, const sw_loaded *loaded, report *r, sw_err *err) {
  const sw_probe *p = &s->probe;
  sw_condition c = {
      .domain = loaded->domain,
      .options = p->options,
      .seed = (uint64_t)p->seed,
      .split = SW_SPLIT_TEST,
      .instances = s->instances,
      .width = 32,
      .policy = {.model = loaded->model, .reading = loaded->reading}};
  SW_TRY(sw_reading_parse(&c.policy.reading, p->eval_mask, p->eval_positions,
                          err));
  c.loop = (sw_loop_options){.protocol = s->protocol,
                             .loop = SW_LOOP_OPEN,
                             .max_decisions = -1,
                             .max_tokens = 0};
  sw_loop_resolve(loaded->domain, &p->options, &c.loop);
  sw_outcome *outcome = calloc((size_t)c.instances + 1, sizeof *outcome);
  if (!outcome) return sw_fail(err, SW_MEMORY, "length probe: out of memory");
  sw_eval_hooks none = {0};
  int code = sw_evaluate(&c, p->team, &none, outcome, err);
  r->instances = c.instances;
  for (int64_t i = 0; i < c.instances && !code; i++)
    for (int b = 0; b < BUDGETS; b++)
      r->solved[b] += outcome[i].solved && outcome[i].tokens <= token_budget[b];
  free(outcome);
  return code;
}

static int ask(void *context, const sw_loaded *loaded, sw_err *err) {
  session *s = context;
  sw_probe *p = &s->probe;
  report *r = &s->report[p->models];
  sw_asker *asker;
  sw_length_options o = {.domain = loaded->domain,
                         .domain_options = p->options,
                         .seed = (uint64_t)p->seed,
                         .split = SW_SPLIT_TEST,
                         .traces = s->traces,
                         .leaky = sw_mask_leaks(sw_probe_mask(p, loaded))};
  SW_TRY(sw_probe_open(p, loaded, 0, &asker, err));
  sw_probe_begin(p, "traces", s->traces);
  int code = sw_length(asker, &o, sw_probe_step, s, &r->forced, err);
  sw_progress_end(&p->line, NULL);
  sw_asker_free(asker);
  if (!code && s->instances > 0) code = play(s, loaded, r, err);
  return code;
}

static double share(int64_t hits, int64_t count) {
  return count ? (double)hits / (double)count : 0;
}

static void cell_json(const sw_length_cell *c, int64_t top, const char *key,
                      sw_json *json) {
  sw_json_object(json, NULL);
  if (top == INT64_MAX) sw_json_null(json, key);
  else sw_json_int(json, key, top);
  sw_json_int(json, "blocks", c->blocks);
  sw_json_real(json, "action_exact", share(c->exact, c->blocks));
  sw_json_real(json, "choice_accuracy", share(c->right, c->choices));
  sw_json_real(json, "token_accuracy", share(c->hits, c->targets));
  sw_json_end(json);
}

static void head_json(const void *context, sw_json *json) {
  const session *s = context;
  sw_json_string(json, "domain", s->probe.domain_name);
}

static void report_json(const void *context, int m, sw_json *json) {
  const session *s = context;
  const report *r = &s->report[m];
  const int64_t token_bins[SW_LENGTH_TOKENS] = SW_LENGTH_TOKEN_BINS;
  sw_json_int(json, "traces", r->forced.traces);
  sw_json_int(json, "skipped_blocks", r->forced.skipped_blocks);
  sw_json_real(json, "action_exact",
               share(r->forced.all.exact, r->forced.all.blocks));
  sw_json_real(json, "choice_accuracy",
               share(r->forced.all.right, r->forced.all.choices));
  sw_json_array(json, "by_block");
  for (int b = 0; b < SW_LENGTH_BLOCKS; b++)
    if (r->forced.by_block[b].blocks)
      cell_json(&r->forced.by_block[b], block_bins[b], "up_to_block", json);
  sw_json_end(json);
  sw_json_array(json, "by_tokens");
  for (int b = 0; b < SW_LENGTH_TOKENS; b++)
    if (r->forced.by_tokens[b].blocks)
      cell_json(&r->forced.by_tokens[b], token_bins[b], "up_to_token", json);
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

static void print_text(const void *context) {
  const session *s = context;
  const sw_probe *p = &s->probe;
  printf(
      "length, %s: teacher-forced, share of blocks with every supervised token "
      "right (first token right)\n%-22s",
      p->domain_name, "model");
  for (int b = 0; b < SW_LENGTH_BLOCKS - 1; b++)
    printf("    <=%-3" PRId64 "blk   ", block_bins[b]);
  printf("  more\n");
  for (int m = 0; m < p->models; m++) {
    printf("%-22s", p->label[m]);
    for (int b = 0; b < SW_LENGTH_BLOCKS; b++) {
      const sw_length_cell *c = &s->report[m].forced.by_block[b];
      if (c->blocks)
        printf(" %5.1f (%5.1f) ", 100 * share(c->exact, c->blocks),
               100 * share(c->right, c->choices));
      else printf("       -      ");
    }
    printf("\n");
    if (s->report[m].forced.skipped_blocks)
      printf("  %" PRId64 " blocks lie beyond the position table\n",
             s->report[m].forced.skipped_blocks);
  }
  if (!s->instances) return;
  printf("closed loop, %s: solved within a token budget\n",
         sw_protocol_name((sw_protocol)s->protocol));
  for (int m = 0; m < p->models; m++) {
    printf("%-22s", p->label[m]);
    for (int b = 0; b < BUDGETS; b++) {
      if (token_budget[b] == INT64_MAX) printf("  any:");
      else printf("  %" PRId64 ":", token_budget[b]);
      printf(" %.1f %%",
             100 * share(s->report[m].solved[b], s->report[m].instances));
    }
    printf("\n");
  }
}

static int run(const sw_command *self, int argc, char **argv) {
  static const sw_probe_kind kind = {.bytes = sizeof(session),
                                     .ask = ask,
                                     .text = print_text,
                                     .head = head_json,
                                     .members = report_json};
  return sw_probe_main(self, argc, argv, &kind);
}

const sw_command sw_command_probe_length = {
    .name = "probe length",
    .usage = "[--domain D] [--model DIR]...",
    .summary =
        "Measure accuracy and solve rate against the length of the dialogue",
    .details =
        "Train on the first K blocks with `train --first-blocks K` (steps are "
        "scaled so that the "
        "number of supervised tokens stays the same) and compare with full "
        "training.",
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .run = run,
    .takes_task = 1};
