/* The page of all experiments (see kept_pages.h): every table and figure of the
 * paper as one tile, the differences that the paper states (kept_claims.c), the
 * experiments by section, and the cells that differ from the paper's with what
 * is known of the reasons. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/kept_grid.h"
#include "report/kept_pages.h"
#include "report/page.h"
#include "report/read_json.h"

#define text sw_kept_text

void sw_kept_text(FILE *out, const char *before, const char *value,
                  const char *after) {
  fputs(before, out);
  sw_escape_html(out, value);
  fputs(after, out);
}

void sw_kept_head(FILE *out, const char *title, const char *style) {
  fputs(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\">\n",
      out);
  text(out, "<title>", title, "</title>\n");
  fprintf(out, "<style>\n%s%s</style></head>\n<body>\n", sw_page_style, style);
  text(out, "<header><h1>", title, "</h1>\n");
}

sw_kept_tally sw_kept_count(const json_t *kept) {
  sw_kept_tally t = {0};
  const json_t *cell;
  size_t at;
  json_array_foreach(json_object_get(kept, "cells"), at, cell) {
    const json_t *agrees = json_object_get(cell, "agrees");
    int seeds = (int)sw_member_int(cell, "seeds", 0);
    t.cells++;
    t.done += !strcmp(sw_member_text(cell, "state", ""), "done");
    t.compared += json_is_boolean(agrees);
    t.agree += json_is_true(agrees);
    if (seeds > t.seeds) t.seeds = seeds;
  }
  return t;
}

/* ---- tiles ---- */

static const char STYLE[] =
    ".tiles{display:flex;flex-wrap:wrap;gap:5px;margin:.5em 0 1em;padding:0;"
    "list-style:none}\n"
    ".tiles li{min-width:2.5em;padding:.25em .5em;border-radius:5px;"
    "text-align:center;font-size:.86rem;border:1px solid var(--rule)}\n"
    ".tiles .kept{background:var(--good);color:var(--paper);"
    "border-color:var(--good)}\n"
    ".tiles .partial{border:2px solid var(--good)}\n"
    ".tiles .kept a{color:inherit}.tiles a{text-decoration:none}\n"
    "table.index td.words{white-space:normal;min-width:7em}\n"
    "table.index tbody th{white-space:normal}\n"
    "@media(max-width:600px){table.index th,table.index td{padding:.3em "
    ".3em;font-size:.78rem}table.index td.words{min-width:5em}}\n";

/* The number in an alias "T8", or 0. */
static int table_number(const char *aliases) {
  for (const char *p = aliases; p && *p; p += strcspn(p, " "), p += *p == ' ')
    if (*p == 'T' && sw_is_digit(p[1])) return atoi(p + 1);
  return 0;
}

/* An alias "fig:NAME" of length *length, or NULL. */
static const char *figure_name(const char *aliases, int *length) {
  const char *name = aliases ? strstr(aliases, "fig:") : NULL;
  if (name) *length = (int)strcspn(name + 4, " ");
  return name ? name + 4 : NULL;
}

static void tile(const sw_kept_entry *e, int kept, const char *label,
                 FILE *out) {
  text(out, "<li class=\"", e->state, "\" title=\"");
  text(out, "", e->place, ": ");
  text(out, "", e->state, "\">");
  if (kept) text(out, "<a href=\"", e->file, ".html\">");
  text(out, "", label, kept ? "</a></li>\n" : "</li>\n");
}

typedef struct states {
  int all, kept, partial;
} states;

static void add_state(states *s, const char *state) {
  s->all++;
  s->kept += !strcmp(state, "kept");
  s->partial += !strcmp(state, "partial");
}

/* The page explains "kept" where it first uses the word. */
static void say_states(const states *s, const char *what, FILE *out) {
  fprintf(out,
          "<p>%d %s of the paper: %d kept (every cell that is shown has a "
          "number from as many models as it should have), %d partial (cells or "
          "models are missing), %d never run.</p>\n",
          s->all, what, s->kept, s->partial, s->all - s->kept - s->partial);
}

