/* Breaches of contract (base/check.h): each ends the process at the function
 * that was misused, which says so by name and condition. Every breach runs in a
 * process of its own; the right call before it passes. Tests link the debug
 * build; a release holds none of this (cli/build). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../toy.h"
#include "base/argmax.h"
#include "base/arena.h"
#include "base/grow.h"
#include "base/options.h"
#include "base/stats.h"
#include "domains/replay.h"
#include "model/optim.h"
#include "search/ask.h"
#include "search/evaluate.h"
#include "search/pick.h"
#include "train/flat.h"

static const sw_model_config config = TOY_CONFIG(20, 16, 1, 2, 32, 2, 64);

/* ---- base ---- */

static void arena_never_made(void) {
  sw_arena arena;
  memset(&arena, 0, sizeof arena);
  sw_arena_alloc(&arena, 8);
}

static void share_of_nobody(void) {
  size_t from, to;
  sw_share(10, 1, 3, 3, &from, &to); /* ranks are 0 to 2 */
}

static void team_without_work(void) {
  sw_team *team;
  if (!sw_team_new(&team, 1, NULL)) sw_team_run(team, NULL, NULL);
}

static void largest_of_none(void) {
  float x = 1;
  sw_argmax(&x, 0);
}

static void quantile_above_all(void) {
  double x[2] = {1, 2};
  sw_quantile_sorted(x, 2, 1.5);
}

static void more_hits_than_tries(void) { sw_wilson(5, 4, SW_Z95); }

static void one_name_twice(void) {
  static const sw_option table[] = {{"n", SW_INT, 0, "1", 0, 9, "", "a number"},
                                    {"n", SW_INT, 4, "1", 0, 9, "", "another"}};
  int values[2];
  sw_options_defaults(table, 2, values);
}

static void room_below_nothing(void) {
  int *array = NULL;
  int32_t room = -1;
  (void)sw_grow(&array, &room, 3, sizeof *array);
}

/* ---- trace ---- */

static void token_before_a_block(void) {
  sw_trace trace;
  sw_trace_init(&trace);
  sw_trace_put(&trace, 1, 0);
}

static void block_out_of_order(void) {
  sw_trace trace;
  sw_trace_init(&trace);
  for (int b = 0; b < 3; b++) {
    sw_trace_begin_block(&trace);
    for (int i = 0; i < 4; i++) sw_trace_put(&trace, i, 0);
  }
  trace.block_start[2] = 2; /* before block 1 */
  int32_t ids[12];
  sw_trace_block_ids(&trace, ids);
}

static void block_past_the_last(void) {
  sw_trace trace;
  sw_trace_init(&trace);
  sw_trace_begin_block(&trace);
  sw_trace_block_end(&trace, 1);
}

static void runs_that_overlap(void) {
  int64_t start[2] = {0, 4};
  sw_mask mask;
  sw_mask_init(&mask);
  if (sw_mask_build(&mask, SW_MASK_SSA, 2, 8, start, 2, 0, 0, NULL)) return;
  mask.span[2].run[1].begin--;
  sw_mask_pairs(&mask);
}

static void positions_that_are_none(void) {
  sw_reading reading = {SW_MASK_SSA, SW_POS_COUNT, 0};
  sw_reading_block_local(&reading);
}

/* ---- nn ---- */

static void rows_over_rows(void) {
  const nn_kernels *k = nn_select(NULL, NULL);
  float a[64] = {0}, c[64], packed[4096] = {0};
  if (k->packed_size(8, 8) > 4096) return;
  k->gemm(2, 8, 8, a, 4, packed, c, 8, 0, NULL); /* rows of 8, 4 apart */
}

static void target_past_the_scores(void) {
  float logits[8] = {0};
  int32_t target = 8;
  double loss;
  nn_select(NULL, NULL)->cross_entropy(1, 8, logits, 8, &target, 1, &loss);
}

/* ---- model ---- */

static sw_net *a_net(void) { return sw_model_net(toy_model(&config, 1)); }

static void tensor_moved(void) {
  sw_net *net = a_net();
  net->tensor[1].offset += 4;
  sw_net_hash(net);
}

static void mask_of_another_trace(void) {
  sw_net *net = a_net();
  sw_team *team;
  sw_work *work;
  toy trace;
  float scores[20];
  int32_t row = 0;
  if (sw_team_new(&team, 1, NULL) || sw_work_new(&work, net, team, NULL))
    return;
  memset(&trace, 0, sizeof trace);
  toy_make(&trace, 20, 5, 3, 2, 1);
  toy_mask(&trace, &config, SW_MASK_SSA, SW_POS_BLOCK_RELATIVE, 0);
  sw_item item = {.example = trace.example};
  item.example.length--;
  sw_work_rows(work, &item, &row, 1, scores, NULL);
}

static void step_without_gradient(void) {
  sw_optim_config how = {.lr = 1e-3, .steps = 10};
  sw_optim *optim;
  sw_team *team;
  if (!sw_team_new(&team, 1, NULL) &&
      !sw_optim_new(&optim, a_net(), team, &how, NULL))
    sw_optim_step(optim, NULL, NULL, NULL);
}

/* ---- train ---- */

static void steps_that_go_back(void) {
  sw_flat flat;
  sw_flat_init(&flat, 100, 0);
  sw_flat_step(&flat, 20, 1.0);
  sw_flat_step(&flat, 10, 1.0);
}

