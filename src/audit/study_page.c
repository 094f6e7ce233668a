/* The page of a study: the sentence that says it, the dose curve or the
 * conditions, who stands beside the model, the cases that move most with the
 * difference marked, and how it was asked. One file, no script. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "audit/study_inside.h"
#include "base/file.h"
#include "base/version.h"
#include "report/page.h"
#include "report/table.h"

static const char more_style[] =
    "pre.turn{white-space:pre-wrap;overflow-wrap:anywhere;margin:.2em 0;"
    "font-size:.82rem}"
    ".turn b{color:var(--soft);font-weight:600}"
    ".other{border-left:3px solid var(--series-2);padding-left:8px}"
    ".alike{color:var(--soft)}p.say{font-size:1.15rem;font-weight:600}"
    "tbody th,thead th{white-space:normal}svg.curve{max-width:640px}"
    "figure:has(svg.curve){max-width:680px}h1,p.say{overflow-wrap:anywhere}"
    "td .soft{display:inline-block}"
    "@media(max-width:700px){td .soft{display:block}"
    "table{font-size:.8rem}th,td{padding-left:4px;padding-right:4px}}\n";

static void percent(FILE *out, const sw_interval *i) {
  if (isnan(i->point)) fputs("<td>-</td>", out);
  else
    fprintf(out, "<td>%.1f %% <span class=\"soft\">[%.1f, %.1f]</span></td>",
            100 * i->point, 100 * i->low, 100 * i->high);
}

static void points(FILE *out, const sw_interval *i) {
  if (isnan(i->point)) fputs("<td>-</td>", out);
  else
    fprintf(out, "<td>%+.1f <span class=\"soft\">[%+.1f, %+.1f]</span></td>",
            100 * i->point, 100 * i->low, 100 * i->high);
}

static void head(const sw_study *s, FILE *out) {
  char text[1200];
  fputs(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1"
      "\">\n<title>Audit of ",
      out);
  sw_escape_html(out, s->model);
  fprintf(out, "</title>\n<style>\n%s%s</style></head>\n<body>\n<header>",
          sw_page_style, more_style);
  fprintf(out, "<p class=\"soft\">Statewise %s, audit</p>\n<h1>Does ",
          SW_VERSION);
  sw_escape_html(out, s->model);
  fputs(" decide by the situation, or by the story?</h1>\n<p class=\"say\">",
        out);
  sw_study_headline(s, text, sizeof text);
  sw_escape_html(out, text);
  fputs("</p>\n", out);
  for (int i = 0; i < 4 && !s->dosed; i++) {
    if (!s->verdict.more[i][0]) continue;
    fputs("<p>", out);
    sw_escape_html(out, s->verdict.more[i]);
    fputs("</p>\n", out);
  }
  fputs("<p class=\"soft\">", out);
  sw_escape_html(out, s->address);
  fputs(", ", out);
  sw_escape_html(out, s->source);
  fprintf(out, ", %lld cases, seed %llu</p></header>\n",
          (long long)s->cases.count, (unsigned long long)s->seed);
}

/* ---- conditions ---- */

static void row_head(const sw_study *s, int i, FILE *out) {
  fputs("<tr><th scope=\"row\">", out);
  sw_escape_html(out, s->arm[i].name);
  fputs("</th>", out);
}

static void table_head(const char *columns, FILE *out) {
  fprintf(out,
          "<div class=\"scroll\"><table><thead><tr><th>condition</th>%s</tr>"
          "</thead><tbody>\n",
          columns);
}

static void changes_table(const sw_study *s, FILE *out) {
  table_head(s->measured.graded
                 ? "<th>decisions that change</th><th>beyond a repeat, points"
                   "</th><th>shift, points</th>"
                 : "<th>decisions that change</th><th>beyond a repeat, points"
                   "</th>",
             out);
  for (int i = 1; i < s->arms; i++) {
    const sw_contrast *k = sw_contrast_find(&s->measured, 0, i);
    if (!k) continue;
    row_head(s, i, out);
    percent(out, &k->flips_raw);
    points(out, &k->flips);
    if (s->measured.graded) points(out, &k->shift);
    fputs("</tr>\n", out);
  }
  fputs("</tbody></table></div>\n", out);
}

static void right_table(const sw_study *s, FILE *out) {
  if (!s->verdict.gate.known) return;
  table_head("<th>right</th><th>against own, points</th>", out);
  for (int i = 0; i < s->arms; i++) {
    const sw_contrast *k = i ? sw_contrast_find(&s->measured, 0, i) : NULL;
    row_head(s, i, out);
    percent(out, &s->measured.arm[i].right);
    if (k) points(out, &k->gain);
    else fputs("<td>-</td>", out);
    fputs("</tr>\n", out);
  }
  fputs("</tbody></table></div>\n", out);
}

static void cost_table(const sw_study *s, FILE *out) {
  const sw_arm_result *own = &s->measured.arm[0];
  int priced = own->price > 0;
  table_head(priced ? "<th>tokens a question</th><th>of own</th><th>in the "
                      "cache</th><th>price of 1,000</th><th>not read</th>"
                    : "<th>tokens a question</th><th>of own</th><th>in the "
                      "cache</th><th>not read</th>",
             out);
  for (int i = 0; i < s->arms; i++) {
    const sw_arm_result *r = &s->measured.arm[i];
    double base = own->prompt_tokens;
    row_head(s, i, out);
    fprintf(out, "<td>%.0f</td><td>%.0f %%</td><td>%.0f %%</td>",
            r->prompt_tokens, base > 0 ? 100 * r->prompt_tokens / base : 0,
            100 * r->cacheable);
    if (priced) fprintf(out, "<td>%.4g</td>", 1000 * r->price);
    fprintf(out, "<td>%lld</td></tr>\n",
            (long long)(r->unreadable + r->overflow));
  }
  fputs("</tbody></table></div>\n", out);
}

