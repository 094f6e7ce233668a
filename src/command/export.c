/* `statewise export`: a data set as lines of JSON, which `import` reads. */
#include <stdio.h>
#include "base/file.h"
#include "base/json.h"
#include "command/command.h"
#include "command/io.h"
#include "domains/own/import.h"

#define EXPORT_OPTIONS(X)                                                  \
  X(output, TEXT, "out", "", 0, 0, "output", "file to write (JSON Lines)") \
  X(progress, CHOICE, "progress", "auto", 0, 0, "auto|plain|none|json",    \
    "progress on standard error")                                          \
  X(json, FLAG, "json", "0", 0, 1, "", "print one JSON object")

typedef struct export_values {
  EXPORT_OPTIONS(SW_OPTION_FIELD)
} export_values;
static const sw_option table[] = {
#define X(...) SW_OPTION_ROW(export_values, __VA_ARGS__)
    EXPORT_OPTIONS(X)
#undef X
};

static int run(const sw_command *self, sw_command_io *io, int argc, char **argv,
               sw_err *err) {
  export_values v;
  sw_list rest = {0};
  int64_t searches;
  SW_TRY(sw_command_parse(self, argc, argv, &v, NULL, &rest, err));
  if (rest.count != 1 || !v.output) {
    sw_fail(err, SW_USAGE, "export needs one data set and an output file");
    return sw_hint(err, "statewise export own.safetensors -o searches.jsonl");
  }
  SW_TRY(sw_make_parents(v.output, err));
  sw_progress progress;
  sw_import_hooks hooks = {&progress, sw_progress_show};
  sw_progress_begin(&progress, io, (sw_progress_mode)v.progress, "searches", 0);
  int code = sw_export(rest.item[0], v.output, &hooks, &searches, err);
  sw_progress_end(&progress);
  SW_TRY(code);
  if (v.json) {
    sw_json json;
    sw_json_to_file(&json, io->out);
    sw_json_object(&json, NULL);
    sw_json_string(&json, "output", v.output);
    sw_json_int(&json, "searches", searches);
    sw_json_end(&json);
  } else {
    fprintf(io->out, "%s: %lld searches\n", v.output, (long long)searches);
  }
  return 0;
}

const sw_command sw_command_export = {
    .name = "export",
    .usage = "DATA -o FILE",
    .words = "DATA",
    .summary = "Write a data set as lines of JSON",
    .details =
        "A search a line, in words, as `import` reads it. With\n"
        "`import --vocabulary DATA` the same tokens come back.",
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .run = run,
    .stoppable = 1};
