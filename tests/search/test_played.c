/* Data sets of searches (`gen --play`, `--add`): the verdicts, found by walking
 * the written traces again, agree with who said when to go back; the targets
 * are those of the expert's traces; threads change nothing; an earlier set
 * comes first, as it was; wrong names are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "search/played.h"
#include "trace/dataset.h"

static char dir[] = "/tmp/statewise-played-XXXXXX";

static void must(int code, const sw_err *err) {
  if (code) fail_msg("%s (%s)", err->text, err->hint);
}

static int set_up(void **state) {
  (void)state;
  return mkdtemp(dir) ? 0 : -1;
}

static int tear_down(void **state) {
  (void)state;
  char command[96];
  snprintf(command, sizeof command, "rm -rf %s", dir);
  return system(command);
}

static const char *path_of(const char *name) {
  static char path[4][96];
  static int at;
  at = (at + 1) % 4;
  snprintf(path[at], sizeof path[at], "%s/%s", dir, name);
  return path[at];
}

typedef struct task {
  const char *domain, *n, *rule, *layout;
} task;
static const task sat = {"sat", "12", "clause+exact", NULL};

static int write_set(const task *t, const char *verifier, const char *file,
                     sw_produce_options produce, sw_produce_stats *stats,
                     sw_err *err) {
  const sw_domain *domain = sw_domain_find(t->domain);
  sw_domain_options o;
  sw_domain_defaults(domain, &o);
  if (t->n) must(sw_domain_set(domain, "n", t->n, &o, err), err);
  if (!strcmp(t->domain, "sat"))
    must(sw_domain_set(domain, "family", "phase", &o, err), err);
  if (t->layout) must(sw_domain_set(domain, "layout", t->layout, &o, err), err);
  must(domain->resolve(&o, err), err);
  sw_played played = {.domain = domain,
                      .options = &o,
                      .rule = t->rule,
                      .verifier = verifier,
                      .seed = 5};
  if (!produce.seed) produce.seed = 5;
  if (verifier) {
    produce.write = sw_played_write;
    produce.context = &played;
    produce.played = verifier;
    SW_TRY(sw_played_check(&played, err));
  }
  return sw_produce(domain, &o, &produce, file, NULL, stats, err);
}

static const sw_produce_options judged = {
    .count = 30, .threads = 1, .viability = 1};

typedef struct answers { /* by verdict: went back, went on */
  int64_t back[SW_VIABILITIES], on[SW_VIABILITIES];
} answers;

static answers count_answers(const char *domain, const char *file) {
  answers a = {0};
  sw_dataset set;
  sw_err err = {0};
  int32_t back = sw_domain_find(domain)->back_token;
  must(sw_dataset_open(&set, file, &err), &err);
  assert_int_equal(set.traces, 30);
  for (int64_t t = 0; t < set.traces; t++)
    for (int64_t b = set.trace_block[t] + 1; b < set.trace_block[t + 1]; b++) {
      int64_t at = set.block_start[b] + set.query[b];
      int64_t end = b + 1 < set.blocks ? set.block_start[b + 1] : set.length;
      if (set.viability[b] == SW_UNJUDGED || at >= end) continue;
      if (set.tokens[at] == back) a.back[set.viability[b]]++;
      else a.on[set.viability[b]]++;
    }
  sw_dataset_close(&set);
  return a;
}

/* Going back is the oracle's in one, and in the other it errs at every viable
 * state that has something behind it. */
static void verdicts_agree_with_the_verifier(void **state) {
  (void)state;
  sw_produce_stats stats;
  sw_err err = {0};
  const char *file = path_of("oracle.st");
  must(write_set(&sat, "oracle", file, judged, &stats, &err), &err);
  answers a = count_answers("sat", file);
  assert_true(a.back[SW_DEAD] > 20 && a.on[SW_VIABLE] > 100);
  assert_int_equal(a.back[SW_VIABLE] + a.on[SW_DEAD], 0);
  assert_int_equal(stats.solved, 30);

  file = path_of("exact.st");
  must(write_set(&sat, "exact", file, judged, &stats, &err), &err);
  a = count_answers("sat", file);
  assert_int_equal(a.back[SW_VIABLE], 0);
  assert_true(a.on[SW_DEAD] > 0); /* not yet exposed */

  file = path_of("noise.st");
  must(write_set(&sat, "noise:0.5,0:oracle", file, judged, &stats, &err), &err);
  a = count_answers("sat", file);
  assert_true(a.back[SW_VIABLE] > 20);
  assert_int_equal(a.on[SW_DEAD], 0);
}

