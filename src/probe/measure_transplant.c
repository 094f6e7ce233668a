/* The measure `transplant`: the same state after different histories. */
#include "probe/measured.h"

typedef sw_transplant_session session;
static const sw_option table[] = {SW_MEASURE_TABLE(SW_TRANSPLANT_OPTIONS)};

static int collect(session *s, const sw_loaded *loaded, sw_states *states,
                   sw_err *err) {
  if (s->data) {
    sw_states_data_options from = {.instances = s->instances,
                                   .states = s->states,
                                   .max_histories = s->histories,
                                   .pairs = 1};
    SW_TRY(sw_probe_data_for(&s->from, s->data, s->part, loaded, err));
    return sw_states_of_data(states, &s->from, &from, err);
  }
  SW_TRY(sw_domain_searchable(loaded->domain, err));
  const sw_domain_options *options = &s->probe.options;
  int64_t blocks = options->max_blocks > 0 ? options->max_blocks : 96;
  sw_states_options o = {.domain = loaded->domain,
                         .domain_options = *options,
                         .seed = (uint64_t)s->probe.seed,
                         .split = SW_SPLIT_TEST,
                         .instances = s->instances,
                         .rollouts = s->rollouts,
                         .max_blocks = s->blocks ? s->blocks : blocks,
                         .random_choice = s->uniform,
                         .early_back = s->early_back,
                         .reorder = s->reorder,
                         .rebuild_states = s->per_instance,
                         .max_histories = s->histories,
                         .states_wanted = s->states};
  return sw_states_collect(states, &o, err);
}

static int compare(session *s, const sw_loaded *loaded, const sw_states *states,
                   sw_err *err) {
  sw_probe *p = &s->probe;
  sw_asker *full = NULL, *cached = NULL;
  int leaky = sw_mask_leaks(sw_probe_mask(p, loaded));
  sw_transplant_options o = {.states = s->states,
                             .policy = s->policy,
                             .resamples = p->resamples,
                             .seed = (uint64_t)p->seed};
  int code = sw_probe_open(p, loaded, 0, &full, err);
  if (!code) code = sw_probe_open(p, loaded, 1, &cached, err);
  sw_probe_begin(p, "states", s->states);
  if (!code)
    code = sw_transplant(states, &p->options, full, cached, leaky, &o,
                         sw_probe_step, s, &s->result[p->models], err);
  sw_probe_end(p);
  sw_asker_free(full);
  sw_asker_free(cached);
  return code;
}

static int ask(void *context, const sw_loaded *loaded, sw_err *err) {
  session *s = context;
  sw_states states;
  SW_TRY(collect(s, loaded, &states, err));
  int code = compare(s, loaded, &states, err);
  s->unlike = states.unlike;
  sw_states_free(&states);
  return code;
}

static void head(const void *context, sw_json *json) {
  const session *s = context;
  sw_json_string(json, "domain", s->probe.domain_name);
  sw_json_string(json, "format", s->probe.format);
  sw_probe_data_json(&s->from, json);
  if (s->data) sw_json_int(json, "recorded_unlike", s->unlike);
}

static void clear(void *context) {
  sw_probe_data_close(&((session *)context)->from);
}

static void members(const void *context, int m, sw_json *json) {
  sw_transplant_json(&((const session *)context)->result[m], json);
}

const sw_measure sw_measure_transplant = {
    .name = "transplant",
    .bytes = sizeof(session),
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .ask = ask,
    .head = head,
    .members = members,
    .clear = clear};
