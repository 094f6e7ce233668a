/* Published action tokens, a row per domain (see actions.h). */
#include "release/actions.h"
#include <string.h>
#include "domains/sat/tokens.h"

/* What a SAT action consists of, going back left out. */
static int sat(int32_t token) {
  return token == SW_SAT_T || token == SW_SAT_F || token == SW_SAT_BJ ||
         (token >= SW_SAT_VARIABLE && token < SW_SAT_VOCAB);
}

int sw_release_actions(const char *domain, sw_token_set *actions, sw_err *err) {
  static const struct {
    const char *domain;
    sw_token_set actions;
  } row[] = {{"sat", sat}};
  for (size_t i = 0; domain && i < sizeof row / sizeof *row; i++)
    if (strcmp(row[i].domain, domain) == 0) {
      *actions = row[i].actions;
      return SW_OK;
    }
  sw_fail(err, SW_USAGE, "no contrastive action tokens were published for `%s`",
          domain ? domain : "?");
  return sw_hint(err,
                 "--contrastive without --contrastive-release trains any "
                 "domain on all its supervised tokens");
}
