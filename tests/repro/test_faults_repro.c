/* Faults at every site (faults.h) through `repro --keep`: a toy experiment
 * whose models are trained already is asked, written, put together with what is
 * kept of it, and its page is made of the kept answers. */
#include "../faults.h"
#include <math.h>
#include "../tiny_run.h"
#include "report/kept_pages.h"
#include "repro/answers.h"
#include "repro/kept.h"
#include "table.h"

#ifdef NO_INJECTION
int main(void) { return 0; }
#else

static const sw_experiment toy = {
    .id = "toy",
    .section = "toys",
    .place = "nowhere",
    .title = "A toy",
    .note = "none",
    .seeds = {1, 1},
    .column = COLUMNS(SOLVED("solved", "protocol=rebuilt loop=open"),
                      CARD("parameters", "parameters", "")),
    .row = ROWS(
        MODEL("model", "a model", "quick-ssa", .paper = PAPER("0.0", NULL)),
        RULE("rule", "a rule", "clause+exact", .columns = 1)),
    .statistic =
        TESTS(TEST("model minus rule", INSTANCES, 0, "model", "rule", 0)),
};

static char *directory;
static char pages[200], index_path[300];

static void no_begin(void *context, const char *what) {
  (void)context, (void)what;
}
static void no_end(void *context) { (void)context; }
static void no_step(void *context, const char *label, int64_t done,
                    int64_t total) {
  (void)context, (void)label, (void)done, (void)total;
}
static int no_stop(void *context) {
  (void)context;
  return 0;
}
static int train(void *context, const sw_train_options *options, sw_err *err) {
  sw_train_result done;
  (void)context;
  return sw_train(options, NULL, &done, err);
}

static int run_toy(int64_t seed, sw_repro_result *r, sw_err *err) {
  static const sw_repro_hooks hooks = {.begin = no_begin,
                                       .end = no_end,
                                       .progress = no_step,
                                       .train = train,
                                       .stop = no_stop};
  sw_repro_options o = {
      .out = directory,
      .command = "toy",
      .settings = {5, {"steps=2", "d=8", "layers=1", "heads=2", "batch=2"}},
      .seeds = 1,
      .seed = seed,
      .test_seed = 42,
      .instances = 3,
      .traces = 8,
      .threads = 1};
  return sw_repro_run(&toy, &o, &hooks, r, err);
}

/* What was made now beside what is kept. */
static int keep(const sw_repro_result *r, sw_err *err) {
  sw_answers answers;
  sw_answers_begin(&answers);
  int code = sw_answers_read(&answers, pages, err);
  if (!code) code = sw_answers_take(&answers, r, err);
  if (!code) code = sw_answers_write(&answers, pages, err);
  sw_answers_free(&answers);
  return code;
}

/* And the whole table again, from the files. */
static int read_kept(sw_repro_result *r, sw_err *err) {
  sw_answers answers;
  memset(r, 0, sizeof *r);
  sw_answers_begin(&answers);
  int code = sw_answers_read(&answers, pages, err);
  if (!code) code = sw_answers_fill(&answers, &toy, r, err);
  sw_answers_free(&answers);
  return code;
}

static uint64_t digest_of_cells(const sw_repro_result *r) {
  uint64_t hash = 1;
  for (int i = 0; i < r->cells; i++)
    for (int k = 0; k < r->cell[i].values; k++) {
      const sw_repro_value *v = &r->cell[i].value[k];
      hash = sw_xxh64(&v->seed, sizeof v->seed, hash);
      hash = sw_xxh64(&v->value, sizeof v->value, hash);
      hash += v->each != NULL;
    }
  return hash;
}

static int repro(uint64_t *result, sw_err *err) {
  static const sw_kept_entry entry = {.file = "toy",
                                      .section = "toys",
                                      .place = "nowhere",
                                      .title = "A toy",
                                      .state = "kept"};
  sw_repro_result r;
  json_t *kept = NULL;
  SW_TRY(run_toy(7, &r, err));
  int code = keep(&r, err);
  sw_repro_free(&r);
  if (code) return code;
  code = read_kept(&r, err);
  if (!code) code = sw_kept_document(&r, &kept, err);
  if (!code)
    code = sw_kept_pages(pages, SW_KEPT_MARKDOWN, &entry, 1, &kept, err);
  if (!code) code = sw_kept_pages(pages, SW_KEPT_SITE, &entry, 1, &kept, err);
  *result = digest_of_cells(&r) ^ digest_of(index_path);
  json_decref(kept);
  sw_repro_free(&r);
  return code;
}

static void nothing(void) {}
static const work the_work = {"repro --keep and --pages", repro, nothing};

static void allocation_faults(void **state) {
  (void)state;
  faults_of_memory(&the_work);
}
static void file_faults(void **state) {
  (void)state;
  faults_of_files(&the_work);
}
static void kills(void **state) {
  (void)state;
  kills_of(&the_work);
}

static int set_up(void **state) {
  (void)state;
  sw_err err = {0};
  sw_repro_result r;
  directory = tiny_run_directory();
  if (!directory) return -1;
  watched[0] = directory;
  watched[1] = pages;
  snprintf(pages, sizeof pages, "%s/kept", directory);
  snprintf(index_path, sizeof index_path, "%s/index.html", pages);
  int code = sw_make_dirs(pages, &err);
  if (!code) code = run_toy(5, &r, &err); /* another's, kept before */
  if (!code) {
    code = keep(&r, &err);
    sw_repro_free(&r);
  }
  if (code) print_error("%s (%s)\n", err.text, err.hint);
  return code ? -1 : 0;
}
static int tear_down(void **state) {
  (void)state;
  tiny_run_remove(directory);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(allocation_faults),
                                     cmocka_unit_test(file_faults),
                                     cmocka_unit_test(kills)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
#endif
