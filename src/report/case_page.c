/* The page's section about one state that two histories reached, from case.json
 * (written by the measure `case`, src/probe/case.h). */
#include <math.h>
#include <string.h>
#include "report/page.h"
#include "report/read_json.h"

static void bars(const json_t *answer, int subject, FILE *out) {
  const json_t *best;
  size_t at;
  json_array_foreach(json_object_get(answer, "best"), at, best) {
    double p = 100 * sw_member_real(best, "p", 0);
    p = p > 100 ? 100 : p > 0 ? p : 0;
    fprintf(out, "<div class=\"bar%s\"><span>", subject ? " subject" : "");
    sw_escape_html(out, sw_member_text(best, "text", "-"));
    fprintf(out,
            "</span><span><i style=\"width:%.1f%%\"></i></span>"
            "<span>%.1f %%</span></div>\n",
            p, p);
  }
}

static void choice(const char *label, const json_t *answer, int subject,
                   FILE *out) {
  fputs("<p class=\"choice\">", out);
  sw_escape_html(out, label);
  if (!json_is_object(answer)) {
    fputs(" was not asked: the history does not fit its positions.</p>\n", out);
    return;
  }
  fputs(" chooses <b>", out);
  sw_escape_html(out, sw_member_text(answer, "action", "-"));
  fputs("</b></p>\n", out);
  bars(answer, subject, out);
}

static void moves(const json_t *history, FILE *out) {
  const json_t *list = json_object_get(history, "moves"), *move;
  long long left_out = sw_member_int(history, "left_out", 0);
  size_t at;
  if (!json_array_size(list)) {
    fputs("<p class=\"soft\">Nothing: this is where the search begins.</p>\n",
          out);
    return;
  }
  fputs("<ol>", out);
  json_array_foreach(list, at, move) {
    const char *text = json_is_string(move) ? json_string_value(move) : "-";
    if (left_out > 0 && at == 4) fprintf(out, "<li>%lld more</li>", left_out);
    fprintf(out, "<li%s>", strcmp(text, "go back") ? "" : " class=\"back\"");
    sw_escape_html(out, text);
    fputs("</li>", out);
  }
  fputs("</ol>\n", out);
}

static void history(const json_t *c, int which, FILE *out) {
  const json_t *h =
      json_array_get(json_object_get(c, "histories"), (size_t)which);
  const char *reference = sw_member_text(c, "reference", NULL);
  fprintf(out,
          "<div class=\"card\"><h3>History %s: %lld steps, %lld tokens</h3>\n",
          which ? "B" : "A", (long long)sw_member_int(h, "blocks", 0),
          (long long)sw_member_int(h, "tokens", 0));
  moves(h, out);
  choice(sw_member_text(c, "subject", "-"), json_object_get(h, "subject"), 1,
         out);
  if (reference) choice(reference, json_object_get(h, "reference"), 0, out);
  fputs("</div>\n", out);
}

static void cell(const json_t *answer, int changed, FILE *out) {
  fputs(changed ? "<td class=\"changed\">" : "<td>", out);
  if (!json_is_object(answer)) fputs("-", out);
  else {
    sw_escape_html(out, sw_member_text(answer, "action", "-"));
    fprintf(out, " <span class=\"soft\">%.0f %%</span>",
            100 * sw_member_real(answer, "best.0.p", 0));
  }
  fputs("</td>", out);
}

static void step(const json_t *s, int with_reference, FILE *out) {
  const json_t *subject = json_object_get(s, "subject");
  const json_t *without = json_object_get(s, "without_history");
  int changed = json_is_object(subject) && json_is_object(without) &&
                strcmp(sw_member_text(subject, "action", ""),
                       sw_member_text(without, "action", ""));
  fprintf(out, "<tr><td>%lld</td><td class=\"state\"><code>",
          (long long)sw_member_int(s, "number", 0));
  sw_escape_html(out, sw_member_text(s, "state", ""));
  fprintf(out, "</code>%s</td><td>",
          sw_member_true(s, "conflict")
              ? " <span class=\"warn\">conflict</span>"
              : "");
  sw_escape_html(out, sw_member_text(s, "done", ""));
  fputs("</td>", out);
  if (with_reference) cell(json_object_get(s, "reference"), 0, out);
  cell(subject, 0, out);
  cell(without, changed, out);
  fputs("</tr>\n", out);
}

