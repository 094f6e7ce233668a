/* Recorded searches of a domain that the program does not know: what a model
 * answers step by step, under every protocol, and the pairs that the searches
 * themselves have. Untrained models: what must hold for any weights. */
#include "../faults.h"
#include <math.h>
#include "../tiny_run.h"
#include "base/hash.h"
#include "domains/own/import.h"
#include "own_searches.h"
#include "probe/measured.h"
#include "train/trainer.h"

static char *dir, lines[1100], set_path[1100], run[2][1100], target[1100];
static const char *const masks[2] = {"ssa", "causal"};

static void must(int code, const sw_err *err) {
  if (code) fail_msg("%s (%s)", err->text, err->hint);
}

static void import(int each, int shown, sw_import_stats *stats) {
  sw_err err;
  const char *file[] = {lines};
  sw_import_options o = {.file = file,
                         .files = 1,
                         .output = set_path,
                         .test_share = 0.3,
                         .valid_share = 0.1,
                         .seed = 1};
  assert_true(own_searches(lines, each, shown));
  must(sw_import(&o, NULL, stats, &err), &err);
}

static int train(const char *mask, const char *output, sw_err *err) {
  sw_train_options o;
  sw_train_result result;
  sw_train_hooks none = {0};
  sw_options_defaults(sw_train_table, sw_train_table_count, &o);
  o.data = set_path, o.output = output, o.mask = mask;
  o.d = 16, o.heads = 2, o.layers = 2, o.slots = 2, o.batch = 4, o.steps = 3;
  o.lr = 3e-3;
  return sw_train(&o, &none, &result, err);
}

static int set_up(void **state) {
  (void)state;
  sw_err err;
  sw_import_stats stats;
  dir = tiny_run_directory();
  if (!dir) return -1;
  snprintf(lines, sizeof lines, "%s/lines", dir);
  snprintf(set_path, sizeof set_path, "%s/set", dir);
  snprintf(target, sizeof target, "%s/target", dir);
#ifndef NO_INJECTION
  watched[0] = dir, watched[1] = target;
#endif
  import(5, 0, &stats);
  int code = sw_make_dirs(target, &err);
  for (int i = 0; i < 2 && !code; i++) {
    snprintf(run[i], sizeof run[i], "%s/%s", dir, masks[i]);
    code = train(masks[i], run[i], &err);
  }
  if (code) print_error("%s\n", err.text);
  return code;
}

static int tear_down(void **state) {
  (void)state;
  tiny_run_remove(dir);
  return 0;
}

/* ---- step by step ---- */

typedef struct asked {
  sw_probe_data data;
  sw_forced_steps steps;
  sw_loaded loaded;
  sw_team *team;
  sw_forced_answer *view[SW_FORCED_VIEWS];
} asked;

static void ask_all(asked *a, const char *model) {
  sw_err err;
  must(sw_probe_data_open(&a->data, set_path, 0, &err), &err);
  must(sw_forced_steps_list(&a->steps, &a->data, &err), &err);
  must(sw_loaded_open(&a->loaded, model, &err), &err);
  must(sw_probe_data_suits(&a->data, &a->loaded, &err), &err);
  must(sw_team_new(&a->team, 2, &err), &err);
  for (int v = 0; v < SW_FORCED_VIEWS; v++) {
    sw_forced_how how = {.loaded = &a->loaded,
                         .reading = a->loaded.reading,
                         .protocol = (sw_protocol)v,
                         .team = a->team};
    a->view[v] = malloc(sizeof *a->view[v] * (size_t)a->steps.count);
    must(sw_forced_ask(&a->data, &a->steps, &how, a->view[v], &err), &err);
  }
}

static void close_all(asked *a) {
  for (int v = 0; v < SW_FORCED_VIEWS; v++) free(a->view[v]);
  sw_team_free(a->team);
  sw_loaded_close(&a->loaded);
  sw_forced_steps_free(&a->steps);
  sw_probe_data_close(&a->data);
}

