/* The domain of a file: one of the program, or one made of the file's words;
 * the same words give the same domain, other words of the same name do not
 * clash, and a domain that is open for searching must agree. And training: the
 * parts of a set are kept, weights remember the words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../tiny_run.h"
#include "domains/of_file.h"
#include "domains/registry.h"
#include "search/loaded.h"
#include "train/feed.h"
#include "train/trainer.h"

static char *dir, first[300], second[300];

static int begin(void **state) {
  (void)state;
  dir = tiny_run_directory();
  if (!dir) return -1;
  snprintf(first, sizeof first, "%s/first", dir);
  snprintf(second, sizeof second, "%s/second", dir);
  return 0;
}

static int end(void **state) {
  (void)state;
  tiny_run_remove(dir);
  return 0;
}

static void must(int code, const sw_err *err) {
  if (code) fail_msg("%s (%s)", err->text, err->hint);
}

enum { TRACES = 12 };

/* Prefix 0, three blocks `1 t` whose second token is the target. */
static void write_set(const char *path, const char *domain, const char *words,
                      const char *back, int parts) {
  sw_err err;
  sw_dataset_writer *writer;
  sw_trace t;
  char hash[17];
  uint8_t part[TRACES];
  int32_t group[TRACES];
  const char *meta[8];
  int pairs = 0;
  sw_trace_init(&t);
  must(sw_dataset_create(&writer, path, &err), &err);
  for (int i = 0; i < TRACES; i++) {
    sw_trace_clear(&t);
    sw_trace_begin_block(&t);
    sw_trace_put(&t, 0, 0);
    for (int b = 0; b < 3; b++) {
      sw_trace_begin_block(&t);
      sw_trace_put(&t, 1, 0);
      sw_trace_put(&t, 2 + (i + b) % 2, 1);
    }
    must(sw_dataset_append(writer, &t, &err), &err);
    group[i] = i / 2; /* six groups */
    part[i] = i < 4                 ? SW_PART_TEST
              : i < 6 && parts == 2 ? SW_PART_VALID
                                    : SW_PART_TRAIN;
  }
  if (parts) sw_dataset_grouped(writer, part, group);
  const char *all[][2] = {{"domain", domain}, {"words", words}, {"back", back}};
  for (int i = 0; i < 3; i++) {
    if (!all[i][1]) continue;
    meta[2 * pairs] = all[i][0];
    meta[2 * pairs++ + 1] = all[i][1];
  }
  must(sw_dataset_finish(writer, meta, pairs, hash, &err), &err);
  sw_trace_free(&t);
}

static const char words[] = "[\"P\", \"S\", \"go\", \"BACK\"]";
static const char other[] = "[\"P\", \"S\", \"BACK\", \"go\", \"more\"]";

static const sw_domain *domain_of(const char *path) {
  sw_err err;
  sw_dataset set;
  const sw_domain *domain;
  must(sw_dataset_open(&set, path, &err), &err);
  must(sw_domain_of_set(&set, path, &domain, &err), &err);
  sw_dataset_close(&set);
  return domain;
}

static void assert_word(const sw_domain *domain, int32_t token,
                        const char *word) {
  char text[64];
  assert_int_equal(domain->token_text(domain, token, text, sizeof text),
                   strlen(word));
  assert_string_equal(text, word);
}

static void words_make_a_domain(void **state) {
  (void)state;
  sw_err err;
  write_set(first, "chess", words, "BACK", 0);
  const sw_domain *a = domain_of(first), *b = domain_of(first);
  assert_string_equal(a->name, "chess");
  assert_ptr_equal(a, b);
  assert_int_equal(a->back_token, 3);
  assert_word(a, 2, "go");
  assert_word(a, 9, "<9>");
  /* found by words alone: the name is still unknown and opens nothing */
  assert_null(sw_domain_find("chess"));
  assert_int_equal(sw_domain_searchable(a, &err), SW_USAGE);
  assert_non_null(strstr(err.hint, "exec:COMMAND"));
  sw_domain_options o;
  sw_domain_defaults(a, &o);
  must(a->resolve(&o, &err), &err);
  assert_int_equal(a->vocab_size(&o), 4);
  sw_stream *stream;
  assert_int_equal(a->stream_new(&stream, &o, 1, SW_SPLIT_TEST, &err),
                   SW_USAGE);
  sw_domain_release(a);
  sw_domain_release(b);
}

static void two_vocabularies_of_one_name_live_together(void **state) {
  (void)state;
  write_set(first, "own", words, "BACK", 0);
  write_set(second, "own", other, "BACK", 0);
  const sw_domain *a = domain_of(first), *b = domain_of(second);
  assert_ptr_not_equal(a, b);
  assert_word(a, 3, "BACK");
  assert_word(b, 3, "go");
  sw_domain_release(a);
  assert_word(b, 2, "BACK");
  sw_domain_release(b);
}

