/* `statewise show model FILE`: config, metadata and tensors of a weight file.
 */
#include <inttypes.h>
#include <stdio.h>
#include "base/json.h"
#include "base/text.h"
#include "base/safetensors.h"
#include "cli/commands.h"
#include "model/decoder/model.h"

#define OPTIONS(X)                                                        \
  X(heads, INT, "heads", "0", 0, 64, "", "heads, when the file has none") \
  X(json, FLAG, "json", "0", 0, 0, "", "print one JSON object")

typedef struct show_values {
  OPTIONS(SW_OPTION_FIELD)
} show_values;
static const sw_option table[] = {
#define X(...) SW_OPTION_ROW(show_values, __VA_ARGS__)
    OPTIONS(X)
#undef X
};
enum { COUNT = sizeof table / sizeof *table };

static void print_json(const sw_st_file *file, sw_model *model) {
  const sw_model_config *c = sw_model_config_of(model);
  sw_json json;
  char hash[24];
  sw_json_to_file(&json, stdout);
  sw_json_object(&json, NULL);
  sw_json_object(&json, "config");
  sw_json_int(&json, "vocab", c->vocab);
  sw_json_int(&json, "d", c->d);
  sw_json_int(&json, "layers", c->layers);
  sw_json_int(&json, "heads", c->heads);
  sw_json_int(&json, "ffn", c->ffn);
  sw_json_int(&json, "slots", c->slots);
  sw_json_int(&json, "positions", c->positions);
  sw_json_end(&json);
  sw_json_int(&json, "parameters", sw_model_param_count(model));
  snprintf(hash, sizeof hash, "%016" PRIx64, sw_model_hash(model));
  sw_json_string(&json, "hash", hash);
  sw_json_object(&json, "metadata");
  for (int i = 0; i < sw_st_meta_count(file); i++) {
    const char *key, *value;
    sw_st_meta_at(file, i, &key, &value);
    sw_json_string(&json, key, value);
  }
  sw_json_end(&json);
  sw_json_array(&json, "tensors");
  for (int i = 0; i < sw_st_count(file); i++) {
    const sw_st_tensor *t = sw_st_at(file, i);
    sw_json_object(&json, NULL);
    sw_json_string(&json, "name", t->name);
    sw_json_string(&json, "dtype", sw_st_dtype_name(t->dtype));
    sw_json_array(&json, "shape");
    for (int k = 0; k < t->dims; k++) sw_json_int(&json, NULL, t->shape[k]);
    sw_json_end(&json);
    sw_json_end(&json);
  }
  sw_json_end(&json);
  sw_json_end(&json);
}

static void print_text(const sw_st_file *file, sw_model *model,
                       const char *path) {
  const sw_model_config *c = sw_model_config_of(model);
  printf("%s: slot decoder, %" PRId64 " parameters, hash %016" PRIx64 "\n",
         path, sw_model_param_count(model), sw_model_hash(model));
  printf(
      "  vocab %d, d %d, layers %d, heads %d, ffn %d, slots %d, "
      "positions %d\n",
      c->vocab, c->d, c->layers, c->heads, c->ffn, c->slots, c->positions);
  printf("metadata\n");
  for (int i = 0; i < sw_st_meta_count(file); i++) {
    const char *key, *value;
    sw_st_meta_at(file, i, &key, &value);
    char shown[2][512]; /* a file may hold escape sequences */
    sw_clean_text(shown[0], sizeof shown[0], key);
    sw_clean_text(shown[1], sizeof shown[1], value);
    printf("  %-24s %s\n", shown[0], shown[1]);
  }
  printf("tensors\n");
  for (int i = 0; i < sw_st_count(file); i++) {
    const sw_st_tensor *t = sw_st_at(file, i);
    char name[128];
    sw_clean_text(name, sizeof name, t->name);
    printf("  %-36s %-5s (", name, sw_st_dtype_name(t->dtype));
    for (int k = 0; k < t->dims; k++)
      printf("%s%" PRId64, k ? ", " : "", t->shape[k]);
    printf(")\n");
  }
}

static int run(const sw_command *self, int argc, char **argv) {
  show_values v;
  sw_list rest = {0};
  sw_err err = {0};
  sw_model *model = NULL;
  sw_st_file *file = NULL;
  int code = sw_command_parse(self, argc, argv, &v, NULL, &rest);
  if (code >= 0) return code;
  if (rest.count != 1) {
    sw_fail(&err, SW_USAGE, "show model wants one weight file");
    return sw_command_fail(&err);
  }
  code = sw_model_load(&model, rest.item[0], v.heads, &err);
  if (!code) code = sw_st_open(&file, rest.item[0], &err);
  if (code) code = sw_command_fail(&err);
  else if (v.json) print_json(file, model);
  else print_text(file, model, rest.item[0]);
  sw_st_close(file);
  sw_model_free(model);
  return code;
}

const sw_command sw_command_show_model = {
    .name = "show model",
    .usage = "FILE [--heads N] [--json]",
    .summary = "config, metadata and tensors of a weight file",
    .details = NULL,
    .options = table,
    .option_count = COUNT,
    .run = run,
};
