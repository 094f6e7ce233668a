/* Faults at every site (faults.h) through `statewise report`: a directory with
 * a run, a store, the files of two measures and an experiment. The plots are
 * drawn by a gnuplot of our own, which is quick and always the same. */
#include "../faults.h"
#include <sys/stat.h>
#include "../tiny_run.h"
#include "probe/measured.h"
#include "report/report.h"
#include "repro/answers.h"
#include "repro/kept.h"
#include "search/results.h"

#ifdef NO_INJECTION
int main(void) { return 0; }
#else

static char directory[1100], pages[1200];

/* All files of the page's directory, by name. */
static uint64_t digest_of_pages(void) {
  uint64_t hash = 1;
  struct dirent **entry;
  atomic_store(&inject_left, -1);
  int count = scandir(pages, &entry, NULL, alphasort);
  for (int i = 0; i < count; i++) {
    char path[1500];
    snprintf(path, sizeof path, "%s/%s", pages, entry[i]->d_name);
    if (entry[i]->d_name[0] != '.')
      hash = sw_xxh64(entry[i]->d_name, strlen(entry[i]->d_name),
                      hash ^ digest_of(path));
    free(entry[i]);
  }
  if (count >= 0) free(entry);
  return hash;
}

static int report(uint64_t *result, sw_err *err) {
  char page[1300];
  SW_TRY(sw_report_make(directory, NULL, page, sizeof page, err));
  *result = digest_of_pages();
  return SW_OK;
}

static void remove_pages(void) {
  DIR *dir = opendir(pages);
  for (struct dirent *e; dir && (e = readdir(dir));)
    unlinkat(dirfd(dir), e->d_name, 0);
  if (dir) closedir(dir);
  rmdir(pages);
}

static const work the_report = {"report", report, remove_pages};

static void allocation_faults(void **state) {
  (void)state;
  faults_of_memory(&the_report);
}
static void file_faults(void **state) {
  (void)state;
  faults_of_files(&the_report);
}
static void kills(void **state) {
  (void)state;
  kills_of(&the_report);
}

/* ---- what is reported ---- */

static int measure(const sw_measure *m, const char *run, sw_err *err) {
  sw_team *team = NULL;
  sw_probe *p;
  SW_TRY(sw_team_new(&team, 1, err));
  int code = sw_measure_new(&p, m, team, NULL, err);
  if (!code) code = sw_measure_set(p, "states", "4", err);
  if (!code) code = sw_measure_take(p, &run, 1, err);
  if (!code) code = sw_measure_write(p, directory, err);
  sw_measure_free(p);
  sw_team_free(team);
  return code;
}

static int play(sw_err *err) {
  sw_results *store;
  char path[1200];
  snprintf(path, sizeof path, "%s/results.db", directory);
  SW_TRY(sw_results_open(&store, path, err));
  int code = SW_OK;
  for (int i = 0; i < 4 && !code; i++) {
    sw_outcome o = {.instance = i / 2, .solved = i % 2, .decisions = 5 + i};
    sw_condition_key key = {.domain = "sat",
                            .policy = "exact",
                            .protocol = i % 2 ? "rebuilt" : "cumulative",
                            .loop = "open",
                            .split = "test"};
    int64_t id;
    snprintf(o.reason, sizeof o.reason, o.solved ? "solved" : "budget");
    code = sw_results_condition(store, &key, &id, err);
    if (!code) code = sw_results_add(store, id, &o, err);
  }
  sw_results_close(store);
  return code;
}

/* A kept experiment as a run leaves it. */
static int write_experiment(sw_err *err) {
  char path[1200];
  sw_answers answers;
  sw_repro_result result = {.cells = 0};
  snprintf(path, sizeof path, "%s/experiment.json", directory);
  sw_answers_begin(&answers);
  int code = sw_answers_read(&answers, "results", err);
  if (!code)
    code = sw_answers_fill(&answers, sw_experiment_find("oracle-bound"),
                           &result, err);
  if (!code) code = sw_kept_write(&result, "", path, err);
  sw_repro_free(&result);
  sw_answers_free(&answers);
  return code;
}

static int make_directory(const char *place, sw_err *err) {
  char data[1100], run[1200];
  snprintf(data, sizeof data, "%s/data.safetensors", place);
  snprintf(run, sizeof run, "%s/ssa", directory);
  tiny_run sat = {.data = data, .directory = run, .mask = "causal"};
  sat.n = 5, sat.traces = 8, sat.d = 8, sat.steps = 3;
  SW_TRY(tiny_run_make(&sat, err));
  SW_TRY(measure(&sw_measure_transplant, run, err));
  SW_TRY(measure(&sw_measure_case, run, err));
  SW_TRY(play(err));
  return write_experiment(err);
}

/* A gnuplot before the system's. */
static int make_gnuplot(const char *place, sw_err *err) {
  static const char script[] = "#!/bin/sh\necho '<svg><g></g></svg>'\n";
  char path[1200], search[4096];
  snprintf(path, sizeof path, "%s/gnuplot", place);
  SW_TRY(sw_write_file(path, script, strlen(script), err));
  if (chmod(path, 0755)) return sw_fail_errno(err, path, "make executable");
  snprintf(search, sizeof search, "%s:%s", place, getenv("PATH"));
  return setenv("PATH", search, 1) ? SW_MEMORY : SW_OK;
}

static int set_up(void **state) {
  (void)state;
  sw_err err = {0};
  char *place = tiny_run_directory();
  if (!place) return -1;
  snprintf(directory, sizeof directory, "%s/runs", place);
  snprintf(pages, sizeof pages, "%s/report", directory);
  watched[0] = place;
  watched[1] = directory;
  watched[2] = pages;
  int code = make_directory(place, &err);
  if (!code) code = make_gnuplot(place, &err);
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
                                     cmocka_unit_test(file_faults),
                                     cmocka_unit_test(kills)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
#endif