static void tiles(const sw_kept_entry *entry, int count, json_t *const *kept,
                  FILE *out) {
  enum { MOST = 100 };
  states tables = {0}, figures = {0};
  for (int i = 0; i < count; i++) {
    int length;
    if (table_number(entry[i].aliases)) add_state(&tables, entry[i].state);
    if (figure_name(entry[i].aliases, &length))
      add_state(&figures, entry[i].state);
  }
  say_states(&tables, "tables", out);
  fputs("<ul class=\"tiles\">\n", out);
  for (int number = 1; number < MOST; number++)
    for (int i = 0; i < count; i++) {
      char label[16];
      if (table_number(entry[i].aliases) != number) continue;
      snprintf(label, sizeof label, "%d", number);
      tile(&entry[i], kept[i] != NULL, label, out);
    }
  fputs("</ul>\n", out);
  say_states(&figures, "figures with numbers", out);
  fputs("<ul class=\"tiles\">\n", out);
  for (int i = 0; i < count; i++) {
    int length = 0;
    char label[64];
    const char *name = figure_name(entry[i].aliases, &length);
    if (!name) continue;
    snprintf(label, sizeof label, "%.*s", length, name);
    for (char *p = label; *p; p++)
      if (*p == '_') *p = ' ';
    tile(&entry[i], kept[i] != NULL, label, out);
  }
  fputs("</ul>\n", out);
}

/* ---- sections ---- */

static void index_row(const sw_kept_entry *e, const json_t *kept, FILE *out) {
  fputs("<tr><th scope=\"row\">", out);
  if (kept) {
    text(out, "<a href=\"", e->file, ".html\">");
    text(out, "", e->file, "</a>");
  } else text(out, "", e->file, "");
  text(out, "</th><td class=\"words\">", e->place, "</td>");
  text(out, "<td>", e->state, "</td>");
  if (!kept) {
    fputs("<td>-</td><td>-</td><td>-</td><td>-</td></tr>\n", out);
    return;
  }
  sw_kept_tally t = sw_kept_count(kept);
  fprintf(out, "<td>%d of %d</td>", t.done, t.cells);
  if (e->older) fputs("<td colspan=\"2\">of older settings</td>", out);
  else if (t.compared)
    fprintf(out, "<td>%d of %d</td><td>%d</td>", t.agree, t.compared,
            t.compared - t.agree);
  else fputs("<td>-</td><td>-</td>", out);
  if (t.seeds < e->seeds)
    fprintf(out, "<td>%d of %d</td></tr>\n", t.seeds, e->seeds);
  else fprintf(out, "<td>%d</td></tr>\n", t.seeds);
}

static void index_section(const char *section, const sw_kept_entry *entry,
                          int count, json_t *const *kept, FILE *out) {
  static const char *const heads[] = {
      "experiment", "place", "state", "cells run", "agree", "differ", "seeds"};
  text(out, "<h2>", section,
       "</h2>\n<div class=\"scroll\"><table class=\"index\"><thead><tr>");
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
    text(out,
         i == 1 ? "<th scope=\"col\" class=\"words\">" : "<th scope=\"col\">",
         heads[i], "</th>");
  fputs("</tr></thead>\n<tbody>\n", out);
  for (int i = 0; i < count; i++)
    if (!strcmp(entry[i].section, section)) index_row(&entry[i], kept[i], out);
  fputs("</tbody></table></div>\n", out);
}

/* ---- what differs ---- */

void sw_kept_ours(const json_t *cell, FILE *out) {
  int share = !strcmp(sw_member_text(cell, "unit", "%"), "%");
  double unit = share ? 100 : 1;
  double low = sw_member_real(cell, "low", NAN);
  const char *form = share ? "%.1f" : "%.4g";
  fprintf(out, form, unit * sw_member_real(cell, "value", NAN));
  if (isnan(low)) return;
  fputs(" [", out);
  fprintf(out, form, unit * low);
  fputs(", ", out);
  fprintf(out, form, unit * sw_member_real(cell, "high", NAN));
  fputs("]", out);
}

static void differing(const sw_kept_entry *e, const json_t *kept, FILE *out) {
  sw_kept_tally t = sw_kept_count(kept);
  const json_t *cell;
  size_t at;
  if (t.agree == t.compared || e->older) return;
  fprintf(out, "<details><summary>%d of %d in ", t.compared - t.agree,
          t.compared);
  text(out, "", e->file, ", ");
  text(out, "", e->place, "</summary>\n");
  text(out, "<p>How the set-up differs: ", sw_member_text(kept, "note", "-"),
       ".</p>\n<ul>\n");
  json_array_foreach(json_object_get(kept, "cells"), at, cell) {
    const char *note = sw_member_text(cell, "note", NULL);
    if (!json_is_false(json_object_get(cell, "agrees"))) continue;
    text(out, "<li>", sw_member_text(cell, "label", "-"), ", ");
    text(out, "", sw_member_text(cell, "column", "-"), ": paper ");
    text(out, "", sw_member_text(cell, "paper", "-"), ", ours ");
    sw_kept_ours(cell, out);
    if (note) text(out, "; ", note, "");
    fputs("</li>\n", out);
  }
  fputs("</ul></details>\n", out);
}

/* ---- words ---- */

