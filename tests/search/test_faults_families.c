/* Faults at every site (faults.h) through what came with the other families:
 * training each, playing with each, a verifier with a model of its own, and
 * data sets of searches behind an earlier one. */
#include "../faults.h"
#include "../tiny_run.h"
#include "base/options.h"
#include "domains/produce.h"
#include "search/condition.h"
#include "search/evaluate.h"
#include "search/guide_family.h"
#include "search/played.h"
#include "statewise.h"
#include "train/trainer.h"

#ifdef NO_INJECTION
int main(void) { return 0; }
#else

enum { LSTM, LINEAR, MLP, GNN, CHOICE, LITERAL, RUNS };
static char data[200], run[RUNS][200], target[200];

/* ---- training ---- */

static const char *const settings[][7] = {
    [LSTM] = {"architecture=lstm", "model-option=d=4", "batch=2"},
    [LINEAR] = {"architecture=linear", "batch=8"},
    [MLP] = {"architecture=mlp", "model-option=width=4", "batch=8", "verify=1"},
    [GNN] = {"architecture=factor-gnn", "model-option=width=4",
             "model-option=rounds=1", "batch=2"},
    [CHOICE] = {"architecture=mlp", "model-option=features=choice",
                "model-option=width=4", "batch=8", "verify=1"},
    [LITERAL] = {"architecture=literal-transformer", "model-option=width=4",
                 "model-option=depth=1", "model-option=attention-heads=1",
                 "model-option=hidden=4", "batch=8", "verify=1"}};

static int train_into(int which, char *output, uint64_t *result, sw_err *err) {
  sw_train_options o;
  sw_train_result made;
  char path[300];
  sw_options_defaults(sw_train_table, sw_train_table_count, &o);
  for (int i = 0; i < 7 && settings[which][i]; i++) {
    SW_TRY(sw_options_set_pair(sw_train_table, sw_train_table_count,
                               settings[which][i], &o, err));
    if (!i) SW_TRY(sw_train_drop_shape(&o, NULL, err));
  }
  o.data = data;
  o.output = output;
  o.steps = 2;
  o.threads = 1;
  SW_TRY(sw_train(&o, NULL, &made, err));
  snprintf(path, sizeof path, "%s/model.safetensors", output);
  *result = sw_xxh64(&made.train_loss, sizeof made.train_loss, digest_of(path));
  return SW_OK;
}

#define TRAIN(name, which)                                 \
  static int train_##name(uint64_t *result, sw_err *err) { \
    return train_into(which, target, result, err);         \
  }
TRAIN(lstm, LSTM)
TRAIN(linear, LINEAR)
TRAIN(mlp, MLP)
TRAIN(gnn, GNN)
TRAIN(choice, CHOICE)
TRAIN(literal, LITERAL)

/* ---- playing ---- */

static int play(sw_guide *guide, const sw_domain_options *options,
                const char *verifier, uint64_t *result, sw_err *err) {
  sw_condition_options o;
  sw_condition c;
  sw_outcome outcome[2];
  sw_condition_defaults(&o);
  o.verifier = verifier;
  o.instances = 2;
  SW_TRY(sw_condition_make(&c, &o, guide, options, err));
  c.loop.max_decisions = 15;
  SW_TRY(sw_evaluate(&c, NULL, outcome, err));
  *result = 1;
  for (int i = 0; i < 2; i++)
    *result = *result * 1000 + (uint64_t)outcome[i].decisions * 20 +
              (uint64_t)outcome[i].backs;
  return SW_OK;
}

static int play_model(int which, uint64_t *result, sw_err *err) {
  sw_loaded loaded;
  sw_team *team = NULL;
  sw_guide *guide = NULL;
  SW_TRY(sw_loaded_open(&loaded, run[which], err));
  int code = sw_team_new(&team, 1, err);
  if (!code) code = sw_guide_model(&guide, &loaded, NULL, team, err);
  if (!code) code = play(guide, &loaded.options, "exact", result, err);
  sw_guide_close(guide);
  sw_team_free(team);
  sw_loaded_close(&loaded);
  return code;
}
static int play_lstm(uint64_t *result, sw_err *err) {
  return play_model(LSTM, result, err);
}
static int play_mlp(uint64_t *result, sw_err *err) {
  return play_model(MLP, result, err);
}
static int play_gnn(uint64_t *result, sw_err *err) {
  return play_model(GNN, result, err);
}

static int task(const sw_domain **sat, sw_domain_options *options,
                sw_err *err) {
  *sat = sw_domain_find("sat");
  sw_domain_defaults(*sat, options);
  options->n = 5;
  return (*sat)->resolve(options, err);
}

static int verify_by(int which, const char *format, uint64_t *result,
                     sw_err *err) {
  const sw_domain *sat;
  sw_domain_options options;
  sw_guide *guide;
  char text[240];
  snprintf(text, sizeof text, format, run[which]);
  SW_TRY(task(&sat, &options, err));
  SW_TRY(sw_guide_named(&guide, sat, "clause+exact", err));
  int code = play(guide, &options, text, result, err);
  sw_guide_close(guide);
  return code;
}
static int verify_states(uint64_t *result, sw_err *err) {
  return verify_by(MLP, "viability:%s:0.5", result, err);
}
static int verify_choices(uint64_t *result, sw_err *err) {
  return verify_by(CHOICE, "any:confirm:5:viability:%s:0.3+cdcl:2", result,
                   err);
}

