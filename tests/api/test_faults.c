/* Faults at every site (faults.h) through generating, training, evaluating,
 * solving and the C API. */
#include "../faults.h"
#include <sqlite3.h>
#include "../tiny_run.h"
#include "base/file.h"
#include "base/hash.h"
#include "domains/produce.h"
#include "search/guide_family.h"
#include "search/score.h"
#include "search/solve.h"
#include "statewise.h"
#include "train/trainer.h"

#ifdef NO_INJECTION
int main(void) { return 0; }
#else

static char data[1100], run[1100], target[1100];

/* ---- what is done; each returns its code and a digest of its result ---- */

static int produce(int viability, uint64_t *result, sw_err *err) {
  const sw_domain *sat = sw_domain_find("sat");
  sw_domain_options options;
  sw_produce_options how = {
      .count = 3, .seed = 7, .threads = 1, .viability = viability};
  sw_produce_stats stats;
  sw_domain_defaults(sat, &options);
  options.n = 5;
  SW_TRY(sat->resolve(&options, err));
  SW_TRY(sw_produce(sat, &options, &how, target, NULL, &stats, err));
  *result = digest_of(target);
  return SW_OK;
}

static int generate(uint64_t *result, sw_err *err) {
  return produce(0, result, err);
}
static int generate_judged(uint64_t *result, sw_err *err) {
  return produce(1, result, err);
}

static void remove_run(void) {
  char path[1400];
  DIR *dir = opendir(target);
  for (struct dirent *e; dir && (e = readdir(dir));) {
    snprintf(path, sizeof path, "%s/%s", target, e->d_name);
    unlink(path);
  }
  if (dir) closedir(dir);
  rmdir(target);
}

static int train(uint64_t *result, sw_err *err) {
  sw_train_options o;
  sw_train_result made;
  sw_options_defaults(sw_train_table, sw_train_table_count, &o);
  o.data = data;
  o.output = target;
  o.mask = "ssa";
  o.d = 8;
  o.layers = 1;
  o.heads = 2;
  o.slots = 2;
  o.batch = 2;
  o.steps = 2;
  o.threads = 1;
  SW_TRY(sw_train(&o, NULL, &made, err));
  char path[1200];
  snprintf(path, sizeof path, "%s/model.safetensors", target);
  *result = sw_xxh64(&made.train_loss, sizeof made.train_loss, digest_of(path));
  return SW_OK;
}

static int evaluate_with(sw_loaded *loaded, sw_team *team, uint64_t *result,
                         sw_err *err) {
  sw_guide *guide = NULL;
  SW_TRY(sw_guide_model(&guide, loaded, NULL, team, err));
  sw_condition c = {.domain = loaded->domain,
                    .options = loaded->options,
                    .guide = guide,
                    .seed = 3,
                    .split = SW_SPLIT_TEST,
                    .instances = 3,
                    .width = 2};
  sw_results *store = NULL;
  sw_score_row row;
  c.loop.max_decisions = 20;
  int code = sw_results_open(&store, target, err);
  if (!code) {
    code = sw_score(&c, store, NULL, &row, err);
    if (!code) {
      *result = (uint64_t)row.summary.decisions * 100 +
                (uint64_t)row.summary.solved + 1;
      sw_score_free(&row);
    }
  }
  sw_results_close(store);
  sw_guide_close(guide);
  return code;
}

static int evaluate(uint64_t *result, sw_err *err) {
  sw_loaded loaded;
  sw_team *team = NULL;
  SW_TRY(sw_loaded_open(&loaded, run, err));
  int code = sw_team_new(&team, 1, err);
  if (!code) code = evaluate_with(&loaded, team, result, err);
  sw_team_free(team);
  sw_loaded_close(&loaded);
  return code;
}

/* A store that is made. */
static int open_store(uint64_t *result, sw_err *err) {
  sw_results *store;
  sqlite3 *db;
  sqlite3_stmt *s = NULL;
  SW_TRY(sw_results_open(&store, target, err));
  sw_results_close(store);
  (void)inject_end(); /* the rest is ours */
  if (sqlite3_open(target, &db) == SQLITE_OK &&
      sqlite3_prepare_v2(db,
                         "SELECT sum(length(sql)), count(*) FROM sqlite_master",
                         -1, &s, NULL) == SQLITE_OK &&
      sqlite3_step(s) == SQLITE_ROW)
    *result = (uint64_t)sqlite3_column_int64(s, 0) * 1000 +
              (uint64_t)sqlite3_column_int64(s, 1);
  sqlite3_finalize(s);
  sqlite3_close(db);
  return SW_OK;
}

static const char *const problems[][2] = {
    {"sat", "p cnf 3 3\n1 2 3 0\n-1 -2 0\n-3 0\n"},
    {"coloring", "p edge 4 4\ne 1 2\ne 2 3\ne 3 4\ne 4 1\n"},
    {"blocks",
     "(define (problem p) (:objects a b c) (:init (on a b) (ontable b)"
     " (ontable c) (clear a) (clear c) (handempty)) (:goal (and (on b c)"
     " (on c a))))"},
    {"parsing", "f ( a , ( b ) )"}};