static void without_words_tokens_are_numbers(void **state) {
  (void)state;
  write_set(first, "n queens!", NULL, "3", 0);
  write_set(second, NULL, NULL, NULL, 0);
  const sw_domain *a = domain_of(first), *b = domain_of(second);
  assert_string_equal(a->name, "n queens!");
  assert_word(a, 3, "3");
  assert_int_equal(a->back_token, 3);
  assert_string_equal(b->name, "own");
  assert_int_equal(b->back_token, -1);
  sw_domain_release(a);
  sw_domain_release(b);
}

static void a_domain_of_the_program_stays_itself(void **state) {
  (void)state;
  write_set(first, "blocks", words, "BACK", 0);
  const sw_domain *a = domain_of(first);
  assert_ptr_equal(a, sw_domain_find("blocks"));
  sw_domain_release(a);
}

/* As an environment would be: by name, with something to search. */
static void an_open_environment_must_agree(void **state) {
  (void)state;
  sw_err err;
  static const sw_search_ops search;
  sw_words list;
  must(sw_words_parse(&list, words, "BACK", "test", &err), &err);
  sw_domain made = {.name = "chess", .words = &list, .search = &search};
  must(sw_domain_register(&made, &err), &err);
  write_set(first, "chess", words, "BACK", 0);
  write_set(second, "chess", other, "BACK", 0);
  const sw_domain *a = domain_of(first), *b;
  assert_ptr_equal(a, &made);
  sw_dataset set;
  must(sw_dataset_open(&set, second, &err), &err);
  assert_int_equal(sw_domain_of_set(&set, second, &b, &err), SW_USAGE);
  assert_non_null(strstr(err.text, "word 2 is \"BACK\""));
  assert_non_null(strstr(err.text, "it is \"go\""));
  sw_dataset_close(&set);
  sw_domain_release(a);
  sw_domain_release(&made);
  sw_words_free(&list);
}

/* ---- parts and training ---- */

static void count_parts(int parts, double share, int64_t train, int64_t valid) {
  sw_err err;
  sw_dataset set;
  sw_feed feed;
  sw_train_options o;
  sw_trace trace;
  sw_trace_init(&trace);
  write_set(first, "own", words, "BACK", parts);
  must(sw_dataset_open(&set, first, &err), &err);
  sw_options_defaults(sw_train_table, sw_train_table_count, &o);
  o.valid_share = share;
  must(sw_feed_new(&feed, &set, &o, &err), &err);
  assert_int_equal(feed.train_count, train);
  assert_int_equal(feed.valid_count, valid);
  for (int64_t i = 0; i < train; i++) /* what tests is never trained on */
    assert_int_not_equal(set.part[feed.train[i]], SW_PART_TEST);
  for (int64_t i = 0; i < valid; i++)
    for (int64_t k = 0; k < train; k++)
      assert_int_not_equal(set.group[feed.valid[i]], set.group[feed.train[k]]);
  sw_feed_free(&feed);
  sw_trace_free(&trace);
  sw_dataset_close(&set);
}

static void parts_are_kept(void **state) {
  (void)state;
  count_parts(2, 0.1, 6, 2);
  count_parts(2, 0, 8, 0);   /* no validation: that part trains */
  count_parts(1, 0.1, 6, 2); /* none validates: one group is drawn */
}

static void weights_remember_the_words(void **state) {
  (void)state;
  sw_err err;
  sw_train_options o;
  sw_train_result result;
  sw_loaded loaded;
  char run[400];
  snprintf(run, sizeof run, "%s/run", dir);
  write_set(first, "chess", words, "BACK", 2);
  sw_options_defaults(sw_train_table, sw_train_table_count, &o);
  o.data = first;
  o.output = run;
  o.d = 8, o.heads = 2, o.layers = 1, o.steps = 2, o.batch = 2;
  sw_train_hooks none = {0};
  must(sw_train(&o, &none, &result, &err), &err);
  must(sw_loaded_open(&loaded, run, &err), &err);
  const sw_domain *data = domain_of(first);
  assert_ptr_equal(loaded.domain, data);
  assert_string_equal(loaded.options.format, "words");
  sw_domain_release(data);
  sw_loaded_close(&loaded);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(words_make_a_domain),
      cmocka_unit_test(two_vocabularies_of_one_name_live_together),
      cmocka_unit_test(without_words_tokens_are_numbers),
      cmocka_unit_test(a_domain_of_the_program_stays_itself),
      cmocka_unit_test(an_open_environment_must_agree),
      cmocka_unit_test(parts_are_kept),
      cmocka_unit_test(weights_remember_the_words)};
  return cmocka_run_group_tests(tests, begin, end);
}
