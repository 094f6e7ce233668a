/* The measure `representation`: hidden states after different histories. */
#include "probe/measured.h"

typedef sw_representation_session session;
static const sw_option table[] = {SW_MEASURE_TABLE(SW_REPRESENTATION_OPTIONS)};

#define F(...) SW_FIGURE(__VA_ARGS__)
#define R sw_linear_score
static const sw_figure linear[] = {
    {F(COUNT, R, train, "train", "training states", "states it learned from")},
    {F(COUNT, R, test, "test", "test states", "states of other instances")},
    {F(SHARE, R, accuracy, "accuracy", "linear probe",
       "test states told right: conflict or not")},
    {F(SHARE, R, balanced_accuracy, "balanced_accuracy",
       "linear probe, balanced", "mean of the two classes' accuracies"),
     .shown = 6},
    {F(SCORE, R, auroc, "auroc", "linear probe, AUROC",
       "area under the ROC curve")},
    {F(SHARE, R, majority, "majority", "majority",
       "accuracy of always saying the more frequent class"),
     .shown = 7},
    {0}};
#undef R
#define R sw_representation_result
static const sw_figure figures[] = {
    {F(COUNT, R, pairs, "pairs", "pairs", "of histories of one state"),
     .shown = 1},
    {F(COUNT, R, states, "states", "states", "states with several histories")},
    {F(COUNT, R, skipped, "skipped_histories", "skipped",
       "histories that did not fit the position table")},
    {F(SCORE, R, cosine, "cosine", "cosine",
       "of the two hidden vectors, mean over pairs"),
     .shown = 2},
    {F(SCORE, R, lowest_cosine, "lowest_cosine", "lowest cosine",
       "of the pair that is furthest apart"),
     .shown = 3},
    {F(MEAN, R, mean_gap, "mean_gap", "mean gap",
       "largest difference of a component, mean over pairs")},
    {F(MEAN, R, largest_gap, "largest_gap", "largest gap",
       "largest difference of a component, of all pairs"),
     .shown = 4},
    {F(SHARE, R, exact_equal_rate, "exact_equal_rate", "identical bits",
       "pairs with the same hidden vector, bit for bit"),
     .shown = 5},
    {F(GROUP, R, linear, "linear", "linear probe",
       "a linear classifier of the hidden vector: conflict or not"),
     .part = linear},
    {0}};
#undef R

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
    .figures = figures,
    SW_MEASURE_RESULT(session, result),
    .caption = "Hidden states of one state after different histories",
    .clear = clear};
