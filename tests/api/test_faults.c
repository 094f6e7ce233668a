/* Faults at every site: an allocation that fails, a write, sync, rename or
 * close that does, one after the other, through generating, training,
 * evaluating, solving and the C API. After each: an error that says so (or the
 * right result, where the call was not needed), no block and no file left
 * behind, and the same work then succeeds with the same result. Prints the
 * number of sites. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#include "../inject.h"
#else
#define NO_INJECTION 1
#endif
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

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

static char *directory;
static char data[1100], run[1100], target[1100];

/* ---- what is done; each returns its code and a digest of its result ---- */

static uint64_t digest_of(const char *path) {
  sw_content content;
  sw_err err;
  atomic_store(&inject_left, -1); /* the work itself is done */
  if (sw_content_read(&content, path, &err)) return 0;
  uint64_t hash = sw_xxh64(content.data, content.bytes, 0);
  sw_content_free(&content);
  return hash;
}

static int generate(uint64_t *result, sw_err *err) {
  const sw_domain *sat = sw_domain_find("sat");
  sw_domain_options options;
  sw_produce_options produce = {.count = 3, .seed = 7, .threads = 1};
  sw_produce_stats stats;
  sw_domain_defaults(sat, &options);
  options.n = 5;
  SW_TRY(sat->resolve(&options, err));
  SW_TRY(sw_produce(sat, &options, &produce, target, NULL, &stats, err));
  *result = digest_of(target);
  return SW_OK;
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
  *result = digest_of(path);
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
  SW_TRY(domain->instance_parse(&instance, "p", text, strlen(text), &options,
                                err));
  (void)team;
  int code = sw_solve(domain, instance, &options, NULL, NULL, &limits, NULL,
                      &solution, err);
  if (!code && solution.verdict == 10)
    code = domain->verify(text, strlen(text), &options, solution.answer, err);
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

typedef struct work {
  const char *name;
  int (*run)(uint64_t *result, sw_err *err);
  void (*clean)(void);
} work;
/* A store has two companions. */
static void remove_file(void) {
  static const char *const endings[] = {"", "-wal", "-shm"};
  for (int i = 0; i < 3; i++) {
    char path[1200];
    snprintf(path, sizeof path, "%s%s", target, endings[i]);
    unlink(path);
  }
}
static const work works[] = {
    {"gen", generate, remove_file},  {"train", train, remove_run},
    {"eval", evaluate, remove_file}, {"solve", solve, remove_file},
    {"api", use_api, remove_file},
};
enum { WORKS = sizeof works / sizeof *works };

static int temporaries(const char *place) {
  int count = 0;
  DIR *dir = opendir(place);
  for (struct dirent *e; dir && (e = readdir(dir));)
    count += strstr(e->d_name, ".tmp") != NULL;
  if (dir) closedir(dir);
  return count;
}

/* Runs the work once under an armed fault; the sum of all checks. */
static void check_one(const work *w, uint64_t right, long site,
                      const char *kind, int want) {
  sw_err err = {0};
  uint64_t result = 0;
  long before = inject_live;
  int code = w->run(&result, &err);
  int reached = inject_end();
  if (reached && code && !err.text[0])
    fail_msg("%s, %s %ld: an error without a text", w->name, kind, site);
  if (code && code != want && code != SW_IO)
    fail_msg("%s, %s %ld: code %d: %s", w->name, kind, site, code, err.text);
  if (!code && result != right)
    fail_msg("%s, %s %ld: another result, %llu, not %llu", w->name, kind, site,
             (unsigned long long)result, (unsigned long long)right);
  /* Fewer is possible: open_memstream's buffer is not allocated here. */
  if (inject_live > before)
    fail_msg("%s, %s %ld: %ld blocks left (%s)", w->name, kind, site,
             inject_live - before, err.text);
  if (temporaries(directory) || temporaries(target))
    fail_msg("%s, %s %ld: a temporary left", w->name, kind, site);
}

/* The result without a fault, twice: the first run also fills what libraries
 * keep for ever. */
static uint64_t without_fault(const work *w) {
  sw_err err;
  uint64_t result[3] = {0};
  for (int i = 0; i < 3; i++) {
    w->clean();
    if (w->run(&result[i], &err)) fail_msg("%s: %s", w->name, err.text);
  }
  assert_true(result[0] && result[0] == result[1] && result[1] == result[2]);
  return result[0];
}

static void allocation_faults(void **state) {
  (void)state;
  for (int i = 0; i < WORKS; i++) {
    const work *w = &works[i];
    uint64_t right = without_fault(w), again = 0;
    sw_err err;
    long site = 0;
    for (int reached = 1; reached; site++) {
      w->clean();
      inject_memory(site);
      check_one(w, right, site, "allocation", SW_MEMORY);
      reached = inject_hit;
    }
    w->clean();
    assert_int_equal(w->run(&again, &err), SW_OK);
    assert_true(again == right);
    w->clean();
    print_message("%s: %ld allocation sites\n", w->name, site - 1);
  }
}

static void file_faults(void **state) {
  (void)state;
  static const struct {
    int call, how;
    const char *name;
  } kinds[] = {{INJECT_WRITE, ENOSPC, "write ENOSPC"},
               {INJECT_WRITE, EIO, "write EIO"},
               {INJECT_WRITE, EINTR, "write EINTR"},
               {INJECT_WRITE, 0, "short write"},
               {INJECT_FSYNC, EIO, "fsync EIO"},
               {INJECT_RENAME, EIO, "rename EIO"},
               {INJECT_CLOSE, EIO, "close EIO"}};
  for (int i = 0; i < 2; i++) { /* those that write files of ours */
    const work *w = &works[i];
    uint64_t right = without_fault(w), again = 0;
    sw_err err;
    long sites = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
      for (long site = 0;; site++, sites++) {
        w->clean();
        inject_file(kinds[k].call, site, kinds[k].how);
        check_one(w, right, site, kinds[k].name, SW_IO);
        if (!inject_hit) break;
        assert_int_equal(w->run(&again, &err), SW_OK); /* goes on from there */
        assert_true(again == right);
      }
    w->clean();
    print_message("%s: %ld file faults\n", w->name, sites);
  }
}

static int set_up(void **state) {
  (void)state;
  sw_err err;
  directory = tiny_run_directory();
  if (!directory) return -1;
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
  tiny_run_remove(directory);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(allocation_faults),
                                     cmocka_unit_test(file_faults)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
#endif
