/* The verifier `any:A+B`: goes back when one of the two says so. B is asked
 * only where A would not go back; what one of them forces is taken unless the
 * other goes back. */
#include <stdio.h>
#include <string.h>

#include "search/loop.h"

/* The first `+` outside parentheses, or NULL. */
static const char *plus_in(const char *text) {
  int depth = 0;
  for (; *text; text++) {
    depth += (*text == '(') - (*text == ')');
    if (*text == '+' && depth == 0) return text;
  }
  return NULL;
}

static int open_any(sw_verifier *v, const char *args, sw_err *err) {
  const char *plus = plus_in(args);
  char first[SW_VERIFIER_TEXT];
  if (!plus || plus - args >= SW_VERIFIER_TEXT)
    return sw_verifier_misread(v, "any:exact+model", err);
  snprintf(first, sizeof first, "%.*s", (int)(plus - args), args);
  SW_TRY(sw_verifier_open(&v->inner[0], v->domain, first, err));
  SW_TRY(sw_verifier_open(&v->inner[1], v->domain, plus + 1, err));
  const sw_verifier *a = v->inner[0], *b = v->inner[1];
  v->needs_scores = a->needs_scores || b->needs_scores;
  v->midway = a->midway || b->midway;
  v->sound = a->sound && b->sound;
  v->certain = a->certain || b->certain;
  v->yields = a->yields || b->yields;
  return sw_verifier_call(
      v, err, plus_in(a->text) ? "any:(%s)+%s" : "any:%s+%s", a->text, b->text);
}

static sw_verdict judge(sw_verifier *v, sw_game *game, const float *score,
                        int32_t *token) {
  int32_t other = -1;
  sw_verdict a = sw_verifier_judge(v->inner[0], game, score, token);
  if (a == SW_GO_BACK) return a;
  sw_verdict b = sw_verifier_judge(v->inner[1], game, score, &other);
  if (b == SW_GO_BACK || a == SW_GO_ON) {
    *token = other;
    return b;
  }
  return a;
}

const sw_verifier_kind sw_verifier_any = {
    .name = "any",
    .args = "A+B",
    .help = "goes back when one of the two says so",
    .open = open_any,
    .judge = judge};