static void conditions(const sw_study *s, FILE *out) {
  fputs(
      "<section><h2 id=\"conditions\">What stands before the situation</h2>\n",
      out);
  if (s->verdict.found <= SW_FOUND_CANNOT)
    fputs("<p>No verdict follows from these figures (see above).</p>\n", out);
  changes_table(s, out);
  fputs(
      "<p class=\"soft\">Every condition is compared with the case's own "
      "history, question by question, in each order of the choices. A repeat "
      "asks the same once more. Shift: total variation of the answers' "
      "probabilities, beyond a repeat. Intervals are 95 %, exact and "
      "clustered.</p>\n",
      out);
  right_table(s, out);
  cost_table(s, out);
  fputs(
      "<p class=\"soft\">In the cache: the share of a question that a prefix "
      "cache still has from the turn before. Not read: answers that name no "
      "choice, and questions that did not fit.</p></section>\n",
      out);
}

/* ---- who stands beside the model ---- */

static void gate(const sw_study *s, FILE *out) {
  const sw_gate *g = &s->verdict.gate;
  fputs("<section><h2 id=\"gate\">Can it do the task?</h2>\n", out);
  if (!g->known) {
    fputs(
        "<p>No right answers are known, so that cannot be said. What is known"
        ": ",
        out);
    fprintf(out, "%.1f %% of all answers are ", 100 * g->same);
    sw_escape_html(out, g->same_is);
    fprintf(out, ", and %.1f %% could not be read.</p></section>\n",
            100 * g->unreadable);
    return;
  }
  fputs(
      "<div class=\"scroll\"><table><thead><tr><th>player</th><th>right</th>"
      "<th>the model is above it by, points</th></tr></thead><tbody>\n<tr>"
      "<th scope=\"row\">the model</th>",
      out);
  percent(out, &g->right);
  fputs("<td>-</td></tr>\n<tr><th scope=\"row\">always ", out);
  sw_escape_html(out, g->constant_is);
  fprintf(out, "</th><td>%.1f %%</td>", 100 * g->constant);
  points(out, &g->over_constant);
  fprintf(out, "</tr>\n<tr><th scope=\"row\">guessing</th><td>%.1f %%</td>",
          100 * g->guess);
  points(out, &g->over_guess);
  fputs("</tr>\n</tbody></table></div>\n<p class=\"soft\">", out);
  if (!isnan(g->auroc.point)) {
    fputs("It tells where ", out);
    sw_escape_html(out, g->auroc_is);
    fprintf(out, " is right with an AUROC of %.3f [%.3f, %.3f]. ",
            g->auroc.point, g->auroc.low, g->auroc.high);
  }
  fputs("Without beating both, nothing is said of its history.</p></section>\n",
        out);
}

/* ---- what was not cut ---- */

static void log_counts(const sw_study *s, FILE *out) {
  char text[1200];
  if (!s->log.files) return;
  sw_log_say(&s->log, text, sizeof text);
  fputs("<section><h2 id=\"log\">What was taken from the log</h2>\n<p>", out);
  sw_escape_html(out, text);
  fputs("</p></section>\n", out);
}

/* The marks of the situations, and who made them. */
static void sufficiency(const sw_study *s, FILE *out) {
  const sw_sufficiency *u = &s->sufficiency;
  if (!u->judge[0] && !u->enough && !u->lacking) return;
  fputs(
      "<section><h2 id=\"sufficient\">Do the situations say enough?</h2>\n<p>",
      out);
  if (u->judge[0]) {
    fputs("A judge, ", out);
    sw_escape_html(out, u->judge);
    fputs(
        ", was shown each situation without its history, in both orders of "
        "its answers. ",
        out);
  }
  fprintf(out,
          "%lld of %lld hold all that the answer depends on, %lld lack "
          "something, %lld are open%s. <code>sufficient.jsonl</code> holds the "
          "marks; correct them and give the file to "
          "<code>--sufficient</code>.</p></section>\n",
          (long long)u->enough, (long long)s->cases.count,
          (long long)u->lacking, (long long)u->open,
          u->judge[0]
              ? " (the judge's two answers differ, or could not be read)"
              : "");
}

static void method(const sw_study *s, FILE *out) {
  sw_study_cost all = sw_study_cost_of(s, -1);
  fprintf(out,
          "<section><h2 id=\"how\">How it was asked</h2>\n<p>%lld questions, "
          "%.0f tokens of questions and %.0f of answers. How answers "
          "are given: %s. Log-probabilities: %s.%s</p></section>\n"
          "</body></html>\n",
          (long long)all.requests, all.prompt_tokens, all.answer_tokens,
          sw_form_texts[s->manner.form],
          s->measured.graded ? "read" : "not given",
          s->manner.no_tools ? " The endpoint refuses the definitions of the "
                               "tools, so they were left out."
                             : "");
}

int sw_study_page(const sw_study *s, const char *path, sw_err *err) {
  sw_out_file file;
  SW_TRY(sw_out_open(&file, path, err));
  head(s, file.stream);
  if (s->dosed) {
    sw_study_curve(s, file.stream);
  } else {
    conditions(s, file.stream);
    gate(s, file.stream);
    sufficiency(s, file.stream);
  }
  int code = sw_study_movers(s, file.stream, err);
  if (code) {
    sw_out_abort(&file);
    return code;
  }
  log_counts(s, file.stream);
  method(s, file.stream);
  return sw_out_commit(&file, err);
}
