/* The page's section about one search (see case.h). */
#include <math.h>
#include <string.h>
#include "domains/domain.h"
#include "report/page.h"

static const char *label_of(const sw_report_data *d, int model) {
  return model >= 0 ? d->model[model].loaded.label : "-";
}

static void bars(const sw_answer *a, int subject, FILE *out) {
  for (int i = 0; i < a->top; i++) {
    fprintf(out, "<div class=\"bar%s\"><span>", subject ? " subject" : "");
    sw_escape_html(out, a->best[i].text);
    fprintf(out,
            "</span><span><i style=\"width:%.1f%%\"></i></span>"
            "<span>%.1f %%</span></div>\n",
            100 * a->best[i].p, 100 * a->best[i].p);
  }
}

static void choice(const char *label, const sw_answer *a, int subject,
                   FILE *out) {
  fputs("<p class=\"choice\">", out);
  sw_escape_html(out, label);
  if (!a->asked) {
    fputs(" was not asked: the history does not fit its positions.</p>\n", out);
    return;
  }
  fputs(" chooses <b>", out);
  sw_escape_html(out, a->action);
  fputs("</b></p>\n", out);
  bars(a, subject, out);
}

static void moves(const sw_case_history *h, FILE *out) {
  if (!h->moves) {
    fputs("<p class=\"soft\">Nothing: this is where the search begins.</p>\n",
          out);
    return;
  }
  fputs("<ol>", out);
  for (int i = 0; i < h->moves; i++) {
    int back = !strcmp(h->move[i], "go back");
    if (h->left_out && i == 4)
      fprintf(out, "<li>%lld more</li>", (long long)h->left_out);
    fprintf(out, "<li%s>", back ? " class=\"back\"" : "");
    sw_escape_html(out, h->move[i]);
    fputs("</li>", out);
  }
  fputs("</ol>\n", out);
}

static void history(const sw_report_data *d, const sw_case *c, int which,
                    FILE *out) {
  const sw_case_history *h = &c->history[which];
  fprintf(out,
          "<div class=\"card\"><h3>History %s: %lld steps, %lld tokens</h3>\n",
          which ? "B" : "A", (long long)h->blocks, (long long)h->tokens);
  moves(h, out);
  choice(label_of(d, c->subject), &h->subject, 1, out);
  if (c->reference >= 0)
    choice(label_of(d, c->reference), &h->reference, 0, out);
  fputs("</div>\n", out);
}

static void cell(const sw_answer *a, int changed, FILE *out) {
  fputs(changed ? "<td class=\"changed\">" : "<td>", out);
  if (!a->asked) fputs("-", out);
  else {
    sw_escape_html(out, a->action);
    fprintf(out, " <span class=\"soft\">%.0f %%</span>", 100 * a->best[0].p);
  }
  fputs("</td>", out);
}

static void steps(const sw_report_data *d, const sw_case *c, FILE *out) {
  int64_t first = c->steps ? c->step[0].number : 1;
  fputs("<h3>The search that led there by history A, step by step</h3>\n", out);
  fputs(
      "<p class=\"soft\">Each row is one state of the search. The last row is "
      "the state above. "
      "Choices that change when the history is taken away are marked.",
      out);
  if (first > 1)
    fprintf(out, " The first %lld steps are left out.", (long long)first - 1);
  fputs(
      "</p>\n<div class=\"scroll\"><table "
      "class=\"text\"><thead><tr><th>step</th><th>state</th>"
      "<th>the search does</th>",
      out);
  if (c->reference >= 0) {
    fputs("<th>", out);
    sw_escape_html(out, label_of(d, c->reference));
    fputs(" would</th>", out);
  }
  fputs("<th>", out);
  sw_escape_html(out, label_of(d, c->subject));
  fputs(
      " would</th><th>the same without its "
      "history</th></tr></thead>\n<tbody>\n",
      out);
  for (int i = 0; i < c->steps; i++) {
    const sw_case_step *s = &c->step[i];
    int changed = s->subject.asked && s->rebuilt.asked &&
                  strcmp(s->subject.action, s->rebuilt.action);
    fprintf(out, "<tr><td>%lld</td><td class=\"state\"><code>",
            (long long)s->number);
    sw_escape_html(out, s->state);
    fprintf(out, "</code>%s</td><td>",
            s->conflict ? " <span class=\"warn\">conflict</span>" : "");
    sw_escape_html(out, s->done);
    fputs("</td>", out);
    if (c->reference >= 0) cell(&s->reference, 0, out);
    cell(&s->subject, 0, out);
    cell(&s->rebuilt, changed, out);
    fputs("</tr>\n", out);
  }
  fputs("</tbody></table></div>\n", out);
}

static void the_state(const sw_case *c, FILE *out) {
  fprintf(out, "<p>The state, at depth %d%s:</p>\n", c->depth,
          c->conflict ? ", a conflict" : "");
  if (c->words) {
    fputs("<p>", out);
    sw_escape_html(out, c->words);
    fputs("</p>\n", out);
  }
  fputs("<div class=\"tokens\">", out);
  sw_escape_html(out, c->state);
  fputs(
      "</div>\n<details><summary>The whole problem, as the model reads "
      "it</summary>"
      "<div class=\"tokens\">",
      out);
  sw_escape_html(out, c->problem);
  fputs("</div></details>\n", out);
}

static void verdict(const sw_report_data *d, const sw_case *c, FILE *out) {
  fputs("<p><b class=\"warn\">", out);
  sw_escape_html(out, label_of(d, c->subject));
  fputs("</b> changes its choice from <b>", out);
  sw_escape_html(out, c->history[0].subject.action);
  fputs("</b> to <b>", out);
  sw_escape_html(out, c->history[1].subject.action);
  fputs("</b>, though the state and the problem are the same token for token.",
        out);
  if (c->reference >= 0 && c->history[0].reference.asked) {
    fputs(" <b class=\"good\">", out);
    sw_escape_html(out, label_of(d, c->reference));
    fputs(c->reference_identical
              ? "</b> answers the same: all its logits are bit-identical."
              : "</b> gives logits that are not bit-identical either.",
          out);
  }
  fprintf(out, " Of %lld states asked, the choice of ", (long long)c->states);
  sw_escape_html(out, label_of(d, c->subject));
  fprintf(out, " changed with the history at %lld.</p>\n",
          (long long)c->changed);
}

void sw_page_case(const sw_report_data *d, const sw_case *c, FILE *out) {
  fputs("<section><h2 id=\"search\">One search, and one state met twice</h2>\n",
        out);
  if (c->subject < 0) {
    fputs(
        "<p>There is no model here that can see its history, so there is "
        "nothing to swap.</p></section>\n",
        out);
    return;
  }
  if (!c->found) {
    fprintf(
        out,
        "<p>%s%lld states were met after several different histories, and the "
        "choice of ",
        c->states ? "" : "No state could be compared: ", (long long)c->states);
    sw_escape_html(out, label_of(d, c->subject));
    fputs(
        " was the same every time. There is no state to show where only the "
        "history changes its "
        "mind.</p></section>\n",
        out);
    return;
  }
  fputs(
      "<p>The same state of the same problem, reached in two ways. Nothing "
      "differs but what came "
      "before.</p>\n",
      out);
  the_state(c, out);
  fputs("<div class=\"pair\">\n", out);
  history(d, c, 0, out);
  history(d, c, 1, out);
  fputs("</div>\n", out);
  verdict(d, c, out);
  steps(d, c, out);
  fputs("</section>\n", out);
}
