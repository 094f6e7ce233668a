/* A file's text to structs (see experiment_file.h). */
#include "repro/experiment_file.h"

#include <string.h>

#include "repro/file_fields.h"

static int read_models_alone(sw_file_reader *r, sw_yaml *root) {
  static const sw_field only[] = {{"models", SW_FIELD_OTHER, 0, NULL, 1}};
  SW_TRY(sw_fields_read(r, root, only, 1, NULL));
  return sw_file_models(r, (sw_yaml *)sw_yaml_member(root, "models"));
}

static int read_all(sw_file_reader *r, const char *bytes, size_t count,
                    int experiment) {
  sw_yaml *root;
  SW_TRY(sw_yaml_read(&root, r->name, bytes, count, &r->file->arena, r->err));
  SW_TRY(sw_field_map(r, root));
  if (!experiment) return read_models_alone(r, root);
  SW_TRY(sw_file_models(r, (sw_yaml *)sw_yaml_member(root, "models")));
  return sw_file_experiment(r, root);
}

int sw_experiment_file_read(sw_experiment_file *file, const char *name,
                            const char *bytes, size_t count, int experiment,
                            sw_err *err) {
  sw_err own = {0};
  sw_file_reader r = {.file = file, .name = name, .err = err ? err : &own};
  memset(file, 0, sizeof *file);
  sw_arena_init(&file->arena, 1 << 14);
  int code = read_all(&r, bytes, count, experiment);
  if (code) sw_experiment_file_free(file);
  return code;
}

void sw_experiment_file_free(sw_experiment_file *file) {
  sw_arena_free(&file->arena);
  memset(file, 0, sizeof *file);
}
