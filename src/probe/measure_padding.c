/* The measure `padding`: foreign blocks between prefix and state. */
#include "probe/measured.h"

typedef sw_padding_session session;
static const sw_option table[] = {SW_MEASURE_TABLE(SW_PADDING_OPTIONS)};

#define F(...) SW_FIGURE(__VA_ARGS__)
#define R sw_padding_result
static const sw_figure figures[] = {
    {F(COUNT, R, trials, "trials", "trials", "states asked twice"), .shown = 1},
    {F(COUNT, R, skipped, "skipped", "skipped",
       "trials that did not fit the position table")},
    {F(SHARE, R, agreement, "agreement", "same choice",
       "the best continuation is the same with foreign blocks before it"),
     .shown = 2},
    {F(SHARE, R, verdict_agreement, "verdict_agreement", "same answer",
       "the best answer is, going back included"),
     .shown = 3},
    {F(MEAN, R, symmetric_kl, "symmetric_kl", "symmetric KL",
       "between the two distributions over continuations, nats"),
     .shown = 4},
    {F(SCORE, R, cosine, "cosine", "cosine", "of the two vectors of logits")},
    {F(SHARE, R, exact_equal_rate, "exact_equal_rate", "identical bits",
       "all logits are the same, bit for bit"),
     .shown = 5},
    {F(MEAN, R, largest_logit_gap, "largest_logit_gap", "largest gap",
       "largest difference of a logit")},
    {0}};
#undef R

static int ask(void *context, const sw_loaded *loaded, sw_err *err) {
  session *s = context;
  sw_probe *p = &s->probe;
  sw_states states;
  sw_asker *asker;
  sw_states_options collect = {.domain = loaded->domain,
                               .domain_options = p->options,
                               .seed = (uint64_t)p->seed,
                               .split = SW_SPLIT_TEST,
                               .instances = s->instances,
                               .rollouts = 2,
                               .max_blocks = 64,
                               .random_choice = .15,
                               .max_histories = 2};
  sw_padding_options o = {.trials = s->trials,
                          .blocks = s->blocks,
                          .latest = s->latest,
                          .own_history = s->baseline,
                          .seed = (uint64_t)p->seed};
  if (s->data)
    SW_TRY(sw_probe_data_for(&s->from, s->data, s->part, loaded, err));
  else SW_TRY(sw_domain_searchable(loaded->domain, err));
  SW_TRY(sw_probe_open(p, loaded, s->path == 0, &asker, err));
  sw_states_data_options from = {.max_histories = 2};
  int code = s->data ? sw_states_of_data(&states, &s->from, &from, err)
                     : sw_states_collect(&states, &collect, err);
  if (!code) {
    sw_probe_begin(p, "trials", s->trials);
    code = sw_padding(&states, &p->options, asker, &o, sw_probe_step, s,
                      &s->result[p->models], err);
    sw_probe_end(p);
    sw_states_free(&states);
  }
  sw_asker_free(asker);
  return code;
}

static void head_json(const void *context, sw_json *json) {
  const session *s = context;
  sw_json_string(json, "domain", s->probe.domain_name);
  sw_probe_data_json(&s->from, json);
  sw_json_int(json, "blocks", s->blocks);
  sw_json_string(json, "baseline", s->baseline ? "history" : "empty");
}

static void clear(void *context) {
  sw_probe_data_close(&((session *)context)->from);
}

const sw_measure sw_measure_padding = {
    .name = "padding",
    .bytes = sizeof(session),
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .ask = ask,
    .head = head_json,
    .figures = figures,
    SW_MEASURE_RESULT(session, result),
    .caption = "Foreign blocks before the state: is the choice the same?",
    .clear = clear};
