/* The verifier `size:I:X`: goes back when the I-th size of the state, of those
 * that the domain counts (sw_search_ops.truth.size_names; `probe verify` lists
 * them), is at least X. It learns nothing: a learned proposer must beat it at
 * the same cost. */
#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "search/loop.h"

typedef struct size_verifier {
  sw_verifier head;
  int64_t which; /* from 1 */
  double least;
} size_verifier;

static int hint_sizes(const char *const *names, sw_err *err) {
  char text[300] = "";
  size_t used = 0;
  for (int i = 0; names[i] && used < sizeof text; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%d %s",
                             i ? ", " : "", i + 1, names[i]);
  return sw_hint(err, "they are: %s", text);
}

static int open_size(sw_verifier *v, const char *args, sw_err *err) {
  size_verifier *s = (size_verifier *)v;
  const char *const *names = v->domain->search->truth.size_names;
  int64_t count = 0;
  char *end, least[32];
  while (names[count]) count++;
  SW_TRY(sw_verifier_number(v, "sizes", &args, &s->which, err));
  if (*args++ != ':') return sw_verifier_misread(v, "size:1:20", err);
  s->least = sw_text_real(args, &end);
  if (end == args || *end || !isfinite(s->least))
    return sw_verifier_misread(v, "size:1:20", err);
  if (s->which < 1 || s->which > count) {
    sw_fail(err, SW_USAGE, "verifier `%s`: `%s` has sizes 1 to %lld", v->text,
            v->domain->name, (long long)count);
    return hint_sizes(names, err);
  }
  sw_verifier_real(s->least, least);
  return sw_verifier_call(v, err, "size:%lld:%s", (long long)s->which, least);
}

static sw_verdict judge(sw_verifier *v, sw_game *game, const float *score,
                        int32_t *token) {
  const size_verifier *s = (const size_verifier *)v;
  (void)score, (void)token;
  if (!game->can_back) return SW_GO_ON;
  double size = game->domain->search->truth.size(game->env, (int)s->which - 1);
  return size >= s->least ? SW_GO_BACK : SW_GO_ON;
}

static int can(const sw_domain *domain) {
  return domain->search->truth.size && domain->search->truth.size_names;
}

const sw_verifier_kind sw_verifier_size = {
    .name = "size",
    .args = "I:X",
    .help =
        "goes back when the I-th size of the state (probe verify lists them) "
        "is at least X",
    .bytes = sizeof(size_verifier),
    .open = open_size,
    .judge = judge,
    .can = can};
