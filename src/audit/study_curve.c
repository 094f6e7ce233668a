/* The dose curve as a picture (see study_page.c): the probability of the action
 * over the number of its past uses, with intervals, and the flat line of an
 * agent that decides by the situation. */
#include <math.h>
#include <stdio.h>
#include "audit/study_inside.h"
#include "report/table.h"

enum { WIDE = 460, HIGH = 260, LEFT = 50, RIGHT = 14, TOP = 12, BOTTOM = 46 };

static double at_x(const sw_dose *d, double count) {
  double low = d->point[0].count, high = d->point[d->points - 1].count;
  return LEFT + (WIDE - LEFT - RIGHT) * (count - low) / (high - low);
}

static double at_y(double p) { return TOP + (HIGH - TOP - BOTTOM) * (1 - p); }

static void axes(const sw_dose *d, FILE *out) {
  for (int i = 0; i <= 4; i++) {
    double y = at_y(i / 4.0);
    fprintf(out,
            "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" "
            "stroke=\"var(--rule)\"/><text x=\"%d\" y=\"%.1f\" "
            "text-anchor=\"end\">%d %%</text>\n",
            LEFT, WIDE - RIGHT, y, y, LEFT - 8, y + 4, 25 * i);
  }
  for (int i = 0; i < d->points; i++)
    fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n",
            at_x(d, d->point[i].count), HIGH - BOTTOM + 20, d->point[i].count);
}

static double mean_p(const sw_dose *d) {
  double sum = 0;
  for (int i = 0; i < d->points; i++) sum += d->point[i].p.point;
  return sum / d->points;
}

static void line(const sw_dose *d, FILE *out) {
  double flat = at_y(mean_p(d));
  fprintf(out,
          "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" "
          "stroke=\"var(--series-4)\" stroke-dasharray=\"6 5\" "
          "stroke-width=\"2\"/>\n<polyline fill=\"none\" "
          "stroke=\"var(--series-1)\" stroke-width=\"2.5\" points=\"",
          LEFT, WIDE - RIGHT, flat, flat);
  for (int i = 0; i < d->points; i++)
    fprintf(out, "%.1f,%.1f ", at_x(d, d->point[i].count),
            at_y(d->point[i].p.point));
  fputs("\"/>\n", out);
  for (int i = 0; i < d->points; i++) {
    const sw_dose_point *p = &d->point[i];
    double x = at_x(d, p->count);
    fprintf(out,
            "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" "
            "stroke=\"var(--series-1)\" stroke-width=\"1.5\"/><circle "
            "cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\" fill=\"var(--series-1)\"/>\n",
            x, x, at_y(p->p.low), at_y(p->p.high), x, at_y(p->p.point));
  }
}

static void number(FILE *out, double x) {
  if (isnan(x)) fputs("<td>-</td>", out);
  else fprintf(out, "<td>%.2f</td>", x);
}

static void table(const sw_dose *d, FILE *out) {
  fputs(
      "<div class=\"scroll\"><table><thead><tr><th>past uses</th><th>P</th>"
      "<th>chosen</th><th>log-odds</th><th>P if right</th><th>P if "
      "wrong</th></tr></thead><tbody>\n",
      out);
  for (int i = 0; i < d->points; i++) {
    const sw_dose_point *p = &d->point[i];
    fprintf(out,
            "<tr><th scope=\"row\">%g</th><td>%.2f <span class=\"soft\">[%.2f, "
            "%.2f]</span></td><td>%.0f %%</td>",
            p->count, p->p.point, p->p.low, p->p.high, 100 * p->chosen.point);
    number(out, p->log_odds);
    number(out, p->p_right);
    number(out, p->p_wrong);
    fputs("</tr>\n", out);
  }
  fputs("</tbody></table></div>\n", out);
}

static void slope(const char *what, const sw_interval *i, FILE *out) {
  if (isnan(i->point) || !isfinite(i->low)) return;
  fprintf(out, "<li>%s: %+.2f nats a past use [%+.2f, %+.2f]</li>\n", what,
          i->point, i->low, i->high);
}

void sw_study_curve(const sw_study *s, FILE *out) {
  const sw_dose *d = &s->dose;
  fputs("<section><h2 id=\"dose\">The same situation, more and more past `",
        out);
  sw_escape_html(out, d->action);
  fprintf(
      out,
      "`</h2>\n<figure><svg class=\"curve\" viewBox=\"0 0 %d %d\" role=\"img\" "
      "aria-label=\"Probability of the action over its past uses\" "
      "font-size=\"13\" fill=\"var(--ink)\" "
      "font-family=\"system-ui,sans-serif\">\n",
      WIDE, HIGH);
  axes(d, out);
  line(d, out);
  fprintf(out,
          "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">past turns that "
          "ended in it</text></svg>\n<figcaption>Probability of the action in "
          "%lld situations of %lld groups, with 95 %% intervals. Dashed: an "
          "agent that decides by the situation, such as the exact rule or an "
          "SSA model, is flat.</figcaption></figure>\n<ul class=\"words\">\n",
          (LEFT + WIDE - RIGHT) / 2, HIGH - 6, (long long)d->situations,
          (long long)d->groups);
  slope("all situations", &d->nats, out);
  slope("where the action is right", &d->nats_right, out);
  slope("where it is wrong", &d->nats_wrong, out);
  fputs("</ul>\n", out);
  table(d, out);
  if (d->floored)
    fprintf(out,
            "<p class=\"soft\">In %lld answers a choice was not among the "
            "likeliest tokens; its probability is taken as that of the last "
            "one listed, which makes the slope smaller than it is.</p>\n",
            (long long)d->floored);
  fputs("</section>\n", out);
}
