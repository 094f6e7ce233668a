/* The figures (see figures.h). Numbers go into named data blocks of the script;
 * names go through `quoted`, because labels come from files. */
#include "report/figures.h"
#include <math.h>
#include <string.h>
#include "report/plot.h"
#include "report/read_json.h"

void sw_figure_quoted(FILE *out, const char *text, sw_quote as) {
  fputc('"', out);
  for (; *text; text++) {
    int plain = (*text >= 'a' && *text <= 'z') ||
                (*text >= 'A' && *text <= 'Z') ||
                (*text >= '0' && *text <= '9') || strchr(" ().,+-/:=%'", *text);
    if (as == SW_QUOTE_WRAPPED && *text == ' ' && text[1] == '(')
      fputs("\\n", out);
    else if (as != SW_QUOTE_LABEL && *text == '%') fputs("%%", out);
    else fputc(plain ? *text : '?', out);
  }
  fputc('"', out);
}

void sw_figure_frame(FILE *out) {
  fputs(
      "set border 3 lc rgb '" SW_PLOT_INK
      "'\n"
      "set tics nomirror out scale 0.5 textcolor rgb '" SW_PLOT_INK
      "'\n"
      "set grid ytics lt 1 lw 0.5 lc rgb '" SW_PLOT_RULE
      "'\n"
      "set key above left Left reverse samplen 1.5 textcolor rgb '" SW_PLOT_INK
      "'\n"
      "set xlabel textcolor rgb '" SW_PLOT_INK
      "'\n"
      "set ylabel textcolor rgb '" SW_PLOT_INK "'\n",
      out);
}

/* The colour of a model among all that the report is about. */
static int color_of(const sw_report_data *d, const char *model) {
  enum { LABELS = 256 };
  const char *label[LABELS] = {NULL};
  int color[LABELS], count = 0;
  for (int i = 0; i < d->models + d->summary.rows + d->answers; i++) {
    const char *own = i < d->models ? d->model[i].label
                      : i < d->models + d->summary.rows
                          ? d->summary.row[i - d->models].model
                          : d->answer[i - d->models - d->summary.rows].label;
    int seen = count == LABELS;
    for (int k = 0; k < count && !seen; k++) seen = !strcmp(label[k], own);
    if (!seen) label[count++] = own;
  }
  sw_plot_colors(label, count, color);
  for (int i = 0; i < count; i++)
    if (!strcmp(label[i], model)) return color[i];
  return 0;
}

/* ---- solve rate by protocol ---- */

static void solve_rows(const sw_report_data *d, FILE *out) {
  fputs("$solve << EOD\n", out);
  for (int i = 0; i < d->summary.rows; i++) {
    const sw_summary *with = &d->summary.row[i].with;
    const sw_summary *without = &d->summary.row[i].without;
    fprintf(out, "%d %.4f %.4f %.4f %.4f %.4f %.4f %d\n", i,
            100 * with->solve_rate, 100 * with->ci_low, 100 * with->ci_high,
            100 * without->solve_rate, 100 * without->ci_low,
            100 * without->ci_high,
            sw_plot_number(color_of(d, d->summary.row[i].model)));
  }
  fputs("EOD\n", out);
}

