/* Pages of kept results (see kept_pages.h). */
#include "report/kept_pages.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file.h"
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
                                      "kernels", "date", "ended"};
  const json_t *model, *list = json_object_get(kept, "models");
  size_t at;
  if (!json_array_size(list)) return;
  fprintf(out,
          "<details><summary>The %zu models</summary>\n<div "
          "class=\"scroll\"><table><thead><tr>",
          json_array_size(list));
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
    text(out, "<th scope=\"col\">", heads[i], "</th>");
  fputs("</tr></thead>\n<tbody>\n", out);
  json_array_foreach(list, at, model) {
    const json_t *by = maker(kept, model);
    text(out, "<tr><th scope=\"row\">", sw_member_text(model, "row", "-"),
         "</th>");
    fprintf(out, "<td>%lld</td>", (long long)sw_member_int(model, "seed", 0));
    text(out, "<td>", sw_member_text(model, "weights", "-"), "</td>");
    text(out, "<td>", sw_member_text(model, "data", "-"), "</td>");
    text(out, "<td>", sw_member_text(by, "kernels", "-"), "</td>");
    text(out, "<td>", sw_member_text(by, "date", "-"), "</td>");
    text(out, "<td>", sw_member_text(model, "ended", "-"), "</td></tr>\n");
  }
  fputs("</tbody></table></div></details>\n", out);
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
  fputs(
      ".</p>\n<p><a href=\"index.html\">All experiments</a></p></footer>\n"
      "</body></html>\n",
      out);
}

static void show_figures(const sw_drawn_list *figures, FILE *out) {
  if (!figures->count) return;
  fputs("<div class=\"figures\">\n", out);
  for (int i = 0; i < figures->count; i++) {
    text(out, "<figure><h3>", figures->figure[i].title, "</h3>\n");
    fprintf(out, "%s</figure>\n", figures->figure[i].inlined);
  }
  fputs("</div>\n", out);
}

/* Pictures before long tables; what the means already say can be opened. */
static void show(sw_table_list *tables, const sw_drawn_list *figures,
                 FILE *out) {
  enum { TALL = 12, LONG = 30 };
  int glance = 0; /* tables of means, the first ones */
  while (glance < tables->count &&
         !strncmp(tables->table[glance].id, "glance", 6))
    glance++;
  int tall = glance && tables->table[0].rows > TALL;
  if (tall) show_figures(figures, out);
  for (int i = 0; i < glance; i++)
    sw_table_write(&tables->table[i], SW_TABLE_HTML, out);
  if (!tall) show_figures(figures, out);
  for (int i = glance; i < tables->count; i++) {
    sw_table *t = &tables->table[i];
    int folded = glance && t->rows > LONG;
    if (folded)
      fprintf(out, "<details><summary>All %d cells</summary>\n", t->rows);
    sw_table_squeeze(t);
    sw_table_write(t, SW_TABLE_HTML, out);
    fputs(folded ? "</details>\n" : "", out);
  }
}

/* Cells of more than one model, value by value. */
static void show_seeds(const json_t *kept, FILE *out) {
  const json_t *cell, *value;
  size_t at, i;
  int open = 0;
  json_array_foreach(json_object_get(kept, "cells"), at, cell) {
    const json_t *values = json_object_get(cell, "values");
    int share = !strcmp(sw_member_text(cell, "unit", "%"), "%");
    if (json_array_size(values) < 2) continue;
    if (!open++)
      fputs(
          "<details><summary>Seed by seed</summary>\n<div class=\"scroll\">"
          "<table class=\"text\"><tbody>\n",
          out);
    text(out, "<tr><th scope=\"row\">", sw_member_text(cell, "label", "-"),
         "</th>");
    text(out, "<td>", sw_member_text(cell, "column", "-"), "</td><td>");
    json_array_foreach(values, i, value) {
      double one = sw_member_real(value, "value", NAN);
      fprintf(out, "%s<span class=\"soft\">%lld:</span> ", i ? ", " : "",
              (long long)sw_member_int(value, "seed", 0));
      if (isnan(one)) fputs("-", out);
      else fprintf(out, share ? "%.1f" : "%.4g", share ? 100 * one : one);
    }
    fputs("</td></tr>\n", out);
  }
  if (open) fputs("</tbody></table></div></details>\n", out);
}

/* How the place of an experiment begins that the paper does not have. */
static const char NOT_THEIRS[] = "none: ";

static int write_page(const json_t *kept, FILE *out, sw_err *err) {
  sw_kept_tally t = sw_kept_count(kept);
  sw_table_list tables = {0};
  sw_drawn_list figures = {0};
  sw_kept_head(out, sw_member_text(kept, "title", "An experiment"), "");
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
  sw_experiment_glance(kept, &tables);
  sw_experiment_tables(kept, &tables);
  int code = sw_table_list_failed(&tables)
                 ? sw_fail(err, SW_MEMORY, "out of memory")
                 : sw_figures_draw_experiment(kept, &figures, err);
  if (!code) {
    show(&tables, &figures, out);
    show_seeds(kept, out);
    fputs("<h2>How the set-up differs</h2>\n", out);
    reasons(kept, out);
    provenance(kept, out);
  }
  sw_drawn_free(&figures);
  sw_table_list_free(&tables);
  return code;
}

static int make_page(const json_t *kept, const char *path, sw_kept_form form,
                     sw_err *err) {
  sw_out_file file;
  int code = SW_OK;
  SW_TRY(sw_out_open(&file, path, err));
  if (form == SW_KEPT_SITE) code = write_page(kept, file.stream, err);
  else sw_kept_markdown(kept, file.stream);
  if (!code) return sw_out_commit(&file, err);
  sw_out_abort(&file);
  return code;
}

/* ---- all ---- */

static int make_index(const sw_kept_entry *entry, int count,
                      json_t *const *kept, const char *path, sw_kept_form form,
                      const sw_kept_questions *question, sw_err *err) {
  sw_out_file file;
  SW_TRY(sw_out_open(&file, path, err));
  int code = form == SW_KEPT_SITE
                 ? sw_kept_index(entry, count, kept, question, file.stream, err)
                 : sw_kept_markdown_index(entry, count, kept, question,
                                          file.stream, err);
  if (!code) return sw_out_commit(&file, err);
  sw_out_abort(&file);
  return code;
}

int sw_kept_pages(const char *directory, const char *into, sw_kept_form form,
                  const sw_kept_entry *entry, int count,
                  const sw_kept_questions *question, sw_err *err) {
  const char *end = form == SW_KEPT_SITE ? "html" : "md";
  char path[1200];
  json_t **kept = calloc((size_t)count + 1, sizeof(json_t *));
  if (!kept) return sw_fail(err, SW_MEMORY, "out of memory");
  int code = sw_make_dirs(into, err);
  for (int i = 0; i < count && !code; i++) {
    snprintf(path, sizeof path, "%s/%s.json", directory, entry[i].file);
    code = sw_read_json(path, &kept[i], err);
    snprintf(path, sizeof path, "%s/%s.%s", into, entry[i].file, end);
    if (!code && kept[i]) code = make_page(kept[i], path, form, err);
  }
  snprintf(path, sizeof path, "%s/index.%s", into, end);
  if (!code) code = make_index(entry, count, kept, path, form, question, err);
  for (int i = 0; i < count; i++) json_decref(kept[i]);
  free(kept);
  return code;
}