static void every_domain_plays(void **state) {
  (void)state;
  static const struct {
    task task;
    const char *verifier;
  } plays[] = {{{"coloring", "12", "first", NULL}, "noise:0.1,0:oracle"},
               {{"blocks", "4", "expert", NULL}, "noise:0.1,0:oracle"},
               {{"parsing", NULL, "expert", NULL}, "oracle"}};
  for (int i = 0; i < 3; i++) {
    const task *t = &plays[i].task;
    sw_produce_stats stats;
    sw_err err = {0};
    const char *file = path_of(t->domain);
    must(write_set(t, plays[i].verifier, file, judged, &stats, &err), &err);
    answers a = count_answers(t->domain, file);
    assert_true(a.on[SW_VIABLE] > 30);
    assert_int_equal(a.back[SW_VIABLE] > 0,
                     strcmp(plays[i].verifier, "oracle") != 0);
    assert_int_equal(a.on[SW_DEAD], 0);
  }
}

/* Searches are judged by the rules of searches: they refuse what the expert
 * never does, and may go back in the middle of an action. */
static void searches_are_judged_as_they_were_played(void **state) {
  (void)state;
  static const struct {
    task task;
    const char *verifier;
  } plays[] = {{{"parsing", NULL, "random", NULL}, "exact"},
               {{"parsing", NULL, "expert", NULL}, "noise:0.2,0:oracle"},
               {{"sat", "12", "clause+satisfy", NULL}, "sidecar:5"},
               {{"blocks", "4", "random-legal", NULL}, "exact"},
               {{"coloring", "12", "random", NULL}, "noise:0.2,0:oracle"}};
  for (size_t i = 0; i < sizeof plays / sizeof *plays; i++) {
    sw_produce_stats stats;
    sw_err err = {0};
    must(write_set(&plays[i].task, plays[i].verifier, path_of("judged.st"),
                   judged, &stats, &err),
         &err);
    assert_true(stats.viable + stats.dead > 30);
  }
}

/* SAT by the expert without errors, as he writes it or as he plays it. */
static void write_expert(const char *layout, const char *format, int plays,
                         const char *file) {
  const sw_domain *domain = sw_domain_find("sat");
  const char *const given[][2] = {{"n", "12"},
                                  {"family", "phase"},
                                  {"error", "0"},
                                  {"layout", layout},
                                  {"format", format}};
  sw_domain_options o;
  sw_produce_stats stats;
  sw_err err = {0};
  sw_domain_defaults(domain, &o);
  for (size_t i = 0; i < sizeof given / sizeof *given; i++)
    must(sw_domain_set(domain, given[i][0], given[i][1], &o, &err), &err);
  must(domain->resolve(&o, &err), &err);
  sw_played played = {
      .domain = domain, .options = &o, .rule = "expert", .verifier = "exact"};
  sw_produce_options p = {.count = 10, .threads = 1, .seed = 5};
  if (plays) {
    p.write = sw_played_write;
    p.context = &played;
    p.played = "expert, exact";
  }
  must(sw_produce(domain, &o, &p, file, NULL, &stats, &err), &err);
}

/* Neither the state nor the problem is a target, wherever it stands. */
static void targets_are_those_of_the_expert(void **state) {
  (void)state;
  static const char *const layouts[] = {"prefix", "reread"};
  static const char *const formats[] = {"full", "evidence", "self", "prop"};
  for (size_t i = 0; i < 8; i++) {
    const char *written = path_of("written.st"), *played = path_of("played.st");
    sw_dataset a, b;
    sw_err err = {0};
    write_expert(layouts[i % 2], formats[i / 2], 0, written);
    write_expert(layouts[i % 2], formats[i / 2], 1, played);
    must(sw_dataset_open(&a, written, &err), &err);
    must(sw_dataset_open(&b, played, &err), &err);
    assert_int_equal(a.length, b.length);
    assert_memory_equal(a.tokens, b.tokens,
                        sizeof *a.tokens * (size_t)a.length);
    assert_memory_equal(a.supervised, b.supervised, (size_t)a.length);
    sw_dataset_close(&a);
    sw_dataset_close(&b);
  }
}

static void threads_change_nothing(void **state) {
  (void)state;
  sw_produce_stats one, three;
  sw_err err = {0};
  sw_produce_options p = judged;
  must(write_set(&sat, "noise:0.2,0:exact", path_of("1"), p, &one, &err), &err);
  p.threads = 3;
  must(write_set(&sat, "noise:0.2,0:exact", path_of("3"), p, &three, &err),
       &err);
  assert_string_equal(one.hash, three.hash);
}

