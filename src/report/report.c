/* Making a report (see report.h): load, draw, write. */
#include "report/report.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "report/export.h"
#include "report/page.h"
#include "report/plot.h"

typedef struct maker {
  const sw_report_hooks *hooks;
  char out[1100];
  sw_report_data data;
  sw_made_tables tables;
  char **figure; /* inlined SVG, one for each of sw_figures */
} maker;

static void stage(const maker *m, const char *what) {
  if (m->hooks && m->hooks->stage) m->hooks->stage(m->hooks->context, what);
}

static void path_of(const maker *m, const char *name, char path[1200]) {
  snprintf(path, 1200, "%s/%s", m->out, name);
}

static int draw_figure(maker *m, int which, sw_err *err) {
  const sw_figure *figure = &sw_figures[which];
  char *script, *svg, name[64], path[1200];
  size_t bytes;
  FILE *out = open_memstream(&script, &bytes);
  if (!out) return sw_fail(err, SW_MEMORY, "out of memory");
  int drawn = figure->script(&m->data, out);
  if (fclose(out)) drawn = 0;
  int code = SW_OK;
  if (drawn)
    code =
        sw_plot(figure->id, figure->width, figure->height, script, &svg, err);
  free(script);
  if (!drawn || code) return code;
  m->figure[which] = sw_plot_inlined(svg, figure->id, figure->title);
  char *alone = sw_plot_standalone(svg);
  free(svg);
  if (!alone || !m->figure[which])
    code = sw_fail(err, SW_MEMORY, "out of memory");
  snprintf(name, sizeof name, "%s.svg", figure->id);
  path_of(m, name, path);
  if (!code) code = sw_write_file(path, alone, strlen(alone), err);
  free(alone);
  return code;
}

static int write_tables(const maker *m, const char *name, sw_table_form form,
                        sw_err *err) {
  sw_out_file file;
  char path[1200];
  path_of(m, name, path);
  SW_TRY(sw_out_open(&file, path, err));
  sw_report_tables_write(&m->tables, form, file.stream);
  return sw_out_commit(&file, err);
}

static int write_csv(const maker *m, const char *name,
                     void (*write)(const sw_report_data *, FILE *),
                     sw_err *err) {
  sw_out_file file;
  char path[1200];
  path_of(m, name, path);
  SW_TRY(sw_out_open(&file, path, err));
  write(&m->data, file.stream);
  return sw_out_commit(&file, err);
}

static int write_page(const maker *m, char *page, int room, sw_err *err) {
  sw_out_file file;
  char path[1200];
  path_of(m, "index.html", path);
  SW_TRY(sw_out_open(&file, path, err));
  sw_page all = {.data = &m->data, .tables = &m->tables, .figure = m->figure};
  int code = sw_page_write(&all, file.stream, err);
  if (code) {
    sw_out_abort(&file);
    return code;
  }
  snprintf(page, (size_t)room, "%s", path);
  return sw_out_commit(&file, err);
}

static int make(maker *m, const char *directory, char *page, int room,
                sw_err *err) {
  stage(m, "reading");
  m->figure = calloc((size_t)sw_figure_count, sizeof *m->figure);
  if (!m->figure) return sw_fail(err, SW_MEMORY, "out of memory");
  SW_TRY(sw_report_load(&m->data, directory, err));
  snprintf(m->out, sizeof m->out, "%s/report", m->data.directory);
  SW_TRY(sw_make_dirs(m->out, err));
  stage(m, "drawing");
  for (int i = 0; i < sw_figure_count; i++) SW_TRY(draw_figure(m, i, err));
  stage(m, "writing");
  SW_TRY(sw_report_tables_make(&m->tables, &m->data, err));
  SW_TRY(write_tables(m, "tables.md", SW_TABLE_MARKDOWN, err));
  SW_TRY(write_tables(m, "tables.tex", SW_TABLE_LATEX, err));
#define X(name, function) SW_TRY(write_csv(m, name, function, err));
  SW_REPORT_CSV(X)
#undef X
  return write_page(m, page, room, err);
}

int sw_report_make(const char *directory, const sw_report_hooks *hooks,
                   char *page, int room, sw_err *err) {
  maker m = {.hooks = hooks};
  int code = make(&m, directory, page, room, err);
  for (int i = 0; m.figure && i < sw_figure_count; i++) free(m.figure[i]);
  free(m.figure);
  sw_report_tables_free(&m.tables);
  sw_report_free(&m.data);
  return code;
}
