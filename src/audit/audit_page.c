/* The audit's page: the sentence, the table, the saving, and how it was done.
 * One file, no script, in the style of the report. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "audit/audit.h"
#include "base/file.h"
#include "base/version.h"
#include "report/page.h"
#include "report/table.h"

static void percent(FILE *out, double share) {
  if (isnan(share)) fputs("<td>-</td>", out);
  else fprintf(out, "<td>%.1f %%</td>", 100 * share);
}

static void rate(FILE *out, int64_t part, int64_t whole) {
  if (!whole) fputs("<td>-</td>", out);
  else
    fprintf(out, "<td>%.1f %% of %lld</td>", 100 * (double)part / (double)whole,
            (long long)whole);
}

static void head(const sw_audit *a, FILE *out) {
  const sw_audit_player *p = &a->player[SW_AUDIT_REMOTE];
  char text[800];
  fprintf(out,
          "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale="
          "1\">\n<title>Audit of ");
  sw_escape_html(out, a->model);
  fprintf(out,
          "</title>\n<style>\n%s</style></head>\n<body>\n<header>"
          "<p class=\"soft\">Statewise %s, audit</p>\n<h1>Does ",
          sw_page_style, SW_VERSION);
  sw_escape_html(out, a->model);
  fputs(" decide by the state, or by the story?</h1>\n<p class=\"soft\">", out);
  sw_escape_html(out, a->address);
  fprintf(out, ", domain %s, size %d, %lld problems, seed %llu</p></header>\n",
          a->domain->name, a->task.n, (long long)a->instances,
          (unsigned long long)a->seed);
  sw_audit_words(p, text, sizeof text);
  fputs("<p><strong>", out);
  sw_escape_html(out, text);
  fputs("</strong></p>\n", out);
}

static void saving(const sw_audit *a, FILE *out) {
  char text[800];
  sw_audit_saving(a, text, sizeof text);
  fputs(
      "<section><h2 id=\"saving\">What clearing the context would save you"
      "</h2>\n<p>",
      out);
  sw_escape_html(out, text);
  fputs("</p>\n</section>\n", out);
}

static void players(const sw_audit *a, FILE *out) {
  fputs(
      "<section><h2 id=\"players\">Beside three players whose place is known"
      "</h2>\n<div class=\"wide\"><table><thead><tr><th>player</th>"
      "<th>solved with its history</th><th>solved without</th>"
      "<th>same state, other history: same choice</th>"
      "<th>history taken away: same choice</th>"
      "<th>foreign blocks before it: same choice</th></tr></thead><tbody>\n",
      out);
  for (int i = 0; i < SW_AUDIT_COUNT; i++) {
    const sw_audit_player *p = &a->player[i];
    static const char *const roles[] = {
#define X(id, name, text) text,
        SW_AUDIT_PLAYERS(X)
#undef X
    };
    if (!p->played) continue;
    fputs("<tr><th scope=\"row\">", out);
    sw_escape_html(out, p->name);
    if (strcmp(p->name, roles[i]))
      fprintf(out, "<br><span class=\"soft\">%s</span>", roles[i]);
    fputs("</th>", out);
    percent(out, p->way[SW_CUMULATIVE].row.summary.solve_rate);
    percent(out, p->way[SW_REBUILT].row.summary.solve_rate);
    percent(out, p->probes.same_choice);
    percent(out, p->probes.cleared_same);
    percent(out, p->probes.padded_same);
    fputs("</tr>\n", out);
  }
  fputs(
      "</tbody></table></div>\n<p class=\"soft\">The exact rule reads the "
      "shown state and nothing else; the random player takes any choice; our "
      "SSA model cannot see its history by construction.</p></section>\n",
      out);
}

static void verdicts(const sw_audit *a, FILE *out) {
  fputs(
      "<section><h2 id=\"verdicts\">Go back, or go on?</h2>\n<p>States with a "
      "known answer: at a contradiction going back is right, elsewhere it "
      "throws a possible solution away.</p>\n<div class=\"wide\"><table><thead>"
      "<tr><th>player</th><th>overlooked contradictions, with history</th>"
      "<th>without</th><th>went back for nothing, with history</th>"
      "<th>without</th></tr></thead><tbody>\n",
      out);
  for (int i = 0; i < SW_AUDIT_COUNT; i++) {
    const sw_audit_player *p = &a->player[i];
    if (!p->played) continue;
    fputs("<tr><th scope=\"row\">", out);
    sw_escape_html(out, p->name);
    fputs("</th>", out);
    rate(out, p->probes.with.missed, p->probes.with.conflicts);
    rate(out, p->probes.without.missed, p->probes.without.conflicts);
    rate(out, p->probes.with.false_backs, p->probes.with.viable);
    rate(out, p->probes.without.false_backs, p->probes.without.viable);
    fputs("</tr>\n", out);
  }
  fputs("</tbody></table></div></section>\n", out);
}

static void spent(const sw_audit *a, FILE *out) {
  const sw_audit_player *p = &a->player[SW_AUDIT_REMOTE];
  fprintf(out,
          "<section><h2 id=\"spent\">What it took</h2>\n<p>%lld answers and "
          "%lld tokens of questions: %lld answers and %lld tokens for the "
          "searches with history, %lld answers and %lld tokens for those "
          "without, the rest for the probes. %lld answers named no choice at "
          "first; of these %lld named none after being reminded, and each "
          "ended its search.</p></section>\n",
          (long long)a->spent.answers, (long long)a->spent.prompt_tokens,
          (long long)p->way[0].answers, (long long)p->way[0].prompt_tokens,
          (long long)p->way[1].answers, (long long)p->way[1].prompt_tokens,
          (long long)a->spent.reminders, (long long)a->spent.unreadable);
}

static void method(const sw_audit *a, FILE *out) {
  fputs(
      "<section><h2 id=\"how\">How it was asked</h2>\n<p>The model guides a "
      "backtracking search. At every state it is told, in words, the problem, "
      "the state and the choices, and answers with a number. <em>With its "
      "history</em> it keeps the whole conversation; <em>without</em> each "
      "question stands alone. The right decision depends on the state only, "
      "so whatever changes with the history is a fault. Same state, other "
      "history: searches that reach one state by different ways are cut off "
      "there, and the same question is asked at the end of each.</p>\n",
      out);
  if (a->example) {
    fputs("<details><summary>A question, as it is sent</summary><pre>", out);
    sw_escape_html(out, a->example);
    fputs("</pre></details>\n", out);
  }
  fputs("</section>\n</body></html>\n", out);
}

int sw_audit_page(const sw_audit *a, const char *path, sw_err *err) {
  sw_out_file file;
  SW_TRY(sw_out_open(&file, path, err));
  head(a, file.stream);
  saving(a, file.stream);
  players(a, file.stream);
  verdicts(a, file.stream);
  spent(a, file.stream);
  method(a, file.stream);
  return sw_out_commit(&file, err);
}
