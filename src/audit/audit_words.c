/* What an audit found, in words and as JSON (see audit.h). */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "audit/audit.h"

enum { FEW_PAIRS = 20, FEW_SEARCHES = 20 };

/* Clearing the history surely changes what is solved. Whoever decides by the
 * state solves the same problems either way. */
static int clearing_matters(const sw_audit_player *p) {
  return p->way[SW_CUMULATIVE].row.summary.n >= FEW_SEARCHES &&
         (p->gap.high < 0 || p->gap.low > 0);
}

sw_audit_finding sw_audit_find(const sw_audit_player *p) {
  if (!p->played) return SW_AUDIT_UNDECIDED;
  if (clearing_matters(p)) return SW_AUDIT_ENTANGLED;
  if (p->probes.pairs < FEW_PAIRS) return SW_AUDIT_UNDECIDED;
  if (p->probes.same_choice == 1) return SW_AUDIT_BY_STATE;
  /* Once in a hundred pairs is what a tie in the last digit could do. */
  return p->probes.interval.high < 0.99 || p->probes.same_choice < 0.95
             ? SW_AUDIT_ENTANGLED
             : SW_AUDIT_BY_STATE;
}

void sw_audit_words(const sw_audit_player *p, char *text, size_t room) {
  const sw_by_guide_result *b = &p->probes;
  double with = 100 * p->way[SW_CUMULATIVE].row.summary.solve_rate;
  double without = 100 * p->way[SW_REBUILT].row.summary.solve_rate;
  if (!strcmp(p->key, "random")) {
    snprintf(text, room,
             "%s: takes any choice, the same by luck in %.1f %% of the pairs; "
             "%.1f %% solved with and %.1f %% without history.",
             p->name, 100 * b->same_choice, with, without);
    return;
  }
  char changes[160] = "";
  if (b->pairs)
    snprintf(changes, sizeof changes,
             "facing the same state after another history it changes its mind "
             "in %.1f %% of %lld pairs; ",
             100 - 100 * b->same_choice, (long long)b->pairs);
  switch (sw_audit_find(p)) {
    case SW_AUDIT_BY_STATE:
      snprintf(text, room,
               "%s decides by the state: the same choice in %.1f %% of %lld "
               "pairs of different histories, %.1f %% solved with its history "
               "and %.1f %% without.",
               p->name, 100 * b->same_choice, (long long)b->pairs, with,
               without);
      break;
    case SW_AUDIT_ENTANGLED:
      snprintf(text, room,
               "%s is entangled with its history: %sit solves %.1f %% with "
               "its history and %.1f %% without.",
               p->name, changes, with, without);
      break;
    default:
      snprintf(text, room,
               "%s: too few states were met with two histories (%lld pairs) to "
               "say more than that it solves %.1f %% with its history and "
               "%.1f %% without.",
               p->name, (long long)b->pairs, with, without);
  }
}

void sw_audit_saving(const sw_audit *a, char *text, size_t room) {
  const sw_audit_player *p = &a->player[SW_AUDIT_REMOTE];
  const sw_audit_way *with = &p->way[SW_CUMULATIVE],
                     *without = &p->way[SW_REBUILT];
  double per_with =
      with->answers ? (double)with->prompt_tokens / (double)with->answers : 0;
  double per_without = without->answers ? (double)without->prompt_tokens /
                                              (double)without->answers
                                        : 0;
  double gain = 100 * p->gap.point;
  const char *tail =
      p->gap.low == 0 && p->gap.high == 0 ? "nothing would change there"
      : p->gap.low > 0                    ? "more problems would be solved"
      : p->gap.high < 0 ? "fewer problems would be solved: it needs its history"
                        : "the difference is within what chance explains";
  char solved[200];
  snprintf(solved, sizeof solved,
           "%+.1f percentage points solved (95 %% interval %+.1f to %+.1f): %s",
           gain, 100 * p->gap.low, 100 * p->gap.high, tail);
  if (per_with > 0 && per_without > 0)
    snprintf(text, room,
             "Clearing the context at every step would cost %.0f tokens a "
             "decision instead of %.0f (%+.0f %%), with %s.",
             per_without, per_with, 100 * (per_without / per_with - 1), solved);
  else
    snprintf(text, room,
             "Clearing the context at every step: %s. The endpoint does not "
             "count tokens.",
             solved);
}

/* ---- JSON ---- */

static void way_json(sw_json *json, const char *key, const sw_audit_way *w) {
  sw_json_object(json, key);
  sw_score_json(&w->row, json);
  sw_json_int(json, "answers", w->answers);
  sw_json_int(json, "prompt_tokens", w->prompt_tokens);
  sw_json_end(json);
}

static void player_json(sw_json *json, const sw_audit_player *p) {
  static const char *const findings[] = {"by-state", "entangled", "undecided"};
  char text[600];
  sw_json_object(json, NULL);
  sw_json_string(json, "player", p->key);
  sw_json_string(json, "name", p->name);
  sw_json_string(json, "finding", findings[sw_audit_find(p)]);
  sw_audit_words(p, text, sizeof text);
  sw_json_string(json, "words", text);
  way_json(json, "with_history", &p->way[SW_CUMULATIVE]);
  way_json(json, "without_history", &p->way[SW_REBUILT]);
  sw_json_real(json, "gain", p->gap.point);
  sw_json_real(json, "gain_low", p->gap.low);
  sw_json_real(json, "gain_high", p->gap.high);
  sw_json_object(json, "probes");
  sw_by_guide_json(&p->probes, json);
  sw_json_end(json);
  sw_json_end(json);
}

void sw_audit_json(const sw_audit *a, sw_json *json) {
  char text[800];
  sw_json_object(json, NULL);
  sw_json_string(json, "endpoint", a->address);
  sw_json_string(json, "model", a->model);
  sw_json_string(json, "domain", a->domain->name);
  sw_json_int(json, "n", a->task.n);
  sw_json_int(json, "instances", a->instances);
  sw_json_int(json, "seed", (int64_t)a->seed);
  sw_audit_saving(a, text, sizeof text);
  sw_json_string(json, "saving", text);
  sw_json_array(json, "players");
  for (int i = 0; i < SW_AUDIT_COUNT; i++)
    if (a->player[i].played) player_json(json, &a->player[i]);
  sw_json_end(json);
  sw_json_object(json, "spent");
  sw_json_int(json, "answers", a->spent.answers);
  sw_json_int(json, "reminders", a->spent.reminders);
  sw_json_int(json, "unreadable", a->spent.unreadable);
  sw_json_int(json, "prompt_tokens", a->spent.prompt_tokens);
  sw_json_int(json, "answer_tokens", a->spent.answer_tokens);
  sw_json_end(json);
  sw_json_end(json);
}