static void an_earlier_set_comes_first(void **state) {
  (void)state;
  sw_produce_stats stats, alone;
  sw_err err = {0};
  sw_dataset first, both;
  sw_produce_options p = judged;
  const char *earlier = path_of("first.st"), *file = path_of("both.st");
  must(write_set(&sat, NULL, earlier, p, &stats, &err), &err);
  p.seed = 6;
  must(write_set(&sat, "oracle", NULL, p, &alone, &err), &err);
  p.before = earlier;
  must(write_set(&sat, "oracle", file, p, &stats, &err), &err);
  assert_int_equal(stats.earlier, 30);
  assert_int_equal(stats.kept, 30);
  assert_int_equal(stats.tokens, alone.tokens);
  must(sw_dataset_open(&first, earlier, &err), &err);
  must(sw_dataset_open(&both, file, &err), &err);
  assert_int_equal(both.traces, 60);
  assert_int_equal(both.length, first.length + alone.tokens);
  assert_memory_equal(both.tokens, first.tokens,
                      sizeof *first.tokens * (size_t)first.length);
  assert_memory_equal(both.viability, first.viability, (size_t)first.blocks);
  assert_string_equal(sw_dataset_meta(&both, "played"), "oracle");
  assert_null(sw_dataset_meta(&first, "played"));
  assert_string_equal(sw_dataset_meta(&both, "count"), "60");
  for (int i = 0; i < 60; i++) assert_int_equal(both.n[i], 12);
  sw_dataset_close(&first);
  sw_dataset_close(&both);
}

/* An instance on both sides of the split would be learned by heart and then
 * validated on; a set remembers all the streams it has. */
static void no_instance_comes_twice(void **state) {
  (void)state;
  const char *file[] = {path_of("a.st"), path_of("b.st"), path_of("c.st"),
                        path_of("d.st")};
  sw_produce_stats stats;
  sw_err err = {0};
  sw_produce_options p = {.count = 3, .threads = 1};
  must(write_set(&sat, NULL, file[0], p, &stats, &err), &err);
  p.before = file[0];
  assert_int_equal(write_set(&sat, "oracle", file[1], p, &stats, &err),
                   SW_USAGE);
  assert_non_null(strstr(err.text, "seed 5"));
  assert_non_null(strstr(err.hint, "--seed"));
  assert_int_not_equal(access(file[1], F_OK), 0);
  p.split = SW_SPLIT_VALID;
  must(write_set(&sat, "oracle", file[1], p, &stats, &err), &err);
  p.split = SW_SPLIT_TRAIN;
  p.before = file[1];
  p.seed = 6;
  must(write_set(&sat, "oracle", file[2], p, &stats, &err), &err);
  p.before = file[2];
  for (uint64_t seed = 5; seed <= 6; seed++) {
    p.seed = seed;
    assert_int_equal(write_set(&sat, NULL, file[3], p, &stats, &err), SW_USAGE);
  }
  p.seed = 5;
  p.split = SW_SPLIT_VALID;
  assert_int_equal(write_set(&sat, NULL, file[3], p, &stats, &err), SW_USAGE);
  p.seed = 7;
  must(write_set(&sat, NULL, file[3], p, &stats, &err), &err);
}

static void wrong_names_are_refused(void **state) {
  (void)state;
  static const task nobody = {"sat", "12", "nobody", NULL};
  static const task coloring = {"coloring", "12", "first", NULL};
  static const task other = {"sat", "12", "clause+exact", "reread"};
  const char *reread = path_of("reread.st");
  sw_produce_stats stats;
  sw_err err = {0};
  sw_produce_options p = judged;
  const char *file = path_of("x.st"), *plain = path_of("plain.st");
  assert_int_equal(write_set(&nobody, "exact", file, p, &stats, &err),
                   SW_USAGE);
  assert_non_null(strstr(err.text, "nobody"));
  assert_int_equal(write_set(&sat, "cdcl:x", file, p, &stats, &err), SW_USAGE);
  assert_int_equal(write_set(&sat, "head:0.5", file, p, &stats, &err),
                   SW_USAGE); /* a rule has no head */
  must(write_set(&sat, NULL, plain, (sw_produce_options){.count = 3}, &stats,
                 &err),
       &err);
  p.before = plain; /* not judged */
  assert_int_equal(write_set(&sat, NULL, file, p, &stats, &err), SW_USAGE);
  assert_non_null(strstr(err.text, "not judged"));
  p.viability = 0;
  assert_int_equal(write_set(&coloring, NULL, file, p, &stats, &err), SW_USAGE);
  assert_non_null(strstr(err.text, "another domain"));
  p.before = reread;
  must(write_set(&other, NULL, reread, (sw_produce_options){.count = 3}, &stats,
                 &err),
       &err);
  assert_int_equal(write_set(&sat, NULL, file, p, &stats, &err), SW_USAGE);
  assert_non_null(strstr(err.text, "another layout"));
  assert_int_not_equal(access(file, F_OK), 0); /* nothing is left behind */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(verdicts_agree_with_the_verifier),
      cmocka_unit_test(every_domain_plays),
      cmocka_unit_test(searches_are_judged_as_they_were_played),
      cmocka_unit_test(targets_are_those_of_the_expert),
      cmocka_unit_test(threads_change_nothing),
      cmocka_unit_test(an_earlier_set_comes_first),
      cmocka_unit_test(no_instance_comes_twice),
      cmocka_unit_test(wrong_names_are_refused),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
