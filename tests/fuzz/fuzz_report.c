/* Fuzz target: any text as one of the files that a report reads. The first byte
 * chooses which: the card or the curve of a run, or what a measure or an
 * experiment left. Everything that is made of them is written, but for the
 * drawing itself: tables in every form, CSV files, the scripts of the figures,
 * the page. */
#include <stdio.h>
#include <sys/stat.h>
#include "fuzz.h"
#include "fuzz_model.h"
#include "report/export.h"
#include "report/page.h"

/* Only the files of a run need its weights, which take time to read. */
static const char *const names[] = {
    "with/run/run.json",         "with/run/metrics.jsonl",
    "alone/transplant.json",     "alone/bank.json",
    "alone/padding.json",        "alone/length.json",
    "alone/representation.json", "alone/visited.json",
    "alone/history.json",        "alone/case.json",
    "alone/trees.json",          "alone/experiment.json",
    "alone/verify.json",         "with/run/bank.json",
    "alone/id/experiment.json",  "alone/local.json",
    "alone/attention.json"};
static const char *const folders[] = {"with", "with/run", "alone", "alone/id"};
enum { NAMES = sizeof names / sizeof *names };
static char directory[64];

static void path_of(const char *name, char path[160]) {
  snprintf(path, 160, "%s/%s", directory, name);
}

static void clean_up(void) {
  char path[160];
  for (int i = 0; i < NAMES; i++) {
    path_of(names[i], path);
    unlink(path);
  }
  path_of("with/run/model.safetensors", path);
  unlink(path);
  for (int i = 3; i >= 0; i--) {
    path_of(folders[i], path);
    rmdir(path);
  }
  rmdir(directory);
}

static void prepare(void) {
  char model[96], path[160];
  snprintf(directory, sizeof directory, "/tmp/statewise-fuzz-report-%d",
           (int)getpid());
  mkdir(directory, 0700);
  atexit(clean_up);
  for (int i = 0; i < 4; i++) {
    path_of(folders[i], path);
    mkdir(path, 0700);
  }
  fuzz_model("parsing", 6, model);
  path_of("with/run/model.safetensors", path);
  if (rename(model, path)) abort();
}

static void write_all(const sw_report_data *data, FILE *out) {
  sw_made_tables tables = {0};
  sw_drawn_list none = {0};
  sw_err err;
  for (int i = 0; i < sw_drawing_count; i++) sw_drawings[i].script(data, out);
  if (!sw_report_tables_make(&tables, data, &err)) {
    for (int form = 0; form < SW_TABLE_FORMS; form++)
      sw_report_tables_write(&tables, (sw_table_form)form, out);
    sw_page page = {.data = data, .tables = &tables, .figures = &none};
    (void)sw_page_write(&page, out, &err);
  }
  sw_report_tables_free(&tables);
#define X(name, function) function(data, out);
  SW_REPORT_CSV(X)
#undef X
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  char path[160], *written = NULL;
  size_t size;
  sw_report_data data;
  sw_err err;
  if (!directory[0]) prepare();
  if (length < 1) return 0;
  const char *name = names[bytes[0] % NAMES];
  path_of(name, path);
  if (symlink(fuzz_file(bytes + 1, length - 1), path)) abort();
  char folder[160];
  path_of(name[0] == 'w' ? "with" : "alone", folder);
  int code = sw_report_load(&data, folder, &err);
  unlink(path);
  if (code) return 0;
  FILE *out = open_memstream(&written, &size);
  if (!out) abort();
  write_all(&data, out);
  fclose(out);
  fuzz_touch(written, size);
  free(written);
  sw_report_free(&data);
  return 0;
}
