/* The page (see page.h): head, words, figures, masks, the search, tables. */
#include "report/page.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/version.h"
#include "report/export.h"
#include "report/mask_svg.h"

static void head(const sw_page *page, FILE *out) {
  const sw_report_data *d = page->data;
  const sw_report_model *first = d->models ? &d->model[0] : NULL;
  const sw_report_condition *c = d->conditions ? &d->condition[0] : NULL;
  fprintf(
      out,
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\">\n"
      "<title>Statewise report</title>\n<style>\n%s</style></head>\n<body>\n"
      "<header><p class=\"soft\">Statewise %s</p>\n"
      "<h1>Does it decide by the state, or by the history?</h1>\n<p "
      "class=\"soft\">",
      sw_page_style, SW_VERSION);
  if (first) {
    fputs("Domain ", out);
    sw_escape_html(out, first->domain);
    if (first->format[0]) {
      fputs(", trace format ", out);
      sw_escape_html(out, first->format);
    }
    if (c) fputs(", ", out);
  }
  if (c)
    fprintf(out,
            "size %lld, %lld test instances, seed %lld, at most %lld "
            "decisions each",
            (long long)c->n, (long long)c->count, (long long)c->seed,
            (long long)c->max_decisions);
  fputs(first || c ? ". " : "", out);
  fputs("Made from <code>", out);
  sw_escape_html(out, d->directory);
  fputs("</code>.</p></header>\n", out);
}

static void left_out(const sw_report_data *d, FILE *out) {
  for (int i = 0; i < d->left_outs; i++) {
    fputs("<p class=\"soft\">Left out: <code>", out);
    sw_escape_html(out, d->left_out[i].name);
    fputs("</code> (", out);
    sw_escape_html(out, d->left_out[i].why);
    fputs(")</p>\n", out);
  }
}

static void other_weights(const sw_report_data *d, FILE *out) {
  if (d->other_weights)
    fprintf(out,
            "<p class=\"soft\">%d conditions of results.db belong to other "
            "weights than those "
            "of this directory and are left out.</p>\n",
            d->other_weights);
}

/* What the numbers say, then the leading tables. */
static void words(const sw_page *page, FILE *out) {
  const sw_quick_summary *s = &page->data->summary;
  if (!s->rows && page->data->models)
    fputs(
        "<p>No searches were played here under both protocols in the open "
        "loop.</p>\n",
        out);
  fputs(s->rows ? "<ul class=\"words\">\n" : "", out);
  for (int i = 0; i < s->rows; i++) {
    char text[700];
    if (s->row[i].has_model && isnan(s->row[i].agreement)) continue;
    sw_summary_words(&s->row[i], sw_summary_floor(s), text, sizeof text);
    fputs("<li>", out);
    sw_escape_html(out, text);
    fputs("</li>\n", out);
  }
  fputs(s->rows ? "</ul>\n" : "", out);
  for (int i = 0; i < page->tables->leading; i++)
    sw_table_write(&page->tables->list.table[i], SW_TABLE_HTML, out);
  other_weights(page->data, out);
  left_out(page->data, out);
}

static void figures(const sw_page *page, FILE *out) {
  const sw_drawn_list *list = page->figures;
  if (!list->count) return;
  fputs("<section><h2 id=\"figures\">Figures</h2>\n<div class=\"figures\">\n",
        out);
  for (int i = 0; i < list->count; i++) {
    const sw_drawn *f = &list->figure[i];
    fprintf(out, "<figure id=\"figure-%s\"><h3>", f->id);
    sw_escape_html(out, f->title);
    fprintf(out, "</h3>\n%s<figcaption>", f->inlined);
    sw_escape_html(out, f->caption);
    fputs("</figcaption></figure>\n", out);
  }
  fputs("</div></section>\n", out);
}

