/* Making a report (see report.h): load, draw, write. */
#include "report/report.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "report/export.h"
#include "report/page.h"

typedef struct maker {
  const sw_report_hooks *hooks;
  char out[1100];
  sw_report_data data;
  sw_made_tables tables;
  sw_drawn_list figures;
} maker;

static void stage(const maker *m, const char *what) {
  if (m->hooks && m->hooks->stage) m->hooks->stage(m->hooks->context, what);
}

static void path_of(const maker *m, const char *name, char path[1200]) {
  snprintf(path, 1200, "%s/%s", m->out, name);
}

static int write_figures(const maker *m, sw_err *err) {
  for (int i = 0; i < m->figures.count; i++) {
    const sw_drawn *f = &m->figures.figure[i];
    char name[96], path[1200];
    snprintf(name, sizeof name, "%s.svg", f->id);
    path_of(m, name, path);
    SW_TRY(sw_write_file(path, f->alone, strlen(f->alone), err));
  }
  return SW_OK;
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
  sw_page all = {
      .data = &m->data, .tables = &m->tables, .figures = &m->figures};
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
  SW_TRY(sw_report_load(&m->data, directory, err));
  for (int i = 0; i < m->data.left_outs && m->hooks && m->hooks->left_out; i++)
    m->hooks->left_out(m->hooks->context, m->data.left_out[i].name,
                       m->data.left_out[i].why);
  snprintf(m->out, sizeof m->out, "%s/report", m->data.directory);
  SW_TRY(sw_make_dirs(m->out, err));
  stage(m, "drawing");
  SW_TRY(sw_figures_draw(&m->data, &m->figures, err));
  stage(m, "writing");
  SW_TRY(write_figures(m, err));
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
  sw_drawn_free(&m.figures);
  sw_report_tables_free(&m.tables);
  sw_report_free(&m.data);
  return code;
}
