/* Verifiers that ignore the state: `random:P` goes back with probability P,
 * drawn from a stream of the instance's own, and `depth:D` whenever at least D
 * decisions stand. They are the baselines for a learned proposer behind
 * `confirm`, at the same cost. */
#include "search/loop.h"

typedef struct blind {
  sw_verifier head;
  double rate;   /* random */
  int64_t depth; /* depth */
  sw_xoshiro rng;
} blind;

static int open_random(sw_verifier *v, const char *args, sw_err *err) {
  blind *b = (blind *)v;
  SW_TRY(sw_verifier_rate(v, &args, &b->rate, err));
  if (*args) return sw_verifier_misread(v, "random:0.1", err);
  char rate[32];
  sw_verifier_real(b->rate, rate);
  return sw_verifier_call(v, err, "random:%s", rate);
}

static void start_random(sw_verifier *v, uint64_t seed) {
  sw_xoshiro_seed(&((blind *)v)->rng, seed);
}

static sw_verdict judge_random(sw_verifier *v, sw_game *game,
                               const float *score, int32_t *token) {
  blind *b = (blind *)v;
  (void)score, (void)token;
  if (!game->can_back) return SW_GO_ON;
  return sw_xoshiro_unit(&b->rng) < b->rate ? SW_GO_BACK : SW_GO_ON;
}

static int open_depth(sw_verifier *v, const char *args, sw_err *err) {
  blind *b = (blind *)v;
  SW_TRY(sw_verifier_number(v, "decisions", &args, &b->depth, err));
  if (*args) return sw_verifier_misread(v, "depth:5", err);
  return sw_verifier_call(v, err, "depth:%lld", (long long)b->depth);
}

static sw_verdict judge_depth(sw_verifier *v, sw_game *game, const float *score,
                              int32_t *token) {
  (void)score, (void)token;
  int deep = game->domain->search->depth(game->env) >= ((blind *)v)->depth;
  return game->can_back && deep ? SW_GO_BACK : SW_GO_ON;
}

const sw_verifier_kind sw_verifier_random = {
    .name = "random",
    .args = "P",
    .help = "goes back with probability P, without looking",
    .bytes = sizeof(blind),
    .open = open_random,
    .judge = judge_random,
    .start = start_random};

const sw_verifier_kind sw_verifier_depth = {
    .name = "depth",
    .args = "D",
    .help = "goes back whenever at least D decisions stand, without looking",
    .bytes = sizeof(blind),
    .open = open_depth,
    .judge = judge_depth};
