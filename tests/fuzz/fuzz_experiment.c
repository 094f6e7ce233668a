/* Fuzz target: any text as a user's experiment (YAML), or as models alone. What
 * is accepted must hold together: every reference is in range, every text ends,
 * and each cell has a question. */
#include <stdio.h>
#include "base/yaml.h"
#include "fuzz.h"
#include "repro/cell_question.h"
#include "repro/experiments.h"

static void touch(const char *text) {
  if (text) fuzz_touch(text, strlen(text));
}

static void check_column(const sw_experiment *e, int at, int columns) {
  const sw_repro_column *c = &e->column[at];
  touch(c->id);
  touch(c->title);
  touch(c->settings);
  touch(c->figure);
  if (c->a < 0 || c->a >= columns || c->b < 0 || c->b >= columns) abort();
}

static void check_row(const sw_experiment *e, const sw_repro_row *row,
                      int columns) {
  touch(row->id);
  touch(row->label);
  if (!!row->model + !!row->rule + !!row->shipped != 1) abort();
  for (int c = 0; c < columns; c++) {
    sw_cell_asked asked = sw_cell_asked_of(row, &e->column[c]);
    char *text;
    touch(sw_row_paper(row, c));
    if (sw_cell_question(&asked, NULL, &text, NULL)) abort();
    touch(text);
    free(text);
  }
}

static void check(const sw_experiment_file *file) {
  const sw_experiment *e = file->experiment;
  int columns = sw_experiment_columns(e), rows = sw_experiment_rows(e);
  if (columns < 1 || columns > SW_EXPERIMENT_COLUMNS || rows < 1) abort();
  if (e->seeds[0] < 1 || strchr(e->id, '/')) abort();
  for (int c = 0; c < columns; c++) check_column(e, c, columns);
  for (int r = 0; r < rows && r < 20; r++) check_row(e, &e->row[r], columns);
  for (const sw_repro_statistic *s = e->statistic; s && s->title; s++)
    if (s->column >= columns || s->other > columns || !s->a || !s->b) abort();
  for (const sw_repro_curve *c = e->curve; c && c->id; c++)
    if (c->x >= columns || c->y >= columns || !c->series) abort();
  for (const sw_trained *t = file->model; t->id; t++) {
    touch(t->label);
    if (!t->preset[0] || strchr(t->id, '/')) abort();
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  static int ready;
  sw_experiment_file file;
  sw_err err = {0};
  if (!ready && sw_experiments_load(&err)) abort();
  ready = 1;
  uint8_t *copy = fuzz_copy(bytes, length);
  if (sw_experiment_file_read(&file, "fuzz.yaml", (const char *)copy, length, 0,
                              &err)) {
    if (strncmp(err.text, "fuzz.yaml", 9)) abort();
  } else {
    sw_experiment_file_free(&file);
  }
  if (sw_experiment_file_read(&file, "fuzz.yaml", (const char *)copy, length, 1,
                              &err)) {
    if (strncmp(err.text, "fuzz.yaml", 9)) abort(); /* it names the file */
  } else {
    check(&file);
    sw_experiments_use(&file);
    if (sw_experiment_find(file.experiment->id) != file.experiment) abort();
    sw_experiments_use(NULL);
    sw_experiment_file_free(&file);
  }
  free(copy);
  return 0;
}
