/* The verifier `noise:FP,FN:INNER`: another one's verdicts, wrong at given
 * rates. One draw for each verdict, from a stream of the instance's own, so
 * that nothing depends on batch, width or resume. What INNER forces stays. */
#include "base/text.h"
#include "search/loop.h"

typedef struct noise {
  sw_verifier head;
  double viable_to_dead, dead_to_viable;
  sw_xoshiro rng;
} noise;

/* The shortest text that reads as this rate: two rates never look the same,
 * which would mix their results in a store. */
static void rate_text(double rate, char text[32]) {
  for (int digits = 6; digits <= 17; digits++) {
    sw_real_text(text, 32, digits, rate);
    if (sw_text_real(text, NULL) == rate) return;
  }
}

static int open_noise(sw_verifier *v, const char *args, sw_err *err) {
  noise *n = (noise *)v;
  const char *at = args;
  SW_TRY(sw_verifier_rate(v, &at, &n->viable_to_dead, err));
  if (*at++ == ',') {
    SW_TRY(sw_verifier_rate(v, &at, &n->dead_to_viable, err));
    if (*at++ == ':') {
      SW_TRY(sw_verifier_open(&v->inner[0], v->domain, at, err));
      v->needs_scores = v->inner[0]->needs_scores;
      v->midway = v->inner[0]->midway;
      v->sound = v->inner[0]->sound && n->viable_to_dead == 0;
      v->certain = v->inner[0]->certain && n->dead_to_viable == 0;
      char fp[32], fn[32];
      rate_text(n->viable_to_dead, fp);
      rate_text(n->dead_to_viable, fn);
      return sw_verifier_call(v, err, "noise:%s,%s:%s", fp, fn,
                              v->inner[0]->text);
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
  sw_xoshiro_seed(&((noise *)v)->rng, seed + noises_inside(v));
}

static sw_verdict judge(sw_verifier *v, sw_game *game, const float *score,
                        int32_t *token) {
  noise *n = (noise *)v;
  sw_verdict said = sw_verifier_judge(v->inner[0], game, score, token);
  if (!game->can_back) return said;
  double draw = sw_xoshiro_unit(&n->rng);
  if (said == SW_GO_ON && draw < n->viable_to_dead) return SW_GO_BACK;
  if (said != SW_GO_BACK || !(draw < n->dead_to_viable)) return said;
  game->outcome.passed_dead += !game->domain->search->in_conflict(game->env);
  return SW_GO_ON;
}

const sw_verifier_kind sw_verifier_noise = {
    .name = "noise",
    .args = "FP,FN:INNER",
    .help =
        "INNER with verdicts flipped: viable to dead at rate FP, dead to "
        "viable at rate FN",
    .bytes = sizeof(noise),
    .open = open_noise,
    .judge = judge,
    .start = start};
