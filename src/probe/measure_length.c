/* The measure `length`: accuracy and solve rate against length. */
#include <stdlib.h>
#include "probe/measured.h"
#include "search/guide_family.h"
#include "search/score.h"

typedef sw_length_session session;
typedef sw_length_report report;
static const sw_option table[] = {SW_MEASURE_TABLE(SW_LENGTH_OPTIONS)};

const int64_t sw_length_budget[SW_LENGTH_BUDGETS] = {1024, 2048,  4096,
                                                     8192, 16384, INT64_MAX};

static int count_solved(const sw_condition *c, report *r, sw_err *err) {
  sw_score_row row;
  SW_TRY(sw_score(c, NULL, NULL, &row, err));
  r->instances = c->instances;
  for (int64_t i = 0; i < c->instances; i++)
    for (int b = 0; b < SW_LENGTH_BUDGETS; b++)
      r->solved[b] += row.outcomes[i].solved &&
                      row.outcomes[i].tokens <= sw_length_budget[b];
  sw_score_free(&row);
  return SW_OK;
}

/* The closed loop without a token limit; each budget counts what was solved
 * within it. */
static int play(session *s, const sw_loaded *loaded, report *r, sw_err *err) {
  const sw_probe *p = &s->probe;
  sw_condition_options options;
  sw_condition c;
  sw_guide *guide;
  sw_guide_setup setup = {.mask = p->eval_mask, .positions = p->eval_positions};
  sw_condition_defaults(&options);
  options.protocol = s->protocol;
  options.max_tokens = 0;
  options.seed = p->seed;
  options.instances = s->instances;
  options.width = 32;
  SW_TRY(sw_guide_model(&guide, loaded, &setup, p->team, err));
  int code = sw_condition_make(&c, &options, guide, &p->options, err);
  if (!code) code = count_solved(&c, r, err);
  sw_guide_close(guide);
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
  if (s->data) {
    SW_TRY(sw_probe_data_for(&s->from, s->data, s->part, loaded, err));
    o.data = &s->from;
  } else {
    SW_TRY(sw_domain_searchable(loaded->domain, err));
  }
  SW_TRY(sw_probe_open(p, loaded, 0, &asker, err));
  sw_probe_begin(p, "traces", s->traces);
  int code = sw_length(asker, &o, sw_probe_step, s, &r->forced, err);
  sw_probe_end(p);
  sw_asker_free(asker);
  if (!code && s->instances > 0 && !s->data) code = play(s, loaded, r, err);
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
  sw_probe_data_json(&s->from, json);
}

static void report_json(const void *context, int m, sw_json *json) {
  const session *s = context;
  const report *r = &s->report[m];
  static const int64_t token_bins[] = SW_LENGTH_TOKEN_BINS;
  static const int64_t block_bins[] = SW_LENGTH_BLOCK_BINS;
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
  for (int b = 0; b < SW_LENGTH_BUDGETS && r->instances; b++) {
    sw_json_object(json, NULL);
    if (sw_length_budget[b] == INT64_MAX) sw_json_null(json, "tokens");
    else sw_json_int(json, "tokens", sw_length_budget[b]);
    sw_json_real(json, "solve_rate", share(r->solved[b], r->instances));
    sw_json_end(json);
  }
  sw_json_end(json);
}

static void clear(void *context) {
  sw_probe_data_close(&((session *)context)->from);
}

const sw_measure sw_measure_length = {
    .name = "length",
    .bytes = sizeof(session),
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .ask = ask,
    .head = head_json,
    .members = report_json,
    .clear = clear};