/* A full pass over what the protocol shows of a step, and its bits. */
static uint64_t bits_of(const asked *a, sw_asker *asker, int64_t step,
                        int history) {
  static const sw_view_options whole = {.view = SW_VIEW_FULL};
  const sw_forced_step *s = &a->steps.step[step];
  sw_err err;
  sw_trace all, shown;
  const float *z;
  sw_trace_init(&all);
  sw_trace_init(&shown);
  must(sw_dataset_item(&a->data.set, &whole, s->trace, &all, &err), &err);
  sw_data_step at = sw_data_step_of(&a->data.set, s->trace, s->block);
  for (int64_t b = 0; b <= s->block; b++) {
    if (!history && b > 0 && b < s->block) continue;
    int64_t end = b < s->block ? all.block_start[b + 1]
                               : at.first - a->data.set.trace_start[s->trace];
    sw_trace_begin_block(&shown);
    for (int64_t i = all.block_start[b]; i < end; i++)
      sw_trace_put(&shown, all.token[i], 0);
  }
  must(sw_ask(asker, &shown, &z, &err), &err);
  uint64_t bits = sw_xxh64(z, sizeof *z * (size_t)a->loaded.model->outputs, 51);
  sw_trace_free(&all);
  sw_trace_free(&shown);
  return bits;
}

static void steps_are_answered_as_a_full_pass_does(void **state) {
  (void)state;
  for (int m = 0; m < 2; m++) {
    asked a;
    sw_err err;
    sw_asker *asker;
    ask_all(&a, run[m]);
    assert_true(a.steps.count > 50 && a.steps.backs > 10);
    must(sw_probe_asker(&a.loaded, NULL, NULL, 0, a.team, &asker, &err), &err);
    for (int64_t i = 0; i < a.steps.count; i++) {
      assert_int_equal(a.view[SW_CUMULATIVE][i].bits, bits_of(&a, asker, i, 1));
      assert_int_equal(a.view[SW_REBUILT][i].bits, bits_of(&a, asker, i, 0));
    }
    sw_asker_free(asker);
    close_all(&a);
  }
}

static int64_t unlike(const asked *a, sw_protocol one, sw_protocol other) {
  int64_t count = 0;
  for (int64_t i = 0; i < a->steps.count; i++)
    count += a->view[one][i].bits != a->view[other][i].bits;
  return count;
}

static void only_the_causal_model_reads_the_story(void **state) {
  (void)state;
  asked a;
  ask_all(&a, run[0]);
  for (int v = 1; v < SW_FORCED_VIEWS; v++)
    assert_int_equal(unlike(&a, SW_CUMULATIVE, (sw_protocol)v), 0);
  close_all(&a);
  ask_all(&a, run[1]);
  int64_t first = 0; /* steps without a history */
  for (int64_t i = 0; i < a.steps.count; i++)
    first += a.steps.step[i].block == 1;
  assert_int_equal(unlike(&a, SW_CUMULATIVE, SW_REBUILT),
                   a.steps.count - first);
  assert_int_equal(unlike(&a, SW_CUMULATIVE, SW_REBUILT_IN_PLACE),
                   a.steps.count - first);
  /* all searches begin with the same step */
  assert_true(unlike(&a, SW_CUMULATIVE, SW_FOREIGN) > a.steps.count / 2);
  assert_true(unlike(&a, SW_CUMULATIVE, SW_FOREIGN) <=
              a.steps.count - 2 * first);
  /* without the blocks, but where they would have been */
  assert_int_equal(unlike(&a, SW_REBUILT, SW_REBUILT_IN_PLACE),
                   a.steps.count - first);
  close_all(&a);
}