/* ---- search ---- */

static void seat_past_the_last(void) {
  sw_ask_options how = {.model = a_net(),
                        .reading = sw_reading_of(SW_MASK_SSA),
                        .cached = 1,
                        .seats = 2};
  sw_asker *asker;
  sw_team *team;
  if (!sw_team_new(&team, 1, NULL) && !sw_asker_new(&asker, &how, team, NULL))
    sw_ask_sit(asker, 2);
}

static void evaluation_without_guide(void) {
  sw_condition condition = {.domain = sw_domain_find("sat"), .instances = 1};
  sw_outcome outcome;
  sw_evaluate(&condition, NULL, &outcome, NULL);
}

static void pick_of_no_kind(void) {
  sw_cand cand = {1, SW_CAND_CONTINUE};
  float score = 1;
  sw_pick(&cand, 1, &score, 0);
}

/* ---- domains ---- */

static void candidate_of_no_kind(void) {
  sw_cands list = {0};
  sw_cands_put(&list, 3, 7);
}

static void replay_never_opened(void) {
  sw_replay replay = {0};
  sw_trace trace;
  int waits;
  sw_trace_init(&trace);
  sw_replay_trace(&replay, NULL, &trace, NULL, &waits, NULL);
}

/* ---- what they say ---- */

static const struct {
  void (*breach)(void);
  const char *function, *condition;
} breaches[] = {
    {arena_never_made, "sw_arena_alloc", "not initialised"},
    {share_of_nobody, "sw_share", "rank >= 0 && rank < size"},
    {team_without_work, "sw_team_run", "team && fn"},
    {largest_of_none, "sw_argmax", "x && n > 0"},
    {quantile_above_all, "sw_quantile_sorted", "q >= 0 && q <= 1"},
    {more_hits_than_tries, "sw_wilson", "hits >= 0 && hits <= count"},
    {one_name_twice, "sw_options_defaults", "a name twice"},
    {room_below_nothing, "sw_grow", "*room >= 0"},
    {token_before_a_block, "sw_trace_put",
     "trace->blocks > 0 || trace->failed"},
    {block_out_of_order, "sw_trace_block_ids", "a block out of order"},
    {block_past_the_last, "sw_trace_block_end",
     "block < t->blocks || t->failed"},
    {runs_that_overlap, "sw_mask_pairs", "runs overlap"},
    {positions_that_are_none, "sw_reading_block_local", "no such positions"},
    {rows_over_rows, "gemm", "rows overlap"},
    {target_past_the_scores, "cross_entropy", "a target outside the scores"},
    {tensor_moved, "sw_net_hash", "a tensor out of order"},
    {mask_of_another_trace, "sw_work_rows", "a mask of another length"},
    {step_without_gradient, "sw_optim_norm", "o && gradient"},
    {steps_that_go_back, "sw_flat_step", "step <= step"},
    {seat_past_the_last, "sw_ask_sit", "seat < a->seats"},
    {evaluation_without_guide, "sw_evaluate", "it has no player"},
    {pick_of_no_kind, "sw_pick", "kinds"},
    {candidate_of_no_kind, "sw_cands_put", "kind <= SW_CAND_MISSED"},
    {replay_never_opened, "sw_replay_trace", "r->domain && r->env"},
};

/* What the breach wrote, and its signal; 0: it went through. */
static int run(void (*breach)(void), char *said, size_t room) {
  int pipes[2], status = 0;
  assert_int_equal(pipe(pipes), 0);
  pid_t child = fork();
  assert_true(child >= 0);
  if (!child) {
    dup2(pipes[1], STDERR_FILENO);
    close(pipes[0]);
    signal(SIGABRT, SIG_DFL); /* cmocka's would go on with the tests */
    breach();
    _exit(0);
  }
  close(pipes[1]);
  size_t used = 0;
  for (ssize_t got; used + 1 < room &&
                    (got = read(pipes[0], said + used, room - used - 1)) > 0;)
    used += (size_t)got;
  said[used] = 0;
  close(pipes[0]);
  assert_int_equal(waitpid(child, &status, 0), child);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void each_ends_where_it_was_made(void **state) {
  (void)state;
  char said[1024], function[64];
  int count = sizeof breaches / sizeof *breaches, wrong = 0;
  assert_true(count >= 20);
  for (int i = 0; i < count; i++) {
    int signal_of = run(breaches[i].breach, said, sizeof said);
    snprintf(function, sizeof function, "%s: contract broken",
             breaches[i].function);
    if (signal_of == SIGABRT && strstr(said, function) &&
        strstr(said, breaches[i].condition))
      continue;
    wrong++;
    print_error("%s (%s): signal %d, said: %s\n", breaches[i].function,
                breaches[i].condition, signal_of, said);
  }
  assert_int_equal(wrong, 0);
}

static void right_calls_pass(void) {
  sw_trace trace;
  size_t from, to;
  sw_trace_init(&trace);
  sw_trace_begin_block(&trace);
  sw_trace_put(&trace, 1, 0);
  sw_share(10, 1, 2, 3, &from, &to);
  sw_net_hash(a_net());
}

static void nothing_ends_that_is_right(void **state) {
  (void)state;
  char said[1024];
  assert_int_equal(run(right_calls_pass, said, sizeof said), 0);
  assert_string_equal(said, "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_ends_where_it_was_made),
      cmocka_unit_test(nothing_ends_that_is_right),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
