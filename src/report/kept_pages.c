/* Pages of kept results (see kept_pages.h). */
#include "report/kept_pages.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "report/export.h"
#include "report/kept_grid.h"
#include "report/page.h"
#include "report/read_json.h"

#define text sw_kept_text

/* ---- one experiment ---- */

/* Why cells differ from the paper's: the set-up, then each row's own note. */
static void reasons(const json_t *kept, FILE *out) {
  const json_t *cell;
  const char *last = "";
  size_t at;
  text(out, "<p>", sw_member_text(kept, "note", ""), "</p>\n<ul>\n");
  json_array_foreach(json_object_get(kept, "cells"), at, cell) {
    const char *note = sw_member_text(cell, "note", NULL);
    if (!note || !strcmp(last, sw_member_text(cell, "row", ""))) continue;
    last = sw_member_text(cell, "row", "");
    text(out, "<li>", sw_member_text(cell, "label", "-"), ": ");
    text(out, "", note, "</li>\n");
  }
  fputs("</ul>\n", out);
}

/* Of whom a model or value is: a place in the list of runs. */
static const json_t *maker(const json_t *kept, const json_t *made) {
  int64_t by = sw_member_int(made, "by", 0);
  const json_t *list = json_object_get(kept, "made_by");
  return by >= 0 && (size_t)by < json_array_size(list)
             ? json_array_get(list, (size_t)by)
             : kept; /* a file from before there was a list */
}

static void show_models(const json_t *kept, FILE *out) {
  static const char *const heads[] = {"row",     "seed", "weights", "traces",
                                      "kernels", "date", "ended",   NULL};
  const json_t *model, *list = json_object_get(kept, "models");
  sw_table t;
  size_t at;
  if (!json_array_size(list)) return;
  sw_table_init(&t, "models", NULL, heads);
  t.texts = t.columns;
  json_array_foreach(list, at, model) {
    const json_t *by = maker(kept, model);
    sw_table_row(&t);
    sw_table_put(&t, 0, "%s", sw_member_text(model, "row", "-"));
    sw_table_put(&t, 1, "%lld", (long long)sw_member_int(model, "seed", 0));
    sw_table_put(&t, 2, "%s", sw_member_text(model, "weights", "-"));
    sw_table_put(&t, 3, "%s", sw_member_text(model, "data", "-"));
    sw_table_put(&t, 4, "%s", sw_member_text(by, "kernels", "-"));
    sw_table_put(&t, 5, "%s", sw_member_text(by, "date", "-"));
    sw_table_put(&t, 6, "%s", sw_member_text(model, "ended", "-"));
  }
  fprintf(out, "<details><summary>The %zu models</summary>\n<p class=\"soft\">",
          json_array_size(list));
  sw_kept_words(kept, out);
  fputs("</p>\n", out);
  sw_table_write(&t, SW_TABLE_HTML, out);
  fputs("</details>\n", out);
  sw_table_free(&t);
}

/* One line a run; of what was set over the experiment, nothing is hidden. */
static void show_makers(const json_t *kept, FILE *out) {
  const json_t *one, *list = json_object_get(kept, "made_by");
  size_t at, count = json_array_size(list);
  if (count > 1)
    fprintf(out, "<details><summary>Made by %zu runs</summary>\n", count);
  fputs("<ul>\n", out);
  json_array_foreach(list, at, one) {
    text(out, "<li><code>", sw_member_text(one, "command", "?"), "</code>: ");
    text(out, "", sw_member_text(one, "program", "?"), ", ");
    text(out, "", sw_member_text(one, "kernels", "?"), " kernels, ");
    text(out, "", sw_member_text(one, "machine", "?"), ", ");
    text(out, "", sw_member_text(one, "date", "?"), "");
    fprintf(out, ", %.0f s</li>\n", sw_member_real(one, "seconds", 0));
  }
  fprintf(out, "</ul>%s\n", count > 1 ? "</details>" : "");
}

/* Of runs that counted otherwise than today: their version, which a run that
 * does not say it has as 3 (docs/results.md). */