/* Each mask once, over the same example sequence. */
static int mask_figure(sw_mask_kind kind, FILE *out, sw_err *err) {
  static const int64_t start[] = {0, 4, 7, 10};
  enum { LENGTH = 13, SLOTS = 2, WINDOW = 3 };
  sw_mask mask;
  sw_mask_panel panel = {.mask = &mask,
                         .block_start = start,
                         .blocks = 4,
                         .title = sw_mask_name(kind)};
  sw_mask_init(&mask);
  int code = sw_mask_build(&mask, kind, sw_mask_has_slots(kind) ? SLOTS : 0,
                           LENGTH, start, 4, WINDOW, 1, err);
  if (!code) {
    fputs("<figure>\n", out);
    sw_mask_svg_write(out, &panel, 1, 1);
    if (sw_mask_leaks(kind))
      fputs(
          "<figcaption>Leaks: the slots read everything, so a token can see "
          "what comes after it. "
          "Its training loss is too good.</figcaption>",
          out);
    fputs("</figure>\n", out);
  }
  sw_mask_free(&mask);
  return code;
}

static int masks(const sw_page *page, FILE *out, sw_err *err) {
  const sw_report_data *d = page->data;
  int code = SW_OK, known = 0;
  for (int i = 0; i < d->models; i++) known |= d->model[i].mask >= 0;
  if (!known) return SW_OK;
  fputs(
      "<section><h2 id=\"masks\">Who may look at whom</h2>\n"
      "<p>Every row is a token; the coloured cells are what it may read. A "
      "model that sees "
      "earlier blocks can use them, whether or not they matter. Selective "
      "State Attention "
      "(ssa) leaves only the problem and the current state.</p>\n"
      "<p class=\"legend\"><span><i "
      "style=\"background:var(--mask-slots)\"></i>slots</span>"
      "<span><i style=\"background:var(--mask-prefix)\"></i>prefix: the "
      "problem</span>"
      "<span><i style=\"background:var(--mask-block)\"></i>own block: the "
      "state</span>"
      "<span><i style=\"background:var(--mask-other)\"></i>other blocks: the "
      "history</span></p>\n"
      "<div class=\"figures masks\">\n",
      out);
  for (int i = 0; i < d->models && !code; i++) {
    int seen = d->model[i].mask < 0;
    for (int k = 0; k < i; k++) seen |= d->model[k].mask == d->model[i].mask;
    if (!seen) code = mask_figure((sw_mask_kind)d->model[i].mask, out, err);
  }
  fputs("</div></section>\n", out);
  return code;
}

static void details(const sw_page *page, FILE *out) {
  const sw_table_list *list = &page->tables->list;
  if (page->tables->leading == list->count) return;
  fputs("<section><h2 id=\"tables\">Tables</h2>\n", out);
  for (int i = page->tables->leading; i < list->count; i++)
    sw_table_write(&list->table[i], SW_TABLE_HTML, out);
  fputs("</section>\n", out);
}

static void link_to(const char *name, const char *ending, FILE *out) {
  fprintf(out, ", <a href=\"%s%s\">%s%s</a>", name, ending, name, ending);
}

static void foot(const sw_page *page, FILE *out) {
  fputs(
      "<footer><p>Beside this page: <a href=\"tables.md\">tables.md</a>, "
      "<a href=\"tables.tex\">tables.tex</a>",
      out);
#define X(name, function) link_to(name, "", out);
  SW_REPORT_CSV(X)
#undef X
  for (int i = 0; i < page->figures->count; i++)
    link_to(page->figures->figure[i].id, ".svg", out);
  fputs(
      ".</p>\n<p>Every number on this page was read or computed from the files "
      "of that directory "
      "by <code>statewise report</code>.</p></footer>\n",
      out);
  sw_page_end(out);
}

int sw_page_write(const sw_page *page, FILE *out, sw_err *err) {
  head(page, out);
  words(page, out);
  figures(page, out);
  SW_TRY(masks(page, out, err));
  sw_page_case(page->data, out);
  details(page, out);
  foot(page, out);
  return SW_OK;
}
