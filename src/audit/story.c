/* The situations of `--dose` for any chat model (see dose.h): numbers are tried
 * until their sum is reached. Texts are short, because each costs a turn of
 * every question; the answer is a word, because numbers of choices carry a
 * taste of their own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "audit/dose.h"
#include "base/rng.h"

enum { STORY_GROUP = 4 };
static const char RULES[] =
    "A search adds numbers until a sum is reached. If nothing is left to try, "
    "the state is a dead end: go back. Else go on.";
static const char ASK[] = "\nAnswer ";

/* Every draw is a function of seed, situation or history, and place. */
typedef struct draws {
  uint64_t seed, stream, next;
} draws;

static int below(draws *d, int bound) {
  return (int)(sw_philox_u64(d->seed, d->stream, d->next++) % (uint64_t)bound);
}

static void describe(draws *d, int dead, char *text, size_t room) {
  int sum = 5 + below(d, 30), want = sum + 3 + below(d, 20);
  int a = 2 + below(d, 9), b = 2 + below(d, 9), c = 2 + below(d, 9);
  if (dead) snprintf(text, room, "Sum %d of %d. Left: nothing.", sum, want);
  else
    snprintf(text, room, "Sum %d of %d. Left: %d, %d, %d.", sum, want, a, b, c);
}

static int put(json_t *list, const char *role, const char *text) {
  return json_array_append_new(list, sw_message_json(role, text));
}

/* `turns` past turns, `backs` of them dead ends, in an order of its own. */
static json_t *past(draws *d, int turns, int backs) {
  char text[160];
  json_t *list = json_array();
  for (int i = 0; i < turns && list; i++) {
    int dead = below(d, turns - i) < backs;
    backs -= dead;
    describe(d, dead, text, sizeof text);
    size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, "%son or back.", ASK);
    if (put(list, "user", text) ||
        put(list, "assistant", dead ? "back" : "on")) {
      json_decref(list);
      return NULL;
    }
  }
  return list;
}

static int fill(sw_audit_case *c, int64_t at, json_t *const *history, int turns,
                uint64_t seed) {
  char text[160];
  draws d = {seed, 2000000 + (uint64_t)at, 0};
  int dead = (int)(at & 1);
  snprintf(text, sizeof text, "s%lld", (long long)at);
  c->id = strdup(text);
  snprintf(text, sizeof text, "g%lld", (long long)(at / STORY_GROUP));
  c->group = strdup(text);
  describe(&d, dead, text, sizeof text);
  c->system = json_array();
  c->situation = json_array();
  c->right = calloc(2, 1);
  if (!c->id || !c->group || !c->right || !c->system || !c->situation ||
      put(c->system, "system", RULES) || put(c->situation, "user", text) ||
      !sw_audit_case_choose(c, "on") ||
      !sw_audit_case_choose(c, SW_STORY_ACTION))
    return 0;
  c->right[dead] = 1;
  for (int k = 0; k <= turns; k++) {
    snprintf(text, sizeof text, "%d", k);
    sw_history *h = sw_audit_case_history(c, text);
    if (!h) return 0;
    h->count = k;
    h->messages[0] = json_incref(history[k]);
  }
  return 1;
}

int sw_dose_story(sw_audit_cases *cases, int64_t situations, int turns,
                  uint64_t seed, sw_err *err) {
  json_t *history[SW_DOSES] = {0};
  int whole = turns < SW_DOSES;
  memset(cases, 0, sizeof *cases);
  cases->words = 1;
  cases->ask = ASK;
  for (int64_t at = 0; at < situations && whole; at++) {
    for (int k = 0; k <= turns && at % STORY_GROUP == 0; k++) {
      draws d = {seed, (uint64_t)(at / STORY_GROUP * SW_DOSES + k), 0};
      json_decref(history[k]);
      history[k] = past(&d, turns, k);
      whole &= history[k] != NULL;
    }
    sw_audit_case *c = whole ? sw_audit_cases_add(cases) : NULL;
    whole = c && fill(c, at, history, turns, seed);
  }
  for (int k = 0; k < SW_DOSES; k++) json_decref(history[k]);
  return whole ? SW_OK : sw_no_memory(err);
}