static int any_model(const json_t *kept, const char *member, const char *word) {
  const json_t *one;
  size_t at;
  json_array_foreach(json_object_get(kept, "models"), at, one) {
    if (strstr(sw_member_text(one, member, ""), word)) return 1;
  }
  return 0;
}

void sw_kept_words(const json_t *kept, FILE *out) {
  static const char *const word[][3] = {
      {"preset", "-fair",
       "A fair preset repairs what the published set-up got wrong. "},
      {"preset", "-release",
       "A release preset reproduces the published set-up. "},
      {"ended", "flat",
       "Flat: the validation loss gained less than 1 % over the last fifth of "
       "the steps. "},
      {"ended", "cap", "Cap: the steps ran out before the loss was flat. "},
      {"ended", "plateau",
       "Plateau: flat, but well above the loss that another seed or model "
       "reaches on the same traces. "}};
  for (size_t i = 0; i < sizeof word / sizeof *word; i++)
    if (any_model(kept, word[i][0], word[i][1])) fputs(word[i][2], out);
}

/* ---- what was found ---- */

void sw_kept_sentence(const sw_kept_entry *entry, const json_t *kept, char *out,
                      size_t room) {
  if (!entry->finding || !sw_kept_finding(kept, entry->finding, out, room))
    sw_kept_found(kept, out, room);
}

const char sw_kept_terms[] =
    "SSA (selective state attention) shows a model the problem and the current "
    "block only; causal attention shows it the whole search so far, its "
    "history. A rule is a search without a model. All numbers are ours, at our "
    "size.";

/* Only experiments whose file states a finding. */
static void findings(const sw_kept_entry *entry, int count, json_t *const *kept,
                     FILE *out) {
  fputs("<ul class=\"words\">\n", out);
  for (int i = 0; i < count; i++) {
    char found[800];
    if (!kept[i] || !entry[i].finding || entry[i].older) continue;
    sw_kept_sentence(&entry[i], kept[i], found, sizeof found);
    text(out, "<li>", found, " <a href=\"");
    text(out, "", entry[i].file, ".html\">");
    text(out, "", entry[i].file, "</a></li>\n");
  }
  fprintf(out, "</ul>\n<p class=\"soft\">%s</p>\n", sw_kept_terms);
}

int sw_kept_index(const sw_kept_entry *entry, int count, json_t *const *kept,
                  FILE *out, sw_err *err) {
  int there = 0;
  sw_kept_agreement a = sw_kept_distinct(entry, count, kept);
  for (int i = 0; i < count; i++) there += kept[i] != NULL;
  sw_kept_head(out, "What was found", STYLE);
  findings(entry, count, kept, out);
  fputs("</header>\n<h2>Beside the paper</h2>\n", out);
  fprintf(out,
          "<p>%d of %d experiments have results here. Of %d numbers that the "
          "paper has too, %d agree with ours and <a href=\"#differ\">%d do "
          "not</a>. A number that stands in several tables counts once. %d of "
          "them are of a model trained for their table: %d agree and %d do "
          "not. The others are of rules, of shipped models or zero on both "
          "sides, and could hardly differ.</p>\n",
          there, count, a.all, a.all_agree, a.all - a.all_agree, a.trained,
          a.trained_agree, a.trained - a.trained_agree);
  fputs(
      "<details><summary>When two numbers agree</summary><p>They differ by no "
      "more than the root of h1&sup2; + h2&sup2;, the half-widths of the two "
      "ranges on the sides that face each other: our 95 % interval, and the "
      "paper's two deviations, for shares at least the interval of 200 "
      "instances, always at least half of its last digit. This is lenient "
      "where both are means of several models.</p></details>\n",
      out);
  SW_TRY(sw_kept_claims(entry, count, kept, SW_KEPT_SITE, out, err));
  fputs("<h2>Every experiment</h2>\n", out);
  tiles(entry, count, kept, out);
  for (int i = 0; i < count; i++) {
    int seen = 0;
    for (int k = 0; k < i; k++)
      seen |= !strcmp(entry[k].section, entry[i].section);
    if (!seen) index_section(entry[i].section, entry, count, kept, out);
  }
  fputs(
      "<h2 id=\"differ\">Cells that differ from the paper</h2>\n<p>The reasons "
      "given are differences of the set-up that we know of; that one of them "
      "makes the difference was not shown.</p>\n",
      out);
  for (int i = 0; i < count; i++)
    if (kept[i]) differing(&entry[i], kept[i], out);
  fputs(
      "<footer><p>Made by <code>statewise repro --pages</code> from the kept "
      "answers.</p></footer>\n",
      out);
  sw_page_end(out);
  return SW_OK;
}