static void show_counting(const json_t *kept, FILE *out) {
  enum { UNSAID = 3, ALIKE = 4 };
  const json_t *one, *list = json_object_get(kept, "made_by");
  size_t at;
  int searches = 0, older = 0;
  json_array_foreach(json_object_get(kept, "columns"), at, one) {
    searches |= !strcmp(sw_member_text(one, "source", ""), "search");
  }
  json_array_foreach(list, at, one) {
    older += sw_member_int(one, "counting", UNSAID) < ALIKE;
  }
  if (!searches || !older) return;
  fprintf(out,
          "<p>Searches of %d of %zu runs were counted by version %d, before "
          "today's %d: repeats hold values that are not allowed, so that their "
          "rate can exceed 100 %%, and decisions leave some out. Neither is "
          "judged against the paper where such a run made it "
          "(docs/results.md, versions of counting).</p>\n",
          older, json_array_size(list), UNSAID, ALIKE);
}

static void provenance(const json_t *kept, FILE *out) {
  static const char *const members[] = {"command", "program", "kernels",
                                        "machine", "date",    "scale"};
  const char *kernels = sw_member_text(kept, "kernels", "?");
  fputs("<h2>Where the numbers come from</h2>\n", out);
  if (strchr(kernels, ','))
    text(out, "<p>Models and searches of more than one kernel set (", kernels,
         ") stand side by side: each model says which. Another set may change "
         "the last bits, and with them a choice.</p>\n");
  show_counting(kept, out);
  show_models(kept, out);
  if (json_array_size(json_object_get(kept, "made_by"))) {
    show_makers(kept, out);
    text(out, "<footer><p>", sw_member_text(kept, "scale", "?"), " scale");
  } else {
    fputs("<footer><p>", out);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
      fprintf(out, "%s%s <code>", i ? ", " : "", members[i]);
      text(out, "", sw_member_text(kept, members[i], "?"), "</code>");
    }
  }
  fprintf(out,
          "; %.0f seconds, what earlier runs had trained and played not "
          "counted",
          sw_member_real(kept, "seconds", 0));
  fputs(".</p>\n<p><a href=\"index.html\">All experiments</a></p></footer>\n",
        out);
  sw_page_end(out);
}

static void show_figure(const sw_drawn *figure, FILE *out) {
  text(out, "<figure><h3>", figure->title, "</h3>\n");
  fprintf(out, "%s</figure>\n", figure->inlined);
}

/* What the signs of the tables mean, where they first stand. */
static void legend(const json_t *kept, const sw_kept_tally *t, FILE *out) {
  const char *id = sw_member_text(kept, "experiment", "ID");
  fputs(
      "<p class=\"soft\">A number in parentheses is its 95 % interval, over "
      "models and test instances. ",
      out);
  if (t->compared)
    fputs(
        "&#10003;: the paper's number agrees with ours, as far as both are "
        "known; &#10007;: it does not. ",
        out);
  fputs(
      "Below the line stand rules without a model, on the same instances under "
      "the same verifier; where rows have different ones, a line names its "
      "rows.</p>\n",
      out);
  text(out, "<p class=\"soft\">Every value, seed by seed: <a href=\"", id,
       ".csv\">");
  text(out, "", id, ".csv</a>. <code>statewise repro ");
  text(out, "", id, "</code> makes them.</p>\n");
}

/* One picture, then the tables, then the other pictures and what is derived. */
static void show(const json_t *kept, sw_table_list *grid,
                 sw_table_list *derived, const sw_drawn_list *figures,
                 FILE *out) {
  sw_kept_tally t = sw_kept_count(kept);
  if (figures->count) show_figure(&figures->figure[0], out);
  for (int i = 0; i < grid->count; i++)
    sw_table_write(&grid->table[i], SW_TABLE_HTML, out);
  legend(kept, &t, out);
  if (figures->count > 1) fputs("<div class=\"figures\">\n", out);
  for (int i = 1; i < figures->count; i++)
    show_figure(&figures->figure[i], out);
  if (figures->count > 1) fputs("</div>\n", out);
  for (int i = 0; i < derived->count; i++) {
    sw_table_squeeze(&derived->table[i]);
    sw_table_write(&derived->table[i], SW_TABLE_HTML, out);
  }
}

/* How the place of an experiment begins that the paper does not have. */
static const char NOT_THEIRS[] = "none: ";