static void steps(const json_t *c, FILE *out) {
  const json_t *list = json_object_get(c, "steps"), *s;
  const char *reference = sw_member_text(c, "reference", NULL);
  long long first = sw_member_int(list, "0.number", 1);
  size_t at;
  fputs("<h3>The search that led there by history A, step by step</h3>\n", out);
  fputs(
      "<p class=\"soft\">Each row is one state of the search. The last row is "
      "the state above. "
      "Choices that change when the history is taken away are marked.",
      out);
  if (first > 1) fprintf(out, " The first %lld steps are left out.", first - 1);
  fputs(
      "</p>\n<div class=\"scroll\"><table "
      "class=\"text\"><thead><tr><th>step</th><th>state</th>"
      "<th>the search does</th>",
      out);
  if (reference) {
    fputs("<th>", out);
    sw_escape_html(out, reference);
    fputs(" would</th>", out);
  }
  fputs("<th>", out);
  sw_escape_html(out, sw_member_text(c, "subject", "-"));
  fputs(
      " would</th><th>the same without its "
      "history</th></tr></thead>\n<tbody>\n",
      out);
  json_array_foreach(list, at, s) step(s, reference != NULL, out);
  fputs("</tbody></table></div>\n", out);
}

static void the_state(const json_t *c, FILE *out) {
  const char *words = sw_member_text(c, "words", NULL);
  fprintf(out, "<p>The state, at depth %lld%s:</p>\n",
          (long long)sw_member_int(c, "depth", 0),
          sw_member_true(c, "conflict") ? ", a conflict" : "");
  if (words) {
    fputs("<p>", out);
    sw_escape_html(out, words);
    fputs("</p>\n", out);
  }
  fputs("<div class=\"tokens\">", out);
  sw_escape_html(out, sw_member_text(c, "state", ""));
  fputs(
      "</div>\n<details><summary>The whole problem, as the model reads "
      "it</summary>"
      "<div class=\"tokens\">",
      out);
  sw_escape_html(out, sw_member_text(c, "problem", ""));
  fputs("</div></details>\n", out);
}

static void verdict(const json_t *c, FILE *out) {
  const char *reference = sw_member_text(c, "reference", NULL);
  const char *subject = sw_member_text(c, "subject", "-");
  fputs("<p><b class=\"warn\">", out);
  sw_escape_html(out, subject);
  fputs("</b> changes its choice from <b>", out);
  sw_escape_html(out, sw_member_text(c, "histories.0.subject.action", "-"));
  fputs("</b> to <b>", out);
  sw_escape_html(out, sw_member_text(c, "histories.1.subject.action", "-"));
  fputs("</b>, though the state and the problem are the same token for token.",
        out);
  if (reference && json_is_object(sw_member(c, "histories.0.reference"))) {
    fputs(" <b class=\"good\">", out);
    sw_escape_html(out, reference);
    fputs(sw_member_true(c, "reference_identical")
              ? "</b> answers the same: all its logits are bit-identical."
              : "</b> gives logits that are not bit-identical either.",
          out);
  }
  fprintf(out, " Of %lld states asked, the choice of ",
          (long long)sw_member_int(c, "states", 0));
  sw_escape_html(out, subject);
  fprintf(out, " changed with the history at %lld.</p>\n",
          (long long)sw_member_int(c, "changed", 0));
}

static void nothing_found(const json_t *c, FILE *out) {
  const char *subject = sw_member_text(c, "subject", NULL);
  long long states = sw_member_int(c, "states", 0);
  if (!subject) {
    fputs(
        "<p>There is no model here that can see its history, so there is "
        "nothing to swap.</p></section>\n",
        out);
    return;
  }
  fprintf(
      out,
      "<p>%s%lld states were met after several different histories, and the "
      "choice of ",
      states ? "" : "No state could be compared: ", states);
  sw_escape_html(out, subject);
  fputs(
      " was the same every time. There is no state to show where only the "
      "history changes its mind.</p></section>\n",
      out);
}

void sw_page_case(const sw_report_data *d, FILE *out) {
  int at = sw_report_next_document(d, "case", -1);
  if (at < 0) return;
  const json_t *c = d->document[at].root;
  fputs("<section><h2 id=\"search\">One search, and one state met twice</h2>\n",
        out);
  if (!sw_member_true(c, "found")) {
    nothing_found(c, out);
    return;
  }
  fputs(
      "<p>The same state of the same problem, reached in two ways. Nothing "
      "differs but what came "
      "before.</p>\n",
      out);
  the_state(c, out);
  fputs("<div class=\"pair\">\n", out);
  history(c, 0, out);
  history(c, 1, out);
  fputs("</div>\n", out);
  verdict(c, out);
  steps(c, out);
  fputs("</section>\n", out);
}
