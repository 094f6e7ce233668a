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

/* ---- what it finds ---- */

static double share(int64_t hits, int64_t count) {
  return count ? (double)hits / (double)count : 0;
}

#define CELL(name, hits, count)           \
  static double name(const void *found) { \
    const sw_length_cell *c = found;      \
    return share(c->hits, c->count);      \
  }
CELL(exact, exact, blocks)
CELL(right, right, choices)
CELL(tokens_right, hits, targets)
static double exact_of_all(const void *found) {
  return exact(&((const report *)found)->forced.all);
}
static double right_of_all(const void *found) {
  return right(&((const report *)found)->forced.all);
}

#define F(...) SW_FIGURE(__VA_ARGS__)
#define SHARE(name_, fn, heading_, help_)                                     \
  .name = name_, .kind = SW_FIGURE_SHARE, .heading = heading_, .help = help_, \
  .real = fn
#define CELLS(key, help_)                                                      \
  {                                                                            \
    {.name = key, .kind = SW_FIGURE_COUNT, .heading = "up to", .help = help_}, \
        {F(COUNT, sw_length_cell, blocks, "blocks", "blocks",                  \
           "of that many")},                                                   \
        {SHARE("action_exact", exact, "whole action right",                    \
               "blocks with every supervised token right")},                   \
        {SHARE("choice_accuracy", right, "choice right",                       \
               "blocks whose first supervised token is")},                     \
        {SHARE("token_accuracy", tokens_right, "tokens right",                 \
               "supervised tokens that are")},                                 \
    {                                                                          \
      0                                                                        \
    }                                                                          \
  }
static const sw_figure block_cells[] =
    CELLS("up_to_block", "blocks of the trace; null: all that are longer");
static const sw_figure token_cells[] =
    CELLS("up_to_token", "tokens before the block; null: all that are longer");
static const sw_figure budgets[] = {{.name = "tokens",
                                     .kind = SW_FIGURE_COUNT,
                                     .heading = "token budget",
                                     .help = "null: any"},
                                    {.name = "solve_rate",
                                     .kind = SW_FIGURE_SHARE,
                                     .heading = "solved",
                                     .help = "instances solved within it"},
                                    {0}};

static void cells(const char *name, const sw_figure *row,
                  const sw_length_cell *cell, const int64_t *top, int count,
                  sw_json *json) {
  sw_json_array(json, name);
  for (int b = 0; b < count; b++) {
    if (!cell[b].blocks) continue;
    sw_json_object(json, NULL);
    if (top[b] == INT64_MAX) sw_json_null(json, row->name);
    else sw_json_int(json, row->name, top[b]);
    sw_figures_json(row, &cell[b], json);
    sw_json_end(json);
  }
  sw_json_end(json);
}

static void by_block(const void *found, sw_json *json) {
  static const int64_t top[] = SW_LENGTH_BLOCK_BINS;
  cells("by_block", block_cells, ((const report *)found)->forced.by_block, top,
        SW_LENGTH_BLOCKS, json);
}

static void by_tokens(const void *found, sw_json *json) {
  static const int64_t top[] = SW_LENGTH_TOKEN_BINS;
  cells("by_tokens", token_cells, ((const report *)found)->forced.by_tokens,
        top, SW_LENGTH_TOKENS, json);
}

static void by_budget(const void *found, sw_json *json) {
  const report *r = found;
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

#define SERIES(key, fn, heading_, help_, table)                                \
  {                                                                            \
    .name = key, .kind = SW_FIGURE_SERIES, .heading = heading_, .help = help_, \
    .write = fn, .part = table                                                 \
  }
static const sw_figure figures[] = {
    {F(COUNT, report, forced.traces, "traces", "traces", "expert traces"),
     .shown = 1},
    {F(COUNT, report, forced.skipped_blocks, "skipped_blocks", "skipped",
       "blocks beyond the position table")},
    {SHARE("action_exact", exact_of_all, "whole action right",
           "blocks with every supervised token right"),
     .shown = 2},
    {SHARE("choice_accuracy", right_of_all, "choice right",
           "blocks whose first supervised token is"),
     .shown = 3},
    SERIES("by_block", by_block, "by block", "the same by place in the trace",
           block_cells),
    SERIES("by_tokens", by_tokens, "by tokens", "the same by tokens before it",
           token_cells),
    {F(COUNT, report, instances, "instances", "instances",
       "instances of the closed loop")},
    SERIES("solve_by_budget", by_budget, "by budget",
           "solved within a token budget", budgets),
    {0}};

static void head_json(const void *context, sw_json *json) {
  const session *s = context;
  sw_json_string(json, "domain", s->probe.domain_name);
  sw_probe_data_json(&s->from, json);
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
    .figures = figures,
    SW_MEASURE_RESULT(session, report),
    .caption = "Accuracy on expert traces, by whole actions and by choices",
    .clear = clear};
