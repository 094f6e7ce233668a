/* The measure `representation`: hidden states after different histories. */
#include "probe/measured.h"

typedef sw_representation_session session;
static const sw_option table[] = {SW_MEASURE_TABLE(SW_REPRESENTATION_OPTIONS)};

static int ask(void *context, const sw_loaded *loaded, sw_err *err) {
  session *s = context;
  sw_probe *p = &s->probe;
  sw_asker *asker;
  sw_states states;
  sw_states_options o = {
      .domain = loaded->domain,
      .domain_options = p->options,
      .seed = (uint64_t)p->seed,
      .split = SW_SPLIT_TEST,
      .instances = s->instances,
      .rollouts = 6,
      .max_blocks = p->options.max_blocks > 0 ? p->options.max_blocks : 96,
      .random_choice = .15,
      .reorder = 4,
      .rebuild_states = 12,
      .max_histories = s->histories,
      .states_wanted = s->states};
  sw_states_data_options from = {.instances = s->instances,
                                 .states = s->states,
                                 .max_histories = s->histories,
                                 .pairs = 1};
  if (s->data)
    SW_TRY(sw_probe_data_for(&s->from, s->data, s->part, loaded, err));
  else SW_TRY(sw_domain_searchable(loaded->domain, err));
  SW_TRY(sw_probe_open(p, loaded, 0, &asker, err));
  int code = s->data ? sw_states_of_data(&states, &s->from, &from, err)
                     : sw_states_collect(&states, &o, err);
  if (!code) {
    sw_probe_begin(p, "states", s->states);
    code = sw_representation(&states, asker, loaded->model->hidden, s->states,
                             (uint64_t)p->seed, sw_probe_step, s,
                             &s->result[p->models], err);
    sw_probe_end(p);
    sw_states_free(&states);
  }
  sw_asker_free(asker);
  return code;
}

static void members(const void *context, int m, sw_json *json) {
  const session *s = context;
  const sw_representation_result *r = &s->result[m];
  sw_json_int(json, "pairs", r->pairs);
  sw_json_int(json, "states", r->states);
  sw_json_int(json, "skipped_histories", r->skipped);
  sw_json_real(json, "cosine", r->cosine);
  sw_json_real(json, "lowest_cosine", r->lowest_cosine);
  sw_json_real(json, "mean_gap", r->mean_gap);
  sw_json_real(json, "largest_gap", r->largest_gap);
  sw_json_real(json, "exact_equal_rate", r->exact_equal_rate);
  sw_json_object(json, "linear");
  sw_json_int(json, "train", r->linear.train);
  sw_json_int(json, "test", r->linear.test);
  sw_json_real(json, "accuracy", r->linear.accuracy);
  sw_json_real(json, "balanced_accuracy", r->linear.balanced_accuracy);
  sw_json_real(json, "auroc", r->linear.auroc);
  sw_json_real(json, "majority", r->linear.majority);
  sw_json_end(json);
}

static void head(const void *context, sw_json *json) {
  sw_probe_data_json(&((const session *)context)->from, json);
}

static void clear(void *context) {
  sw_probe_data_close(&((session *)context)->from);
}

const sw_measure sw_measure_representation = {
    .name = "representation",
    .bytes = sizeof(session),
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .ask = ask,
    .head = head,
    .members = members,
    .clear = clear};
