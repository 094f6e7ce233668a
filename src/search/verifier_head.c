/* The verifier `head:TAU`: goes back when the guide's own verify head gives the
 * state more than TAU of being dead. It may be wrong both ways; behind
 * `confirm` it only proposes. */
#include "search/loop.h"

typedef struct head_verifier {
  sw_verifier head;
  double tau;
} head_verifier;

static int open_head(sw_verifier *v, const char *args, sw_err *err) {
  head_verifier *h = (head_verifier *)v;
  SW_TRY(sw_verifier_rate(v, &args, &h->tau, err));
  if (*args) return sw_verifier_misread(v, "head:0.5", err);
  char tau[32];
  sw_verifier_real(h->tau, tau);
  return sw_verifier_call(v, err, "head:%s", tau);
}

static sw_verdict judge(sw_verifier *v, sw_game *game, const float *score,
                        int32_t *token) {
  (void)score, (void)token;
  int says = (double)game->dead > ((head_verifier *)v)->tau;
  return game->can_back && says ? SW_GO_BACK : SW_GO_ON;
}

const sw_verifier_kind sw_verifier_head = {
    .name = "head",
    .args = "TAU",
    .help =
        "goes back when the model's verify head gives the state more than TAU "
        "of being dead",
    .bytes = sizeof(head_verifier),
    .open = open_head,
    .judge = judge,
    .needs_scores = 1,
    .needs_verdicts = 1,
    .of_policy = 1};