/* Where it stands in the paper, and how much of it was run. */
static void say_place(const json_t *kept, FILE *out) {
  sw_kept_tally t = sw_kept_count(kept);
  const char *place = sw_member_text(kept, "place", "");
  int ours = !strncmp(place, NOT_THEIRS, sizeof NOT_THEIRS - 1);
  text(out,
       ours ? "<p class=\"soft\">Not in the paper: "
            : "<p class=\"soft\">In the paper: ",
       ours ? place + sizeof NOT_THEIRS - 1 : place, ". ");
  fprintf(out, "%d of %d cells were run", t.done, t.cells);
  if (t.compared)
    fprintf(out, "; of %d that the paper has, %d agree with it", t.compared,
            t.agree);
  const char *elsewhere = sw_member_text(kept, "judged_in", NULL);
  if (elsewhere) {
    text(out, "; the paper's numbers are judged in <a href=\"", elsewhere,
         ".html\">");
    text(out, "", elsewhere, "</a>");
  }
  fputs(".</p></header>\n", out);
}

static int write_page(const sw_kept_entry *entry, const json_t *kept, FILE *out,
                      sw_err *err) {
  sw_table_list grid = {0}, derived = {0};
  sw_drawn_list figures = {0};
  char found[800];
  sw_kept_head(out, sw_member_text(kept, "title", "An experiment"), "");
  sw_kept_sentence(entry, kept, found, sizeof found);
  if (*found) text(out, "<p class=\"found\">", found, "</p>\n");
  say_place(kept, out);
  sw_kept_grid(kept, &grid);
  sw_experiment_derived(kept, &derived);
  int code = sw_table_list_failed(&grid) || sw_table_list_failed(&derived)
                 ? sw_no_memory(err)
                 : sw_figures_draw_experiment(kept, &figures, err);
  if (!code) {
    show(kept, &grid, &derived, &figures, out);
    fputs("<h2>How the set-up differs</h2>\n", out);
    reasons(kept, out);
    provenance(kept, out);
  }
  sw_drawn_free(&figures);
  sw_table_list_free(&grid);
  sw_table_list_free(&derived);
  return code;
}

static int write_csv(const json_t *kept, const char *path, sw_err *err) {
  sw_out_file file;
  SW_TRY(sw_out_open(&file, path, err));
  sw_csv_head(file.stream);
  sw_csv_experiment(kept, file.stream);
  return sw_out_commit(&file, err);
}

static int make_page(const sw_kept_entry *entry, const json_t *kept,
                     const char *path, sw_kept_form form, sw_err *err) {
  sw_out_file file;
  int code = SW_OK;
  SW_TRY(sw_out_open(&file, path, err));
  if (form == SW_KEPT_SITE) code = write_page(entry, kept, file.stream, err);
  else sw_kept_markdown(kept, file.stream);
  if (!code) return sw_out_commit(&file, err);
  sw_out_abort(&file);
  return code;
}

/* ---- all ---- */

static int make_index(const sw_kept_entry *entry, int count,
                      json_t *const *kept, const char *path, sw_kept_form form,
                      sw_err *err) {
  sw_out_file file;
  SW_TRY(sw_out_open(&file, path, err));
  int code = form == SW_KEPT_SITE
                 ? sw_kept_index(entry, count, kept, file.stream, err)
                 : sw_kept_markdown_index(entry, count, kept, file.stream, err);
  if (!code) return sw_out_commit(&file, err);
  sw_out_abort(&file);
  return code;
}

int sw_kept_pages(const char *into, sw_kept_form form,
                  const sw_kept_entry *entry, int count, json_t *const *kept,
                  sw_err *err) {
  const char *end = form == SW_KEPT_SITE ? "html" : "md";
  char path[1200];
  SW_TRY(sw_make_dirs(into, err));
  for (int i = 0; i < count; i++) {
    if (!kept[i]) continue;
    snprintf(path, sizeof path, "%s/%s.%s", into, entry[i].file, end);
    SW_TRY(make_page(&entry[i], kept[i], path, form, err));
    snprintf(path, sizeof path, "%s/%s.csv", into, entry[i].file);
    if (form == SW_KEPT_SITE) SW_TRY(write_csv(kept[i], path, err));
  }
  snprintf(path, sizeof path, "%s/index.%s", into, end);
  return make_index(entry, count, kept, path, form, err);
}