static int solve_script(const sw_report_data *d, FILE *out) {
  if (!d->summary.rows) return 0;
  sw_figure_frame(out);
  solve_rows(d, out);
  fputs("set xtics scale 0 (", out);
  for (int i = 0; i < d->summary.rows; i++) {
    if (i) fputs(", ", out);
    sw_figure_quoted(out, d->summary.row[i].model, SW_QUOTE_WRAPPED);
    fprintf(out, " %d", i);
  }
  fprintf(out,
          ")\nset xrange [-0.6:%.1f]\nset yrange [0:112]\nset ytics 0,20,100\n"
          "set ylabel 'instances solved (%%)'\nset boxwidth 0.36\nset bmargin "
          "3.4\n",
          d->summary.rows - 0.4);
  static const struct {
    const char *shift, *column, *title;
    double shade;
  } box[] = {{"-", "2", "with its history", 0.9},
             {"+", "5", "without it", 0.25}};
  for (int i = 0; i < 2; i++)
    fprintf(out,
            "%s$solve using ($1%s0.2):%s:(0.36):8 with boxes lc rgb variable "
            "fs solid %.2f noborder notitle, \\\n NaN with boxes lc rgb "
            "'" SW_PLOT_INK "' fs solid %.2f noborder title '%s', \\\n",
            i ? " " : "plot ", box[i].shift, box[i].column, box[i].shade,
            box[i].shade, box[i].title);
  fputs(
      " $solve using ($1-0.2):3:(0):($4-$3) with vectors nohead lw 1.6 lc rgb "
      "'" SW_PLOT_INK
      "' notitle, \\\n"
      " $solve using ($1+0.2):6:(0):($7-$6) with vectors nohead lw 1.6 lc rgb "
      "'" SW_PLOT_INK
      "' notitle, \\\n"
      " $solve using ($1-0.2):4:(sprintf('%.3g', $2)) with labels offset 0,0.6 "
      "tc rgb '" SW_PLOT_INK
      "' notitle, \\\n"
      " $solve using ($1+0.2):7:(sprintf('%.3g', $5)) with labels offset 0,0.6 "
      "tc rgb '" SW_PLOT_INK "' notitle\n",
      out);
  return 1;
}

/* ---- learning curves ---- */

enum { CURVE_POINTS = 160 };

/* Training loss as means of consecutive steps, so that a long run stays small
 * and its trend is visible; validation as it was measured. */
static void curve_rows(const sw_report_model *m, int index, FILE *out) {
  int64_t each = (m->points + CURVE_POINTS - 1) / CURVE_POINTS;
  fprintf(out, "$train%d << EOD\n", index);
  for (int64_t at = 0; at < m->points; at += each) {
    double sum = 0;
    int64_t count = 0, last = at;
    for (int64_t i = at; i < at + each && i < m->points; i++)
      if (!isnan(m->curve[i].loss)) sum += m->curve[last = i].loss, count++;
    if (count)
      fprintf(out, "%lld %.6g\n", (long long)m->curve[last].step,
              sum / (double)count);
  }
  fprintf(out, "EOD\n$valid%d << EOD\n", index);
  for (int64_t i = 0; i < m->points; i++)
    if (!isnan(m->curve[i].valid_loss))
      fprintf(out, "%lld %.6g\n", (long long)m->curve[i].step,
              m->curve[i].valid_loss);
  fputs("EOD\n", out);
}

static void floor_line(FILE *out, double level, const char *name) {
  if (isnan(level) || level <= 0) return;
  fprintf(out,
          "set arrow from graph 0, first %.6g to graph 1, first %.6g nohead dt "
          "2 lc rgb '" SW_PLOT_INK
          "'\n"
          "set label '%s' at graph 0.99, first %.6g right offset 0,0.5 tc rgb "
          "'" SW_PLOT_INK "'\n",
          level, level, name, level);
}

static int loss_script(const sw_report_data *d, FILE *out) {
  const sw_report_model *first = NULL;
  int series = 0;
  for (int i = 0; i < d->models && !first; i++)
    if (d->model[i].points > 1) first = &d->model[i];
  if (!first) return 0;
  sw_figure_frame(out);
  for (int i = 0; i < d->models; i++) curve_rows(&d->model[i], i, out);
  floor_line(out, first->uniform, "uniform guess");
  floor_line(out, first->unigram, "token frequencies");
  fputs(
      "set logscale y\nset xlabel 'training step'\nset ylabel 'loss (nats per "
      "token)'\n"
      "set yrange [:*<12]\nset ytics (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, "
      "5, 10)\nplot ",
      out);
  for (int i = 0; i < d->models; i++) {
    if (d->model[i].points < 2) continue;
    const char *color = sw_plot_series(color_of(d, d->model[i].label));
    fprintf(out, "%s$train%d using 1:2 with lines lw 1.6 lc rgb '%s' title ",
            series++ ? ", \\\n " : "", i, color);
    sw_figure_quoted(out, d->model[i].label, SW_QUOTE_LABEL);
    fprintf(out,
            ", $valid%d using 1:2 with points pt 7 ps 0.55 lc rgb '%s' notitle",
            i, color);
  }
  fputc('\n', out);
  return 1;
}

