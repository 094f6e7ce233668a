/* The verifier `noise:FP,FN:INNER`: another one's verdicts, wrong at given
 * rates. One draw for each verdict, from a stream of the instance's own, so
 * that nothing depends on batch, width or resume. What INNER forces stays. */
#include <stdio.h>
#include <string.h>

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

static int write_text(noise *n, sw_err *err) {
  sw_verifier *v = &n->head;
  char text[2 * SW_VERIFIER_TEXT], fp[32], fn[32];
  rate_text(n->viable_to_dead, fp);
  rate_text(n->dead_to_viable, fn);
  int length =
      snprintf(text, sizeof text, "noise:%s,%s:%s", fp, fn, v->inner[0]->text);
  if (length >= SW_VERIFIER_TEXT)
    return sw_fail(err, SW_USAGE, "verifier `%.60s...`: it is too long", text);
  memcpy(v->text, text, (size_t)length + 1);
  return SW_OK;
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
      v->sound = v->inner[0]->sound && n->viable_to_dead == 0;
      v->certain = v->inner[0]->certain && n->dead_to_viable == 0;
      return write_text(n, err);
    }
  }
  sw_fail(err, SW_USAGE, "verifier `%s`: it is written noise:FP,FN:INNER",
          v->text);
  return sw_hint(err, "for example noise:0.1,0:oracle");
}

static void start(sw_verifier *v, uint64_t seed) {
  sw_xoshiro_seed(&((noise *)v)->rng, seed);
}

static sw_verdict judge(sw_verifier *v, sw_game *game, const float *score,
                        int32_t *token) {
  noise *n = (noise *)v;
  sw_verdict said = sw_verifier_judge(v->inner[0], game, score, token);
  if (!game->can_back) return said;
  double draw = sw_xoshiro_unit(&n->rng);
  if (said == SW_GO_ON && draw < n->viable_to_dead) return SW_GO_BACK;
  if (said == SW_GO_BACK && draw < n->dead_to_viable) return SW_GO_ON;
  return said;
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
