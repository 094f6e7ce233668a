/* Faults at every site (faults.h) through each measure of `statewise probe`: a
 * session with few states, asked of a tiny model, and its file written. */
#include "../faults.h"
#include "../tiny_run.h"
#include "probe/measured.h"

#ifdef NO_INJECTION
int main(void) { return 0; }
#else

static char data[2][1100], run[1100], tree_run[1100], target[1100];

/* Sizes of which a measure takes those that it has. */
static const char *const sizes[][2] = {
    {"states", "2"},     {"histories", "2"}, {"instances", "2"},
    {"rollouts", "4"},   {"rebuilt", "1"},   {"per-instance", "1"},
    {"viable", "2"},     {"conflicts", "1"}, {"fewer", "1"},
    {"blocks", "8"},     {"trials", "2"},    {"traces", "2"},
    {"decisions", "12"}, {"resamples", "3"}, {"free", "1"},
    {"bank-states", "0"}};

static int has_option(const sw_measure *m, const char *name) {
  for (int i = 0; i < m->option_count; i++)
    if (!strcmp(m->options[i].name, name)) return 1;
  return 0;
}

static int ask(sw_probe *p, const sw_measure *m, sw_err *err) {
  const char *model = m == &sw_measure_trees ? tree_run : run;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    if (has_option(m, sizes[i][0]))
      SW_TRY(sw_measure_set(p, sizes[i][0], sizes[i][1], err));
  if (m == &sw_measure_bank ||
      m == &sw_measure_attention) /* both kinds of states are to be found */
    SW_TRY(sw_measure_set(p, "instances", "12", err));
  if (m == &sw_measure_trees) SW_TRY(sw_measure_set(p, "exclude", "8", err));
  if (m == &sw_measure_forced) SW_TRY(sw_measure_set(p, "data", data[0], err));
  SW_TRY(sw_measure_take(p, &model, 1, err));
  return sw_measure_write(p, target, err);
}

static int measure(const sw_measure *m, uint64_t *result, sw_err *err) {
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
  *result = digest_of(path);
  return SW_OK;
}

/* One piece of work for each row of the table of measures. */
#define X(name)                                               \
  static int run_##name(uint64_t *result, sw_err *err) {      \
    return measure(&sw_measure_##name, result, err);          \
  }                                                           \
  static void clean_##name(void) {                            \
    char path[1200];                                          \
    snprintf(path, sizeof path, "%s/" #name ".json", target); \
    unlink(path);                                             \
  }
SW_MEASURES(X)
#undef X
#define X(name) {"probe " #name, run_##name, clean_##name},
static const work works[] = {SW_MEASURES(X)};
#undef X
enum { WORKS = sizeof works / sizeof *works };

static void allocation_faults(void **state) {
  (void)state;
  for (int i = 0; i < WORKS; i++) faults_of_memory(&works[i]);
}

static void file_faults(void **state) {
  (void)state;
  for (int i = 0; i < WORKS; i++) faults_of_files(&works[i]);
}

static int set_up(void **state) {
  (void)state;
  sw_err err;
  char *directory = tiny_run_directory();
  if (!directory) return -1;
  watched[0] = directory;
  watched[1] = target;
  snprintf(run, sizeof run, "%s/run", directory);
  snprintf(tree_run, sizeof tree_run, "%s/trees", directory);
  snprintf(target, sizeof target, "%s/target", directory);
  snprintf(data[0], sizeof data[0], "%s/sat.safetensors", directory);
  snprintf(data[1], sizeof data[1], "%s/trees.safetensors", directory);
  tiny_run sat = {.data = data[0], .directory = run, .mask = "causal"};
  sat.n = 5, sat.traces = 8, sat.d = 8, sat.steps = 2;
  sat.verify = 1;
  tiny_run trees = sat;
  trees.verify = 0, trees.n = 12;
  trees.domain = "trees";
  trees.data = data[1], trees.directory = tree_run;
  int code = sw_make_dirs(target, &err);
  if (!code) code = tiny_run_make(&sat, &err);
  if (!code) code = tiny_run_make(&trees, &err);
  if (code) print_error("%s\n", err.text);
  return code ? -1 : 0;
}
static int tear_down(void **state) {
  (void)state;
  tiny_run_remove(watched[0]);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(allocation_faults),
                                     cmocka_unit_test(file_faults)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
#endif