static void figures_are_those_of_the_answers(void **state) {
  (void)state;
  asked a;
  sw_err err;
  sw_forced_view v;
  sw_forced_gap gap;
  sw_forced_floors floors;
  ask_all(&a, run[0]);
  int64_t n = a.steps.count;
  sw_forced_answer *perfect = a.view[0], *never = a.view[1];
  for (int64_t i = 0; i < n; i++) {
    const sw_forced_step *s = &a.steps.step[i];
    perfect[i] = (sw_forced_answer){2, 2, s->right, s->back, 1};
    never[i] = (sw_forced_answer){2, 1, s->back ? -1 : s->right, .25, 2};
  }
  never[0].targets = 0; /* did not fit */
  must(sw_forced_view_of(&a.steps, perfect, a.data.back, 50, 1, &v, &err),
       &err);
  assert_int_equal(v.steps, n);
  assert_true(v.choice_accuracy.point == 1 && v.step_accuracy.low == 1);
  assert_true(v.auroc.point == 1 && v.balanced_accuracy.point == 1);
  assert_true(v.ece == 0 && v.viable_auroc == 1);
  must(sw_forced_view_of(&a.steps, never, a.data.back, 50, 1, &v, &err), &err);
  assert_int_equal(v.skipped, 1);
  assert_true(v.auroc.point == .5 && v.balanced_accuracy.point == .5);
  assert_true(v.target_accuracy.point == .5 && v.step_accuracy.point == 0);
  double rest = 1 - (double)a.steps.backs / (double)(n - 1);
  assert_true(fabs(v.choice_accuracy.point - rest) < 1e-12);
  int64_t by_depth = 0, by_history = 0;
  for (int k = 0; k < SW_FORCED_BINS; k++) {
    by_depth += v.by_depth[k].steps;
    by_history += v.by_history[k].steps;
  }
  assert_int_equal(by_depth, n - 1);
  assert_int_equal(by_history, n - 1);
  must(sw_forced_gap_of(&a.steps, perfect, never, 50, 1, &gap, &err), &err);
  assert_int_equal(gap.steps, n - 1);
  assert_true(fabs(gap.choice_accuracy.point - (1 - rest)) < 1e-12);
  assert_true(gap.exact_equal == 0 && gap.largest_back == .75);
  sw_forced_floors_of(&a.data, &a.steps, &floors);
  assert_true(fabs(floors.onward_verdict -
                   (double)(n - a.steps.backs) / (double)n) < 1e-12);
  close_all(&a);
}

/* ---- pairs ---- */

static void states_have_the_same_words_and_other_stories(void **state) {
  (void)state;
  sw_err err;
  sw_probe_data data;
  sw_states s;
  sw_states_data_options o = {.max_histories = 4, .pairs = 1};
  must(sw_probe_data_open(&data, set_path, 4, &err), &err);
  assert_string_equal(data.part, "all");
  assert_int_equal(data.clusters, 9);
  must(sw_states_of_data(&s, &data, &o, &err), &err);
  assert_true(s.groups > 20);
  assert_int_equal(s.unlike, 0); /* its states say whether to go back */
  for (int64_t g = 0; g < s.groups; g++) {
    const sw_point *a = &s.point[s.order[s.group[g].first]];
    const sw_point *b = &s.point[s.order[s.group[g].first + 1]];
    const sw_trace *x = &s.rollout[a->rollout].trace;
    const sw_trace *y = &s.rollout[b->rollout].trace;
    int64_t from = x->block_start[a->block], to = y->block_start[b->block];
    assert_int_equal(a->last - from, b->last - to);
    assert_memory_equal(x->token + from, y->token + to,
                        sizeof *x->token * (size_t)(a->last - from + 1));
    assert_int_equal(x->block_start[1], y->block_start[1]);
    assert_memory_equal(x->token, y->token,
                        sizeof *x->token * (size_t)x->block_start[1]);
    assert_true(from != to || memcmp(x->token, y->token,
                                     sizeof *x->token * (size_t)from) != 0);
  }
  sw_states_free(&s);
  sw_probe_data_close(&data);
}

static void without_pairs_the_probes_say_so(void **state) {
  (void)state;
  sw_err err;
  sw_import_stats stats;
  sw_probe_data data;
  sw_states s;
  sw_states_data_options o = {.max_histories = 4, .pairs = 1};
  char keep[1100];
  snprintf(keep, sizeof keep, "%s", set_path);
  snprintf(set_path, sizeof set_path, "%s/once", dir);
  const char *one =
      "{\"problem\": \"A\", \"steps\": [{\"state\": \"s\", \"action\": \"v\"}]}"
      "\n{\"problem\": \"B\", \"steps\": [{\"state\": \"s\", \"action\": "
      "\"w\"}]}\n";
  must(sw_write_file(lines, one, strlen(one), &err), &err);
  const char *file[] = {lines};
  sw_import_options io = {.file = file, .files = 1, .output = set_path};
  must(sw_import(&io, NULL, &stats, &err), &err);
  must(sw_probe_data_open(&data, set_path, 0, &err), &err);
  assert_int_equal(data.back, -1);
  assert_int_equal(sw_states_of_data(&s, &data, &o, &err), SW_DATA);
  assert_non_null(strstr(err.text, "after two different histories"));
  assert_non_null(strstr(err.hint, "several searches of one problem"));
  sw_probe_data_close(&data);
  snprintf(set_path, sizeof set_path, "%s", keep);
}