static int solve_one(int which, sw_team *team, uint64_t *result, sw_err *err) {
  const sw_domain *domain = sw_domain_find(problems[which][0]);
  const char *text = problems[which][1];
  sw_domain_options options;
  sw_instance *instance;
  sw_solution solution;
  sw_solve_limits limits = {.seconds = 60, .decisions = 100};
  sw_domain_defaults(domain, &options);
  SW_TRY(domain->file.parse(&instance, "p", text, strlen(text), &options, err));
  (void)team;
  int code = sw_solve(domain, instance, &options, NULL, NULL, &limits, NULL,
                      &solution, err);
  if (!code && solution.verdict == 10)
    code =
        domain->file.verify(text, strlen(text), &options, solution.answer, err);
  if (!code) *result = *result * 31 + (uint64_t)solution.verdict;
  free(solution.answer);
  domain->instance_free(instance);
  return code;
}

static int solve(uint64_t *result, sw_err *err) {
  sw_team *team;
  SW_TRY(sw_team_new(&team, 1, err));
  int code = SW_OK;
  *result = 1;
  for (int i = 0; i < 4 && !code; i++) code = solve_one(i, team, result, err);
  sw_team_free(team);
  return code;
}

static int use_api(uint64_t *result, sw_err *err) {
  statewise *model;
  statewise_search *search;
  statewise_query q;
  statewise_error *error = (statewise_error *)(void *)err;
  SW_TRY(statewise_open(&model, run, 1, error));
  const char *text = problems[0][1];
  int code = statewise_search_text(&search, model, text, strlen(text), error),
      more;
  if (!code) {
    *result = 1;
    for (int i = 0;
         i < 30 && (more = statewise_search_next(search, &q, error)) == 1;
         i++) {
      *result = *result * 31 + (uint64_t)q.count;
      (void)statewise_search_choose(search, q.best, error);
    }
    if (more < 0) code = -more;
    (void)statewise_search_answer(search);
    statewise_search_close(search);
  }
  statewise_close(model);
  return code;
}

/* A store has two companions. */
static void remove_file(void) {
  static const char *const endings[] = {"", "-wal", "-shm"};
  for (int i = 0; i < 3; i++) {
    char path[1200];
    snprintf(path, sizeof path, "%s%s", target, endings[i]);
    unlink(path);
  }
}
/* A command by its request, from JSON to JSON. */
static int use_run(uint64_t *result, sw_err *err) {
  char request[1400], *text;
  snprintf(request, sizeof request,
           "{\"command\": \"gen\", \"args\": [\"sat\"], \"options\": {\"out\": "
           "\"%s\", \"count\": 3, \"n\": 5, \"threads\": 1}}",
           target);
  SW_TRY(statewise_run(request, NULL, NULL, NULL, &text,
                       (statewise_error *)(void *)err));
  statewise_free(text);
  *result = digest_of(target);
  return SW_OK;
}

static int use_tables(uint64_t *result, sw_err *err) {
  char *text;
  SW_TRY(statewise_commands(&text, (statewise_error *)(void *)err));
  *result = sw_xxh64(text, strlen(text), 0);
  statewise_free(text);
  return SW_OK;
}

static const work works[] = {
    {"gen", generate, remove_file},
    {"train", train, remove_run},
    {"eval", evaluate, remove_file},
    {"opening a store", open_store, remove_file},
    {"gen --viability", generate_judged, remove_file},
    {"solve", solve, remove_file},
    {"api", use_api, remove_file},
    {"statewise_run", use_run, remove_file},
    {"statewise_commands", use_tables, remove_file},
};
enum { WORKS = sizeof works / sizeof *works, WRITERS = 4 };

static void allocation_faults(void **state) {
  (void)state;
  for (int i = 0; i < WORKS; i++) faults_of_memory(&works[i]);
}

static void file_faults(void **state) {
  (void)state;
  for (int i = 0; i < WRITERS; i++) faults_of_files(&works[i]);
}

static void kills(void **state) {
  (void)state;
  for (int i = 0; i < WRITERS; i++) kills_of(&works[i]);
}

static int set_up(void **state) {
  (void)state;
  sw_err err;
  char *directory = tiny_run_directory();
  if (!directory) return -1;
  watched[0] = directory;
  watched[1] = target;
  snprintf(data, sizeof data, "%s/data.safetensors", directory);
  snprintf(run, sizeof run, "%s/run", directory);
  snprintf(target, sizeof target, "%s/target", directory);
  return tiny_run_make(&(tiny_run){.data = data,
                                   .directory = run,
                                   .mask = "ssa",
                                   .n = 5,
                                   .traces = 8,
                                   .d = 8,
                                   .steps = 2},
                       &err)
             ? -1
             : 0;
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
