/* The cases that move most (see study_page.c): the two prompts beside each
 * other, what they have in common in grey, what differs marked. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "audit/study_inside.h"
#include "report/table.h"

enum { MOVERS = 5, SHOWN = 4000 };

static void write_message(FILE *out, const json_t *m, int alike) {
  const char *text = json_string_value(json_object_get(m, "content"));
  char *other = text ? NULL : json_dumps(m, JSON_COMPACT | JSON_SORT_KEYS);
  char cut[SHOWN + 8];
  snprintf(cut, sizeof cut, "%.*s", SHOWN, text ? text : other ? other : "");
  /* not in the middle of a character */
  size_t end = strlen(cut);
  if (end == SHOWN)
    while (end && (cut[end - 1] & 0xc0) == 0x80) cut[--end] = 0;
  fprintf(out, "<pre class=\"turn %s\"><b>", alike ? "alike" : "other");
  const char *role = json_string_value(json_object_get(m, "role"));
  sw_escape_html(out, role ? role : "");
  fputs("</b> ", out);
  sw_escape_html(out, cut);
  fputs("</pre>\n", out);
  free(other);
}

static void write_side(FILE *out, const json_t *list, const json_t *beside) {
  size_t n = json_array_size(list), m = json_array_size(beside), head = 0,
         tail = 0;
  while (head < n && head < m &&
         json_equal(json_array_get(list, head), json_array_get(beside, head)))
    head++;
  while (tail < n - head && tail < m - head &&
         json_equal(json_array_get(list, n - 1 - tail),
                    json_array_get(beside, m - 1 - tail)))
    tail++;
  for (size_t i = 0; i < n; i++)
    write_message(out, json_array_get(list, i), i < head || i >= n - tail);
}

static void write_answer(const sw_study *s, int64_t at, int arm, FILE *out) {
  const sw_audit_case *c = &s->cases.item[at];
  const sw_said *said = sw_survey_said(&s->survey, at, arm, 0, 0);
  fputs("<p class=\"choice\">answer: <b>", out);
  sw_escape_html(
      out, said && said->choice >= 0 ? c->choice[said->choice] : "not read");
  fputs("</b>", out);
  if (said && said->graded) fprintf(out, " (P %.2f)", said->p[said->choice]);
  fputs("</p>\n", out);
}

static int write_case(const sw_study *s, int64_t at, int a, int b, double shift,
                      FILE *out, sw_err *err) {
  json_t *left = NULL, *right = NULL;
  const int arms[] = {a, b};
  int code = sw_arm_messages(&s->arm[a], &s->cases, at, 0, &left, err);
  if (!code) code = sw_arm_messages(&s->arm[b], &s->cases, at, 0, &right, err);
  if (!code) {
    fputs("<details><summary>", out);
    sw_escape_html(out, s->cases.item[at].id);
    fprintf(out, ": shift %.2f</summary>\n<div class=\"pair\">\n", shift);
    for (int i = 0; i < 2; i++) {
      fputs("<div class=\"card\"><h3>", out);
      sw_escape_html(out, s->arm[arms[i]].name);
      fputs("</h3>\n", out);
      write_side(out, i ? right : left, i ? left : right);
      write_answer(s, at, arms[i], out);
      fputs("</div>\n", out);
    }
    fputs("</div></details>\n", out);
  }
  json_decref(left);
  json_decref(right);
  return code;
}

/* The largest shift below `under`, or at the same shift behind `after`. */
static int64_t next_mover(const double *shift, int64_t count, double under,
                          int64_t after) {
  int64_t best = -1;
  for (int64_t i = 0; i < count; i++) {
    if (isnan(shift[i]) || !(shift[i] > 0) || shift[i] > under ||
        (shift[i] >= under && i <= after))
      continue;
    if (best < 0 || shift[i] > shift[best]) best = i;
  }
  return best;
}

int sw_study_movers(const sw_study *s, FILE *out, sw_err *err) {
  const sw_contrast *k = s->dosed
                             ? sw_contrast_find(&s->measured, 0, s->arms - 1)
                             : s->verdict.primary;
  double under = INFINITY;
  int64_t at = -1;
  if (!k || !k->by_case) return SW_OK;
  fputs("<section><h2 id=\"movers\">The cases that move most</h2>\n", out);
  for (int i = 0; i < MOVERS; i++) {
    at = next_mover(k->by_case, s->cases.count, under, at);
    if (at < 0) {
      if (!i) fputs("<p>None moves.</p>\n", out);
      break;
    }
    under = k->by_case[at];
    SW_TRY(write_case(s, at, k->a, k->b, under, out, err));
  }
  fputs("<p class=\"soft\">Grey: what both prompts share.</p></section>\n",
        out);
  return SW_OK;
}