static void other_words_are_refused_and_told_ones_shown(void **state) {
  (void)state;
  sw_err err;
  sw_import_stats stats;
  sw_probe_data data;
  sw_loaded loaded;
  char keep[1100], words[300];
  snprintf(keep, sizeof keep, "%s", set_path);
  snprintf(set_path, sizeof set_path, "%s/shown", dir);
  import(5, 1, &stats);
  assert_true(stats.gives.shown);
  assert_string_equal(stats.gives.word, "DEAD");
  must(sw_probe_data_open(&data, set_path, 0, &err), &err);
  assert_true(data.gives.shown);
  sw_gives_words(&data.gives, words, sizeof words);
  assert_non_null(strstr(words, "presence of the word \"DEAD\""));
  must(sw_loaded_open(&loaded, run[0], &err), &err);
  assert_int_equal(sw_probe_data_suits(&data, &loaded, &err), SW_USAGE);
  assert_non_null(strstr(err.hint, "--vocabulary"));
  sw_loaded_close(&loaded);
  sw_probe_data_close(&data);
  snprintf(set_path, sizeof set_path, "%s", keep);
}

/* ---- measures, and faults at every site of them ---- */

static const sw_measure *const measured[] = {
    &sw_measure_forced,  &sw_measure_transplant, &sw_measure_bank,
    &sw_measure_padding, &sw_measure_length,     &sw_measure_representation};
enum { MEASURED = sizeof measured / sizeof *measured };

static int ask(sw_probe *p, const sw_measure *m, sw_err *err) {
  const char *model = run[1];
  SW_TRY(sw_measure_set(p, "data", set_path, err));
  SW_TRY(sw_measure_set(p, "resamples", "3", err));
  if (m == &sw_measure_padding) SW_TRY(sw_measure_set(p, "trials", "4", err));
  SW_TRY(sw_measure_take(p, &model, 1, err));
  return sw_measure_write(p, target, err);
}

static int perform(const sw_measure *m, uint64_t *result, sw_err *err) {
  sw_team *team = NULL;
  sw_probe *p;
  char path[1200];
  SW_TRY(sw_team_new(&team, 1, err));
  int code = sw_measure_new(&p, m, team, NULL, err);
  if (!code) code = ask(p, m, err);
  sw_measure_free(p);
  sw_team_free(team);
  if (code) return code;
  snprintf(path, sizeof path, "%s/%s.json", target, m->name);
  sw_content content;
  SW_TRY(sw_content_read(&content, path, err));
  *result = sw_xxh64(content.data, content.bytes, 1) | 1;
  sw_content_free(&content);
  return SW_OK;
}

static void every_measure_takes_recorded_searches(void **state) {
  (void)state;
  for (int i = 0; i < MEASURED; i++) {
    sw_err err;
    uint64_t first, second;
    must(perform(measured[i], &first, &err), &err);
    must(perform(measured[i], &second, &err), &err);
    assert_int_equal(first, second);
  }
}

#ifndef NO_INJECTION
#define MEASURES(X) \
  X(forced) X(transplant) X(bank) X(padding) X(length) X(representation)
#define X(name)                                               \
  static int run_##name(uint64_t *result, sw_err *err) {      \
    return perform(&sw_measure_##name, result, err);          \
  }                                                           \
  static void clean_##name(void) {                            \
    char path[1200];                                          \
    snprintf(path, sizeof path, "%s/" #name ".json", target); \
    unlink(path);                                             \
  }
MEASURES(X)
#undef X

#define X(name) {"own " #name, run_##name, clean_##name},
static const work works[] = {MEASURES(X)};
#undef X

static void allocation_faults(void **state) {
  (void)state;
  for (int i = 0; i < MEASURED; i++) faults_of_memory(&works[i]);
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_are_answered_as_a_full_pass_does),
      cmocka_unit_test(only_the_causal_model_reads_the_story),
      cmocka_unit_test(figures_are_those_of_the_answers),
      cmocka_unit_test(states_have_the_same_words_and_other_stories),
      cmocka_unit_test(without_pairs_the_probes_say_so),
      cmocka_unit_test(other_words_are_refused_and_told_ones_shown),
      cmocka_unit_test(every_measure_takes_recorded_searches),
#ifndef NO_INJECTION
      cmocka_unit_test(allocation_faults),
#endif
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
