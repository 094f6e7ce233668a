/* Differences that the paper states (SSA minus causal, with slots minus
 * without), beside ours: whoever doubts a rate can still ask whether the
 * difference points the same way. See kept_pages.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/kept_pages.h"
#include "report/read_json.h"

static const char *const WORDS[] = {"the same way", "the other way",
                                    "not told from none", "no interval"};

sw_claim sw_kept_claim(const json_t *statistic) {
  double theirs = strtod(sw_member_text(statistic, "paper", "0"), NULL);
  double low = sw_member_real(statistic, "low", NAN);
  double high = sw_member_real(statistic, "high", NAN);
  if (isnan(low) || isnan(high)) return SW_NO_RANGE;
  if (low <= 0 && high >= 0) return SW_NOT_APART;
  return (low > 0) == (theirs > 0) ? SW_SAME_WAY : SW_OTHER_WAY;
}

/* A statistic over seeds has no interval of one model, and resampling a few of
 * them gives little more than their range: the same difference over seeds and
 * instances, a statistic of the same name, stands for it. */
static const json_t *with_range(const json_t *kept, const json_t *statistic) {
  static const char again[] = ", by instance";
  const char *title = sw_member_text(statistic, "title", "");
  size_t length = strlen(title), at;
  const json_t *other;
  json_array_foreach(json_object_get(kept, "statistics"), at, other) {
    const char *name = sw_member_text(other, "title", "");
    if (!strncmp(name, title, length) && !strcmp(name + length, again))
      return other;
  }
  return statistic;
}

/* The paper's sign goes with the twin, which has no number of the paper. */
static sw_claim judge(const json_t *statistic, const json_t *range) {
  sw_claim claim;
  json_t *both = json_copy((json_t *)range);
  json_object_set(both, "paper", json_object_get(statistic, "paper"));
  claim = sw_kept_claim(both);
  json_decref(both);
  return claim;
}

typedef void visit(const sw_kept_entry *entry, const json_t *statistic,
                   const json_t *range, void *data);

/* The same number of the paper beside the same of ours, in another table. */
static int is_new(json_t *met, const json_t *one) {
  char key[80];
  snprintf(key, sizeof key, "%.3f|%.9f",
           strtod(sw_member_text(one, "paper", "0"), NULL),
           sw_member_real(one, "value", NAN));
  if (json_object_get(met, key)) return 0;
  json_object_set_new(met, key, json_true());
  return 1;
}

static void each_claim(const sw_kept_entry *entry, int count,
                       json_t *const *kept, visit *meet, void *data) {
  json_t *met = json_object();
  const json_t *one;
  size_t at;
  for (int i = 0; i < count; i++)
    json_array_foreach(json_object_get(kept[i], "statistics"), at, one) {
      if (!sw_member_text(one, "paper", NULL) || entry[i].older ||
          isnan(sw_member_real(one, "value", NAN)) || !is_new(met, one))
        continue;
      meet(&entry[i], one, with_range(kept[i], one), data);
    }
  json_decref(met);
}

/* Pairs are seeds where there are several, else instances of one model. */
static long long models_of(const json_t *range) {
  enum { MOST_SEEDS = 20 };
  long long pairs = sw_member_int(range, "pairs", 1);
  return pairs > MOST_SEEDS ? 1 : pairs;
}

typedef struct counts {
  int of[SW_NO_RANGE + 1], all;
} counts;

static void add(const sw_kept_entry *entry, const json_t *statistic,
                const json_t *range, void *data) {
  counts *c = data;
  (void)entry;
  c->of[judge(statistic, range)]++;
  c->all++;
}

static void row(const sw_kept_entry *entry, const json_t *statistic,
                const json_t *range, void *data) {
  FILE *out = data;
  sw_claim claim = judge(statistic, range);
  sw_kept_text(out, "<tr><th scope=\"row\"><a href=\"", entry->file,
               ".html\">");
  sw_kept_text(out, "", entry->file, "</a></th>");
  sw_kept_text(out, "<td class=\"words\">",
               sw_member_text(statistic, "title", "-"), "</td>");
  sw_kept_text(out, "<td>", sw_member_text(statistic, "paper", "-"),
               "</td><td>");
  sw_kept_ours(range, out);
  fprintf(out, "</td><td>%lld", models_of(range));
  fprintf(out, "</td><td class=\"words%s\">%s</td></tr>\n",
          claim == SW_SAME_WAY    ? " good"
          : claim == SW_OTHER_WAY ? " warn"
                                  : "",
          WORDS[claim]);
}

void sw_kept_claims(const sw_kept_entry *entry, int count, json_t *const *kept,
                    FILE *out) {
  static const char *const heads[] = {"experiment", "difference",
                                      "paper",      "ours, 95 %",
                                      "models",     "ours points"};
  counts c = {0};
  each_claim(entry, count, kept, add, &c);
  if (!c.all) return;
  fprintf(
      out,
      "<h2>Differences that the paper states</h2>\n<p>A rate depends on "
      "sizes and recipes, the sign of a difference less so. Of %d "
      "differences in points, ours points the same way in %d (its 95 %% "
      "interval leaves zero out), the other way in %d, cannot be told "
      "from none in %d, and has no interval in %d. An interval of one model "
      "is over test instances alone and says nothing of other models. "
      "What the paper itself calls none is among them; its intervals and p "
      "stand beside its "
      "numbers where it gives them.</p>\n<details><summary>The %d "
      "differences</summary>\n<div class=\"scroll\"><table "
      "class=\"index\"><thead><tr>",
      c.all, c.of[SW_SAME_WAY], c.of[SW_OTHER_WAY], c.of[SW_NOT_APART],
      c.of[SW_NO_RANGE], c.all);
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
    fprintf(out, "<th scope=\"col\"%s>%s</th>",
            i == 1 || i == 5 ? " class=\"words\"" : "", heads[i]);
  fputs("</tr></thead>\n<tbody>\n", out);
  each_claim(entry, count, kept, row, out);
  fputs("</tbody></table></div></details>\n", out);
}
