/* The verifier `noise:FP,FN[,SEED][,HOW]:INNER`: another one's verdicts, wrong
 * at given rates. One draw for each verdict on a state, from a stream of the
 * instance's own, so that nothing depends on batch, width or resume; SEED names
 * another stream. What INNER forces stays. HOW says where the false prunes
 * fall (the missed ones fall everywhere alike): the rate at a state is FP times
 * a weight that is about 1 on average. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "search/loop.h"
#include "search/pick.h"

/* clang-format off */
#define NOISE_WAYS(X)                                                          \
  X(even, "at every state alike")                                              \
  X(deep, "more the deeper the search")                                        \
  X(shallow, "more the nearer to the root")                                    \
  X(unsure, "more where the guide is unsure of its choice")                    \
  X(sure, "more where the guide is sure of it")                                \
  X(bursts, "in runs of four on average")
/* clang-format on */
enum {
#define X(name, text) WAY_##name,
  NOISE_WAYS(X)
#undef X
      WAYS
};
static const char *const way_name[] = {
#define X(name, text) #name,
    NOISE_WAYS(X)
#undef X
};

typedef struct noise {
  sw_verifier head;
  double viable_to_dead, dead_to_viable;
  int64_t seed;
  int way;
  int burst; /* a run of false prunes is on */
  sw_xoshiro rng;
} noise;

/* `,SEED` and `,HOW`, each at most once. 0: something else is there. */
static int read_rest(noise *n, const char **at) {
  while (**at == ',') {
    size_t length = strcspn(++*at, ",:");
    int way = 0;
    for (; way < WAYS; way++)
      if (strlen(way_name[way]) == length &&
          !strncmp(way_name[way], *at, length))
        break;
    if (way < WAYS) {
      n->way = way;
    } else {
      if (!length || length > 9 || strspn(*at, "0123456789") < length) return 0;
      n->seed = 0;
      for (size_t i = 0; i < length; i++)
        n->seed = 10 * n->seed + (*at)[i] - '0';
    }
    *at += length;
  }
  return 1;
}

static int name_it(noise *n, sw_err *err) {
  char fp[32], fn[32], seed[24] = "", way[16] = "";
  sw_verifier_real(n->viable_to_dead, fp);
  sw_verifier_real(n->dead_to_viable, fn);
  if (n->seed) snprintf(seed, sizeof seed, ",%lld", (long long)n->seed);
  if (n->way) snprintf(way, sizeof way, ",%s", way_name[n->way]);
  return sw_verifier_call(&n->head, err, "noise:%s,%s%s%s:%s", fp, fn, seed,
                          way, n->head.inner[0]->text);
}

static int open_noise(sw_verifier *v, const char *args, sw_err *err) {
  noise *n = (noise *)v;
  const char *at = args;
  SW_TRY(sw_verifier_rate(v, &at, &n->viable_to_dead, err));
  if (*at++ == ',') {
    SW_TRY(sw_verifier_rate(v, &at, &n->dead_to_viable, err));
    if (read_rest(n, &at) && *at++ == ':') {
      SW_TRY(sw_verifier_open(&v->inner[0], v->domain, at, err));
      v->needs_scores = v->inner[0]->needs_scores || n->way == WAY_unsure ||
                        n->way == WAY_sure;
      v->midway = v->inner[0]->midway;
      v->sound = v->inner[0]->sound && n->viable_to_dead == 0;
      v->certain = v->inner[0]->certain && n->dead_to_viable == 0;
      v->yields = v->inner[0]->yields && n->dead_to_viable == 0;
      return name_it(n, err);
    }
  }
  return sw_verifier_misread(v, "noise:0.1,0:oracle", err);
}

/* The verifier inside is started with the same seed, so that it draws as it
 * would alone: noises inside each other have streams of their own. */
static uint64_t noises_inside(const sw_verifier *v) {
  uint64_t count = 0;
  for (int i = 0; i < 2; i++)
    if (v->inner[i])
      count += noises_inside(v->inner[i]) + (v->inner[i]->kind == v->kind);
  return count;
}

static void start(sw_verifier *v, uint64_t seed) {
  noise *n = (noise *)v;
  n->burst = 0;
  sw_xoshiro_seed(&n->rng,
                  seed + noises_inside(v) +
                      (uint64_t)n->seed * UINT64_C(0xd1b54a32d192ed03));
}

/* Probability that the guide gives its best way on, among the ways on. */
static double sureness(const sw_game *game, const float *score) {
  int best = sw_pick(game->candidate, game->candidates, score, SW_PICK_ONWARD);
  double sum = 0;
  for (int i = 0; best >= 0 && i < game->candidates; i++)
    if (game->candidate[i].kind != SW_CAND_BACK)
      sum += exp((double)score[i] - (double)score[best]);
  return sum > 0 ? 1 / sum : 1;
}

/* The weight of this state, 0 to 2. */
static double weight(const noise *n, const sw_game *game, const float *score) {
  double depth = game->domain->search->depth(game->env);
  double deep = depth / (depth + 6);
  switch (n->way) {
    case WAY_deep:
      return 2 * deep;
    case WAY_shallow:
      return 2 * (1 - deep);
    case WAY_unsure:
      return 2 * (1 - sureness(game, score));
    case WAY_sure:
      return 2 * sureness(game, score);
    default:
      return 1;
  }
}

/* A run goes on with probability 3/4, and one begins so often that the share
 * of states inside a run is the rate. */
static int in_burst(noise *n, double draw) {
  double rate = n->viable_to_dead;
  n->burst = n->burst ? rate >= 1 || draw < 0.75
                      : rate >= 1 || draw < 0.25 * rate / (1 - rate);
  return n->burst;
}

/* The state that INNER would have left shows no conflict and is lost. INNER's
 * verdict proves that if INNER never goes back from viable states; otherwise
 * the ground truth is asked. */
static int lost(const sw_verifier *inner, sw_game *game) {
  if (game->domain->search->in_conflict(game->env)) return 0;
  return inner->sound || sw_game_lost(game) > 0;
}

static sw_verdict judge(sw_verifier *v, sw_game *game, const float *score,
                        int32_t *token) {
  noise *n = (noise *)v;
  sw_verdict said = sw_verifier_judge(v->inner[0], game, score, token);
  if (!game->can_back) return said;
  double draw = sw_xoshiro_unit(&n->rng);
  int flip = n->way == WAY_bursts
                 ? in_burst(n, draw)
                 : draw < n->viable_to_dead * weight(n, game, score);
  if (said == SW_GO_ON && flip) return SW_GO_BACK;
  if (said != SW_GO_BACK || !(draw < n->dead_to_viable)) return said;
  game->outcome.passed_dead += lost(v->inner[0], game);
  return SW_GO_ON;
}

const sw_verifier_kind sw_verifier_noise = {
    .name = "noise",
    .args = "FP,FN:INNER",
    .help =
        "INNER with verdicts flipped: viable to dead at rate FP, dead to "
        "viable at rate FN; after them may stand a seed and where the false "
        "prunes fall (even, deep, shallow, unsure, sure, bursts)",
    .bytes = sizeof(noise),
    .open = open_noise,
    .judge = judge,
    .start = start};
