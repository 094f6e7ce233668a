/* Differences that the paper states (SSA minus causal, with slots minus
 * without), beside ours: whoever doubts a rate can still ask whether the
 * difference points the same way. See kept_pages.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/text.h"
#include "report/kept_pages.h"
#include "report/read_json.h"

static const char *const WORDS[] = {"the same way", "the other way",
                                    "not told from none", "no interval"};

/* A statistic that the paper has a number of; `range` has its interval. */
typedef struct stated {
  const sw_kept_entry *entry;
  const json_t *statistic, *range;
  const char *model[2]; /* in order of their names */
  const char *asked[2]; /* of each */
  double theirs;
  long long models;
  sw_claim claim;
  int again; /* of the same two models, with another that has more of them */
} stated;

typedef struct statements {
  stated *item;
  int32_t count, room;
} statements;

sw_claim sw_kept_claim(const json_t *statistic, const json_t *range) {
  double theirs = sw_text_real(sw_member_text(statistic, "paper", "0"), NULL);
  double low = sw_member_real(range, "low", NAN);
  double high = sw_member_real(range, "high", NAN);
  if (isnan(low) || isnan(high)) return SW_NO_RANGE;
  if (low <= 0 && high >= 0) return SW_NOT_APART;
  return low > 0       ? theirs >= 0 ? SW_SAME_WAY : SW_OTHER_WAY
         : theirs <= 0 ? SW_SAME_WAY
                       : SW_OTHER_WAY;
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

static const char *model_of(const json_t *kept, const char *row) {
  return sw_member_text(sw_kept_named(json_object_get(kept, "rows"), "id", row),
                        "model", row);
}

/* Pairs are instances of one model, or models. */
static long long models_of(const json_t *range) {
  const char *test = sw_member_text(range, "test", "");
  return strstr(test, "over instances") ? 1 : sw_member_int(range, "pairs", 1);
}

static int add(statements *s, const sw_kept_entry *entry, const json_t *kept,
               const json_t *one) {
  if (!sw_member_text(one, "paper", NULL) ||
      isnan(sw_member_real(one, "value", NAN)) ||
      json_is_false(json_object_get(one, "judged")))
    return 1;
  if (!sw_grow(&s->item, &s->room, s->count + 1, sizeof *s->item)) return 0;
  const json_t *range = with_range(kept, one);
  const char *a = model_of(kept, sw_member_text(one, "a", "")),
             *b = model_of(kept, sw_member_text(one, "b", ""));
  int turned = strcmp(a, b) > 0;
  const char *const asked[2] = {sw_member_text(one, "asked.0", ""),
                                sw_member_text(one, "asked.1", "")};
  s->item[s->count++] = (stated){
      .entry = entry,
      .statistic = one,
      .range = range,
      .model = {turned ? b : a, turned ? a : b},
      .asked = {asked[turned], asked[!turned]},
      .theirs = fabs(sw_text_real(sw_member_text(one, "paper", "0"), NULL)),
      .models = models_of(range),
      .claim = sw_kept_claim(one, range)};
  return 1;
}

static int is_same(const stated *x, const stated *y) {
  return x->theirs == y->theirs && !strcmp(x->model[0], y->model[0]) &&
         !strcmp(x->model[1], y->model[1]) &&
         !strcmp(x->asked[0], y->asked[0]) && !strcmp(x->asked[1], y->asked[1]);
}

/* Tables of the paper state some differences twice, by either sign: the one of
 * which we have more models stands, else the first. */
static void drop_repeated(statements *s) {
  for (int i = 0; i < s->count; i++)
    for (int k = 0; k < s->count && !s->item[i].again; k++) {
      const stated *other = &s->item[k];
      s->item[i].again = k != i && is_same(&s->item[i], other) &&
                         (other->models > s->item[i].models ||
                          (other->models == s->item[i].models && k < i));
    }
}

static void row(const stated *s, FILE *out) {
  sw_kept_text(out, "<tr><th scope=\"row\"><a href=\"", s->entry->file,
               ".html\">");
  sw_kept_text(out, "", s->entry->file, "</a></th>");
  sw_kept_text(out, "<td class=\"words\">",
               sw_member_text(s->statistic, "title", "-"), "</td>");
  sw_kept_text(out, "<td>", sw_member_text(s->statistic, "paper", "-"),
               "</td><td>");
  sw_kept_ours(s->range, out);
  fprintf(out, "</td><td>%lld</td><td class=\"words%s\">%s</td></tr>\n",
          s->models,
          s->claim == SW_SAME_WAY    ? " good"
          : s->claim == SW_OTHER_WAY ? " warn"
                                     : "",
          WORDS[s->claim]);
}

static const char WHAT[] =
    "A rate depends on sizes and recipes, the sign of a difference less so. An "
    "interval of one model is over test instances alone and says nothing of "
    "other models. What the paper itself calls none is among them; its "
    "intervals and p stand beside its numbers where it gives them.";

static void site_table(const statements *s, int all, FILE *out) {
  static const char *const heads[] = {"experiment", "difference",
                                      "paper",      "ours, 95 %",
                                      "models",     "ours points"};
  fprintf(out,
          "<details><summary>The %d differences</summary>\n<div "
          "class=\"scroll\"><table class=\"index\"><thead><tr>",
          all);
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
    fprintf(out, "<th scope=\"col\"%s>%s</th>",
            i == 1 || i == 5 ? " class=\"words\"" : "", heads[i]);
  fputs("</tr></thead>\n<tbody>\n", out);
  for (int i = 0; i < s->count; i++)
    if (!s->item[i].again) row(&s->item[i], out);
  fputs("</tbody></table></div></details>\n", out);
}

static void markdown_table(const statements *s, FILE *out) {
  fputs(
      "| experiment | difference | paper | ours, 95 % | models | ours points "
      "|\n|---|---|--:|--:|--:|---|\n",
      out);
  for (int i = 0; i < s->count; i++) {
    const stated *one = &s->item[i];
    if (one->again) continue;
    fprintf(out, "| [%s](%s.md) | %s | %s | ", one->entry->file,
            one->entry->file, sw_member_text(one->statistic, "title", "-"),
            sw_member_text(one->statistic, "paper", "-"));
    sw_kept_ours(one->range, out);
    fprintf(out, " | %lld | %s |\n", one->models, WORDS[one->claim]);
  }
  fputc('\n', out);
}

static void write_all(const statements *s, sw_kept_form form, FILE *out) {
  int of[SW_NO_RANGE + 1] = {0}, all = 0;
  for (int i = 0; i < s->count; i++)
    if (!s->item[i].again) of[s->item[i].claim]++, all++;
  if (!all) return;
  fputs(form == SW_KEPT_SITE ? "<h2>Differences that the paper states</h2>\n<p>"
                             : "## Differences that the paper states\n\n",
        out);
  fprintf(out,
          "Of %d differences in points, ours points the same way in %d (its 95 "
          "%% interval leaves zero out), the other way in %d, cannot be told "
          "from none in %d, and has no interval in %d. %s%s\n",
          all, of[SW_SAME_WAY], of[SW_OTHER_WAY], of[SW_NOT_APART],
          of[SW_NO_RANGE], WHAT, form == SW_KEPT_SITE ? "</p>" : "\n");
  if (form == SW_KEPT_SITE) site_table(s, all, out);
  else markdown_table(s, out);
}

int sw_kept_claims(const sw_kept_entry *entry, int count, json_t *const *kept,
                   sw_kept_form form, FILE *out, sw_err *err) {
  statements s = {0};
  const json_t *one;
  size_t at;
  int code = SW_OK;
  for (int i = 0; i < count; i++)
    json_array_foreach(json_object_get(kept[i], "statistics"), at, one) {
      if (!code && !entry[i].older && !add(&s, &entry[i], kept[i], one))
        code = sw_no_memory(err);
    }
  if (!code) {
    drop_repeated(&s);
    write_all(&s, form, out);
  }
  free(s.item);
  return code;
}
