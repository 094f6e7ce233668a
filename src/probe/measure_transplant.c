/* The measure `transplant`: the same state after different histories. */
#include "probe/measured.h"

typedef sw_transplant_session session;
static const sw_option table[] = {SW_MEASURE_TABLE(SW_TRANSPLANT_OPTIONS)};

/* ---- what it finds ---- */

#define F(...) SW_FIGURE(__VA_ARGS__)
#define R sw_agreement
static const sw_figure agreement[] = {
    {F(COUNT, R, pairs, "pairs", "pairs", "of histories of one state")},
    {F(COUNT, R, states, "states", "states", "states with such a pair")},
    {F(SHARE, R, argmax, "argmax_agreement", "same choice",
       "the best action is the same after both histories"),
     .interval = "argmax_interval"},
    {F(MEAN, R, symmetric_kl, "symmetric_kl", "symmetric KL",
       "between the two distributions over actions, nats")},
    {F(MEAN, R, kl_sd, "symmetric_kl_sd", "its deviation",
       "deviation of it over pairs")},
    {F(SCORE, R, cosine, "cosine", "cosine", "of the two distributions")},
    {F(MEAN, R, entanglement.point, "entanglement", "entanglement",
       "variance of the prediction over the histories of a state"),
     .interval = "entanglement_interval"},
    {F(INTERVAL, R, entanglement, "entanglement_interval", "95 % interval",
       "of entanglement, resampling instances")},
    {F(INTERVAL, R, argmax_interval, "argmax_interval", "95 % interval",
       "of argmax_agreement, resampling instances")},
    {0}};
#undef R
#define R sw_transplant_depth
static const sw_figure depth[] = {
    {.name = "depth",
     .kind = SW_FIGURE_COUNT,
     .heading = "depth",
     .help = "open decisions at the state; the last holds all above"},
    {F(COUNT, R, pairs, "pairs", "pairs", "of states of that depth")},
    {F(SHARE, R, argmax, "argmax_agreement", "same choice",
       "as in `verification`")},
    {F(MEAN, R, symmetric_kl, "symmetric_kl", "symmetric KL",
       "as in `verification`")},
    {F(SHARE, R, exact, "exact_equal_rate", "identical bits",
       "pairs with the same logits")},
    {0}};
#undef R
#define R sw_transplant_result
static void by_depth(const void *found, sw_json *json) {
  const R *r = found;
  sw_json_array(json, "by_depth");
  for (int d = 0; d <= SW_TRANSPLANT_DEPTHS; d++) {
    if (!r->depth[d].pairs) continue;
    sw_json_object(json, NULL);
    sw_json_int(json, "depth", d);
    sw_figures_json(depth, &r->depth[d], json);
    sw_json_end(json);
  }
  sw_json_end(json);
}

static const sw_figure figures[] = {
    {F(COUNT, R, pairs, "pairs", "pairs",
       "of really different histories of one state"),
     .shown = 1},
    {F(COUNT, R, states, "states", "states", "states with such a pair"),
     .shown = 2},
    {F(COUNT, R, conflict_states, "conflict_states", "conflict states",
       "of them, states that show a conflict")},
    {F(COUNT, R, instances, "instances", "instances", "that they come from")},
    {F(COUNT, R, skipped, "skipped_histories", "skipped",
       "histories that did not fit the position table")},
    {F(COUNT, R, candidates, "candidate_pairs", "pairs seen",
       "pairs of the same state, identical histories among them")},
    {F(COUNT, R, identical, "identical_histories", "identical histories",
       "of them left out, as nothing could differ")},
    {F(COUNT, R, queries, "queries_compared", "queries",
       "queries compared bit by bit, over all pairs")},
    {F(SHARE, R, exact_equal_rate, "exact_equal_rate", "identical bits",
       "pairs with the same logits at every query, bit for bit"),
     .shown = 4},
    {F(SHARE, R, exact_query_rate, "exact_query_rate", "identical queries",
       "queries with the same logits, bit for bit")},
    {F(MEAN, R, largest_logit_gap, "largest_logit_gap", "largest gap",
       "largest difference of a logit")},
    {F(MEAN, R, mean_history_gap, "mean_history_gap", "difference of length",
       "tokens by which the two histories differ, on average")},
    {F(COUNT, R, path_mismatches, "path_mismatches", "path mismatches",
       "states where the full pass and the cache differ: must be 0")},
    {F(SHARE, R, verification.argmax, "argmax_agreement", "same choice",
       "the best action is the same, going back included"),
     .shown = 3, .interval = "verification.argmax_interval"},
    {F(MEAN, R, verification.symmetric_kl, "symmetric_kl", "symmetric KL",
       "between the two distributions, nats"),
     .shown = 5},
    {F(MEAN, R, verification.entanglement.point, "entanglement", "entanglement",
       "variance of the prediction over histories"),
     .shown = 6, .interval = "verification.entanglement_interval"},
    {F(GROUP, R, verification, "verification", "verification",
       "of the answers at the state's query: go back, or which way"),
     .part = agreement},
    {F(GROUP, R, policy, "policy", "policy",
       "of the joint distribution over complete actions"),
     .part = agreement},
    {.name = "by_depth",
     .kind = SW_FIGURE_SERIES,
     .heading = "by depth",
     .help = "the same by open decisions at the state",
     .write = by_depth,
     .part = depth},
    {0}};
#undef R

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

const sw_measure sw_measure_transplant = {
    .name = "transplant",
    .bytes = sizeof(session),
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .ask = ask,
    .head = head,
    .figures = figures,
    SW_MEASURE_RESULT(session, result),
    .caption =
        "History transplant: the same state after really different "
        "histories",
    .clear = clear};
