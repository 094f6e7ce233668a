/* A new kind of guide is one file and one row: this one scores every candidate
 * by its token, is found by name, plays, and is reported, without a change
 * anywhere else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include "../tiny_run.h"
#include "play_help.h"

/* ---- the guide ---- */

typedef struct high_guide {
  sw_guide head;
  int64_t asked, most, started;
} high_guide;

static int start(sw_guide *guide, int32_t seat, const sw_game *game,
                 sw_err *err) {
  (void)seat, (void)game, (void)err;
  ((high_guide *)guide)->started++;
  return SW_OK;
}

static int ask(sw_guide *guide, sw_question *question, int32_t count,
               sw_err *err) {
  high_guide *g = (high_guide *)guide;
  (void)err;
  if (count > g->most) g->most = count;
  for (int32_t i = 0; i < count; i++) {
    const sw_game *game = question[i].game;
    g->asked++;
    for (int k = 0; k < game->candidates; k++)
      question[i].score[k] = (float)game->candidate[k].token;
  }
  return SW_OK;
}

/* The same, but the best score of the first query is no number. */
static int ask_nothing(sw_guide *guide, sw_question *question, int32_t count,
                       sw_err *err) {
  int code = ask(guide, question, count, err);
  question[0].score[0] = NAN;
  return code;
}

static void close_high(sw_guide *guide) { free(guide); }

static const sw_guide_ops ops = {.name = "high",
                                 .start = start,
                                 .ask = ask,
                                 .close = close_high,
                                 .width = 5};

static int open_high(sw_guide **guide, const sw_domain *domain, sw_err *err) {
  high_guide *g = calloc(1, sizeof *g);
  if (!g) return sw_fail(err, SW_MEMORY, "out of memory");
  g->head.ops = &ops;
  g->head.domain = domain;
  g->head.mask = g->head.positions = "";
  snprintf(g->head.label, sizeof g->head.label, "the highest token");
  *guide = &g->head;
  return SW_OK;
}

static void no_number_is_an_error(void **state) {
  (void)state;
  sw_err err = {0};
  bed b;
  bed_open(&b, "coloring", "high", 2);
  b.options.loop = "masked";
  bed_make(&b);
  sw_guide_ops broken = ops;
  broken.ask = ask_nothing;
  b.guide->ops = &broken;
  sw_score_row score;
  assert_int_equal(sw_score(&b.condition, NULL, NULL, &score, &err), SW_DATA);
  assert_non_null(strstr(err.text, "the highest token"));
  assert_non_null(strstr(err.text, "is not a number"));
  b.guide->ops = &ops;
  bed_close(&b);
}

/* ---- its row ---- */
static const sw_guide_kind row = {"high", "prefers high tokens", open_high};

/* ---- what follows by itself ---- */

static void plays_and_is_reported(void **state) {
  (void)state;
  sw_err err = {0};
  bed b;
  assert_int_equal(sw_guide_add_kind(&row, &err), SW_OK);
  bed_open(&b, "coloring", "high", 12);
  b.options.loop = "masked";
  b.options.on_error = SW_ON_ERROR_RESCUE;
  bed_make(&b);
  char *directory = tiny_run_directory(), path[1200];
  snprintf(path, sizeof path, "%s/results.db", directory);
  sw_results *results;
  assert_int_equal(sw_results_open(&results, path, &err), SW_OK);
  sw_score_row first, again;
  assert_int_equal(sw_score(&b.condition, results, NULL, &first, &err), SW_OK);
  high_guide *g = (high_guide *)b.guide;
  assert_string_equal(first.label, "the highest token");
  assert_string_equal(first.verifier, "exact");
  assert_int_equal(g->started, 24);
  assert_int_equal(g->most, 5); /* as many in lock-step as suit it */
  assert_true(g->asked > 24 && first.summary.solved > 0);
  /* the store has it: nothing is played again */
  int64_t asked = g->asked;
  assert_int_equal(sw_score(&b.condition, results, NULL, &again, &err), SW_OK);
  assert_int_equal(g->asked, asked);
  assert_int_equal(again.summary.decisions, first.summary.decisions);
  sw_json json;
  sw_json_to_text(&json);
  sw_json_object(&json, NULL);
  sw_score_json(&first, &json);
  sw_json_end(&json);
  assert_non_null(strstr(json.text, "the highest token"));
  sw_json_free(&json);
  sw_score_free(&first);
  sw_score_free(&again);
  sw_results_close(results);
  tiny_run_remove(directory);
  bed_close(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plays_and_is_reported),
      cmocka_unit_test(no_number_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