static int verify_literals(uint64_t *result, sw_err *err) {
  return verify_by(LITERAL, "viability:%s:0.4", result, err);
}

/* The same verifier through the C API. */
static int verify_by_api(uint64_t *result, sw_err *err) {
  static const char text[] = "p cnf 3 3\n1 2 3 0\n-1 -2 0\n-3 0\n";
  statewise *model;
  statewise_search *search;
  statewise_query q;
  char verifier[240];
  statewise_error *error = (statewise_error *)(void *)err;
  int more = 0;
  SW_TRY(statewise_open(&model, run[MLP], 1, error));
  int code = statewise_search_text(&search, model, text, strlen(text), error);
  if (!code) {
    snprintf(verifier, sizeof verifier, "viability:%s:0.5", run[MLP]);
    code = statewise_search_verifier(search, verifier, error);
    *result = 1;
    for (int i = 0; i < 20 && !code &&
                    (more = statewise_search_next(search, &q, error)) == 1;
         i++) {
      *result = *result * 31 + (uint64_t)q.count;
      (void)statewise_search_choose(search, q.best, error);
    }
    if (more < 0) code = -more;
    statewise_search_close(search);
  }
  statewise_close(model);
  return code;
}

/* ---- searches as data ---- */

static int write_searches(uint64_t *result, sw_err *err) {
  const sw_domain *sat;
  sw_domain_options options;
  sw_produce_stats stats;
  char verifier[240];
  snprintf(verifier, sizeof verifier, "viability:%s:0.5", run[MLP]);
  SW_TRY(task(&sat, &options, err));
  sw_played played = {.domain = sat,
                      .options = &options,
                      .rule = "clause+exact",
                      .verifier = verifier,
                      .seed = 7};
  sw_produce_options how = {.count = 2,
                            .seed = 7,
                            .threads = 1,
                            .viability = 1,
                            .before = data,
                            .write = sw_played_write,
                            .context = &played,
                            .played = "a rule"};
  SW_TRY(sw_played_check(&played, err));
  SW_TRY(sw_produce(sat, &options, &how, target, NULL, &stats, err));
  *result = digest_of(target);
  return SW_OK;
}

static void remove_target(void) {
  char path[600];
  DIR *dir = opendir(target);
  for (struct dirent *e; dir && (e = readdir(dir));) {
    snprintf(path, sizeof path, "%s/%s", target, e->d_name);
    unlink(path);
  }
  if (dir) closedir(dir);
  rmdir(target);
  unlink(target);
}

static const work works[] = {
    {"gen --play --viability --add", write_searches, remove_target},
    {"train lstm", train_lstm, remove_target},
    {"train linear", train_linear, remove_target},
    {"train mlp", train_mlp, remove_target},
    {"train mlp on choices", train_choice, remove_target},
    {"train literal-transformer", train_literal, remove_target},
    {"train factor-gnn", train_gnn, remove_target},
    {"play lstm", play_lstm, remove_target},
    {"play mlp", play_mlp, remove_target},
    {"play factor-gnn", play_gnn, remove_target},
    {"viability of states", verify_states, remove_target},
    {"viability of choices", verify_choices, remove_target},
    {"viability of literals", verify_literals, remove_target},
    {"viability by the API", verify_by_api, remove_target},
};
enum { WORKS = sizeof works / sizeof *works, WRITERS = 2 };

static void allocation_faults(void **state) {
  (void)state;
  for (int i = 0; i < WORKS; i++) faults_of_memory(&works[i]);
}

/* The families share their writers. */
static void file_faults(void **state) {
  (void)state;
  for (int i = 0; i < WRITERS; i++) faults_of_files(&works[i]);
}

static void kills(void **state) {
  (void)state;
  for (int i = 0; i < WRITERS; i++) kills_of(&works[i]);
}

static int make_data(sw_err *err) {
  const sw_domain *sat;
  sw_domain_options options;
  sw_produce_stats stats;
  sw_produce_options how = {
      .count = 4, .seed = 3, .threads = 1, .viability = 1};
  SW_TRY(task(&sat, &options, err));
  return sw_produce(sat, &options, &how, data, NULL, &stats, err);
}

static int set_up(void **state) {
  (void)state;
  sw_err err = {0};
  uint64_t unused;
  char *directory = tiny_run_directory();
  if (!directory) return -1;
  watched[0] = directory;
  watched[1] = target;
  snprintf(data, sizeof data, "%s/data.safetensors", directory);
  snprintf(target, sizeof target, "%s/target", directory);
  int code = make_data(&err);
  for (int i = 0; i < RUNS && !code; i++) {
    snprintf(run[i], sizeof run[i], "%s/run%d", directory, i);
    code = train_into(i, run[i], &unused, &err);
  }
  if (code) print_error("%s (%s)\n", err.text, err.hint);
  return code ? -1 : 0;
}
static int tear_down(void **state) {
  (void)state;
  tiny_run_remove(watched[0]);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(allocation_faults),
                                     cmocka_unit_test(file_faults),
                                     cmocka_unit_test(kills)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
#endif