/* ---- agreement by depth ---- */

static int depth_rows(const json_t *found, int index, FILE *out) {
  const json_t *row;
  size_t at;
  int drawn = 0;
  fprintf(out, "$depth%d << EOD\n", index);
  json_array_foreach(json_object_get(found, "by_depth"), at, row) {
    double agreement = sw_member_real(row, "argmax_agreement", NAN);
    if (isnan(agreement)) continue;
    fprintf(out, "%lld %.6g\n", (long long)sw_member_int(row, "depth", 0),
            100 * agreement);
    drawn++;
  }
  fputs("EOD\n", out);
  return drawn;
}

static int depth_script(const sw_report_data *d, FILE *out) {
  int drawn = 0, series = 0;
  sw_figure_frame(out);
  for (int i = -1; (i = sw_report_next(d, "transplant", i)) >= 0;)
    drawn += depth_rows(d->answer[i].row, i, out);
  if (!drawn) return 0;
  fputs(
      "set xlabel 'open decisions at the state'\n"
      "set ylabel 'same choice after another history (%)'\n"
      "set yrange [*<90:101]\nset xtics 1\nset offsets 0.3,0.3,0,0\nplot ",
      out);
  for (int i = -1; (i = sw_report_next(d, "transplant", i)) >= 0; series++) {
    fprintf(out,
            "%s$depth%d using 1:2 with linespoints pt 7 ps 0.6 lw 1.6 lc rgb "
            "'%s' title ",
            series ? ", \\\n " : "", i,
            sw_plot_series(color_of(d, d->answer[i].label)));
    sw_figure_quoted(out, d->answer[i].label, SW_QUOTE_LABEL);
    fprintf(out,
            ", \\\n $depth%d using 1:2:(sprintf('%%g open decisions: %%.1f "
            "%%%%', $1, $2))" SW_FIGURE_POINTED,
            i);
  }
  fputc('\n', out);
  return 1;
}

/* ---- reliability ---- */

static const char *const protocols[] = {"cumulative", "rebuilt"};

static int bin_rows(const json_t *found, int index, int protocol, FILE *out) {
  const json_t *bins = json_object_get(
      json_object_get(found, protocols[protocol]), "reliability");
  const json_t *bin;
  size_t at;
  int drawn = 0;
  fprintf(out, "$bins%d_%d << EOD\n", index, protocol);
  json_array_foreach(bins, at, bin) {
    double score = sw_member_real(bin, "mean_score", NAN);
    double label = sw_member_real(bin, "mean_label", NAN);
    if (isnan(score) || isnan(label)) continue;
    fprintf(out, "%.6g %.6g\n", score, label);
    drawn++;
  }
  fputs("EOD\n", out);
  return drawn;
}

static int reliability_script(const sw_report_data *d, FILE *out) {
  int drawn = 0;
  sw_figure_frame(out);
  for (int i = -1; (i = sw_report_next(d, "bank", i)) >= 0;)
    for (int p = 0; p < 2; p++) drawn += bin_rows(d->answer[i].row, i, p, out);
  if (!drawn) return 0;
  fputs(
      "set xlabel 'probability of going back'\nset ylabel 'share of true "
      "conflicts'\n"
      "set xrange [-0.02:1.02]\nset yrange [-0.02:1.02]\nset xtics 0.2\nset "
      "ytics 0.2\n"
      "plot x with lines dt 2 lc rgb '" SW_PLOT_INK "' notitle",
      out);
  for (int i = -1; (i = sw_report_next(d, "bank", i)) >= 0;)
    for (int p = 0; p < 2; p++) {
      fprintf(out,
              ", \\\n $bins%d_%d using 1:2 with linespoints pt %d ps 0.6 lw "
              "1.4%s lc rgb '%s' ",
              i, p, p ? 6 : 7, p ? " dt 3" : "",
              sw_plot_series(color_of(d, d->answer[i].label)));
      if (p) fputs("notitle", out);
      else {
        fputs("title ", out);
        sw_figure_quoted(out, d->answer[i].label, SW_QUOTE_LABEL);
      }
      fprintf(out,
              ", \\\n $bins%d_%d using 1:2:(sprintf('probability %%.3f, "
              "conflicts %%.3f', $1, $2))" SW_FIGURE_POINTED,
              i, p);
    }
  fputc('\n', out);
  return 1;
}

/* ---- attention by what is left ---- */

/* What is left of an item, from satisfied to nothing. */
static const struct {
  const char *key, *tic;
} lefts[] = {{"satisfied", "satisfied"},
             {"left_3", "3"},
             {"left_2", "2"},
             {"left_1", "1"},
             {"left_0", "0 (contradiction)"}};
enum { LEFTS = sizeof lefts / sizeof *lefts };

static int left_rows(const json_t *head, int index, FILE *out) {
  const json_t *score = json_object_get(head, "score");
  int drawn = 0;
  fprintf(out, "$left%d << EOD\n", index);
  for (int i = 0; i < LEFTS; i++) {
    double value = sw_member_real(score, lefts[i].key, NAN);
    if (isnan(value)) continue;
    fprintf(out, "%d %.6g\n", i, value);
    drawn++;
  }
  fputs("EOD\n", out);
  return drawn;
}

/* The heads of the layer whose question looks most at what has least left. */
static int attention_script(const sw_report_data *d, FILE *out) {
  int at = sw_report_next(d, "attention", -1), drawn = 0, series = 0;
  if (at < 0) return 0;
  const json_t *found = d->answer[at].row, *head;
  int64_t layer = sw_member_int(found, "most_question_least.layer", 0);
  size_t i;
  sw_figure_frame(out);
  json_array_foreach(json_object_get(found, "by_head"), i, head) {
    if (sw_member_int(head, "layer", 0) == layer)
      drawn += left_rows(head, (int)i, out);
  }
  if (!drawn) return 0;
  fputs("set xrange [-0.3:4.5]\nset xtics (", out);
  for (int k = 0; k < LEFTS; k++)
    fprintf(out, "%s'%s' %d", k ? ", " : "", lefts[k].tic, k);
  fputs(
      ")\nset xlabel 'choices left of an item'\n"
      "set ylabel 'log attention on it, less the mean'\n"
      "plot 0 with lines dt 2 lc rgb '" SW_PLOT_INK "' title 'all items alike'",
      out);
  json_array_foreach(json_object_get(found, "by_head"), i, head) {
    if (sw_member_int(head, "layer", 0) != layer) continue;
    fprintf(out,
            ", \\\n $left%d using 1:2 with linespoints pt 7 ps 0.6 lw 1.6 lc "
            "rgb '%s' title 'layer %d, head %d'",
            (int)i, sw_plot_series(series++), (int)layer,
            (int)sw_member_int(head, "head", 0));
  }
  fputc('\n', out);
  return 1;
}

const sw_drawing sw_drawings[] = {
    {"solve", "Searches solved",
     "Share of test instances solved in the open loop, with 95 % intervals "
     "(Wilson). With its "
     "history: the model is shown the whole dialogue so far. Without it: only "
     "the problem and the "
     "current state. A model that decides by the state has two equal bars.",
     480, 330, solve_script},
    {"depth", "Same state, another history",
     "How often the model's choice stays the same when only the history before "
     "the state is "
     "swapped, by the number of open decisions.",
     480, 330, depth_script},
    {"loss", "Learning curves",
     "Lines: training loss (means of consecutive steps); dots: validation. The "
     "dashed lines are what "
     "a model reaches that knows nothing, or only how often each token occurs. "
     "A leaky mask's loss "
     "is too good.",
     480, 330, loss_script},
    {"reliability", "Calibration",
     "Predicted probability of going back against how often the state really "
     "is a conflict, on "
     "labelled states. Filled dots: with its history; open dots: without. On "
     "the diagonal a "
     "probability means what it says.",
     480, 360, reliability_script},
    {"attention", "Where the question looks",
     "The question is the token where the verdict is given, an item a part of "
     "the problem (a clause): the logarithm of its attention on an item, less "
     "the mean over the items of the state, by what is left of the item. Heads "
     "of the layer that looks most at the item with least left.",
     480, 330, attention_script},
};
const int sw_drawing_count = sizeof sw_drawings / sizeof *sw_drawings;
